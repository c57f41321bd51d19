"""The dialog before an answer is saved for others: which private passages the file may contain."""

from collections.abc import Sequence

from PySide6.QtCore import QLocale, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QDialogButtonBox, QPushButton, QWidget

from desktop.domain.sources import Source
from desktop.render.export.source_list import facts_of, title_line
from desktop.render.labels import labels_of
from desktop.ui.widgets.dialog import FormDialog, ScrollableForm
from desktop.ui.widgets.layout import hbox, label, plain_name, vbox

_WIDTH = 560
_SHOWN_CHARS = 300


class PrivatePassagesDialog(FormDialog):
    """Lists the private sources of an answer; only those that the user selects become part of the file.

    Signals:
        decided: the numbers of the sources to leave out, as a frozenset.
    """

    decided = Signal(object)

    def __init__(self, sources: Sequence[Source], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Private sources"))
        self._sources = tuple(sources)
        labels = labels_of(QLocale().name())
        words = self.tr(
            "Only you can see these sources. Select those to include in the file. The answers stay the same."
        )
        content = QWidget(self)
        column = vbox(content, spacing=10, margins=(0, 0, 8, 0))
        self.boxes: list[QCheckBox] = []
        for source in self._sources:
            title = f"[{source.number}] {title_line(source, labels)}"
            box = QCheckBox(plain_name(title), content)
            box.setAccessibleName(title)
            excerpt = " ".join(source.text.split())
            shown = excerpt if len(excerpt) <= _SHOWN_CHARS else f"{excerpt[:_SHOWN_CHARS]}…"
            box.setAccessibleDescription(shown)
            box.toggled.connect(self._show_count)
            column.addWidget(box)
            column.addWidget(label(content, facts_of(source, labels), "muted", "small"))
            column.addWidget(label(content, shown, "muted"))
            self.boxes.append(box)
        column.addStretch(1)
        self.all = QPushButton(self.tr("Select all"), self)
        self.all.setProperty("flat", "true")
        self.count = label(self, "", "muted")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.save = buttons.addButton(self.tr("Save…"), QDialogButtonBox.ButtonRole.AcceptRole)
        row = hbox(spacing=10)
        row.addWidget(self.all)
        row.addWidget(self.count, 1)
        row.addWidget(buttons)
        whole = vbox(self, spacing=12, margins=(20, 18, 20, 16))
        whole.addWidget(label(self, words))
        whole.addWidget(ScrollableForm(content, self), 1)
        whole.addLayout(row)
        self.resize(_WIDTH, self.sizeHint().height())
        self.all.clicked.connect(self._on_all_clicked)
        buttons.accepted.connect(self._on_accepted)
        buttons.rejected.connect(self.reject)
        self._show_count()

    @Slot()
    def _show_count(self) -> None:
        count = sum(not box.isChecked() for box in self.boxes)
        self.count.setText(self.tr("%n passage(s) left out", None, count))

    @Slot()
    def _on_all_clicked(self) -> None:
        for box in self.boxes:
            box.setChecked(True)

    @Slot()
    def _on_accepted(self) -> None:
        pairs = zip(self._sources, self.boxes, strict=True)
        self.accept()
        self.decided.emit(frozenset(source.number for source, box in pairs if not box.isChecked()))
