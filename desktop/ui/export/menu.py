"""Menus for choosing the content to copy or save, and its format."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QCoreApplication, QPoint
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QWidget

from desktop.render.export import Format, ListFormat
from desktop.ui.actions import QT_TRANSLATE_NOOP

_FORMATS = {
    Format.WORD: QT_TRANSLATE_NOOP("export_menu", "Word document"),
    Format.PDF: QT_TRANSLATE_NOOP("export_menu", "PDF"),
    Format.PICTURE: QT_TRANSLATE_NOOP("export_menu", "Image (PNG)"),
    Format.HTML: QT_TRANSLATE_NOOP("export_menu", "Web page (HTML)"),
    Format.MARKDOWN: QT_TRANSLATE_NOOP("export_menu", "Markdown with footnotes"),
    Format.BIBTEX: QT_TRANSLATE_NOOP("export_menu", "Sources as BibTeX"),
}
_LISTS = {
    ListFormat.MARKDOWN: QT_TRANSLATE_NOOP("export_menu", "As Markdown"),
    ListFormat.PLAIN: QT_TRANSLATE_NOOP("export_menu", "As plain text"),
    ListFormat.BIBTEX: QT_TRANSLATE_NOOP("export_menu", "As BibTeX"),
}


def format_name(kind: Format) -> str:
    """Return the name of a format in the current language."""
    return QCoreApplication.translate("export_menu", _FORMATS[kind])


def add_formats(menu: QMenu, chosen: Callable[[Format], object]) -> None:
    """Add an entry for every file format."""
    for kind in _FORMATS:
        # The ellipsis indicates that a dialog follows.
        menu.addAction(f"{format_name(kind)}…").triggered.connect(partial(_call, chosen, kind))


def add_list_formats(menu: QMenu, chosen: Callable[[ListFormat], object]) -> None:
    """Add an entry for every format in which sources can be copied."""
    for kind, name in _LISTS.items():
        action = menu.addAction(QCoreApplication.translate("export_menu", name))
        action.triggered.connect(partial(_call, chosen, kind))


def show_menu(menu: QMenu, owner: QWidget, place: QPoint | None = None) -> None:
    """Open a menu at `place` or at the pointer; if the pointer is outside, in the middle of the window."""
    pointer = place or QCursor.pos()
    window = owner.window()
    is_over = window.geometry().contains(pointer)
    menu.popup(pointer if is_over else window.mapToGlobal(window.rect().center()))
    # Preselect the first entry for Enter, also for users who opened the menu with the keyboard.
    menu.setActiveAction(menu.actions()[0])


def _call(chosen: Callable[..., object], kind: object, _checked: bool = False) -> None:
    chosen(kind)
