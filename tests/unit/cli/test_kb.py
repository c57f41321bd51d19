"""`footnote kb`: all that can be done with knowledge bases, with a worker and an index of its own."""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from desktop.cli import kb as kb_named
from desktop.cli.commands import run_command
from desktop.cli.kb import perform
from desktop.cli.parser import build_parser
from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemProgress, ItemState
from desktop.domain.messages import Message, Speaker
from desktop.errors import AppError
from desktop.services.container import running_services
from desktop.services.example import make_example
from desktop.settings.folders import folders_for
from tests.cases import cases


class Shell:
    """Actions one after the other, with one worker for all of them: starting it is what takes long."""

    def __init__(self, services, capsys) -> None:
        self.services = services
        self._capsys = capsys
        self.status = 0
        self.said = ""

    async def __call__(self, *arguments: str) -> str:
        self.status = await perform(self.services, build_parser().parse_args(["kb", *arguments]))
        printed = self._capsys.readouterr()
        self.said = printed.err
        return printed.out

    async def json(self, *arguments: str):
        return json.loads(await self(*arguments, "--json"))

    async def fails(self, *arguments: str) -> str:
        with pytest.raises((AppError, ValueError, OSError)) as error:
            await self(*arguments)
        return str(error.value)


@pytest.fixture
def run(tmp_path, capsys):
    """Run a course of actions in a data folder of its own."""

    def run(course) -> None:
        async def all_of_it() -> None:
            async with running_services(folders_for(tmp_path / "data")) as services:
                await course(Shell(services, capsys))

        asyncio.run(all_of_it())

    return run


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "tides.md").write_text("# Tides\n\nThe harbour of Velmora has a tidal range of 4.2 metres.")
    (folder / "潮汐.txt").write_text("潮汐由月球引力引起。", encoding="utf-8")
    (folder / "empty.txt").write_text("")
    return folder


def test_what_is_put_in_is_tagged_found_explained_retried_and_carried_away(run, folder, tmp_path):
    async def course(kb: Shell) -> None:
        await kb("create", "sea", "--icon", "🌊", "--passage-count", "4")
        added = {file["name"]: file for file in (await kb.json("add", "sea", str(folder)))["files"]}
        assert kb.status == 1
        assert {name: file["state"] for name, file in added.items()} == {
            "tides.md": "ready",
            "潮汐.txt": "ready",
            "empty.txt": "failed",
        }
        assert "“empty.txt” contains no text." in kb.said
        note = (await kb.json("note", "sea", "Keeper", "Jonas Brandt kept the light."))["files"][0]
        assert (note["kind"], note["state"], note["file"]) == ("note", "ready", "")
        again = await kb.json("note", "sea", "Keeper", "Marta Brandt kept it.", "--item", "Keeper")
        assert again["files"][0]["id"] == note["id"]
        tagged = await kb.json("tag", "sea", "tides.md", "#exam", "考试", "exam")
        assert tagged["files"][0]["tags"] == ["exam", "考试"]
        await _is_found(kb, folder)
        (folder / "empty.txt").write_text("The light burns again.")
        assert [file["state"] for file in (await kb.json("retry", "sea"))["files"]] == ["ready"]
        assert (await kb.json("retry", "sea"))["files"] == []
        assert await kb.json("cancel", "sea") == {"cancelled": []}
        assert (await kb.json("export", "sea", str(tmp_path / "sea.kb")))["passages"] == 4
        assert (await kb.json("import", str(tmp_path / "sea.kb")))["base"]["name"] == "sea 2"
        base = (await kb.json("list"))["bases"][0]
        assert (base["icon"], base["items"], base["tags"]) == ("🌊", 4, ["exam", "考试"])
        assert base["options"]["passage_count"] == 4
        assert (await kb("remove", "sea", "empty.txt")) == f"removed: {folder / 'empty.txt'}\n"

    run(course)


def test_links_that_lead_out_of_a_folder_are_reported_as_skipped_and_are_no_failure(run, folder, tmp_path):
    (tmp_path / "secret.txt").write_text("The password is walrus.")
    (folder / "empty.txt").unlink()
    (folder / "notes.txt").symlink_to(tmp_path / "secret.txt")

    async def course(kb: Shell) -> None:
        await kb("create", "sea")
        answer = await kb.json("add", "sea", str(folder))
        assert (kb.status, answer["failed"], len(answer["files"])) == (0, 0, 2)
        (skipped,) = answer["skipped"]
        assert skipped["file"] == str(folder / "notes.txt")
        assert str(tmp_path / "secret.txt") in skipped["reason"]
        assert f"skipped {folder / 'notes.txt'}" in kb.said
        assert f"skipped: {folder / 'notes.txt'}" in await kb("add", "sea", str(folder))
        assert "walrus" not in str(await kb.json("search", "sea", "password walrus"))

    run(course)


@cases("form", [[], ["--json"]])
def test_following_calls_a_deleted_file_removed_and_not_failed(capsys, form):
    gone = ItemInfo("1", "2", "tides.md", "/sea/tides.md", ItemState.FAILED, error="It was removed.")

    async def steps():
        yield ItemProgress(gone, is_removed=True)

    services = SimpleNamespace(knowledge=SimpleNamespace(steps=steps))
    asyncio.run(perform(services, build_parser().parse_args(["kb", "follow", *form])))
    printed = capsys.readouterr()
    if form:
        assert json.loads(printed.out) | {"state": "removed", "error": ""} == json.loads(printed.out)
    else:
        assert printed.err == "removed /sea/tides.md\n"


async def _is_found(kb: Shell, folder) -> None:
    assert "4.2" in (await kb.json("search", "sea#exam", "tidal range"))["passages"][0]["text"]
    (best,) = (await kb.json("search", "sea/Keeper", "who kept the light"))["passages"]
    assert best["text"] == "Marta Brandt kept it."
    row = (await kb.json("search", "sea", "潮汐", "--explain"))["found"][0]
    assert row["file"] == str(folder / "潮汐.txt")
    assert row["keyword"] > 0
    assert row["source_use"]
    assert "a whole base" in await kb.fails("search", "sea/Keeper", "x", "--explain")
    (passage,) = (await kb.json("passages", "sea", "tides.md"))["passages"]
    assert (passage["section"], passage["is_embedded"]) == ("Tides", True)


def test_a_base_is_renamed_set_up_paused_followed_removed_and_brought_back(run, folder):
    async def course(kb: Shell) -> None:
        base_id = (await kb.json("create", "sea"))["base"]["id"]
        assert (await kb.json("rename", "sea", "harbour"))["base"]["name"] == "harbour"
        base = (await kb.json("set", "harbour", "--icon", "⚓", "--threshold", "0.5"))["base"]
        assert (base["icon"], base["options"]["threshold"]) == ("⚓", 0.5)
        base = (await kb.json("set", "harbour", "--threshold", "default"))["base"]
        assert (base["icon"], base["options"]["threshold"]) == ("⚓", None)
        base = (await kb.json("set", "harbour", "--floor", "0"))["base"]
        assert base["options"]["floor"] == 0.0
        assert (await kb.json("set", "harbour", "--floor", "default"))["base"]["options"]["floor"] is None
        assert (await kb.json("pause", base_id))["base"]["is_paused"]
        (followed,) = (await kb.json("watch", "harbour", str(folder)))["folders"]
        assert followed["path"] == str(folder)
        assert await kb("unwatch", "harbour", str(folder)) == "no folders\n"
        assert "does not follow" in await kb.fails("unwatch", "harbour", str(folder))
        assert not (await kb.json("resume", "harbour"))["base"]["is_paused"]
        assert await kb.json("remove", "harbour") == {"removed": "harbour", "id": base_id}
        assert await kb("list") == "no bases\n"
        assert (await kb.json("restore", base_id))["base"]["name"] == "harbour"
        await kb("remove", "harbour")
        assert (await kb.json("restore", "harbour"))["base"]["id"] == base_id

    run(course)


def test_a_file_goes_by_a_name_that_is_no_text():
    item = ItemInfo("id", "base", "caf\ufffde9.txt", "/a/caf\ufffde9.txt", ItemState.READY)
    for name in ("caf\udce9.txt", "/a/caf\udce9.txt", item.name, item.path):
        assert kb_named._one(name, BaseInfo("base", "base"), [item]) is item


def test_what_cannot_be_done_says_what_is_wrong(run, tmp_path):
    async def course(kb: Shell) -> None:
        await kb("create", "sea")
        for arguments, words in (
            (("list", "nowhere"), "no knowledge base “nowhere”"),
            (("passages", "sea", "nothing"), "“sea” contains no “nothing”"),
            (("search", "sea#gone", "x"), "“sea” contains no “#gone”"),
            (("search", "sea"), "say what to search for"),
            (("note", "sea", "T", " "), "contains no text"),
            (("create", "sea"), "already a knowledge base “sea”"),
            (("restore", "nobody"), "no knowledge base “nobody”"),
            (("watch", "sea", "/nowhere/at/all"), "/nowhere"),
            (("import", str(tmp_path)), "can’t be imported"),
            (("models", "download", "nobody/knows"), "`footnote kb models` lists them"),
            (("models", "test"), "say which model"),
        ):
            assert words in await kb.fails(*arguments), arguments
        models = {model["id"]: model for model in (await kb.json("models"))["models"]}
        assert models["minilm"]["is_here"]
        assert models["multilingual-e5-small"]["is_here"]
        assert not models["BAAI/bge-m3"]["is_here"]

    run(course)


def test_the_sources_of_a_chat_are_added_as_they_were_read(run, folder):
    async def course(sh: Shell) -> None:
        services = sh.services
        chat = await make_example(services.store, "en")
        await sh("create", "guides")
        added = await sh.json("add", "guides", "--from-chat", chat.id)
        assert (sh.status, {row["outcome"] for row in added["added"]}) == (0, {"added"})
        assert [file["state"] for file in added["files"]] == ["ready"]
        title = (await services.store.info(chat.id)).title
        again = await sh.json("add", "guides", "--from-chat", title, "--read")
        assert (sh.status, {row["outcome"] for row in again["added"]}) == (0, {"known"})
        assert len((await sh.json("list", "guides"))["files"]) == 1
        assert "No single chat" in await sh.fails("add", "guides", "--from-chat", "nowhere")
        twin = await services.store.create()
        await services.store.add_message(Message("m", twin.id, Speaker.USER, "?", datetime.now(UTC)))
        await services.store.rename(twin.id, title)
        assert "No single chat" in await sh.fails("add", "guides", "--from-chat", title)
        await sh("add", "guides", "--from-chat", twin.id)
        assert "based on no page or file" in sh.said
        assert "leave the paths away" in await sh.fails("add", "guides", str(folder), "--from-chat", chat.id)
        assert "say what to add" in await sh.fails("add", "guides")

    run(course)


def test_an_error_is_one_line_and_one_document(tmp_path, capsys):
    arguments = ["kb", "status", "nowhere", "--json", "--data-dir", str(tmp_path)]
    assert run_command(build_parser().parse_args(arguments)) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out) == {"error": "There is no knowledge base “nowhere”."}
    assert printed.err == "footnote: There is no knowledge base “nowhere”.\n"


@cases("threshold", ["1.5", "-1", "much"])
def test_numbers_out_of_bounds_are_refused(capsys, threshold):
    with pytest.raises(SystemExit):
        build_parser().parse_args(["kb", "set", "sea", f"--threshold={threshold}"])
    assert "neither a number from 0 to 1" in capsys.readouterr().err


def test_files_that_wait_for_a_disk_or_an_index_that_refuses_are_told_and_a_failure(capsys):
    waiting = ItemInfo(
        "i1", "b1", "a.md", "/a.md", ItemState.KEYWORD_READY, error="The index cannot be asked."
    )

    async def add(_base_id, _paths):
        yield ItemProgress(replace(waiting, state=ItemState.READING, error=""))
        yield ItemProgress(waiting)

    async def bases():
        return (BaseInfo("b1", "B"),)

    services = SimpleNamespace(knowledge=SimpleNamespace(add=add, bases=bases))
    arguments = build_parser().parse_args(["kb", "add", "B", "/a.md"])
    assert asyncio.run(perform(services, arguments)) == 1
    out, err = capsys.readouterr()
    assert "The index cannot be asked." in out
    assert "The index cannot be asked." in err
