"""Files in, passages out, through a real worker process."""

import asyncio
import os
import signal
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from desktop.domain.knowledge import ItemState
from desktop.domain.sources import SourceKind
from desktop.errors import BaseExists, UnknownBase
from desktop.knowledge.ingest.ingest import MOST_ON_THEIR_WAY
from desktop.knowledge.worker.client import KnowledgeClient
from tests.unit.knowledge.knowledge_files import make_pdf, make_text
from tests.unit.knowledge.progress import until

NORTHERN = "The aurora is caused by charged particles of the solar wind hitting the upper atmosphere."
SOUTHERN = "Penguins live almost only in the southern half of the world and cannot fly."
CHINESE = "都江堰是战国时期秦国蜀郡太守李冰父子主持修建的大型水利工程，位于四川省成都市。"


async def add(client, base, *paths):
    """Return every step that each file went through, and where it ended."""
    states, ended = {}, {}
    async with aclosing(client.add(base.id, paths)) as steps:
        async for step in steps:
            states.setdefault(step.item.name, []).append(step.item.state)
            ended[step.item.name] = step.item
    return states, ended


def test_chinese_and_english_are_found_on_their_pages(runner, client, base, tmp_path):
    pdf = make_pdf(
        tmp_path / "世界 atlas.pdf",
        [["Contents"], [NORTHERN[:60], NORTHERN[60:]], [CHINESE[:26], CHINESE[26:]]],
        title="Atlas",
        bookmarks=[("Sky", 2, 0), ("Water", 3, 0)],
    )
    notes = make_text(tmp_path / "notes.md", f"# Animals\n\n## Birds\n\n{SOUTHERN}\n")
    gbk = make_text(tmp_path / "诗.txt", "床前明月光，疑是地上霜。举头望明月，低头思故乡。", "gbk")

    states, ended = runner.run(add(client, base, pdf, notes, gbk))
    assert states["notes.md"][0] is ItemState.WAITING
    assert states["notes.md"].index(ItemState.KEYWORD_READY) < states["notes.md"].index(ItemState.READY)
    assert all(item.state is ItemState.READY and item.passages and item.document for item in ended.values())
    assert ended[pdf.name].pages == 3

    def first(query):
        retrieval = runner.run(client.retrieve([query], [base.id], 3))
        assert retrieval.notes == ()
        return retrieval.passages[0]

    sky = first("What causes northern lights?")
    assert (sky.kind, sky.title, sky.locator.page, sky.locator.section) == (
        SourceKind.FILE,
        pdf.name,
        2,
        "Sky",
    )
    assert sky.text == NORTHERN
    assert Path(unquote(urlsplit(sky.url).path)) == pdf
    assert sky.document == ended[pdf.name].document
    assert 0 < sky.score <= 1
    water = first("都江堰是谁修建的？")
    assert (water.locator.page, water.text) == (3, CHINESE)
    assert first("flightless birds").locator.section == "Animals › Birds"
    assert first("低头思什么").title == gbk.name


def test_offsets_count_in_the_extracted_text(runner, client, base, tmp_path):
    text = "\n\n".join(
        f"Paragraph {n} tells of the {word}." for n, word in enumerate(["otter", "zebra", "天鹅"])
    )
    path = make_text(tmp_path / "animals.txt", text)
    runner.run(add(client, base, path))
    (passage,) = runner.run(client.retrieve(["zebra"], [base.id], 5)).passages
    assert text[passage.locator.start : passage.locator.end] == passage.text


def test_every_file_says_how_it_ended(runner, client, base, tmp_path):
    good = make_text(tmp_path / "good.txt", "A perfectly ordinary sentence about lighthouses.")
    empty = make_text(tmp_path / "empty.txt", "")
    blank = make_text(tmp_path / "blank.md", " \n\n\t")
    broken = make_text(tmp_path / "broken.pdf", "%PDF-1.4 and nothing more")
    locked = make_pdf(tmp_path / "locked.pdf", [["secret"]], password="pass")
    program = tmp_path / "program.exe"
    program.write_bytes(b"MZ\x00\x00" * 100)
    missing = tmp_path / "missing.txt"
    _, ended = runner.run(add(client, base, good, empty, blank, broken, locked, program, missing))
    assert ended["good.txt"].state is ItemState.READY
    failed = {name: item.error for name, item in ended.items() if item.state is ItemState.FAILED}
    assert failed.keys() == {
        "empty.txt",
        "blank.md",
        "broken.pdf",
        "locked.pdf",
        "program.exe",
        "missing.txt",
    }
    assert "password" in failed["locked.pdf"]
    assert "does not exist" in failed["missing.txt"]
    assert ".exe" in failed["program.exe"]


def test_folders_are_walked_and_equal_files_read_once(runner, client, base, tmp_path):
    folder = tmp_path / "folder"
    (folder / "deep" / ".hidden").mkdir(parents=True)
    make_text(folder / "one.txt", SOUTHERN)
    make_text(folder / "deep" / "same.txt", SOUTHERN)
    make_text(folder / "deep" / ".hidden" / "no.txt", "never to be read")
    _, ended = runner.run(add(client, base, folder))
    assert {name: item.state for name, item in ended.items()} == dict.fromkeys(
        ("one.txt", "same.txt"), ItemState.READY
    )
    assert len(runner.run(client.retrieve(["penguins"], [base.id], 5)).passages) == 1

    first, second = runner.run(client.items(base.id))
    runner.run(client.remove([first.id]))
    (passage,) = runner.run(client.retrieve(["penguins"], [base.id], 5)).passages
    assert passage.title == second.name
    runner.run(client.remove([second.id]))
    assert runner.run(client.retrieve(["penguins"], [base.id], 5)).passages == ()


def test_a_changed_file_is_read_again(runner, client, base, tmp_path):
    path = make_text(tmp_path / "diary.txt", "Today we saw a heron.")
    runner.run(add(client, base, path))
    make_text(path, "Today we saw a kingfisher.")
    runner.run(add(client, base, path))
    assert len(runner.run(client.items(base.id))) == 1
    texts = [p.text for p in runner.run(client.retrieve(["heron kingfisher"], [base.id], 5)).passages]
    assert texts == ["Today we saw a kingfisher."]


def test_bases_are_made_renamed_asked_apart_and_deleted(runner, client, tmp_path):
    birds, fish = runner.run(client.create("Birds")), runner.run(client.create("鱼"))
    with pytest.raises(BaseExists):
        runner.run(client.create("Birds"))
    runner.run(client.update(replace(birds, name="Vögel")))
    runner.run(add(client, birds, make_text(tmp_path / "b.txt", "The heron eats fish.")))
    runner.run(add(client, fish, make_text(tmp_path / "f.txt", "The pike eats fish.")))
    names = {base.name: base.passages for base in runner.run(client.bases())}
    assert (names["Vögel"], names["鱼"]) == (1, 1)
    assert [p.title for p in runner.run(client.retrieve(["eats fish"], [fish.id], 5)).passages] == ["f.txt"]
    runner.run(client.delete(fish.id))
    with pytest.raises(UnknownBase):
        runner.run(client.items(fish.id))
    gone = runner.run(client.retrieve(["eats fish"], [fish.id, birds.id], 5))
    assert [p.title for p in gone.passages] == ["b.txt"]
    assert gone.notes == ("A knowledge base in use no longer exists.",)


def test_nothing_asked_or_nothing_there_finds_nothing(runner, client, base):
    assert runner.run(client.retrieve([" "], [base.id], 5)).passages == ()
    assert runner.run(client.retrieve(["anything"], [base.id], 5)).passages == ()
    assert runner.run(client.retrieve(["anything"], [], 5)).passages == ()


async def _close_while_reading(client, base, paths):
    async with aclosing(client.add(base.id, paths)) as steps:
        async for step in steps:
            if step.item.state is ItemState.READING:
                return


SEARCHABLE = {ItemState.KEYWORD_READY, ItemState.READY}


def slow_files(folder, lines=400_000):
    """Make as many files as are read at once, so that a further one has to wait."""
    line = "A line of words that goes on and on.\n"
    return [
        make_text(folder / f"slow {n}.txt", f"Number {n}.\n" + line * lines) for n in range(MOST_ON_THEIR_WAY)
    ]


def test_closing_add_takes_unread_files_off_the_list(runner, client, base, tmp_path):
    slow = slow_files(tmp_path)
    later = make_text(tmp_path / "tomorrow.txt", SOUTHERN)

    async def scenario():
        async with asyncio.timeout(60):
            await _close_while_reading(client, base, [*slow, later])
        assert (await client.status()).waiting == 0
        return await client.items(base.id)

    assert runner.run(scenario()) == ()
    _, ended = runner.run(add(client, base, later))
    assert ended["tomorrow.txt"].state is ItemState.READY


def test_no_worker_is_started_to_find_that_nothing_was_ever_kept(runner, tmp_path):
    async def scenario():
        client = KnowledgeClient(tmp_path)
        try:
            return await client.bases()
        finally:
            await client.aclose()

    assert runner.run(scenario()) == ()
    assert not (tmp_path / "knowledge").exists()


def test_a_killed_worker_loses_nothing_and_damaged_vectors_cost_nothing(runner, tmp_path):
    fine = make_text(tmp_path / "a fine.txt", SOUTHERN)
    slow = slow_files(tmp_path, lines=6_000)
    last = make_text(tmp_path / "the last.txt", CHINESE)

    async def scenario():
        client = KnowledgeClient(tmp_path / "data")
        try:
            base = await client.create("base")
            ended, was_killed = {}, False
            async with aclosing(client.add(base.id, [fine, *slow, last])) as steps:
                async for step in steps:
                    ended[step.item.name] = step.item
                    being_read = {n for n, item in ended.items() if item.state is ItemState.READING}
                    if being_read & {path.name for path in slow} and not was_killed:
                        was_killed = True
                        os.kill((await client.status()).pid, signal.SIGKILL)
                    if all(item.state in SEARCHABLE for item in ended.values()):
                        break
            await client.remove([ended[path.name].id for path in slow])
            await until(client, client.status, lambda status: not status.embedding)
            found = [
                (await client.retrieve([query], [base.id], 1)).passages[0].title
                for query in ("penguins", "都江堰")
            ]
            return was_killed, found
        finally:
            await client.aclose()

    assert runner.run(scenario()) == (True, [fine.name, last.name])

    for file in (tmp_path / "data" / "knowledge" / "vectors").rglob("*"):
        if file.is_file():
            file.write_bytes(b"damaged" * 100)

    async def ask_again():
        client = KnowledgeClient(tmp_path / "data")
        try:
            (base,) = await client.bases()
            return await client.retrieve(["birds that cannot fly"], [base.id], 1), await client.status()
        finally:
            await client.aclose()

    retrieval, status = runner.run(ask_again())
    assert (retrieval.notes, retrieval.passages[0].text) == ((), SOUTHERN)
    assert (status.embedding, status.waiting) == (0, 0)
