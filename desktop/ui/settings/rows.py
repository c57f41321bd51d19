"""The rows that settings pages are made of: what to show, how to read it, how to write it; and a page of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from desktop.background import BackgroundLoop
from desktop.chat.api.engine import Searches, Services, ToolServers
from desktop.chat.api.system import BrowserSetup, Preferences
from desktop.settings.model import Settings
from desktop.ui.dialogs.guide_dialogs import GuideDialog
from desktop.ui.stores.catalogue import CatalogueStore, EmbedderStore, LocalModelStore
from desktop.ui.stores.global_shortcut import GlobalShortcut
from desktop.ui.stores.knowledge_store import KnowledgeStore
from desktop.ui.stores.memory_store import MemoryStore
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.widgets.layout import NoWheelComboBox, NoWheelDoubleSpinBox, NoWheelSpinBox, hbox, label, vbox

_T = TypeVar("_T")

_COLUMN_CHARS = 38
_LEAST_COLUMN = 260
"""The width of the column of controls: for so many characters, and at least so many pixels."""

_MOST_COLUMN_CHARS = 46
_MOST_COLUMN = 320
"""The width of the column for the longest of several values: for so many characters, and at least so many pixels."""

_LEAST_WORDS = 0.8
"""The width that a name needs beside its control, as a share of the column; with less, the control stands below it."""

_GAP = 16

_MOST_LINES = 6
_AROUND_LINES = 20
"""What a text field is higher than its lines, in pixels."""


def do_nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True)
class SettingsContext:
    """What rows have access to. `conversation` is the id of the open conversation, or empty."""

    engine: Services
    loop: BackgroundLoop
    store: SettingsStore
    catalogue: CatalogueStore
    memory: MemoryStore
    knowledge_store: KnowledgeStore
    embedders: EmbedderStore
    local_models: LocalModelStore
    quick_key: GlobalShortcut
    conversation: str = ""
    data_changed: Callable[[], None] = do_nothing
    """To be called when conversations, memories or bases were put in the place of others."""
    show_knowledge: Callable[[], None] = do_nothing
    """Shows the knowledge bases, in a window of their own."""
    show_page: Callable[[str], None] = lambda _page_id: None
    """Shows another page of the settings."""

    @property
    def preferences(self) -> Preferences:
        """Settings and secrets."""
        return self.engine.preferences

    @property
    def browser(self) -> BrowserSetup:
        """The browser that reads result pages."""
        return self.engine.browser

    @property
    def searches(self) -> Callable[[], Searches]:
        """The health of the search engines."""
        return self.engine.searches

    @property
    def tool_servers(self) -> ToolServers:
        """The user's tool servers."""
        return self.engine.tool_servers


class SettingsRow(Protocol):
    """The interface of a row of a page."""

    @property
    def words(self) -> tuple[str, ...]:
        """The texts that the search finds the row by; the first is its title."""
        ...

    def build(self, context: SettingsContext, parent: QWidget) -> QWidget:
        """Return the row's widget, showing the current settings."""
        ...


@dataclass(frozen=True)
class Binding(Generic[_T]):
    """How a row reads its value from the settings, and writes it."""

    read: Callable[[Settings], _T]
    write: Callable[[Settings, _T], Settings]


def bind(place: "str | Binding[_T]") -> "Binding[_T]":
    """Return how to read and write a value; a path such as `search.result_count` names a field of the settings."""
    return place if isinstance(place, Binding) else Binding(attrgetter(place), partial(_with_field, place))


def show_guide(page: str, parent: QWidget, _checked: bool = False) -> None:
    """Open a page of the user guide over the window of `parent`."""
    dialog = GuideDialog(page, parent.window())
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()


def _guide_row(page: str, heading: str, parent: QWidget) -> QHBoxLayout:
    words = QCoreApplication.translate("settings_rows", "Learn more")
    button = QPushButton(words, parent)
    button.setProperty("flat", "true")
    button.setProperty("link", "true")
    button.setAccessibleName(f"{words}: {heading}")
    button.clicked.connect(partial(show_guide, page, parent))
    row = hbox()
    row.addWidget(button)
    row.addStretch(1)
    return row


def _with_field(path: str, settings: Settings, value: object) -> Settings:
    section, _, name = path.rpartition(".")
    changes: dict[str, Any] = {name: value}
    if section:
        changes = {section: replace(getattr(settings, section), **changes)}
    return replace(settings, **changes)


@dataclass(frozen=True)
class HeadingRow:
    """A heading over the rows that follow; *Learn more* opens the page `guide` of the user guide."""

    text: str
    help: str = ""
    guide: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The texts that the search finds the row by."""
        return (self.text, self.help)

    def build(self, context: SettingsContext, parent: QWidget) -> QWidget:
        """Return the heading."""
        holder = QWidget(parent)
        column = vbox(holder, spacing=2, margins=(0, 14, 0, 2))
        column.addWidget(label(holder, self.text, "heading"))
        if self.help:
            column.addWidget(label(holder, self.help, "muted"))
        if self.guide:
            column.addLayout(_guide_row(self.guide, self.text, holder))
        return holder


@dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    text: str
    looks: tuple[str, ...] = ("muted",)

    @property
    def words(self) -> tuple[str, ...]:
        """The texts that the search finds the row by."""
        return (self.text,)

    def build(self, context: SettingsContext, parent: QWidget) -> QWidget:
        """Return the paragraph."""
        return label(parent, self.text, *self.looks)


@dataclass(frozen=True)
class Choice:
    """One of several values."""

    label: str
    options: Sequence[tuple[object, str]]
    value: "str | Binding[object]"
    help: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The texts that the search finds the row by."""
        return (self.label, self.help, *(text for _option, text in self.options))

    def build(self, context: SettingsContext, parent: QWidget) -> QWidget:
        """Return a combo box; a value that is not among the options is shown unchanged."""
        box = NoWheelComboBox(parent)
        value = bind(self.value).read(context.store.settings)
        options = list(self.options)
        if value not in [option for option, _text in options]:
            options.append((value, str(value)))
        for _option, text in options:
            box.addItem(text)
        box.setCurrentIndex([option for option, _text in options].index(value))
        box.activated.connect(partial(_write_option, context.store, self.value, options))
        return make_labelled_row(self.label, self.help, box, parent)


@dataclass(frozen=True)
class Toggle:
    """A check box."""

    label: str
    value: "str | Binding[bool]"
    help: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The texts that the search finds the row by."""
        return (self.label, self.help)

    def build(self, context: SettingsContext, parent: QWidget) -> QWidget:
        """Return a check box."""
        box = QCheckBox(parent)
        box.setChecked(bind(self.value).read(context.store.settings))
        box.toggled.connect(partial(_write, context.store, self.value))
        return make_labelled_row(self.label, self.help, box, parent)


@dataclass(frozen=True)
class Number:
    """A whole number within bounds."""

    label: str
    bounds: tuple[int, int]
    value: "str | Binding[int]"
    help: str = ""
    suffix: str = ""
    step: int = 1
    least: str = ""
    """Words in place of the lower bound."""

    @property
    def words(self) -> tuple[str, ...]:
        """The texts that the search finds the row by."""
        return (self.label, self.help)

    def build(self, context: SettingsContext, parent: QWidget) -> QWidget:
        """Return a field with arrow keys."""
        box = NoWheelSpinBox(parent)
        box.setRange(*self.bounds)
        box.setSingleStep(self.step)
        box.setSuffix(self.suffix)
        box.setSpecialValueText(self.least)
        box.setValue(bind(self.value).read(context.store.settings))
        box.valueChanged.connect(partial(_write, context.store, self.value))
        return make_labelled_row(self.label, self.help, box, parent)


@dataclass(frozen=True)
class Percentage:
    """A number from 0 to 1 with two decimals."""

    label: str
    value: "str | Binding[float]"
    help: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The texts that the search finds the row by."""
        return (self.label, self.help)

    def build(self, context: SettingsContext, parent: QWidget) -> QWidget:
        """Return a field with arrow keys."""
        box = NoWheelDoubleSpinBox(parent)
        box.setRange(0.0, 1.0)
        box.setSingleStep(0.05)
        box.setDecimals(2)
        box.setValue(bind(self.value).read(context.store.settings))
        box.valueChanged.connect(partial(_write, context.store, self.value))
        return make_labelled_row(self.label, self.help, box, parent)


@dataclass(frozen=True)
class Text:
    """A line of text, saved when the field loses the focus."""

    label: str
    value: "str | Binding[str]"
    help: str = ""
    placeholder: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The texts that the search finds the row by."""
        return (self.label, self.help)

    def build(self, context: SettingsContext, parent: QWidget) -> QWidget:
        """Return a text field."""
        edit = QLineEdit(bind(self.value).read(context.store.settings), parent)
        edit.setPlaceholderText(self.placeholder)
        edit.editingFinished.connect(partial(_write_text, context.store, self.value, edit))
        return make_labelled_row(self.label, self.help, edit, parent)


@dataclass(frozen=True)
class Panel:
    """A custom widget, for more than one value; the search finds it by `words`."""

    make: Callable[[SettingsContext, QWidget], QWidget]
    words: tuple[str, ...] = ()

    def build(self, context: SettingsContext, parent: QWidget) -> QWidget:
        """Return the widget."""
        return self.make(context, parent)


class LabelledRow(QWidget):
    """A name with its control in the column of controls; below it where the row is narrow.

    A click anywhere on the row of a switch turns it.
    """

    def __init__(self, words: QBoxLayout, control: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self._control = control
        self._column = QWidget(self)
        inner = hbox(self._column, spacing=0)
        self._is_switch = isinstance(control, QCheckBox)
        self._longest = control.sizeHint().width()
        if isinstance(control, QComboBox):
            control.view().setMinimumWidth(self._longest)
            control.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        if self._is_switch:
            control.setProperty("switch", "true")
        fills = control.layout() is not None or isinstance(control, QLineEdit | QComboBox | QAbstractSpinBox)
        inner.addWidget(
            control, 1 if fills else 0, Qt.AlignmentFlag(0) if fills else Qt.AlignmentFlag.AlignLeft
        )
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setSpacing(_GAP)
        self._row.setContentsMargins(0, 4, 0, 4)
        self._row.addLayout(words, 1)
        self._row.addWidget(self._column, 0, Qt.AlignmentFlag.AlignVCenter)
        self._width = 0
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Adapt the column to the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the control beside its name or below it."""
        super().resizeEvent(event)
        self._arrange(event.size().width())

    def minimumSizeHint(self) -> QSize:
        """Return the width that the control needs below its name, so that a narrow page need not scroll sideways."""
        least = super().minimumSizeHint()
        return least if self._is_switch else QSize(self._control.minimumSizeHint().width(), least.height())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Turn the switch of the row."""
        super().mouseReleaseEvent(event)
        is_inside = self.rect().contains(event.position().toPoint())
        is_left = event.button() is Qt.MouseButton.LeftButton
        if is_left and is_inside and isinstance(self._control, QCheckBox) and self._control.isEnabled():
            self._control.click()

    def _fit(self) -> None:
        if self._is_switch:
            return
        char = self.fontMetrics().averageCharWidth()
        needed = self._control.minimumSizeHint().width()
        if isinstance(self._control, QComboBox):
            # The longest of its values may be cut, in its list it is whole.
            needed = min(self._longest, max(char * _MOST_COLUMN_CHARS, _MOST_COLUMN))
        self._width = max(char * _COLUMN_CHARS, _LEAST_COLUMN, needed)
        self._arrange(self.width())

    def _arrange(self, width: int) -> None:
        is_beside = self._is_switch or width >= self._width * (1 + _LEAST_WORDS) + _GAP
        directions = QBoxLayout.Direction
        self._row.setDirection(directions.LeftToRight if is_beside else directions.TopToBottom)
        self._row.setSpacing(_GAP if is_beside else _GAP // 3)
        if not self._is_switch:
            # Below its name, a control whose height depends on its width gets all: Qt computes the height for that.
            below = width if self._control.hasHeightForWidth() else min(self._width, width)
            self._column.setFixedWidth(self._width if is_beside else below)


def make_labelled_row(text: str, help_text: str, control: QWidget, parent: QWidget) -> QWidget:
    """Return a row with a label on the left and its control beside it, linked for screen readers."""
    words = vbox(spacing=2)
    name = label(parent, text)
    name.setBuddy(control)
    words.addWidget(name)
    if help_text:
        words.addWidget(label(parent, help_text, "muted", "small"))
    control.setAccessibleName(text)
    control.setAccessibleDescription(help_text)
    return LabelledRow(words, control, parent)


def _write(store: SettingsStore, place: "str | Binding[_T]", value: _T) -> None:
    store.apply(bind(place).write(store.settings, value))


def _write_option(
    store: SettingsStore, place: "str | Binding[object]", options: Sequence[tuple[object, str]], at: int
) -> None:
    _write(store, place, options[at][0])


def _write_text(store: SettingsStore, place: "str | Binding[str]", edit: QLineEdit) -> None:
    _write(store, place, edit.text().strip())


class LinesEdit(QPlainTextEdit):
    """A small text field.

    Signals:
        left: the field lost the focus.
    """

    left = Signal()
    _most_lines = 0

    def grow(self, most_lines: int) -> None:
        """Be as high as the lines, from one to `most_lines`."""
        self._most_lines = most_lines
        self.blockCountChanged.connect(self._fit)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Fit to another font."""
        super().changeEvent(event)
        if self._most_lines and event.type() in {QEvent.Type.FontChange, QEvent.Type.StyleChange}:
            self._fit()

    @Slot()
    def _fit(self) -> None:
        lines = min(self.blockCount(), self._most_lines)
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + _AROUND_LINES)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Signal that the input is complete."""
        super().focusOutEvent(event)
        self.left.emit()


@dataclass(frozen=True)
class TextList:
    """Several lines, saved when the field loses the focus, without empty lines.

    `problem` returns what is wrong with a line; nothing is saved while a line is invalid.
    """

    label: str
    value: "str | Binding[tuple[str, ...]]"
    help: str = ""
    placeholder: str = ""
    problem: Callable[[str], str] = lambda _line: ""

    @property
    def words(self) -> tuple[str, ...]:
        """The texts that the search finds the row by."""
        return (self.label, self.help)

    def build(self, context: SettingsContext, parent: QWidget) -> QWidget:
        """Return the label with the field below it."""
        holder = QWidget(parent)
        column = vbox(holder, spacing=4, margins=(0, 4, 0, 4))
        name = label(holder, self.label)
        column.addWidget(name)
        if self.help:
            column.addWidget(label(holder, self.help, "muted", "small"))
        edit = LinesEdit(holder)
        edit.setObjectName("lines")
        edit.setPlainText("\n".join(bind(self.value).read(context.store.settings)))
        edit.setPlaceholderText(self.placeholder)
        edit.grow(_MOST_LINES)
        edit.setTabChangesFocus(True)
        edit.setAccessibleName(self.label)
        edit.setAccessibleDescription(self.help)
        problem = label(holder, "", "danger", "small")
        problem.hide()
        edit.left.connect(partial(self._take, context.store, edit, problem))
        name.setBuddy(edit)
        column.addWidget(edit)
        column.addWidget(problem)
        return holder

    def _take(self, store: SettingsStore, edit: QPlainTextEdit, problem: QLabel) -> None:
        lines = tuple(line.strip() for line in edit.toPlainText().splitlines() if line.strip())
        words = next(filter(None, map(self.problem, lines)), "")
        problem.setText(words)
        problem.setVisible(bool(words))
        if not words:
            _write(store, self.value, lines)


@dataclass(frozen=True)
class SettingsPageWidget:
    """A page; title and rows are built again when the language changes."""

    id: str
    icon: str
    title: Callable[[], str]
    rows: Callable[[SettingsContext], Sequence[SettingsRow]]


@dataclass(frozen=True)
class PageGroup:
    """Pages that stand below one heading in the list of pages."""

    title: Callable[[], str]
    pages: tuple[SettingsPageWidget, ...]
