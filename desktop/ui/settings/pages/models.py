"""Settings of the models that answer."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from desktop.settings.model import ALWAYS, BY_WORDS, ON_REQUEST
from desktop.ui.settings.pages.local_models import LocalModelPanel
from desktop.ui.settings.pages.providers import ProviderList
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
from desktop.ui.widgets.labels import keyring_warning, model_name


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
            guide="models",
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
            guide="models",
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
