"""Access keys: the underlined letters that choose an entry of a menu, or press a button or reach a field of a dialog.

A menu has them while it is shown, a dialog while Alt is held; every text is written, translated and compared
without them.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QDialog, QLabel, QMenu, QPushButton, QToolButton, QWidget
from shiboken6 import isValid

_MARKED = re.compile(r"(?:^|[^&])(?:&&)*&([^&\s])")
_END = re.compile(r"(?:…|\.\.\.)?(?:\t.*)?$")
_CHINESE = re.compile("[\u4e00-\u9fff]")
_Owner = TypeVar("_Owner", bound=QMenu | QDialog)
_Keyed = QAction | QAbstractButton | QLabel
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

_INITIALS = "ABCDEFGHJKLMNOPQRSTWXYZ"
_FIRSTS = [each.encode("gb2312") for each in "啊芭擦搭蛾发噶哈击喀垃妈拿哦啪期然撒塌挖昔压匝"]
_LAST = "座".encode("gb2312")
"""GB 2312 holds its 3,755 most frequent characters in the order of their pinyin; these are the first of each letter."""


def add_access_keys(owner: _Owner) -> _Owner:
    """Let a menu and its submenus, or a dialog, have access keys; returns `owner`."""
    if not any(isinstance(each, _AccessKeys) for each in owner.children()):
        _AccessKeys(owner)
    return owner


def choose_access_keys(texts: Sequence[str]) -> list[str]:
    """Return `texts` with a letter of its own marked in each, as far as there are letters; a marked text stays as it is.

    A text in Latin letters has one of its own underlined; a Chinese text gets one appended: “保存(B)”.
    """
    taken = {found[1].upper() for text in texts if (found := _MARKED.search(text))}
    result = []
    for text in texts:
        place = None if _MARKED.search(text) else next((p for p in _places(text) if p[0] not in taken), None)
        if place is None:
            result.append(text)
            continue
        letter, at, added = place
        taken.add(letter)
        result.append(text[:at] + (added or "&") + text[at:])
    return result


def _places(text: str) -> Iterator[tuple[str, int, str]]:
    """Yield each letter that a text can have, best first, with where its mark goes and what is inserted there."""
    found = _END.search(text)
    end = found.start() if found else len(text)
    if _CHINESE.search(text):
        for letter in [*filter(None, map(_initial, text[:end])), *_LETTERS]:
            yield letter, end, f"(&{letter})"
        return
    places = [at for at in range(end) if text[at].isascii() and text[at].isalnum()]
    first = [at for at in places if at == 0 or not text[at - 1].isalnum()]
    for at in (*first, *places):
        yield text[at].upper(), at, ""


def _initial(char: str) -> str:
    """Return the first letter of the pinyin of a frequent character, or a Latin letter itself; otherwise nothing."""
    if char.isascii():
        return char.upper() if char.isalpha() else ""
    code = char.encode("gb2312", "ignore")
    return _INITIALS[bisect_right(_FIRSTS, code) - 1] if _FIRSTS[0] <= code <= _LAST else ""


class _AccessKeys(QObject):
    """Marks the letters of one menu or dialog, and takes the marks back; its child."""

    def __init__(self, owner: QMenu | QDialog) -> None:
        super().__init__(owner)
        self._changed: list[tuple[_Keyed, str, str]] = []
        owner.installEventFilter(self)
        if isinstance(owner, QMenu) and owner.isVisible():
            self._mark(_entries(owner))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Mark an opened menu, also texts that are filled in at the last moment, and a dialog when Alt is pressed."""
        kind = event.type()
        if kind == QEvent.Type.Hide:
            self._take_back()
        elif isinstance(watched, QMenu):
            if kind == QEvent.Type.Show:
                self._mark(_entries(watched))
        elif isinstance(watched, QDialog):
            is_alt = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Alt
            # A button that says something else now, or another page, has the dialog laid out again.
            if (is_alt and kind == QEvent.Type.KeyPress) or (
                self._changed and kind == QEvent.Type.LayoutRequest
            ):
                self._mark(_controls(watched))
            elif (is_alt and kind == QEvent.Type.KeyRelease) or kind == QEvent.Type.WindowDeactivate:
                self._take_back()
        return False

    def _mark(self, keyed: Sequence[_Keyed]) -> None:
        for each, text in zip(keyed, choose_access_keys([each.text() for each in keyed]), strict=True):
            if text != each.text():
                self._changed.append((each, each.text(), text))
                each.setText(text)

    def _take_back(self) -> None:
        changed, self._changed = self._changed, []
        for each, before, after in changed:
            if isValid(each) and each.text() == after:
                each.setText(before)


def _entries(menu: QMenu) -> list[_Keyed]:
    entries = [each for each in menu.actions() if each.isVisible() and each.isEnabled()]
    for each in entries:
        if isinstance(submenu := each.menu(), QMenu):
            add_access_keys(submenu)
    return [each for each in entries if each.text() and not each.isSeparator()]


def _controls(dialog: QDialog) -> list[_Keyed]:
    """Return what of a dialog can be seen and has a text: buttons, then labels of fields."""
    buttons = [each for each in dialog.findChildren(QAbstractButton) if _is_worded(each)]
    labels = [each for each in dialog.findChildren(QLabel) if _is_named(each)]
    return [
        *(each for each in buttons if _is_seen(each, dialog)),
        *(each for each in labels if _is_seen(each, dialog)),
    ]


def _is_seen(widget: QWidget, dialog: QDialog) -> bool:
    return widget.isVisible() and widget.window() is dialog


def _is_worded(button: QAbstractButton) -> bool:
    """Return whether a button shows its text; Chinese only gets a letter where it does not move a column of fields."""
    if isinstance(button, QToolButton):
        look = button.toolButtonStyle()
        if look == Qt.ToolButtonStyle.ToolButtonIconOnly and not button.icon().isNull():
            return False
    is_chinese = bool(_CHINESE.search(button.text()))
    return bool(button.text()) and (not is_chinese or isinstance(button, (QPushButton, QToolButton)))


def _is_named(label: QLabel) -> bool:
    """Return whether a label names a field in Latin letters; its letter leads to the field."""
    field: QWidget | None = label.buddy()
    return field is not None and not field.isHidden() and not _CHINESE.search(label.text())
