"""Copies and saves answers with their sources, and saves whole conversations, also in Footnote's own format; the menus of formats."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QCoreApplication,
    QLocale,
    QMimeData,
    QObject,
    QPoint,
    QStandardPaths,
    QUrl,
    Signal,
    Slot,
)
from PySide6.QtGui import QCursor, QDesktopServices, QGuiApplication, QImage
from PySide6.QtWidgets import QMenu, QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.conversations import Conversations, Transfers
from desktop.chat.titles import first_line
from desktop.domain.backups import CONVERSATION_SUFFIX
from desktop.domain.messages import Conversation, Speaker, main_branch
from desktop.domain.procedures import TextCheck
from desktop.domain.sources import Source
from desktop.render.export import (
    Clip,
    Format,
    ListFormat,
    answer_clip,
    export_conversation,
    file_name,
    format_source_list,
    leave_out,
    list_used_sources,
    only,
    private_sources,
    shared_page_of,
)
from desktop.render.export.common_parts import has_findings, with_findings
from desktop.render.export.picture import COMMON_LIMIT, DrawnPicture, PictureLook, picture_page_of
from desktop.render.labels import Labels, labels_of
from desktop.ui.actions import QT_TRANSLATE_NOOP
from desktop.ui.chat.session_manager import NEW, SessionManager
from desktop.ui.dialogs.private_passages import PrivatePassagesDialog
from desktop.ui.sidebar.conversation_model import ConversationModel
from desktop.ui.transcript.file_saver import FileSaver, PicturePainter
from desktop.ui.transcript.message_action import ActionRequest, Handlers, MessageAction
from desktop.ui.widgets.colors import is_dark
from desktop.ui.widgets.dialog import ask_where_to_save
from desktop.ui.widgets.layout import new_menu
from desktop.ui.widgets.notice_bar import Notice

_FORMATS = {
    Format.WORD: QT_TRANSLATE_NOOP("export_menu", "Word document"),
    Format.PDF: QT_TRANSLATE_NOOP("export_menu", "PDF"),
    Format.PICTURE: QT_TRANSLATE_NOOP("export_menu", "Image (PNG)"),
    Format.HTML: QT_TRANSLATE_NOOP("export_menu", "Web page (HTML)"),
    Format.MARKDOWN: QT_TRANSLATE_NOOP("export_menu", "Markdown with footnotes"),
    Format.BIBTEX: QT_TRANSLATE_NOOP("export_menu", "Sources as BibTeX"),
}
_LISTS = {
    ListFormat.MARKDOWN: QT_TRANSLATE_NOOP("export_menu", "As Markdown"),
    ListFormat.PLAIN: QT_TRANSLATE_NOOP("export_menu", "As plain text"),
    ListFormat.BIBTEX: QT_TRANSLATE_NOOP("export_menu", "As BibTeX"),
}


def format_name(kind: Format) -> str:
    """Return the name of a format in the current language."""
    return QCoreApplication.translate("export_menu", _FORMATS[kind])


def add_formats(menu: QMenu, chosen: Callable[[Format], object]) -> None:
    """Add an entry for every file format."""
    for kind in _FORMATS:
        # The ellipsis indicates that a dialog follows.
        menu.addAction(f"{format_name(kind)}…").triggered.connect(partial(_call, chosen, kind))


def add_list_formats(menu: QMenu, chosen: Callable[[ListFormat], object]) -> None:
    """Add an entry for every format in which sources can be copied."""
    for kind, name in _LISTS.items():
        action = menu.addAction(QCoreApplication.translate("export_menu", name))
        action.triggered.connect(partial(_call, chosen, kind))


def show_menu(menu: QMenu, owner: QWidget, place: QPoint | None = None) -> None:
    """Open a menu at `place` or at the pointer; if the pointer is outside, in the middle of the window."""
    pointer = place or QCursor.pos()
    window = owner.window()
    is_over = window.geometry().contains(pointer)
    menu.popup(pointer if is_over else window.mapToGlobal(window.rect().center()))
    # Preselect the first entry for Enter, also for users who opened the menu with the keyboard.
    menu.setActiveAction(menu.actions()[0])


def _call(chosen: Callable[..., object], kind: object, _checked: bool = False) -> None:
    chosen(kind)


_WITH_PRIVATE = frozenset({Format.WORD, Format.PDF, Format.PICTURE})
"""Formats whose private sources are listed before they are written."""
_MOST_COPIED_PIXELS = 40_000_000
"""A picture in the clipboard takes four bytes for each; longer ones are drawn smaller."""
_Reading = Callable[[Conversation, Labels], object]


class ExportController(QObject):
    """Copies and saves answers and sources of the open conversation.

    Signals:
        noticed: a Notice about what was copied or saved.
        failed: an error outside any message.
        whole_asked: the open conversation should be saved in Footnote's own format.
    """

    noticed = Signal(object)
    failed = Signal(object)
    whole_asked = Signal()

    def __init__(
        self,
        conversations: Conversations,
        loop: BackgroundLoop,
        *,
        sessions: SessionManager,
        window: QWidget,
    ) -> None:
        """Initialize. Menus and dialogs open over `window`."""
        super().__init__(window)
        self._conversations = conversations
        self._loop = loop
        self._sessions = sessions
        self._window = window
        self._folder = Path(
            QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        )

    def copy_message(self, request: ActionRequest) -> None:
        """Copy a message of the page."""
        self.copy(request.message_id)

    def share(self, request: ActionRequest) -> None:
        """Show the menu with all export actions for an answer."""
        show_menu(self.answer_menu(request.message_id), self._window, request.place)

    def share_page(self, request: ActionRequest) -> None:
        """Save an answer as a page to hand on; the user first decides which private passages it may contain."""
        work = partial(_with_private, request.message_id, False, False)
        self._read(work, partial(self._on_private_found, self._ask_for_page))

    def _on_private_found(
        self,
        then: Callable[[Conversation, frozenset[int]], object],
        found: tuple[Conversation, tuple[Source, ...]],
    ) -> None:
        """Go on with the numbers of the private sources that the user leaves out, if there are private ones."""
        conversation, private = found
        if not private:
            then(conversation, frozenset())
            return
        dialog = PrivatePassagesDialog(private, self._window)
        dialog.decided.connect(partial(then, conversation))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _ask_for_page(self, conversation: Conversation, left_out: frozenset[int]) -> None:
        make = partial(shared_page_of, conversation, labels_of(QLocale().name()), left_out)
        self._ask_place(Format.HTML, conversation, partial(self._save, Format.HTML, make))

    def save_drawing(self, request: ActionRequest) -> None:
        """Ask where to save a drawing of an answer, and save it."""
        name = file_name(request.text, request.suffix, self.tr("Drawing"))
        self._ask_for_name(
            name,
            f"{request.suffix.upper()} (*.{request.suffix})",
            partial(self._write_drawing, request.content),
        )

    def _write_drawing(self, content: bytes, path: Path) -> None:
        self._save(None, lambda: content, path)

    def save_picture(self, request: ActionRequest) -> None:
        """Save an answer as a picture in the colours of the window."""
        self.export(request.message_id, Format.PICTURE)

    def copy_picture(self, request: ActionRequest) -> None:
        """Copy an answer as a picture; the user first decides which private sources it may contain."""
        work = partial(_with_private, request.message_id, False, False)
        self._read(work, partial(self._on_private_found, self._copy_picture))

    def _copy_picture(self, conversation: Conversation, left_out: frozenset[int]) -> None:
        labels, look = labels_of(QLocale().name()), self._look()
        html = picture_page_of(leave_out(conversation, left_out, labels), labels, look)
        painter = PicturePainter(html, look, self._loop, self, _MOST_COPIED_PIXELS)
        painter.painted.connect(self._on_picture_painted)
        painter.failed.connect(self._on_picture_failed)
        for ending in (painter.painted, painter.failed):
            ending.connect(painter.deleteLater)
        self.noticed.emit(
            Notice(self.tr("Creating the image"), self.tr("Cancel"), painter.deleteLater, is_lasting=True)
        )
        painter.start()

    @Slot(object)
    def _on_picture_painted(self, picture: DrawnPicture) -> None:
        QGuiApplication.clipboard().setImage(QImage.fromData(picture.data))
        self.noticed.emit(
            Notice(
                self.tr("Copied as an image of {width} × {height} pixels.").format(
                    width=picture.width, height=picture.height
                )
            )
        )

    @Slot(bool)
    def _on_picture_failed(self, _is_too_long: bool) -> None:
        self.noticed.emit(
            Notice(self.tr("The image couldn’t be created. Save the answer as PDF."), is_error=True)
        )

    def _look(self) -> PictureLook:
        return PictureLook(is_dark(self._window.palette()))

    def offer_sources(self, request: ActionRequest) -> None:
        """Show the formats in which all sources of an answer can be copied."""
        show_menu(self.sources_menu(partial(self.copy_sources, request.message_id)), self._window)

    def offer_source(self, request: ActionRequest) -> None:
        """Show the formats in which one source can be copied."""
        show_menu(self.sources_menu(partial(self.copy_source, request.number)), self._window)

    @property
    def handlers(self) -> Handlers:
        """The handlers of the page actions that copy and save."""
        return {
            MessageAction.COPY: self.copy_message,
            MessageAction.COPY_PICTURE: self.copy_picture,
            MessageAction.SAVE_PICTURE: self.save_picture,
            MessageAction.SHARE: self.share,
            MessageAction.SHARE_PAGE: self.share_page,
            MessageAction.SAVE_DRAWING: self.save_drawing,
            MessageAction.COPY_SOURCES: self.offer_sources,
            MessageAction.COPY_SOURCE: self.offer_source,
        }

    @Slot()
    def copy_last(self) -> None:
        """Copy the last answer."""
        if last := self._sessions.shown.last_answer:
            self.copy(last)
            self.noticed.emit(Notice(self.tr("Copied answer with sources.")))

    @Slot()
    def offer_conversation(self) -> None:
        """Show the menu of formats for saving the open conversation."""
        if self._sessions.current != NEW:
            menu = new_menu(self._window)
            self._add_conversation_formats(menu)
            show_menu(menu, self._window)

    # Menus

    def answer_menu(self, message_id: str) -> QMenu:
        """Return a menu with all export actions for an answer."""
        menu = new_menu(self._window)
        copy = menu.addAction(self.tr("Copy answer with sources"))
        copy.triggered.connect(partial(self._on_copy_chosen, message_id))
        picture = menu.addAction(self.tr("Copy as image"))
        picture.triggered.connect(partial(self._on_picture_chosen, message_id))
        add_list_formats(menu.addMenu(self.tr("Copy sources")), partial(self.copy_sources, message_id))
        menu.addSeparator()
        page = menu.addAction(self.tr("Share as page…"))
        page.triggered.connect(partial(self._on_page_chosen, message_id))
        add_formats(menu.addMenu(self.tr("Save answer")), partial(self.export, message_id))
        answer = self._sessions.shown.get(message_id)
        if answer is not None and has_findings(answer):
            with_all = menu.addMenu(self.tr("Save answer with findings"))
            add_formats(with_all, partial(self.export, message_id, has_appendix=True))
        self._add_conversation_formats(menu.addMenu(self.tr("Save chat")))
        return menu

    def _add_conversation_formats(self, menu: QMenu) -> None:
        add_formats(menu, partial(self.export, ""))
        menu.addSeparator()
        menu.addAction(self.tr("Footnote file (JSON)…")).triggered.connect(self.whole_asked)

    def sources_menu(self, chosen: Callable[[ListFormat], object]) -> QMenu:
        """Return a menu of the formats in which sources can be copied."""
        menu = new_menu(self._window)
        menu.addAction(self.tr("Copy as")).setEnabled(False)  # styles do not draw the text of a section
        add_list_formats(menu, chosen)
        return menu

    def _on_page_chosen(self, message_id: str, _checked: bool = False) -> None:
        self.share_page(ActionRequest(message_id, MessageAction.SHARE_PAGE))

    def _on_picture_chosen(self, message_id: str, _checked: bool = False) -> None:
        self.copy_picture(ActionRequest(message_id, MessageAction.COPY_PICTURE))

    def _on_copy_chosen(self, message_id: str, _checked: bool = False) -> None:
        self.copy(message_id)

    # Copying

    def copy(self, message_id: str) -> None:
        """Copy a message as Markdown with footnotes, and as rich text for programs that support it."""
        self._read(partial(_clip, message_id), self._on_clip_made)

    def copy_sources(self, message_id: str, kind: ListFormat) -> None:
        """Copy all sources of an answer."""
        self._read(partial(_sources_of, message_id, kind), self._on_clip_made)

    def copy_source(self, number: int, kind: ListFormat) -> None:
        """Copy one source of the open conversation."""
        self._read(partial(_source, number, kind), self._on_clip_made)

    @Slot(object)
    def _on_clip_made(self, clip: Clip) -> None:
        data = QMimeData()
        data.setText(clip.text)
        if clip.html:
            data.setHtml(clip.html)
        QGuiApplication.clipboard().setMimeData(data)

    # Saving

    def export(self, message_id: str, kind: Format, *, has_appendix: bool = False) -> None:
        """Ask where to save an answer, or the conversation if the id is empty, and save it.

        With an appendix, the findings of a research follow its answer.
        """
        if kind in _WITH_PRIVATE:
            private = partial(_with_private, message_id, has_appendix, kind is not Format.PICTURE)
            self._read(private, partial(self._on_private_found, partial(self._ask_where, kind)))
        else:
            work = partial(_give_title, message_id, has_appendix)
            self._read(work, partial(self._ask_where, kind))

    def _ask_where(
        self, kind: Format, conversation: Conversation, left_out: frozenset[int] = frozenset()
    ) -> None:
        conversation = leave_out(conversation, left_out, labels_of(QLocale().name()))
        self._ask_place(kind, conversation, partial(self.write, conversation, kind))

    def _ask_place(self, kind: Format, conversation: Conversation, then: Callable[[Path], object]) -> None:
        name = file_name(conversation.info.title, kind.value, labels_of(QLocale().name()).conversation)
        self._ask_for_name(name, f"{format_name(kind)} (*.{kind.value})", then)

    def _ask_for_name(self, name: str, kinds: str, then: Callable[[Path], object]) -> None:
        ask_where_to_save(self._window, self.tr("Save as"), name, then, kinds, folder=str(self._folder))

    def write(self, conversation: Conversation, kind: Format, path: Path) -> None:
        """Write a file; a notice shows the progress and offers to cancel."""
        labels = labels_of(QLocale().name())
        if kind is Format.PICTURE:
            self._save(kind, partial(picture_page_of, conversation, labels, self._look()), path)
        else:
            self._save(kind, partial(export_conversation, conversation, kind, labels), path)

    def _save(self, kind: Format | None, make: Callable[[], bytes], path: Path) -> None:
        self._folder = path.parent
        saver = FileSaver(path, self._loop, self)
        saver.saved.connect(self._on_saved)
        saver.failed.connect(self.failed)
        words = self.tr("Saving “{name}”").format(name=path.name)
        self.noticed.emit(Notice(words, self.tr("Cancel"), saver.cancel, is_lasting=True))
        if kind is Format.PDF:
            saver.save_as_pdf(make)
        elif kind is Format.PICTURE:
            saver.progressed.connect(partial(self._tell_progress, words, saver))
            saver.saved.connect(partial(self._tell_height, saver))
            saver.save_as_picture(make, self._look())
        else:
            saver.save(make)

    @Slot(object)
    def _on_saved(self, path: Path) -> None:
        words = self.tr("Saved as “{name}”").format(name=path.name)
        self.noticed.emit(Notice(words, self.tr("Open"), partial(_open, path)))

    def _tell_progress(self, words: str, saver: FileSaver, share: float) -> None:
        told = f"{words} · {share:.0%}"
        self.noticed.emit(Notice(told, self.tr("Cancel"), saver.cancel, is_lasting=True))

    def _tell_height(self, saver: FileSaver, path: Path) -> None:
        """Tell when a picture is higher than many programs open."""
        if saver.height > COMMON_LIMIT:
            words = self.tr(
                "Saved as “{name}”. It is {height} pixels high; some programs open only {limit}."
            ).format(name=path.name, height=saver.height, limit=COMMON_LIMIT)
            self.noticed.emit(Notice(words, self.tr("Open"), partial(_open, path), is_lasting=True))

    def _read(self, work: _Reading, then: Callable[[Any], object]) -> None:
        """Run `work` on the open conversation from disk, in a background thread."""
        self._loop.run(self, partial(self._load, self._sessions.current, work), then, self.failed)

    async def _load(self, conversation_id: str, work: _Reading) -> object:
        conversation = await self._conversations.load(conversation_id)
        return await asyncio.to_thread(work, conversation, labels_of(QLocale().name()))


def _clip(message_id: str, conversation: Conversation, labels: Labels) -> Clip:
    alone = only(conversation, message_id)
    (message,) = alone.messages
    return Clip(message.text) if message.speaker is Speaker.USER else answer_clip(alone, labels)


def _sources_of(message_id: str, kind: ListFormat, conversation: Conversation, labels: Labels) -> Clip:
    return Clip(format_source_list(list_used_sources(only(conversation, message_id)), kind, labels))


def _source(number: int, kind: ListFormat, conversation: Conversation, labels: Labels) -> Clip:
    sources = [source for source in conversation.sources if source.number == number]
    return Clip(format_source_list(sources, kind, labels))


def _give_title(
    message_id: str, has_appendix: bool, conversation: Conversation, labels: Labels
) -> Conversation:
    """Return the conversation to save. A single answer is titled with its question, a checked text with its name.

    If a question has several answers, the whole conversation contains the one that was continued.
    """
    if has_appendix:
        conversation = with_findings(conversation, labels)
    if not message_id:
        return replace(conversation, messages=main_branch(conversation.messages))
    before = list(conversation.messages)
    while before and before[-1].id != message_id:
        before.pop()
    questions = [message.text.strip() for message in before if message.speaker is Speaker.USER]
    checked = next((message.procedure for message in before[-1:]), None)
    name = checked.name if isinstance(checked, TextCheck) else ""
    title = name or next((first_line(text) for text in reversed(questions) if text), conversation.info.title)
    return replace(only(conversation, message_id), info=replace(conversation.info, title=title))


def _with_private(
    message_id: str, has_appendix: bool, with_read: bool, conversation: Conversation, labels: Labels
) -> tuple[Conversation, tuple[Source, ...]]:
    """Return the conversation to share, and its private sources that are cited, or also those only read."""
    titled = _give_title(message_id, has_appendix, conversation, labels)
    return titled, private_sources(titled, with_read=with_read)


def _open(path: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


class ConversationExport(QObject):
    """Saves conversations in Footnote's own format.

    Signals:
        noticed: a Notice that the file was saved.
        failed: the error that prevented saving.
    """

    noticed = Signal(object)
    failed = Signal(object)

    def __init__(
        self,
        transfers: Transfers,
        loop: BackgroundLoop,
        sessions: SessionManager,
        titles: ConversationModel,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._sessions = sessions
        self._titles = titles
        self._transfers = transfers
        self._loop = loop
        self._window = window

    @Slot()
    def ask_current(self) -> None:
        """Ask where to save the open conversation."""
        self.ask(self._sessions.current, self._titles.title_of(self._sessions.current))

    def ask(self, conversation_id: str, title: str) -> None:
        """Ask where to save a conversation, and save it."""
        suffix = CONVERSATION_SUFFIX.removeprefix(".")
        name = file_name(title, suffix, labels_of(QLocale().name()).conversation)
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        ask_where_to_save(
            self._window,
            self.tr("Save as"),
            name,
            partial(self.save, conversation_id),
            f"Footnote (*{CONVERSATION_SUFFIX})",
            folder=folder,
            suffix=suffix,
        )

    def save(self, conversation_id: str, path: Path) -> None:
        """Write the file."""
        self._loop.run(
            self,
            partial(self._transfers.export_conversation, conversation_id, path),
            partial(self._on_saved, path),
            self.failed,
        )

    def _on_saved(self, path: Path, _nothing: object) -> None:
        self.noticed.emit(Notice(self.tr("Saved as “{name}”").format(name=path.name)))
