"""The composer: message, attachments and switches, the menu of its plus button, and the bar while a question is edited."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from textwrap import shorten

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QFont, QPalette, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QMenu, QWidget

from desktop.domain.drafts import Draft
from desktop.domain.procedures import DocumentTask
from desktop.ui.composer.attachments import AttachmentRow, PastAnswerRow
from desktop.ui.composer.context_meter import ContextMeter
from desktop.ui.composer.message_edit import MessageEdit, local_files
from desktop.ui.composer.pills import Pill, PillRow
from desktop.ui.composer.switches import (
    AssistantSwitch,
    EffortSwitch,
    KnowledgeSwitch,
    LocalOnlySwitch,
    MemorySwitch,
    ModelSwitch,
    ModeSwitch,
    WebSwitch,
)
from desktop.ui.i18n import Retranslated
from desktop.ui.widgets.access_keys import add_access_keys
from desktop.ui.widgets.dialog import ask_for_files
from desktop.ui.widgets.icons import ICON_SIZE, IconButton, icon
from desktop.ui.widgets.labels import task_hint, task_name
from desktop.ui.widgets.layout import add_choice, center, hbox, label, set_style_flag, vbox

TASK_ICONS = {DocumentTask.READ: "summary", DocumentTask.WRITE: "compose", DocumentTask.CHECK: "check"}


class PlusMenu(QMenu):
    """The menu of the plus button, filled when it opens: files, document tasks, and switches as submenus.

    Signals:
        attach_asked: the user wants to attach files.
    """

    attach_asked = Signal()

    def __init__(
        self,
        research: ModeSwitch,
        choices: Sequence[Pill],
        local_only: LocalOnlySwitch,
        memory: MemorySwitch,
        parent: QWidget,
    ) -> None:
        """Initialize; `choices` are the switches whose menus are offered below the tasks."""
        super().__init__(parent)
        self._research = research
        self._choices = tuple(choices)
        self._local_only = local_only
        self._memory = memory
        self.setToolTipsVisible(True)
        self.aboutToShow.connect(self.fill)
        add_access_keys(self)

    @property
    def plain_actions(self) -> tuple[QAction, ...]:
        """What the menu offers besides the document tasks and the submenus."""
        self.fill()
        tasks = {task_name(task) for task in DocumentTask}
        actions = (each for each in self.actions() if each.menu() is None and not each.isSeparator())
        return tuple(each for each in actions if each.text() not in tasks)

    @Slot()
    def fill(self) -> None:
        """Offer what is possible now."""
        self.clear()
        self._add("attach", self.tr("Attach files…"), self.attach_asked.emit)
        self.addSeparator()
        for task in DocumentTask:
            action = self._add(TASK_ICONS[task], task_name(task), partial(self._research.set_task, task))
            action.setToolTip(task_hint(task))
        self._add_menu("research", self.tr("Research"), self._research)
        self.addSeparator()
        for pill in self._choices:
            if pill.is_offered:
                self._add_menu(pill.icon_name, pill.kind, pill)
        self.addSeparator()
        self._add_switch(self.tr("Keep this chat on this computer"), self._local_only, self._local_only.is_on)
        if self._memory.is_offered:
            self._add_switch(self.tr("Use memory in this chat"), self._memory, self._memory.is_on)

    def _add(self, icon_name: str, text: str, act: Callable[[], None]) -> QAction:
        def on_triggered(_checked: bool) -> None:
            act()

        action = self.addAction(icon(icon_name, self.palette()), text)
        action.triggered.connect(on_triggered)
        return action

    def _add_menu(self, icon_name: str, text: str, pill: Pill) -> None:
        menu = pill.menu()
        menu.setTitle(text)
        menu.setIcon(icon(icon_name, self.palette()))
        self.addMenu(menu)

    def _add_switch(self, text: str, pill: Pill, is_on: bool) -> None:
        add_choice(self, text, pill.click, is_chosen=is_on).setEnabled(pill.isEnabled())


_PAGE_TEXT = 16
"""The size of text on the page, in pixels."""

MAX_WIDTH = 754
"""With the margin and the edge of the frame, what is typed stands below the text of the page, which is 720 px wide."""

_ROUND = 34
_PLACEHOLDER_EDGE = 6
_SHOWN_CHARS = 60
_BELOW = 18
"""Height in pixels of the status line below the box."""


class Composer(Retranslated, QWidget):
    """Keeps one draft per conversation; the switches apply to all.

    Signals:
        submitted: the user wants to send `draft`.
        stop_asked: the user wants to stop the answer.
        left_out: paths (tuple of Path) that cannot be attached: folders and missing files.
        draft_changed: id of a conversation whose draft may have changed.
    """

    submitted = Signal()
    stop_asked = Signal()
    left_out = Signal(object)
    draft_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drafts: dict[str, Draft] = {}
        self._key = ""
        self._sent: list[str] = []
        self._is_running = False
        self.box = QFrame(self)
        self.box.setObjectName("composerBox")
        self.text = MessageEdit(self.box)
        self.files = AttachmentRow(self.box)
        self.past = PastAnswerRow(self.box)
        self.attach = IconButton("plus", self.box, QPalette.ColorRole.PlaceholderText)
        self.assistant = AssistantSwitch(self.box)
        self.web = WebSwitch(self.box)
        self.bases = KnowledgeSwitch(self.box)
        self.research = ModeSwitch(self.box)
        self.memory = MemorySwitch(self.box)
        self.local_only = LocalOnlySwitch(self.box)
        self.model = ModelSwitch(self.box)
        self.effort = EffortSwitch(self.box)
        self.effort.set_offered(False)
        for pill in (self.assistant, self.bases, self.memory, self.local_only, self.research, self.effort):
            pill.hide_default()
        choices = (self.bases, self.assistant, self.effort)
        self.plus_menu = PlusMenu(self.research, choices, self.local_only, self.memory, self.box)
        self.attach.setMenu(self.plus_menu)
        self.attach.setPopupMode(IconButton.ToolButtonPopupMode.InstantPopup)
        self.meter = ContextMeter(self)
        self.send = IconButton("send", self.box, QPalette.ColorRole.HighlightedText)
        self.send.setObjectName("send")
        self.send.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
        self.send.setFixedSize(_ROUND, _ROUND)
        self.setAcceptDrops(True)
        self._lay_out()
        self._connect()
        self._retranslate()
        self._refresh_button()

    @property
    def key(self) -> str:
        """Id of the conversation that the current draft belongs to."""
        return self._key

    @property
    def draft(self) -> Draft:
        """The current text, attachments and cited answers."""
        return Draft(self.text.toPlainText(), self.files.paths, self.past.answers, self.model.also)

    def open_draft(self, key: str) -> None:
        """Store the current draft and open the one of conversation `key`."""
        before = self._key
        self._drafts[before] = self.draft
        self._key = key
        self.put(self._drafts.pop(key, Draft()))
        # The undo history belongs to the previous draft.
        self.text.document().clearUndoRedoStacks()
        self.draft_changed.emit(before)

    def put(self, draft: Draft) -> None:
        """Replace the draft: text, attachments, citations and models. The text change can be undone."""
        self.text.replace(draft.text)
        self.files.replace(draft.files)
        self.past.replace(draft.past)
        self.model.set_beside(draft.also)

    def give_back(self, key: str, draft: Draft) -> None:
        """Restore a draft of conversation `key` that could not be sent, before anything written there since."""
        since = self.draft_of(key)
        text = "\n\n".join(filter(None, (draft.text, since.text)))
        past = {answer.document: answer for answer in (*draft.past, *since.past)}
        files = tuple(dict.fromkeys((*draft.files, *since.files)))
        whole = Draft(text, files, tuple(past.values()), since.also or draft.also)
        if key == self._key:
            self.put(whole)
        else:
            self._drafts[key] = whole
            self.draft_changed.emit(key)

    def move_draft(self, key: str) -> None:
        """Assign the current draft to conversation `key`."""
        before, self._key = self._key, key
        self.draft_changed.emit(before)
        self.draft_changed.emit(key)

    @property
    def unsent(self) -> frozenset[str]:
        """Ids of the other conversations that have a draft."""
        return frozenset(key for key, draft in self._drafts.items() if draft)

    def draft_of(self, key: str) -> Draft:
        """Return the draft of conversation `key`."""
        return self.draft if key == self._key else self._drafts.get(key, Draft())

    def take_drafts(self, drafts: Mapping[str, Draft]) -> None:
        """Add drafts of an earlier run. Text written since then follows them."""
        for key, draft in drafts.items():
            self.give_back(key, draft)
        self.text.moveCursor(QTextCursor.MoveOperation.End)

    def set_running(self, is_running: bool) -> None:
        """Show the stop button instead of the send button, or the reverse."""
        self._is_running = is_running
        self._refresh_button()

    def set_history(self, texts: Sequence[str]) -> None:
        """Set the earlier questions for the arrow keys; a new conversation has those of other ones."""
        self.text.set_history(texts or self._sent)

    def set_zoom(self, zoom: float, text_size: float = 1.0) -> None:
        """Write in the size of the page, which is zoomed by `zoom`, or larger where the window's text is."""
        pixels = round(_PAGE_TEXT * max(zoom, text_size))
        if self.text.font().pixelSize() == pixels:
            return
        font = QFont()  # all but the size follows the window
        font.setPixelSize(pixels)
        self.text.setFont(font)
        self.text.updateGeometry()
        self._show_placeholder()

    def set_sends_on_enter(self, sends_on_enter: bool) -> None:
        """Choose between Enter and Ctrl+Enter for sending."""
        self.text.sends_on_enter = sends_on_enter
        self._retranslate()

    @Slot(object)
    def attach_files(self, paths: tuple[Path, ...]) -> None:
        """Attach files. Folders are rejected: they belong in a knowledge base."""
        files = [path for path in paths if path.is_file()]
        self.files.add(files)
        if others := tuple(path for path in paths if path not in files):
            self.left_out.emit(others)
        self.text.setFocus()

    def attach_in(self, key: str, path: Path) -> None:
        """Attach a file to the draft of conversation `key`, which may no longer be open."""
        if key == self._key:
            self.attach_files((path,))
        else:
            self.give_back(key, Draft("", (path,)))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files dragged onto the composer."""
        if local_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Attach the dropped files."""
        self.attach_files(local_files(event.mimeData()))
        event.acceptProposedAction()

    @Slot()
    def choose_assistant(self) -> None:
        """Open the menu of the assistants."""
        if self.assistant.isVisible():
            self.assistant.showMenu()
        else:
            self.assistant.menu().popup(self.attach.mapToGlobal(self.attach.rect().topLeft()))

    def setFocus(self, reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason) -> None:
        """Focus the text field. A focus proxy would add a Tab stop that leads back to the composer."""
        self.text.setFocus(reason)

    @property
    def tab_stops(self) -> tuple[QWidget, ...]:
        """The widgets in the Tab order."""
        switches = (self.web, self.assistant, self.bases, self.memory, self.local_only, self.research)
        return (self.text, self.send, self.attach, *switches, self.model, self.effort)

    def _lay_out(self) -> None:
        column = vbox(self.box, spacing=8, margins=(16, 12, 10, 10))
        column.addWidget(self.past)
        column.addWidget(self.files)
        column.addWidget(self.text)
        pills = (
            self.web,
            self.assistant,
            self.bases,
            self.memory,
            self.local_only,
            self.research,
            self.model,
            self.effort,
        )
        row = hbox()
        row.addWidget(self.attach)
        row.addWidget(PillRow(pills, (self.model, self.web, self.bases), 2, self.box), 1)
        row.addWidget(self.send)
        column.addLayout(row)
        below = QWidget(self)
        below.setFixedHeight(_BELOW)
        foot = hbox(below, margins=(0, 0, 12, 0))
        foot.addStretch(1)
        foot.addWidget(self.meter)
        whole = vbox(self, spacing=0, margins=(24, 4, 24, 0))
        whole.addLayout(center(self.box, MAX_WIDTH))
        whole.addLayout(center(below, MAX_WIDTH))
        for before, after in pairwise(self.tab_stops):
            QWidget.setTabOrder(before, after)

    def _connect(self) -> None:
        for signal, slot in (
            (self.text.submitted, self._on_send_asked),
            (self.text.textChanged, self._on_draft_edited),
            (self.files.changed, self._on_draft_edited),
            (self.past.changed, self._on_draft_edited),
            (self.model.picked, self._on_draft_edited),
            (self.research.task_picked, self._on_task_picked),
            (self.text.files_given, self.attach_files),
            (self.text.focus_changed, self._on_focus_changed),
            (self.send.clicked, self._on_button_clicked),
            (self.plus_menu.attach_asked, self.ask_for_files),
        ):
            signal.connect(slot)

    def _retranslate(self) -> None:
        keys = self.tr("Enter") if self.text.sends_on_enter else self.tr("Ctrl+Enter")
        placeholders = {
            DocumentTask.READ: self.tr("Ask about a document. Attach it or choose one from Knowledge"),
            DocumentTask.WRITE: self.tr("What should the text be about?"),
            DocumentTask.CHECK: self.tr("Paste a text or an address, or attach a file to check"),
            None: self.tr("Ask anything. Type @ to mention, / for commands"),
        }
        self._placeholder = placeholders[self.research.task]
        self._show_placeholder()
        self.text.setAccessibleName(self.tr("Message"))
        self.attach.set_words(self.tr("Add files, tasks and options"))
        self._send_tip = self.tr("Send  {keys}").format(keys=keys)
        self._refresh_button()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say less in an empty field where there is little space."""
        super().resizeEvent(event)
        self._show_placeholder()

    def _show_placeholder(self) -> None:
        space = self.text.viewport().width() - 2 * _PLACEHOLDER_EDGE
        is_short = self.isVisible() and self.text.fontMetrics().horizontalAdvance(self._placeholder) > space
        self.text.setPlaceholderText(self.tr("Ask anything") if is_short else self._placeholder)

    @Slot()
    def _refresh_button(self) -> None:
        has_content = bool(
            self.text.toPlainText().strip() or self.files.paths or self.research.task is DocumentTask.READ
        )
        self.send.setEnabled(self._is_running or has_content)
        if self._is_running:
            self.send.set_icon_name("stop")
            self.send.set_words(self.tr("Stop"), self.tr("Stop  Esc"))
        else:
            self.send.set_icon_name("send")
            self.send.set_words(self.tr("Send"), self._send_tip)

    @Slot()
    def _on_draft_edited(self) -> None:
        self._refresh_button()
        self.draft_changed.emit(self._key)

    @Slot(object)
    def _on_task_picked(self, _task: DocumentTask | None) -> None:
        self._retranslate()
        self.text.setFocus()

    @Slot()
    def _on_send_asked(self) -> None:
        if not self._is_running and self.send.isEnabled() and not self.text.is_composing:
            if (text := self.draft.text.strip()) and text not in self._sent[-1:]:
                self._sent.append(text)
            self.submitted.emit()

    @Slot()
    def _on_button_clicked(self) -> None:
        if self._is_running:
            self.stop_asked.emit()
        else:
            self._on_send_asked()

    @Slot(bool)
    def _on_focus_changed(self, has_focus: bool) -> None:
        set_style_flag(self.box, "focused", has_focus)

    @Slot()
    def ask_for_files(self) -> None:
        """Let the user choose files to attach."""
        ask_for_files(self, self.tr("Attach files"), self.attach_files)


class EditBar(Retranslated, QFrame):
    """A bar above the composer that shows which question is being edited.

    Signals:
        given_up: the user cancelled the editing.
    """

    given_up = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self._question = ""
        self._text = label(self)
        self._close = IconButton("close", self, QPalette.ColorRole.PlaceholderText)
        self._close.setIconSize(QSize(14, 14))
        self._close.clicked.connect(self.given_up)
        row = hbox(self, margins=(14, 6, 6, 6))
        row.addWidget(self._text, 1)
        row.addWidget(self._close)
        self._retranslate()
        self.hide()

    @property
    def text(self) -> str:
        """The text of the bar."""
        return self._text.text()

    def show_question(self, text: str) -> None:
        """Show the beginning of a question."""
        self._question = shorten(text, _SHOWN_CHARS, placeholder="…") or text[:_SHOWN_CHARS]
        self._retranslate()
        self.show()

    def _retranslate(self) -> None:
        self._close.set_words(self.tr("Cancel edit"), self.tr("Cancel edit  Esc"))
        words = self.tr("Editing “{question}”. The original stays available as an earlier version.")
        self._text.setText(words.format(question=self._question))
        self.setAccessibleName(self._text.text())
