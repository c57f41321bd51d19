"""`footnote pages`: lists the pages that a chat cites, reads them again, prints and saves them."""

import asyncio
import json

import pytest

from desktop.cli.commands import run_command
from desktop.cli.parser import build_parser
from tests.unit.search.page_server import PageServer
from tests.unit.services.web.test_cited_pages import HEAD, HTML, LAMP, TAIL, WHOLE, ask, page_of, rooms_in

pytestmark = pytest.mark.anyio


async def test_pages_are_listed_read_again_printed_and_saved(tmp_path, capsys):
    async def footnote(*arguments):
        parsed = build_parser().parse_args(["pages", "--data-dir", str(tmp_path), *arguments])
        status = await asyncio.to_thread(run_command, parsed)
        return status, capsys.readouterr()

    async with PageServer() as server:
        async with rooms_in(tmp_path, keeps_files=True) as services:
            chat = await ask(services, server.page("/lamp", WHOLE, **HTML))
        status, printed = await footnote(chat)
        assert status == 0
        assert "[1] Velmora" in printed.out
        status, printed = await footnote(chat, "--check")
        assert (status, "= The page is unchanged." in printed.out) == (0, True)
        server.page("/lamp", page_of(HEAD, LAMP.replace("42", "37"), TAIL), **HTML)
        status, printed = await footnote(chat, "--check")
        assert (status, "read again: 1 of 1" in printed.err) == (1, True)
        assert [line.strip() for line in printed.out.splitlines()[-2:]] == [
            f"- {LAMP}",
            f"+ {LAMP.replace('42', '37')}",
        ]
        status, printed = await footnote(chat, "--json")
        (page,) = json.loads(printed.out)["pages"]
        assert (page["check"]["state"], page["check"]["passage_unchanged"]) == ("changed", False)
        assert (await footnote(chat, "--text", "1"))[1].out.splitlines()[0] == HEAD
        await footnote(chat, "--save", "1", "--to", str(tmp_path / "page.html"))
        assert (tmp_path / "page.html").read_text() == WHOLE
        status, printed = await footnote("no such chat")
        assert (status, "No single chat" in printed.err) == (1, True)
        assert (await footnote(chat, "--text", "7"))[0] == 1
