"""The content of the composer: switches, pastes, past answers, quotations, edited questions and drafts."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtGui import QKeySequence, QShortcut, QTextCursor

from desktop.chat.api.engine import Question
from desktop.domain.drafts import Draft
from desktop.domain.history import Hit, PastAnswer
from desktop.domain.messages import Message, Speaker
from desktop.render.export.formats import file_name
from desktop.ui.chat.composer_state import ComposerState
from desktop.ui.composer.image_attachments import ImageAttachments
from desktop.ui.context.chat_context import ChatContext
from desktop.ui.context.window_context import WindowContext
from desktop.ui.widgets.notice_bar import Notice

if TYPE_CHECKING:
    from desktop.ui.transcript.page_bridge import MessageAction


class ComposerController(QObject):
    """Connects the composer with settings, notices and dialogs."""

    def __init__(self, core: ChatContext) -> None:
        super().__init__(core)
        composer, opener, transcripts, remembering = (
            core.composer,
            core.opener,
            core.transcripts,
            core.remembering,
        )
        self.settings = ComposerState(
            composer, core.store, core.assistants, core.catalogue, core.knowledge_store
        )
        pictures = ImageAttachments(composer, core.engine.pictures, core.loop)
        for signal, slot in (
            (self.settings.noticed, core.notices.say),
            (pictures.failed, core.notices.say_failed),
            (transcripts.action_requested, remembering.act),
            (transcripts.memory_followed, remembering.show_source),
            (transcripts.file_followed, opener.show_file),
            (remembering.page_asked, opener.to_settings("memory")),
            (composer.assistant.manage_asked, opener.to_settings("assistants")),
            (composer.web.setup_asked, opener.to_settings("search")),
            (composer.model.setup_asked, opener.to_settings("models")),
            (composer.bases.manage_asked, opener.show_knowledge),
        ):
            signal.connect(slot)


_LONGEST_NAME = 40

_LOOKED_AT = 1_000
"""The number of characters in which the first line is searched."""


class PasteController(QObject):
    """Saves a long pasted text as a file and attaches it; the user can undo that."""

    def __init__(self, core: ChatContext) -> None:
        super().__init__(core)
        self._core = core
        self._told = Notice("")
        core.composer.text.text_given.connect(self._on_text_given)
        core.sessions.current_changed.connect(self._on_current_changed)

    @Slot(str)
    def _on_text_given(self, text: str) -> None:
        key = self._core.composer.key
        line = text[:_LOOKED_AT].strip().partition("\n")[0]
        name = file_name(line[:_LONGEST_NAME], "txt", self.tr("Pasted text"))
        self._core.loop.run(
            self,
            partial(self._core.engine.pasted.keep, text, name),
            partial(self._on_kept, key, text),
            partial(self._on_failed, key, text),
        )

    def _on_kept(self, key: str, text: str, path: Path) -> None:
        self._core.composer.attach_in(key, path)
        if key == self._core.composer.key:
            words = self.tr(
                "The long text is attached as a file: what bears on your question is read from it."
            )
            write = partial(self._write, text, path)
            self._told = Notice(words, self.tr("Put it into the message"), write, is_undo=True)
            self._core.notices.say(self._told)

    def _write(self, text: str, path: Path) -> None:
        """Replace the attached file with the text."""
        composer = self._core.composer
        composer.files.replace(each for each in composer.files.paths if each != path)
        composer.text.insertPlainText(text)
        composer.text.setFocus()

    @Slot()
    def _on_current_changed(self) -> None:
        """Withdraw the offer to change a message that is no longer displayed."""
        self._core.notices.withdraw(self._told)

    def _on_failed(self, key: str, text: str, error: Exception) -> None:
        """Report the error and insert the text into the message, so that it is not lost."""
        composer = self._core.composer
        if key == composer.key:
            composer.text.insertPlainText(text)
        else:
            composer.give_back(key, Draft(text))
        self._core.notices.say_failed(error)


class PastAnswerController(QObject):
    """Loads a past answer and shows it as a chip.

    If its conversation is local-only, the citing one becomes local-only as well.
    """

    def __init__(self, core: ChatContext) -> None:
        super().__init__(core)
        self._core = core
        core.cite_asked.connect(self.cite)

    @Slot(object)
    def cite(self, hit: Hit) -> None:
        """Cite a past answer in the next question of the open conversation."""
        self._core.loop.run(
            self, partial(self._answer, hit.message_id), self._on_cited, self._core.notices.say_failed
        )

    async def _answer(self, message_id: str) -> tuple[PastAnswer, bool]:
        """Return an answer, and whether its conversation stays on this machine."""
        answer = await self._core.engine.history.answer(message_id)
        return answer, await self._core.engine.privacy.stays_here(answer.conversation_id)

    @Slot(object)
    def _on_cited(self, found: tuple[PastAnswer, bool]) -> None:
        answer, stays_here = found
        local_only = self._core.composer.local_only
        if stays_here and not local_only.is_on:
            local_only.show_choice(is_on=True)
            local_only.picked.emit(True)
            words = self.tr("What you cite stays on this machine, so this conversation does, too.")
            self._core.notices.say(Notice(words))
        self._core.transcripts.end_welcome()
        self._core.composer.past.add(answer)
        self._core.composer.setFocus()


class QuoteController(QObject):
    """Inserts quotations after the existing text, where the user continues to write."""

    def __init__(self, core: WindowContext) -> None:
        super().__init__(core)
        self._core = core
        core.transcripts.action_requested.connect(self.act)
        core.actions.connect({"quote": self.quote_selection})

    @Slot(object)
    def act(self, action: "MessageAction") -> None:
        """Quote the text selected on the page."""
        if action.action == "quote":
            self.quote(action.text)
        elif action.action == "quote_all" and (message := self._core.asking.message(action.message_id)):
            self.quote(message.text)

    @Slot()
    def quote_selection(self) -> None:
        """Quote the words that are selected on the page, if any."""
        if self._core.transcripts.page is not None:
            self._core.transcripts.page.quote_selection()

    def quote(self, words: str) -> None:
        """Quote `words`. The change can be undone."""
        text = self._core.composer.text
        before = text.toPlainText()
        gap = "" if not before or before.endswith("\n\n") else "\n" if before.endswith("\n") else "\n\n"
        cursor = text.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(gap + to_block_quote(words) + "\n\n")
        text.setTextCursor(cursor)
        text.ensureCursorVisible()
        text.setFocus()


def to_block_quote(words: str) -> str:
    """Return `words` as a Markdown block quote."""
    return "\n".join(f"> {line}".rstrip() for line in words.strip().splitlines())


class EditController(QObject):
    """Edits a question in the composer. The draft of the next question is kept meanwhile."""

    def __init__(self, core: WindowContext) -> None:
        super().__init__(core)
        self._core = core
        self._revised = ""
        self.bar = core.pane.revising
        self._escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), core.composer)
        self._escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._escape.setEnabled(False)
        for signal, slot in (
            (core.transcripts.action_requested, self.act),
            (core.asking.asked, self._on_asked),
            (core.sessions.current_changed, self._on_current_changed),
            (core.sessions.running_changed, self._on_running_changed),
            (self.bar.given_up, self.give_up),
            (self._escape.activated, self.give_up),
        ):
            signal.connect(slot)
        core.actions.connect({"edit_last": self.edit_last})

    @Slot(object)
    def act(self, action: "MessageAction") -> None:
        """Start to edit a question of the page."""
        question = self._core.asking.message(action.message_id)
        if action.action == "edit" and question is not None and question.speaker is Speaker.USER:
            self._begin(question)

    @Slot()
    def edit_last(self) -> None:
        """Edit the last question."""
        if question := self._core.asking.question_of(self._core.asking.last_message):
            self._begin(question)

    @Slot()
    def give_up(self) -> None:
        """Cancel the editing."""
        if self._revised:
            self._core.composer.put(Draft())
            self._end()
            self._core.composer.open_draft(self._core.sessions.current)

    def _begin(self, question: Message) -> None:
        composer = self._core.composer
        # A separate draft survives if the user opens another conversation meanwhile.
        also = composer.model.also
        composer.open_draft(f"edit-{question.id}")
        if not composer.draft:
            composer.put(Draft(question.text, question.files, also=also))
        self._revised = question.id
        self._core.asking.revise(question.id)
        self.bar.show_question(question.text)
        self._on_running_changed(self._core.sessions.is_running)
        composer.setFocus()

    def _end(self) -> None:
        self._revised = ""
        self._core.asking.revise("")
        self.bar.hide()
        self._escape.setEnabled(False)

    @Slot()
    def _on_asked(self) -> None:
        if self._revised:
            self._end()
            self._core.composer.open_draft(self._core.sessions.current)

    @Slot(str)
    def _on_current_changed(self, _conversation_id: str) -> None:
        self._end()

    @Slot(bool)
    def _on_running_changed(self, is_running: bool) -> None:
        # While an answer is running, Escape stops it.
        self._escape.setEnabled(bool(self._revised) and not is_running)


PAUSE_MS = 400
"""Delay in milliseconds before a draft is saved, and so the most typing that can be lost in a short text."""

_LETTERS_PER_MS = 200
"""Longer texts are saved less often, because a draft is always written whole."""


class DraftSaver(QObject):
    """Restores the drafts of the last run, saves changes, and marks conversations with drafts in the list."""

    def __init__(self, core: WindowContext) -> None:
        super().__init__(core)
        self._composer = core.composer
        self._drafts = core.engine.drafts
        self._journal = core.engine.question_journal
        self._loop = core.loop
        self._notices = core.notices
        self._list = core.sidebar.model
        self._kept: dict[str, Draft] = {}
        """The drafts on disk, including those being written."""
        self._changed: set[str] = set()
        self._returned: frozenset[str] = frozenset()
        """Ids of questions that became drafts again. The journal keeps them until the drafts are on disk."""
        self._is_failing = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.timeout.connect(self.keep)
        core.composer.draft_changed.connect(self._on_changed)
        core.began.connect(self._take_up)
        core.ending.connect(self.keep)
        core.sessions.question_returned.connect(self._on_returned)

    @Slot()
    def keep(self) -> None:
        """Save the changed drafts without waiting for a pause."""
        self._pause.stop()
        now = {key: self._composer.draft_of(key) for key in self._changed}
        self._changed = set()
        different = {key: draft for key, draft in now.items() if draft != self._kept.get(key, Draft())}
        if different:
            self._kept |= different
            returned, self._returned = self._returned, frozenset()
            self._loop.run(
                self,
                partial(self._drafts.keep, different),
                partial(self._on_kept, returned),
                partial(self._on_not_kept, frozenset(different), returned),
            )

    @Slot()
    def _take_up(self) -> None:
        self._loop.run(self, self._drafts.all, self._on_listed, self._on_failed)

    @Slot(str)
    def _on_changed(self, key: str) -> None:
        self._list.set_drafts(self._composer.unsent)
        self._changed.add(key)
        if not self._pause.isActive():
            letters = self._composer.text.document().characterCount()
            self._pause.start(PAUSE_MS + letters // _LETTERS_PER_MS)

    @Slot(object)
    def _on_listed(self, drafts: Mapping[str, Draft]) -> None:
        self._kept = {**drafts, **self._kept}
        self._composer.take_drafts(drafts)

    @Slot(object)
    def _on_returned(self, question: Question) -> None:
        self._returned |= {question.message_id}

    def _on_kept(self, returned: frozenset[str], _nothing: object) -> None:
        self._is_failing = False
        for message_id in returned:
            self._journal.forget(message_id)

    def _on_not_kept(self, keys: frozenset[str], returned: frozenset[str], error: Exception) -> None:
        self._returned |= returned
        for key in keys:
            self._kept.pop(key, None)
        self._changed |= keys
        self._on_failed(error)

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        if not self._is_failing:  # a full disk fails at every save: one message is enough
            self._notices.say_failed(error)
        self._is_failing = True
