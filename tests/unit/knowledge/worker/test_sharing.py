"""Two programs on one data folder use one worker, whichever of them started it."""

import asyncio
import os
import secrets
from contextlib import aclosing, closing
from pathlib import Path

import msgspec
import pytest

from desktop.domain.knowledge import ItemState
from desktop.errors import IndexInUse, IndexUnavailable
from desktop.knowledge.protocol import WorkerConfig
from desktop.knowledge.worker.client import KnowledgeClient
from desktop.knowledge.worker.connection import ADDRESS_FILE, HOST, WorkerAddress, visit_worker
from desktop.settings.model import KnowledgeSettings
from tests.unit.knowledge.knowledge_files import make_text

SEARCHABLE = {ItemState.KEYWORD_READY, ItemState.READY}


async def fill(client: KnowledgeClient, base_id: str, path: Path) -> None:
    """Add a file and wait until it can be searched by its words."""
    async with aclosing(client.add(base_id, [path])) as steps:
        async for step in steps:
            if step.item.state in SEARCHABLE:
                return


def test_what_one_program_adds_the_other_finds_and_follows(runner, tmp_path):
    text = make_text(tmp_path / "penguins.txt", "Penguins cannot fly.")

    async def scenario():
        window, other = KnowledgeClient(tmp_path / "data"), KnowledgeClient(tmp_path / "data")
        try:
            base = await window.create("birds")
            address = tmp_path / "data" / "knowledge" / ADDRESS_FILE
            assert address.stat().st_mode & 0o077 == 0
            assert await other.bases() == (base,)
            assert (await other.status()).pid == (await window.status()).pid
            seen: list[str] = []

            async def follow() -> None:
                async with aclosing(window.steps()) as steps:
                    async for step in steps:
                        seen.append(step.item.name)
                        if step.item.state in SEARCHABLE:
                            return

            following = asyncio.create_task(follow())
            await window.status()
            await asyncio.gather(
                fill(other, base.id, text), *(client.bases() for client in (window, other) * 20)
            )
            await following
            assert set(seen) == {text.name}
            found = [await each.retrieve(["penguins"], [base.id], 1) for each in (window, other)]
            assert found[0].passages == found[1].passages != ()
            with pytest.raises(IndexInUse):
                await other.replace_by(tmp_path / "other.db")
            endless = asyncio.create_task(anext(other.steps()))
            await other.status()
            await other.aclose()  # only the guest leaves
            await asyncio.wait({endless})
            assert [each.name for each in await window.bases()] == ["birds"]
        finally:
            await other.aclose()
            await window.aclose()

    runner.run(scenario())


def test_when_the_program_with_the_worker_ends_the_other_starts_one(runner, tmp_path):
    async def scenario():
        first, second = KnowledgeClient(tmp_path), KnowledgeClient(tmp_path)
        try:
            await first.create("birds")
            before = (await second.status()).pid
            waiting = asyncio.create_task(anext(second.export((await second.bases())[0].id, tmp_path / "x")))
            await asyncio.wait({waiting})
            await first.aclose()
            with pytest.raises(IndexUnavailable, match="has ended"):
                await second._connection.ask(lambda worker: worker.status())
            assert [base.name for base in await second.bases()] == ["birds"]
            assert (await second.status()).pid != before
        finally:
            await first.aclose()
            await second.aclose()

    runner.run(scenario())


def test_settings_of_a_guest_count_where_they_are_other_ones(runner, tmp_path):
    changed = KnowledgeSettings(reranker="local:nothing/like-it")

    async def scenario():
        async def setup() -> WorkerConfig:
            return WorkerConfig(changed)

        first, second = KnowledgeClient(tmp_path), KnowledgeClient(tmp_path, setup)
        try:
            await first.create("birds")
            await second.bases()
            return await second.test_reranker()
        finally:
            await second.aclose()
            await first.aclose()

    with pytest.raises(Exception, match="nothing/like-it"):
        runner.run(scenario())


def test_a_stranger_is_turned_away_and_a_false_worker_is_not_trusted(runner, tmp_path):
    folder = tmp_path / "knowledge"

    async def scenario():
        client = KnowledgeClient(tmp_path)
        try:
            await client.create("birds")
            address = msgspec.json.decode((folder / ADDRESS_FILE).read_bytes(), type=WorkerAddress)
            for answer in (b"", b"\0" * 32, secrets.token_bytes(1_000)):
                reader, writer = await asyncio.open_connection(HOST, address.port)
                writer.write(b"\1" * 32)
                await reader.readexactly(64)
                writer.write(answer)
                writer.write_eof()
                assert await reader.read() == b""
                writer.close()
            assert len(await client.bases()) == 1
        finally:
            await client.aclose()
        got = bytearray()

        async def pretend(reader, writer):
            got.extend(await reader.readexactly(32))
            writer.write(os.urandom(64))
            got.extend(await reader.read())
            writer.close()

        server = await asyncio.start_server(pretend, HOST, 0)
        with closing(server):
            port = server.sockets[0].getsockname()[1]
            (folder / ADDRESS_FILE).write_bytes(msgspec.json.encode(WorkerAddress(port, "token")))
            assert await visit_worker(folder) is None
        for rubbish in (b"", b"{}", b"\xff", b'{"port": 99999999, "token": ""}', b'{"port": 1, "token": ""}'):
            (folder / ADDRESS_FILE).write_bytes(rubbish)
            assert await visit_worker(folder) is None
        return len(got)

    assert runner.run(scenario()) == 32
