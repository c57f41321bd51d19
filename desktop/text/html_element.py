"""Writes HTML: what is put into an element is escaped there, so that no caller has to remember it."""

from collections.abc import Iterable
from functools import lru_cache
from html import escape
from typing import Final


class Html(str):
    """HTML, which is put into an element as it is; any other text is escaped.

    What methods and operators of `str` make of it is plain text again. To call it with a text is to promise that the
    text is HTML: `tests/unit/test_markup.py` lists the modules that do.
    """

    __slots__ = ()


_MOST_CACHED_CHARS: Final = 60

Child = str | int | None
Attribute = str | float | bool | None

EMPTY: Final = Html()
_VOID: Final = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)


def element(tag: str, /, *children: Child, **attributes: Attribute) -> Html:
    """Return an element. `tag` and the names of attributes are literals of the caller.

    Names are written with `_` for `-`, and one at the end that is not written where Python needs it: `class_`. An attribute
    of True has no value. Children and attributes of None or False are left out.
    """
    head = f"<{tag}"
    for key, value in attributes.items():
        if isinstance(value, str):
            write = _cached_attribute if len(value) <= _MOST_CACHED_CHARS else _attribute
            head += write(key, value)
        elif value is True:
            head += f" {_name(key)}"
        elif value is not None and value is not False:
            head += f' {_name(key)}="{value}"'
    if tag in _VOID:
        return Html(f"{head}>")
    return Html(f"{head}>{_write_children(children)}</{tag}>")


def fragment(*children: Child) -> Html:
    """Return what follows one another, without an element around it."""
    return Html(_write_children(children))


def join(separator: str, children: Iterable[Child]) -> Html:
    """Return children with `separator` between them."""
    return fragment(*[part for child in children for part in (separator, child)][1:])


def _write_children(children: Iterable[Child]) -> str:
    parts: list[str] = []
    for child in children:
        if isinstance(child, Html):
            parts.append(child)
        elif isinstance(child, str):
            parts.append(escape(child))
        elif child is not None and child is not False:
            parts.append(str(child))
    return "".join(parts)


def _attribute(key: str, value: str) -> str:
    return f' {_name(key)}="{escape(value)}"'


# Most are classes, of which a page has few. Long ones are pictures and texts of chats, which may be erased.
_cached_attribute = lru_cache(maxsize=1024)(_attribute)


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def button(*children: Child, **attributes: Attribute) -> Html:
    """Return a button that sends no form."""
    return element("button", *children, type="button", **attributes)


def icon(path: str) -> Html:
    """Return an icon that is drawn along `path`; screen readers ignore it."""
    return element("svg", element("path", d=path), viewBox="0 0 24 24", aria_hidden="true")
