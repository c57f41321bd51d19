"""What a screen reader finds in a window, and what the keyboard reaches."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QObject, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QApplication, QScrollArea, QWidget
from shiboken6 import isValid

ROLE = QAccessible.Role
SPOKEN = frozenset(
    {
        ROLE.Button,
        ROLE.ButtonMenu,
        ROLE.ButtonDropDown,
        ROLE.CheckBox,
        ROLE.ComboBox,
        ROLE.Dialog,
        ROLE.EditableText,
        ROLE.Link,
        ROLE.List,
        ROLE.ListItem,
        ROLE.MenuItem,
        ROLE.PageTab,
        ROLE.ProgressBar,
        ROLE.RadioButton,
        ROLE.Slider,
        ROLE.SpinBox,
        ROLE.Table,
        ROLE.Tree,
        ROLE.TreeItem,
    }
)
"""Roles of what a person acts on or looks for: each has to say what it is."""

_WEB = ("RenderWidgetHostViewQtDelegateWidget", "QQuickWidget", "QtWebEngineCore::RenderWidgetHostView")


def remove_access_key(text: str) -> str:
    """Return a text without the mark of its access key."""
    return re.sub(r"\(&[A-Z0-9]\)|&(.)", lambda found: found[1] or "", text)


@dataclass(frozen=True)
class Found:
    """Something that a screen reader tells of."""

    role: QAccessible.Role
    name: str
    widget: str


def found_in(window: QWidget) -> list[Found]:
    """Return all that is visible in `window`, apart from what the page itself holds."""
    interface = QAccessible.queryAccessibleInterface(window)
    assert interface is not None
    return list(_walk(interface))


def nameless(window: QWidget) -> list[Found]:
    """Return what a screen reader could only call by its kind."""
    return [each for each in found_in(window) if each.role in SPOKEN and not each.name.strip()]


def _walk(interface: QAccessibleInterface) -> Iterator[Found]:
    state, it = interface.state(), interface.object()
    if state.invisible or (isinstance(it, QObject) and it.metaObject().className() in _WEB):
        return
    text = interface.text(QAccessible.Text.Name) or interface.text(QAccessible.Text.Value)
    kind = f"{type(it).__name__} {it.objectName()} in {_above(it)}" if isinstance(it, QObject) else "item"
    if not _is_inner(it):
        yield Found(interface.role(), text, kind)
    for index in range(interface.childCount()):
        child = interface.child(index)
        if child is not None and child.isValid():
            yield from _walk(child)


def _above(it: QObject) -> str:
    parent = it.parent()
    return "" if parent is None else f"{type(parent).__name__} {parent.objectName()}"


def _is_inner(it: QObject | None) -> bool:
    """Say whether this is the field inside of a spin box or combo box, or the viewport of a view: those speak for it."""
    parent = it.parent() if it is not None else None
    return isinstance(it, QWidget) and (
        it.objectName().startswith("qt_")
        or (isinstance(parent, QWidget) and parent.focusProxy() is it)
        or (isinstance(parent, QWidget) and parent.inherits("QAbstractSpinBox"))
        or (isinstance(parent, QWidget) and parent.inherits("QComboBox"))
    )


def tab_stops(window: QWidget) -> list[QWidget]:
    """Return what Tab leads through in `window`, in order."""
    stops = []
    widget = window.nextInFocusChain()
    while widget is not window:
        is_stop = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        if is_stop and widget.isVisibleTo(window) and widget.isEnabled() and window.isAncestorOf(widget):
            stops.append(widget)
        widget = widget.nextInFocusChain()
    return stops


def out_of_reach(window: QWidget) -> list[str]:
    """Return the buttons that neither Tab nor a key of the window leads to."""
    reached = set(tab_stops(window))
    by_key = {action.text() for action in window.actions() if not action.shortcut().isEmpty()}
    missed = []
    for button in window.findChildren(QAbstractButton):
        is_there = button.isVisibleTo(window) and button.isEnabled()
        inner = any(isinstance(up, QAbstractScrollArea) and up in reached for up in _ancestors(button))
        name = button.accessibleName() or button.text()
        has_key = button.objectName().startswith("qt_") or name in by_key
        if is_there and button not in reached and not inner and not has_key:
            missed.append(f"{type(button).__name__} {name}")
    return missed


def _ancestors(widget: QWidget) -> Iterator[QWidget]:
    parent = widget.parentWidget()
    while parent is not None:
        yield parent
        parent = parent.parentWidget()


def unseen_stops(window: QWidget, leave_out: QWidget | None = None) -> list[str]:
    """Return where the keyboard can be in `window` without anybody seeing that; what `leave_out` holds is not asked."""
    seen: set[QWidget] = set()
    missed = []
    # One by one: what is looked up meanwhile takes the place of what stood there.
    while waiting := [stop for stop in tab_stops(window) if stop not in seen]:
        stop = waiting[0]
        seen.add(stop)
        is_asked = leave_out is None or not (stop is leave_out or leave_out.isAncestorOf(stop))
        if is_asked and _looks_the_same_with_focus(window, stop):
            missed.append(f"{type(stop).__name__} {stop.accessibleName()}")
    return missed


def _looks_the_same_with_focus(window: QWidget, widget: QWidget) -> bool:
    """Say whether nothing shows that the keyboard is at `widget`; its surroundings may be what does."""
    before, area = QRect(), _bring_into_view(window, widget)
    # Once more where what is looked up meanwhile has moved it.
    while isValid(widget) and area != before:
        if _is_focus_seen(window, widget, area):
            return False
        before, area = area, _bring_into_view(window, widget)
    return isValid(widget)


def _bring_into_view(window: QWidget, widget: QWidget) -> QRect:
    """Return the place of `widget` and its surroundings in `window`; empty if it is gone."""
    for up in _ancestors(widget) if isValid(widget) else ():
        if isinstance(up, QScrollArea):
            up.ensureWidgetVisible(widget)
    QApplication.processEvents()
    if not isValid(widget):
        return QRect()
    area = widget.rect().translated(widget.mapTo(window, widget.rect().topLeft()))
    return area.adjusted(-6, -6, 6, 6).intersected(window.rect())


def _is_focus_seen(window: QWidget, widget: QWidget, area: QRect) -> bool:
    pictures = []
    for reason in (None, Qt.FocusReason.TabFocusReason):
        if reason is None:
            widget.clearFocus()
        else:
            widget.setFocus(reason)
        QApplication.processEvents()
        if not isValid(widget):
            return True
        pictures.append(window.grab(area).toImage())
    return pictures[0] != pictures[1]
