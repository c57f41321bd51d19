"""The view of a conversation page: what it shows, reports and is asked for, and the icons and pictures that it loads."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QPoint, QUrl, Signal, Slot
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWebEngineCore import QWebEnginePage, QWebEngineUrlRequestJob
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.background import BackgroundLoop
from desktop.domain.assistants import GENERAL, Assistant
from desktop.domain.events import TurnEvent, TurnFinished
from desktop.domain.messages import Message
from desktop.domain.pictures import Picture
from desktop.domain.procedures import ProcedureCommand, Research, StartPlan
from desktop.domain.transcript import Transcript
from desktop.errors import PictureUnavailable
from desktop.render.labels import STARTS, Labels, labels_of
from desktop.render.message import mail_address, picture_address
from desktop.render.page.page_model import PageModel
from desktop.render.page.source_cards import ICON_HOST
from desktop.text.heap import release_memory
from desktop.ui.links import sanitize_url
from desktop.ui.transcript.asset_scheme import Asset, AssetHandler, as_parent, reply
from desktop.ui.transcript.drawings import Drawings
from desktop.ui.transcript.find_bar import FindBar
from desktop.ui.transcript.message_action import (
    ActionRequest,
    MessageAction,
    add_message,
    add_selection,
    message_menu,
)
from desktop.ui.transcript.page_channel import PageBridge, PageUpdater
from desktop.ui.transcript.web_page import PreloadedPage
from desktop.ui.widgets.labels import LOCAL_CLOCK
from desktop.ui.widgets.layout import new_menu
from desktop.ui.widgets.theme import PageAppearance

if TYPE_CHECKING:  # imported for types only, as the page is drawn before the ports are needed
    from desktop.chat.api.engine import Icons, Pictures


PICTURE_HOST: Final = "pictures"
"""Host of picture URLs; the path holds the message id and the index of the picture (from 0)."""

PictureFinder = Callable[[str, int], Awaitable[Picture]]
"""Returns the picture of a message; runs on the asyncio thread and raises `AppError`s."""

OnFailed = Callable[[Exception], None]


def serve_icons(handler: AssetHandler, icons: "Icons", loop: BackgroundLoop) -> None:
    """Serve the icons of visited sites to the page."""
    handler.serve(ICON_HOST, partial(_begin_icon, icons, loop))


def serve_pictures(
    handler: AssetHandler, find: PictureFinder, loop: BackgroundLoop, on_failed: OnFailed
) -> None:
    """Serve the pictures that the user asks for to the page."""
    handler.serve(PICTURE_HOST, partial(_begin_picture, find, loop, on_failed))


def _begin_icon(icons: "Icons", loop: BackgroundLoop, request: QWebEngineUrlRequestJob, icon_id: str) -> None:
    """Load an icon in the background; the job is cancelled with its request."""
    # The connection keeps the request's Python wrapper alive: Qt alone would delete it before the reply.
    loop.run(as_parent(request), partial(icons.find, icon_id), partial(_on_icon_found, request))


def _on_icon_found(request: QWebEngineUrlRequestJob, icon: Picture | None) -> None:
    reply(request, Asset(icon.media_type.encode(), icon.data) if icon is not None else None)


def _begin_picture(
    find: PictureFinder,
    loop: BackgroundLoop,
    on_failed: OnFailed,
    request: QWebEngineUrlRequestJob,
    name: str,
) -> None:
    """Fetch a picture on another thread; the job is cancelled with its request."""
    message_id, _, index = name.rpartition("/")
    wanted = int(index) if index.isdecimal() else -1
    loop.run(
        as_parent(request),
        partial(find, message_id, wanted),
        partial(_on_picture_found, request),
        partial(_on_picture_failed, request, on_failed),
    )


def _on_picture_found(request: QWebEngineUrlRequestJob, picture: Picture) -> None:
    reply(request, Asset(picture.media_type.encode(), picture.data))


def _on_picture_failed(request: QWebEngineUrlRequestJob, on_failed: OnFailed, error: Exception) -> None:
    reply(request, None)
    on_failed(error)


QUOTE_CHARS: Final = 20_000
"""Maximum length of a selection that is read from the page, in characters."""


class TranscriptView(QWidget):
    """Shows one conversation at a time.

    Signals:
        card_opened: the Source whose card is shown.
        source_followed: the Source of the clicked mark, which `followed_mark` tells.
        original_followed: a Source whose page or file should be opened.
        link_followed: a checked http, https or mailto address, which the receiver opens.
        link_refused: a clicked address that is not opened.
        action_requested: an ActionRequest.
        research_steered: id of an answer, and the ResearchWish for its research.
        ready: the page has loaded and shows the conversation; emitted again after a crash of its process.
        drawing_failed: the message for the user that a drawing could not be copied or saved.
        picture_failed: the error that prevents showing a requested picture.
        found: a FindState with the state of the search.
        behind_changed: whether too much text is waiting to be shown; the sender may then pause.
    """

    card_opened = Signal(object)
    source_followed = Signal(object)
    original_followed = Signal(object)
    link_followed = Signal(str)
    link_refused = Signal(str)
    action_requested = Signal(object)
    research_steered = Signal(str, object)
    ready = Signal()
    found = Signal(object)
    picture_failed = Signal(object)
    drawing_failed = Signal(str)
    behind_changed = Signal(bool)

    def __init__(
        self, loop: BackgroundLoop, parent: QWidget | None = None, bare: PreloadedPage | None = None
    ) -> None:
        """Use the preloaded page `bare`, if given."""
        super().__init__(parent)
        self._loop = loop
        self._searched = ""
        self._labels = labels_for("")
        self._look = PageAppearance()
        self._bridge = PageBridge(self)
        self._bare = bare or PreloadedPage(self)
        self._bare.move_to(self)
        self._view, self._page = self._bare.view, self._bare.web_page
        self._updater = PageUpdater(self._page, self._labels, loop)
        self.drawings = Drawings(self._page, self._bare.profile.assets, loop, self._text_of, self)
        self.followed_mark = ("", 0, 0)
        """The mark that was shown or clicked last: id of its message, number, and how many of that are before it."""
        self.find_bar = FindBar(self)
        self._furnish()
        self._connect()
        self._apply_theme()
        self._updater.suspend()
        if self._bare.is_loaded:
            self._introduce()

    def show_transcript(self, shown: Transcript) -> None:
        """Show a conversation instead of the current one; without messages, show a welcome."""
        self._bare.note_left(sum(len(message.text) for message in self._updater.shown.messages))
        self.find_bar.finish()
        self._updater.show(shown)

    def write_all(self) -> None:
        """Write every message, near or far, for printing; `is_whole` is true when this is done."""
        self._updater.push(PageModel.write_all)

    @property
    def is_drawn(self) -> bool:
        """Whether the page has been `ready` and still shows its content."""
        return self._updater.is_drawn

    @property
    def is_whole(self) -> bool:
        """Whether the page shows the whole conversation, with every message written."""
        return self._updater.is_whole

    @Slot(str)
    def search(self, words: str) -> None:
        """Search the conversation from the reading position; `found` follows. Empty `words` end the search."""
        self._searched = words
        self._page.runJavaScript("footnote.place()", partial(self._find_from, words))

    def show_place(self, message_id: str, words: str = "") -> None:
        """Scroll to a message, and to the first match of `words` in it."""
        self._searched = words
        if words:
            self.find_bar.show_words(words)
        self._updater.push(partial(PageModel.show_place, message_id=message_id, needle=words))

    @Slot(int)
    def search_next(self, step: int) -> None:
        """Go to the next match (1) or the previous one (-1)."""
        self._updater.push(partial(PageModel.find_next, by=step))

    def apply(self, event: TurnEvent, shown: Transcript) -> None:
        """Show an event of the running turn of this conversation, and what is shown after it."""
        self._updater.apply(event, shown)
        if isinstance(event, TurnFinished):
            # The page says it, too, but the web engine passes on nothing of what a page announces.
            words = self._labels.end_of_answer(event.message.status)
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, words))

    @property
    def waiting_chars(self) -> int:
        """Number of characters that were applied but are not yet drawn."""
        return self._updater.waiting_chars

    def end_check(self, message_id: str) -> None:
        """Hide the note that an answer is being checked."""
        self._updater.push(partial(PageModel.end_check, message_id=message_id))

    def set_language(self, locale: str, assistant: Assistant = GENERAL, *, has_model: bool = True) -> None:
        """Set the language, a locale such as `zh_CN`; `assistant` provides the welcome of an empty page.

        Without a model, the welcome leads to one.
        """
        labels = labels_for(locale, assistant, has_model=has_model)
        if labels != self._labels:
            self._labels = labels
            self._updater.set_labels(labels)

    def words_behind(self, number: int) -> str:
        """Return the words of a source that its card highlighted; empty if no card was shown."""
        return self._updater.words_behind(number)

    def serve_icons(self, icons: "Icons") -> None:
        """Show site icons instead of letters."""
        serve_icons(self._bare.profile.assets, icons, self._loop)

    def serve_pictures(self, pictures: "Pictures") -> None:
        """Load pictures of answers on request; the web engine itself has no network access."""
        find = partial(_find_picture, self._message, pictures)
        serve_pictures(self._bare.profile.assets, find, self._loop, self.picture_failed.emit)

    def _message(self, message_id: str) -> Message | None:
        return self._updater.shown.get(message_id)

    def _text_of(self, message_id: str) -> str:
        message = self._message(message_id)
        return message.text if message is not None else ""

    def set_zoom(self, factor: float) -> None:
        """Set the zoom factor of the page."""
        self._view.setZoomFactor(factor)

    def set_appearance(self, look: PageAppearance) -> None:
        """Apply the font, the density and the user's own style sheet."""
        if look != self._look:
            self._look = look
            self._apply_theme()

    @property
    def web_page(self) -> QWebEnginePage:
        """The web page, for printing and tests."""
        return self._page

    @property
    def tab_stops(self) -> tuple[QWidget, ...]:
        """The widgets that take keyboard focus, in tab order; the page's widget changes with every `ready`."""
        return (*self.find_bar.tab_stops, self._view.focusProxy() or self._view)

    def _furnish(self) -> None:
        # The page receives the registered objects once, when it connects.
        self._bare.channel.registerObject("bridge", self._bridge)
        self.setFocusProxy(self._view)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.find_bar)
        box.addWidget(self._view, 1)

    def _connect(self) -> None:
        self._updater.ready.connect(self.ready)
        self._updater.found.connect(self.found)
        self._updater.behind_changed.connect(self.behind_changed)
        self.find_bar.changed.connect(self.search)
        self.find_bar.step_asked.connect(self.search_next)
        self.find_bar.closed.connect(self._view.setFocus)
        self.found.connect(self.find_bar.show_found)
        self._bare.loaded.connect(self._introduce)
        self._bridge.loaded.connect(self._on_loaded)
        self._bridge.drawing_done.connect(self._updater.note_drawn)
        self._bridge.messages_asked.connect(self._on_messages_asked)
        self._bridge.messages_far.connect(self._on_messages_far)
        self._bridge.action_asked.connect(self._on_action_asked)
        self._bridge.source_asked.connect(self._on_source_asked)
        self._bridge.original_asked.connect(self._on_original_asked)
        self._bridge.source_copy_asked.connect(self._on_source_copy_asked)
        self._bridge.source_add_asked.connect(self._on_source_add_asked)
        self._bridge.card_asked.connect(self._on_card_asked)
        self._bridge.mail_asked.connect(self._on_mail_asked)
        self._bridge.example_asked.connect(self._on_example_asked)
        self._bridge.drawing_asked.connect(self.drawings.draw)
        self._bridge.drawing_stopped.connect(self.drawings.stop)
        self._bridge.drawing_menu_asked.connect(self._on_drawing_menu_asked)
        self.drawings.save_asked.connect(self._on_drawing_save_asked)
        self.drawings.failed.connect(self.drawing_failed)
        self._bridge.research_steered.connect(self._on_research_steered)
        self._bridge.menu_asked.connect(self._on_button_menu_asked)
        self._view.menu_asked.connect(self._on_menu_asked)
        self._bridge.card_toggled.connect(self._view.note_card)
        self._page.linkHovered.connect(self._view.show_target)
        self._page.link_clicked.connect(self.link_followed)
        self._page.link_refused.connect(self.link_refused)
        self._bare.left.connect(self._updater.suspend)
        self._bare.loaded.connect(release_memory)  # also once a new process has replaced that of long answers
        self._bare.maintain(self._bridge.loaded, lambda: not self._updater.shown.by_id)

    @Slot()
    def _introduce(self) -> None:
        self._page.runJavaScript("footnote.connect()")

    @Slot(object)
    def _find_from(self, words: str, message_id: str) -> None:
        if words == self._searched:  # otherwise a newer search has been started
            self._updater.push(partial(PageModel.find, needle=words, start=message_id))

    def _apply_theme(self) -> None:
        """Apply the window's colours; the background is set even before the page is loaded."""
        paper = self.palette().window().color()
        self._page.setBackgroundColor(paper)
        self.drawings.set_palette(self.palette())
        if self._updater.is_loaded:
            self._page.runJavaScript(f"footnote.paint({json.dumps(self._look.to_script(self.palette()))})")

    def changeEvent(self, event: QEvent) -> None:
        """Apply changed colours of the window."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._apply_theme()

    # Handlers of signals from the page

    @Slot()
    def _on_loaded(self) -> None:
        self._view.note_card(False)
        self._updater.resume()
        self._apply_theme()

    @Slot(str, str)
    def _on_action_asked(self, message_id: str, action: str) -> None:
        message = self._message(message_id)
        if message is not None and action == "quote":
            self.quote_selection()
        elif message is not None:
            self._act(message_id, action)

    @Slot(int)
    def _on_source_asked(self, number: int) -> None:
        source = self._updater.shown.sources.get(number)
        if source is not None:
            self.source_followed.emit(source)

    @Slot(int)
    def _on_original_asked(self, number: int) -> None:
        source = self._updater.shown.sources.get(number)
        if source is not None:
            self.original_followed.emit(source)

    @Slot(int)
    def _on_source_copy_asked(self, number: int) -> None:
        if self._updater.shown.sources.get(number) is not None:
            self.action_requested.emit(ActionRequest("", MessageAction.COPY_SOURCE, number=number))

    @Slot(int)
    def _on_source_add_asked(self, number: int) -> None:
        if self._updater.shown.sources.get(number) is not None:
            message_id = self.followed_mark[0]
            self.action_requested.emit(ActionRequest(message_id, MessageAction.ADD_SOURCE, number=number))

    @Slot(str, int, int)
    def _on_card_asked(self, message_id: str, number: int, occurrence: int) -> None:
        self.followed_mark = (message_id, number, occurrence)
        self._updater.show_card(message_id, number, occurrence)
        if source := self._updater.shown.sources.get(number):
            self.card_opened.emit(source)

    def show_places(self, number: int, names: tuple[str, ...]) -> None:
        """Show on the card of a source in which knowledge bases it is."""
        if self._updater.places.get(number, ()) != names:
            self._updater.places[number] = names
            if self.followed_mark[1] == number:
                self._updater.show_card(*self.followed_mark)

    @Slot(str, int)
    def _on_mail_asked(self, message_id: str, index: int) -> None:
        if message := self._message(message_id):
            # Finding the address needs rendering, which is too slow for the GUI thread.
            work = partial(asyncio.to_thread, mail_address, message.text, index)
            self._loop.run(self, work, self._on_mail_found)

    @Slot(object)
    def _on_mail_found(self, found: str) -> None:
        if address := sanitize_url(QUrl(found)):
            self.link_followed.emit(address)
        else:
            self.link_refused.emit(found)

    @Slot(list)
    def _on_messages_asked(self, message_ids: list[str]) -> None:
        self._updater.push(partial(PageModel.write, message_ids=tuple(message_ids)))

    @Slot(list)
    def _on_messages_far(self, message_ids: list[str]) -> None:
        self._updater.push(partial(PageModel.release, message_ids=tuple(message_ids)))

    @Slot(int)
    def _on_example_asked(self, index: int) -> None:
        examples = self._labels.examples
        if 0 <= index < len(examples):
            self.action_requested.emit(ActionRequest("", MessageAction.EXAMPLE, examples[index]))
        elif 0 <= index < len(examples) + len(STARTS):
            start = STARTS[index - len(examples)]
            self.action_requested.emit(ActionRequest("", MessageAction.START, start))

    @Slot(str, object)
    def _on_research_steered(self, message_id: str, wish: ProcedureCommand) -> None:
        message = self._message(message_id)
        if message is None or message.procedure is None:
            return
        if isinstance(wish, StartPlan) and isinstance(message.procedure, Research):
            wish = StartPlan(replace(wish.plan, needs=message.procedure.plan.needs))
        self._updater.push(partial(PageModel.steer, message_id=message_id, wish=wish))
        self.research_steered.emit(message_id, wish)

    @Slot(str, str, int, int)
    def _on_button_menu_asked(self, message_id: str, menu: str, x: int, y: int) -> None:
        message = self._message(message_id)
        if message is None:
            return
        place = self._on_screen(x, y)
        if menu == "more":
            message_menu(message, partial(self._act, message_id, place=place), self).popup(place)
        else:
            self._act(message_id, menu, place)

    def _on_screen(self, x: int, y: int) -> QPoint:
        zoom = self._view.zoomFactor()
        return self._view.mapToGlobal(QPoint(round(x * zoom), round(y * zoom)))

    @Slot(str, int, int, int)
    def _on_drawing_menu_asked(self, message_id: str, index: int, x: int, y: int) -> None:
        self.drawings.show_menu(message_id, index, self._on_screen(x, y))

    @Slot(str, str, str, object)
    def _on_drawing_save_asked(self, message_id: str, title: str, suffix: str, content: bytes) -> None:
        save = MessageAction.SAVE_DRAWING
        self.action_requested.emit(ActionRequest(message_id, save, title, suffix=suffix, content=content))

    @Slot(QPoint, QPoint)
    def _on_menu_asked(self, point: QPoint, screen: QPoint) -> None:
        at = point / self._view.zoomFactor()
        script = f"footnote.messageAt({at.x()}, {at.y()})"
        self._page.runJavaScript(script, partial(self._offer_menu, screen, self._view.hasSelection()))

    def _offer_menu(self, screen: QPoint, has_selection: bool, message_id: object) -> None:
        message = self._message(message_id) if isinstance(message_id, str) else None
        menu = new_menu(self)
        act = partial(self._act, message.id if message is not None else "", place=screen)
        if has_selection:
            add_selection(menu, self._page.action(QWebEnginePage.WebAction.Copy), self._act_on_selection)
        elif message is not None:
            add_message(menu, message, act)
        menu.addSeparator()
        menu.addAction(self._page.action(QWebEnginePage.WebAction.SelectAll))
        menu.popup(screen)

    def _act(self, message_id: str, action: str, place: QPoint | None = None) -> None:
        self.action_requested.emit(ActionRequest(message_id, MessageAction(action), place=place))

    def _act_on_selection(self, action: str) -> None:
        """Request an action on the selected text; only the page knows the text with its marks."""
        self._page.runJavaScript("footnote.selected()", partial(self._on_selected, action))

    def _on_selected(self, action: str, words: object) -> None:
        if isinstance(words, str) and (text := words.strip()[:QUOTE_CHARS]):
            self.action_requested.emit(ActionRequest("", MessageAction(action), text))

    def show_mark(self, message_id: str, number: int, occurrence: int) -> None:
        """Bring a mark into view and show that it is the current one; without a message, none is."""
        told = ", ".join(json.dumps(each) for each in (message_id, number, occurrence))
        self._page.runJavaScript(f"footnote.showMark({told})")

    def show_beside(self, message_id: str) -> None:
        """Shorten what the answer says of its research, which is shown beside it; without a message, none is."""
        self._page.runJavaScript(f"footnote.showBeside({json.dumps(message_id)})")

    def step(self, by: int, past_end: Callable[[], None]) -> None:
        """Focus the previous message (-1) or the next one (1); call `past_end` if there is no next one."""
        # Coming from the composer, it starts over, whichever message had the focus before.
        inner = self._view.focusProxy()
        is_anew = "false" if inner is not None and inner.hasFocus() else "true"
        self._view.setFocus()
        self._page.runJavaScript(f"footnote.walk({by}, {is_anew})", partial(_on_stepped, by, past_end))

    @Slot()
    def quote_selection(self) -> None:
        """Request quoting the selected text, if there is any."""
        self._act_on_selection("quote")


def labels_for(locale: str, assistant: Assistant = GENERAL, *, has_model: bool = True) -> Labels:
    """Return the words of the page, with the welcome of an assistant."""
    labels = replace(labels_of(locale), clock=LOCAL_CLOCK, has_model=has_model)
    if assistant == GENERAL:
        return labels
    return replace(labels, welcome=assistant.name, examples=assistant.suggestions)


def _on_stepped(by: int, past_end: Callable[[], None], is_there: object) -> None:
    if by > 0 and is_there is False:
        past_end()


async def _find_picture(
    find: Callable[[str], Message | None], pictures: "Pictures", message_id: str, index: int
) -> Picture:
    message = find(message_id)
    text = message.text if message is not None else ""
    address = await asyncio.to_thread(picture_address, text, index)
    if not address:
        raise PictureUnavailable(detail="")
    return await pictures.fetch(address, message.conversation_id if message is not None else "")
