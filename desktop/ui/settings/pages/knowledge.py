"""Settings of the knowledge bases: models and the packages that run them, servers, and how files are read and searched."""

from collections.abc import Awaitable, Sequence

from PySide6.QtCore import QCoreApplication, QLocale, Qt, Slot
from PySide6.QtWidgets import QFrame, QProgressBar, QPushButton, QWidget

from desktop.domain.knowledge import BaseInfo, Download, ModelLibrary
from desktop.domain.models import Ability
from desktop.settings.model import ChromaServer, OwnEmbedder, OwnReranker
from desktop.ui.i18n import Retranslated
from desktop.ui.settings.pages.knowledge_models import embedding_choice, entailment_choice, reranker_choice
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
from desktop.ui.stores.catalogue import LIBRARY, EmbedderStore
from desktop.ui.widgets.labels import model_name
from desktop.ui.widgets.layout import hbox, label, show_progress, vbox
from desktop.ui.widgets.notice_bar import StatusLabel


class LibraryPanel(Retranslated, QFrame):
    """Says what the packages are for and whether they are installed; installs them, with progress and cancel."""

    def __init__(self, store: EmbedderStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self._store = store
        self._title = label(self, "")
        self.detail = label(self, "", "muted", "small")
        self.command = label(self, "", "small")
        self.command.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.problem = StatusLabel(self, "danger", "small")
        self.action = QPushButton(self)
        self._lay_out()
        self.action.clicked.connect(self._on_action_clicked)
        store.listed.connect(self._show)
        store.changed.connect(self._show)
        self._show()

    def _retranslate(self) -> None:
        self._show()

    def _lay_out(self) -> None:
        row = hbox(self, spacing=10, margins=(14, 10, 10, 10))
        words = vbox(spacing=4)
        for widget in (self._title, self.detail, self.command, self.bar, self.problem):
            words.addWidget(widget)
        row.addLayout(words, 1)
        row.addWidget(self.action, 0, Qt.AlignmentFlag.AlignTop)

    @Slot()
    def _show(self) -> None:
        library, download = self._store.library, self._store.downloads.get(LIBRARY)
        error = self._store.problems.get(LIBRARY)
        self._title.setText(self.tr("PyTorch and Sentence Transformers"))
        self.detail.setText(self._describe(library, download))
        is_missing = library is not None and not library.is_here
        self.command.setText(library.command if library and is_missing and not library.can_install else "")
        self.command.setVisible(bool(self.command.text()))
        self.bar.setVisible(download is not None)
        if download is not None:
            show_progress(self.bar, download.done_bytes, download.total_bytes)
        self.problem.show_error(error or "")
        self.action.setVisible(
            download is not None or (library is not None and is_missing and library.can_install)
        )
        self.action.setText(self.tr("Install") if download is None else self.tr("Cancel"))
        self.action.setAccessibleName(
            self.tr("Install PyTorch and Sentence Transformers")
            if download is None
            else self.tr("Cancel the installation of PyTorch and Sentence Transformers")
        )

    def _describe(self, library: ModelLibrary | None, download: Download | None) -> str:
        if download is not None:
            return self._describe_progress(download)
        what = self.tr(
            "They run other embedding, reranking and entailment models on this computer. The models "
            "that come with Footnote don’t need them."
        )
        if library is None:
            return what
        if library.is_here:
            return what + " " + self.tr("Installed.")
        size = self.tr("They take about 1 GB of disk space (about 300 MB to download).")
        if library.can_install:
            return f"{what} {size}"
        no_way = self.tr(
            "Nothing can be added to this installation of Footnote. To use them, install Footnote with "
            "the command below. Your data stays."
        )
        return f"{what} {size} {no_way}"

    def _describe_progress(self, download: Download) -> str:
        if not download.total_bytes:
            return self.tr("Installing…")
        done, total = (
            self.locale().formattedDataSize(size, 0, QLocale.DataSizeFormat.DataSizeSIFormat)
            for size in (download.done_bytes, download.total_bytes)
        )
        return self.tr("Downloading a package: {done} of {total}").format(done=done, total=total)

    @Slot()
    def _on_action_clicked(self) -> None:
        if LIBRARY in self._store.downloads:
            self._store.cancel(LIBRARY)
        else:
            self._store.download(LIBRARY)


def library_panel(context: SettingsContext, parent: QWidget) -> LibraryPanel:
    """Return the panel of the packages that run models of the user's choice."""
    return LibraryPanel(context.embedders, parent)


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
    return _describe_use(
        [base for base in context.knowledge_store.bases if server.id in {base.model, base.options.model}]
    )


def _chroma_holds(context: SettingsContext, server: Server) -> str:
    return _describe_use([base for base in context.knowledge_store.bases if base.options.place == server.id])


def _reranker_holds(context: SettingsContext, server: Server) -> str:
    is_chosen = context.store.settings.knowledge.reranker == server.id
    text = QCoreApplication.translate(
        "knowledge_servers", "This reranker is in use. Choose another one first."
    )
    return text if is_chosen else ""


def _describe_use(bases: Sequence[BaseInfo]) -> str:
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
