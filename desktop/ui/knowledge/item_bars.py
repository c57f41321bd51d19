"""The bars above and below the table of items: filter, summary, and the error of the selected item."""

from typing import Final

from PySide6.QtCore import QLocale, Signal, Slot
from PySide6.QtWidgets import QComboBox, QFrame, QLineEdit, QProgressBar, QPushButton, QWidget

from desktop.domain.knowledge import ItemInfo, ItemState
from desktop.ui.i18n import Retranslated
from desktop.ui.knowledge.item_model import state_name
from desktop.ui.knowledge.item_rows import ItemFilter, ItemRows
from desktop.ui.labels.common import localize_message
from desktop.ui.widgets.layout import hbox, label, vbox

_STATES: Final = (
    frozenset({ItemState.WAITING, ItemState.READING}),
    frozenset({ItemState.KEYWORD_READY}),
    frozenset({ItemState.READY}),
    frozenset({ItemState.FAILED}),
)
_NAMED_BY: Final = (ItemState.WAITING, ItemState.KEYWORD_READY, ItemState.READY, ItemState.FAILED)
FAILED: Final = 4
"""Where, in the box of states, those that failed are."""

_STEPS: Final = 1000


class FilterBar(Retranslated, QWidget):
    """One field and two boxes; the box of tags is there once there are tags.

    Signals:
        changed: the ItemFilter that is wanted now.
    """

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.words = QLineEdit(self)
        self.words.setClearButtonEnabled(True)
        self.words.setAcceptDrops(False)
        self.state = QComboBox(self)
        self.tag = QComboBox(self)
        self.tag.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._tags: tuple[str, ...] = ()
        row = hbox(self, spacing=8)
        row.addWidget(self.words, 1)
        row.addWidget(self.state)
        row.addWidget(self.tag)
        self.tag.hide()
        self.words.textChanged.connect(self._on_changed)
        self.state.currentIndexChanged.connect(self._on_changed)
        self.tag.currentIndexChanged.connect(self._on_changed)
        self._retranslate()

    @property
    def filter(self) -> ItemFilter:
        """What is wanted now."""
        state, tag = self.state.currentIndex(), self.tag.currentIndex()
        return ItemFilter(
            self.words.text().strip(),
            _STATES[state - 1] if state > 0 else frozenset(),
            self._tags[tag - 1] if tag > 0 else "",
        )

    def set_tags(self, tags: tuple[str, ...]) -> None:
        """Offer the tags that there are; one that is chosen stays chosen."""
        if tags == self._tags:
            return
        chosen = self.filter.tag
        self._tags = tags
        self.tag.blockSignals(True)
        self._fill_tags()
        self.tag.setCurrentIndex(tags.index(chosen) + 1 if chosen in tags else 0)
        self.tag.blockSignals(False)
        self.tag.setVisible(bool(tags))
        self._on_changed()

    @Slot()
    def clear(self) -> None:
        """Want everything."""
        self.words.clear()
        self.state.setCurrentIndex(0)
        self.tag.setCurrentIndex(0)

    def show_failed(self) -> None:
        """Want those that failed."""
        self.clear()
        self.state.setCurrentIndex(FAILED)

    def _retranslate(self) -> None:
        self.words.setPlaceholderText(self.tr("Filter"))
        self.words.setAccessibleName(self.tr("Filter by name"))
        self.state.setAccessibleName(self.tr("Filter by state"))
        self.tag.setAccessibleName(self.tr("Filter by tag"))
        row = self.state.currentIndex()
        self.state.blockSignals(True)
        self.state.clear()
        self.state.addItem(self.tr("All states"))
        for state in _NAMED_BY:
            self.state.addItem(state_name(state))
        self.state.setCurrentIndex(max(row, 0))
        self.state.blockSignals(False)
        row = self.tag.currentIndex()
        self.tag.blockSignals(True)
        self._fill_tags()
        self.tag.setCurrentIndex(max(row, 0))
        self.tag.blockSignals(False)

    def _fill_tags(self) -> None:
        self.tag.clear()
        self.tag.addItem(self.tr("All tags"))
        for tag in self._tags:
            self.tag.addItem(tag)

    @Slot()
    def _on_changed(self) -> None:
        self.changed.emit(self.filter)


class SummaryBar(Retranslated, QWidget):
    """Counts the items by state, with the progress while items are read.

    Signals:
        failed_asked: the user wants to see the failed items.
        again_asked: all failed items are to be read again.
        resume_asked: a paused base is to resume.
    """

    failed_asked = Signal()
    again_asked = Signal()
    resume_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: ItemRows | None = None
        self._share: float | None = None
        self._is_paused = False
        self.text = label(self, "", "muted", "small")
        self.failed = QPushButton(self)
        self.again = QPushButton(self)
        self.resume = QPushButton(self)
        self.resume.setProperty("flat", "true")
        self.failed.setProperty("flat", "true")
        self.again.setProperty("flat", "true")
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setRange(0, _STEPS)
        row = hbox(spacing=4)
        row.addWidget(self.text, 1)
        row.addWidget(self.resume)
        row.addWidget(self.failed)
        row.addWidget(self.again)
        column = vbox(self, spacing=4)
        column.addWidget(self.bar)
        column.addLayout(row)
        self.failed.clicked.connect(self.failed_asked)
        self.again.clicked.connect(self.again_asked)
        self.resume.clicked.connect(self.resume_asked)

    def show_counts(self, rows: ItemRows, share: float | None, *, is_paused: bool = False) -> None:
        """Count `rows`; `share` is the progress from 0 to 1, None without any work."""
        self._rows, self._share, self._is_paused = rows, share, is_paused
        self._refresh()

    def _retranslate(self) -> None:
        self._refresh()

    def _refresh(self) -> None:
        if self._rows is None:
            return
        failed = self._rows.states[ItemState.FAILED]
        self.text.setText(" · ".join(self._parts(self._rows)))
        self.failed.setText(self.tr("{count} failed").format(count=QLocale().toString(failed)))
        self.again.setText(self.tr("Retry all"))
        self.failed.setVisible(failed > 0)
        self.again.setVisible(failed > 0)
        self.resume.setText(self.tr("Resume"))
        self.resume.setVisible(self._is_paused)
        is_busy = self._share is not None and not self._is_paused
        self.bar.setVisible(is_busy)
        self.bar.setValue(round((self._share or 0.0) * _STEPS))
        self.bar.setAccessibleName(self.text.text())

    def _parts(self, rows: ItemRows) -> list[str]:
        """Return what is said, leaving out what is nought."""
        number = QLocale().toString
        states = rows.states
        waiting = states[ItemState.WAITING] + states[ItemState.READING]
        read = rows.total - waiting - states[ItemState.FAILED]
        parts = [self.tr("Paused")] if self._is_paused else []
        if waiting:
            words = self.tr("{read} of {total} read, {waiting} waiting")
            parts.append(words.format(read=number(read), total=number(rows.total), waiting=number(waiting)))
        elif rows.total == 1:
            parts.append(self.tr("1 item"))
        else:
            parts.append(self.tr("{total} items").format(total=number(rows.total)))
        if partly := states[ItemState.KEYWORD_READY]:
            parts.append(self.tr("{count} searchable").format(count=number(partly)))
        if (shown := len(rows)) != rows.total:
            parts.append(self.tr("{shown} shown").format(shown=number(shown)))
        return parts


class ErrorBar(Retranslated, QFrame):
    """Hidden unless one item is picked that has something to say.

    Signals:
        again_asked: the item is to be read again.
    """

    again_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self.text = label(self)
        self.again = QPushButton(self)
        self.again.setProperty("flat", "true")
        row = hbox(self, margins=(14, 6, 6, 6))
        row.addWidget(self.text, 1)
        row.addWidget(self.again)
        self.again.clicked.connect(self.again_asked)
        self._retranslate()
        self.hide()

    def show_error_of(self, items: tuple[ItemInfo, ...]) -> None:
        """Say what there is to say of what is picked."""
        reason = localize_message(items[0].error) if len(items) == 1 else ""
        if reason:
            name = items[0].name
            self.text.setText(reason if name in reason else f"{name}: {reason}")
            self.setAccessibleName(self.text.text())
        self.setVisible(bool(reason))

    def _retranslate(self) -> None:
        self.again.setText(self.tr("Try again"))
