"""One life of the worker as its calls see it."""

import asyncio
import gc
import itertools
import sys
from contextlib import closing

import msgspec
import pytest

from desktop.background import cancel_tasks
from desktop.errors import IndexDamaged, IndexUnavailable
from desktop.knowledge import protocol as wire
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import DATABASE, IndexDatabase
from desktop.knowledge.worker.client import KnowledgeClient
from desktop.knowledge.worker.connection import WorkerConnection
from desktop.text.child_server import encode_frame
from desktop.text.message_codec import encode_message
from tests.cases import cases
from tests.descendants import descendants, still_there


def test_a_call_that_is_given_up_as_the_worker_dies_counts_as_given_up(runner, tmp_path):
    async def scenario():
        connection = await WorkerConnection.start(tmp_path)
        try:
            endless = asyncio.create_task(connection.ask(lambda worker: worker.steps()))
            await connection.ask(lambda worker: worker.status())
            connection._process.kill()
            while not connection.is_dead:  # noqa: ASYNC110 - no event says that a process ends
                await asyncio.sleep(0)
            endless.cancel()
            await asyncio.wait({endless})
            return endless.cancelled()
        finally:
            await connection.aclose()

    assert runner.run(scenario())


def test_a_call_that_was_given_up_is_not_waited_for(runner, tmp_path):
    async def scenario():
        connection = await WorkerConnection.start(tmp_path)
        try:
            endless = asyncio.create_task(connection.ask(lambda worker: worker.steps()))
            await connection.ask(lambda worker: worker.status())
            endless.cancel()
            await asyncio.wait({endless})
            await connection.ask(lambda worker: worker.status())
            return set(connection._waiting)
        finally:
            await connection.aclose()

    assert runner.run(scenario()) == set()


def _cannot_tell(_notice):
    raise BrokenPipeError


NOTICE = wire.Noticed(wire.NO_REQUEST, "VectorsRebuilt", {"detail": encode_message("gone")})


@pytest.mark.parametrize("sent", [b"??", msgspec.msgpack.encode(NOTICE)], ids=["rubbish", "notice"])
def test_no_call_waits_for_a_worker_whose_data_cannot_be_read_or_told(runner, tmp_path, sent):
    code = f"import sys, time; sys.stdout.buffer.write({encode_frame(sent)!r}); sys.stdout.flush(); time.sleep(600)"

    async def scenario():
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdin=pipe, stdout=pipe)
        connection = WorkerConnection(process, tell_user=_cannot_tell)
        try:
            async with asyncio.timeout(60):
                with pytest.raises(IndexUnavailable, match="data that can’t be read"):
                    await connection.ask(lambda worker: worker.status())
        finally:
            await connection.aclose()
        return process.returncode

    assert runner.run(scenario()) is not None


@pytest.mark.parametrize("begin", [0, 4096])
def test_a_damaged_index_is_told_as_what_it_is(runner, tmp_path, begin):
    path = tmp_path / "knowledge" / DATABASE
    with closing(IndexDatabase(path)) as database:
        Bases(database).create("base")
    content = bytearray(path.read_bytes())
    content[begin:] = b"?" * len(content[begin:])
    path.write_bytes(content)

    async def scenario():
        client = KnowledgeClient(tmp_path)
        try:
            await client.bases()
        finally:
            await client.aclose()

    with pytest.raises(IndexDamaged, match=r"knowledge\.db is damaged .*Try again"):
        runner.run(scenario())


def test_a_data_folder_that_is_closed_is_told_as_what_it_is(runner, tmp_path):
    (tmp_path / "data").write_text("a file where the folder should be")

    async def scenario():
        client = KnowledgeClient(tmp_path / "data")
        try:
            await client.create("base")
        finally:
            await client.aclose()

    with pytest.raises(IndexUnavailable, match="Check the disk"):
        runner.run(scenario())


@cases("first, then", itertools.product((1, 2, 3, 5), (1, 2, 4)))
def test_a_start_that_is_cancelled_twice_leaves_nothing_open(first, then, tmp_path):
    """The second time as the window ends; what is left open would warn when it is collected."""

    async def pass_steps(count):
        for _ in range(count):
            await asyncio.sleep(0)

    async def scenario():
        starting = asyncio.create_task(WorkerConnection.start(tmp_path))
        await pass_steps(first)
        starting.cancel()
        await pass_steps(then)
        return await cancel_tasks(30), starting.cancelled()

    before = descendants()
    assert asyncio.run(scenario()) == (set(), True)
    assert still_there(descendants(others=before)) == set()
    gc.collect()
