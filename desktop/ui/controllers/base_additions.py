"""Adds what an answer is based on to a knowledge base: its pages and files, and selected text as a note."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain

from PySide6.QtCore import QLocale, QObject, Slot
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QWidget

from desktop.background import BackgroundLoop, Job
from desktop.chat.api.knowledge import Knowledge
from desktop.domain.knowledge import (
    AdditionOutcome,
    BaseInfo,
    ItemInfo,
    ItemProgress,
    ItemState,
    SourceAddition,
)
from desktop.domain.sources import Source, SourceKind
from desktop.render.export.notes import note_of, note_title
from desktop.render.labels import labels_of
from desktop.render.page.cited_sentence import document_sources
from desktop.ui.chat.session_manager import SessionManager
from desktop.ui.chat.transcript_stack import TranscriptStack
from desktop.ui.stores.knowledge_store import KnowledgeStore
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.transcript.message_action import ActionRequest, Handlers, MessageAction
from desktop.ui.widgets.dialog import text_dialog
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.labels import localize_message
from desktop.ui.widgets.layout import new_menu, plain_name
from desktop.ui.widgets.notice_bar import Notice, NoticeBar, undo_notice

_DOCUMENTS = frozenset({SourceKind.WEB, SourceKind.FILE})
Use = Callable[[BaseInfo, bool], None]
"""Gets a base, and whether it was made for this."""


@dataclass
class _Addition:
    """An addition; `item_ids` are the items that it has put into the base, `items` how far these have been read."""

    base: BaseInfo
    is_new_base: bool
    item_ids: tuple[str, ...] = ()
    items: dict[str, ItemInfo] = field(default_factory=dict)
    outcomes: tuple[SourceAddition, ...] = ()
    job: Job | None = None


class BaseAdditionController(QObject):
    """Offers the bases in a menu, adds to one, shows the progress with *Cancel*, then what was added with *Undo*."""

    def __init__(
        self,
        knowledge: Knowledge,
        loop: BackgroundLoop,
        *,
        knowledge_store: KnowledgeStore,
        notices: NoticeBar,
        sessions: SessionManager,
        store: SettingsStore,
        transcripts: TranscriptStack,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._knowledge = knowledge
        self._loop = loop
        self._knowledge_store = knowledge_store
        self._notices = notices
        self._sessions = sessions
        self._store = store
        self._transcripts = transcripts
        self._window = window
        self._running: _Addition | None = None

    @property
    def handlers(self) -> Handlers:
        """The handlers of the page actions that add to a base."""
        return {
            MessageAction.ADD_SOURCE: self._offer_source,
            MessageAction.ADD_SOURCES: self._offer_sources,
            MessageAction.ADD_NOTE: self._offer_note,
        }

    def menu_for(self, message_id: str, source: Source | None = None, conversation_id: str = "") -> QMenu:
        """Return the menu for the sources of an answer, and for `source`; without a conversation, for the one shown."""
        shown = self._sessions.shown
        message = shown.get(message_id)
        conversation_id = conversation_id or self._sessions.current
        menu = new_menu(self._window)
        choices: list[tuple[str, tuple[Source, ...]]] = []
        if source is not None and source.kind in _DOCUMENTS:
            one = self.tr("This page") if source.url.startswith("http") else self.tr("This file")
            choices.append((one, (source,)))
        if message is not None:
            cited = document_sources(message, shown.sources.values(), is_cited=True)
            given = document_sources(message, shown.sources.values(), is_cited=False)
            choices += [(self.tr("All that are cited"), cited), (self.tr("All that were read"), given)]
        for words, sources in choices:
            part = menu.addMenu(f"{words} ({len(sources)})" if len(sources) > 1 else words)
            part.setEnabled(bool(sources))
            self._fill(part, partial(self.add, sources, conversation_id=conversation_id))
        return menu

    @Slot(object)
    @Slot(object, str)
    def offer(self, source: Source, message_id: str = "") -> None:
        """Show this menu at the mouse pointer."""
        _show(self.menu_for(message_id, source))

    def offer_in_viewer(self, conversation_id: str, source: Source) -> None:
        """Show this menu for a source in a window of its own; another conversation may be shown here by now."""
        message_id = ""
        if conversation_id == self._sessions.current:
            messages = reversed(self._sessions.shown.messages)
            message_id = next((each.id for each in messages if source.number in each.offered), "")
        _show(self.menu_for(message_id, source, conversation_id))

    def add(
        self,
        sources: Sequence[Source],
        base: BaseInfo,
        is_new_base: bool = False,
        *,
        conversation_id: str = "",
    ) -> None:
        """Add the documents of sources of a conversation to a base; one addition runs at a time."""
        if self._is_waited_for():
            return
        conversation_id = conversation_id or self._sessions.current
        work = partial(self._knowledge.add_sources, base.id, tuple(sources), conversation_id)
        self._begin(_Addition(base, is_new_base), work, self._on_sources_added, self._on_source_added)
        self._say_progress(0, len(sources))

    def add_note(self, text: str, base: BaseInfo, is_new_base: bool = False) -> None:
        """Write selected text of an answer into a base, with the sources of its marks."""
        if self._is_waited_for():
            return
        shown = self._sessions.shown
        note = note_of(text, shown.sources, labels_of(QLocale().name()))
        work = partial(self._knowledge.put_note, base.id, note_title(text), note)
        self._begin(_Addition(base, is_new_base), work, self._on_note_added, self._on_item_added)

    def _is_waited_for(self) -> bool:
        """Say whether an addition runs, and tell the user."""
        if self._running is not None:
            self._notices.say(Notice(self.tr("Wait until the earlier pages are added, or cancel them.")))
        return self._running is not None

    def stop(self) -> None:
        """Stop adding."""
        if self._running is not None and self._running.job is not None:
            self._running.job.cancel()

    @Slot(object)
    def tell_places(self, source: Source) -> None:
        """Show on the open card in which bases the page or file of a source is."""
        if self._knowledge_store.bases and source.kind in _DOCUMENTS:
            work = partial(self._knowledge.bases_with, source)
            self._loop.run(self, work, partial(self._on_places_found, source.number), _ignore)

    def _on_places_found(self, number: int, bases: tuple[BaseInfo, ...]) -> None:
        self._transcripts.show_places(number, tuple(base.name for base in bases))

    def _offer_source(self, request: ActionRequest) -> None:
        shown = self._sessions.shown
        source = shown.sources.get(request.number)
        if source is not None:
            self.offer(source, request.message_id)

    def _offer_sources(self, request: ActionRequest) -> None:
        _show(self.menu_for(request.message_id))

    def _offer_note(self, request: ActionRequest) -> None:
        menu = new_menu(self._window)
        self._fill(menu, partial(self.add_note, request.text))
        _show(menu)

    def _fill(self, menu: QMenu, use: Use) -> None:
        """Add the bases to a menu, the one used last first, and a new one."""
        settings = self._store.settings
        last = settings.window.last_base
        for base in sorted(self._knowledge_store.bases, key=lambda each: each.id != last):
            action = menu.addAction(icon("library", menu.palette()), plain_name(base.name))
            action.triggered.connect(partial(_use, use, base))
        menu.addSeparator()
        new = menu.addAction(icon("plus", menu.palette()), self.tr("New knowledge base…"))
        new.triggered.connect(partial(self._ask_name, use))

    def _ask_name(self, use: Use, _checked: bool = False) -> None:
        dialog = text_dialog(self._window, self.tr("New knowledge base"), self.tr("Name"))
        dialog.textValueSelected.connect(partial(self._on_named, use))
        dialog.open()

    def _on_named(self, use: Use, name: str) -> None:
        if name.strip():
            work = partial(self._knowledge.create, name.strip())
            self._loop.run(self, work, partial(_use_new, use), self._notices.say_failed)

    def _begin(
        self,
        addition: _Addition,
        work: Callable[[], AsyncIterator[object]],
        done: Callable[[_Addition], None],
        progressed: Callable[..., None],
    ) -> None:
        self._running = addition
        addition.job = self._loop.run(
            self,
            work,
            partial(self._on_ended, addition, done),
            partial(self._on_failed, addition),
            progressed=partial(progressed, addition),
            cancelled=partial(self._on_cancelled, addition),
        )
        settings = self._store.settings
        if settings.window.last_base != addition.base.id:
            window = replace(settings.window, last_base=addition.base.id)
            self._store.apply(replace(settings, window=window))

    def _say_progress(self, done: int, total: int) -> None:
        if self._running is None:
            return
        words = self.tr("Adding to “{base}”: {done} of {total}")
        text = words.format(base=plain_name(self._running.base.name), done=done, total=total)
        self._notices.say(Notice(text, self.tr("Cancel"), self.stop, is_lasting=True))

    def _on_source_added(self, addition: _Addition, step: SourceAddition) -> None:
        addition.outcomes = (*addition.outcomes, step)
        if step.outcome is AdditionOutcome.ADDED and step.item is not None:
            addition.item_ids = (*addition.item_ids, step.item.id)
            addition.items[step.item.id] = step.item
        self._say_progress(step.done, step.total)

    def _on_item_added(self, addition: _Addition, step: ItemProgress) -> None:
        addition.item_ids = (step.item.id,)

    def _on_ended(self, addition: _Addition, done: Callable[[_Addition], None], _nothing: object) -> None:
        self._running = None
        self._knowledge_store.refresh()
        done(addition)

    def _on_sources_added(self, addition: _Addition) -> None:
        """Say what was added; pages are read into the base after they were put there."""
        self._tell_all_places(addition)
        unread = tuple(item.id for item in addition.items.values() if not item.state.has_ended)
        if not unread:
            self._notices.say(self._result_of(addition))
            return
        words = self.tr("Adding %n source(s) to “{base}”…", None, len(unread))
        text = words.format(base=plain_name(addition.base.name))
        notice = replace(undo_notice(text, partial(self._undo, addition)), is_lasting=True)
        self._notices.say(notice)
        addition.job = self._loop.run(
            self,
            partial(self._knowledge.watch_items, unread),
            partial(self._on_items_read, addition, notice),
            self._notices.say_failed,
            progressed=partial(self._on_item_read, addition),
        )

    def _on_item_read(self, addition: _Addition, step: ItemProgress) -> None:
        if step.is_removed:
            addition.items.pop(step.item.id, None)
        else:
            addition.items[step.item.id] = step.item

    def _on_items_read(self, addition: _Addition, notice: Notice, _nothing: object) -> None:
        self._knowledge_store.refresh()
        result = self._result_of(addition)
        if any(item.state is ItemState.FAILED for item in addition.items.values()):
            self._notices.say(result)
        elif addition.items:
            self._notices.update_notice(notice, result)
        else:  # removed elsewhere meanwhile
            self._notices.withdraw(notice)
        self._tell_all_places(addition)

    def _result_of(self, addition: _Addition) -> Notice:
        base = plain_name(addition.base.name)
        refused = [
            (each.title, each.detail) for each in addition.outcomes if each.outcome is AdditionOutcome.REFUSED
        ]
        failed = [item for item in addition.items.values() if item.state is ItemState.FAILED]
        refused += [(item.name, item.error) for item in failed]
        known = sum(each.outcome is AdditionOutcome.KNOWN for each in addition.outcomes)
        parts = []
        if added := len(addition.items) - len(failed):
            parts.append(self.tr("%n source(s) added to “{base}”.", None, added).format(base=base))
        if known:
            parts.append(self.tr("%n already in “{base}”.", None, known).format(base=base))
        if refused:
            parts.append(self.tr("%n couldn’t be added: {reason}", None, len(refused)))
            title, detail = refused[0]
            parts[-1] = parts[-1].format(reason=f"{title}: {localize_message(detail)}")
        return self._with_undo(addition, " ".join(parts), is_error=bool(refused) and not added)

    def _on_note_added(self, addition: _Addition) -> None:
        base = plain_name(addition.base.name)
        self._notices.say(self._with_undo(addition, self.tr("Note added to “{base}”.").format(base=base)))

    def _with_undo(self, addition: _Addition, text: str, *, is_error: bool = False) -> Notice:
        if not addition.item_ids:
            return Notice(text, is_error=is_error)
        return replace(undo_notice(text, partial(self._undo, addition)), is_error=is_error)

    def _undo(self, addition: _Addition, then: Callable[[], None] = lambda: None) -> None:
        addition.items.clear()  # of what is still read, nothing is told any more
        if addition.job is not None:
            addition.job.cancel()
        self._loop.run(
            self,
            partial(self._take_back, addition),
            partial(self._on_taken_back, addition, then),
            self._notices.say_failed,
        )

    async def _take_back(self, addition: _Addition) -> None:
        await self._knowledge.remove(addition.item_ids)
        if addition.is_new_base and not await self._knowledge.items(addition.base.id):
            await self._knowledge.delete(addition.base.id)

    def _on_taken_back(self, addition: _Addition, then: Callable[[], None], _nothing: object) -> None:
        self._knowledge_store.refresh()
        self._tell_all_places(addition)  # it may be in another base still
        then()

    def _tell_all_places(self, addition: _Addition) -> None:
        shown = self._sessions.shown
        for number in chain.from_iterable(step.numbers for step in addition.outcomes):
            if source := shown.sources.get(number):
                self.tell_places(source)

    def _on_cancelled(self, addition: _Addition) -> None:
        self._running = None
        told = (
            self.tr("Canceled. Items that were already added have been removed.")
            if addition.item_ids
            else self.tr("Canceled. Nothing was added.")
        )
        self._undo(addition, partial(self._notices.say, Notice(told)))

    def _on_failed(self, addition: _Addition, error: Exception) -> None:
        self._running = None
        self._notices.say_failed(error)
        self._undo(addition)


def _show(menu: QMenu) -> None:
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(QCursor.pos())


def _use(use: Use, base: BaseInfo, _checked: bool = False) -> None:
    use(base, False)


def _use_new(use: Use, base: BaseInfo) -> None:
    use(base, True)


def _ignore(_error: Exception) -> None:
    """The card is complete without it; the bases themselves tell their errors."""
