"""Settings of the models that answer, and of the providers that offer them."""

import itertools
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QCoreApplication, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QFormLayout, QFrame, QLineEdit, QMenu, QPushButton, QWidget

from desktop.settings.model import ALWAYS, BY_WORDS, ON_REQUEST, OwnFacts, ProviderSettings
from desktop.ui.labels.common import error_message, keyring_warning, model_name
from desktop.ui.settings.controls import SecretField, TestButton
from desktop.ui.settings.pages.local_models import LocalModelPanel
from desktop.ui.settings.pages.provider_models import ModelPanel
from desktop.ui.settings.record_cards import RecordList
from desktop.ui.settings.rows import (
    Choice,
    HeadingRow,
    Number,
    Panel,
    Paragraph,
    SettingsContext,
    SettingsPageWidget,
    SettingsRow,
    Toggle,
)
from desktop.ui.widgets.layout import NoWheelComboBox, hbox, label, vbox

_MODELS_NAMED = 6
_PROTOCOLS = (
    ("openai", "OpenAI Chat Completions"),
    ("openai-responses", "OpenAI Responses"),
    ("anthropic", "Anthropic Messages"),
)


class ProviderCard(QFrame):
    """Edits one provider in place; every change applies at once.

    Signals:
        edited: the changed provider.
        removed: id of the provider that the user removes.
    """

    edited = Signal(object)
    removed = Signal(str)

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
        self.protocol = NoWheelComboBox(self)
        self.facts = ModelPanel(provider, context.catalogue, self)
        self.test = TestButton(self._prepare_test, self._tell_models, context.loop, self)
        self._problem = label(self, "", "danger")
        self._problem.hide()
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
        form = QFormLayout()
        form.setHorizontalSpacing(14)
        form.setVerticalSpacing(8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        self.models.setPlaceholderText(self.tr("Model names, if the server doesn’t list them"))
        self.key.setToolTip(
            self.tr("Separate several keys with commas. If one is refused, the next is used.")
        )
        for kind, text in _PROTOCOLS:
            self.protocol.addItem(text, kind)
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
        column.addLayout(form)
        column.addWidget(self.facts)
        column.addWidget(self.test)
        column.addWidget(self._problem)

    def _connect(self) -> None:
        self.enabled.toggled.connect(self._on_enabled_toggled)
        for edit in (self.name, self.address, self.models):
            edit.editingFinished.connect(self._on_edited)
        self.protocol.activated.connect(self._on_protocol_picked)
        self.facts.changed.connect(self._on_facts_changed)
        self.key.failed.connect(self._on_key_failed)

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

    def _change(self, provider: ProviderSettings) -> None:
        self.provider = provider
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
    def _on_remove_clicked(self) -> None:
        self.removed.emit(self.provider.id)

    @Slot(object)
    def _on_key_failed(self, error: Exception) -> None:
        self._problem.setText(error_message(error))
        self._problem.show()


class ProviderList(RecordList):
    """One card per provider."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__("providers", context, parent)
        self._found: tuple[ProviderSettings, ...] = ()
        self._offers = vbox(spacing=6)
        self.add = QPushButton(self)
        self.add.setMenu(QMenu(self.add))
        self.add.menu().aboutToShow.connect(self._fill_menu)
        self.column.insertLayout(self.column.count() - 1, self._offers)
        self.buttons.insertWidget(0, self.add)
        self.fill()
        self._look_around()

    def make_card(self, record: ProviderSettings) -> ProviderCard:
        """Return the card of a provider."""
        return ProviderCard(record, self._context, self)

    def secrets_of(self, record: ProviderSettings) -> Iterable[str]:
        """Return the name of the key of a provider."""
        return (f"provider/{record.id}",)

    def add_provider(self, provider: ProviderSettings) -> None:
        """Add a provider; a number is appended to an id that exists already."""
        self.forget_removed()  # its id may be that of the new one, which is not to be sent its key
        taken = {other.id for other in self.records}
        new_id = next(name for name in _numbered(provider.id) if name not in taken)
        added = replace(provider, id=new_id, is_enabled=True)
        self.apply((*self.records, added))
        self.fill()
        self.cards[-1].focus()

    @Slot()
    def fill(self) -> None:
        """Make the cards anew, and the offers of providers that are not among them."""
        super().fill()
        self._fill_offers()

    def _retranslate(self) -> None:
        super()._retranslate()
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
        for preset in self._context.preferences.presets:
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


def _numbered(name: str) -> Iterator[str]:
    yield name
    for number in itertools.count(2):
        yield f"{name}-{number}"


def _title() -> str:
    return QCoreApplication.translate("models_page", "Models")


def _rows(context: SettingsContext) -> Sequence[SettingsRow]:
    return (
        *_warning(context),
        *_local_models(),
        *_providers(context),
        *_answers(context),
        *_citations(),
    )


def _warning(context: SettingsContext) -> Sequence[SettingsRow]:
    if not context.preferences.keyring_problem:  # what exactly is wrong is for the doctor to tell
        return ()
    return (Paragraph(keyring_warning(), ("danger",)),)


def _local_models() -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    return (
        HeadingRow(
            translate("models_page", "On this computer"),
            translate(
                "models_page",
                "Models that Footnote downloads and runs itself. Questions, files and answers stay on this computer.",
            ),
        ),
        Panel(
            LocalModelPanel,
            (translate("models_page", "Download a language model"), "llama.cpp", "GGUF", "Qwen"),
        ),
        Number(
            translate("models_page", "Keep a model in memory"),
            (1, 1_440),
            "local_models.idle_minutes",
            translate("models_page", "After the last answer. The next question loads it again."),
            translate("models_page", " min"),
        ),
    )


def _providers(context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    return (
        HeadingRow(
            translate("models_page", "Providers"),
            translate("models_page", "Services and servers that run language models."),
        ),
        Panel(
            ProviderList,
            (
                translate("models_page", "API keys and addresses"),
                *(preset.name for preset in context.preferences.presets),
            ),
        ),
    )


def _answers(context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    models = context.catalogue.models
    same = ("", translate("models_page", "Same as chat model"))
    return (
        HeadingRow(translate("models_page", "Answers")),
        Choice(
            translate("models_page", "Model for search queries"),
            (same, *((model.id, model_name(model.id, models)) for model in models)),
            "chat.small_model",
            translate("models_page", "Chooses what to search for. A small, fast model is enough."),
        ),
        Number(
            translate("models_page", "Maximum wait for search queries"),
            (2, 120),
            "chat.decision_limit_s",
            translate(
                "models_page",
                "If the model takes longer, Footnote searches with keywords from your question.",
            ),
            translate("models_page", " s"),
        ),
        Toggle(
            translate("models_page", "Suggest titles for new chats"),
            "chat.names_with_model",
            translate(
                "models_page",
                "Sends the first question and answer to the model for search queries.",
            ),
        ),
        Number(
            translate("models_page", "Context limit"),
            (2_000, 1_000_000),
            "chat.context_tokens",
            translate("models_page", "Sources and older messages beyond this limit are left out."),
            translate("models_page", " tokens"),
            1_000,
        ),
        Number(
            translate("models_page", "Maximum answer length"),
            (256, 128_000),
            "chat.answer_tokens",
            suffix=translate("models_page", " tokens"),
            step=500,
        ),
    )


def _citations() -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    return (
        HeadingRow(
            translate("models_page", "Citations"),
            translate(
                "models_page",
                "Compares each cited sentence with its source.",
            ),
        ),
        Choice(
            translate("models_page", "Check citations"),
            (
                (ON_REQUEST, translate("models_page", "On request and after research")),
                (BY_WORDS, translate("models_page", "After every answer, without a model")),
                (ALWAYS, translate("models_page", "After every answer, with the models below")),
            ),
            "chat.checks_citations",
        ),
        Toggle(
            translate("models_page", "Also check with a model"),
            "chat.checks_with_model",
            translate(
                "models_page",
                "Sends sentences and passages to the chat model for each check.",
            ),
        ),
    )


PAGE = SettingsPageWidget("models", "model", _title, _rows)
