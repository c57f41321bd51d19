"""The bars of the manager: what lists show while they load or are empty, filter and summary of items, export and import."""

from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QLocale, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QWidget,
)

from desktop.background import Job
from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemState, Transfer
from desktop.ui.i18n import Retranslated
from desktop.ui.knowledge.item_model import ItemFilter, ItemRows, state_name
from desktop.ui.knowledge.manager_controller import ManagerContext
from desktop.ui.widgets.dialog import ask_for_file, ask_where_to_save
from desktop.ui.widgets.icons import IconButton, Recolored, pixmap
from desktop.ui.widgets.labels import localize_message
from desktop.ui.widgets.layout import WrappingRow, center, hbox, label, set_style_flag, show_progress, vbox

_PATIENCE_MS: Final = 300
"""What comes sooner needs no word."""

_MARGIN = 8

_ICON_SIZE: Final = 44
_MAX_WIDTH: Final = 460


class BusyBar(QWidget):
    """A line of text above a bar that shows no share; hidden while nothing is awaited."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = label(self, "", "muted", "small")
        bar = QProgressBar(self)
        bar.setTextVisible(False)
        bar.setRange(0, 0)
        column = vbox(self, spacing=4)
        column.addWidget(self.text)
        column.addWidget(bar)
        self.hide()
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE_MS)
        self._patience.timeout.connect(self._on_patience_over)

    def begin(self, words: str) -> None:
        """Say `words` unless `end` comes at once."""
        self.text.setText(words)
        self.setAccessibleName(words)
        if not self.isVisible():
            self._patience.start()

    def end(self) -> None:
        """Wait no more."""
        self._patience.stop()
        self.hide()

    @Slot()
    def _on_patience_over(self) -> None:
        self.show()


class DropHint(QFrame):
    """A frame over a part of the window; the mouse goes through it."""

    def __init__(self, covered: QWidget) -> None:
        super().__init__(covered)
        self._covered = covered
        self.setObjectName("dropTarget")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.text = label(self, "", "heading")
        self.text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        vbox(self, margins=(24, 24, 24, 24)).addWidget(self.text)
        set_style_flag(self, "active", is_on=True)
        self.hide()

    def appear(self, words: str) -> None:
        """Say where it would go."""
        self.text.setText(words)
        self.setGeometry(self._covered.rect().adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN))
        self.raise_()
        self.show()


class EmptyState(Recolored, QWidget):
    """An icon, a few words, and buttons for what can be done."""

    def __init__(
        self, icon_name: str, buttons: tuple[QPushButton, ...], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._icon_name = icon_name
        self._icon = QLabel(self)
        self.title = label(self, "", "heading")
        self.text = label(self, "", "muted")
        column = vbox(self, spacing=10, margins=(16, 16, 16, 16))
        column.addStretch(2)
        for part in (self._icon, self.title, self.text):
            part.setAlignment(Qt.AlignmentFlag.AlignCenter)
            column.addLayout(center(part, _MAX_WIDTH))
        row = WrappingRow(is_centered=True)
        row.setContentsMargins(0, 8, 0, 0)
        for button in buttons:
            row.addWidget(button)
        column.addLayout(row)
        column.addStretch(3)
        self._recolor()

    def say(self, title: str, text: str) -> None:
        """Say what belongs here."""
        self.title.setText(title)
        self.text.setText(text)

    def _recolor(self) -> None:
        colour = self.palette().color(QPalette.ColorRole.PlaceholderText)
        self._icon.setPixmap(pixmap(self._icon_name, colour, _ICON_SIZE, self.devicePixelRatioF()))


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


SUFFIX: Final = ".footnote-base"


class TransferBar(Retranslated, QFrame):
    """One transfer at a time, with its progress and a button that stops it. Hidden while there is none.

    Signals:
        exported: the `Path` of the complete file.
        imported: the `BaseInfo` of the new base.
        failed: the error that ended it; nothing incomplete remains.
        ended: emitted last, after any outcome.
        refused: another one was requested while one is running.
    """

    exported = Signal(object)
    imported = Signal(object)
    failed = Signal(object)
    ended = Signal()
    refused = Signal()

    def __init__(self, means: ManagerContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._means = means
        self._job: Job | None = None
        self._base: BaseInfo | None = None
        self.setObjectName("bar")
        self.text = label(self)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.stop = IconButton("close", self, QPalette.ColorRole.PlaceholderText)
        self.stop.setIconSize(QSize(14, 14))
        grid = QGridLayout(self)
        grid.setVerticalSpacing(4)
        grid.setContentsMargins(14, 6, 6, 8)
        grid.addWidget(self.text, 0, 0)
        grid.addWidget(self.stop, 0, 1, 2, 1)
        grid.addWidget(self.bar, 1, 0)
        grid.setColumnStretch(0, 1)
        self.stop.clicked.connect(self.cancel)
        self._retranslate()
        self.hide()

    @property
    def is_busy(self) -> bool:
        """Whether a transfer is running."""
        return self._job is not None

    def ask_export(self, base: BaseInfo) -> None:
        """Ask for a file, then export a base into it."""
        if self.is_busy:
            self.refused.emit()
            return
        title = self.tr("Export “{base}”").format(base=base.name)
        use = partial(self.export, base)
        ask_where_to_save(self, title, f"{base.name}{SUFFIX}", use, self._kinds())

    def ask_import(self) -> None:
        """Ask for a file, then import a base from it."""
        if self.is_busy:
            self.refused.emit()
            return
        ask_for_file(self, self.tr("Import a knowledge base"), self.import_from, self._kinds())

    def export(self, base: BaseInfo, path: Path) -> None:
        """Export a base into a file."""
        words = self.tr("Exporting “{base}”").format(base=base.name)
        self._begin(
            words, partial(self._means.knowledge.export, base.id, path), partial(self._on_exported, path)
        )

    def import_from(self, path: Path) -> None:
        """Import a base from a file."""
        words = self.tr("Importing “{file}”").format(file=path.name)
        self._begin(words, partial(self._means.knowledge.import_, path), self._on_imported)

    @Slot()
    def cancel(self) -> None:
        """Stop; nothing incomplete remains."""
        if self._job is not None:
            self._job.cancel()

    def _kinds(self) -> str:
        return self.tr("Knowledge bases (*{suffix})").format(suffix=SUFFIX)

    def _begin(
        self, words: str, work: Callable[[], AsyncIterator[Transfer]], done: Callable[..., None]
    ) -> None:
        self._base = None
        self.text.setText(words)
        show_progress(self.bar, 0, 0)
        self.bar.setAccessibleName(words)
        self._job = self._means.loop.run(
            self, work, done, self._on_failed, progressed=self._on_progressed, cancelled=self._on_cancelled
        )
        self.show()

    def _retranslate(self) -> None:
        self.stop.set_words(self.tr("Cancel"))

    @Slot(object)
    def _on_progressed(self, transfer: Transfer) -> None:
        self._base = transfer.base or self._base
        show_progress(self.bar, transfer.done, transfer.total)

    def _on_exported(self, path: Path, _nothing: object) -> None:
        self._on_over()
        self.exported.emit(path)
        self.ended.emit()

    @Slot(object)
    def _on_imported(self, _nothing: object) -> None:
        self._on_over()
        if self._base is not None:
            self.imported.emit(self._base)
        self.ended.emit()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._on_over()
        self.failed.emit(error)
        self.ended.emit()

    @Slot()
    def _on_cancelled(self) -> None:
        self._on_over()
        self.ended.emit()

    def _on_over(self) -> None:
        self._job = None
        self.hide()
