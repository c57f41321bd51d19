"""The content of an answer with signed thoughts, as it has to be sent back with the results of its calls.

https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking: thoughts come back unchanged, in
their places among text and calls.
"""

import json
from collections.abc import Mapping
from typing import Any

_THOUGHTS = frozenset({"thinking", "redacted_thinking"})
_FIELDS = {
    "text": ("type", "text"),
    "thinking": ("type", "thinking", "signature"),
    "redacted_thinking": ("type", "data"),
    "tool_use": ("type", "id", "name", "input"),
}


class SignedThoughts:
    """Collects the blocks of an answer while it streams."""

    def __init__(self) -> None:
        self._blocks: dict[int, dict[str, Any]] = {}
        self._arguments: dict[int, str] = {}

    def start(self, number: int, block: Mapping[str, Any]) -> None:
        """Take the beginning of a block; kinds that we do not know are left out."""
        if fields := _FIELDS.get(block["type"]):
            self._blocks[number] = {name: block.get(name) or "" for name in fields}

    def add(self, number: int, delta: Mapping[str, Any]) -> None:
        """Take a piece of a block."""
        if number not in self._blocks:
            return
        for name in ("text", "thinking", "signature"):
            if delta.get(name):
                self._blocks[number][name] = self._blocks[number].get(name, "") + delta[name]
        if delta.get("partial_json"):
            self._arguments[number] = self._arguments.get(number, "") + delta["partial_json"]

    def content(self) -> list[dict[str, Any]]:
        """Return all blocks in order; empty where nobody thought, or a thought came without its signature."""
        thoughts = [block for block in self._blocks.values() if block["type"] in _THOUGHTS]
        if not thoughts or not all(block.get("signature") or block.get("data") for block in thoughts):
            return []
        return [self._whole(number) for number in sorted(self._blocks) if self._is_sendable(number)]

    def _is_sendable(self, number: int) -> bool:
        """Blank text is refused."""
        block = self._blocks[number]
        return block["type"] != "text" or bool(block["text"].strip())

    def _whole(self, number: int) -> dict[str, Any]:
        block = self._blocks[number]
        if block["type"] != "tool_use":
            return block
        try:
            arguments = json.loads(self._arguments.get(number, "") or "{}")
        except ValueError:
            arguments = {}
        return block | {"input": block["input"] or (arguments if isinstance(arguments, dict) else {})}
