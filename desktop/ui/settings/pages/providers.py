"""The providers of models in the settings: a list that says which of them work, and the selected one beside it."""

import itertools
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import replace
from enum import Enum
from functools import partial

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QFormLayout,
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QWidget,
)

from desktop.domain.models import QUOTES_MODEL, ModelInfo
from desktop.settings.model import OwnFacts, ProviderSettings
from desktop.settings.secrets import MOST_KEYS
from desktop.ui.links import open_link, refusal_message
from desktop.ui.settings.controls import SecretField, TestButton
from desktop.ui.settings.pages.provider_models import ModelPanel
from desktop.ui.settings.record_cards import RecordList
from desktop.ui.settings.rows import SettingsContext
from desktop.ui.widgets.access_keys import add_access_keys
from desktop.ui.widgets.colors import DARK, LIGHT, is_dark
from desktop.ui.widgets.item_views import TAGS_ROLE, TagDelegate
from desktop.ui.widgets.layout import NoWheelComboBox, hbox, label, vbox
from desktop.ui.widgets.notice_bar import Notice, StatusLabel, undo_notice

_MODELS_NAMED = 6
_LIST_WIDTH = 210
_LEAST_BESIDE = 560
"""The width from which the list stands beside the selected provider."""

_MOST_ROWS = 5
"""Rows of a list that stands above the selected provider."""

_NO_LIMIT = 16_777_215
"""The largest size of a widget (QWIDGETSIZE_MAX)."""

_DOT = 8
_ID = Qt.ItemDataRole.UserRole
_PROTOCOLS = (
    ("openai", "OpenAI Chat Completions"),
    ("openai-responses", "OpenAI Responses"),
    ("anthropic", "Anthropic Messages"),
)


class ProviderState(Enum):
    """What is known about a provider."""

    WORKS = "works"
    FAILED = "failed"
    OFF = "off"
    UNKNOWN = "unknown"


class ProviderCard(QFrame):
    """Edits one provider in place; every change applies at once.

    Signals:
        edited: the changed provider.
        rekeyed: id of the provider whose key has changed.
        removed: id of the provider that the user removes.
        tested: id of the provider, and whether it works.
    """

    edited = Signal(object)
    rekeyed = Signal(str)
    removed = Signal(str)
    tested = Signal(str, bool)

    def __init__(
        self, provider: ProviderSettings, context: SettingsContext, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self._context = context
        self.provider = provider
        self.enabled = QCheckBox(self.tr("On"), self)
        self.name = QLineEdit(provider.name, self)
        self.address = QLineEdit(provider.base_url, self)
        self.models = QLineEdit(", ".join(provider.models), self)
        self.key = SecretField(f"provider/{provider.id}", context, self)
        self._key_page_row = QWidget(self)
        self.key_page = QPushButton(self.tr("Get an API key"), self._key_page_row)
        self.key_page.setProperty("flat", "true")
        self.protocol = NoWheelComboBox(self)
        self.facts = ModelPanel(provider, context.catalogue, self)
        self.test = TestButton(self._prepare_test, self._tell_models, context.loop, self)
        self._problem = StatusLabel(self, "danger")
        self._lay_out()
        self._connect()

    def focus(self) -> None:
        """Focus the first field that has no value yet."""
        (self.key if self.provider.needs_key else self.address).setFocus()

    def _lay_out(self) -> None:
        column = vbox(self, spacing=10, margins=(16, 12, 16, 12))
        top = hbox(spacing=10)
        remove = QPushButton(self.tr("Remove"), self)
        remove.setProperty("flat", "true")
        remove.clicked.connect(self._on_remove_clicked)
        self.enabled.setChecked(self.provider.is_enabled)
        top.addWidget(label(self, self.provider.name, "heading"), 1)
        top.addWidget(self.enabled)
        top.addWidget(remove)
        column.addLayout(top)
        row = hbox(self._key_page_row)
        row.addWidget(self.key_page)
        row.addStretch(1)
        self._form = form = QFormLayout()
        form.setHorizontalSpacing(14)
        form.setVerticalSpacing(8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self.models.setPlaceholderText(self.tr("If the server lists none"))
        self.key.setToolTip(
            self.tr(
                "Separate several keys with commas, at most {count}. If one is refused, the next is used."
            ).format(count=MOST_KEYS)
        )
        for kind, text in _PROTOCOLS:
            self.protocol.addItem(text, kind)
        self.protocol.setSizeAdjustPolicy(
            NoWheelComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.protocol.setCurrentIndex(self.protocol.findData(self.provider.kind))
        for text, field in (
            (self.tr("Name"), self.name),
            (self.tr("Address"), self.address),
            (self.tr("Protocol"), self.protocol),
            (self.tr("API key"), self.key),
            (self.tr("Models"), self.models),
        ):
            field.setAccessibleName(text)
            form.addRow(text, field)
            form.labelForField(field).setMinimumHeight(field.sizeHint().height())  # beside its middle
            if field is self.key:
                form.addRow("", self._key_page_row)
        column.addLayout(form)
        self._show_key_page()
        column.addWidget(self.facts)
        column.addWidget(self.test)
        column.addWidget(self._problem)

    def _connect(self) -> None:
        self.enabled.toggled.connect(self._on_enabled_toggled)
        for edit in (self.name, self.address, self.models):
            edit.editingFinished.connect(self._on_edited)
        self.protocol.activated.connect(self._on_protocol_picked)
        self.facts.changed.connect(self._on_facts_changed)
        self.key.entered.connect(self._on_key_entered)
        self.key.failed.connect(self._problem.show_error)
        self.key_page.clicked.connect(self._on_key_page_asked)
        self.test.succeeded.connect(self._on_test_succeeded)
        self.test.failed.connect(self._on_test_failed)

    def _prepare_test(self) -> Callable[[], Awaitable[object]]:
        return partial(self._context.preferences.test_provider, self.provider, self.key.unsaved)

    def _tell_models(self, result: object) -> str:
        names = [str(name) for name in result] if isinstance(result, tuple) else []
        if not names:
            return self.tr("Connected, but the server lists no models. Enter their names under Models.")
        shown = ", ".join(names[:_MODELS_NAMED])
        more = len(names) - _MODELS_NAMED
        if more > 0:
            return self.tr("Connected. {models} and {count} more").format(models=shown, count=more)
        return self.tr("Connected. {models}").format(models=shown)

    def _show_key_page(self) -> None:
        address = self._context.preferences.key_page(self.provider)
        self.key_page.setToolTip(address)
        self._form.setRowVisible(self._key_page_row, bool(address))

    @Slot()
    def _on_key_page_asked(self) -> None:
        address = self._context.preferences.key_page(self.provider)
        self._problem.setText("" if open_link(address) else refusal_message(address))

    @Slot()
    def _on_key_entered(self) -> None:
        self.test.forget()
        self.rekeyed.emit(self.provider.id)

    def _change(self, provider: ProviderSettings) -> None:
        if _is_elsewhere(self.provider, provider):
            self.test.forget()
        self.provider = provider
        self._show_key_page()
        self.facts.use(provider)
        self.edited.emit(provider)

    @Slot(bool)
    def _on_enabled_toggled(self, is_on: bool) -> None:
        self._change(replace(self.provider, is_enabled=is_on))

    @Slot()
    def _on_protocol_picked(self) -> None:
        self._change(replace(self.provider, kind=self.protocol.currentData()))

    @Slot(object)
    def _on_facts_changed(self, facts: tuple[OwnFacts, ...]) -> None:
        self._change(replace(self.provider, facts=facts))

    @Slot()
    def _on_edited(self) -> None:
        names = (name.strip() for name in self.models.text().split(","))
        self._change(
            replace(
                self.provider,
                name=self.name.text().strip() or self.provider.name,
                base_url=self.address.text().strip(),
                models=tuple(name for name in names if name),
            )
        )

    @Slot()
    def _on_test_succeeded(self) -> None:
        self.tested.emit(self.provider.id, True)

    @Slot()
    def _on_test_failed(self) -> None:
        self.tested.emit(self.provider.id, False)

    @Slot()
    def _on_remove_clicked(self) -> None:
        self.removed.emit(self.provider.id)


class ProviderList(RecordList):
    """A list of the providers, and the card of the selected one beside it, or below it where that is narrow."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__("providers", context, parent)
        self._tested: dict[str, bool] = {}
        self.list = QListWidget(self)
        self.list.setObjectName("records")
        self.list.setItemDelegate(TagDelegate(self.list))
        self.list.setIconSize(QSize(_DOT, _DOT))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.body.insertWidget(0, self.list)
        self.list.currentItemChanged.connect(self._on_selected)
        self.changed.connect(self._show_states)
        context.catalogue.models_listed.connect(self._show_states)
        self._found: tuple[ProviderSettings, ...] = ()
        self._offers = vbox(spacing=6)
        self.add = QPushButton(self)
        self.add.setMenu(add_access_keys(QMenu(self.add)))
        self.add.menu().aboutToShow.connect(self._fill_menu)
        self.column.insertLayout(self.column.count() - 1, self._offers)
        self.buttons.addWidget(self.add)
        self.fill()
        self._look_around()

    def make_card(self, record: ProviderSettings) -> ProviderCard:
        """Return the card of a provider."""
        return ProviderCard(record, self._context, self)

    @Slot(object)
    def replace_record(self, record: ProviderSettings) -> None:
        """Apply a changed provider; with another address or protocol it is not known whether it works."""
        before = next((each for each in self.records if each.id == record.id), record)
        if _is_elsewhere(before, record):
            self._tested.pop(record.id, None)
        super().replace_record(record)

    def secrets_of(self, record: ProviderSettings) -> Iterable[str]:
        """Return the name of the key of a provider."""
        return (f"provider/{record.id}",)

    def add_provider(self, provider: ProviderSettings) -> None:
        """Add a provider; a number is appended to an id that exists already."""
        self.forget_removed()  # its id may be that of the new one, which is not to be sent its key
        taken = {other.id for other in self.records}
        new_id = next(name for name in _number_names(provider.id) if name not in taken)
        added = replace(provider, id=new_id, is_enabled=True)
        self.apply((*self.records, added))
        self.fill()
        self.list.setCurrentRow(self.list.count() - 1)
        self.cards[-1].focus()

    @Slot()
    def fill(self) -> None:
        """Make the list and the cards anew, and the offers of providers that are not among them."""
        item: QListWidgetItem | None = self.list.currentItem()
        selected = item.data(_ID) if item is not None else ""
        super().fill()
        self.list.blockSignals(True)
        self.list.clear()
        for card in self.cards:
            item = QListWidgetItem(self.list)
            item.setData(_ID, card.provider.id)
            card.tested.connect(self._on_tested)
            card.rekeyed.connect(self._on_rekeyed)
            card.test.succeeded.connect(partial(self._on_listed, card))
        ids = [card.provider.id for card in self.cards]
        self.list.setCurrentRow(ids.index(selected) if selected in ids else min(0, len(ids) - 1))
        self.list.blockSignals(False)
        self.list.setVisible(bool(self.cards))
        self._show_states()
        self._on_selected()
        self._fit()
        self._fill_offers()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the list beside the selected provider, or above it."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Follow language and theme."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.PaletteChange, QEvent.Type.LanguageChange}:
            self._show_states()

    def minimumSizeHint(self) -> QSize:
        """Return the width of a card alone: in a narrow page, the list stands above it."""
        least = super().minimumSizeHint()
        cards = (card.minimumSizeHint().width() for card in self.cards if not card.isHidden())
        return QSize(max(cards, default=least.width()), least.height())

    def _fit(self) -> None:
        cards = (card.minimumSizeHint().width() for card in self.cards if not card.isHidden())
        is_beside = self.width() >= max(
            _LEAST_BESIDE, max(cards, default=0) + _LIST_WIDTH + self.body.spacing()
        )
        directions = QBoxLayout.Direction
        self.body.setDirection(directions.LeftToRight if is_beside else directions.TopToBottom)
        rows = max(1, min(self.list.count(), _MOST_ROWS))
        height = max(self.list.sizeHintForRow(0), 1) * rows + 2 * self.list.frameWidth() + 10
        self.list.setMinimumHeight(height)
        self.list.setMaximumHeight(_NO_LIMIT if is_beside else height)
        self.list.setMinimumWidth(_LIST_WIDTH if is_beside else 0)
        self.list.setMaximumWidth(_LIST_WIDTH if is_beside else _NO_LIMIT)

    def _state_of(self, provider: ProviderSettings) -> ProviderState:
        """Return the outcome of the last test, or whether the server listed models that the user did not name."""
        if not provider.is_enabled:
            return ProviderState.OFF
        if provider.id in self._tested:
            return ProviderState.WORKS if self._tested[provider.id] else ProviderState.FAILED
        models: tuple[ModelInfo, ...] = self._context.catalogue.models
        named = {f"{provider.id}/{name}" for name in provider.models}
        is_listed = any(each.id.startswith(f"{provider.id}/") and each.id not in named for each in models)
        return ProviderState.WORKS if is_listed else ProviderState.UNKNOWN

    @Slot()
    def _show_states(self) -> None:
        words = {
            ProviderState.WORKS: self.tr("Works"),
            ProviderState.FAILED: self.tr("Doesn’t work"),
            ProviderState.OFF: self.tr("Off"),
            ProviderState.UNKNOWN: self.tr("Not tested"),
        }
        for at, card in enumerate(self.cards):
            item: QListWidgetItem | None = self.list.item(at)
            if item is None:
                return  # it is being filled
            state = self._state_of(card.provider)
            item.setText(card.provider.name)
            item.setData(TAGS_ROLE, words[state])
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{card.provider.name}, {words[state]}")
            item.setIcon(_dot(state, self.palette(), self.devicePixelRatioF()))

    @Slot()
    def _on_selected(self) -> None:
        at = self.list.currentRow()
        for number, card in enumerate(self.cards):
            card.setVisible(number == at)

    @Slot(str, bool)
    def _on_tested(self, provider_id: str, works: bool) -> None:
        self._tested[provider_id] = works
        self._show_states()

    @Slot(str)
    def _on_rekeyed(self, provider_id: str) -> None:
        self._tested.pop(provider_id, None)
        self._show_states()

    def _on_listed(self, card: ProviderCard, names: tuple[str, ...]) -> None:
        """Let the only model of a server answer, where there is none but Quotes; of several, the user chooses one."""
        chat = self._context.store.settings.chat
        if chat.model == QUOTES_MODEL and len(names) > 1:
            words = self.tr("New chats are still answered by Quotes. Choose a model below the message.")
            self.notices.say(Notice(words, is_lasting=True))
        if chat.model == QUOTES_MODEL and len(names) == 1:
            model = f"{card.provider.id}/{names[0]}"
            self._choose(model)
            words = self.tr("New chats are answered by “{model}”.").format(model=names[0])
            self.notices.say(undo_notice(words, partial(self._undo_choice, model)))

    def _undo_choice(self, model: str) -> None:
        if self._context.store.settings.chat.model == model:  # or the user has chosen another one since
            self._choose(QUOTES_MODEL)

    def _choose(self, model: str) -> None:
        settings = self._context.store.settings
        self._context.store.apply(replace(settings, chat=replace(settings.chat, model=model)))

    def _retranslate(self) -> None:
        super()._retranslate()
        self.list.setAccessibleName(self.tr("Providers"))
        self.add.setText(self.tr("Add provider"))
        self.empty.setText(
            self.tr(
                "No providers yet. Add one to get written answers, or start Ollama, LM Studio or llama.cpp."
            )
        )

    def _look_around(self) -> None:
        self._context.loop.run(self, self._context.preferences.local_providers, self._on_found)

    def _fill_offers(self) -> None:
        while (item := self._offers.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        known = {provider.base_url for provider in self.records}
        for provider in self._found:
            if provider.base_url not in known:
                self._offers.addWidget(self._offer(provider))

    def _offer(self, provider: ProviderSettings) -> QWidget:
        holder = QWidget(self)
        row = hbox(holder)
        text = self.tr("{provider} is running on this computer.").format(provider=provider.name)
        row.addWidget(label(holder, text, "muted"), 1)
        use = QPushButton(self.tr("Use {provider}").format(provider=provider.name), holder)
        use.clicked.connect(partial(self._on_preset_picked, provider))
        row.addWidget(use)
        return holder

    @Slot()
    def _fill_menu(self) -> None:
        menu = self.add.menu()
        menu.clear()
        presets = self._context.preferences.presets
        for heading, needs_key in ((self.tr("With an API key"), True), (self.tr("On this computer"), False)):
            menu.addAction(heading).setEnabled(False)  # styles do not draw the text of a section
            for preset in presets:
                if preset.needs_key == needs_key:
                    menu.addAction(preset.name).triggered.connect(partial(self._on_preset_picked, preset))
        menu.addSeparator()
        other = ProviderSettings("custom", self.tr("Other server"), "openai", "http://127.0.0.1:8080/v1")
        text = self.tr("Other server (OpenAI-compatible)")
        menu.addAction(text).triggered.connect(partial(self._on_preset_picked, other))

    def _on_preset_picked(self, preset: ProviderSettings, _checked: bool = False) -> None:
        self.add_provider(preset)

    @Slot(object)
    def _on_found(self, providers: tuple[ProviderSettings, ...]) -> None:
        self._found = providers
        self._fill_offers()


def _is_elsewhere(before: ProviderSettings, after: ProviderSettings) -> bool:
    """Return whether a changed provider is another server, or speaks another protocol."""
    return (before.base_url, before.kind) != (after.base_url, after.kind)


def _dot(state: ProviderState, palette: QPalette, scale: float) -> QIcon:
    """Return a dot in the colour of a state; words beside it say the same."""
    colours = DARK if is_dark(palette) else LIGHT
    colour = {ProviderState.WORKS: colours.success, ProviderState.FAILED: colours.danger}
    image = QPixmap(QSize(_DOT, _DOT) * scale)
    image.setDevicePixelRatio(scale)
    image.fill(Qt.GlobalColor.transparent)
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour.get(state, colours.edge)))
        painter.drawEllipse(0, 0, _DOT, _DOT)
    result = QIcon(image)
    result.addPixmap(image, QIcon.Mode.Selected)
    return result


def _number_names(name: str) -> Iterator[str]:
    yield name
    for number in itertools.count(2):
        yield f"{name}-{number}"
