"""A menu of models with a filter, and a menu of check boxes that stays open."""

from PySide6.QtCore import QCoreApplication, QEvent, QModelIndex, QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QLineEdit, QListView, QMenu, QWidget, QWidgetAction

from desktop.domain.models import QUOTES_MODEL, ModelInfo
from desktop.ui.widgets.access_keys import add_access_keys
from desktop.ui.widgets.item_views import TAGS_ROLE, TagDelegate
from desktop.ui.widgets.labels import format_price, localize_message, model_name, tags_of
from desktop.ui.widgets.layout import plain_tip, shorten_name, vbox

FILTER_FROM = 9
"""Minimum number of models for which the filter is shown."""

_VISIBLE_ROWS = 12
_WIDTH = 400
_MODEL_ROLE = Qt.ItemDataRole.UserRole


def model_rows(models: tuple[ModelInfo, ...], needle: str) -> list[ModelInfo | str]:
    """Return the models that match all words, with the name of each provider before its models.

    Providers stand in the order in which they are listed first.
    """
    words = needle.casefold().split()
    rows: list[ModelInfo | str] = []
    provider = ""
    for model in models:
        tags = " ".join(tags_of(model.facts))
        shown = f"{localize_message(model.provider)} {model_name(model.id, (model,))}"
        haystack = f"{shown} {model.provider} {model.name} {model.id} {tags}".casefold()
        if not all(word in haystack for word in words):
            continue
        if model.provider != provider and model.id != QUOTES_MODEL:
            rows.append(localize_message(model.provider))
        provider = model.provider
        rows.append(model)
    return rows


class ModelList(QWidget):
    """A list of models with a filter.

    Signals:
        picked: id of the selected model.
    """

    picked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._models: tuple[ModelInfo, ...] = ()
        self._current = ""
        self.filter = QLineEdit(self)
        self.filter.setClearButtonEnabled(True)
        self.filter.setPlaceholderText(self.tr("Search models"))
        self.filter.setAccessibleName(self.tr("Search models"))
        self.filter.installEventFilter(self)
        self.view = QListView(self)
        self.view.setObjectName("choices")
        self.view.setAccessibleName(self.tr("Models"))
        self.view.setMouseTracking(True)
        self.view.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.rows = QStandardItemModel(self)
        self.view.setModel(self.rows)
        self.view.setItemDelegate(TagDelegate(self.view))
        column = vbox(self, spacing=4, margins=(2, 2, 2, 2))
        column.addWidget(self.filter)
        column.addWidget(self.view)
        self.filter.textChanged.connect(self._fill)
        self.filter.returnPressed.connect(self._on_entered)
        self.view.clicked.connect(self._on_row_picked)
        self.view.installEventFilter(self)

    def show_models(self, models: tuple[ModelInfo, ...], current: str) -> None:
        """Show `models` and mark `current`."""
        self._models = models
        self._current = current
        self.filter.blockSignals(True)
        self.filter.clear()
        self.filter.blockSignals(False)
        self.filter.setVisible(len(models) >= FILTER_FROM)
        self._fill()
        self.view.setFixedHeight(self._height())
        self.setFixedWidth(_WIDTH)
        (self.filter if self.filter.isVisibleTo(self) else self.view).setFocus()

    def update_models(self, models: tuple[ModelInfo, ...]) -> None:
        """Show other models; what is typed and the selected row stay, and the height: a menu keeps it while it is open."""
        if models == self._models:
            return
        self._models = models
        selected = self.view.currentIndex().data(_MODEL_ROLE)
        self._fill()
        self._select(selected)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrow keys move between filter and list, letters go into the filter, and Enter select a model."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return super().eventFilter(watched, event)
        key, keys = event.key(), Qt.Key
        if watched is self.filter and key in (keys.Key_Down, keys.Key_Up, keys.Key_PageDown, keys.Key_PageUp):
            self.view.setFocus()
            self.view.keyPressEvent(event)
            return True
        if watched is self.view and key in (keys.Key_Return, keys.Key_Enter):
            self._on_row_picked(self.view.currentIndex())
            return True
        is_text = bool(event.text()) and (event.text().isprintable() or key == keys.Key_Backspace)
        is_at_top = key == keys.Key_Up and self.view.currentIndex() == self._first
        if watched is self.view and self.filter.isVisible() and (is_at_top or is_text):
            self.filter.setFocus()
            if is_text:
                QCoreApplication.sendEvent(self.filter, event)
            return True
        return super().eventFilter(watched, event)

    @Slot()
    def _fill(self) -> None:
        self.rows.clear()
        needle = self.filter.text()
        rows = model_rows(self._models, needle)
        is_gone = bool(self._current) and all(model.id != self._current for model in self._models)
        if is_gone and not needle:
            gone = ModelInfo(self._current, model_name(self._current, ()), "")
            rows = [self.tr("Not available now"), gone, *rows]
        for row in rows or [self.tr("No model found")]:
            self.rows.appendRow(_heading(row) if isinstance(row, str) else self._choice(row))
        self._select("" if needle else self._current)

    def _choice(self, model: ModelInfo) -> QStandardItem:
        item = QStandardItem(shorten_name(model_name(model.id, self._models)))
        item.setData(model.id, _MODEL_ROLE)
        item.setData(" · ".join(tags_of(model.facts)), TAGS_ROLE)
        price = format_price(model.facts.price) if model.facts.price else ""
        item.setToolTip(plain_tip("\n".join(filter(None, (model.id, *tags_of(model.facts), price)))))
        if model.id == self._current:
            item.setText(f"{item.text()}  ✓")
        return item

    @property
    def _choices(self) -> list[QStandardItem]:
        rows = [self.rows.item(row) for row in range(self.rows.rowCount())]
        return [item for item in rows if item.data(_MODEL_ROLE)]

    @property
    def _first(self) -> QModelIndex:
        choices = self._choices
        return choices[0].index() if choices else QModelIndex()

    def _select(self, model_id: str) -> None:
        """Select the row of a model, or else the first one."""
        found = (item.index() for item in self._choices if item.data(_MODEL_ROLE) == model_id)
        self.view.setCurrentIndex(next(found, self._first))

    def _height(self) -> int:
        rows = min(self.rows.rowCount(), _VISIBLE_ROWS)
        return rows * max(self.view.sizeHintForRow(0), 1) + 2 * self.view.frameWidth() + 2

    @Slot()
    def _on_entered(self) -> None:
        self._on_row_picked(self.view.currentIndex())

    @Slot(QModelIndex)
    def _on_row_picked(self, index: QModelIndex) -> None:
        if index.isValid() and (model_id := index.data(_MODEL_ROLE)):
            self.picked.emit(str(model_id))


def _heading(text: str) -> QStandardItem:
    item = QStandardItem(text)
    item.setFlags(Qt.ItemFlag.NoItemFlags)
    return item


class ModelMenu(QMenu):
    """A menu with a `ModelList` and further actions.

    Signals:
        picked: id of the selected model.
        setup_asked: the user wants to set up another model.
    """

    picked = Signal(str)
    setup_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.list = ModelList(self)
        self.list.picked.connect(self._on_picked)
        holder = QWidgetAction(self)
        holder.setDefaultWidget(self.list)
        self.addAction(holder)
        self.addSeparator()
        self.addAction(self.tr("Manage models…")).triggered.connect(self.setup_asked)
        add_access_keys(self)

    @Slot(str)
    def _on_picked(self, model_id: str) -> None:
        self.close()
        self.picked.emit(model_id)


class CheckMenu(QMenu):
    """A menu in which several entries can be checked before it is closed."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        add_access_keys(self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Toggle an entry without closing the menu."""
        if not _toggle(self.activeAction()):
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Toggle an entry without closing the menu."""
        keys = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.key() not in keys or not _toggle(self.activeAction()):
            super().keyPressEvent(event)


def _toggle(action: QAction | None) -> bool:
    if action is None or not action.isCheckable() or not action.isEnabled():
        return False
    action.trigger()
    return True
