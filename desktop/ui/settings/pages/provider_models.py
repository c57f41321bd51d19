"""The models of one provider in the settings, and the editor of what each can do, holds and costs."""

from dataclasses import replace
from typing import TypeVar

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QFormLayout,
    QPushButton,
    QWidget,
)

from desktop.domain.models import NO_FACTS, Ability, ModelFacts, ModelInfo, Price
from desktop.settings.model import OwnFacts, ProviderSettings
from desktop.ui.stores.catalogue import CatalogueStore
from desktop.ui.widgets.labels import SIGNS, ability_name, format_price, tags_of
from desktop.ui.widgets.layout import (
    NoWheelComboBox,
    NoWheelDoubleSpinBox,
    NoWheelSpinBox,
    WrappingRow,
    hbox,
    label,
    vbox,
)

_MOST_TOKENS = 10_000_000
_MOST_MONEY = 10_000.0
_STEP_TOKENS = 1_024
_WIDTH = 180
_MARGIN = 7

_Box = TypeVar("_Box", bound=QAbstractSpinBox)


class ModelEditor(QWidget):
    """Shows the facts about a model from any origin; a change overrides them.

    Signals:
        changed: the `ModelFacts` that the user has set; empty once they are reset.
    """

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._own = NO_FACTS
        self._shown = NO_FACTS
        self.context = self._tokens(_STEP_TOKENS)
        self.output = self._tokens(_STEP_TOKENS)
        self.price_in, self.price_out = self._money(), self._money()
        self.currency = NoWheelComboBox(self)
        self.currency.addItems(list(SIGNS))
        self.abilities = {ability: QCheckBox(ability_name(ability), self) for ability in Ability}
        self.reset = QPushButton(self.tr("Reset to detected values"), self)
        self.reset.setProperty("flat", "true")
        self.reset.setToolTip(self.tr("Reset to detected values"))
        self.reset.hide()
        self._lay_out()
        self._connect()

    def show_facts(self, shown: ModelFacts, own: ModelFacts) -> None:
        """Show the effective facts; `own` is the part that the user has set."""
        if (shown, own) == (self._shown, self._own):
            return  # what is being typed stays
        self._shown, self._own = shown, own
        price = shown.price or Price(0.0, 0.0)
        self.context.setValue(shown.context_tokens or 0)
        self.output.setValue(shown.output_tokens or 0)
        self.price_in.setValue(price.input)
        self.price_out.setValue(price.output)
        self.currency.setCurrentText(price.currency)
        for ability, check in self.abilities.items():
            check.setChecked(ability in shown.has)
        self.reset.setVisible(own != NO_FACTS)

    def _tokens(self, step: int) -> NoWheelSpinBox:
        box = NoWheelSpinBox(self)
        box.setRange(0, _MOST_TOKENS)
        box.setSingleStep(step)
        box.setGroupSeparatorShown(True)
        box.setSpecialValueText(self.tr("Unknown"))
        box.setSuffix(self.tr(" tokens"))
        return _narrow(box)

    def _money(self) -> NoWheelDoubleSpinBox:
        box = NoWheelDoubleSpinBox(self)
        box.setRange(0.0, _MOST_MONEY)
        box.setDecimals(3)
        box.setSpecialValueText(self.tr("Unknown"))
        return _narrow(box)

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(14)
        form.setVerticalSpacing(8)
        prices = hbox(spacing=6)
        for box in (self.price_in, self.price_out, self.currency):
            prices.addWidget(box)
        prices.addStretch(1)
        for text, field in (
            (self.tr("Context length"), self.context),
            (self.tr("Maximum answer length"), self.output),
        ):
            field.setAccessibleName(text)
            form.addRow(text, field)
        self.price_in.setAccessibleName(self.tr("Price per million input tokens"))
        self.price_out.setAccessibleName(self.tr("Price per million output tokens"))
        self.currency.setAccessibleName(self.tr("Currency"))
        for box in (self.price_in, self.price_out):
            box.setToolTip(box.accessibleName())
        form.addRow(self.tr("Per million, input and output"), prices)
        checks = WrappingRow(spacing=14)
        for check in self.abilities.values():
            checks.addWidget(check)
        column = vbox(self, spacing=8)
        column.addLayout(form)
        column.addLayout(checks)
        row = hbox()
        row.addWidget(self.reset)
        row.addStretch(1)
        column.addLayout(row)

    def _connect(self) -> None:
        for box in (self.context, self.output, self.price_in, self.price_out):
            box.editingFinished.connect(self._on_edited)
        self.currency.activated.connect(self._on_edited)
        for check in self.abilities.values():
            check.clicked.connect(self._on_edited)
        self.reset.clicked.connect(self._on_reset_clicked)

    @Slot()
    def _on_edited(self) -> None:
        own = self._read_facts()
        if own != self._own:
            self._own = own
            self.changed.emit(own)

    @Slot()
    def _on_reset_clicked(self) -> None:
        self.changed.emit(NO_FACTS)

    def _read_facts(self) -> ModelFacts:
        """Return the user's facts: those from before and what differs from what was shown."""
        own, shown = self._own, self._shown
        if (context := self.context.value()) != (shown.context_tokens or 0):
            own = replace(own, context_tokens=context or None)
        if (output := self.output.value()) != (shown.output_tokens or 0):
            own = replace(own, output_tokens=output or None)
        price = Price(self.price_in.value(), self.price_out.value(), self.currency.currentText())
        before = shown.price or Price(0.0, 0.0)
        if price != replace(before, cached=None):
            own = replace(own, price=price if price.input or price.output else None)
        turned = {
            ability: check.isChecked()
            for ability, check in self.abilities.items()
            if check.isChecked() != (ability in shown.has)
        }
        says = {**dict.fromkeys(own.has, True), **dict.fromkeys(own.lacks, False), **turned}
        return replace(
            own,
            has=tuple(sorted(ability for ability, is_there in says.items() if is_there)),
            lacks=tuple(sorted(ability for ability, is_there in says.items() if not is_there)),
        )


def _narrow(box: _Box) -> _Box:
    """Return a box as wide as its numbers; without buttons the style leaves their text no margin."""
    box.setMaximumWidth(_WIDTH)
    box.lineEdit().setTextMargins(_MARGIN, 0, _MARGIN, 0)
    return box


class ModelPanel(QWidget):
    """The models of a provider, collapsed at first, as most models need no settings.

    Signals:
        changed: the facts that the user has set (tuple of `OwnFacts`).
    """

    changed = Signal(object)

    def __init__(
        self, provider: ProviderSettings, catalogue: CatalogueStore, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._provider = provider
        self._models: tuple[ModelInfo, ...] = ()
        self.unfold = QPushButton(self)
        self.unfold.setProperty("flat", "true")
        self.unfold.setCheckable(True)
        self._body = QWidget(self)
        self.choice = NoWheelComboBox(self._body)
        self.choice.setAccessibleName(self.tr("Model"))
        self.summary = label(self._body, "", "muted", "small")
        self.editor = ModelEditor(self._body)
        column = vbox(self, spacing=6)
        row = hbox()
        row.addWidget(self.unfold)
        row.addStretch(1)
        column.addLayout(row)
        inner = vbox(self._body, spacing=8)
        for widget in (self.choice, self.summary, self.editor):
            inner.addWidget(widget)
        column.addWidget(self._body)
        self._body.hide()
        self.unfold.toggled.connect(self._body.setVisible)
        self.unfold.toggled.connect(self._show_unfold)
        self.choice.currentIndexChanged.connect(self._show)
        self.editor.changed.connect(self._on_changed)
        catalogue.models_listed.connect(self._on_listed)
        self._on_listed(catalogue.models)

    def use(self, provider: ProviderSettings) -> None:
        """Use the changed provider."""
        self._provider = provider
        self._show()

    @Slot(object)
    def _on_listed(self, models: tuple[ModelInfo, ...]) -> None:
        prefix = f"{self._provider.id}/"
        chosen = self.choice.currentData()
        self._models = tuple(model for model in models if model.id.startswith(prefix))
        self.choice.blockSignals(True)
        self.choice.clear()
        for model in self._models:
            self.choice.addItem(model.name, model.id)
        self.choice.setCurrentIndex(max(0, self.choice.findData(chosen)))
        self.choice.blockSignals(False)
        self.setVisible(bool(self._models))
        self._show_unfold()
        self._show()

    @Slot()
    def _show_unfold(self) -> None:
        count = len(self._models)
        self.unfold.setText(
            self.tr("Hide details of %n model(s)", None, count)
            if self.unfold.isChecked()
            else self.tr("Show details of %n model(s)", None, count)
        )

    @Slot()
    def _show(self) -> None:
        model = next((model for model in self._models if model.id == self.choice.currentData()), None)
        if model is None:
            return
        own = next((own.facts for own in self._provider.facts if own.id == self._name), NO_FACTS)
        facts = own.over(model.facts)
        self.editor.show_facts(facts, own)
        price = (format_price(facts.price),) if facts.price else ()
        self.summary.setText(
            " · ".join((*tags_of(facts), *price))
            or self.tr("The server provides no details about this model.")
        )

    @property
    def _name(self) -> str:
        return str(self.choice.currentData()).removeprefix(f"{self._provider.id}/")

    @Slot(object)
    def _on_changed(self, facts: ModelFacts) -> None:
        others = tuple(own for own in self._provider.facts if own.id != self._name)
        said = (OwnFacts(self._name, facts),) if facts != NO_FACTS else ()
        self._provider = replace(self._provider, facts=(*others, *said))
        self.changed.emit(self._provider.facts)
