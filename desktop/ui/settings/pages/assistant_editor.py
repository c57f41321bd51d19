"""The editor of one assistant in the settings, and its fields; every change applies at once."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import cast

from PySide6.QtCore import QCoreApplication, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFormLayout,
    QFrame,
    QLineEdit,
    QMenu,
    QPushButton,
    QSizePolicy,
    QWidget,
    QWidgetAction,
)

from desktop.domain.assistants import (
    MAX_FIELDS_CHARS,
    Assistant,
    Effort,
    FieldsTaken,
    Parameters,
    request_fields,
)
from desktop.domain.knowledge import ItemInfo, parse_scope
from desktop.domain.search import WEB_AUTO, WEB_OFF
from desktop.ui.settings.rows import LinesEdit, SettingsContext
from desktop.ui.stores.knowledge_store import KnowledgeStore
from desktop.ui.widgets.access_keys import add_access_keys
from desktop.ui.widgets.labels import model_name
from desktop.ui.widgets.layout import (
    NoWheelComboBox,
    NoWheelDoubleSpinBox,
    NoWheelSpinBox,
    add_choice,
    hbox,
    label,
    plain_name,
    vbox,
)
from desktop.ui.widgets.model_menu import CheckMenu
from desktop.ui.widgets.scope_tree import ScopeTree, choice_lines

_HEIGHT = 62
_EXAMPLE = '{"seed": 7}'

_Options = Sequence[tuple[str, str]]

_ICON_WIDTH = 56
_SPARE = 40
"""The width that fields beside their names have above their minimum, in pixels; with less they stand below them."""
_PROMPT_HEIGHT = 190
_SUGGESTIONS_HEIGHT = 84
_MOST_ICON = 16
_TOKENS = (256, 2_000_000)
_ROUNDS = (1, 100)
_TEMPERATURE = (0.0, 2.0)
_TOP_P = (0.05, 1.0)


class JsonField(QWidget):
    """A field for a JSON object, with its error below it; invalid input is not applied.

    Signals:
        edited: the user has typed another valid object.
    """

    edited = Signal()

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.text = text
        self.edit = LinesEdit(self)
        self.edit.setObjectName("lines")
        self.edit.setPlainText(text)
        self.edit.setPlaceholderText(_EXAMPLE)
        self.edit.setFixedHeight(_HEIGHT)
        self.edit.setTabChangesFocus(True)
        self.setFocusProxy(self.edit)
        self.problem = label(self, "", "danger", "small")
        self.problem.hide()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        column = vbox(self, spacing=4)
        column.addWidget(self.edit)
        column.addWidget(self.problem)
        self.edit.textChanged.connect(self._on_text_changed)
        self.edit.left.connect(self._on_left)

    def setAccessibleName(self, name: str) -> None:
        """Set the accessible name of the text field."""
        super().setAccessibleName(name)
        self.edit.setAccessibleName(name)

    @Slot()
    def _on_text_changed(self) -> None:
        problem = self._problem_of(self.edit.toPlainText())
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.edit.setAccessibleDescription(problem)

    @Slot()
    def _on_left(self) -> None:
        text = self.edit.toPlainText().strip()
        if text != self.text and not self._problem_of(text):
            self.text = text
            self.edited.emit()

    def _problem_of(self, text: str) -> str:
        if len(text) > MAX_FIELDS_CHARS:
            return self.tr("Too long")
        try:
            request_fields(text)
        except FieldsTaken as taken:
            words = self.tr("Not saved: Footnote sets {names} itself.")
            return words.format(names=", ".join(taken.names))
        except ValueError:
            words = self.tr("Not saved: enter a JSON object such as {example}.")
            return words.format(example=_EXAMPLE)
        return ""


class KnowledgeField(QPushButton):
    """The selected bases, files and tags by their keys, or None for the default of the settings.

    Keys of what does not exist now stay selected: a base may be imported again.

    Signals:
        edited: the selection changed.
    """

    edited = Signal()

    def __init__(
        self, knowledge_store: KnowledgeStore, value: tuple[str, ...] | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("choice", "true")
        self.value = value
        self._knowledge_store = knowledge_store
        self._listed: dict[str, Sequence[ItemInfo]] = {}
        menu = add_access_keys(QMenu(self))
        self.unset = menu.addAction(self.tr("Default"))
        self.unset.setCheckable(True)
        menu.addSeparator()
        self.tree = ScopeTree(menu)
        holder = QWidgetAction(menu)
        holder.setDefaultWidget(self.tree)
        menu.addAction(holder)
        # Not the button's own: with one, its words stand at the very edge.
        self.choices = menu
        menu.aboutToShow.connect(self._on_opening)
        self.clicked.connect(self._show_menu)
        self.unset.triggered.connect(self._on_unset)
        self.tree.picked.connect(self._on_picked)
        self.tree.items_asked.connect(knowledge_store.list_items)
        knowledge_store.items_listed.connect(self._on_items_listed)
        self._refresh()

    def _keys(self) -> tuple[str, ...]:
        """Return the keys of what is there, with ids where the value has names."""
        scopes = (parse_scope(key, self._knowledge_store.bases) for key in self.value or ())
        return tuple(scope.key for scope in scopes if scope is not None)

    def _refresh(self) -> None:
        self.unset.setChecked(self.value is None)
        if self.value is None:
            self.setText(self.tr("Default"))
            return
        lines = choice_lines(self._keys(), self._knowledge_store.bases, self._listed)
        missing = [key for key in self.value if parse_scope(key, self._knowledge_store.bases) is None]
        self.setText(", ".join((*lines, *missing)) or self.tr("None"))

    @Slot()
    def _show_menu(self) -> None:
        self.choices.popup(self.mapToGlobal(self.rect().bottomLeft()))

    @Slot()
    def _on_opening(self) -> None:
        self.tree.offer(self._knowledge_store.bases, self._keys())

    @Slot(bool)
    def _on_unset(self, is_unset: bool) -> None:
        self.value = None if is_unset else ()
        self.tree.offer(self._knowledge_store.bases, ())
        self._refresh()
        self.edited.emit()

    @Slot(object)
    def _on_picked(self, keys: tuple[str, ...]) -> None:
        missing = (key for key in self.value or () if parse_scope(key, self._knowledge_store.bases) is None)
        self.value = (*keys, *missing)
        self._refresh()
        self.edited.emit()

    @Slot(str, object)
    def _on_items_listed(self, base_id: str, items: Sequence[ItemInfo]) -> None:
        self._listed[base_id] = items
        self.tree.set_items(base_id, items)
        self._refresh()


class OptionalChoice(NoWheelComboBox):
    """A choice of one value; the first is the empty one.

    Signals:
        edited: the user chose another value.
    """

    edited = Signal()

    def __init__(self, options: _Options, value: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        known = [key for key, _text in options]
        # What is not there now, such as a model whose server is off, stays what was chosen.
        for key, text in (*options, *(((value, value),) if value not in known else ())):
            self.addItem(text, key)
        self.setCurrentIndex(self.findData(value))
        self.activated.connect(self.edited)

    @property
    def value(self) -> str:
        """The selected value."""
        return str(self.currentData())


class OptionalChoices(QPushButton):
    """A choice of any of several values, or None for the default of the settings.

    Signals:
        edited: the user chose other values.
    """

    edited = Signal()

    def __init__(self, options: _Options, value: tuple[str, ...] | None, unset: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("choice", "true")
        self._options = options
        self._unset = unset
        self.value = value
        # Not the button's own: with one, its words stand at the very edge.
        self.choices = CheckMenu(self)
        self.choices.aboutToShow.connect(self._fill)
        self.clicked.connect(self._show_menu)
        self._refresh()

    @Slot()
    def _show_menu(self) -> None:
        self.choices.popup(self.mapToGlobal(self.rect().bottomLeft()))

    @Slot()
    def _fill(self) -> None:
        menu = self.choices
        menu.clear()
        add_choice(menu, self._unset, self._on_unset, is_chosen=self.value is None)
        menu.addSeparator()
        for key, text in self._options:
            is_chosen = self.value is not None and key in self.value
            add_choice(menu, text, partial(self._on_toggled, key), is_chosen=is_chosen)
        if not self._options:
            menu.addAction(self.tr("None yet")).setEnabled(False)

    def _on_unset(self, is_unset: bool) -> None:
        self._choose(None if is_unset else ())

    def _on_toggled(self, key: str, _checked: bool = False) -> None:
        chosen = self.value or ()
        others = tuple(each for each in chosen if each != key)
        self._choose(others if key in chosen else (*others, key))

    def _choose(self, value: tuple[str, ...] | None) -> None:
        self.value = value
        actions = self.choices.actions()
        if actions:
            actions[0].setChecked(value is None)
        if value is None:
            for action in actions[1:]:
                action.setChecked(False)
        self._refresh()
        self.edited.emit()

    def _refresh(self) -> None:
        if self.value is None:
            self.setText(self._unset)
            return
        names = dict(self._options)
        shown = ", ".join(names.get(key, key) for key in self.value)
        self.setText(plain_name(shown) or self.tr("None"))


class OptionalInt(NoWheelSpinBox):
    """A whole number from `least` on; the lowest position of the field means None.

    Signals:
        edited: the user chose another number.
    """

    edited = Signal()

    def __init__(
        self, bounds: tuple[int, int], value: int | None, parent: QWidget, *, suffix: str = "", step: int = 1
    ) -> None:
        super().__init__(parent)
        self._least, most = bounds
        self.setRange(0, most)
        self.setSingleStep(step)
        self.setSuffix(suffix)
        self.setSpecialValueText(self.tr("Default"))
        self.setValue(value or 0)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.valueChanged.connect(self.edited)

    @property
    def amount(self) -> int | None:
        """The number."""
        return max(self._least, self.value()) if self.value() else None


class OptionalFloat(NoWheelDoubleSpinBox):
    """A number with two decimals within bounds; the lowest position of the field means None.

    Signals:
        edited: the user chose another number.
    """

    edited = Signal()

    def __init__(
        self, bounds: tuple[float, float], value: float | None, parent: QWidget, *, step: float
    ) -> None:
        super().__init__(parent)
        self._least, most = bounds
        unset = self._least - step
        self.setRange(unset, most)
        self.setSingleStep(step)
        self.setDecimals(2)
        self.setSpecialValueText(self.tr("Default"))
        self.setValue(unset if value is None else value)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.valueChanged.connect(self.edited)

    @property
    def level(self) -> float | None:
        """The number."""
        return round(self.value(), 2) if self.value() > self.minimum() else None


def tool_names() -> tuple[tuple[str, str], ...]:
    """Return the built-in tools with their names."""
    translate = QCoreApplication.translate
    return (
        ("web_search", translate("assistant_editor", "Web search")),
        ("wikipedia_search", translate("assistant_editor", "Wikipedia")),
        ("read_page", translate("assistant_editor", "Read pages")),
        ("knowledge_search", translate("assistant_editor", "Knowledge bases")),
        ("remember", translate("assistant_editor", "Remember")),
    )


class AssistantEditor(QFrame):
    """The fields of an assistant.

    Signals:
        edited: the changed `Assistant`.
    """

    edited = Signal(object)

    def __init__(self, assistant: Assistant, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self._context = context
        self.assistant = assistant
        self._needed = 0
        self._make_texts()
        self._make_choices()
        self._make_parameters()
        self._lay_out()
        self._connect()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the fields below their names where it is narrow."""
        super().resizeEvent(event)
        policies = QFormLayout.RowWrapPolicy
        if self._form.rowWrapPolicy() is policies.DontWrapRows:
            self._needed = self.minimumSizeHint().width() + _SPARE
        is_narrow = event.size().width() < self._needed
        self._form.setRowWrapPolicy(policies.WrapAllRows if is_narrow else policies.DontWrapRows)

    def _make_texts(self) -> None:
        assistant = self.assistant
        self.icon = QLineEdit(assistant.icon, self)
        self.icon.setMaxLength(_MOST_ICON)
        self.icon.setFixedWidth(_ICON_WIDTH)
        self.icon.setPlaceholderText(assistant.name[:1].upper())
        self.icon.setToolTip(self.tr("An emoji or a letter"))
        self.name = QLineEdit(assistant.name, self)
        self.prompt = _lines(assistant.prompt, _PROMPT_HEIGHT, self)
        self.prompt.setPlaceholderText(self.tr("What the assistant does, and how it answers"))
        self.suggestions = _lines("\n".join(assistant.suggestions), _SUGGESTIONS_HEIGHT, self)
        self.suggestions.setPlaceholderText(self.tr("Suggested questions for a new chat, one per line"))

    def _make_choices(self) -> None:
        assistant, catalogue = self.assistant, self._context.catalogue
        same = ("", self.tr("Default"))
        models = ((model.id, model_name(model.id, catalogue.models)) for model in catalogue.models)
        engines = ((engine.id, engine.name) for engine in catalogue.engines)
        webs = ((WEB_OFF, self.tr("Off")), (WEB_AUTO, self.tr("Automatic")), *engines)
        self.model = OptionalChoice((same, *models), assistant.model, self)
        self.web = OptionalChoice((same, *webs), assistant.web, self)
        self.bases = KnowledgeField(self._context.knowledge_store, assistant.bases, self)
        self.tools = OptionalChoices(tool_names(), assistant.tools, self.tr("All tools"), self)
        servers = tuple((each.name, each.name) for each in self._context.store.settings.mcp_servers)
        self.servers = OptionalChoices(servers, assistant.servers, self.tr("All servers"), self)

    def _make_parameters(self) -> None:
        parameters = self.assistant.parameters
        self.temperature = OptionalFloat(_TEMPERATURE, parameters.temperature, self, step=0.1)
        self.top_p = OptionalFloat(_TOP_P, parameters.top_p, self, step=0.05)
        self.effort = OptionalChoice(self._efforts(), parameters.effort, self)
        tokens = self.tr(" tokens")
        self.context = OptionalInt(_TOKENS, parameters.context_tokens, self, suffix=tokens, step=1_000)
        self.answer = OptionalInt(_TOKENS, parameters.answer_tokens, self, suffix=tokens, step=500)
        self.rounds = OptionalInt(_ROUNDS, parameters.tool_rounds, self)
        self.fields = JsonField(parameters.fields, self)

    def _efforts(self) -> Sequence[tuple[str, str]]:
        return (
            ("", self.tr("Default")),
            ("low", self.tr("Low")),
            ("medium", self.tr("Medium")),
            ("high", self.tr("High")),
        )

    def _lay_out(self) -> None:
        form = self._form = QFormLayout()
        form.setHorizontalSpacing(14)
        form.setVerticalSpacing(8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        title = hbox(spacing=8)
        title.addWidget(self.icon)
        title.addWidget(self.name, 1)
        form.addRow(self.tr("Name"), title)
        self.icon.setAccessibleName(self.tr("Icon"))
        self.name.setAccessibleName(self.tr("Name"))
        for text, field in (
            (self.tr("Prompt"), self.prompt),
            (self.tr("Model"), self.model),
            (self.tr("Web search"), self.web),
            (self.tr("Knowledge bases"), self.bases),
            (self.tr("Tools"), self.tools),
            (self.tr("Tool servers"), self.servers),
            (self.tr("Temperature"), self.temperature),
            (self.tr("Top P"), self.top_p),
            (self.tr("Reasoning effort"), self.effort),
            (self.tr("Context limit"), self.context),
            (self.tr("Maximum answer length"), self.answer),
            (self.tr("Maximum tool rounds"), self.rounds),
            (self.tr("Additional request parameters"), self.fields),
            (self.tr("Suggestions"), self.suggestions),
        ):
            field.setAccessibleName(text)
            form.addRow(text, field)
        vbox(self, margins=(16, 14, 16, 14)).addLayout(form)

    def _connect(self) -> None:
        for signal in (
            self.icon.editingFinished,
            self.name.editingFinished,
            self.prompt.left,
            self.suggestions.left,
            *(field.edited for field in (self.model, self.web, self.bases, self.tools, self.servers)),
            *(field.edited for field in (self.temperature, self.top_p, self.effort)),
            *(field.edited for field in (self.context, self.answer, self.rounds, self.fields)),
        ):
            signal.connect(self.keep)

    @Slot()
    def keep(self) -> None:
        """Apply the values of all fields."""
        lines = (line.strip() for line in self.suggestions.toPlainText().splitlines())
        assistant = replace(
            self.assistant,
            name=self.name.text().strip() or self.assistant.name,
            icon=self.icon.text().strip(),
            prompt=self.prompt.toPlainText().strip(),
            model=self.model.value,
            web=self.web.value,
            bases=self.bases.value,
            tools=self.tools.value,
            servers=self.servers.value,
            parameters=Parameters(
                self.temperature.level,
                cast("Effort", self.effort.value),
                self.context.amount,
                self.answer.amount,
                self.rounds.amount,
                self.top_p.level,
                self.fields.text,
            ),
            suggestions=tuple(filter(None, lines)),
        )
        if assistant != self.assistant:
            self.assistant = assistant
            self.edited.emit(assistant)


def _lines(text: str, height: int, parent: QWidget) -> LinesEdit:
    edit = LinesEdit(parent)
    edit.setObjectName("lines")
    edit.setPlainText(text)
    edit.setFixedHeight(height)
    edit.setTabChangesFocus(True)
    return edit
