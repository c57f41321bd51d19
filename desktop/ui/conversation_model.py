"""Conversations under the headings of their dates, as an item model."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from desktop.domain.assistants import Assistant
from desktop.domain.messages import ConversationInfo
from desktop.ui.parts import plain_tip
from desktop.ui.words import DateGroup, date_group, group_name, untitled

_Index = QModelIndex | QPersistentModelIndex

IdRole = Qt.ItemDataRole.UserRole
HeadingRole = Qt.ItemDataRole.UserRole + 1
RunningRole = Qt.ItemDataRole.UserRole + 2
WaitingRole = Qt.ItemDataRole.UserRole + 3
AssistantRole = Qt.ItemDataRole.UserRole + 4
"""The Assistant that a conversation belongs to; None for nobody in particular, and for one that is gone."""


def local_now() -> datetime:
    """Return the time now, in the zone of this machine."""
    return datetime.now().astimezone()


@dataclass(frozen=True)
class _Row:
    """A heading when `info` is None."""

    group: DateGroup
    info: ConversationInfo | None = None

    @property
    def key(self) -> tuple[DateGroup, str]:
        """What makes it the same row after a change of title or time."""
        return (self.group, "" if self.info is None else self.info.id)


class ConversationModel(QAbstractListModel):
    """A flat list: headings are rows that cannot be selected, so that all rows are of one height.

    Signals:
        renamed: id and title, typed by the person.
    """

    renamed = Signal(str, str)

    def __init__(self, parent: QObject | None = None, now: Callable[[], datetime] = local_now) -> None:
        super().__init__(parent)
        self._now = now
        self._infos: tuple[ConversationInfo, ...] = ()
        self._needle = ""
        self._assistants: dict[str, Assistant] = {}
        self._wanted_assistant: str | None = None
        self._running: frozenset[str] = frozenset()
        self._waiting: frozenset[str] = frozenset()
        self._rows: list[_Row] = []

    def show(self, infos: Iterable[ConversationInfo]) -> None:
        """Show `infos`, the last used first."""
        self._infos = tuple(sorted(infos, key=lambda info: info.updated_at, reverse=True))
        self._update()

    def set_filter(self, text: str) -> None:
        """Show only the conversations with `text` in their title."""
        self._needle = text.strip().casefold()
        self._update()

    def set_assistants(self, assistants: Iterable[Assistant]) -> None:
        """Show `assistants` with their conversations."""
        self._assistants = {assistant.id: assistant for assistant in assistants}
        self._update()

    def set_assistant_filter(self, assistant_id: str | None) -> None:
        """Show only the conversations of one assistant; None shows those of all."""
        self._wanted_assistant = assistant_id
        self._update()

    def set_running(self, ids: frozenset[str]) -> None:
        """Mark the conversations in which an answer is on its way."""
        self._running = ids
        self._tell_all_changed()

    def set_waiting(self, ids: frozenset[str]) -> None:
        """Mark the conversations in which something waits for the person."""
        self._waiting = ids
        self._tell_all_changed()

    def retranslate(self) -> None:
        """Name the headings in the language of now."""
        self._tell_all_changed()

    def refresh_dates(self) -> None:
        """Move the conversations under the headings of today's date."""
        self._update()

    def row_of(self, conversation_id: str) -> QModelIndex:
        """Return where a conversation stands; invalid when it is not shown."""
        for number, row in enumerate(self._rows):
            if row.info is not None and row.info.id == conversation_id:
                return self.index(number)
        return QModelIndex()

    def title_of(self, conversation_id: str) -> str:
        """Return a conversation's title, shown or not."""
        found = (info.title for info in self._infos if info.id == conversation_id)
        return next(found, "") or untitled()

    @property
    def ids(self) -> tuple[str, ...]:
        """The conversations shown, from top to bottom."""
        return tuple(row.info.id for row in self._rows if row.info is not None)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:
        """Return the number of conversations and headings shown."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a title or a heading, or what the custom roles say."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        row = self._rows[index.row()]
        if row.info is None:
            return {Qt.ItemDataRole.DisplayRole: group_name(row.group), HeadingRole: True}.get(role)
        values = {
            Qt.ItemDataRole.DisplayRole: row.info.title or untitled(),
            Qt.ItemDataRole.EditRole: row.info.title,
            Qt.ItemDataRole.ToolTipRole: plain_tip(row.info.title),
            IdRole: row.info.id,
            HeadingRole: False,
            RunningRole: row.info.id in self._running,
            WaitingRole: row.info.id in self._waiting,
            AssistantRole: self._assistants.get(row.info.assistant),
            Qt.ItemDataRole.AccessibleTextRole: self._spoken(row.info),
        }
        return values.get(role)

    def _spoken(self, info: ConversationInfo) -> str:
        title = info.title or untitled()
        if assistant := self._assistants.get(info.assistant):
            title = f"{title}, {assistant.name}"
        return self.tr("{title}, waits for you").format(title=title) if info.id in self._waiting else title

    def setData(self, index: _Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for another title; the list changes once it is saved."""
        title = str(value).strip()
        info = self._rows[index.row()].info if index.isValid() else None
        if role != Qt.ItemDataRole.EditRole or info is None or not title or title == info.title:
            return False
        self.renamed.emit(info.id, title)
        return True

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Return that conversations can be picked and renamed, headings only be seen."""
        if not index.isValid() or self._rows[index.row()].info is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def _update(self) -> None:
        shown = [info for info in self._infos if self._is_wanted(info)]
        self._splice(_with_headings(shown, self._now()))

    def _is_wanted(self, info: ConversationInfo) -> bool:
        assistant = info.assistant if info.assistant in self._assistants else ""
        is_theirs = self._wanted_assistant is None or assistant == self._wanted_assistant
        return is_theirs and self._needle in (info.title or untitled()).casefold()

    def _splice(self, rows: list[_Row]) -> None:
        # Only what differs between the common start and the common end is replaced, so that
        # scroll position and selection survive every change elsewhere.
        old = self._rows
        start = _common_length(old, rows)
        end = _common_length(old[start:][::-1], rows[start:][::-1])
        if start < len(old) - end:
            self.beginRemoveRows(QModelIndex(), start, len(old) - end - 1)
            self._rows = old[:start] + old[len(old) - end :]
            self.endRemoveRows()
        if start < len(rows) - end:
            self.beginInsertRows(QModelIndex(), start, len(rows) - end - 1)
            self._rows = rows
            self.endInsertRows()
        self._rows = rows
        self._tell_all_changed()

    def _tell_all_changed(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))


def _with_headings(infos: Sequence[ConversationInfo], now: datetime) -> list[_Row]:
    rows: list[_Row] = []
    for info in infos:
        group = date_group(info.updated_at, now)
        if not rows or rows[-1].group is not group:
            rows.append(_Row(group))
        rows.append(_Row(group, info))
    return rows


def _common_length(one: Sequence[_Row], other: Sequence[_Row]) -> int:
    length = 0
    for left, right in zip(one, other, strict=False):
        if left.key != right.key:
            break
        length += 1
    return length
