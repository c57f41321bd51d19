"""The choice of embedding model, reranker and entailment model: downloaded, added, tested, removed."""

import re
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale, QTimer, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QButtonGroup,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QWidget,
)

from desktop.chat.api.knowledge import Embedders
from desktop.chat.api.system import Preferences
from desktop.domain.knowledge import BUILT_IN_MODEL, Download, EmbeddingModel
from desktop.settings.model import LOCAL_RERANKER, KnowledgeSettings, Settings
from desktop.ui.i18n import Retranslated
from desktop.ui.settings.controls import RowPanel, TestButton
from desktop.ui.settings.rows import SettingsContext
from desktop.ui.stores.catalogue import EmbedderStore
from desktop.ui.widgets.dialog import ScreenFitDialog, ask_for_file
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.labels import format_model_size, localize_message
from desktop.ui.widgets.layout import ElidedText, hbox, label, show_progress, vbox
from desktop.ui.widgets.notice_bar import StatusLabel

_MOST_LANGUAGES = 4

_WIDTH = 480
_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")
_EXAMPLE = "intfloat/multilingual-e5-base"
_SIGN = "config.json"
"""Every model has this file."""


class ElidedRadioButton(ElidedText, QRadioButton):
    """A radio button whose words are elided where they do not fit."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def _room(self) -> int:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        return self.style().subElementRect(QStyle.SubElement.SE_RadioButtonContents, option, self).width()

    def _write(self, text: str) -> None:
        self.setText(text.replace("&", "&&"))


class ModelRow(Retranslated, QWidget):
    """One model of a picker. `words` replace the facts about the model.

    Signals:
        chosen: the user selects the model.
        download_asked: the user wants to download it.
        cancel_asked: the user cancels its download.
        removal_asked: the user wants to remove it.
    """

    chosen = Signal()
    download_asked = Signal()
    cancel_asked = Signal()
    removal_asked = Signal()

    def __init__(
        self, model: EmbeddingModel, parent: QWidget | None = None, *, is_own: bool = False, words: str = ""
    ) -> None:
        super().__init__(parent)
        self.model = model
        self._is_own = is_own
        self._words = words
        self._download: Download | None = None
        self._error: Exception | None = None
        self.button = ElidedRadioButton(self)
        self.detail = label(self, "", "muted", "small")
        self.problem = StatusLabel(self, "danger", "small")
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.action = QPushButton(self)
        self.remove = IconButton("trash", self, QPalette.ColorRole.PlaceholderText)
        self._lay_out()
        self.button.clicked.connect(self.chosen)
        self.action.clicked.connect(self._on_action_clicked)
        self.remove.clicked.connect(self.removal_asked)
        self._refresh()

    def show_state(
        self, model: EmbeddingModel, download: Download | None, error: Exception | None, *, is_chosen: bool
    ) -> None:
        """Show the state of the model; `download` is None without a download."""
        self.model, self._download, self._error = model, download, error
        self.button.setChecked(is_chosen)
        self._refresh()

    def _retranslate(self) -> None:
        self._refresh()

    def _lay_out(self) -> None:
        row = hbox(self, spacing=10, margins=(0, 6, 0, 6))
        words = vbox(spacing=3)
        words.addWidget(self.button)
        below = vbox(spacing=4, margins=(26, 0, 0, 0))
        for widget in (self.detail, self.bar, self.problem):
            below.addWidget(widget)
        words.addLayout(below)
        row.addLayout(words, 1)
        row.addWidget(self.action)
        row.addWidget(self.remove)

    def _refresh(self) -> None:
        model, is_loading = self.model, self._download is not None
        self.button.show_words(model.name)
        self.button.setEnabled(model.is_here)
        self.button.setAccessibleDescription(self._facts())
        self.detail.setText(self._format_progress(self._download) if self._download else self._facts())
        self._refresh_bar()
        self.problem.show_error(self._error or model.error)
        self.action.setVisible(is_loading or not model.is_here)
        self.action.setText(self.tr("Cancel") if is_loading else self.tr("Download"))
        what = self.tr("Cancel the download of {model}") if is_loading else self.tr("Download {model}")
        self.action.setAccessibleName(what.format(model=model.name))
        can_go = model.kind == "local" and model.id != BUILT_IN_MODEL and (model.is_here or self._is_own)
        self.remove.setVisible(can_go and not is_loading)
        self.remove.set_words(self.tr("Remove {model}").format(model=model.name))

    def _refresh_bar(self) -> None:
        self.bar.setVisible(self._download is not None)
        if self._download is not None:
            show_progress(self.bar, self._download.done_bytes, self._download.total_bytes)

    def _facts(self) -> str:
        model = self.model
        if self._words:
            return self._words
        facts = [self._languages()]
        if model.dimensions:
            facts.append(self.tr("{count} dimensions").format(count=self.locale().toString(model.dimensions)))
        if model.max_tokens:
            facts.append(
                self.tr("up to {count} tokens").format(count=self.locale().toString(model.max_tokens))
            )
        facts.append(self._place())
        return " · ".join(filter(None, facts))

    def _languages(self) -> str:
        """Return which languages a model reads; empty for a custom model whose languages are not known."""
        if self.model.languages:
            names = [_own_name(tag) for tag in self.model.languages]
            more = len(names) - _MOST_LANGUAGES
            shown = ", ".join(names[:_MOST_LANGUAGES])
            return (
                self.tr("{languages} and {count} more").format(languages=shown, count=more)
                if more > 0
                else shown
            )
        return "" if self._is_own or self.model.kind == "api" else self.tr("many languages")

    def _place(self) -> str:
        model = self.model
        if model.kind == "api":
            return self.tr("your server")
        size = self._size(model.size_bytes) if model.size_bytes else ""
        if model.kind == "built-in":
            return self.tr("built in")
        if model.is_here:
            return (
                self.tr("{size} on this computer").format(size=size) if size else self.tr("on this computer")
            )
        return self.tr("{size} to download").format(size=size) if size else self.tr("not on this computer")

    def _format_progress(self, download: Download) -> str:
        if not download.total_bytes:
            return self.tr("Starting…")
        done, total = self._size(download.done_bytes), self._size(download.total_bytes)
        return self.tr("{done} of {total}").format(done=done, total=total)

    def _size(self, size_bytes: int) -> str:
        return format_model_size(self.locale(), size_bytes)

    @Slot()
    def _on_action_clicked(self) -> None:
        if self._download is None:
            self.download_asked.emit()
        else:
            self.cancel_asked.emit()


def _own_name(tag: str) -> str:
    """Return what a language calls itself, wherever it is spoken: Qt adds the place where it is left out."""
    name = QLocale(f"{tag}_001").nativeLanguageName()
    return name[:1].upper() + name[1:]


class CustomModelDialog(Retranslated, ScreenFitDialog):
    """Asks for a model in the format of Sentence Transformers. `taken` are the ids that are listed already.

    Signals:
        kept: the model's id (str), or its folder.
    """

    kept = Signal(str)

    def __init__(self, taken: Collection[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._taken = taken
        self._help = label(self, "", "muted")
        self.name = QLineEdit(self)
        self.name.setPlaceholderText(_EXAMPLE)
        self.browse = QPushButton(self)
        self.problem = StatusLabel(self, "danger")
        self.cancel = QPushButton(self)
        self.keep = QPushButton(self)
        self.keep.setDefault(True)
        self.keep.setProperty("primary", "true")
        self._lay_out()
        self.browse.clicked.connect(self._on_browse_clicked)
        self.cancel.clicked.connect(self.reject)
        self.keep.clicked.connect(self._on_keep_clicked)
        self.name.textEdited.connect(self.problem.clear)
        self._retranslate()

    def _lay_out(self) -> None:
        column = vbox(self, spacing=12, margins=(20, 18, 20, 16))
        column.addWidget(self._help)
        field = hbox(spacing=8)
        field.addWidget(self.name, 1)
        field.addWidget(self.browse)
        column.addLayout(field)
        column.addWidget(self.problem)
        column.addStretch(1)
        row = hbox(spacing=8)
        row.addStretch(1)
        row.addWidget(self.cancel)
        row.addWidget(self.keep)
        column.addLayout(row)
        self.setMinimumWidth(_WIDTH)

    def _retranslate(self) -> None:
        self.setWindowTitle(self.tr("Add embedding model"))
        self._help.setText(
            self.tr("Enter the Hugging Face name of a Sentence Transformers model, or choose its folder.")
        )
        self.name.setAccessibleName(self.tr("Hugging Face name or folder"))
        self.browse.setText(self.tr("Folder…"))
        self.cancel.setText(self.tr("Cancel"))
        self.keep.setText(self.tr("Add"))

    def _problem_of(self, name: str) -> str:
        """Return what keeps a model from being added; empty when nothing does."""
        if name in self._taken:
            return self.tr("This model is already in the list.")
        if Path(name).is_absolute():
            is_model = (Path(name) / _SIGN).is_file()
            return "" if is_model else self.tr("This folder has no model: config.json is missing.")
        if not _HUB_ID.fullmatch(name):
            return self.tr("Enter the name as on Hugging Face, for example {example}.").format(
                example=_EXAMPLE
            )
        return ""

    @Slot()
    def _on_keep_clicked(self) -> None:
        name = self.name.text().strip()
        problem = self._problem_of(name)
        self.problem.setText(problem)
        if not problem:
            self.kept.emit(name)
            self.accept()

    @Slot()
    def _on_browse_clicked(self) -> None:
        ask_for_file(self, self.tr("Model folder"), self._use_folder, is_folder=True)

    def _use_folder(self, folder: Path) -> None:
        self.name.setText(str(folder))


@dataclass(frozen=True)
class ModelOption:
    """A model of a picker; `key` is its name in the settings, `words` replace the facts about it."""

    key: str
    model: EmbeddingModel
    is_own: bool = False
    words: str = ""


@dataclass(frozen=True)
class ModelPickerText:
    """The texts and functions of a `ModelPicker`, in the current language.

    `add` adds a model of the user, `remove` removes one: both return the changed settings. `test` runs
    on the asyncio thread after the choice is saved.
    """

    candidates: Callable[[EmbedderStore, KnowledgeSettings], Sequence[ModelOption]]
    read: Callable[[KnowledgeSettings], str]
    write: Callable[[KnowledgeSettings, str], KnowledgeSettings]
    add: Callable[[KnowledgeSettings, str], KnowledgeSettings]
    remove: Callable[[KnowledgeSettings, str], KnowledgeSettings]
    test: Callable[[Embedders, KnowledgeSettings], Awaitable[str]]


class ModelPicker(RowPanel):
    """A row for each model, and a button that adds one."""

    def __init__(
        self, choosing: ModelPickerText, context: SettingsContext, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._choosing = choosing
        self._context = context
        self._knowledge_store = context.embedders
        self._group = QButtonGroup(self)
        self.add = QPushButton(self)
        self.test = TestButton(self._prepare_test, _describe_result, context.loop, self)
        self._column.setContentsMargins(14, 8, 10, 10)
        below = hbox(spacing=8, margins=(0, 6, 0, 0))
        below.addWidget(self.add)
        below.addWidget(self.test, 1)
        self._column.addLayout(below)
        self.add.clicked.connect(self.add_model)
        self._knowledge_store.listed.connect(self._on_listed)
        self._knowledge_store.failed.connect(self.show_error)
        self._knowledge_store.changed.connect(self._show)
        context.store.changed.connect(self._show)
        self._retranslate()
        self._show()
        self._knowledge_store.refresh()

    @Slot()
    def add_model(self) -> None:
        """Ask for a model to add."""
        dialog = CustomModelDialog([row.model.id for row in self.rows.values()], self)
        dialog.kept.connect(self._on_named)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    @property
    def _knowledge(self) -> KnowledgeSettings:
        return self._context.store.settings.knowledge

    def _apply(self, knowledge: KnowledgeSettings) -> None:
        self._context.store.apply(replace(self._context.store.settings, knowledge=knowledge))

    def _retranslate(self) -> None:
        self.add.setText(self.tr("Add a model…"))

    def _prepare_test(self) -> Callable[[], Awaitable[object]]:
        settings = self._context.store.settings
        test = partial(self._choosing.test, self._knowledge_store.port, settings.knowledge)
        return partial(_save_and_test, self._context.preferences, settings, test)

    @Slot()
    def _show(self) -> None:
        candidates = self._choosing.candidates(self._knowledge_store, self._knowledge)
        if list(self.rows) != [candidate.key for candidate in candidates]:
            self.replace_rows({each.key: self._row(each) for each in candidates})
        chosen = self._choosing.read(self._knowledge)
        for candidate in candidates:
            model = candidate.model
            self.rows[candidate.key].show_state(
                model,
                self._knowledge_store.downloads.get(model.id),
                self._knowledge_store.problems.get(model.id),
                is_chosen=candidate.key == chosen,
            )
        self.test.button.setEnabled(bool(chosen))

    def _row(self, candidate: ModelOption) -> ModelRow:
        row = ModelRow(candidate.model, self, is_own=candidate.is_own, words=candidate.words)
        self._group.addButton(row.button)
        row.chosen.connect(partial(self._on_chosen, candidate.key))
        row.download_asked.connect(partial(self._knowledge_store.download, candidate.model.id))
        row.cancel_asked.connect(partial(self._knowledge_store.cancel, candidate.model.id))
        row.removal_asked.connect(partial(self._on_removal_asked, candidate))
        return row

    def _on_chosen(self, key: str) -> None:
        self._apply(self._choosing.write(self._knowledge, key))

    def _on_removal_asked(self, candidate: ModelOption) -> None:
        # Later: the button that asked for it is in a row that goes.
        QTimer.singleShot(0, self, partial(self._remove, candidate))

    def _remove(self, candidate: ModelOption) -> None:
        """Delete the weights of a model of the hub; one of the user's own is named no longer."""
        self._apply(self._choosing.remove(self._knowledge, candidate.key))
        self._knowledge_store.delete(candidate.model.id)

    @Slot()
    def _on_listed(self) -> None:
        self.problem.clear()
        self._show()

    @Slot(str)
    def _on_named(self, model_id: str) -> None:
        self._apply(self._choosing.add(self._knowledge, model_id))


async def _save_and_test(
    preferences: Preferences, settings: Settings, test: Callable[[], Awaitable[str]]
) -> object:
    """Save the choice, then test: the engine uses only what is saved."""
    await preferences.save(settings)
    return await test()


def _describe_result(result: object) -> str:
    return localize_message(str(result))


def embedding_choice(context: SettingsContext, parent: QWidget) -> ModelPicker:
    """Return the choice of the embedding model."""
    choosing = ModelPickerText(
        _embedders,
        lambda knowledge: knowledge.embedding_model,
        lambda knowledge, key: replace(knowledge, embedding_model=key),
        lambda knowledge, key: replace(knowledge, own_models=(*knowledge.own_models, key)),
        _without_embedder,
        lambda port, knowledge: port.test(knowledge.embedding_model),
    )
    return ModelPicker(choosing, context, parent)


def reranker_choice(context: SettingsContext, parent: QWidget) -> ModelPicker:
    """Return the choice of the reranker."""
    choosing = ModelPickerText(
        _rerankers,
        lambda knowledge: knowledge.reranker,
        lambda knowledge, key: replace(knowledge, reranker=key),
        lambda knowledge, key: replace(knowledge, reranker=f"{LOCAL_RERANKER}{key}"),
        lambda knowledge, key: replace(
            knowledge, reranker="" if knowledge.reranker == key else knowledge.reranker
        ),
        lambda port, _knowledge: port.test_reranker(),
    )
    return ModelPicker(choosing, context, parent)


def entailment_choice(context: SettingsContext, parent: QWidget) -> ModelPicker:
    """Return the choice of the model that judges citations on this machine."""
    choosing = ModelPickerText(
        _entailment_models,
        lambda knowledge: knowledge.entailment_model,
        lambda knowledge, key: replace(knowledge, entailment_model=key),
        lambda knowledge, key: replace(knowledge, entailment_model=key),
        lambda knowledge, key: replace(
            knowledge,
            entailment_model="" if knowledge.entailment_model == key else knowledge.entailment_model,
        ),
        lambda port, _knowledge: port.test_entailment(),
    )
    return ModelPicker(choosing, context, parent)


def _entailment_models(embedder_store: EmbedderStore, _knowledge: KnowledgeSettings) -> Sequence[ModelOption]:
    translate = QCoreApplication.translate
    none = ModelOption(
        "",
        EmbeddingModel("", translate("knowledge_models", "None"), kind="built-in"),
        words=translate("knowledge_models", "Compare words, numbers and names only."),
    )
    return [none, *(ModelOption(model.id, model) for model in embedder_store.entailment_models)]


def _embedders(embedder_store: EmbedderStore, knowledge: KnowledgeSettings) -> Sequence[ModelOption]:
    names = {own.id: own.name for own in knowledge.own_embedders}
    # Those of the user's servers are told by the settings: the engine learns of a change a little later.
    known = [model for model in embedder_store.models if model.kind != "api"]
    served = [EmbeddingModel(key, name, kind="api") for key, name in names.items()]
    return [
        ModelOption(model.id, model, is_own=model.id in knowledge.own_models) for model in (*known, *served)
    ]


def _without_embedder(knowledge: KnowledgeSettings, key: str) -> KnowledgeSettings:
    chosen = BUILT_IN_MODEL if knowledge.embedding_model == key else knowledge.embedding_model
    own = tuple(name for name in knowledge.own_models if name != key)
    return replace(knowledge, own_models=own, embedding_model=chosen)


def _rerankers(embedder_store: EmbedderStore, knowledge: KnowledgeSettings) -> Sequence[ModelOption]:
    translate = QCoreApplication.translate
    none = ModelOption(
        "",
        EmbeddingModel("", translate("knowledge_models", "None"), kind="built-in"),
        words=translate("knowledge_models", "Passages keep the order of the search."),
    )
    local = [ModelOption(f"{LOCAL_RERANKER}{model.id}", model) for model in embedder_store.rerankers]
    served = [
        ModelOption(own.id, EmbeddingModel(own.id, own.name, kind="api")) for own in knowledge.own_rerankers
    ]
    return [none, *local, *served]
