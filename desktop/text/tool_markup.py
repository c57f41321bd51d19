"""Separates tool calls that models write into their text, in any trained format, from the text itself.

`<invoke name="x">…</invoke>`, `<tool name="x">…</tool>`, `<tool_call>{…}</tool_call>`,
`<function=x>…</function>`, `<|tool_call|>[…]`, `<｜tool▁calls▁begin｜>…`, `[TOOL_CALLS][…]` and code blocks
called `tool_code`. Other Markdown code, between fences or backticks, is part of the response and stays
unchanged.
"""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from desktop.text.almost_xml import names_pattern

MAX_CALL_CHARS = 20_000
"""A longer call is not waited for: its arguments are dropped until it ends."""

_LONGEST_TAG = 300
_LONGEST_INFO = 100
_WRAPPERS = (
    "tool_call",
    "tool_calls",
    "toolcall",
    "function_call",
    "function_calls",
    "tool_use",
    "tool_code",
    "tool_response",
    "tool_result",
    "tool_results",
    "function_response",
    "function_results",
)
_NAMED = ("tool", "function", "invoke")
"""Tags that are calls only if they contain the name of a tool, because prose contains them too."""
_SPACE = "[ _\u2581]"
_TAG = re.compile(
    rf"<(?P<space>[a-z][\w-]{{0,19}}:)?(?:(?P<wrapper>{'|'.join(_WRAPPERS)})(?:\s[^<>]{{0,200}})?"
    rf"|(?P<named>{'|'.join(_NAMED)})(?:\s*=\s*|\s+name\s*=\s*)[\"']?(?P<name>[\w.:-]{{1,100}})[\"']?(?:\s[^<>]{{0,200}})?)>",
    re.IGNORECASE,
)
_STRAY_CLOSING = re.compile(rf"</(?:[a-z][\w-]{{0,19}}:)?(?:{'|'.join(_WRAPPERS)})\s*>", re.IGNORECASE)
_SPECIAL = re.compile(
    rf"<[|｜](?P<special>python_tag|tool{_SPACE}calls?(?:{_SPACE}section)?(?:{_SPACE}begin)?)[|｜]>"
    r"|\[(?P<bracket>TOOL_CALLS|TOOL_REQUEST)\]",
    re.IGNORECASE,
)
_SPECIAL_END = re.compile(
    rf"<[|｜]/?tool{_SPACE}calls?{_SPACE}section{_SPACE}end[|｜]>|<[|｜]/?tool{_SPACE}calls{_SPACE}end[|｜]>"
    rf"|<[|｜](?:/tool{_SPACE}calls?|tool{_SPACE}call{_SPACE}end|eom_id|eot_id)[|｜]>|\[/?(?:END_)?TOOL_(?:REQUEST|CALLS)\]",
    re.IGNORECASE,
)
_ANY_SPECIAL = re.compile(
    rf"<[|｜]/?(?:tool{_SPACE}\w*(?:{_SPACE}\w+)*|python_tag|eom_id|eot_id)[|｜]>", re.IGNORECASE
)
_BEGINNINGS = (
    *(f"<{name}" for name in (*_WRAPPERS, *_NAMED)),
    *(f"</{name}" for name in _WRAPPERS),
    *(f"<{bar}{name}" for bar in "|｜" for name in ("tool", "python_tag", "/tool", "eom_id", "eot_id")),
    "[tool_calls]",
    "[tool_request]",
)
_NAME_SO_FAR = re.compile(r"</?(?:[a-z][\w-]{0,19}(?::[a-z_]{0,20})?)?", re.IGNORECASE)
_NAME_IN_TAG = re.compile(r"</?(?:[a-z][\w-]{0,19}:)?([a-z_]+)", re.IGNORECASE)
_POINT = re.compile(r"\n|`+|~{3,}|[<\[]")
_LINE_PREFIX = re.compile(r"[ \t>*+\-\d.)]*\Z")
_CALL_FENCES = frozenset({"tool_code", "tool_call", "tool_calls", "tool_use", "function_call"})
_PARAMETER = re.compile(
    r"<(?:[a-z][\w-]*:)?(?:parameter|param|arg)(?:\s*=\s*|\s+name\s*=\s*)[\"']?([\w.-]+)[\"']?[^<>]*>(.*?)"
    r"(?:</(?:[a-z][\w-]*:)?(?:parameter|param|arg)\s*>|(?=<(?:[a-z][\w-]*:)?parameter\b)|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_NAME_BEFORE_ARGUMENTS = re.compile(
    rf"(?:function\s*<[|｜]tool{_SPACE}sep[|｜]>\s*)?(?:functions\.)?([A-Za-z_][\w.-]{{0,100}})(?::\d+)?\s*"
    rf"(?:\[ARGS\]|<[|｜]tool{_SPACE}(?:sep|call{_SPACE}argument{_SPACE}begin)[|｜]>)?\s*(?:```\w*\s*)?(?=\{{)"
)
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input", "tool_input")
_NAME_KEYS = ("name", "tool", "tool_name", "function", "action")
_NUMBER = re.compile(r"\d{1,6}")


@dataclass(frozen=True)
class WrittenCall:
    """A parsed call: `arguments` is a JSON object, or a text if the format does not name them."""

    name: str
    arguments: dict[str, Any] | str


@dataclass(frozen=True)
class Markup:
    """Markup that is not part of the response; `calls` is empty if it was not understood."""

    calls: tuple[WrittenCall, ...] = ()


@dataclass(frozen=True)
class _Opening:
    """The start of markup and of its content; `closing` finds its end, None if it ends with its value."""

    start: int
    content: int
    closing: re.Pattern[str] | None
    name: str = ""


_Read = tuple[int, Markup | str | None]
"""The end of the text read so far, and its replacement; None means the text itself."""


@dataclass
class ToolMarkupReader:
    """Separates text from calls as a text streams in. Text that may become a call is held back.

    `own_tags` are elements whose tags are removed while their text stays, with source numbers in them as
    citation marks. A procedure asks the model to write them between its requests.
    """

    own_tags: tuple[str, ...] = ()
    _held: str = ""
    _line: str = ""
    """The relevant part of the current line: the text before a fence."""
    _fence: str = ""
    _span: int = 0
    """The number of backticks of the open code span; 0 outside a code span."""
    _skips_to: re.Pattern[str] | None = None
    _marks: list[str] = field(default_factory=list)
    _own: re.Pattern[str] | None = None
    _own_name: re.Pattern[str] | None = None
    _waits_for_tag: bool = False
    """An open call ends with a tag, so text without one need not be checked."""

    def __post_init__(self) -> None:
        if self.own_tags:
            self._own_name = re.compile(names_pattern(*self.own_tags), re.IGNORECASE)
            self._own = re.compile(rf"<(/?)(?:{names_pattern(*self.own_tags)})([^<>]*)>", re.IGNORECASE)

    def feed(self, text: str) -> list[str | Markup]:
        """Return the final parts after a piece of text."""
        self._held += text
        if self._waits_for_tag and ">" not in text and "`" not in text and len(self._held) <= MAX_CALL_CHARS:
            return []
        self._waits_for_tag = False
        return list(self._read(is_last=False))

    def finish(self) -> list[str | Markup]:
        """Return the text that was held back."""
        return list(self._read(is_last=True))

    def _read(self, *, is_last: bool) -> Iterator[str | Markup]:
        at = 0
        """All text before this index is final."""
        while True:
            if self._skips_to is not None:
                closing = self._skips_to.search(self._held, at)
                at = len(self._held) if closing is None else closing.end()
                self._skips_to = self._skips_to if closing is None else None
            point = _POINT.search(self._held, at)
            if point is None:
                break
            if self._held[at : point.start()]:
                yield self._pass_text(at, point.start())
            after = self._after(point, is_last=is_last)
            if after is None:
                self._held = self._held[point.start() :]
                return
            end, markup = after
            if markup is not None:
                yield markup
            elif end > point.start():
                yield self._pass_text(point.start(), end)
            at = end
        if self._held[at:]:
            yield self._pass_text(at, len(self._held))
        self._held = ""

    def _pass_text(self, start: int, end: int) -> str:
        text = self._held[start:end]
        self._line = (self._line + text).rpartition("\n")[2][:_LONGEST_INFO]
        return text

    def _after(self, point: re.Match[str], *, is_last: bool) -> _Read | None:
        """Return the end of the final text at a point and its replacement, or None until more text arrives."""
        sign = point[0][0]
        if sign == "\n":
            if not self._line.strip():
                self._span = 0  # a blank line ends the paragraph and any code span in it
            return point.end(), None
        if sign in "`~":
            return self._after_ticks(point, is_last=is_last)
        return self._after_bracket(point.start(), is_last=is_last)

    def _after_ticks(self, point: re.Match[str], *, is_last: bool) -> _Read | None:
        ticks = point[0]
        if point.end() == len(self._held) and not is_last:
            return None
        begins_line = _LINE_PREFIX.match(self._line) is not None
        is_fence = begins_line and len(ticks) >= len("```")
        if is_fence and (not self._fence or _closes(ticks, self._fence)):
            line_end = self._held.find("\n", point.end())
            if line_end < 0 and not is_last and len(self._held) - point.end() <= _LONGEST_INFO:
                return None
            info = self._held[point.end() : line_end if line_end >= 0 else len(self._held)].strip()
            if self._fence:
                self._fence = self._fence if info else ""
                return point.end(), None
            if ticks[0] == "~" or "`" not in info:
                if info.lower() in _CALL_FENCES:
                    return self._markup_at(
                        _open_fence(point, ticks, len(self._held), line_end), is_last=is_last
                    )
                self._fence, self._span = ticks, 0  # a block ends the paragraph before it
                return point.end(), None
        if ticks[0] == "`" and not self._fence:
            if not self._span:
                self._span = len(ticks)
            elif self._span == len(ticks):
                self._span = 0
        return point.end(), None

    def _after_bracket(self, start: int, *, is_last: bool) -> _Read | None:
        if self._fence:
            return start + 1, None
        opening = _opening_at(self._held, start)
        own = self._own.match(self._held, start) if self._own else None
        stray = _STRAY_CLOSING.match(self._held, start) or _ANY_SPECIAL.match(self._held, start)
        if opening is None and own is None and stray is None:
            return None if not is_last and self._may_begin(start) else (start + 1, None)
        if self._span:
            is_code = self._is_code_from(start, is_last=is_last)
            if is_code is None or is_code:
                return None if is_code is None else (start + 1, None)
            self._span = 0
        if opening is not None:
            return self._markup_at(opening, is_last=is_last)
        if own is not None:
            return own.end(), self._mark(own)
        return (stray.end(), Markup()) if stray else (start + 1, None)

    def _mark(self, tag: re.Match[str]) -> str:
        """Return the replacement of one of the own tags: the citation marks of its sources after its text."""
        if not tag[1]:
            self._marks.append("".join(f"[{number}]" for number in _NUMBER.findall(tag[2])))
            return ""
        return self._marks.pop() if self._marks else ""

    def _is_code_from(self, start: int, *, is_last: bool) -> bool | None:
        """Say whether the open code span has an end; None until that is known."""
        paragraph = re.compile(r"\n[ \t]*\n").search(self._held, start)
        end = paragraph.start() if paragraph else len(self._held)
        if any(len(ticks) == self._span for ticks in re.findall(r"`+", self._held[start:end])):
            return True
        is_known = paragraph is not None or is_last or len(self._held) - start > MAX_CALL_CHARS
        return False if is_known else None

    def _may_begin(self, start: int) -> bool:
        """Say whether the text held back may still become a tag."""
        rest = self._held[start : start + _LONGEST_TAG + 1].lower()
        if ">" in rest or len(rest) > _LONGEST_TAG or "<" in rest[1:]:
            return False
        if any(beginning.startswith(rest) or rest.startswith(beginning) for beginning in _BEGINNINGS):
            return not rest.startswith("[") or "]" not in rest
        if _NAME_SO_FAR.fullmatch(rest):
            return True
        named = _NAME_IN_TAG.match(rest)
        is_own = self._own_name is not None and self._own_name.match(named[1] if named else "") is not None
        return named is not None and (named[1] in _WRAPPERS or named[1] in _NAMED or is_own)

    def _markup_at(self, opening: _Opening, *, is_last: bool) -> _Read | None:
        text = self._held
        closed = _closing_of(text, opening)
        if closed is not None:
            body, end = text[opening.content : closed[0]], closed[1]
            return end, Markup(tuple(_calls_in(body, opening.name)))
        if not is_last and len(text) - opening.start <= MAX_CALL_CHARS:
            self._waits_for_tag = opening.closing is not None
            return None
        body = text[opening.content :]
        if not body.lstrip().startswith(("{", "[", "<")):
            calls = tuple(_calls_in(body, opening.name)) if opening.closing is None else ()
            return (len(text) if calls else opening.content), Markup(calls)
        if not is_last:
            self._skips_to = opening.closing or _SPECIAL_END
            return len(text), Markup()
        value_end = _json_end(body, 0)
        is_whole = value_end is not None or body.lstrip().startswith("<")
        calls = tuple(_calls_in(body[:value_end], opening.name)) if is_whole else ()
        return opening.content + value_end if value_end is not None else len(text), Markup(calls)


def _closes(ticks: str, fence: str) -> bool:
    return ticks[0] == fence[0] and len(ticks) >= len(fence)


def _open_fence(point: re.Match[str], ticks: str, length: int, line_end: int) -> _Opening:
    closing = re.compile(rf"(?m)^[ \t>]*{re.escape(ticks)}[`~]*[ \t]*$")
    return _Opening(point.start(), line_end + 1 if line_end >= 0 else length, closing)


def _opening_at(text: str, start: int) -> _Opening | None:
    if tag := _TAG.match(text, start):
        name = tag["wrapper"] or tag["named"]
        closing = re.compile(rf"</(?:[a-z][\w-]{{0,19}}:)?{name}\s*>", re.IGNORECASE)
        return _Opening(start, tag.end(), closing, tag["name"] or "")
    if special := _SPECIAL.match(text, start):
        return _Opening(start, special.end(), None)
    return None


def _closing_of(text: str, opening: _Opening) -> tuple[int, int] | None:
    """Return the end of the markup's content and the start of the text after it, or None while it is open."""
    value_end = _json_end(text, opening.content)
    if opening.closing is not None:
        # A string in the arguments may look like the end.
        found = opening.closing.search(text, value_end or opening.content)
        return (found.start(), found.end()) if found else None
    if found := _SPECIAL_END.search(text, value_end or opening.content):
        return found.start(), found.end()
    named = _NAME_BEFORE_ARGUMENTS.match(text, _skip_blank(text, opening.content))
    value_end = value_end or (_json_end(text, named.end()) if named else None)
    if value_end is None or not text[value_end:].strip() or text[value_end:].lstrip().startswith(("<", "[")):
        return None  # its closing tag may still follow
    return value_end, value_end


def _skip_blank(text: str, start: int) -> int:
    return len(text) - len(text[start:].lstrip())


def _json_end(text: str, start: int) -> int | None:
    """Return the end of the JSON value that starts here; None if there is none or it is incomplete."""
    begin = _skip_blank(text, start)
    if text[begin : begin + 1] not in ("{", "["):
        return None
    try:
        return json.JSONDecoder(strict=False).raw_decode(text, begin)[1]
    except (ValueError, RecursionError):
        return None


def _calls_in(body: str, name: str) -> Iterator[WrittenCall]:
    """Yield the calls in the content of markup; `name` is the tool's name if it is in the tag."""
    text = _without_fence(body)
    if name:
        parameters = {key: _unquote(value) for key, value in _PARAMETER.findall(text)}
        value = _parse_json(text)
        yield WrittenCall(name, parameters or (value if isinstance(value, dict) else text))
        return
    if inner := [found for found in _TAG.finditer(text) if found["named"]]:
        for found in inner:
            opening = _opening_at(text, found.start())
            closed = _closing_of(text, opening) if opening else None
            yield from _calls_in(text[found.end() : closed[0] if closed else len(text)], found["name"])
        return
    value = _parse_json(text)
    if value is not None:
        for one in value if isinstance(value, list) else [value]:
            yield from _call_of(one)
        return
    yield from _find_named_calls(text)


def _find_named_calls(text: str) -> Iterator[WrittenCall]:
    """Yield calls with the name before the arguments: `name{…}` and `name(a=1)`."""
    at, has_found = 0, False
    while named := _NAME_BEFORE_ARGUMENTS.search(text, at):
        end = _json_end(text, named.end())
        if end is None:
            break
        value = _parse_json(text[named.end() : end])
        if isinstance(value, dict):
            has_found = True
            yield WrittenCall(named[1], value)
        at = end
    if not has_found:
        yield from _python_calls(text)


def _python_calls(text: str) -> Iterator[WrittenCall]:
    try:
        tree = ast.parse(text.strip()[:MAX_CALL_CHARS])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in tree.body:
        call = node.value if isinstance(node, ast.Expr | ast.Assign) else None
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "print" and call.args:
            call = call.args[0]
        if not isinstance(call, ast.Call):
            continue
        try:
            named = {one.arg: ast.literal_eval(one.value) for one in call.keywords if one.arg}
            placed = [ast.literal_eval(one) for one in call.args]
        except (ValueError, TypeError, SyntaxError, RecursionError):
            continue
        name = ast.unparse(call.func).rpartition(".")[2]
        if named or not placed:
            yield WrittenCall(name, named)
        elif len(placed) == 1:
            only = placed[0]
            yield WrittenCall(name, "\n".join(map(str, only)) if isinstance(only, list) else str(only))


def _call_of(value: object) -> Iterator[WrittenCall]:
    """Yield the call that a JSON value represents, if any."""
    if not isinstance(value, dict):
        return
    inner = value.get("function")
    if isinstance(inner, dict):
        yield from _call_of(inner)
        return
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), "")
    arguments = next((value[key] for key in _ARGUMENT_KEYS if key in value), None)
    if isinstance(arguments, str):
        read = _parse_json(arguments)
        arguments = read if isinstance(read, dict) else arguments
    if name and isinstance(arguments, dict | str):
        yield WrittenCall(name, arguments)
    elif name and arguments is None:
        yield WrittenCall(name, {key: item for key, item in value.items() if key not in _NAME_KEYS})


def _parse_json(text: str) -> object:
    try:
        return json.loads(text.strip(), strict=False)
    except (ValueError, RecursionError):
        return None


def _unquote(written: str) -> object:
    """Return a parameter's value: parsed JSON if it is valid, or else the text unchanged."""
    value = _parse_json(written)
    return written.strip() if value is None or isinstance(value, int | float) else value


def _without_fence(text: str) -> str:
    return text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
