"""Pages that the manager shows instead of the list: the folders that a base follows, a note of the user’s own, the options of a base."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QStackedWidget,
    QWidget,
)

from desktop.domain.knowledge import BaseInfo, BaseOptions, EmbeddingModel, FolderInfo, ItemInfo
from desktop.ui.i18n import Retranslated
from desktop.ui.knowledge.bars import BusyBar, EmptyState
from desktop.ui.knowledge.manager_controller import ManagerContext
from desktop.ui.settings.rows import make_labelled_row
from desktop.ui.widgets.icons import IconButton, icon
from desktop.ui.widgets.labels import localize_message, untranslated_error
from desktop.ui.widgets.layout import (
    NoWheelComboBox,
    NoWheelDoubleSpinBox,
    NoWheelSpinBox,
    hbox,
    label,
    plain_tip,
    vbox,
)
from desktop.ui.widgets.notice_bar import StatusLabel


class SidePage(Retranslated, QWidget):
    """Escape or the arrow leads back to the list.

    Signals:
        left: the user wants to go back.
    """

    left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.back = IconButton("back", self)
        self.title = label(self, "", "heading")
        self.hint = StatusLabel(self, "muted")
        self.head: QHBoxLayout = hbox(spacing=8)
        self.head.addWidget(self.back)
        self.head.addWidget(self.title, 1)
        self.column = vbox(self, spacing=10, margins=(20, 14, 20, 16))
        self.column.addLayout(self.head)
        self.column.addWidget(self.hint)
        self.back.clicked.connect(self.leave)

    @Slot()
    def leave(self) -> None:
        """Go back to the list."""
        self.left.emit()

    def _retranslate(self) -> None:
        self.back.set_words(self.tr("Back"), f"{self.tr('Back')}  Esc")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go back with Escape instead of closing the window."""
        if event.key() == Qt.Key.Key_Escape:
            self.leave()
        else:
            super().keyPressEvent(event)


_FOLDER = Qt.ItemDataRole.UserRole


class FoldersPage(SidePage):
    """The folders that a base watches, each with the reason where it cannot be read.

    Signals:
        more_asked: the user wants to add another folder.
    """

    more_asked = Signal()

    def __init__(self, means: ManagerContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._means = means
        self._base: BaseInfo | None = None
        self._problem = ""
        self._is_listed = False
        self.list = QListWidget(self)
        self.list.setObjectName("queries")
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.more = QPushButton(self)
        self.more.setProperty("primary", "true")
        self.first = QPushButton(self)
        self.first.setProperty("primary", "true")
        self.remove = QPushButton(self)
        self.empty = EmptyState("folder", (self.first,), self)
        self._pane = QStackedWidget(self)
        self._pane.addWidget(self.empty)
        self._pane.addWidget(self.list)
        self.waiting = BusyBar(self)
        self.column.addWidget(self.waiting)
        self.column.addWidget(self._pane, 1)
        row = hbox(spacing=8)
        row.addWidget(self.remove)
        row.addStretch(1)
        row.addWidget(self.more)
        self.column.addLayout(row)
        self.more.clicked.connect(self.more_asked)
        self.first.clicked.connect(self.more_asked)
        self.remove.clicked.connect(self._on_remove_clicked)
        self.list.itemSelectionChanged.connect(self._show_state)
        self._retranslate()

    def show_base(self, base: BaseInfo) -> None:
        """Show the folders that a base watches."""
        self._take(base)
        self._problem = ""
        self.refresh()

    def watch(self, base: BaseInfo, path: Path) -> None:
        """Watch a folder for a base, and show it."""
        self._take(base)
        self._start(partial(self._means.knowledge.watch_folder, base.id, path))

    def _take(self, base: BaseInfo) -> None:
        if self._base is None or self._base.id != base.id:
            self.list.clear()
            self._is_listed = False
            self.waiting.begin(self.tr("Loading…"))
        self._base = base

    def refresh(self) -> None:
        """Load the list again."""
        if self._base is not None:
            self._means.loop.run(
                self,
                partial(self._means.knowledge.folders, self._base.id),
                partial(self._on_listed, self._base.id),
                self._on_failed,
            )
        self._show_state()

    def _retranslate(self) -> None:
        super()._retranslate()
        self.list.setAccessibleName(self.tr("Watched folders"))
        self.more.setText(self.tr("Watch a folder…"))
        self.first.setText(self.more.text())
        self.remove.setText(self.tr("Stop watching"))
        self.empty.say(
            self.tr("No watched folders"),
            self.tr("Changes in a watched folder appear in the knowledge base automatically."),
        )
        self._show_state()

    @Slot()
    def _show_state(self) -> None:
        name = self._base.name if self._base else ""
        self.title.setText(self.tr("Watched folders of “{base}”").format(base=name))
        has_any = self.list.count() > 0
        if self._problem:
            self.hint.show_error(self._problem)
        else:
            teach = self.tr("Changes in these folders appear in the knowledge base automatically.")
            self.hint.setText(teach if has_any else "")
        self._pane.setCurrentWidget(self.list if has_any or not self._is_listed else self.empty)
        self.more.setVisible(has_any)
        self.remove.setVisible(has_any)
        self.remove.setEnabled(bool(self.list.selectedItems()))

    def _on_listed(self, base_id: str, folders: tuple[FolderInfo, ...]) -> None:
        if self._base is None or self._base.id != base_id:
            return
        self.waiting.end()
        self._is_listed = True
        self.list.clear()
        for folder in folders:
            item = QListWidgetItem(folder.path)
            if folder.error:
                item.setText(f"{folder.path}\n{localize_message(folder.error)}")
            item.setIcon(icon("warning" if folder.error else "folder", self.palette()))
            item.setToolTip(plain_tip(item.text()))
            item.setData(_FOLDER, folder.id)
            self.list.addItem(item)
        self._show_state()

    @Slot()
    def _on_remove_clicked(self) -> None:
        for item in self.list.selectedItems():
            forget = partial(self._means.knowledge.unwatch_folder, item.data(_FOLDER))
            self._start(forget)

    def _start(self, work: Callable[[], Awaitable[object]]) -> None:
        self._problem = ""
        # The store is the parent, as it outlives this window: work that was begun is completed.
        self._means.loop.run(self._means.knowledge_store, work, self._on_done, self._on_failed)

    @Slot(object)
    def _on_done(self, _nothing: object) -> None:
        self.refresh()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self.waiting.end()
        self._problem = untranslated_error(error)
        self._show_state()


@dataclass(frozen=True)
class NoteDraft:
    """The text of a note that is being written; without an `item_id` it is a new one."""

    title: str = ""
    text: str = ""
    item_id: str = ""


class NotePage(SidePage):
    """The editor of a note, saved with Ctrl+S; an unsaved draft is signalled when the page is left.

    Signals:
        saved: the `NoteDraft` to save.
        dropped: the unsaved `NoteDraft`, so that it can be restored.
    """

    saved = Signal(object)
    dropped = Signal(object)

    def __init__(self, means: ManagerContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._means = means
        self._known = NoteDraft()
        self._problem = ""
        self.name = QLineEdit(self)
        self.name.setMaxLength(200)
        self.text = QPlainTextEdit(self)
        self.text.setObjectName("lines")
        self.text.setTabChangesFocus(True)
        self.save = QPushButton(self)
        self.save.setProperty("primary", "true")
        self.column.addWidget(self.name)
        self.column.addWidget(self.text, 1)
        self.head.addWidget(self.save)
        self.save.clicked.connect(self._on_save_clicked)
        self.text.textChanged.connect(self._show_state)
        self.name.textChanged.connect(self._show_state)
        shortcut = QShortcut(QKeySequence.StandardKey.Save, self, self._on_save_clicked)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._retranslate()

    @property
    def draft(self) -> NoteDraft:
        """The current text."""
        return NoteDraft(self.name.text().strip(), self.text.toPlainText(), self._known.item_id)

    @property
    def unsaved(self) -> NoteDraft | None:
        """The unsaved draft; None where all is saved."""
        draft = self.draft
        is_lost = draft != self._known and bool(draft.text.strip())
        return replace(draft, title=draft.title or _first_line(draft.text)) if is_lost else None

    def write(self, draft: NoteDraft) -> None:
        """Start a new note, or continue a draft."""
        self._show(NoteDraft(item_id=draft.item_id), draft)
        (self.text if draft.title else self.name).setFocus()

    def edit(self, item: ItemInfo) -> None:
        """Edit a note of the base."""
        self._show(NoteDraft(), NoteDraft(item.name))
        self._known = NoteDraft(self.draft.title, item_id=item.id)
        self._show_state()
        self.text.setReadOnly(True)
        self._means.loop.run(
            self,
            partial(self._means.knowledge.note, item.id),
            partial(self._on_read, item),
            partial(self._on_failed, item),
        )
        self.text.setFocus()

    def leave(self) -> None:
        """Go back; an unsaved draft is signalled."""
        if (draft := self.unsaved) is not None:
            self.clear()
            self.dropped.emit(draft)
        super().leave()

    def clear(self) -> None:
        """Have no note."""
        self._show(NoteDraft(), NoteDraft())

    def _retranslate(self) -> None:
        super()._retranslate()
        self.name.setPlaceholderText(self.tr("Title"))
        self.name.setAccessibleName(self.tr("Title of the note"))
        self.text.setPlaceholderText(self.tr("Write or paste text. Markdown is supported."))
        self.text.setAccessibleName(self.tr("Text of the note"))
        self.save.setText(self.tr("Save"))
        self.save.setToolTip(f"{self.tr('Save')}  Ctrl+S")
        self._show_state()

    def _show(self, known: NoteDraft, draft: NoteDraft) -> None:
        self._known = known
        self._problem = ""
        self.text.setReadOnly(False)
        self.name.setText(draft.title)
        self.text.setPlainText(draft.text)
        self._show_state()

    @Slot()
    def _show_state(self) -> None:
        self.title.setText(self.tr("Note") if self._known.item_id else self.tr("New note"))
        self.save.setEnabled(self.unsaved is not None)
        self.hint.show_error(self._problem)

    def _on_read(self, item: ItemInfo, text: str) -> None:
        if self._known.item_id == item.id:
            self._show(self._known, NoteDraft(self.name.text(), text))
            # As the field normalises it (spaces, line ends): an unchanged note is not saved.
            self._known = replace(self._known, text=self.text.toPlainText())
            self._show_state()

    def _on_failed(self, item: ItemInfo, error: Exception) -> None:
        if self._known.item_id == item.id:
            self._problem = untranslated_error(error)
            self._show_state()

    @Slot()
    def _on_save_clicked(self) -> None:
        if (draft := self.unsaved) is not None:
            self.clear()
            self.saved.emit(draft)
            self.left.emit()


def _first_line(text: str) -> str:
    """Return what a note without a title is called."""
    return text.strip().splitlines()[0].lstrip("# ")[:80].strip()


_TOKENS: Final = (0, 8192)
_TOKENS_STEP: Final = 32
_PASSAGES: Final = (0, 100)
_THRESHOLD_OFF: Final = -0.05
_THRESHOLD_STEP: Final = 0.05


@dataclass(frozen=True)
class _OptionChoice:
    value: str
    text: str


class OptionsPage(SidePage):
    """Every change applies at once; an empty value means “as in the settings”.

    Signals:
        changed: the BaseInfo with the options that are wanted.
    """

    changed = Signal(object)

    def __init__(self, means: ManagerContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._means = means
        self._base: BaseInfo | None = None
        self._wanted: BaseOptions | None = None
        self._models: tuple[EmbeddingModel, ...] = ()
        self._problem = ""
        self._is_showing = False
        self.model = NoWheelComboBox(self)
        self.tokens = NoWheelSpinBox(self)
        self.tokens.setRange(*_TOKENS)
        self.tokens.setSingleStep(_TOKENS_STEP)
        self.count = NoWheelSpinBox(self)
        self.count.setRange(*_PASSAGES)
        self.threshold = NoWheelDoubleSpinBox(self)
        self.threshold.setRange(_THRESHOLD_OFF, 1.0)
        self.threshold.setSingleStep(_THRESHOLD_STEP)
        self.floor = NoWheelDoubleSpinBox(self)
        self.floor.setRange(_THRESHOLD_OFF, 1.0)
        self.floor.setSingleStep(_THRESHOLD_STEP)
        self.place = NoWheelComboBox(self)
        self.moving = label(self, "", "muted")
        self._area = QScrollArea(self)
        self._area.setWidgetResizable(True)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.column.addWidget(self._area, 1)
        for box in (self.tokens, self.count, self.threshold, self.floor):
            box.valueChanged.connect(self._on_edited)
        for choice in (self.model, self.place):
            choice.activated.connect(self._on_edited)
        self._retranslate()

    def show_base(self, base: BaseInfo) -> None:
        """Show the options of a base."""
        self._base, self._wanted = base, None
        self._problem = ""
        self._means.loop.run(self, self._means.embedders.models, self._on_models_listed, self._on_failed)
        self._fill()
        self.model.setFocus()

    def follow(self, base: BaseInfo) -> None:
        """Show what has become of the base that is shown."""
        if self._base is None or base.id != self._base.id:
            return
        if self._wanted in {None, base.options}:  # else it is from before the last change
            self._wanted = None
            if base != self._base:
                self._base = base
                self._fill()

    def give_up(self) -> None:
        """Wait for no change any more: it was not possible."""
        self._wanted = None

    def _retranslate(self) -> None:
        super()._retranslate()
        same = self.tr("Default")
        for box in (self.tokens, self.count, self.threshold, self.floor):
            box.setSpecialValueText(same)
        self._lay_out()
        self._fill()

    def _lay_out(self) -> None:
        """Build the rows again around the same controls, in the current language."""
        controls: tuple[QWidget, ...] = (
            self.model,
            self.tokens,
            self.count,
            self.threshold,
            self.floor,
            self.place,
            self.moving,
        )
        for control in controls:
            control.setParent(self)
        holder = QWidget(self._area)
        column = vbox(holder, spacing=6, margins=(0, 0, 12, 0))
        for text, help_text, control in self._rows():
            column.addWidget(make_labelled_row(text, help_text, control, holder))
            if control is self.model:
                column.addWidget(self.moving)
        column.addStretch(1)
        self._area.setWidget(holder)

    def _rows(self) -> tuple[tuple[str, str, QAbstractSpinBox | QComboBox], ...]:
        return (
            (
                self.tr("Embedding model"),
                self.tr(
                    "Used to search by meaning. After a change, passages are indexed again in the background."
                ),
                self.model,
            ),
            (
                self.tr("Passage length"),
                self.tr("In tokens. Applies to new files; choose “Read all again” for the rest."),
                self.tokens,
            ),
            (
                self.tr("Passages per question"),
                self.tr("The maximum number of passages sent from this knowledge base."),
                self.count,
            ),
            (
                self.tr("Minimum score"),
                self.tr("The reranker score a passage needs, from 0 to 1."),
                self.threshold,
            ),
            (
                self.tr("Minimum relevance"),
                self.tr("Without a reranker: the share of the best score a passage needs. 0 keeps all."),
                self.floor,
            ),
            (
                self.tr("Index location"),
                self.tr("This computer, or a Chroma server from Settings > Knowledge."),
                self.place,
            ),
        )

    def _fill(self) -> None:
        base = self._base
        if base is None:
            return
        self._is_showing = True
        self.title.setText(self.tr("Settings of “{base}”").format(base=base.name))
        _offer(self.model, self._model_choices(), base.options.model)
        _offer(self.place, self._place_choices(), base.options.place)
        self.tokens.setValue(base.options.passage_tokens)
        self.count.setValue(base.options.passage_count)
        threshold = base.options.threshold
        self.threshold.setValue(_THRESHOLD_OFF if threshold is None else threshold)
        floor = base.options.floor
        self.floor.setValue(_THRESHOLD_OFF if floor is None else floor)
        self._is_showing = False
        wanted = base.options.model or self._means.store.settings.knowledge.embedding_model
        words = self.tr("Indexing with “{new}”. “{old}” is used until it is finished.")
        self.moving.setText(words.format(new=self._name(wanted), old=self._name(base.model)))
        self.moving.setVisible(base.passages > 0 and wanted != base.model)
        self.hint.show_error(self._problem)

    def _model_choices(self) -> list[_OptionChoice]:
        setting = self._name(self._means.store.settings.knowledge.embedding_model)
        same = _OptionChoice("", self.tr("Default: {name}").format(name=setting))
        usable = (model for model in self._models if model.is_here)
        return [same, *(_OptionChoice(model.id, model.name) for model in usable)]

    def _place_choices(self) -> list[_OptionChoice]:
        servers = self._means.store.settings.knowledge.chroma_servers
        return [
            _OptionChoice("", self.tr("This computer")),
            *(_OptionChoice(server.id, server.name) for server in servers),
        ]

    def _name(self, model_id: str) -> str:
        return next((model.name for model in self._models if model.id == model_id), model_id)

    @Slot(object)
    def _on_models_listed(self, models: tuple[EmbeddingModel, ...]) -> None:
        self._models = models
        self._fill()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._problem = untranslated_error(error)
        self._fill()

    @Slot()
    def _on_edited(self) -> None:
        if self._is_showing or self._base is None:
            return
        options = replace(
            self._base.options,
            model=_current_data(self.model),
            passage_tokens=self.tokens.value(),
            passage_count=self.count.value(),
            threshold=_share(self.threshold),
            floor=_share(self.floor),
            place=_current_data(self.place),
        )
        if options != self._base.options:
            self._wanted = options
            self._base = replace(self._base, options=options)
            self.changed.emit(self._base)


def _offer(box: QComboBox, choices: list[_OptionChoice], value: str) -> None:
    """Offer choices; a value that is no longer among them is shown as it is."""
    if value not in [choice.value for choice in choices]:
        choices = [*choices, _OptionChoice(value, value)]
    box.clear()
    for choice in choices:
        box.addItem(choice.text, choice.value)
    box.setCurrentIndex([choice.value for choice in choices].index(value))


def _share(box: QDoubleSpinBox) -> float | None:
    """Return a share; None where the settings decide."""
    return None if box.value() < 0 else round(box.value(), 2)


def _current_data(box: QComboBox) -> str:
    value: Any = box.currentData()
    return str(value or "")
