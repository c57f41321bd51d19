"""One life of the worker as its calls see it."""

import asyncio

from desktop.knowledge import wire
from desktop.knowledge.connection import Connection


def test_a_call_that_is_given_up_as_the_worker_dies_counts_as_given_up(runner, tmp_path):
    async def scenario():
        connection = await Connection.start(tmp_path)
        try:
            endless = asyncio.create_task(connection.ask(wire.FollowSteps()))
            await connection.ask(wire.AskStatus())
            connection._process.kill()
            while not connection.is_dead:  # noqa: ASYNC110 - a process that ends tells nobody
                await asyncio.sleep(0)
            endless.cancel()
            await asyncio.wait({endless})
            return endless.cancelled()
        finally:
            await connection.aclose()

    assert runner.run(scenario())


def test_a_call_that_was_given_up_is_not_waited_for(runner, tmp_path):
    async def scenario():
        connection = await Connection.start(tmp_path)
        try:
            endless = asyncio.create_task(connection.ask(wire.FollowSteps()))
            await connection.ask(wire.AskStatus())
            endless.cancel()
            await asyncio.wait({endless})
            await connection.ask(wire.AskStatus())
            return set(connection._waiting)
        finally:
            await connection.aclose()

    assert runner.run(scenario()) == set()
