"""The passages that an item was split into: their model, their list, and the page that shows them."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from math import ceil
from typing import Any, Final

from PySide6.QtCore import (
    QAbstractListModel,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPalette, QTextLayout
from PySide6.QtWidgets import (
    QLineEdit,
    QListView,
    QPushButton,
    QSplitter,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from desktop.domain.addresses import path_of
from desktop.domain.knowledge import ItemInfo, ItemKind, PassageInfo
from desktop.domain.sources import Ledger, Locator, Passage, Source, SourceKind
from desktop.render.page.source_cards import localize_section
from desktop.ui.knowledge.bars import BusyBar
from desktop.ui.knowledge.manager_controller import ManagerContext
from desktop.ui.knowledge.side_pages import SidePage
from desktop.ui.viewer.text import MarkedText, TextPane
from desktop.ui.widgets.item_views import RowList, paint_row_background, scale_font
from desktop.ui.widgets.labels import untranslated_error
from desktop.ui.widgets.layout import hbox, label

PlaceRole: Final = Qt.ItemDataRole.UserRole
"""The location of the passage as text."""

_Index = QModelIndex | QPersistentModelIndex

_PADDING: Final = 10
_RADIUS: Final = 8
_SMALL: Final = 0.88
_LINES: Final = 2
"""How many lines of a passage are shown in the list; all rows are of one height, so that there may be thousands."""
_TALL: Final = "Åg国한"
"""Fallback fonts have taller lines than the font of the window."""
_SHOWN_CHARS: Final = 600


def source_of(item: ItemInfo, passage: PassageInfo) -> Source:
    """Return a passage of an item as the source of an answer."""
    is_link = item.kind is ItemKind.LINK
    found = Passage(
        SourceKind.WEB if is_link else SourceKind.FILE,
        item.name,
        passage.text,
        item.path if is_link else path_of(item.path).as_uri(),
        item.document,
        Locator(passage.page, passage.section, passage.start, passage.end),
    )
    return source_from_passage(found, item.read_at)


def source_from_passage(passage: Passage, read_at: float | None = None) -> Source:
    """Return a passage as a source without a number."""
    ledger = Ledger()
    ledger.register((passage,))
    (source,) = ledger.sources
    if read_at is None:
        return source
    return replace(source, read_at=datetime.fromtimestamp(read_at, UTC))


class PassageModel(QAbstractListModel):
    """The passages of an item in their order, filtered by words."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: tuple[PassageInfo, ...] = ()
        self._shown: list[PassageInfo] = []
        self._words: tuple[str, ...] = ()

    def show(self, passages: tuple[PassageInfo, ...]) -> None:
        """Replace the passages by those of an item."""
        self._all = passages
        self._find()

    def filter_by(self, text: str) -> None:
        """Show only passages that contain all words of `text`."""
        self._words = tuple(text.casefold().split())
        self._find()

    @property
    def total(self) -> int:
        """The number of passages, shown or not."""
        return len(self._all)

    def passage(self, index: _Index) -> PassageInfo:
        """Return the passage at `index`."""
        return self._shown[index.row()]

    def rowCount(self, parent: _Index = QModelIndex()) -> int:
        """Return the number of passages shown."""
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text of a passage, or its location."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        passage = self._shown[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return passage.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{self._place(passage)}: {passage.text}"
            case _ if role == PlaceRole:
                return self._place(passage)
        return None

    def _find(self) -> None:
        self.beginResetModel()
        self._shown = [passage for passage in self._all if self._has_words(passage)]
        self.endResetModel()

    def _has_words(self, passage: PassageInfo) -> bool:
        text = f"{passage.section}\n{passage.text}".casefold()
        return all(word in text for word in self._words)

    def _place(self, passage: PassageInfo) -> str:
        parts = [self.tr("Passage {number}").format(number=passage.ordinal + 1)]
        if passage.page is not None:
            parts.append(self.tr("page {page}").format(page=passage.page))
        if section := " ".join(localize_section(passage.section, QLocale().name()).split()):
            parts.append(section)
        if not passage.is_embedded:
            parts.append(self.tr("indexing…"))
        return " · ".join(parts)


class PassageView(RowList):
    """The list of passages, each with its location and its first lines."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setItemDelegate(PassageDelegate(self))
        self.setUniformItemSizes(True)


class PassageDelegate(QStyledItemDelegate):
    """Paints the location of a passage in muted text, and its first lines."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Return one height for all rows."""
        height = _line_height(scale_font(option.font, _SMALL)) + _LINES * _line_height(option.font)
        return QSize(self._view.viewport().width(), height + 2 * _PADDING + 4)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint one passage."""
        palette = option.palette
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_row_background(painter, option, option.rect, _RADIUS)
        area = option.rect.adjusted(_PADDING, _PADDING, -_PADDING, -_PADDING)
        small = scale_font(option.font, _SMALL)
        painter.setFont(small)
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        metrics = QFontMetrics(small)
        place = metrics.elidedText(str(index.data(PlaceRole)), Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop), place)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        top = area.top() + _line_height(small) + 4
        for line in _first_lines(
            " ".join(str(index.data())[:_SHOWN_CHARS].split()), option.font, area.width()
        ):
            line.draw(painter, QPointF(area.left(), top))
            top += _line_height(option.font)
        painter.restore()


def _first_lines(text: str, font: QFont, width: int) -> Iterator[QTextLayout]:
    """Yield the lines of a text that are shown; the last one says that it goes on."""
    for _ in range(_LINES - 1):
        line = _lay_out(text, font, width)
        yield line
        text = text[line.lineAt(0).textLength() :]
    elided = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, width)
    yield _lay_out(elided, font, 2 * width)


def _lay_out(text: str, font: QFont, width: int) -> QTextLayout:
    """Return the first line of a text."""
    layout = QTextLayout(text, font)
    layout.beginLayout()
    layout.createLine().setLineWidth(width)
    layout.endLayout()
    return layout


def _line_height(font: QFont) -> int:
    """Return how high a line is, whatever script it is in."""
    layout = _lay_out(_TALL, font, 1_000)  # a line does not keep its layout alive
    return ceil(layout.lineAt(0).height())


class PassagesPage(SidePage):
    """A list of passages, and all of the chosen one below it.

    Signals:
        place_asked: the `Source` to open.
        note_asked: the ItemInfo of a note, whose place is where it is written.
    """

    place_asked = Signal(object)
    note_asked = Signal(object)

    def __init__(self, means: ManagerContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._means = means
        self._item: ItemInfo | None = None
        self._problem = ""
        self._is_listed = False
        self.model = PassageModel(self)
        self.words = QLineEdit(self)
        self.words.setClearButtonEnabled(True)
        self.count = label(self, "", "muted", "small")
        self.count.setWordWrap(False)
        self.view = PassageView(self)
        self.view.setModel(self.model)
        self.text = TextPane(self)
        self.open = QPushButton(self)
        self.open.setProperty("primary", "true")
        row = hbox(spacing=8)
        row.addWidget(self.words, 1)
        row.addWidget(self.count)
        self.waiting = BusyBar(self)
        self.column.addWidget(self.waiting)
        self.column.addLayout(row)
        split = QSplitter(Qt.Orientation.Vertical, self)
        split.addWidget(self.view)
        split.addWidget(self.text)
        split.setSizes([300, 200])
        split.setChildrenCollapsible(False)
        split.setHandleWidth(10)
        self.text.setObjectName("lines")
        self.column.addWidget(split, 1)
        self.head.addWidget(self.open)
        self.words.textChanged.connect(self._on_words_changed)
        self.view.selectionModel().currentChanged.connect(self._on_chosen)
        self.view.activated.connect(self._on_open_clicked)
        self.open.clicked.connect(self._on_open_clicked)
        self._retranslate()

    def show_item(self, item: ItemInfo) -> None:
        """Replace the passages by those of an item."""
        self._item = item
        self._problem = ""
        self.words.clear()
        self.model.show(())
        self.title.setText(item.name)
        self._is_listed = False
        self.waiting.begin(self.tr("Loading passages…"))
        self._means.loop.run(
            self,
            partial(self._means.knowledge.passages, item.id),
            partial(self._on_listed, item.id),
            partial(self._on_failed, item.id),
        )
        self._show_state()
        self.view.setFocus()

    def _retranslate(self) -> None:
        super()._retranslate()
        self.words.setPlaceholderText(self.tr("Search passages"))
        self.words.setAccessibleName(self.tr("Search passages"))
        self.view.setAccessibleName(self.tr("Passages"))
        self.text.setAccessibleName(self.tr("Full passage"))
        self.open.setText(self.tr("Open at this passage"))
        self._show_state()

    def _show_state(self) -> None:
        shown, total = self.model.rowCount(), self.model.total
        some, every = self.tr("{shown} of {total}"), self.tr("%n passage(s)", None, total)
        words = some.format(shown=shown, total=total) if shown != total else every
        self.count.setText(words if self._is_listed else "")
        is_cut = self._item is not None and self._item.is_cut
        if self._problem:
            self.hint.show_error(self._problem)
        elif self._is_listed and not total:
            self.hint.setText(self.tr("This file hasn’t been read yet, so it has no passages."))
        else:
            self.hint.setText(self.tr("The file is too long. Only the beginning was read.") if is_cut else "")
        self.open.setEnabled(self.view.currentIndex().isValid())

    def _on_listed(self, item_id: str, passages: tuple[PassageInfo, ...]) -> None:
        if not self._is_awaited(item_id):
            return
        self._is_listed = True
        self.model.show(passages)
        self._choose_first()

    def _on_failed(self, item_id: str, error: Exception) -> None:
        if self._is_awaited(item_id):
            self._problem = untranslated_error(error)
            self._show_state()

    def _is_awaited(self, item_id: str) -> bool:
        """Say whether an answer is for the item that is shown; nothing more is awaited then."""
        is_shown = self._item is not None and self._item.id == item_id
        if is_shown:
            self.waiting.end()
        return is_shown

    @Slot(str)
    def _on_words_changed(self, text: str) -> None:
        self.model.filter_by(text)
        self._choose_first()

    def _choose_first(self) -> None:
        self.view.setCurrentIndex(self.model.index(0) if self.model.rowCount() else QModelIndex())
        if not self.model.rowCount():
            self.text.show_text(MarkedText(""), is_code=False)
        self._show_state()

    @Slot(QModelIndex)
    def _on_chosen(self, index: QModelIndex) -> None:
        if index.isValid():
            self.text.show_text(MarkedText(self.model.passage(index).text), is_code=False)
            self.text.find_words(self.words.text().strip())
        self._show_state()

    @Slot()
    def _on_open_clicked(self) -> None:
        index = self.view.currentIndex()
        if self._item is None or not index.isValid():
            return
        if self._item.kind is ItemKind.NOTE:
            self.note_asked.emit(self._item)
        else:
            self.place_asked.emit(source_of(self._item, self.model.passage(index)))
