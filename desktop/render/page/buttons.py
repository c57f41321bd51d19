"""Buttons of the page, and the icons in them."""

from desktop.text.html.element import Attribute, Child, Html, element


def button(*children: Child, **attributes: Attribute) -> Html:
    """Return a button that sends no form."""
    return element("button", *children, type="button", **attributes)


def icon(path: str) -> Html:
    """Return an icon that is drawn along `path`; screen readers ignore it."""
    return element("svg", element("path", d=path), viewBox="0 0 24 24", aria_hidden="true")
