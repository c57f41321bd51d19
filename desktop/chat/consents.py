"""Asks the person before a tool runs, and goes by what they said for always."""

import asyncio
import uuid
from collections.abc import Callable, Mapping

from desktop.domain.tools import Consent, Tool

_LASTING = frozenset({Consent.ALWAYS, Consent.NEVER})


def tool_key(server: str, tool: str) -> str:
    """Return the name under which a lasting answer is kept: the server belongs to it."""
    return f"{server}/{tool}"


class Consents:
    """Questions that wait for the person.

    Lasting answers hold from the moment they are given; keeping them beyond the run is for whoever
    showed the question.
    """

    def __init__(self, kept: Callable[[], Mapping[str, Consent]]) -> None:
        self._kept = kept
        self._said: dict[str, Consent] = {}
        self._waiting: dict[str, asyncio.Future[Consent]] = {}

    def lasting(self, tool: Tool) -> Consent | None:
        """Return what the person once said for always."""
        key = tool_key(tool.server, tool.spec.name)
        return self._said.get(key) or self._kept().get(key)

    def new_question(self) -> str:
        """Return the id under which the person will answer."""
        question = uuid.uuid4().hex
        self._waiting[question] = asyncio.get_running_loop().create_future()
        return question

    async def answer(self, question: str, tool: Tool) -> Consent:
        """Wait for the person, as long as they need."""
        try:
            consent = await self._waiting[question]
        finally:
            del self._waiting[question]
        if consent in _LASTING:
            self._said[tool_key(tool.server, tool.spec.name)] = consent
        return consent

    def decide(self, question: str, consent: Consent) -> None:
        """Take the person's answer; one that comes too late is nobody's."""
        waiting = self._waiting.get(question)
        if waiting is not None and not waiting.done():
            waiting.set_result(consent)
