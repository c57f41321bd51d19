"""Assistants: who answers, in which manner, with which model and which tools."""

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

Effort = Literal["", "low", "medium", "high"]
"""How long a model is to think; empty leaves it to the model."""


@dataclass(frozen=True)
class Parameters:
    """How the model is asked; what is None or empty is as the settings have it."""

    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None
    effort: Effort = ""
    context_tokens: Annotated[int, Meta(ge=256)] | None = None
    answer_tokens: Annotated[int, Meta(ge=256)] | None = None
    tool_rounds: Annotated[int, Meta(ge=1, le=100)] | None = None


@dataclass(frozen=True)
class Assistant:
    """An assistant. What is None or empty is as the settings have it.

    `icon` is an emoji or a letter; without one the name's first letter stands for it. `web` is off,
    auto or an engine's id; `bases` are ids or names of bases; `tools` are names of our own tools,
    `servers` names of tool servers. `suggestions` are questions that an empty conversation offers.
    """

    id: str
    name: str
    icon: Annotated[str, Meta(max_length=16)] = ""
    prompt: str = ""
    model: str = ""
    web: str = ""
    bases: tuple[str, ...] | None = None
    tools: tuple[str, ...] | None = None
    servers: tuple[str, ...] | None = None
    parameters: Parameters = Parameters()
    suggestions: tuple[str, ...] = ()

    @property
    def badge(self) -> str:
        """What stands for it where there is no room for the name."""
        return self.icon or self.name[:1].upper()

    def may_use(self, tool: str, server: str) -> bool:
        """Whether it may use a tool, of ours or of a server; ours have no `server`."""
        allowed, name = (self.servers, server) if server else (self.tools, tool)
        return allowed is None or name in allowed


GENERAL = Assistant(id="", name="")
"""Nobody in particular: everything is as the settings have it."""
