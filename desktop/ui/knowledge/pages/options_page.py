"""What a base does in its own way: how it is read, searched, and where its vectors are."""

from dataclasses import dataclass, replace
from typing import Any, Final

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QDoubleSpinBox, QScrollArea, QWidget

from desktop.domain.knowledge import BaseInfo, BaseOptions, EmbeddingModel
from desktop.ui.knowledge.manager_controller import ManagerContext
from desktop.ui.knowledge.pages.page import SidePage
from desktop.ui.labels.common import untranslated_error
from desktop.ui.settings.rows import make_labelled_row
from desktop.ui.widgets.layout import (
    NoWheelComboBox,
    NoWheelDoubleSpinBox,
    NoWheelSpinBox,
    label,
    vbox,
)

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
        self.retranslate()

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

    def retranslate(self) -> None:
        """Show all texts in the current language."""
        super().retranslate()
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
            model=_chosen(self.model),
            passage_tokens=self.tokens.value(),
            passage_count=self.count.value(),
            threshold=_share(self.threshold),
            floor=_share(self.floor),
            place=_chosen(self.place),
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


def _chosen(box: QComboBox) -> str:
    value: Any = box.currentData()
    return str(value or "")
