"""The arguments and results of the tools for other programs; their JSON schemas are made from these types."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from desktop.domain.serving import ServedTool
from desktop.errors import plain_reason
from desktop.errors.servers import ArgumentsRejected
from desktop.phrases import pluralize

MAX_TEXT_CHARS: Final = 100_000
"""The longest text to check, and the longest text of a page in a result."""

_ITEMS = ("{count} item", "{count} items")
_PASSAGES = ("{count} passage", "{count} passages")
_Names = Annotated[list[Annotated[str, Meta(min_length=1, max_length=200)]], Meta(max_length=20)]

Web = Annotated[
    bool | None,
    Meta(description="Whether the web is searched too. Left out: only if no knowledge base is searched."),
]
Bases = Annotated[
    _Names | None,
    Meta(
        description="Names of knowledge bases to search, as list_bases has them. Left out: all that are open."
    ),
]


class ToolArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arguments of a tool."""


class SearchWeb(ToolArguments, frozen=True):
    """Search the web and read the best pages. Returns numbered sources with the passages that answer the query."""

    query: Annotated[
        str, Meta(min_length=1, max_length=500, description="A few words, as for a search engine.")
    ]


class ReadPage(ToolArguments, frozen=True):
    """Read one web page or PDF and return its main text. Addresses of private networks are refused."""

    address: Annotated[
        str,
        Meta(min_length=1, max_length=4_000, pattern="^https?://", description="An http or https address."),
    ]


class ListOpenBases(ToolArguments, frozen=True):
    """List the user's knowledge bases that are open to other programs."""


class SearchBase(ToolArguments, frozen=True):
    """Search one knowledge base of the user by words and meaning. Returns numbered passages of its files."""

    base: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=400,
            description="Name of a knowledge base; “name#tag” searches only what has the tag.",
        ),
    ]
    query: Annotated[
        str, Meta(min_length=1, max_length=2_000, description="What is to be found, as a sentence.")
    ]
    count: Annotated[int, Meta(ge=1, le=50, description="Maximum number of passages.")] = 8


class Ask(ToolArguments, frozen=True):
    """Answer a question from the user's knowledge bases and the web. Every claim cites its source as [n]."""

    question: Annotated[str, Meta(min_length=1, max_length=20_000, description="The whole question.")]
    bases: Bases = None
    web: Web = None


class CheckText(ToolArguments, frozen=True):
    """Check each sentence of a text against the user's knowledge bases and the web."""

    text: Annotated[str, Meta(min_length=1, max_length=MAX_TEXT_CHARS, description="Plain text or Markdown.")]
    bases: Bases = None
    web: Web = None


class ServedSource(msgspec.Struct, frozen=True):
    """A numbered source; `place` is a page or section, `is_cited` whether an answer cites it."""

    number: int
    kind: str
    title: str
    address: str
    passage: str
    place: str = ""
    published: str = ""
    is_cited: bool | None = None


class SourceList(msgspec.Struct, frozen=True):
    """Sources, best first; `notes` name what was left out or failed."""

    sources: list[ServedSource]
    notes: list[str]

    def text(self) -> str:
        """Return the result for a model."""
        return _join_notes(_source_lines(self.sources) or "Nothing was found.", self.notes)


class PageText(msgspec.Struct, frozen=True):
    """The main text of a page. A page that is cut was longer."""

    number: int
    title: str
    address: str
    passage: str
    author: str
    published: str
    is_cut: bool
    notes: list[str]

    def text(self) -> str:
        """Return the result for a model."""
        about = " · ".join(filter(None, (self.author, self.published)))
        head = "\n".join(filter(None, (f"[{self.number}] {self.title}", self.address, about)))
        return _join_notes(f"{head}\n\n{self.passage}", self.notes)


class ListedBase(msgspec.Struct, frozen=True):
    """A knowledge base."""

    name: str
    items: int
    passages: int
    tags: list[str]


class BaseList(msgspec.Struct, frozen=True):
    """The knowledge bases that are open."""

    bases: list[ListedBase]

    def text(self) -> str:
        """Return the result for a model."""
        lines = [
            f"- {base.name}: {pluralize(_ITEMS, base.items)}, {pluralize(_PASSAGES, base.passages)}"
            + (f", tags: {', '.join(base.tags)}" if base.tags else "")
            for base in self.bases
        ]
        return "\n".join(lines) or "No knowledge base is open to other programs."


class CheckedCitation(msgspec.Struct, frozen=True):
    """The result of the check of one citation: supported, partly, contradicted or not_found."""

    number: int
    claim: str
    verdict: str
    passage: str


class CitedAnswer(msgspec.Struct, frozen=True):
    """An answer in Markdown whose marks [n] are the numbers of `sources`; `citations` say what a check found."""

    answer: str
    model: str
    sources: list[ServedSource]
    citations: list[CheckedCitation]
    notes: list[str]

    def text(self) -> str:
        """Return the result for a model."""
        doubted = [
            f"- [{each.number}] {each.verdict}: {each.claim}"
            for each in self.citations
            if each.verdict != "supported"
        ]
        parts = [self.answer, "Sources:", _source_lines(self.sources) or "None."]
        if doubted:
            parts += ["Citations that a check does not clearly confirm:", "\n".join(doubted)]
        return _join_notes("\n\n".join(parts), self.notes)


class CheckedClaim(msgspec.Struct, frozen=True):
    """A sentence and how the sources support it; `sources` are the numbers that the verdict is from."""

    claim: str
    verdict: str
    score: float
    sources: list[int]
    passage: str


class CheckedTextResult(msgspec.Struct, frozen=True):
    """The sentences of a text, each with a verdict: supported, partly, contradicted or not_found."""

    claims: list[CheckedClaim]
    sources: list[ServedSource]
    notes: list[str]

    def text(self) -> str:
        """Return the result for a model."""
        lines = [
            f"- {claim.verdict}{''.join(f' [{number}]' for number in claim.sources)}: {claim.claim}"
            + (f"\n  closest: “{claim.passage}”" if claim.passage else "")
            for claim in self.claims
        ]
        parts = ["\n".join(lines) or "The text makes no statement that could be checked."]
        if self.sources:
            parts += ["Sources:", _source_lines(self.sources)]
        return _join_notes("\n\n".join(parts), self.notes)


Result = SourceList | PageText | BaseList | CitedAnswer | CheckedTextResult

TOOLS: Final[Mapping[ServedTool, tuple[type[ToolArguments], type[Result]]]] = {
    ServedTool.SEARCH_WEB: (SearchWeb, SourceList),
    ServedTool.READ_PAGE: (ReadPage, PageText),
    ServedTool.LIST_BASES: (ListOpenBases, BaseList),
    ServedTool.SEARCH_BASE: (SearchBase, SourceList),
    ServedTool.ASK: (Ask, CitedAnswer),
    ServedTool.CHECK_TEXT: (CheckText, CheckedTextResult),
}


def schema_of(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the JSON schema of a type, with an object at the top as MCP requires."""
    (_,), components = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    schema = dict(components.pop(kind.__name__))
    schema.pop("title", None)
    return schema | ({"$defs": components} if components else {})


def arguments_schema_of(kind: type[ToolArguments]) -> dict[str, Any]:
    """Return the JSON schema of arguments, where an optional one has one plain type, not also null.

    Clients such as the MCP inspector convert what is typed only to a plain type. Null is accepted all the same.
    """
    schema = schema_of(kind)
    return schema | {"properties": {name: _plain(part) for name, part in schema["properties"].items()}}


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    match schema:
        case {"anyOf": [dict() as kind, {"type": "null"}], "default": None}:
            rest = {name: part for name, part in schema.items() if name not in {"anyOf", "default"}}
            return rest | kind
    return schema


def parse_arguments(tool: ServedTool, arguments: Mapping[str, Any]) -> ToolArguments:
    """Return the arguments of a call.

    Raises:
        ArgumentsRejected: one is missing, unknown, too long or of the wrong type.
    """
    try:
        return msgspec.convert(dict(arguments), TOOLS[tool][0])
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        raise ArgumentsRejected(detail=plain_reason(error)) from error


def _source_lines(sources: list[ServedSource]) -> str:
    return "\n\n".join(map(_source_text, sources))


def _source_text(source: ServedSource) -> str:
    where = " · ".join(filter(None, (source.address, source.place, source.published)))
    return "\n".join(filter(None, (f"[{source.number}] {source.title}", where, source.passage)))


def _join_notes(text: str, notes: list[str]) -> str:
    return "\n\n".join([text, *([f"Notes: {' '.join(notes)}"] if notes else [])])
