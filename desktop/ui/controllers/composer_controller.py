"""The content of the composer: dropped files, pastes, images, past answers, quotations, edited questions and drafts."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QEvent,
    QIODevice,
    QModelIndex,
    QObject,
    QPoint,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QDropEvent, QImage, QImageReader, QImageWriter, QKeySequence, QShortcut, QTextCursor
from PySide6.QtWidgets import QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.conversations import Drafts, History, Pasted
from desktop.chat.api.data import Privacy
from desktop.chat.api.engine import Pictures, Question, QuestionJournal
from desktop.chat.prompt import is_picture
from desktop.domain.drafts import Draft
from desktop.domain.history import Hit, PastAnswer
from desktop.domain.messages import ConversationInfo, Message, Speaker
from desktop.render.export.formats import file_name
from desktop.ui.chat.question_controller import QuestionController
from desktop.ui.chat.session_manager import NEW, SessionManager
from desktop.ui.chat.transcript_stack import TranscriptStack
from desktop.ui.composer.attachments import PICTURE_SIZE
from desktop.ui.composer.composer import Composer, EditBar
from desktop.ui.composer.message_edit import local_files
from desktop.ui.knowledge.import_bar import BaseChooser
from desktop.ui.sidebar.sidebar import Sidebar
from desktop.ui.transcript.message_action import ActionRequest, Handlers, MessageAction
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.notice_bar import Notice, NoticeBar

_T = TypeVar("_T")

LONGEST_SIDE = 2_048
"""Longest side in pixels. Models use no higher resolution, and more pixels would only increase the cost."""

_SHARPEST = 2
"""Maximum device pixel ratio of a preview."""

_LARGE_BYTES = 2 * 1024 * 1024
_JPEG_QUALITY = 88


class ImageAttachments(QObject):
    """Handles the images attached in the composer.

    Signals:
        failed: the error that prevented saving an image.
    """

    failed = Signal(object)

    def __init__(self, composer: Composer, pictures: Pictures, loop: BackgroundLoop) -> None:
        super().__init__(composer)
        self._composer = composer
        self._pictures = pictures
        self._loop = loop
        self._seen: set[Path] = set()

    @Slot(QImage)
    def attach(self, image: QImage) -> None:
        """Attach an image that was pasted."""
        if not image.isNull():
            kept = partial(self._composer.attach_in, self._composer.key)
            self._loop.run(self, partial(self._keep_image, image, self.tr("image")), kept, self.failed)

    @Slot()
    def shrink_new(self) -> None:
        """Show the attached images, and replace large ones by smaller copies."""
        attached = set(self._composer.files.paths)
        new, self._seen = attached - self._seen, attached
        for path in filter(is_picture, new):
            self._loop.run(self, partial(self._smaller, path), partial(self._on_smaller, path), self.failed)
            small = partial(asyncio.to_thread, read_small, path)
            self._loop.run(self, small, partial(self._composer.files.show_picture, path), self.failed)

    async def _keep_image(self, image: QImage, name: str) -> Path:
        data, suffix = await asyncio.to_thread(compress_image, image)
        return await self._pictures.keep(data, f"{name}{suffix}")

    async def _smaller(self, path: Path) -> Path | None:
        """Return the path of a reduced copy of an image, or None if the image is small enough."""
        image = await asyncio.to_thread(read_large, path)
        return None if image is None else await self._keep_image(image, path.stem)

    def _on_smaller(self, original: Path, smaller: Path | None) -> None:
        paths = self._composer.files.paths
        if smaller is not None and original in paths:
            self._composer.files.replace(smaller if path == original else path for path in paths)


def read_large(path: Path) -> QImage | None:
    """Return an image that must be scaled down; None for smaller images and for other files."""
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)  # the reduced copy does not contain the EXIF orientation of the original
    size = reader.size()
    is_large = max(size.width(), size.height()) > LONGEST_SIDE or reader.device().size() > _LARGE_BYTES
    if not size.isValid() or not is_large:
        return None
    image = reader.read()
    return None if image.isNull() else image


def read_small(path: Path) -> QImage:
    """Return a preview of an image for its chip; a null image if the file is not an image."""
    reader = QImageReader(str(path))
    reader.setAutoTransform(True)
    bounds = QSize(_SHARPEST * PICTURE_SIZE, _SHARPEST * PICTURE_SIZE)
    if reader.size().isValid():
        reader.setScaledSize(reader.size().scaled(bounds, Qt.AspectRatioMode.KeepAspectRatio))
    return reader.read()


def compress_image(image: QImage) -> tuple[bytes, str]:
    """Return an image scaled to the limits, and its suffix: PNG if that is small enough, otherwise JPEG."""
    if max(image.width(), image.height()) > LONGEST_SIDE:
        image = image.scaled(
            LONGEST_SIDE,
            LONGEST_SIDE,
            Qt.AspectRatioMode.KeepAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )
    png = _encode(image, b"PNG")
    if len(png) <= _LARGE_BYTES:
        return png, ".png"
    flat = image.convertToFormat(QImage.Format.Format_RGB32)
    return _encode(flat, b"JPEG", _JPEG_QUALITY), ".jpg"


def _encode(image: QImage, kind: bytes, quality: int = -1) -> bytes:
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QImageWriter(buffer, QByteArray(kind))
    writer.setQuality(quality)
    writer.write(image)
    return bytes(data.data())


class DropController(QObject):
    """Handles dropped files.

    Files dropped on a conversation in the list are attached there; on a folder, they begin a conversation in
    it.
    """

    def __init__(
        self,
        chooser: BaseChooser,
        *,
        composer: Composer,
        notices: NoticeBar,
        sessions: SessionManager,
        sidebar: Sidebar,
    ) -> None:
        super().__init__(sidebar)
        self._chooser = chooser
        self._composer = composer
        self._notices = notices
        self._sessions = sessions
        self._sidebar = sidebar
        self._view = sidebar.view
        sidebar.setAcceptDrops(True)
        for watched in (sidebar, self._view.viewport()):
            watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle dragged files. Other drags over the list are left to the list."""
        if event.type() in {QEvent.Type.DragLeave, QEvent.Type.Drop}:
            self._mark(QModelIndex(), None)
        if isinstance(event, QDropEvent) and isinstance(watched, QWidget) and local_files(event.mimeData()):
            place = watched.mapTo(self._sidebar, event.position().toPoint())
            index, button = self._row_at(place), self._button_at(place)
            if event.type() == QEvent.Type.Drop:
                self._take(index, button)(local_files(event.mimeData()))
            else:
                self._mark(index, button)
            event.acceptProposedAction()
            return True
        return super().eventFilter(watched, event)

    def _row_at(self, place: QPoint) -> QModelIndex:
        viewport = self._view.viewport()
        inside = viewport.mapFrom(self._sidebar, place)
        is_there = self._view.isVisible() and viewport.rect().contains(inside)
        return self._view.indexAt(inside) if is_there else QModelIndex()

    def _button_at(self, place: QPoint) -> IconButton | None:
        buttons = self._sidebar.drop_buttons
        inside = (button for button in buttons if button.geometry().contains(place))
        return next(inside, None)

    def _mark(self, index: QModelIndex, button: IconButton | None) -> None:
        self._view.mark_target(index)
        for each in self._sidebar.drop_buttons:
            each.setDown(each is button)

    def _take(self, index: QModelIndex, button: IconButton | None) -> Callable[[tuple[Path, ...]], None]:
        """Return the handler for files dropped there. On an empty place, they begin a conversation."""
        _new, knowledge = self._sidebar.drop_buttons
        if button is knowledge:
            return self._chooser.choose
        row = self._sidebar.model.row_at(index)
        if isinstance(row, ConversationInfo):
            return partial(self._attach_in, partial(self._sessions.open, row.id))
        if row is not None and row.folder is not None:
            return partial(self._attach_in, partial(self._sessions.begin_in, row.folder))
        return partial(self._attach_in, partial(self._sessions.open, NEW))

    def _attach_in(self, open_it: Callable[[], None], paths: tuple[Path, ...]) -> None:
        open_it()
        self._composer.attach_files(paths)

    @Slot(object)
    def say_left_out(self, paths: tuple[Path, ...]) -> None:
        """Report which files cannot be attached, and offer a knowledge base for folders."""
        if folders := tuple(path for path in paths if path.is_dir()):
            words = self.tr("Folders can’t be attached. Add the folder to a knowledge base instead.")
            add = partial(self._chooser.choose, folders)
            self._notices.say(Notice(words, self.tr("Add to a knowledge base…"), add, is_lasting=True))
        elif paths:
            names = ", ".join(path.name for path in paths)
            words = self.tr("Couldn’t find: {names}").format(names=names)
            self._notices.say(Notice(words, is_error=True))


_LONGEST_NAME = 40

_LOOKED_AT = 1_000
"""The number of characters in which the first line is searched."""


class PasteController(QObject):
    """Saves a long pasted text as a file and attaches it; the user can undo that."""

    def __init__(self, pasted: Pasted, loop: BackgroundLoop, composer: Composer, notices: NoticeBar) -> None:
        super().__init__(composer)
        self._pasted = pasted
        self._loop = loop
        self._composer = composer
        self._notices = notices
        self._told = Notice("")

    @Slot(str)
    def keep(self, text: str) -> None:
        """Save a long text as a file, and attach it."""
        key = self._composer.key
        line = text[:_LOOKED_AT].strip().partition("\n")[0]
        name = file_name(line[:_LONGEST_NAME], "txt", self.tr("Pasted text"))
        self._loop.run(
            self,
            partial(self._pasted.keep, text, name),
            partial(self._on_kept, key, text),
            partial(self._on_failed, key, text),
        )

    def _on_kept(self, key: str, text: str, path: Path) -> None:
        self._composer.attach_in(key, path)
        if key == self._composer.key:
            words = self.tr("Long text was attached as a file.")
            write = partial(self._write, text, path)
            self._told = Notice(words, self.tr("Paste as text"), write, is_undo=True)
            self._notices.say(self._told)

    def _write(self, text: str, path: Path) -> None:
        """Replace the attached file with the text."""
        composer = self._composer
        composer.files.replace(each for each in composer.files.paths if each != path)
        composer.text.insertPlainText(text)
        composer.text.setFocus()

    @Slot()
    def withdraw(self) -> None:
        """Withdraw the offer to change a message that is no longer displayed."""
        self._notices.withdraw(self._told)

    def _on_failed(self, key: str, text: str, error: Exception) -> None:
        """Report the error and insert the text into the message, so that it is not lost."""
        composer = self._composer
        if key == composer.key:
            composer.text.insertPlainText(text)
        else:
            composer.give_back(key, Draft(text))
        self._notices.say_failed(error)


class PastAnswerController(QObject):
    """Loads a past answer and shows it as a chip.

    If its conversation is local-only, the citing one becomes local-only as well.
    """

    def __init__(
        self,
        history: History,
        privacy: Privacy,
        loop: BackgroundLoop,
        *,
        composer: Composer,
        notices: NoticeBar,
        transcripts: TranscriptStack,
    ) -> None:
        super().__init__(composer)
        self._history = history
        self._privacy = privacy
        self._loop = loop
        self._composer = composer
        self._notices = notices
        self._transcripts = transcripts

    @Slot(object)
    def cite(self, hit: Hit) -> None:
        """Cite a past answer in the next question of the open conversation."""
        self._loop.run(self, partial(self._answer, hit.message_id), self._on_cited, self._notices.say_failed)

    async def _answer(self, message_id: str) -> tuple[PastAnswer, bool]:
        """Return an answer, and whether its conversation stays on this machine."""
        answer = await self._history.answer(message_id)
        return answer, await self._privacy.stays_here(answer.conversation_id)

    @Slot(object)
    def _on_cited(self, found: tuple[PastAnswer, bool]) -> None:
        answer, stays_here = found
        local_only = self._composer.local_only
        if stays_here and not local_only.is_on:
            local_only.show_choice(is_on=True)
            local_only.picked.emit(True)
            words = self.tr("The cited chat stays on this computer, so this chat does too.")
            self._notices.say(Notice(words))
        self._transcripts.end_welcome()
        self._composer.past.add(answer)
        self._composer.setFocus()


class QuoteController(QObject):
    """Inserts quotations after the existing text, where the user continues to write."""

    def __init__(self, composer: Composer, sessions: SessionManager, transcripts: TranscriptStack) -> None:
        super().__init__(composer)
        self._composer = composer
        self._sessions = sessions
        self._transcripts = transcripts

    @property
    def handlers(self) -> Handlers:
        """The handlers of the page actions that quote."""
        return {
            MessageAction.QUOTE: self.quote_selected,
            MessageAction.QUOTE_ALL: self.quote_message,
        }

    def quote_selected(self, request: ActionRequest) -> None:
        """Quote the text selected on the page."""
        self.quote(request.text)

    def quote_message(self, request: ActionRequest) -> None:
        """Quote a whole message."""
        if message := self._sessions.shown.get(request.message_id):
            self.quote(message.text)

    @Slot()
    def quote_selection(self) -> None:
        """Quote the words that are selected on the page, if any."""
        if self._transcripts.page is not None:
            self._transcripts.page.quote_selection()

    def quote(self, words: str) -> None:
        """Quote `words`. The change can be undone."""
        text = self._composer.text
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

    def __init__(
        self, asking: QuestionController, composer: Composer, sessions: SessionManager, bar: EditBar
    ) -> None:
        super().__init__(composer)
        self._asking = asking
        self._composer = composer
        self._sessions = sessions
        self._bar = bar
        self._revised = ""
        self._escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), composer)
        self._escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._escape.setEnabled(False)
        self._escape.activated.connect(self.give_up)

    @property
    def handlers(self) -> Handlers:
        """The handlers of the page actions that edit."""
        return {
            MessageAction.EDIT: self.edit,
        }

    def edit(self, request: ActionRequest) -> None:
        """Start to edit a question of the page."""
        question = self._sessions.shown.get(request.message_id)
        if question is not None and question.speaker is Speaker.USER:
            self._begin(question)

    @Slot()
    def edit_last(self) -> None:
        """Edit the last question."""
        if question := self._sessions.shown.question_of(self._sessions.shown.last_message):
            self._begin(question)

    @Slot()
    def give_up(self) -> None:
        """Cancel the editing."""
        if self._revised:
            self._composer.put(Draft())
            self._end()
            self._composer.open_draft(self._sessions.current)

    def _begin(self, question: Message) -> None:
        composer = self._composer
        # A separate draft survives if the user opens another conversation meanwhile.
        also = composer.model.also
        composer.open_draft(f"edit-{question.id}")
        if not composer.draft:
            composer.put(Draft(question.text, question.files, also=also))
        self._revised = question.id
        self._asking.revise(question.id)
        self._bar.show_question(question.text)
        self.set_running(self._sessions.is_running)
        composer.setFocus()

    def _end(self) -> None:
        self._revised = ""
        self._asking.revise("")
        self._bar.hide()
        self._escape.setEnabled(False)

    @Slot()
    def end(self) -> None:
        """End the editing of a question that was asked."""
        if self._revised:
            self._end()
            self._composer.open_draft(self._sessions.current)

    @Slot(str)
    def leave(self, _conversation_id: str) -> None:
        """End the editing because another conversation is opened."""
        self._end()

    @Slot(bool)
    def set_running(self, is_running: bool) -> None:
        """Set whether an answer is running."""
        # While an answer is running, Escape stops it.
        self._escape.setEnabled(bool(self._revised) and not is_running)


PAUSE_MS = 400
"""Delay in milliseconds before a draft is saved, and so the most typing that can be lost in a short text."""

_LETTERS_PER_MS = 200
"""Longer texts are saved less often, because a draft is always written whole."""


class DraftSaver(QObject):
    """Restores the drafts of the last run and saves changes.

    Signals:
        listed: ids of the conversations with drafts, after each change.
    """

    listed = Signal(object)

    def __init__(
        self,
        drafts: Drafts,
        journal: QuestionJournal,
        loop: BackgroundLoop,
        *,
        composer: Composer,
        notices: NoticeBar,
    ) -> None:
        super().__init__(composer)
        self._composer = composer
        self._drafts = drafts
        self._journal = journal
        self._loop = loop
        self._notices = notices
        self._kept: dict[str, Draft] = {}
        """The drafts on disk, including those being written."""
        self._changed: set[str] = set()
        self._returned: frozenset[str] = frozenset()
        """Ids of questions that became drafts again. The journal keeps them until the drafts are on disk."""
        self._is_failing = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.timeout.connect(self.keep)

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
    def load(self) -> None:
        """Restore the drafts of the last run."""
        self._loop.run(self, self._drafts.all, self._on_listed, self._on_failed)

    @Slot(str)
    def note_changed(self, key: str) -> None:
        """Note that a draft has changed, to save it after a pause."""
        self.listed.emit(self._composer.unsent)
        self._changed.add(key)
        if not self._pause.isActive():
            letters = self._composer.text.document().characterCount()
            self._pause.start(PAUSE_MS + letters // _LETTERS_PER_MS)

    @Slot(object)
    def _on_listed(self, drafts: Mapping[str, Draft]) -> None:
        self._kept = {**drafts, **self._kept}
        self._composer.take_drafts(drafts)

    @Slot(object)
    def note_returned(self, question: Question) -> None:
        """Note that a question became a draft again."""
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
