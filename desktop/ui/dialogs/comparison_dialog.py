"""A dialog to select the models for a side-by-side comparison."""

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QDialogButtonBox, QLineEdit, QListView, QWidget

from desktop.chat.api.engine import MOST_MODELS
from desktop.domain.models import ModelInfo
from desktop.ui.labels.common import model_name
from desktop.ui.widgets.dialog import ScreenFitDialog
from desktop.ui.widgets.layout import label, plain_tip, set_style_flag, shorten_name, vbox

_LEAST_MODELS = 2
_SIZE = (420, 460)
_ID_ROLE = Qt.ItemDataRole.UserRole


class ComparisonDialog(ScreenFitDialog):
    """A list of models with check boxes; two to four must be checked to confirm.

    Signals:
        picked: ids (tuple of str) of the models, in the order in which they were checked.
    """

    picked = Signal(object)

    def __init__(
        self, models: tuple[ModelInfo, ...], chosen: Sequence[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._wanted = tuple(chosen)
        self._known: set[str] = set()
        self.chosen: list[str] = []
        self.setWindowTitle(self.tr("Compare models"))
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText(self.tr("Search models"))
        self.filter.setAccessibleName(self.tr("Search models"))
        self.filter.setClearButtonEnabled(True)
        self.rows = QStandardItemModel(self)
        self.view = QListView(self)
        self.view.setObjectName("choices")
        self.view.setAccessibleName(self.tr("Models"))
        self.view.setModel(self.rows)
        self.view.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.compare = self.buttons.addButton(self.tr("Compare"), QDialogButtonBox.ButtonRole.AcceptRole)
        set_style_flag(self.compare, "primary", True)
        self._words = label(self, "", "muted")
        self._lay_out()
        self.show_models(models)
        for signal, slot in (
            (self.filter.textChanged, self._on_filtered),
            (self.rows.itemChanged, self._on_item_changed),
            (self.buttons.accepted, self._on_accepted),
            (self.buttons.rejected, self.reject),
        ):
            signal.connect(slot)

    @Slot(object)
    def show_models(self, models: tuple[ModelInfo, ...]) -> None:
        """Show the models known so far; checked models stay checked if they are still listed."""
        known = {model.id for model in models}
        new = known - self._known
        wanted = [*self.chosen, *(model_id for model_id in self._wanted if model_id in new)]
        self.chosen = [model_id for model_id in wanted if model_id in known]
        self._known |= known
        self.rows.clear()
        names = Counter((model.name, model.provider) for model in models)
        for model in models:
            is_ambiguous = names[model.name, model.provider] > 1
            self.rows.appendRow(self._item(model, models, is_ambiguous=is_ambiguous))
        words = self.tr("Choose two to four models. Each answers the same question from the same sources.")
        if 0 < len(models) < _LEAST_MODELS:  # an empty list means that the models are not loaded yet
            words = self.tr("Comparing needs two models. Add a provider in Settings > Models.")
        self._words.setText(words)
        self._on_filtered(self.filter.text())
        self._refresh()

    def _item(self, model: ModelInfo, models: tuple[ModelInfo, ...], *, is_ambiguous: bool) -> QStandardItem:
        name = model_name(model.id, models)
        words = f"{name}  ({model.provider})" if model.provider else name
        if is_ambiguous:
            words = model.id
        item = QStandardItem(shorten_name(words))
        item.setData(model.id, _ID_ROLE)
        item.setToolTip(plain_tip(model.id))
        item.setCheckable(True)
        is_chosen = model.id in self.chosen
        item.setCheckState(Qt.CheckState.Checked if is_chosen else Qt.CheckState.Unchecked)
        return item

    def _lay_out(self) -> None:
        column = vbox(self, spacing=10, margins=(20, 18, 20, 16))
        column.addWidget(self._words)
        column.addWidget(self.filter)
        column.addWidget(self.view, 1)
        column.addWidget(self.buttons)
        self.resize(*_SIZE)

    def _refresh(self) -> None:
        """Disable the unchecked models when four are checked."""
        is_full = len(self.chosen) >= MOST_MODELS
        for row in range(self.rows.rowCount()):
            item = self.rows.item(row)
            item.setEnabled(not is_full or item.data(_ID_ROLE) in self.chosen)
        self.compare.setEnabled(_LEAST_MODELS <= len(self.chosen) <= MOST_MODELS)

    @Slot(str)
    def _on_filtered(self, text: str) -> None:
        words = text.casefold().split()
        for row in range(self.rows.rowCount()):
            item = self.rows.item(row)
            haystack = f"{item.text()} {item.data(_ID_ROLE)}".casefold()
            self.view.setRowHidden(row, not all(word in haystack for word in words))

    @Slot(QStandardItem)
    def _on_item_changed(self, item: QStandardItem) -> None:
        model_id, is_on = str(item.data(_ID_ROLE)), item.checkState() == Qt.CheckState.Checked
        if is_on is (model_id in self.chosen):
            return  # the item was only enabled or disabled
        self.chosen = [*self.chosen, model_id] if is_on else [one for one in self.chosen if one != model_id]
        self._refresh()

    @Slot()
    def _on_accepted(self) -> None:
        self.picked.emit(tuple(self.chosen))
        self.accept()
