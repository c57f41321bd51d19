r"""Renders maths (`$…$`, `$$…$$`, `\(…\)`, `\[…\]`) as MathML; prices stay text."""

import re
from html import escape, unescape
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element, tostring

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

MAX_CHARS: Final = 4000
"""Longer formulas are shown as source."""

# Greedy up to the next unescaped sign, so that nothing is scanned twice.
_CONTENT = re.compile(r"(?:[^$\\\n]|\\.|\n(?![ \t]*\n))+", re.DOTALL)
_AFTER_PRICE = re.compile(r"[A-Za-z0-9$]")
_ENDS_WITH_AMOUNT = re.compile(r"(?:^[^\w^{\\]+|(?<![-=<>+*/])\s|[\u2e80-\uffef])\d[\d.,]{0,40}$")
_CLOSERS = {"\\(": "\\)", "\\[": "\\]"}
_MEANS_SOMETHING = re.compile(r"[A-Za-zͰ-Ͽ]|\d[^-+=<>*/^_\d\n]*+[-+=<>*/^_]")
_ALLOWED_ATTRIBUTES = frozenset(
    [
        "accent",
        "accentunder",
        "columnalign",
        "columnlines",
        "columnspacing",
        "depth",
        "display",
        "displaystyle",
        "fence",
        "form",
        "height",
        "largeop",
        "linethickness",
        "lspace",
        "mathvariant",
        "maxsize",
        "minsize",
        "movablelimits",
        "notation",
        "rowlines",
        "rowspacing",
        "rspace",
        "scriptlevel",
        "separator",
        "stretchy",
        "symmetric",
        "voffset",
        "width",
        "xmlns",
    ]
)


def maths_plugin(md: MarkdownIt) -> None:
    """Add rules for inline maths; the block parser handles maths on separate lines."""
    md.inline.ruler.before("escape", "maths", _maths)


class _Formula(NamedTuple):
    latex: str
    end: int
    is_display: bool


def _maths(state: StateInline, silent: bool) -> bool:
    sign = state.src[state.pos]
    if sign not in "$\\":
        return False
    formula = _between_dollars(state) if sign == "$" else _between_brackets(state)
    if formula is None:
        return False
    if not silent:
        token = state.push("maths", "", 0)
        token.content = formula.latex
        token.meta = {"is_display": formula.is_display}
    state.pos = formula.end
    return True


def _between_dollars(state: StateInline) -> _Formula | None:
    text, start = state.src, state.pos
    sign = "$$" if text.startswith("$$", start) else "$"
    content = _CONTENT.match(text, start + len(sign), state.posMax)
    if content is None or not text.startswith(sign, content.end(), state.posMax):
        return None
    end = content.end() + len(sign)
    if sign == "$$":
        return _Formula(content[0], end, is_display=True)
    # White space inside the signs, or a letter or digit after them, means money: "$5 and $10".
    if content[0] != content[0].strip() or _AFTER_PRICE.match(text, end, state.posMax):
        return None
    # If the sign follows its amount, "30$ or 40$" means money too.
    if text[start - 1 : start].isdigit() and _ENDS_WITH_AMOUNT.search(content[0]):
        return None
    return _Formula(content[0], end, is_display=False)


def _between_brackets(state: StateInline) -> _Formula | None:
    opener = state.src[state.pos : state.pos + 2]
    closer = _CLOSERS.get(opener)
    if closer is None:
        return None
    end = state.src.find(closer, state.pos + 2, min(state.posMax, state.pos + MAX_CHARS))
    latex = state.src[state.pos + 2 : end]
    if end < 0 or not _MEANS_SOMETHING.search(latex):
        return None
    return _Formula(latex, end + 2, is_display=opener == "\\[")


def maths_html(latex: str, *, is_display: bool) -> str:
    """Return MathML with its LaTeX as name for screen readers, or the source as code if it is not valid LaTeX."""
    latex = latex.strip()
    element = mathml_of(latex, is_display=is_display)
    if element is None:
        return f'<code class="maths">{escape(latex, quote=False)}</code>'
    element.set("aria-label", latex)
    return tostring(element, encoding="unicode")


def mathml_of(latex: str, *, is_display: bool) -> Element | None:
    """Return a formula as MathML; None if it is not valid LaTeX or is too long."""
    if len(latex) > MAX_CHARS:
        return None
    from latex2mathml import converter, exceptions  # noqa: PLC0415 - most answers contain no formula

    failures = (
        exceptions.NumeratorNotFoundError,
        exceptions.DenominatorNotFoundError,
        exceptions.ExtraLeftOrMissingRightError,
        exceptions.MissingSuperScriptOrSubscriptError,
        exceptions.DoubleSubscriptsError,
        exceptions.DoubleSuperscriptsError,
        exceptions.NoAvailableTokensError,
        exceptions.InvalidStyleForGenfracError,
        exceptions.MissingEndError,
        exceptions.InvalidAlignmentError,
        exceptions.InvalidWidthError,
        exceptions.LimitsMustFollowMathOperatorError,
        # Its parser reads lists and tables of commands without checking for their end.
        IndexError,
        KeyError,
        ValueError,
        AttributeError,
        RecursionError,
        StopIteration,
    )
    try:
        element = converter.convert_to_element(latex, display="block" if is_display else "inline")
    except failures:
        return None
    for part in element.iter():
        # It writes operators as character references, which the element tree does not need.
        part.text = unescape(part.text) if part.text else part.text
        for name in [name for name in part.attrib if name not in _ALLOWED_ATTRIBUTES]:
            del part.attrib[name]
    return element
