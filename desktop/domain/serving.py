"""Footnote as a tool server for other programs: the tools that it offers, and what was asked of it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final


class ServedTool(StrEnum):
    """The tools that other programs can be allowed to use."""

    SEARCH_WEB = "search_web"
    READ_PAGE = "read_page"
    LIST_BASES = "list_bases"
    SEARCH_BASE = "search_base"
    ASK = "ask"
    CHECK_TEXT = "check_text"


BASE_TOOLS: Final = frozenset(
    {ServedTool.LIST_BASES, ServedTool.SEARCH_BASE, ServedTool.ASK, ServedTool.CHECK_TEXT}
)
"""The tools that an opened base is of use for."""


class Client(StrEnum):
    """Programs that a configuration can be written for."""

    CLAUDE_DESKTOP = "Claude Desktop"
    CURSOR = "Cursor"
    VS_CODE = "VS Code"
    CHERRY_STUDIO = "Cherry Studio"


@dataclass(frozen=True)
class ServedRequest:
    """One request of another program.

    `client` is the name that the program gave itself, `about` what it asked, shortened. `hosts` are the machines
    that were asked for it. `problem` says why it had no result.
    """

    at: datetime
    client: str
    tool: str
    about: str
    hosts: tuple[str, ...] = ()
    problem: str = ""
