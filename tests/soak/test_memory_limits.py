"""A window whose process gets no more memory: it may end, and loses nothing that was answered before."""

import asyncio
import collections
import json
import subprocess
import sys

import pytest

from desktop.domain.messages import MessageStatus
from desktop.services.container import ServiceContainer
from desktop.settings.folders import folders_for

LEVELS_MB = (0, 20, *range(1, 20), *range(21, 50))
LIMIT_S = 150


async def messages_after_start(data):
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


@pytest.mark.skipif(sys.platform != "linux", reason="limits as Linux has them")
def test_what_was_answered_outlives_a_window_without_memory(tmp_path, times, told):
    count = times(1, len(LEVELS_MB))
    ends = collections.Counter()
    for level in LEVELS_MB[:count]:
        data = tmp_path / str(level)
        data.mkdir()
        (data / "settings.json").write_text(json.dumps({"was_welcomed": True, "search": {"choice": "off"}}))
        try:
            program = subprocess.run(
                [sys.executable, "-m", "tests.soak.ask_with_little_memory", str(data), str(level)],
                capture_output=True,
                text=True,
                check=False,
                timeout=LIMIT_S,
            )
            said = program.stdout
            ends["went on" if "second" in said else "ended"] += 1
        except subprocess.TimeoutExpired as late:
            said = (late.stdout or b"").decode()
            ends["still running"] += 1
        assert "first is answered" in said
        messages = asyncio.run(messages_after_start(data))
        assert messages[0].text == "the first question"
        assert messages[1].status is MessageStatus.COMPLETE
        assert all(each.status is not MessageStatus.STREAMING for each in messages)
    told(
        "A window that gets 0 to 49 MB more memory before a question of 4 MB",
        count,
        f"{dict(ends)}, no answer lost, each opened afterwards",
    )
