"""Access keys: the underlined letters that choose an entry of a menu or press a button of a dialog.

They are chosen when a menu or dialog is shown and taken back when it is hidden, so that every text is
written, translated and compared without them.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QDialog, QDialogButtonBox, QMenu
from shiboken6 import isValid

_MARKED = re.compile(r"(?:^|[^&])(?:&&)*&([^&\s])")
_END = re.compile(r"(?:…|\.\.\.)?(?:\t.*)?$")
_CHINESE = re.compile("[\u4e00-\u9fff]")
_Owner = TypeVar("_Owner", QMenu, QDialog)
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

_INITIALS = "ABCDEFGHJKLMNOPQRSTWXYZ"
_FIRSTS = [each.encode("gb2312") for each in "啊芭擦搭蛾发噶哈击喀垃妈拿哦啪期然撒塌挖昔压匝"]
_LAST = "座".encode("gb2312")
"""GB 2312 holds its 3,755 most frequent characters in the order of their pinyin; these are the first of each letter."""


def add_access_keys(owner: _Owner) -> _Owner:
    """Let a menu and its submenus, or the button boxes of a dialog, have access keys; returns `owner`."""
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


def remove_access_key(text: str) -> str:
    """Return a text without the mark of its access key."""
    return re.sub(r"\(&[A-Z0-9]\)|&(.)", lambda found: found[1] or "", text)


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
    """Marks the letters of one menu or dialog while it is shown; its child."""

    def __init__(self, owner: QMenu | QDialog) -> None:
        super().__init__(owner)
        self._changed: list[tuple[QAction | QAbstractButton, str, str]] = []
        owner.installEventFilter(self)
        if owner.isVisible():
            self._mark(owner)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Mark on show, also texts that are filled in at the last moment; take the marks back on hide."""
        if isinstance(watched, (QMenu, QDialog)):
            # A button that says something else now has its dialog laid out again.
            if event.type() == QEvent.Type.Show or (
                event.type() == QEvent.Type.LayoutRequest
                and isinstance(watched, QDialog)
                and watched.isVisible()
            ):
                self._mark(watched)
            elif event.type() == QEvent.Type.Hide:
                self._take_back()
        return False

    def _mark(self, owner: QMenu | QDialog) -> None:
        keyed = _keyed(owner)
        for each, text in zip(keyed, choose_access_keys([each.text() for each in keyed]), strict=True):
            if text != each.text():
                self._changed.append((each, each.text(), text))
                each.setText(text)

    def _take_back(self) -> None:
        changed, self._changed = self._changed, []
        for each, before, after in changed:
            if isValid(each) and each.text() == after:
                each.setText(before)


def _keyed(owner: QMenu | QDialog) -> list[QAction | QAbstractButton]:
    if isinstance(owner, QMenu):
        entries = [each for each in owner.actions() if each.isVisible() and each.isEnabled()]
        for each in entries:
            if isinstance(menu := each.menu(), QMenu):
                add_access_keys(menu)
        return [each for each in entries if each.text() and not each.isSeparator()]
    boxes = owner.findChildren(QDialogButtonBox)
    return [each for box in boxes for each in box.buttons() if not each.isHidden() and each.text()]
