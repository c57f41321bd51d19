"""Files that mean harm, or were hurt on their way: the worker lives, each says why, and nothing else is lost."""

import asyncio
import io
import os
import random
import shutil
import sys
import tempfile
import time
import zipfile
from contextlib import aclosing
from pathlib import Path

import pytest

from desktop.chat.attachments import AS_TEXT
from desktop.domain.knowledge import ItemState
from desktop.knowledge.ingest.folders import list_folder
from desktop.knowledge.ingest.ingest import files_of
from tests.unit.knowledge import conftest
from tests.unit.knowledge.knowledge_files import make_pdf, make_text
from tests.unit.knowledge.reader.test_pool import make_giant

client, runner = conftest.client, conftest.runner

LIMIT_S = 60
AT_ONCE = 8
ESCAPED = Path(tempfile.gettempdir()) / "footnote-escaped.txt"
SUFFIXES = (
    ".pdf",
    ".docx",
    ".xlsx",
    ".pptx",
    ".epub",
    ".html",
    ".eml",
    ".json",
    ".csv",
    ".xml",
    ".md",
    ".txt",
    ".rtf",
    ".odt",
    ".doc",
    ".png",
    ".zip",
)
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE a ['
    '<!ENTITY b "haha">'
    + "".join(f'<!ENTITY b{n} "{f"&b{n - 1};" * 10}">' for n in range(2, 12)).replace("&b1;", "&b;")
    + "]><a>&b11;</a>"
)
OUTSIDE = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'
PARTS = {
    ".docx": "word/document.xml",
    ".xlsx": "xl/workbook.xml",
    ".pptx": "ppt/presentation.xml",
    ".epub": "META-INF/container.xml",
    ".odt": "content.xml",
}


def archive(suffix: str, content: str, more: dict[str, bytes] | None = None) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(PARTS.get(suffix, "a.xml"), content)
        for name, body in (more or {}).items():
            packed.writestr(name, body)
    return made.getvalue()


def seeds(folder: Path) -> list[tuple[str, bytes]]:
    """Return whole files, and tricks that are known."""
    pdf = make_pdf(folder / "seed.pdf", [["A walrus on a page."], ["Another."]])
    whole = [(".pdf", pdf.read_bytes())]
    pdf.unlink()
    for suffix in PARTS:
        whole += [
            (suffix, archive(suffix, LAUGHS)),
            (suffix, archive(suffix, OUTSIDE)),
            (
                suffix,
                archive(suffix, "<a/>", {f"../../../../..{ESCAPED}": b"out", str(ESCAPED): b"out"}),
            ),
            (suffix, archive(suffix, "<a>" * 20_000)),
            (suffix, archive(suffix, "<a/>", {"big.xml": b" " * 3_000_000})),
        ]
    whole += [
        (".html", b"<div>" * 100_000), (".html", b"<p " + b"a=1 " * 200_000 + b">"), (".json", b"[" * 200_000),
        (".json", b'{"a":' * 100_000), (".csv", b"a," * 300_000), (".csv", b'"' + b"a" * 1_000_000),
        (".xml", LAUGHS.encode()), (".xml", OUTSIDE.encode()), (".eml", b"Content-Type: multipart/mixed; boundary=a\n\n" + b"--a\n" * 50_000),
        (".md", b"[" * 100_000), (".md", b"> " * 50_000 + b"x"), (".txt", b"\xff\xfe" + b"\x00\xd8" * 1_000), (".txt", b""),
        (".rtf", b"{\\rtf1" + b"{" * 100_000), (".png", b"\x89PNG\r\n\x1a\n" + b"\x00" * 100), (".doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\xff" * 2_000),
    ]  # fmt: skip
    return whole


def hurt(content: bytes, chance: random.Random) -> bytes:
    """Return a file with bytes changed, cut off, doubled or moved."""
    spoilt = bytearray(content or b"x")
    for _ in range(chance.randint(1, 12)):
        place = chance.randrange(len(spoilt) + 1)
        match chance.randrange(4):
            case 0 if place < len(spoilt):
                spoilt[place] ^= chance.randrange(1, 256)
            case 1:
                del spoilt[place : place + chance.randint(1, max(1, len(spoilt) // 8))]
            case 2:
                spoilt[place:place] = chance.randbytes(chance.randint(1, 40))
            case _:
                spoilt[place:place] = spoilt[: chance.randint(1, 200)]
    return bytes(spoilt)


def make_files(folder: Path, count: int, seed: int) -> list[Path]:
    chance = random.Random(seed)
    known = seeds(folder)
    chance.shuffle(known)
    paths = []
    for number in range(count):
        suffix, content = known[number] if number < len(known) else chance.choice(known)
        if number >= len(known):
            content = hurt(content, chance)
        if chance.random() < 0.1:
            suffix = chance.choice(SUFFIXES)
        path = folder / f"{number:05d}{suffix}"
        path.write_bytes(content)
        paths.append(path)
    return paths


async def take_in(client, base, paths):
    """Return what became of files once each can be searched or has failed, and take them out again."""
    items = {}
    async with asyncio.timeout(LIMIT_S * len(paths)), aclosing(client.add(base.id, paths)) as steps:
        async for step in steps:
            items[step.item.id] = step.item
            if len(items) == len(paths) and all(item.state in AS_TEXT for item in items.values()):
                break
    return list(items.values())


def test_no_file_takes_the_worker_down(runner, client, tmp_path, times, told):
    count = times(8, 3_000)
    good = make_text(tmp_path / "good.txt", "A narwhal among traps.")
    paths = make_files(tmp_path, count, 31)

    async def scenario():
        base = await client.create("traps")
        pid = (await client.status()).pid
        failed, slowest_s = 0, 0.0
        for start in range(0, len(paths), AT_ONCE):
            began = time.monotonic()
            items = await take_in(client, base, paths[start : start + AT_ONCE])
            slowest_s = max(slowest_s, time.monotonic() - began)
            assert all(item.error for item in items if item.state is ItemState.FAILED)
            read = [await client.text_of(item.document) for item in items if item.document]
            assert not any("root:x:0" in text for text in read)
            await client.remove([item.id for item in items])
            failed += sum(item.state is ItemState.FAILED for item in items)
        (item,) = await take_in(client, base, [good])
        assert item.error == ""
        assert (await client.status()).pid == pid, "the worker is the one that it was"
        return failed, slowest_s

    failed, slowest_s = runner.run(scenario())
    assert not ESCAPED.exists()
    told(
        "Hostile and damaged files",
        count,
        f"the worker lived on; {failed} said why they cannot be read, {count - failed} were read; "
        f"{AT_ONCE} together took {slowest_s:.0f} s at most",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_no_link_leads_out_of_a_folder(tmp_path, times, told):
    count = times(20, 2_000)
    chance = random.Random(23)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    skipped = 0
    for number in range(count):
        root = tmp_path / str(number)
        inner = root / "a" / "b"
        inner.mkdir(parents=True)
        (inner / "file.txt").write_text("text")
        ends = [
            outside,
            outside / "secret.txt",
            inner,
            inner / "file.txt",
            root / "to 0.txt",
            Path("..", ".."),
        ]
        for link in range(chance.randrange(1, 8)):
            place = chance.choice([root, root / "a", inner]) / f"to {link}.txt"
            end = chance.choice(ends)
            place.symlink_to(chance.choice([end, os.path.relpath(end, place.parent)]))
        files, links = files_of([root])
        listing = list_folder(root, tmp_path / "data")
        assert sorted(listing.outside) == sorted(map(str, links))
        read = {*files, *map(Path, listing.stamps)}
        assert not [path for path in read if not Path(os.path.realpath(path)).is_relative_to(root)]
        skipped += len(links)
        shutil.rmtree(root)
    told("Folders with random symbolic links", count, f"{skipped:,} links led out, 0 were read")


def test_giants_hold_no_small_file_up(runner, client, tmp_path, times, told):
    count = times(3, 200)
    giants = []
    for number in range(5):
        giants.append(make_giant(tmp_path / f"giant {number}.docx"))
        with zipfile.ZipFile(giants[-1], "a") as archive:  # no two have the same content
            archive.comment = str(number).encode()
    small = [make_text(tmp_path / f"{number}.txt", f"Heron {number}.") for number in range(count)]

    async def scenario():
        base = await client.create("giants")
        known = {}
        async with asyncio.timeout(LIMIT_S * 5), aclosing(client.add(base.id, [*giants, *small])) as steps:
            async for step in steps:
                known[step.item.name] = step.item.state
                if all(known.get(path.name) in AS_TEXT for path in small):
                    break
        return [known.get(path.name) in AS_TEXT for path in giants]

    assert not any(runner.run(scenario())), "small files come first"
    told("Small files behind five that unpack to 100 MB", count, "all were searchable before the first giant")
