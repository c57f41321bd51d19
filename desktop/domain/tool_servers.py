"""What the tool servers of a person offer."""

from dataclasses import dataclass

from desktop.domain.tools import Tool


@dataclass(frozen=True)
class ServerResource:
    """Something that a server lets read; with `{…}` in its `uri` it stands for many."""

    uri: str
    name: str
    description: str = ""


@dataclass(frozen=True)
class PromptArgument:
    """What a prompt has to be told."""

    name: str
    description: str = ""
    is_required: bool = False


@dataclass(frozen=True)
class ServerPrompt:
    """Words that a server has ready for the person to send."""

    server_id: str
    server: str
    name: str
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


@dataclass(frozen=True)
class ServerState:
    """How a server is doing: what it offers, or why it offers nothing.

    A server that `wants_sign_in` offers it once the person has signed in there.
    """

    server_id: str
    tools: tuple[Tool, ...] = ()
    resources: tuple[ServerResource, ...] = ()
    prompts: tuple[ServerPrompt, ...] = ()
    protocol: str = ""
    """The revision of the protocol that was agreed on, such as 2025-06-18."""
    error: str = ""
    wants_sign_in: bool = False
