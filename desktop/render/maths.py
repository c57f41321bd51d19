r"""Maths: `$…$`, `$$…$$`, `\(…\)`, `\[…\]` as MathML; prices stay text."""

import re
from html import escape
from typing import Final
from xml.etree.ElementTree import Element, tostring

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

MAX_CHARS: Final = 4000
"""Longer maths is shown as its source."""

_DISPLAY_DOLLARS = re.compile(r"\$\$((?:[^$\\]|\\.)+?)\$\$", re.DOTALL)
# No space inside of the signs and neither letter nor digit behind them: "$5 and $10" is money.
_DOLLARS = re.compile(r"\$(?![\s$])((?:[^$\\\n]|\\.|\n(?!\n)){1,1000}?)(?<![\s\\])\$(?![A-Za-z0-9$])")
_BRACKETS = re.compile(r"\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_MEANS_SOMETHING = re.compile(r"[A-Za-zͰ-Ͽ]|\d.*[-+=<>*/^_]")
_ALLOWED_ATTRIBUTES = frozenset(
    "accent accentunder columnalign columnlines columnspacing depth display displaystyle fence form height "
    "largeop linethickness lspace mathvariant maxsize minsize movablelimits notation rowlines rowspacing "
    "rspace scriptlevel separator stretchy symmetric voffset width xmlns".split()
)


def maths_plugin(md: MarkdownIt) -> None:
    """Recognise maths within text; that on lines of its own is found by the block parser."""
    md.inline.ruler.before("escape", "maths", _maths)


def _maths(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's signature
    sign = state.src[state.pos]
    if sign == "$":
        match = _DISPLAY_DOLLARS.match(state.src, state.pos, state.posMax)
        is_display = match is not None
        match = match or _DOLLARS.match(state.src, state.pos, state.posMax)
    elif sign == "\\":
        match = _BRACKETS.match(state.src, state.pos, state.posMax)
        is_display = match is not None and match[2] is not None
        if match is not None and not _MEANS_SOMETHING.search(match[match.lastindex or 0]):
            return False
    else:
        return False
    if match is None:
        return False
    if not silent:
        token = state.push("maths", "", 0)
        token.content = match[match.lastindex or 0]
        token.meta = {"is_display": is_display}
    state.pos = match.end()
    return True


def maths_html(latex: str, *, is_display: bool) -> str:
    """Return MathML, or the source as code where it cannot be read as LaTeX."""
    latex = latex.strip()
    element = _mathml(latex, is_display=is_display) if len(latex) <= MAX_CHARS else None
    if element is None:
        return f'<code class="maths">{escape(latex, quote=False)}</code>'
    return tostring(element, encoding="unicode")


def _mathml(latex: str, *, is_display: bool) -> Element | None:
    # Loaded at the first formula: most answers have none.
    from latex2mathml import converter, exceptions  # noqa: PLC0415

    own = tuple(value for value in vars(exceptions).values() if isinstance(value, type))
    # Its parser walks lists and tables of commands without checking that they go on.
    failures = (*own, IndexError, KeyError, ValueError, AttributeError, RecursionError)
    try:
        element = converter.convert_to_element(latex, display="block" if is_display else "inline")
    except failures:
        return None
    for part in element.iter():
        for name in [name for name in part.attrib if name not in _ALLOWED_ATTRIBUTES]:
            del part.attrib[name]
    return element
