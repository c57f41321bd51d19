"""Converts inline text to HTML: markdown-it's inline parser with citations, maths, bare addresses and link references."""

import re
from collections.abc import Collection, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace, normalizeReference
from markdown_it.helpers import parseLinkDestination, parseLinkTitle
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from desktop.render.markdown.citations import Marks, citation_plugin, is_plain
from desktop.render.markdown.maths import maths_html, maths_plugin
from desktop.render.markdown.tree import RenderTarget

_DEFINED_LABEL = re.compile(r"\[((?:[^\\\[\]]|\\.){1,999})\]:", re.DOTALL)
_SPACE_OR_LINE_END = re.compile(r"[ \t]*\n?[ \t]*")
_LINE_END = re.compile(r"[ \t]*(?:\n|$)")


class Target(NamedTuple):
    """The target of a reference, with address and title as written and not yet checked."""

    href: str
    title: str


References = MutableMapping[str, Target]
"""Targets by normalised label; the first definition of a label counts."""


class _Definition(NamedTuple):
    label: str
    target: Target
    end: int


def take_definitions(text: str, references: References) -> str:
    """Move the definitions at the start of a paragraph into `references`; return the rest."""
    start = 0
    while text.startswith("[", start) and (found := _definition(text, start)) is not None:
        references.setdefault(found.label, found.target)
        start = found.end
    return text[start:]


def _definition(text: str, start: int) -> _Definition | None:
    match = _DEFINED_LABEL.match(text, start)
    if match is None or not match[1].strip() or match[1].startswith("^"):
        return None
    at = _skip_space(text, match.end())
    destination = parseLinkDestination(text, at, len(text))
    if not destination.ok or destination.pos == at:
        return None
    label = normalizeReference(match[1])
    after_title = _title(text, destination.pos)
    if after_title is not None:
        title, end = after_title
        return _Definition(label, Target(destination.str, title), end)
    line_end = _LINE_END.match(text, destination.pos)
    if line_end is None:
        return None
    return _Definition(label, Target(destination.str, ""), line_end.end())


def _title(text: str, start: int) -> tuple[str, int] | None:
    at = _skip_space(text, start)
    if at == start:
        return None
    title = parseLinkTitle(text, at, len(text))
    if not title.ok:
        return None
    line_end = _LINE_END.match(text, title.pos)
    return None if line_end is None else (title.str, line_end.end())


def _skip_space(text: str, at: int) -> int:
    match = _SPACE_OR_LINE_END.match(text, at)
    return at if match is None else match.end()


_CJK = re.compile(
    "[\u1100-\u11ff\u2018-\u201d\u2026\u2e80-\u303f\u3040-\ua4cf\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U0001f200-\U0001f2ff\U00020000-\U0003ffff]"
)
_AMBIGUOUS = frozenset("‘’“”…")
"""Quotes and dots used in both Latin and Chinese; CJK only if the other side of the run is."""


def is_cjk(char: str) -> bool:
    """Say whether `char` is as wide as an ideograph."""
    return char not in _AMBIGUOUS and _CJK.match(char) is not None


class CjkStateInline(StateInline):
    """An inline state whose emphasis rules support CJK neighbours."""

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802, N803 - overrides
        """Say whether the run at `start` may open or close emphasis."""
        scanned = super().scanDelims(start, canSplitWord)
        end = start + scanned.length
        before = self.src[start - 1] if start else " "
        after = self.src[end] if end < self.posMax else " "
        if self.src[start:end] == "~" and self.env["scope"].look is RenderTarget.PAGE:
            return Scanned(
                scanned.can_open and begins_struck(before, after),
                scanned.can_close and ends_struck(after),
                scanned.length,
            )
        if (scanned.can_open and scanned.can_close) or not self._is_beside_cjk(start, end):
            return scanned
        space_before, space_after = isWhiteSpace(ord(before)), isWhiteSpace(ord(after))
        left = not space_after and (not _blocks(after) or space_before or _allows(before))
        right = not space_before and (not _blocks(before) or space_after or _allows(after))
        if canSplitWord:
            return Scanned(left, right, scanned.length)
        return Scanned(
            left and (not right or _allows(before)), right and (not left or _allows(after)), scanned.length
        )

    def _is_beside_cjk(self, start: int, end: int) -> bool:
        """Say whether a run has a CJK neighbour; a shared quote counts if the character behind it does."""
        return any(
            is_cjk(near) or (near in _AMBIGUOUS and is_cjk(far))
            for near, far in (
                (self.src[start - 1 : start], self.src[start - 2 : start - 1] if start > 1 else ""),
                (self.src[end : end + 1], self.src[end + 1 : end + 2]),
            )
            if near
        )


def begins_struck(before: str, after: str) -> bool:
    """Say whether a single `~` between these characters starts a word, unlike in `~5` or `~/notes`."""
    return (not before or before.isspace()) and after.isalpha()


def ends_struck(after: str) -> bool:
    """Say whether a single `~` before this character may end a word."""
    return not after.isalnum()


def _is_wide(char: str) -> bool:
    return _CJK.match(char) is not None


def _is_punctuation(char: str) -> bool:
    return isMdAsciiPunct(ord(char)) or isPunctChar(char)


def _blocks(char: str) -> bool:
    return _is_punctuation(char) and not _is_wide(char)


def _allows(char: str) -> bool:
    return _is_wide(char) or _is_punctuation(char)


# Chinese text may directly precede or follow an address, and its punctuation ends it. An address
# that contains ideographs can still be linked with angle brackets.
_WIDE = "\u2000-\u206f\u2e80-\ua4cf\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff"
_LABEL = rf"[^\s!-,./:-@\[-^`{{-~{_WIDE}]+"
_REST = rf"[^\s<{_WIDE}]*"
_WWW = re.compile(rf"www\.{_LABEL}(?:\.{_LABEL})+{_REST}")
_HTTP = re.compile(rf"://(?:{_LABEL}(?:\.{_LABEL})*|\[[0-9a-fA-F:.]+\]){_REST}")
_BEFORE = r"(?:^|[^A-Za-z0-9.+_/<-]|(?<![A-Za-z0-9])_)"
_SCHEME_BEFORE = re.compile(rf"{_BEFORE}(https?|ftp)$", re.IGNORECASE)
_MAIL_NAME_BEFORE = re.compile(rf"{_BEFORE}(?:(mailto):)?([A-Za-z0-9.+_-]+)$")
_MAIL_REST = re.compile(r"[A-Za-z0-9.+_-]{0,80}@[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+")
_ENTITY_END = re.compile(r"&[A-Za-z0-9]+;$")
_TRAILING = frozenset("?!.,:*_~'\"")
_LOOK_BACK = 80


def autolink_plugin(md: MarkdownIt) -> None:
    """Add rules for bare addresses."""
    md.inline.add_terminator_char("w")
    md.inline.ruler.push("bare_www", _www)
    md.inline.ruler.push("bare_http", _http)
    md.inline.ruler.before("emphasis", "bare_mail", _mail)  # names in addresses may contain `_`


def _www(state: StateInline, silent: bool) -> bool:
    if not _may_begin(state, silent) or not state.src.startswith("www.", state.pos):
        return False
    if _is_inside_word(state.src, state.pos):
        return False
    match = _WWW.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    text = _trim(match[0])
    return _push(state, "http://" + text, text, taken=0)


def _http(state: StateInline, silent: bool) -> bool:
    if not _may_begin(state, silent) or not state.src.startswith("://", state.pos):
        return False
    scheme = _SCHEME_BEFORE.search(state.src[max(0, state.pos - 7) : state.pos])
    match = _HTTP.match(state.src, state.pos, state.posMax) if scheme else None
    if scheme is None or match is None:
        return False
    text = scheme[1] + _trim(match[0])
    return _push(state, text, text, taken=len(scheme[1]))


def _mail(state: StateInline, silent: bool) -> bool:
    if not _may_begin(state, silent) or state.src[state.pos] not in "@_":
        return False
    name = _MAIL_NAME_BEFORE.search(state.src[max(0, state.pos - _LOOK_BACK) : state.pos])
    rest = _MAIL_REST.match(state.src, state.pos, state.posMax)
    if name is None or rest is None or rest[0][-1] in "-_":
        return False
    address = name[2] + rest[0]
    shown = "mailto:" + address if name[1] else address
    return _push(state, "mailto:" + address, shown, taken=len(shown) - len(rest[0]))


def _may_begin(state: StateInline, silent: bool) -> bool:
    """Say whether an address may be a link here; checked first, to avoid scanning addresses in labels."""
    # Labels are scanned in silent mode: addresses are text there, so that `]` can end the label.
    return not silent and state.linkLevel == 0


def _is_inside_word(text: str, at: int) -> bool:
    return at > 0 and text[at - 1].isascii() and (text[at - 1].isalnum() or text[at - 1] in "/.-_@")


def _trim(text: str) -> str:
    """Remove what ends a sentence rather than an address: `.`, an unbalanced `)`, an entity."""
    surplus = text.count(")") - text.count("(")
    end = len(text)
    while end:
        if text[end - 1] in _TRAILING:
            end -= 1
        elif text[end - 1] == ")" and surplus > 0:
            surplus -= 1
            end -= 1
        elif text[end - 1] == ";":
            entity = _ENTITY_END.search(text, max(0, end - 40), end)
            end = entity.start() if entity else end - 1
        else:
            break
    return text[:end]


def _push(state: StateInline, href: str, text: str, *, taken: int) -> bool:
    """Add a link whose first `taken` characters were already parsed as text."""
    if taken and not state.pending.endswith(text[:taken]):
        return False
    address = state.md.normalizeLink(href)
    if not state.md.validateLink(address):
        return False
    if taken:
        state.pending = state.pending[:-taken]
    link = state.push("link_open", "a", 1)
    link.attrs = {"href": address}
    state.push("text", "", 0).content = text
    state.push("link_close", "a", -1)
    state.pos += len(text) - taken
    return True


MAX_NESTING: Final = 40

MAX_CHARS: Final = 30_000
"""Maximum length of a capped leaf, as the page lays it out in one task; the rest becomes plain text."""

MAX_MARKS: Final = 500
"""Maximum number of marks in a capped leaf, as `[1-500]` alone expands to 500; the rest stays text."""

MAX_LABEL_CHARS: Final = 300
"""Maximum length of a source title in the label of a mark, as each mark repeats it."""

_WORD_CHARS = 256
_SPACE = re.compile(r"\s")
_CUT_NOTE = '<span class="cut-note"></span>'

_FOOTNOTE = re.compile(r"\[\^([^\]\[\s]{1,99})\]")
_OPENED_SCHEMES = frozenset({"http", "https", "mailto"})
_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.-]*):")
_NEVER = frozenset(
    [
        "about",
        "blob",
        "chrome",
        "data",
        "file",
        "filesystem",
        "javascript",
        "jar",
        "livescript",
        "mhtml",
        "mk",
        "mocha",
        "resource",
        "smb",
        "vbscript",
        "view-source",
        "wyciwyg",
    ]
)


@dataclass(frozen=True)
class Inline:
    """Inline HTML. `waits` holds the unresolved labels: `[foo` a link, `^foo` a footnote, `#3` a number."""

    html: str
    waits: frozenset[str] = frozenset()


@dataclass
class ReferenceScope:
    """What a message's text may refer to, and which of it was used.

    `titles` maps the number of each source to its title.
    """

    titles: Mapping[int, str]
    look: RenderTarget
    source_word: str = "source"
    references: References = field(default_factory=dict)
    footnotes: Collection[str] = ()
    pictures: list[str] | None = None
    """Collects the addresses of pictures that are not loaded; None if they are not needed."""
    is_capped: bool = False
    """Whether leaves that are too long for a page end as plain text."""

    def knows(self, label: str) -> bool:
        """Say whether a label that a text waited for is now defined."""
        kind, name = label[0], label[1:]
        if kind == "#":
            return int(name) in self.titles
        return name in (self.footnotes if kind == "^" else self.references)


class _Labels:
    """The references for markdown-it's lookups; records those that are missing."""

    def __init__(self, references: References, md: MarkdownIt) -> None:
        self._references = references
        self._md = md
        self.missing: set[str] = set()

    def get(self, label: str, _default: object = None) -> dict[str, str] | None:
        """Return the address and title of a label."""
        target = self._references.get(label)
        if target is None:
            self.missing.add(label)
            return None
        href = self._md.normalizeLink(target.href)
        return {"href": href, "title": target.title} if self._md.validateLink(href) else None


def render_inline(text: str, scope: ReferenceScope, marks: Marks) -> Inline:
    """Return the HTML of a leaf's text; `marks` collects the numbers that it cites."""
    md = _parser(scope.look)
    labels = _Labels(scope.references, md)
    end = plain_from(text) if scope.is_capped else len(text)
    text, rest = text[:end], text[end:]
    found = Marks(marks.known, marks.footnotes, MAX_MARKS if scope.is_capped else None)
    env: MutableMapping[str, Any] = {"references": labels, "marks": found, "scope": scope}
    html = md.renderer.render(_tokens(text, md, env), md.options, env)
    if rest:
        html += f'<span class="rest">{escape(rest, quote=False)}</span>'
    if rest or found.is_full:
        html = _CUT_NOTE + html
    marks.cited.update(found.cited)
    marks.unknown.update(found.unknown)
    waits = {f"[{label}" for label in labels.missing if not label.startswith("^")}
    waits.update(f"#{number}" for number in found.unknown)
    waits.update(f"^{label}" for label in _FOOTNOTE.findall(text) if label not in scope.footnotes)
    return Inline(html, frozenset(waits))


def plain_from(text: str) -> int:
    """Return the position from which a capped leaf is plain text: between two words, if possible."""
    if len(text) <= MAX_CHARS:
        return len(text)
    space = _SPACE.search(text, MAX_CHARS, MAX_CHARS + _WORD_CHARS)
    return space.start() if space else min(len(text), MAX_CHARS + _WORD_CHARS)


def parse_inline(text: str, scope: ReferenceScope, marks: Marks) -> list[Token]:
    """Return the tokens of a leaf's text, for formats other than HTML; `marks` collects the cited numbers."""
    md = _parser(scope.look)
    env = {"references": _Labels(scope.references, md), "marks": marks, "scope": scope}
    return _tokens(text, md, env)


def _tokens(text: str, md: MarkdownIt, env: MutableMapping[str, Any]) -> list[Token]:
    kind = StateInline if env["scope"].look is RenderTarget.COMMONMARK else CjkStateInline
    state = env["state"] = kind(text, md, env, [])
    md.inline.tokenize(state)
    for rule in md.inline.ruler2.getRules(""):
        rule(state)
    for token in state.tokens:
        for part in (token, *(token.children or ())):
            if part.type == "text_special":  # an escape or an entity, which is not part of emphasis
                part.type = "text"
    return state.tokens


@cache
def _parser(look: RenderTarget) -> MarkdownIt:
    md = _Parser(look)
    md.disable("html_inline").use(citation_plugin)
    md.inline.ruler.before("citation", "unclosed", _skip_unclosed)
    if look is not RenderTarget.COMMONMARK:
        md.enable("strikethrough").use(maths_plugin).use(autolink_plugin)
        md.inline.ruler.before("citation", "footnote", _footnote)
    return md


class _Parser(MarkdownIt):
    """markdown-it, of which only the inline parser is used, with our rule for valid links."""

    def __init__(self, look: RenderTarget) -> None:
        options = {"html": False, "maxNesting": MAX_NESTING, "strikethrough_single_tilde": True}
        super().__init__("commonmark", options, renderer_cls=_Renderer)
        self._is_link = is_opened if look is RenderTarget.PAGE else _is_harmless

    def validateLink(self, url: str) -> bool:  # noqa: N802 - overrides
        """Say whether an address may be a link."""
        return self._is_link(url)


def is_opened(address: str) -> bool:
    """Say whether a click may open an address."""
    scheme = _SCHEME.match(address)
    return scheme is not None and scheme[1].lower() in _OPENED_SCHEMES


def _is_harmless(address: str) -> bool:
    scheme = _SCHEME.match(address)
    return scheme is None or (scheme[1].lower() not in _NEVER and not scheme[1].lower().startswith("ms-"))


def _skip_unclosed(state: StateInline, silent: bool) -> bool:
    """Treat `[` as text if no `]` follows: searching to the end for each would take quadratic time."""
    opener = "![" if state.src.startswith("![", state.pos) else "["
    if not state.src.startswith(opener, state.pos):
        return False
    if "last_bracket" not in state.env:
        state.env["last_bracket"] = state.src.rfind("]")
    if state.pos <= state.env["last_bracket"]:
        return False
    if not silent:
        state.append_pending(opener)
    state.pos += len(opener)
    return True


def _footnote(state: StateInline, silent: bool) -> bool:
    if silent or not is_plain(state):
        return False
    match = _FOOTNOTE.match(state.src, state.pos, state.posMax)
    if match is None or match[1] not in state.env["scope"].footnotes:
        return False
    token = state.push("footnote", "", 0)
    token.content = match[1]
    token.meta = {"span": match.span()}
    state.pos = match.end()
    return True


class _Renderer(RendererHTML):
    """markdown-it's renderer with our tokens; pictures are never loaded."""

    def citation(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, env: EnvType) -> str:
        """Return a citation mark that can be focused by keyboard and has a label for screen readers."""
        scope: ReferenceScope = env["scope"]
        number = tokens[idx].meta["number"]
        title = scope.titles[number][:MAX_LABEL_CHARS]
        label = escape(f"{scope.source_word} {number}: {title}".removesuffix(": "))
        return (
            f'<sup><a class="citation" data-source="{number}" href="#source-{number}" role="doc-noteref" '
            f'aria-label="{label}">{number}</a></sup>'
        )

    def footnote(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        """Return a reference to a footnote, with the footnote's own label."""
        label = escape(tokens[idx].content)
        return f'<sup class="footnote-ref"><a href="#footnote-{label}" role="doc-noteref">{label}</a></sup>'

    def maths(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        """Return an inline formula."""
        return maths_html(tokens[idx].content, is_display=tokens[idx].meta["is_display"])

    def s_open(self, *_: object) -> str:
        """Return the start tag of deleted text, as in GFM."""
        return "<del>"

    def s_close(self, *_: object) -> str:
        """Return the end tag of deleted text."""
        return "</del>"

    def link_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return the start tag of a link; on our page, a link without address, `[text]()`, has no `href`."""
        if env["scope"].look is RenderTarget.PAGE and not tokens[idx].attrs.get("href"):
            return "<a>"
        return self.renderToken(tokens, idx, options, env)

    def softbreak(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, env: EnvType) -> str:
        """Return a line break of the source; on our page, nothing between two ideographs."""
        if env["scope"].look is RenderTarget.PAGE and 0 < idx < len(tokens) - 1:
            before, after = tokens[idx - 1].content[-1:], tokens[idx + 1].content[:1]
            if before and after and is_cjk(before) and is_cjk(after):
                return ""
        return "\n"

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """Return a placeholder that names the picture's host; SPEC keeps pictures without a host."""
        token = tokens[idx]
        source = str(token.attrs.get("src", ""))
        host = _host(source)
        if env["scope"].look is not RenderTarget.PAGE and not host:
            return super().image(tokens, idx, options, env)
        if env["scope"].pictures is not None:
            env["scope"].pictures.append(source)
        name = escape(self.renderInlineAsText(token.children, options, env) if token.children else "")
        return (
            f'<span class="picture" role="img" aria-label="{name}" data-host="{escape(host)}">'
            f'<span class="picture-name">{name}</span></span>'
        )


def _host(address: str) -> str:
    """Return the host that a picture would be loaded from; `?` if the host cannot be parsed."""
    bare = address.strip().replace("\\", "/")
    if not (_SCHEME.match(bare) or bare.startswith("//")):
        return ""
    try:
        return urlsplit(bare).hostname or "?"
    except ValueError:
        return "?"
