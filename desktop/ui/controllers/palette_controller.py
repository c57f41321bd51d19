"""The palette: one field that searches chats, messages, files, models, settings and the actions that are possible now."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QWidget

from desktop.domain.history import HistoryPage, HistoryQuery
from desktop.domain.knowledge import ItemInfo
from desktop.domain.messages import MessageStatus
from desktop.ui.actions import ACTIONS, native
from desktop.ui.chat.session_manager import NEW, SessionManager
from desktop.ui.composer.composer import PlusMenu
from desktop.ui.composer.prompts import snippet
from desktop.ui.controllers.completion_controller import CompletionController, excerpt_line
from desktop.ui.controllers.history_controller import HistoryController
from desktop.ui.i18n import Retranslated, in_all_languages
from desktop.ui.sidebar.conversation_view import ConversationView
from desktop.ui.stores.conversations import ConversationListStore, HistorySearch
from desktop.ui.stores.knowledge_store import KnowledgeStore
from desktop.ui.transcript.message_action import ActionHandlers, ActionRequest, MessageAction, message_menu
from desktop.ui.widgets.choice_list import (
    ChoiceModel,
    CompletionGroup,
    CompletionItem,
    best_matching,
    make_choice_view,
)
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.labels import format_date, untitled_label
from desktop.ui.widgets.layout import label, vbox

if TYPE_CHECKING:
    from desktop.ui.settings.dialog import SearchEntry
    from desktop.ui.settings.rows import SettingsContext


_WIDTH = 640
_VISIBLE_ROWS = 12
_GAP = 12
_TOP_SHARE = 9
"""The palette begins at a ninth of the window's height."""

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -8, Qt.Key.Key_PageDown: 8}


class CommandPalette(Retranslated, QFrame):
    """A field and a list over a window. The field keeps the focus; the palette closes when it loses it.

    Signals:
        query_changed: the text of the field.
        chosen: the chosen CompletionItem, and whether it is wanted beside the current choice.
    """

    query_changed = Signal(str)
    chosen = Signal(object, bool)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._before: QWidget | None = None
        self._has_moved = False
        self.setObjectName("suggestions")
        self.field = QLineEdit(self)
        self.field.setObjectName("paletteField")
        self.field.setMaxLength(1000)
        self._glass = self.field.addAction(
            icon("search", self.palette()), QLineEdit.ActionPosition.LeadingPosition
        )
        self.model = ChoiceModel(self)
        self.view = make_choice_view(self.model, self)
        self.state = label(self, "", "muted")
        self.state.setContentsMargins(10, 14, 10, 14)
        self.hint = label(self, "", "muted", "small")
        self.hint.setContentsMargins(10, 2, 10, 2)
        self.hint.setWordWrap(False)
        column = vbox(self, spacing=6, margins=(8, 8, 8, 8))
        for widget in (self.field, self.view, self.state, self.hint):
            column.addWidget(widget)
        self.field.installEventFilter(self)
        window.installEventFilter(self)
        self.field.textChanged.connect(self._on_text_changed)
        self.view.clicked.connect(self._on_clicked)
        self._retranslate()
        self.hide()

    @property
    def current(self) -> CompletionItem | None:
        """The item that Enter chooses."""
        return self.model.choice(self.view.currentIndex())

    def appear(self) -> None:
        """Open the palette with an empty field."""
        if not self.isVisible():
            self._before = self._window.focusWidget()
        self.field.clear()
        self._place()
        self.raise_()
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def leave(self) -> None:
        """Close the palette and give the focus back."""
        before, self._before = self._before, None
        if before is not None and self.field.hasFocus():
            before.setFocus(Qt.FocusReason.PopupFocusReason)
        self.hide()

    def offer(
        self, groups: Sequence[CompletionGroup], *, stays: bool, has_found: bool, is_searching: bool
    ) -> None:
        """Show what was found. With `stays`, an item that the user moved to remains chosen if it is still there.

        Without `has_found` the groups only offer to search elsewhere, and a line says that nothing was found.
        """
        self._has_moved = stays and self._has_moved
        before = self.current if self._has_moved else None
        self.model.show(groups, self.palette())
        self._choose(self.model.row_of(before))
        has_any = self.model.rowCount() > 0
        self.view.setVisible(has_any)
        self.state.setVisible(not has_found)
        self.state.setText(self._searching if is_searching else self._nothing)
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle the keys of the list while the field has the focus, and follow the size of the window."""
        if watched is self._window and event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        if watched is not self.field:
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.FocusOut:
            # A menu of the field, or another program, only borrows the focus.
            if QApplication.activePopupWidget() is None and self._window.isActiveWindow():
                self.leave()
        elif isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.ShortcutOverride and event.key() == Qt.Key.Key_Escape:
                event.accept()  # it would otherwise stop an answer
            elif event.type() == QEvent.Type.KeyPress:
                return self._on_key(event)
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        """Update the icon when the colours change."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._glass.setIcon(icon("search", self.palette()))

    def _on_key(self, event: QKeyEvent) -> bool:
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        elif event.key() in _ENTER and (choice := self.current) is not None:
            self._take(choice, is_beside=held == Qt.KeyboardModifier.ControlModifier)
        elif held == Qt.KeyboardModifier.NoModifier and (step := _STEPS.get(Qt.Key(event.key()))):
            self._has_moved = True
            self._choose(self.model.step(self.view.currentIndex().row(), step))
        else:
            return event.key() in (*_ENTER, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
        return True

    def _take(self, choice: CompletionItem, *, is_beside: bool) -> None:
        self.leave()
        self.chosen.emit(choice, is_beside)

    def _choose(self, row: int) -> None:
        index = self.model.index(row)
        self.view.setCurrentIndex(index)
        if row == self.model.step(-1, 0):
            self.view.scrollToTop()  # its heading is above it
        choice = self.model.choice(index)
        self.hint.setText(self._beside if choice is not None and choice.beside else self._usual)
        # The focus stays in the field: a screen reader reads its description when it changes.
        self.field.setAccessibleDescription(str(index.data(Qt.ItemDataRole.AccessibleTextRole) or ""))

    def _place(self) -> None:
        """Lay the palette out over the upper middle of the window, no larger than it."""
        window = self._window.rect()
        self.setFixedWidth(min(_WIDTH, window.width() - 2 * _GAP))
        top = max(_GAP, window.height() // _TOP_SHARE)
        rows = range(min(self.model.rowCount(), _VISIBLE_ROWS))
        row = max(map(self.view.sizeHintForRow, rows), default=1)
        others = self.field.sizeHint().height() + self.hint.sizeHint().height() + 4 * _GAP
        space = max(3, (window.height() - top - _GAP - others) // row)
        self.view.setFixedHeight(min(self.model.rowCount(), _VISIBLE_ROWS, space) * row + 4)
        self.adjustSize()
        self.move((window.width() - self.width()) // 2, top)

    def _retranslate(self) -> None:
        self.field.setPlaceholderText(self.tr("Search chats, files, models, settings and actions"))
        self.field.setAccessibleName(self.tr("Search everything"))
        self.view.setAccessibleName(self.tr("Results"))
        self._searching = self.tr("Searching…")
        self._nothing = self.tr("No results. Try another word.")
        self._usual = self.tr("↑ ↓ to choose · Enter to open · Esc to close")
        self._beside = self.tr("Enter to use · Ctrl+Enter to compare · Esc to close")

    @Slot(str)
    def _on_text_changed(self, text: str) -> None:
        if self.isVisible():
            self.query_changed.emit(text)

    @Slot(QModelIndex)
    def _on_clicked(self, index: QModelIndex) -> None:
        if (choice := self.model.choice(index)) is not None:
            self._take(choice, is_beside=False)


MOST_SHOWN: Final = 6
"""The largest number of items in a group."""

_PAUSE_MS: Final = 120
_TITLE_CHARS: Final = 40

_FIRST_ACTIONS: Final = ("new_chat", "export", "compare", "inspect", "history", "knowledge", "settings")
"""The actions that an empty field offers, if they are possible."""

_NEED_ANSWER: Final = frozenset(
    {
        "retry",
        "compare",
        "inspect",
        "copy_answer",
        "edit_last",
        "find",
        "export",
        "citation_before",
        "citation_after",
    }
)
_NEED_VERSIONS: Final = frozenset({"earlier", "later"})
_NOT_OFFERED: Final = frozenset({"palette", "quote", "message_above", "message_below"})
"""Actions that are about the place of the keyboard or the selection, which the palette takes away."""

_SAID_BY_ACTIONS: Final = frozenset({"copy", "retry", "details"})
"""Entries of the menu of an answer that are actions of the window for the last answer, too."""


class PaletteController(QObject):
    """Opens the palette, collects what it searches, and does what is chosen.

    Signals:
        settings_asked: id of a page of the settings, and the number of its row, or `WHOLE_PAGE`.
        item_asked: an ItemInfo of a knowledge base to open.
    """

    settings_asked = Signal(str, int)
    item_asked = Signal(object)

    def __init__(
        self,
        history_search: HistorySearch,
        *,
        actions: Mapping[str, QAction],
        composer_menu: PlusMenu,
        completion: CompletionController,
        conditions: Mapping[str, Callable[[], bool]],
        context: Callable[[], "SettingsContext"],
        handlers: ActionHandlers,
        history: HistoryController,
        knowledge_store: KnowledgeStore,
        library: ConversationListStore,
        sessions: SessionManager,
        view: ConversationView,
        window: QWidget,
    ) -> None:
        """Initialize; `conditions` say of actions by id whether they are possible."""
        super().__init__(window)
        self._history_search = history_search
        self._actions = actions
        self._composer_menu = composer_menu
        self._completion = completion
        self._conditions = conditions
        self._context = context
        self._handlers = handlers
        self._history = history
        self._knowledge_store = knowledge_store
        self._library = library
        self._sessions = sessions
        self._view = view
        self._window = window
        self._palette: CommandPalette | None = None
        self._known: tuple[CompletionItem, ...] = ()
        self._first: tuple[CompletionGroup, ...] = ()
        self._settings: tuple[CompletionItem, ...] | None = None
        self._files: dict[str, tuple[CompletionItem, ...]] = {}
        self._asked_bases: dict[str, object] = {}
        self._messages: tuple[CompletionItem, ...] = ()
        self._query = ""
        self._is_searching = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self._search_messages)
        history_search.found.connect(self._on_messages_found)
        history_search.ended.connect(self._on_search_ended)
        knowledge_store.items_listed.connect(self._on_items_listed)

    @Slot()
    def show(self) -> None:
        """Open the palette with the recent chats and the most useful actions."""
        if self._palette is None:
            self._palette = CommandPalette(self._window.window())
            self._palette.query_changed.connect(self._on_query_changed)
            self._palette.chosen.connect(self._on_chosen)
        actions = dict(self._window_actions())
        commands = tuple(self._completion.offer("/"))
        chats = tuple(self._chats())
        self._known = (
            *chats,
            *chain(actions.values(), self._composer_actions(), self._chat_actions(), self._answer_actions()),
            *commands,
            *self._mentions(),
        )
        useful = [actions[each] for each in _FIRST_ACTIONS if each in actions]
        self._first = tuple(
            CompletionGroup(group[0].group, tuple(group), len(group))
            for group in (chats[:MOST_SHOWN], useful)
            if group
        )
        self._settings = None
        self._history_search.stop()
        self._messages, self._query, self._is_searching = (), "", False
        self._palette.appear()
        self._show(stays=False)

    def _show(self, *, stays: bool) -> None:
        if self._palette is None:
            return
        has_found = True
        if not self._query:
            groups = self._first
        else:
            files = tuple(chain.from_iterable(self._files[base] for base in sorted(self._files)))
            groups = best_matching((*self._known, *(self._settings or ()), *files), self._query, MOST_SHOWN)
            has_found = bool(groups or self._messages)
            groups = (*groups, *self._message_group())
        self._palette.offer(groups, stays=stays, has_found=has_found, is_searching=self._is_searching)

    @Slot(str)
    def _on_query_changed(self, text: str) -> None:
        self._query = text.strip()
        self._history_search.stop()  # what it finds would be shown as found for the new words
        self._messages = ()
        self._is_searching = bool(self._query)
        if self._query and self._settings is None:
            self._settings = ()
            QTimer.singleShot(0, self, self._read_settings)
            self._list_files()
        self._show(stays=False)
        self._pause.start()

    @Slot()
    def _search_messages(self) -> None:
        self._history_search.search(HistoryQuery(self._query))

    @Slot(object)
    def _on_messages_found(self, page: HistoryPage) -> None:
        group = self.tr("Messages")
        hits = (hit for hit in page.hits if hit.message_id)
        found = (
            CompletionItem(
                group,
                excerpt_line(hit.excerpt),
                partial(self._history.show_hit, hit),
                snippet(hit.title or untitled_label(), _TITLE_CHARS),
                icon="quote",
            )
            for hit in hits
        )
        self._messages = (*self._messages, *found)[:MOST_SHOWN]
        self._show(stays=True)

    @Slot()
    def _on_search_ended(self) -> None:
        if not self._pause.isActive():
            self._is_searching = False
            self._show(stays=True)

    def _message_group(self) -> Iterator[CompletionGroup]:
        words = self.tr("Search all messages for “{words}”").format(words=snippet(self._query, _TITLE_CHARS))
        search = CompletionItem(
            self.tr("Messages"), words, partial(self._history.search, self._query), icon="search"
        )
        items = (*self._messages, search)
        yield CompletionGroup(search.group, items, len(items))

    def _chats(self) -> Iterator[CompletionItem]:
        group, archived = self.tr("Chats"), self.tr("Archived")
        for info in self._library.conversations:
            if info.id != self._sessions.current:
                day = format_date(info.updated_at)
                detail = f"{archived} · {day}" if info.place.is_archived else day
                yield CompletionItem(
                    group,
                    info.title or untitled_label(),
                    partial(self._sessions.open, info.id),
                    detail,
                    icon="note",
                )

    def _window_actions(self) -> Iterator[tuple[str, CompletionItem]]:
        for spec in ACTIONS:
            action = self._actions[spec.id]
            if spec.id not in _NOT_OFFERED and action.isEnabled() and self._is_possible(spec.id):
                keys = "".join(native([action.shortcut().toString()]))
                yield spec.id, self._action(action.text(), action.trigger, keys)

    def _is_possible(self, action_id: str) -> bool:
        shown = self._sessions.shown
        if action_id in _NEED_ANSWER and not shown.last_answer:
            return False
        if action_id in _NEED_VERSIONS and shown.last_with_versions is None:
            return False
        condition = self._conditions.get(action_id)
        return condition is None or condition()

    def _composer_actions(self) -> Iterator[CompletionItem]:
        for action in self._composer_menu.plain_actions:
            if action.isEnabled():
                yield self._action(action.text(), action.trigger)

    def _chat_actions(self) -> Iterator[CompletionItem]:
        chosen = [info.id for info in self._view.infos]
        if self._sessions.current != NEW and chosen == [self._sessions.current]:
            for action in self._view.possible_actions:
                yield self._action(action.text(), action.trigger, self.tr("This chat"))

    def _answer_actions(self) -> Iterator[CompletionItem]:
        answer = self._sessions.shown.get(self._sessions.shown.last_answer)
        if answer is None:
            return
        menu = message_menu(answer, partial(self._act, answer.id), self._window)
        for action in menu.actions():
            name = action.objectName()
            if name and name not in _SAID_BY_ACTIONS:
                yield self._action(action.text(), partial(self._act, answer.id, name), self.tr("Last answer"))
        menu.deleteLater()
        if answer.status is not MessageStatus.STREAMING and answer.text and self._sessions.shown.sources:
            check = partial(self._act, answer.id, MessageAction.CHECK)
            yield self._action(self.tr("Check citations"), check, self.tr("Last answer"))

    def _act(self, message_id: str, name: str) -> None:
        self._handlers.handle(ActionRequest(message_id, MessageAction(name)))

    def _action(self, text: str, act: Callable[[], object], detail: str = "") -> CompletionItem:
        def pick() -> None:
            act()

        words = " ".join(in_all_languages(text))
        return CompletionItem(self.tr("Actions"), text, pick, detail, icon="play", words=words)

    def _mentions(self) -> Iterator[CompletionItem]:
        # Past answers are among the messages.
        return (item for item in self._completion.offer("@") if item.icon != "quote")

    @Slot()
    def _read_settings(self) -> None:
        from desktop.ui.settings.dialog import PAGES, WHOLE_PAGE, entries_of  # noqa: PLC0415 - many modules, only when they are searched

        titles = {page.id: page.title() for page in PAGES}
        entries = (
            entry
            for entry in entries_of(PAGES, self._context())
            if entry.page != "shortcuts" or entry.row == WHOLE_PAGE  # its rows are the actions, once more
        )
        found = (self._setting(entry, titles[entry.page]) for entry in entries)
        self._settings = tuple({(item.title, item.detail): item for item in found}.values())
        self._show(stays=True)

    def _setting(self, entry: "SearchEntry", page: str) -> CompletionItem:
        pick = partial(self.settings_asked.emit, entry.page, entry.row)
        detail = page if entry.title != page else ""
        return CompletionItem(
            self.tr("Settings"), entry.title, pick, detail, icon="settings", words=entry.text
        )

    def _list_files(self) -> None:
        """List the files of the bases that have changed since they were listed."""
        bases = {base.id: base for base in self._knowledge_store.bases}
        self._files = {base_id: items for base_id, items in self._files.items() if base_id in bases}
        for base_id, base in bases.items():
            if self._asked_bases.get(base_id) != base:
                self._asked_bases[base_id] = base
                self._knowledge_store.list_items(base_id)

    @Slot(str, object)
    def _on_items_listed(self, base_id: str, items: tuple[ItemInfo, ...]) -> None:
        base = self._knowledge_store.base(base_id)
        if base is None or self._palette is None:
            return
        group = self.tr("Files")
        self._files[base_id] = tuple(
            CompletionItem(group, item.name, partial(self.item_asked.emit, item), base.name, icon="file")
            for item in items
        )
        if self._palette.isVisible():
            self._show(stays=True)

    @Slot(object, bool)
    def _on_chosen(self, item: CompletionItem, is_beside: bool) -> None:
        self._pause.stop()
        self._history_search.stop()
        act = item.beside if is_beside and item.beside is not None else item.pick
        act()
