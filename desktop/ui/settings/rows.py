"""The rows that settings pages are made of: what to show, how to read it, how to write it; and a page of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QPlainTextEdit, QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.engine import BrowserSetup, Preferences, Searches, Services, ToolServers
from desktop.settings.model import Settings
from desktop.ui.stores.catalogue import CatalogueStore, EmbedderStore
from desktop.ui.stores.global_shortcut import GlobalShortcut
from desktop.ui.stores.knowledge_store import KnowledgeStore
from desktop.ui.stores.local_models import LocalModelStore
from desktop.ui.stores.memory_store import MemoryStore
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.widgets.layout import NoWheelComboBox, NoWheelDoubleSpinBox, NoWheelSpinBox, hbox, label, vbox

_T = TypeVar("_T")

_CONTROL_WIDTH = 250
_MOST_WIDTH = 320
"""For the longest of several values."""

_HEIGHT = 92


def nothing() -> None:
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
    data_changed: Callable[[], None] = nothing
    """To be called when conversations, memories or bases were put in the place of others."""
    show_knowledge: Callable[[], None] = nothing
    """Shows the knowledge bases, in a window of their own."""

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


def _with_field(path: str, settings: Settings, value: object) -> Settings:
    section, _, name = path.rpartition(".")
    changes: dict[str, Any] = {name: value}
    if section:
        changes = {section: replace(getattr(settings, section), **changes)}
    return replace(settings, **changes)


@dataclass(frozen=True)
class HeadingRow:
    """A heading over the rows that follow."""

    text: str
    help: str = ""

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
        width = min(max(box.sizeHint().width(), _CONTROL_WIDTH), _MOST_WIDTH)
        return make_labelled_row(self.label, self.help, box, parent, width=width)


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


def make_labelled_row(
    text: str, help_text: str, control: QWidget, parent: QWidget, *, width: int | None = _CONTROL_WIDTH
) -> QWidget:
    """Return a row with a label on the left and its control on the right, linked for screen readers.

    Without a `width` the control has its preferred width.
    """
    holder = QWidget(parent)
    row = hbox(holder, spacing=16, margins=(0, 4, 0, 4))
    words = vbox(spacing=2)
    name = label(holder, text)
    name.setBuddy(control)
    words.addWidget(name)
    if help_text:
        words.addWidget(label(holder, help_text, "muted", "small"))
    row.addLayout(words, 1)
    if width is not None and not isinstance(control, QCheckBox):
        control.setFixedWidth(width)
    row.addWidget(control, 0, Qt.AlignmentFlag.AlignVCenter)
    control.setAccessibleName(text)
    control.setAccessibleDescription(help_text)
    return holder


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
        edit.setFixedHeight(_HEIGHT)
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


@runtime_checkable
class ShowsPages(Protocol):
    """The dialog that shows the pages, for a row that links to another page."""

    def go_to(self, page_id: str) -> None:
        """Show a page."""
        ...
