"""The rows of the conversation list: pinned ones, folders, the rest by date, and the archive; their texts and colours."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import IntEnum
from types import MappingProxyType
from typing import Final

from PySide6.QtCore import QCollator, QCoreApplication, QDate, QLocale, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPixmap

from desktop.domain.messages import ConversationInfo, Folder, LabelColor, PlacementChange
from desktop.ui.actions import QT_TRANSLATE_NOOP
from desktop.ui.widgets.colors import is_dark
from desktop.ui.widgets.labels import format_datetime, untitled_label
from desktop.ui.widgets.layout import plain_tip, shorten_name

_SWATCH: Final = 12
_COLOURS: Final = {
    LabelColor.RED: ("#c8372d", "#ff8a80"),
    LabelColor.ORANGE: ("#c25e00", "#ffab5e"),
    LabelColor.YELLOW: ("#977300", "#f2cf4a"),
    LabelColor.GREEN: ("#2e7d32", "#7fce84"),
    LabelColor.TEAL: ("#00798c", "#5fcadb"),
    LabelColor.BLUE: ("#2f5bd0", "#8aa8ff"),
    LabelColor.PURPLE: ("#8440b8", "#c99bf0"),
}
"""Colours for the light and the dark theme; on the sidebar, each has the 3:1 contrast of non-text elements."""
_NAMES: Final = {
    LabelColor.NONE: QT_TRANSLATE_NOOP("tints", "No color"),
    LabelColor.RED: QT_TRANSLATE_NOOP("tints", "Red"),
    LabelColor.ORANGE: QT_TRANSLATE_NOOP("tints", "Orange"),
    LabelColor.YELLOW: QT_TRANSLATE_NOOP("tints", "Yellow"),
    LabelColor.GREEN: QT_TRANSLATE_NOOP("tints", "Green"),
    LabelColor.TEAL: QT_TRANSLATE_NOOP("tints", "Teal"),
    LabelColor.BLUE: QT_TRANSLATE_NOOP("tints", "Blue"),
    LabelColor.PURPLE: QT_TRANSLATE_NOOP("tints", "Purple"),
}


def label_color_name(tint: LabelColor) -> str:
    """Return the name of a colour in the current language."""
    return QCoreApplication.translate("tints", _NAMES[tint])


def label_color(tint: LabelColor, palette: QPalette) -> QColor:
    """Return a label's colour in the theme of `palette`; no colour gives that of muted text."""
    if tint is LabelColor.NONE:
        return palette.color(QPalette.ColorRole.PlaceholderText)
    return QColor(_COLOURS[tint][is_dark(palette)])


def swatch(tint: LabelColor, palette: QPalette, scale: float = 1) -> QIcon:
    """Return an icon with a dot in a colour, or a ring for no colour."""
    image = QPixmap(round(_SWATCH * scale), round(_SWATCH * scale))
    image.setDevicePixelRatio(scale)
    image.fill(Qt.GlobalColor.transparent)
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(label_color(tint, palette))
        if tint is not LabelColor.NONE:
            painter.setBrush(label_color(tint, palette))
        painter.drawEllipse(1, 1, _SWATCH - 2, _SWATCH - 2)
    return QIcon(image)


ARCHIVE_KEY = "archive"
MANY_ROWS = 400
"""With more rows months are collapsed until the user opens them: a view lays out all rows at every change."""
# Both keep their folder, and are in it again afterwards.
PINNED = PlacementChange(is_pinned=True, is_archived=False)
ARCHIVED = PlacementChange(is_pinned=False, is_archived=True)


@dataclass(frozen=True)
class DateGroup:
    """A period with its name in the current language; `begin` is its first moment."""

    key: str
    name: str
    begin: datetime
    is_month: bool = False


def date_group_of(moment: datetime, now: datetime) -> DateGroup:
    """Return the period that `moment` is in, by the calendar days of `now`'s time zone."""
    translate, today = QCoreApplication.translate, now.date()
    day = moment.astimezone(now.tzinfo).date()
    for days, key, name in (
        (0, "today", translate("words", "Today")),
        (1, "yesterday", translate("words", "Yesterday")),
        (6, "week", translate("words", "Previous 7 days")),
        (29, "month", translate("words", "Previous 30 days")),
    ):
        first = today - timedelta(days=days)
        if day >= first:
            return DateGroup(key, name, _midnight(first, now))
    first = day.replace(day=1)
    return DateGroup(f"{first:%Y-%m}", _month_name(first, today), _midnight(first, now), is_month=True)


def _midnight(day: date, now: datetime) -> datetime:
    return datetime.combine(day, time(), now.tzinfo)


def _month_name(first: date, today: date) -> str:
    translate = QCoreApplication.translate
    # A date format of Qt: in Chinese it has characters between its parts.
    form = translate("words", "MMMM") if first.year == today.year else translate("words", "MMMM yyyy")
    return QLocale().toString(QDate(first.year, first.month, 1), form)


class GroupKind(IntEnum):
    """The heading of a group: `DATE` and `PINNED` cannot be collapsed, the others can."""

    PINNED = 0
    FOLDER = 1
    DATE = 2
    MONTH = 3
    ARCHIVE = 4


@dataclass(frozen=True)
class GroupHeader:
    """The row over a group of conversations. `key` stays the same whatever else of it changes."""

    key: str
    kind: GroupKind
    name: str
    count: int = 0
    is_open: bool = True
    folder: Folder | None = None

    @property
    def can_close(self) -> bool:
        """Whether the user may open and close it."""
        return self.kind not in (GroupKind.PINNED, GroupKind.DATE)


Row = ConversationInfo | GroupHeader


def key_of(row: Row) -> str:
    """Return the key by which a row is recognized after any change."""
    return row.id if isinstance(row, ConversationInfo) else row.key


def group_rows(
    infos: Iterable[ConversationInfo],
    folders: Sequence[Folder],
    now: datetime,
    *,
    chosen: Mapping[str, bool] = MappingProxyType({}),
    is_filtered: bool = False,
) -> list[Row]:
    """Return the rows for `infos`, which are in the order of their last use.

    `chosen` says which groups but folders the user has opened or closed, by key. Where the list is filtered,
    nothing that was found lies in a closed folder, and empty folders are left out.
    """
    known = {folder.id: folder for folder in folders}
    inside: dict[str, list[ConversationInfo]] = {folder_id: [] for folder_id in known}
    pinned: list[ConversationInfo] = []
    archived: list[ConversationInfo] = []
    loose: list[ConversationInfo] = []
    for info in infos:
        place = info.place
        if place.is_archived:
            archived.append(info)
        elif place.is_pinned:
            pinned.append(info)
        else:
            inside.get(place.folder, loose).append(info)
    rows: list[Row] = []
    if pinned:
        name = QCoreApplication.translate("words", "Pinned")
        rows += [GroupHeader("pinned", GroupKind.PINNED, name), *pinned]
    for folder in in_order(folders):
        found = inside[folder.id]
        if found or not is_filtered:
            is_open = folder.is_open or is_filtered
            rows.append(
                GroupHeader(f"folder:{folder.id}", GroupKind.FOLDER, folder.name, len(found), is_open, folder)
            )
            rows += found if is_open else ()
    _add_by_date(rows, loose, now, chosen)
    if archived:
        is_open = chosen.get(ARCHIVE_KEY, is_filtered)
        name = QCoreApplication.translate("words", "Archive")
        rows.append(GroupHeader(ARCHIVE_KEY, GroupKind.ARCHIVE, name, len(archived), is_open))
        rows += archived if is_open else ()
    return rows


def in_order(folders: Iterable[Folder]) -> list[Folder]:
    """Return folders in the order of the user, the others by name: numbers by value, ignoring case."""
    collator = QCollator(QLocale())
    collator.setNumericMode(True)
    return sorted(folders, key=lambda each: (each.position, collator.sortKey(each.name), each.id))


def folder_positions(folders: Iterable[Folder], moved: str, number: int) -> dict[str, int]:
    """Return the position of every folder, by id, once one has `moved` to a place, counted from 0, of their order."""
    order = [folder.id for folder in in_order(folders)]
    order.remove(moved)
    order.insert(number, moved)
    return {folder_id: position for position, folder_id in enumerate(order, 1)}


def change_onto(row: Row | None, folders: Iterable[Folder]) -> PlacementChange:
    """Return how the placement of a conversation changes that is dropped on a row, or below all rows."""
    folder, is_pinned, is_archived = "", False, False
    if isinstance(row, GroupHeader):
        folder = row.folder.id if row.folder else ""
        is_pinned, is_archived = row.kind is GroupKind.PINNED, row.kind is GroupKind.ARCHIVE
    elif row is not None:
        folder = row.place.folder if any(each.id == row.place.folder for each in folders) else ""
        is_pinned, is_archived = row.place.is_pinned, row.place.is_archived
    if is_archived:
        return ARCHIVED
    if is_pinned:
        return PINNED
    return PlacementChange(is_pinned=False, folder=folder, is_archived=False)


def _add_by_date(
    rows: list[Row], infos: list[ConversationInfo], now: datetime, chosen: Mapping[str, bool]
) -> None:
    start, above = 0, len(rows)
    while start < len(infos):
        span = date_group_of(infos[start].updated_at, now)
        # Ages grow down the list; the first older than the span ends it.
        age = now - span.begin
        end = bisect_right(infos, age, lo=start, key=lambda info: now - info.updated_at)
        key, kind = f"date:{span.key}", GroupKind.MONTH if span.is_month else GroupKind.DATE
        is_open = kind is GroupKind.DATE or chosen.get(key, above + end <= MANY_ROWS)
        rows.append(GroupHeader(key, kind, span.name, end - start, is_open))
        rows += infos[start:end] if is_open else ()
        start = end


def conversation_accessible_text(
    info: ConversationInfo, assistant: str, *, is_waiting: bool, has_draft: bool = False
) -> str:
    """Return all that a row shows of a conversation; `assistant` is empty for the default one."""
    translate = QCoreApplication.translate
    parts = [shorten_name(info.title) or untitled_label(), assistant]
    if info.place.is_pinned:
        parts.append(translate("conversation_words", "pinned"))
    if info.place.tint is not LabelColor.NONE:
        parts.append(label_color_name(info.place.tint))
    if is_waiting:
        parts.append(translate("conversation_words", "waiting for you"))
    if has_draft:
        parts.append(translate("conversation_words", "draft"))
    return ", ".join(filter(None, parts))


def group_accessible_text(group: GroupHeader) -> str:
    """Return all that the header of a group shows."""
    translate = QCoreApplication.translate
    if not group.can_close:
        return group.name
    match group.kind is GroupKind.MONTH, group.is_open:
        case True, True:
            words = translate("conversation_words", "{name}, {count} chats, expanded")
        case True, False:
            words = translate("conversation_words", "{name}, {count} chats, collapsed")
        case False, True:
            words = translate("conversation_words", "{name}, folder with {count}, expanded")
        case _:
            words = translate("conversation_words", "{name}, folder with {count}, collapsed")
    return words.format(name=group.name, count=group.count)


def tip_of(info: ConversationInfo, folders: Iterable[Folder]) -> str:
    """Return the tooltip of a conversation: its whole title, its folder, and when it was last used."""
    used = format_datetime(info.updated_at)
    folder = next((folder.name for folder in folders if folder.id == info.place.folder), "")
    return plain_tip(
        "\n".join(filter(None, (shorten_name(info.title) or untitled_label(), shorten_name(folder), used)))
    )


def pluralize_count(count: int, one: str, many: str) -> str:
    """Return `one`, or `many` with the number of them."""
    return one if count == 1 else many.format(count=QLocale().toString(count))
