"""The stored conversations and their folders for the window: listed, changed, undone, and searched page by page."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from desktop.background import BackgroundLoop, Job
from desktop.chat.api.conversations import Conversations, Filing, History
from desktop.domain.history import HistoryPage, HistoryQuery
from desktop.domain.messages import ConversationInfo, Folder, Placement, PlacementChange
from desktop.errors import UnknownConversation
from desktop.ui.widgets.notice_bar import Notice, undo_notice

_MOST_STEPS = 100


@dataclass(frozen=True, eq=False)
class _UndoStep:
    """A change that can be undone, and the notice about it, if there was one."""

    take_back: Callable[[], object]
    notice: Notice | None = None


class ConversationListStore(QObject):
    """Loads and changes conversations and folders; every change ends with an updated list.

    Signals:
        listed: all conversations (tuple of ConversationInfo), unordered.
        folders_listed: all folders (tuple of Folder), unordered.
        folder_made: a new Folder, which has been listed.
        restored: ids (tuple) of deleted conversations that were restored.
        noticed: a Notice about a change, with an action to undo it.
        withdrawn: a Notice whose change was undone.
        failed: the error of a failed operation, or a disk problem.
    """

    listed = Signal(object)
    folders_listed = Signal(object)
    folder_made = Signal(object)
    restored = Signal(object)
    noticed = Signal(object)
    withdrawn = Signal(object)
    failed = Signal(object)

    def __init__(
        self,
        conversations: Conversations,
        filing: Filing,
        loop: BackgroundLoop,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._conversations = conversations
        self._filing = filing
        self._loop = loop
        self._newest = 0
        self._infos: dict[str, ConversationInfo] = {}
        self._folders: dict[str, Folder] = {}
        self._steps: list[_UndoStep] = []

    @property
    def conversations(self) -> tuple[ConversationInfo, ...]:
        """All conversations of the latest list, the most recently used first."""
        return tuple(sorted(self._infos.values(), key=lambda info: info.updated_at, reverse=True))

    def watch(self) -> None:
        """Start to report problems of the disk."""
        self._loop.run(self, self._conversations.troubles, progressed=self.failed)

    @Slot()
    def refresh(self) -> None:
        """Reload all conversations and folders."""
        self._newest += 1
        self._do(self._filing.folders, self._on_folders)
        self._do(self._conversations.recent, partial(self._on_listed, self._newest))

    @Slot(str)
    def refresh_one(self, conversation_id: str) -> None:
        """Reload the entry of one conversation: there may be ten thousand others."""
        self._loop.run(
            self,
            partial(self._conversations.info, conversation_id),
            self._on_info,
            partial(self._on_no_info, conversation_id),
        )

    @Slot(str, str)
    def rename(self, conversation_id: str, title: str) -> None:
        """Rename a conversation."""
        before = self._infos.get(conversation_id)

        def on_renamed(_nothing: object) -> None:
            if before is not None and before.title:
                self._remember(partial(self._rename, conversation_id, before.title))
            self.refresh_one(conversation_id)

        self._do(partial(self._conversations.rename, conversation_id, title), on_renamed)

    def assign(self, conversation_id: str, assistant_id: str) -> None:
        """Assign a conversation to another assistant."""
        self._do(
            partial(self._conversations.assign, conversation_id, assistant_id),
            partial(self._refresh_behind, conversation_id),
        )

    def arrange(self, conversation_ids: Iterable[str], change: PlacementChange, said: str = "") -> None:
        """Change the placement of conversations; `said` is the text of the notice."""
        work = partial(self._filing.arrange, tuple(conversation_ids), change)
        self._do(work, partial(self._on_arranged, change, said))

    def delete(self, conversation_ids: Iterable[str], said: str) -> None:
        """Delete conversations; the deletion can be undone."""
        ids = tuple(conversation_ids)
        self._do(partial(self._conversations.delete, *ids), partial(self._on_deleted, ids, said))

    def make_folder(self, name: str, conversation_ids: Iterable[str] = ()) -> None:
        """Create a folder with the given conversations."""
        on_made = partial(self._on_made, tuple(conversation_ids))
        self._do(partial(self._filing.create_folder, name), on_made)

    def change_folder(self, folder: Folder) -> None:
        """Update the name, the colour or the expanded state of the folder with that id."""
        before = self._folders.get(folder.id)
        if before is not None and before != folder:
            if before.is_open == folder.is_open:
                self._remember(partial(self._put_folder, before))
            self._put_folder(folder)

    def place_folders(self, positions: Mapping[str, int]) -> None:
        """Set the positions of folders by id."""
        before = {each: self._folders[each].position for each in positions if each in self._folders}
        if before != positions:
            self._remember(partial(self._put_in_order, before))
            self._put_in_order(positions)

    def dissolve(self, folder: Folder, said: str) -> None:
        """Delete a folder and keep its conversations."""
        on_dissolved = partial(self._on_dissolved, folder, said)
        self._do(partial(self._filing.delete_folder, folder.id), on_dissolved)

    def delete_folder(self, folder: Folder, conversation_ids: Iterable[str], said: str) -> None:
        """Delete a folder and these conversations; other conversations of the folder are kept."""
        ids = tuple(conversation_ids)

        async def delete() -> tuple[str, ...]:
            await self._conversations.delete(*ids)
            return await self._filing.delete_folder(folder.id)

        async def restore(release: Iterable[str]) -> None:
            await self._filing.restore_folder(folder, release)
            await self._conversations.restore(*ids)

        def on_deleted(release: tuple[str, ...]) -> None:
            self._remember(
                partial(self._do, partial(restore, release), partial(self._on_restored, ids)), said
            )
            self.refresh()

        self._do(delete, on_deleted)

    @Slot()
    def undo(self) -> None:
        """Undo the last change."""
        if self._steps:
            self._take_back(self._steps[-1])

    def _take_back(self, step: _UndoStep) -> None:
        if step in self._steps:
            self._steps.remove(step)
            if step.notice is not None:
                self.withdrawn.emit(step.notice)
            step.take_back()

    def _remember(self, take_back: Callable[[], object], said: str = "") -> None:
        if not said:
            step = _UndoStep(take_back)
        else:
            # The notice undoes this very step, even if others have followed.
            notice = undo_notice(said, lambda: self._take_back(step))
            step = _UndoStep(take_back, notice)
            self.noticed.emit(notice)
        self._steps = [*self._steps[-_MOST_STEPS + 1 :], step]

    def _do(self, work: Callable[[], Awaitable[object]], then: Callable[..., object]) -> None:
        self._loop.run(self, work, then, self.failed)

    def _rename(self, conversation_id: str, title: str) -> None:
        work = partial(self._conversations.rename, conversation_id, title)
        self._do(work, partial(self._refresh_behind, conversation_id))

    def _put_folder(self, folder: Folder) -> None:
        self._folders[folder.id] = folder
        self._tell_folders()
        self._do(partial(self._filing.change_folder, folder), _forget)

    def _put_in_order(self, positions: Mapping[str, int]) -> None:
        for each, position in positions.items():
            if each in self._folders:  # it may have been deleted since
                self._folders[each] = replace(self._folders[each], position=position)
        self._tell_folders()
        self._do(partial(self._filing.place_folders, positions), _forget)

    def _put_back(self, places: Mapping[str, Placement]) -> None:
        self._do(partial(self._filing.put_back, places), partial(self._on_put_back, places))

    def _refresh_all(self, _nothing: object) -> None:
        self.refresh()

    def _refresh_behind(self, conversation_id: str, _nothing: object) -> None:
        self.refresh_one(conversation_id)

    def _tell(self) -> None:
        self.listed.emit(tuple(self._infos.values()))

    def _tell_folders(self) -> None:
        self.folders_listed.emit(tuple(self._folders.values()))

    def _on_listed(self, number: int, infos: tuple[ConversationInfo, ...]) -> None:
        # Responses may arrive out of order; only the latest request counts.
        if number == self._newest:
            self._infos = {info.id: info for info in infos}
            self._tell()

    def _on_folders(self, folders: tuple[Folder, ...]) -> None:
        self._folders = {folder.id: folder for folder in folders}
        self._tell_folders()

    @Slot(object)
    def _on_info(self, info: ConversationInfo) -> None:
        self._infos[info.id] = info
        self._tell()

    def _on_no_info(self, conversation_id: str, error: Exception) -> None:
        if not isinstance(error, UnknownConversation):
            self.failed.emit(error)
        elif self._infos.pop(conversation_id, None) is not None:  # deleted while the request was running
            self._tell()

    def _on_arranged(self, change: PlacementChange, said: str, before: Mapping[str, Placement]) -> None:
        self._remember(partial(self._put_back, before), said)
        self._on_put_back({each: change.of(place) for each, place in before.items()})

    def _on_put_back(self, places: Mapping[str, Placement], _nothing: object = None) -> None:
        for each, place in places.items():
            if each in self._infos:
                self._infos[each] = replace(self._infos[each], place=place)
        self._tell()

    def _on_deleted(self, ids: tuple[str, ...], said: str, _nothing: object) -> None:
        restore = partial(self._conversations.restore, *ids)
        self._remember(partial(self._do, restore, partial(self._on_restored, ids)), said)
        for each in ids:
            self._infos.pop(each, None)
        self._tell()

    def _on_restored(self, ids: tuple[str, ...], _nothing: object) -> None:
        self.refresh()
        self.restored.emit(ids)

    def _on_made(self, conversation_ids: tuple[str, ...], folder: Folder) -> None:
        self._folders[folder.id] = folder
        self._tell_folders()
        self._remember(partial(self._do, partial(self._filing.delete_folder, folder.id), self._refresh_all))
        self.folder_made.emit(folder)
        if conversation_ids:
            self.arrange(
                conversation_ids, PlacementChange(is_pinned=False, folder=folder.id, is_archived=False)
            )

    def _on_dissolved(self, folder: Folder, said: str, inside: tuple[str, ...]) -> None:
        restore = partial(self._filing.restore_folder, folder, inside)
        self._remember(partial(self._do, restore, self._refresh_all), said)
        self._folders.pop(folder.id, None)
        self._tell_folders()
        self._on_put_back(
            {each: replace(self._infos[each].place, folder="") for each in inside if each in self._infos}
        )


def _forget(_nothing: object) -> None:
    """Ignore the result."""


ENOUGH = 20
"""Hits that fill the view: after a page with fewer hits, the next page is loaded automatically."""


AGAIN_MS = 1000
"""Milliseconds before a search is repeated if it found nothing and not all messages are indexed."""


class HistorySearch(QObject):
    """Runs searches of the history.

    Signals:
        began: a search has begun; earlier results are stale once it has found something or ended.
        found: a HistoryPage of the newest search, and what follows it.
        ended: nothing more was found, or there are enough hits for now.
        failed: the error of a failed search.
        reach_changed: the share of the history that is indexed, from 0 to 1.
    """

    began = Signal()
    found = Signal(object)
    ended = Signal()
    failed = Signal(object)
    reach_changed = Signal(float)

    def __init__(self, history: History, loop: BackgroundLoop, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._loop = loop
        self._query = HistoryQuery("")
        self._rest: int | None = None
        self._count = 0
        self._asking: Job | None = None
        self._keeping: Job | None = None
        self.reach = 1.0
        self.known = 1.0
        """Share of messages with embeddings, as of the last check."""
        self._by_meaning = False
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(AGAIN_MS)
        self._again.timeout.connect(self._ask)

    @property
    def has_more(self) -> bool:
        """Whether there are more results, which `go_on` would load."""
        return self._rest is not None and self._asking is None

    @property
    def is_searching(self) -> bool:
        """Whether a search is running."""
        return self._asking is not None

    @Slot()
    def keep_up(self) -> None:
        """Start to index messages that are not yet indexed."""
        self._keeping = self._loop.run(
            self, self._history.keep_up, failed=self.failed, progressed=self._on_reach
        )

    @Slot()
    def stop(self) -> None:
        """Stop searching and indexing; the remaining messages are indexed next time."""
        self._again.stop()
        for job in (self._keeping, self._asking):
            if job is not None:
                job.cancel()
        self._asking = None  # its result may be on the way already

    def search(self, query: HistoryQuery, *, by_meaning: bool = False) -> None:
        """Start a new search, or only end the current one if there are no words."""
        self._again.stop()
        self._by_meaning = by_meaning
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None
        self._query, self._rest = query, None
        if query.words.strip():
            self._ask()
        self.began.emit()
        if self._asking is None:
            self.ended.emit()

    @Slot()
    def go_on(self) -> None:
        """Load more results."""
        if self.has_more:
            self._ask()

    @Slot()
    def _ask(self, *, is_further: bool = False) -> None:
        if not is_further:
            self._count = 0
        if self._by_meaning:
            work = partial(self._history.find_similar, self._query)
        else:
            work = partial(self._history.search, self._query, self._rest)
        job = self._asking = self._loop.run(self, work)
        job.succeeded.connect(partial(self._on_found, job))
        job.failed.connect(partial(self._on_failed, job))

    def _on_found(self, job: Job, page: HistoryPage) -> None:
        if job is not self._asking:
            return
        self._asking = None
        self._rest = page.rest
        self._count += len(page.hits)
        self.known = page.reach if self._by_meaning else 1.0
        if not self._by_meaning:
            self._on_reach(page.reach)
        if page.reach < 1 and page.rest is None and not self._count:
            self._again.start()
        self.found.emit(page)
        if page.rest is not None and self._count < ENOUGH:
            self._ask(is_further=True)
        else:
            self.ended.emit()

    def _on_failed(self, job: Job, error: Exception) -> None:
        if job is self._asking:
            self._asking = None
            self._rest = None
            self.failed.emit(error)
            self.ended.emit()

    @Slot(object)
    def _on_reach(self, reach: float) -> None:
        if reach != self.reach:
            self.reach = reach
            self.reach_changed.emit(reach)
