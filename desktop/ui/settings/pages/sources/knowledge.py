"""Settings of the knowledge bases: models, servers, and how files are read and searched."""

from collections.abc import Awaitable, Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from desktop.domain.knowledge import BaseInfo
from desktop.domain.models import Ability
from desktop.settings.model import ChromaServer, OwnEmbedder, OwnReranker
from desktop.ui.labels.common import model_name
from desktop.ui.settings.pages.sources.knowledge_models import (
    embedding_choice,
    entailment_choice,
    reranker_choice,
)
from desktop.ui.settings.pages.sources.model_library import library_panel
from desktop.ui.settings.record_cards import FieldSpec, RecordCards, RecordKind, Server
from desktop.ui.settings.rows import (
    Choice,
    HeadingRow,
    Number,
    Panel,
    Percentage,
    SettingsContext,
    SettingsPageWidget,
    SettingsRow,
    Text,
    Toggle,
)


def embedders(context: SettingsContext, parent: QWidget) -> RecordCards:
    """Return the cards of embedding servers."""
    translate = QCoreApplication.translate
    kind = RecordKind(
        "own_embedders",
        "embedding",
        translate("knowledge_servers", "API key"),
        translate("knowledge_servers", "Add embedding server…"),
        lambda key: OwnEmbedder(key, translate("knowledge_servers", "Embedding server"), "", ""),
        (
            *_common("https://api.openai.com/v1", "text-embedding-3-small"),
            FieldSpec(
                "dimensions",
                translate("knowledge_servers", "Dimensions"),
                translate("knowledge_servers", "Default"),
                translate("knowledge_servers", "Only for models that support shorter vectors."),
                most=16_384,
            ),
            FieldSpec(
                "query_prefix",
                translate("knowledge_servers", "Question prefix"),
                "query: ",
                translate("knowledge_servers", "Leave empty unless the model requires it."),
            ),
            FieldSpec(
                "passage_prefix",
                translate("knowledge_servers", "Passage prefix"),
                "passage: ",
                translate("knowledge_servers", "Leave empty unless the model requires it."),
            ),
        ),
        _test_embedder,
        _embedder_holds,
    )
    return RecordCards(kind, context, parent)


def rerankers(context: SettingsContext, parent: QWidget) -> RecordCards:
    """Return the cards of reranking servers."""
    translate = QCoreApplication.translate
    kind = RecordKind(
        "own_rerankers",
        "rerank",
        translate("knowledge_servers", "API key"),
        translate("knowledge_servers", "Add reranking server…"),
        lambda key: OwnReranker(key, translate("knowledge_servers", "Reranking server"), "", ""),
        _common("https://api.siliconflow.cn/v1", "BAAI/bge-reranker-v2-m3"),
        None,  # the one that is chosen is tested beside the choice
        _reranker_holds,
    )
    return RecordCards(kind, context, parent)


def chroma_servers(context: SettingsContext, parent: QWidget) -> RecordCards:
    """Return the cards of Chroma servers."""
    translate = QCoreApplication.translate
    kind = RecordKind(
        "chroma_servers",
        "chroma",
        translate("knowledge_servers", "Token"),
        translate("knowledge_servers", "Add Chroma server…"),
        lambda key: ChromaServer(
            key, translate("knowledge_servers", "Chroma server"), "http://127.0.0.1:8000"
        ),
        (
            FieldSpec("name", translate("knowledge_servers", "Name")),
            FieldSpec(
                "url",
                translate("knowledge_servers", "Address"),
                "https://chroma.example.org:8000",
                is_address=True,
            ),
            FieldSpec("tenant", translate("knowledge_servers", "Tenant"), "default_tenant"),
            FieldSpec("database", translate("knowledge_servers", "Database"), "default_database"),
        ),
        _test_chroma,
        _chroma_holds,
    )
    return RecordCards(kind, context, parent)


def _common(address: str, model: str) -> tuple[FieldSpec, ...]:
    translate = QCoreApplication.translate
    return (
        FieldSpec("name", translate("knowledge_servers", "Name")),
        FieldSpec("base_url", translate("knowledge_servers", "Address"), address, is_address=True),
        FieldSpec("model", translate("knowledge_servers", "Model"), model),
    )


def _test_embedder(context: SettingsContext, server: Server, _key: str | None) -> Awaitable[object]:
    return context.embedders.port.test(server.id)


def _test_chroma(context: SettingsContext, server: Server, key: str | None) -> Awaitable[object]:
    assert isinstance(server, ChromaServer)
    return context.embedders.port.test_server(server, key)


def _embedder_holds(context: SettingsContext, server: Server) -> str:
    translate = QCoreApplication.translate
    if context.store.settings.knowledge.embedding_model == server.id:
        return translate("knowledge_servers", "This model is in use. Choose another one first.")
    return _held(
        [base for base in context.knowledge_store.bases if server.id in {base.model, base.options.model}]
    )


def _chroma_holds(context: SettingsContext, server: Server) -> str:
    return _held([base for base in context.knowledge_store.bases if base.options.place == server.id])


def _reranker_holds(context: SettingsContext, server: Server) -> str:
    is_chosen = context.store.settings.knowledge.reranker == server.id
    text = QCoreApplication.translate(
        "knowledge_servers", "This reranker is in use. Choose another one first."
    )
    return text if is_chosen else ""


def _held(bases: Sequence[BaseInfo]) -> str:
    """Return what to do about bases that use a server; empty if there are none."""
    if not bases:
        return ""
    names = ", ".join(f"“{base.name}”" for base in bases)
    text = QCoreApplication.translate(
        "knowledge_servers", "In use by {bases}. Choose another one there first."
    )
    return text.format(bases=names)


def _title() -> str:
    return QCoreApplication.translate("knowledge_page", "Knowledge")


def _rows(context: SettingsContext) -> Sequence[SettingsRow]:
    return (*_asking(), *_embedding(), *_reranking(), *_entailment(), *_reading(context), *_servers())


def _asking() -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    return (
        Number(
            translate("knowledge_page", "Passages per question"),
            (1, 50),
            "knowledge.passage_count",
            translate("knowledge_page", "The maximum number of passages sent to the model."),
        ),
    )


def _embedding() -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    return (
        HeadingRow(
            translate("knowledge_page", "Search by meaning"),
            translate(
                "knowledge_page",
                "The embedding model finds passages that say the same in other words. After a change, knowledge bases are indexed again in the background.",
            ),
            guide="files",
        ),
        Panel(embedding_choice, (translate("knowledge_page", "Embedding model choice"),)),
        Panel(
            library_panel,
            (translate("knowledge_page", "PyTorch and Sentence Transformers, for models of your choice"),),
        ),
        Panel(embedders, (translate("knowledge_page", "Embedding servers"),)),
        Text(
            translate("knowledge_page", "Hugging Face mirror"),
            "knowledge.hub",
            translate("knowledge_page", "Download models from this address instead."),
            "https://huggingface.co",
        ),
    )


def _entailment() -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    return (
        HeadingRow(
            translate("knowledge_page", "Citation check"),
            translate(
                "knowledge_page",
                "An entailment model checks on this computer whether passages support what cites them.",
            ),
        ),
        Panel(entailment_choice, (translate("knowledge_page", "Entailment model choice"),)),
    )


def _reranking() -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    return (
        HeadingRow(
            translate("knowledge_page", "Reranking"),
            translate(
                "knowledge_page",
                "A reranker puts the passages that answer the question first. On this computer it takes a second or more.",
            ),
        ),
        Panel(reranker_choice, (translate("knowledge_page", "Reranker choice"),)),
        Panel(rerankers, (translate("knowledge_page", "Reranking servers"),)),
        Percentage(
            translate("knowledge_page", "Minimum score"),
            "knowledge.threshold",
            translate(
                "knowledge_page",
                "Passages with a lower reranker score are left out. 0 keeps all.",
            ),
        ),
        Percentage(
            translate("knowledge_page", "Minimum relevance without a reranker"),
            "knowledge.floor",
            translate(
                "knowledge_page",
                "Passages below this share of the best score are left out. 0 keeps all.",
            ),
        ),
    )


def _reading(context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    models = context.catalogue.models
    seeing = [model for model in models if Ability.IMAGES in model.facts.has]
    return (
        HeadingRow(translate("knowledge_page", "Reading files")),
        Number(
            translate("knowledge_page", "Passage length"),
            (0, 8_192),
            "knowledge.passage_tokens",
            translate(
                "knowledge_page",
                "The maximum length of a passage. Applies to new files.",
            ),
            suffix=translate("knowledge_page", " tokens"),
            step=32,
            least=translate("knowledge_page", "Default"),
        ),
        Toggle(
            translate("knowledge_page", "Read scans"),
            "knowledge.reads_scans",
            translate(
                "knowledge_page",
                "Reads images and pages without text by OCR on this computer.",
            ),
        ),
        Choice(
            translate("knowledge_page", "Describe images without text"),
            (
                ("", translate("knowledge_page", "No model")),
                *((model.id, model_name(model.id, models)) for model in seeing),
            ),
            "knowledge.describer",
            translate(
                "knowledge_page",
                "Sends up to 20 images without text per file to this model, for searchable descriptions.",
            ),
        ),
    )


def _servers() -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    return (
        HeadingRow(
            translate("knowledge_page", "Chroma servers"),
            translate(
                "knowledge_page",
                "A knowledge base can keep its index on a Chroma server. Choose it in the knowledge base settings.",
            ),
        ),
        Panel(
            chroma_servers,
            (translate("knowledge_page", "Chroma servers"), "Chroma"),
        ),
    )


PAGE = SettingsPageWidget("knowledge", "library", _title, _rows)
