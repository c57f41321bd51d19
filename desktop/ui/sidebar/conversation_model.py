"""Conversations in folders and under date headings as an item model, and what is dragged out of it."""

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from PySide6.QtCore import (
    QAbstractListModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from desktop.domain.assistants import Assistant
from desktop.domain.messages import ConversationInfo, Folder, PlacementChange
from desktop.ui.sidebar.conversation_groups import (
    GroupHeader,
    Row,
    change_onto,
    conversation_accessible_text,
    group_accessible_text,
    group_rows,
    key_of,
    tip_of,
)
from desktop.ui.widgets.item_views import diff
from desktop.ui.widgets.labels import untitled_label
from desktop.ui.widgets.layout import cut_words, shorten_name

MIME: Final = "application/x-footnote-conversations"
"""Ids of conversations that are dragged, as a list in JSON."""

FOLDER_MIME: Final = "application/x-footnote-folder"
"""Id of a folder that is dragged."""

_Index = QModelIndex | QPersistentModelIndex

IdRole = Qt.ItemDataRole.UserRole
HeadingRole = Qt.ItemDataRole.UserRole + 1
"""Whether the row is a `GroupHeader`."""
RunningRole = Qt.ItemDataRole.UserRole + 2
WaitingRole = Qt.ItemDataRole.UserRole + 3
AssistantRole = Qt.ItemDataRole.UserRole + 4
"""The `Assistant` of a conversation; None without one, and for one that was deleted."""
RowRole = Qt.ItemDataRole.UserRole + 5
"""The `ConversationInfo` or the `GroupHeader` itself."""
OpenRole = Qt.ItemDataRole.UserRole + 6
"""Whether it is the open conversation."""
InsideRole = Qt.ItemDataRole.UserRole + 7
"""Whether a conversation is shown inside a folder or the archive."""
DraftRole = Qt.ItemDataRole.UserRole + 8
"""Whether a conversation that is not open has a draft."""

_FAR_ROWS = 64
"""Up to so many changed rows are signalled one by one; more are signalled as one range."""


def encode_rows(rows: Iterable[Row | None]) -> QMimeData:
    """Return the conversations among `rows` as data to drag; without any, the first folder."""
    found = list(rows)
    data = QMimeData()
    folders = [row.folder.id for row in found if isinstance(row, GroupHeader) and row.folder is not None]
    ids = [row.id for row in found if isinstance(row, ConversationInfo)]
    if folders and not ids:
        data.setData(FOLDER_MIME, folders[0].encode())
    else:
        data.setData(MIME, json.dumps(ids).encode())
    return data


def conversations_in(data: QMimeData) -> Sequence[str]:
    """Return the ids of the conversations that are dragged."""
    return tuple(json.loads(data.data(MIME).toStdString() or "[]"))


def folder_in(data: QMimeData) -> str:
    """Return the id of the folder that is dragged; empty where none is."""
    return data.data(FOLDER_MIME).toStdString()


def local_now() -> datetime:
    """Return the time now, in the zone of this machine."""
    return datetime.now().astimezone()


class ConversationModel(QAbstractListModel):
    """A flat list: groups are rows too, so that all rows are of one height.

    Signals:
        renamed: id and title, typed by the user.
        folder_renamed: the Folder and its name, typed by the user.
        folder_dropped: ids of a folder and of the one in whose place the user wants it.
        folded: a Folder that the user opened or closed, and whether it is open.
        dropped: ids (tuple) of conversations and the Change of their places that the user wants.
    """

    renamed = Signal(str, str)
    folder_renamed = Signal(object, str)
    folder_dropped = Signal(str, str)
    folded = Signal(object, bool)
    dropped = Signal(object, object)

    def __init__(self, parent: QObject | None = None, now: Callable[[], datetime] = local_now) -> None:
        super().__init__(parent)
        self._now = now
        self._infos: tuple[ConversationInfo, ...] = ()
        self._by_id: dict[str, ConversationInfo] = {}
        self._folders: tuple[Folder, ...] = ()
        self._chosen: dict[str, bool] = {}
        self._chosen_among_found: dict[str, bool] = {}
        self._needle = ""
        self._assistants: dict[str, Assistant] = {}
        self._wanted_assistant: str | None = None
        self._running: frozenset[str] = frozenset()
        self._waiting: frozenset[str] = frozenset()
        self._drafts: frozenset[str] = frozenset()
        self._open = ""
        self._rows: list[Row] = []
        self._numbers: dict[str, int] | None = None

    def show(self, infos: Iterable[ConversationInfo]) -> None:
        """Show `infos`."""
        self._infos = tuple(sorted(infos, key=lambda info: info.updated_at, reverse=True))
        self._by_id = {info.id: info for info in self._infos}
        self._update()

    def show_folders(self, folders: Iterable[Folder]) -> None:
        """Show `folders`, those without a conversation too."""
        self._folders = tuple(folders)
        self._update()

    def set_filter(self, text: str) -> None:
        """Show only the conversations with `text` in their title."""
        self._needle = text.strip().casefold()
        self._chosen_among_found = {}
        self._update()

    def set_assistants(self, assistants: Iterable[Assistant]) -> None:
        """Show `assistants` with their conversations."""
        self._assistants = {assistant.id: assistant for assistant in assistants}
        self._update()
        self._tell_changed(range(len(self._rows)))

    def set_assistant_filter(self, assistant_id: str | None) -> None:
        """Show only the conversations of one assistant; None shows those of all."""
        self._wanted_assistant = assistant_id
        self._chosen_among_found = {}
        self._update()

    def set_running(self, ids: frozenset[str]) -> None:
        """Mark the conversations in which an answer is on its way."""
        changed, self._running = ids ^ self._running, ids
        self._tell_of(changed)

    def set_waiting(self, ids: frozenset[str]) -> None:
        """Mark the conversations in which something waits for the user."""
        changed, self._waiting = ids ^ self._waiting, ids
        self._tell_of(changed)

    def set_drafts(self, ids: frozenset[str]) -> None:
        """Mark the conversations in which something was begun and not sent."""
        changed, self._drafts = ids ^ self._drafts, ids
        self._tell_of(changed)

    def set_open(self, conversation_id: str) -> None:
        """Mark the open conversation."""
        changed, self._open = {self._open, conversation_id}, conversation_id
        self._tell_of(changed)

    def retranslate(self) -> None:
        """Name everything in the current language."""
        self._update()
        self._tell_changed(range(len(self._rows)))

    def refresh_dates(self) -> None:
        """Move the conversations under the headings of today's date."""
        self._update()

    def fold(self, index: _Index, is_open: bool) -> bool:
        """Open or close the group of a row; returns whether that changed anything."""
        group = self.row_at(index)
        if not isinstance(group, GroupHeader) or not group.can_close or group.is_open == is_open:
            return False
        if group.folder is None:
            (self._chosen_among_found if self._is_filtered else self._chosen)[group.key] = is_open
            self._update()
            return True
        if not self._is_filtered:  # what was found is always shown
            self.folded.emit(group.folder, is_open)
        return not self._is_filtered

    def row_at(self, index: _Index) -> Row | None:
        """Return what a row shows; None where there is no such row."""
        is_here = index.isValid() and self.checkIndex(index)
        return self._rows[index.row()] if is_here else None

    def row_of(self, conversation_id: str) -> QModelIndex:
        """Return the index of a conversation; invalid where it is not shown."""
        return self._index_of(conversation_id)

    def row_of_folder(self, folder_id: str) -> QModelIndex:
        """Return the index of a folder; invalid where it is not shown."""
        return self._index_of(f"folder:{folder_id}")

    def group_of(self, index: _Index) -> QModelIndex:
        """Return the group that a row is in and that can be closed; invalid when there is none."""
        above = range(index.row(), -1, -1)
        groups = (number for number in above if isinstance(self._rows[number], GroupHeader))
        group = self.index(next(groups, -1))
        return group if group.flags() & Qt.ItemFlag.ItemIsSelectable else QModelIndex()

    def title_of(self, conversation_id: str) -> str:
        """Return a conversation's title, shown or not."""
        info = self._by_id.get(conversation_id)
        return (info.title if info else "") or untitled_label()

    def inside(self, folder: Folder) -> tuple[str, ...]:
        """Return the conversations that a folder shows when it is open and nothing is looked for."""
        return tuple(
            info.id
            for info in self._infos
            if info.place.folder == folder.id and not (info.place.is_pinned or info.place.is_archived)
        )

    @property
    def folders(self) -> tuple[Folder, ...]:
        """All folders."""
        return self._folders

    @property
    def ids(self) -> tuple[str, ...]:
        """The conversations shown, from top to bottom."""
        return tuple(row.id for row in self._rows if isinstance(row, ConversationInfo))

    def rowCount(self, parent: _Index = QModelIndex()) -> int:
        """Return the number of conversations and groups shown."""
        return 0 if parent.isValid() else len(self._rows)

    @cut_words
    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a title or a heading, or what the custom roles say."""
        row = self.row_at(index)
        if row is None or role == RowRole:
            return row
        return self._of_group(row, role) if isinstance(row, GroupHeader) else self._of_conversation(row, role)

    def setData(self, index: _Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for another title or name; the list changes once it is saved."""
        text = " ".join(str(value).split())
        row = self.row_at(index)
        if role != Qt.ItemDataRole.EditRole or not text:
            return False
        if isinstance(row, ConversationInfo) and text != row.title:
            self.renamed.emit(row.id, text)
        elif isinstance(row, GroupHeader) and row.folder is not None and text != row.name:
            self.folder_renamed.emit(row.folder, text)
        else:
            return False
        return True

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Return that dates are only to be seen, and dropped on."""
        flag = Qt.ItemFlag
        row = self.row_at(index)
        if row is None:
            return flag.ItemIsDropEnabled
        if isinstance(row, GroupHeader):
            chosen = flag.ItemIsEnabled | flag.ItemIsSelectable if row.can_close else flag.NoItemFlags
            own = flag.ItemIsEditable | flag.ItemIsDragEnabled
            edited = own if row.folder is not None else flag.NoItemFlags
            return flag.ItemIsDropEnabled | chosen | edited
        chosen = flag.ItemIsEnabled | flag.ItemIsSelectable | flag.ItemIsEditable
        return chosen | flag.ItemIsDragEnabled | flag.ItemIsDropEnabled

    def supportedDropActions(self) -> Qt.DropAction:
        """Return that conversations are moved, never copied."""
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        """Return what can be dropped."""
        return [MIME, FOLDER_MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """Return the conversations of `indexes`, or the folder, for a drag."""
        return encode_rows(self.row_at(index) for index in indexes)

    def canDropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: _Index
    ) -> bool:
        """Return whether the drop would change anything."""
        return bool(self._read_move(data, parent)[0] or self._find_replaced(data, parent))

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: _Index
    ) -> bool:
        """Ask for the places that were dropped on; the list changes once they are saved."""
        ids, change = self._read_move(data, parent)
        if ids:
            self.dropped.emit(ids, change)
        if onto := self._find_replaced(data, parent):
            self.folder_dropped.emit(folder_in(data), onto)
        return bool(ids or onto)

    def _read_move(self, data: QMimeData, onto: _Index) -> tuple[tuple[str, ...], PlacementChange]:
        change = change_onto(self.row_at(onto), self._folders)
        known = (self._by_id[each] for each in conversations_in(data) if each in self._by_id)
        return tuple(info.id for info in known if change.of(info.place) != info.place), change

    def _find_replaced(self, data: QMimeData, onto: _Index) -> str:
        """Return the id of the folder whose position a dropped folder would take; empty where nothing would change."""
        row, dragged = self.row_at(onto), folder_in(data)
        is_known = any(folder.id == dragged for folder in self._folders)
        folder = row.folder if isinstance(row, GroupHeader) and is_known else None
        return folder.id if folder is not None and folder.id != dragged else ""

    def _of_group(self, group: GroupHeader, role: int) -> Any:
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return group.name
            case Qt.ItemDataRole.AccessibleTextRole:
                return group_accessible_text(group)
            case _ if role == HeadingRole:
                return True
        return None

    def _of_conversation(self, info: ConversationInfo, role: int) -> Any:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return shorten_name(info.title) or untitled_label()
            case Qt.ItemDataRole.EditRole:
                return info.title
            case Qt.ItemDataRole.ToolTipRole:
                return tip_of(info, self._folders)
            case Qt.ItemDataRole.AccessibleTextRole:
                name = self._assistants[info.assistant].name if info.assistant in self._assistants else ""
                is_waiting, has_draft = info.id in self._waiting, info.id in self._drafts
                return conversation_accessible_text(info, name, is_waiting=is_waiting, has_draft=has_draft)
        own: dict[int, Callable[[], object]] = {
            IdRole: lambda: info.id,
            HeadingRole: lambda: False,
            RunningRole: lambda: info.id in self._running,
            WaitingRole: lambda: info.id in self._waiting,
            AssistantRole: lambda: self._assistants.get(info.assistant),
            OpenRole: lambda: info.id == self._open,
            InsideRole: lambda: self._is_inside(info),
            DraftRole: lambda: info.id in self._drafts,
        }
        return own[role]() if role in own else None

    def _is_inside(self, info: ConversationInfo) -> bool:
        place = info.place
        is_in_folder = any(folder.id == place.folder for folder in self._folders)
        return place.is_archived or (is_in_folder and not place.is_pinned)

    @property
    def _is_filtered(self) -> bool:
        return bool(self._needle) or self._wanted_assistant is not None

    def _update(self) -> None:
        shown = [info for info in self._infos if self._is_wanted(info)] if self._is_filtered else self._infos
        rows = group_rows(
            shown,
            self._folders,
            self._now(),
            chosen=self._chosen_among_found if self._is_filtered else self._chosen,
            is_filtered=self._is_filtered,
        )
        self._show_rows(rows)

    def _is_wanted(self, info: ConversationInfo) -> bool:
        assistant = info.assistant if info.assistant in self._assistants else ""
        is_theirs = self._wanted_assistant is None or assistant == self._wanted_assistant
        return is_theirs and self._needle in (info.title or untitled_label()).casefold()

    def _show_rows(self, rows: list[Row]) -> None:
        """Show other rows. Selection, scroll position and an open editor survive every change but a great one."""
        old = self._rows
        todo = diff(old, rows, key_of)
        if todo.are_many:
            self.beginResetModel()
            self._put(rows)
            self.endResetModel()
            return
        for first, last in todo.removed:
            self.beginRemoveRows(QModelIndex(), first, last)
            self._put(self._rows[:first] + self._rows[last + 1 :])
            self.endRemoveRows()
        if not todo.is_sorted:
            self._sort(list(todo.staying))
        for first, last in todo.added:
            self.beginInsertRows(QModelIndex(), first, last)
            self._put(self._rows[:first] + rows[first : last + 1] + self._rows[first:])
            self.endInsertRows()
        self._put(rows)
        added = {number for first, last in todo.added for number in range(first, last + 1)}
        # By identity, for speed with ten thousand rows: a changed row is a new object, and groups are always new.
        known, groups = {id(row) for row in old}, {row for row in old if isinstance(row, GroupHeader)}
        self._tell_changed(
            [
                number
                for number, row in enumerate(rows)
                if id(row) not in known and number not in added and row not in groups
            ]
        )

    def _sort(self, rows: list[Row]) -> None:
        self.layoutAboutToBeChanged.emit()
        kept = self.persistentIndexList()
        keys = [key_of(self._rows[index.row()]) for index in kept]
        self._put(rows)
        self.changePersistentIndexList(kept, [self._index_of(key) for key in keys])
        self.layoutChanged.emit()

    def _put(self, rows: list[Row]) -> None:
        self._rows = rows
        self._numbers = None

    def _index_of(self, key: str) -> QModelIndex:
        if self._numbers is None:
            self._numbers = {key_of(row): number for number, row in enumerate(self._rows)}
        number = self._numbers.get(key)
        return QModelIndex() if number is None else self.index(number)

    def _tell_of(self, ids: Iterable[str]) -> None:
        indexes = map(self._index_of, ids)
        self._tell_changed(sorted(index.row() for index in indexes if index.isValid()))

    def _tell_changed(self, numbers: Sequence[int]) -> None:
        if len(numbers) > _FAR_ROWS:
            numbers = range(numbers[0], numbers[-1] + 1)
            self.dataChanged.emit(self.index(numbers[0]), self.index(numbers[-1]))
            return
        for number in numbers:
            self.dataChanged.emit(self.index(number), self.index(number))
