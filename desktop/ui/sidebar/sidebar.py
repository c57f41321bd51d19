"""The sidebar: new chat, filter, the conversations by date, and the ways to knowledge and settings."""

from datetime import datetime, time, timedelta
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPalette, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QMenu,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from desktop.domain.assistants import GENERAL, Assistant
from desktop.domain.messages import ConversationInfo
from desktop.ui.i18n import Retranslated
from desktop.ui.sidebar.conversation_model import ConversationModel, local_now
from desktop.ui.sidebar.conversation_view import ConversationView
from desktop.ui.widgets.access_keys import add_access_keys
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.labels import assistant_name, with_badge
from desktop.ui.widgets.layout import add_choice, hbox, label, vbox

_NARROW = 34


class AssistantFilter(Retranslated, IconButton):
    """Offers all assistants; in the accent while one is chosen.

    Signals:
        picked: id of an assistant, empty for conversations without one; None for all.
    """

    picked = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__("filter", parent, QPalette.ColorRole.PlaceholderText)
        self._assistants: tuple[Assistant, ...] = ()
        self.choice: str | None = None
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMenu(add_access_keys(QMenu(self)))
        self.menu().aboutToShow.connect(self._fill)
        self._refresh()

    def set_assistants(self, assistants: tuple[Assistant, ...]) -> None:
        """Offer `assistants`; where the chosen one is gone, all are shown."""
        self._assistants = assistants
        if self.choice and all(assistant.id != self.choice for assistant in assistants):
            self._pick(None)
        self._refresh()

    def choose(self, choice: str | None) -> None:
        """Show the conversations of one assistant, or with None those of all."""
        if choice != self.choice:
            self._pick(choice)
            self._refresh()

    def _retranslate(self) -> None:
        self._refresh()

    def _refresh(self) -> None:
        chosen = (each for each in (GENERAL, *self._assistants) if each.id == self.choice)
        name = next(map(assistant_name, chosen), self.tr("All assistants"))
        self.set_words(self.tr("Show chats with {assistant}").format(assistant=name))
        is_on = self.choice is not None
        self.set_role(QPalette.ColorRole.Highlight if is_on else QPalette.ColorRole.PlaceholderText)

    @Slot()
    def _fill(self) -> None:
        menu = self.menu()
        menu.clear()
        self._add(menu, None, self.tr("All assistants"))
        menu.addSeparator()
        for assistant in (GENERAL, *self._assistants):
            self._add(menu, assistant.id, with_badge(assistant, menu.font()))

    def _add(self, menu: QMenu, choice: str | None, text: str) -> None:
        add_choice(menu, text, partial(self._on_picked, choice), is_chosen=choice == self.choice)

    def _on_picked(self, choice: str | None, _checked: bool = False) -> None:
        self.choose(choice)

    def _pick(self, choice: str | None) -> None:
        self.choice = choice
        self.picked.emit(choice)


class Sidebar(Retranslated, QFrame):
    """What is left of the conversation.

    Signals:
        new_asked, knowledge_asked, settings_asked: the buttons.
        new_folder_asked: a new folder is wanted.
    """

    new_asked = Signal()
    knowledge_asked = Signal()
    settings_asked = Signal()
    new_folder_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.model = ConversationModel(self)
        self.view = ConversationView(self.model, self)
        self.filter = QLineEdit(self)
        self.filter.setObjectName("filter")
        self.filter.setClearButtonEnabled(True)
        self._down = QShortcut(Qt.Key.Key_Down, self.filter, context=Qt.ShortcutContext.WidgetShortcut)
        self.assistants = AssistantFilter(self)
        self._new_folder = IconButton("folder-new", self, QPalette.ColorRole.PlaceholderText)
        for button in (self.assistants, self._new_folder):
            button.setMaximumWidth(_NARROW)
        self._nothing = label(self, "", "muted")
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._new = _wide_button("compose", self)
        self._knowledge = _wide_button("library", self)
        self._settings = _wide_button("settings", self)
        self._selected = ""
        self._midnight = QTimer(self)
        self._midnight.setSingleShot(True)
        self._lay_out()
        self._connect()
        self._retranslate()
        self._wait_for_midnight()

    @property
    def drop_buttons(self) -> tuple[IconButton, IconButton]:
        """The buttons for a new conversation and for the knowledge bases: files can be dropped on both."""
        return self._new, self._knowledge

    @property
    def tab_stops(self) -> tuple[QWidget, ...]:
        """What the keyboard reaches here, from top to bottom."""
        above = (self._new, self.filter, self.assistants, self._new_folder)
        return (*above, self.view, self._knowledge, self._settings)

    def show_conversations(self, infos: tuple[ConversationInfo, ...]) -> None:
        """Show the conversations on disk."""
        self.model.show(infos)

    @Slot(str)
    def select(self, conversation_id: str) -> None:
        """Mark the open conversation, and choose it alone; an empty id marks none."""
        if conversation_id == self._selected:
            return
        self.model.set_open(conversation_id)
        self._selected = conversation_id
        self._choose_open()

    def neighbour(self, step: int) -> str:
        """Return the conversation `step` rows below the open one, going round; empty when there is none."""
        ids = self.model.ids
        if not ids:
            return ""
        if self._selected not in ids:
            return ids[0]
        return ids[(ids.index(self._selected) + step) % len(ids)]

    def show_all(self) -> None:
        """Look for nothing in particular any more."""
        self.filter.clear()
        self.assistants.choose(None)

    @Slot()
    def focus_filter(self) -> None:
        """Let the user type what to look for, wherever the sidebar is."""
        self.show()
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @Slot(object)
    def set_assistants(self, assistants: tuple[Assistant, ...]) -> None:
        """Show `assistants` with their conversations, and let the user look at those of one."""
        self.model.set_assistants(assistants)
        self.assistants.set_assistants(assistants)

    def _lay_out(self) -> None:
        column = vbox(self, margins=(10, 10, 10, 10))
        column.addWidget(self._new)
        search = hbox(spacing=0)
        search.addWidget(self.filter, 1)
        search.addWidget(self.assistants)
        search.addWidget(self._new_folder)
        column.addLayout(search)
        column.addSpacing(2)
        column.addWidget(self.view, 1)
        column.addWidget(self._nothing, 1)
        ways = vbox(spacing=0)
        ways.addWidget(self._knowledge)
        ways.addWidget(self._settings)
        column.addLayout(ways)
        self._nothing.hide()

    def _connect(self) -> None:
        for signal, slot in (
            (self._new.clicked, self.new_asked),
            (self._knowledge.clicked, self.knowledge_asked),
            (self._settings.clicked, self.settings_asked),
            (self._new_folder.clicked, self.new_folder_asked),
            (self.view.new_folder_asked, self.new_folder_asked),
            (self.filter.textChanged, self.model.set_filter),
            (self._down.activated, self._on_down),
            (self.filter.returnPressed, self._on_filter_entered),
            (self.assistants.picked, self._on_assistant_picked),
            (self.model.rowsInserted, self._on_rows_changed),
            (self.model.rowsRemoved, self._on_rows_changed),
            (self.model.modelReset, self._on_reset),
            (self._midnight.timeout, self._on_midnight),
        ):
            signal.connect(slot)

    def _retranslate(self) -> None:
        self._new.set_words(self.tr("New chat"))
        self._knowledge.set_words(self.tr("Knowledge"))
        self._settings.set_words(self.tr("Settings"))
        self.filter.setPlaceholderText(self.tr("Search chats"))
        self.filter.setAccessibleName(self.tr("Search chats"))
        self._new_folder.set_words(self.tr("New folder"))
        self.view.retranslate()
        self.model.retranslate()
        self._say_why_empty()

    def _say_why_empty(self) -> None:
        is_empty = self.model.rowCount() == 0
        self.view.setVisible(not is_empty)
        self._nothing.setVisible(is_empty)
        is_filtered = bool(self.filter.text()) or self.assistants.choice is not None
        no_match, no_chat = (
            self.tr("No matching chats"),
            self.tr("Your chats appear here. Press F1 for keyboard shortcuts."),
        )
        self._nothing.setText(no_match if is_filtered else no_chat)

    def _choose_open(self) -> None:
        self.view.choose(self.model.row_of(self._selected))

    def _wait_for_midnight(self) -> None:
        now = local_now()
        midnight = datetime.combine(now.date() + timedelta(days=1), time(), now.tzinfo)
        self._midnight.start(round((midnight - now).total_seconds() * 1000) + 1000)

    @Slot()
    def _on_midnight(self) -> None:
        self.model.refresh_dates()
        self._wait_for_midnight()

    @Slot()
    def _on_rows_changed(self) -> None:
        if not self.view.currentIndex().isValid():  # a new conversation comes into the list when it is open
            self._choose_open()
        self._say_why_empty()

    @Slot()
    def _on_reset(self) -> None:
        self._choose_open()
        self._say_why_empty()

    @Slot(object)
    def _on_assistant_picked(self, assistant_id: str | None) -> None:
        self.model.set_assistant_filter(assistant_id)
        self._say_why_empty()

    @Slot()
    def _on_down(self) -> None:
        """Go from the words that are looked for to what was found."""
        if ids := self.model.ids:
            self.view.setFocus(Qt.FocusReason.TabFocusReason)
            self.view.choose(self.model.row_of(ids[0]))

    @Slot()
    def _on_filter_entered(self) -> None:
        ids = self.model.ids
        if ids:
            self.view.chosen.emit(ids[0])


def _wide_button(icon_name: str, parent: QWidget) -> IconButton:
    button = IconButton(icon_name, parent, QPalette.ColorRole.ButtonText)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    return button
