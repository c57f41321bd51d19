"""Files that are dropped on the conversation: the choice of a knowledge base, and the progress of reading them."""

from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QCursor, QPalette
from PySide6.QtWidgets import QFrame, QGridLayout, QInputDialog, QMenu, QProgressBar, QWidget

from desktop.domain.knowledge import BaseInfo, ItemProgress
from desktop.ui.i18n import Retranslated
from desktop.ui.stores.knowledge_store import ImportJob, KnowledgeStore
from desktop.ui.widgets.dialog import text_dialog
from desktop.ui.widgets.icons import IconButton, icon
from desktop.ui.widgets.labels import format_progress, localize_message
from desktop.ui.widgets.layout import label, new_menu, plain_name, plain_tip, vbox

MOST_ROWS: Final = 3
"""More of them would push the conversation away; the others show as these leave."""

DONE_SHOWN_MS: Final = 10_000
"""How long it is said that all went well."""

_REASONS_SHOWN = 3


class BaseChooser(QObject):
    """A menu of the bases, and a dialog for the name of a new one."""

    def __init__(self, knowledge_store: KnowledgeStore, window: QWidget) -> None:
        super().__init__(window)
        self._knowledge_store = knowledge_store
        self._window = window

    @Slot(object)
    def choose(self, paths: tuple[Path, ...]) -> None:
        """Ask for a base and add `paths`; without any base, ask for the name of the first one at once."""
        if self._knowledge_store.bases:
            self.menu_for(paths).popup(QCursor.pos())
        else:
            self.ask_name(paths)

    def menu_for(self, paths: tuple[Path, ...]) -> QMenu:
        """Return the menu of bases."""
        menu = new_menu(self._window)
        for base in self._knowledge_store.bases:
            action = menu.addAction(icon("library", menu.palette()), plain_name(base.name))
            action.triggered.connect(partial(self._on_base_picked, base, paths))
        menu.addSeparator()
        new = menu.addAction(icon("plus", menu.palette()), self.tr("New knowledge base…"))
        new.triggered.connect(partial(self._on_new_picked, paths))
        return menu

    def ask_name(self, paths: tuple[Path, ...] = (), parent: QWidget | None = None) -> QInputDialog:
        """Ask for the name of a new base, and add `paths` to it."""
        dialog = text_dialog(parent or self._window, self.tr("New knowledge base"), self.tr("Name"))
        dialog.setTextValue(_suggest_name(paths))
        dialog.textValueSelected.connect(partial(self._on_named, paths))
        dialog.open()
        return dialog

    def _on_base_picked(self, base: BaseInfo, paths: tuple[Path, ...], _checked: bool = False) -> None:
        self._knowledge_store.add(base, paths)

    def _on_new_picked(self, paths: tuple[Path, ...], _checked: bool = False) -> None:
        self.ask_name(paths)

    def _on_named(self, paths: tuple[Path, ...], name: str) -> None:
        if name.strip():
            self._knowledge_store.create(name.strip(), paths)


def _suggest_name(paths: tuple[Path, ...]) -> str:
    """Return the name of the folder that was dropped; files alone suggest nothing."""
    return paths[0].name if len(paths) == 1 and paths[0].is_dir() else ""


class ImportRow(Retranslated, QFrame):
    """One addition of files: what is being read, its progress, and what failed and why.

    Signals:
        closed: the user closed it, or it is complete.
    """

    closed = Signal()

    def __init__(self, addition: ImportJob, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self._addition = addition
        self._is_over = False
        self._latest: ItemProgress | None = None
        self._title = label(self)
        self._detail = label(self, "", "muted")
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._close = IconButton("close", self, QPalette.ColorRole.PlaceholderText)
        self._close.setIconSize(QSize(14, 14))
        grid = QGridLayout(self)
        grid.setVerticalSpacing(4)
        grid.setContentsMargins(14, 8, 6, 8)
        grid.addWidget(self._title, 0, 0)
        grid.addWidget(self._close, 0, 1, 2, 1, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self._detail, 1, 0)
        grid.addWidget(self._bar, 2, 0)
        grid.setColumnStretch(0, 1)
        addition.progressed.connect(self._on_progressed)
        addition.ended.connect(self._on_ended)
        self._close.clicked.connect(self._on_close_clicked)
        self._refresh()

    @property
    def text(self) -> str:
        """All texts of the row."""
        return f"{self._title.text()}\n{self._detail.text()}"

    def _retranslate(self) -> None:
        self._refresh()

    def _refresh(self) -> None:
        if self._is_over:
            self._show_result()
        else:
            self._show_progress()
        self.setAccessibleName(self.text)

    def _show_progress(self) -> None:
        self._title.setText(self.tr("Adding to “{base}”").format(base=self._addition.base.name))
        self._close.set_words(self.tr("Cancel"))
        if self._latest is None:
            self._detail.setText(self.tr("Finding files…"))
            self._bar.setRange(0, 0)
            return
        state = format_progress(self._latest)
        self._detail.setText(f"{self._latest.item.name} · {state}")
        self._bar.setRange(0, self._addition.count * 100)
        within = 100 * self._latest.done // self._latest.total if self._latest.total else 0
        self._bar.setValue(self._addition.done * 100 + min(within, 99))

    def _show_result(self) -> None:
        failures = self._addition.failures
        added = self._addition.done - len(failures)
        self._bar.hide()
        self._close.set_words(self.tr("Close"))
        words = self.tr("%n item(s) added to “{base}”", None, added).format(base=self._addition.base.name)
        if failures:
            words += " · " + self.tr("%n not added", None, len(failures))
        self._title.setText(words)
        reasons = [f"{item.name}: {localize_message(item.error)}" for item in failures[:_REASONS_SHOWN]]
        if len(failures) > _REASONS_SHOWN:
            reasons.append(self.tr("See Knowledge for the rest."))
        skipped = self._addition.skipped
        if skipped:
            # They are in no base, so this is the only place that names them all.
            words = self.tr(
                "%n link(s) point outside the folder. Point here to see them.", None, len(skipped)
            )
            reasons.append(words)
            self.setToolTip(plain_tip("\n".join(item.path for item in skipped)))
        self._detail.setText("\n".join(reasons))
        self._detail.setVisible(bool(reasons))

    @Slot(object)
    def _on_progressed(self, progress: ItemProgress) -> None:
        self._latest = progress
        self._refresh()

    @Slot()
    def _on_ended(self) -> None:
        self._is_over = True
        self._refresh()
        if not self._addition.failures:
            QTimer.singleShot(DONE_SHOWN_MS, self, self.closed.emit)

    @Slot()
    def _on_close_clicked(self) -> None:
        if self._is_over:
            self.closed.emit()
        else:
            self._addition.cancel()


class ImportBar(Retranslated, QWidget):
    """All additions: successful ones are removed after a while, others stay until they are closed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = vbox(self)
        self._rows: list[ImportRow] = []
        self._more = label(self, "", "muted", "small")
        self._more.setContentsMargins(14, 0, 0, 0)
        self._more.hide()
        self._column.addWidget(self._more)
        self.hide()

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of all rows from top to bottom, shown or not."""
        return tuple(row.text for row in self._rows)

    @property
    def more(self) -> str:
        """The text about rows that are not shown; empty where all are shown."""
        return "" if self._more.isHidden() else self._more.text()

    def _retranslate(self) -> None:
        self._arrange()

    @Slot(object)
    def watch(self, addition: ImportJob) -> None:
        """Show the progress of an addition."""
        row = ImportRow(addition, self)
        row.closed.connect(self._on_row_closed)
        self._rows.append(row)
        self._column.insertWidget(self._column.count() - 1, row)
        self._arrange()

    def _arrange(self) -> None:
        for place, row in enumerate(self._rows):
            row.setVisible(place < MOST_ROWS)
        hidden = len(self._rows) - MOST_ROWS
        self._more.setText(self.tr("and {count} more").format(count=hidden))
        self._more.setVisible(hidden > 0)
        self.setVisible(bool(self._rows))

    @Slot()
    def _on_row_closed(self) -> None:
        row = self.sender()
        if isinstance(row, ImportRow):
            self._rows.remove(row)
            row.hide()
            row.deleteLater()
            self._arrange()
