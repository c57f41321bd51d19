"""Programs that install something end with the block that runs them."""

import asyncio
import os

import pytest

from desktop.text.child_processes import running_installer

pytestmark = pytest.mark.anyio


async def test_a_program_that_does_not_end_when_told_is_killed_also_if_its_end_is_cancelled():
    async with asyncio.timeout(60):
        begun = asyncio.Event()
        found = []

        async def install():
            script = "trap '' TERM; echo begun; while :; do sleep 1; done"
            async with running_installer("sh", "-c", script, environment=os.environ) as process:
                found.append(process)
                await process.stdout.readline()
                begun.set()
                await asyncio.Event().wait()

        installing = asyncio.create_task(install())
        await begun.wait()
        for _ in range(2):
            installing.cancel()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await installing
    assert found[0].returncode is not None
