"""A question that was sent is in its conversation after the next start, whenever the program was killed."""

import asyncio
import os
import random
import signal
import subprocess
import sys

import pytest

from desktop.domain.messages import MessageStatus, Speaker
from desktop.services.container import ServiceContainer
from desktop.settings.folders import folders_for

MOMENTS_MS = (-1, 0, 30, 300, 1500)


async def after_start(data):
    """Return the messages of all conversations as the next window has them."""
    services = ServiceContainer(folders_for(data), recovers_questions=True)
    try:
        conversations = services.store
        return [
            message
            for info in await conversations.recent()
            for message in (await conversations.load(info.id)).messages
        ]
    finally:
        await services.aclose()


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_what_was_sent_outlives_a_kill_right_behind_it(tmp_path, times, told):
    count = times(3, 200)
    chosen = random.Random(25)
    for number in range(count):
        delay = MOMENTS_MS[number] if number < len(MOMENTS_MS) else chosen.randrange(2500)
        data, text = tmp_path / str(number), f"Why are there tides? 潮汐 {number}"
        program = subprocess.run(
            [sys.executable, "-m", "tests.soak.ask_and_die", str(data), text, str(delay)],
            env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
            check=False,
        )
        assert program.returncode == -signal.SIGKILL
        for _start in range(2):  # the second one finds nothing more to put back
            messages = asyncio.run(after_start(data))
            assert [each.text for each in messages if each.speaker is Speaker.USER] == [text], delay
        (answer,) = (each for each in messages if each.speaker is Speaker.MODEL)
        assert answer.status in {MessageStatus.INTERRUPTED, MessageStatus.COMPLETE}
    told("kill -9 up to 2.5 s behind the first question after the start", count, "0 questions lost, 0 twice")
