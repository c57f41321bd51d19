"""The models of this computer: downloaded with pause and resume, used, added from a file, deleted."""

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QPalette
from PySide6.QtWidgets import QProgressBar, QPushButton, QWidget

from desktop.domain.knowledge import Download
from desktop.domain.models import LOCAL_PROVIDER, LocalModel
from desktop.ui.i18n import Retranslated
from desktop.ui.settings.controls import RowPanel
from desktop.ui.settings.rows import SettingsContext
from desktop.ui.stores.catalogue import LocalModelStore
from desktop.ui.widgets.dialog import ask_for_file
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.labels import format_model_size, localize_message
from desktop.ui.widgets.layout import hbox, label, show_progress, vbox
from desktop.ui.widgets.notice_bar import StatusLabel

_SUFFIX = ".gguf"


class LocalModelRow(Retranslated, QWidget):
    """One model and what can be done with it.

    Signals:
        use_asked: id of the model that the user wants for questions.
    """

    use_asked = Signal(str)

    def __init__(
        self,
        store: LocalModelStore,
        model: LocalModel,
        parent: QWidget | None = None,
        *,
        is_card: bool = False,
    ) -> None:
        """Initialize; in a card of the welcome the name is shown elsewhere, the buttons stand below, and a download starts its model."""
        super().__init__(parent)
        self._store = store
        self.model = model
        self._is_card = is_card
        self._is_used = False
        self._asks = False
        self._starts = ""
        self.name = label(self, "")
        self.name.setVisible(not is_card)
        self.detail = label(self, "", "muted", "small")
        self.description = label(self, "", "muted", "small")
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.warning = label(self, "", "muted", "small")
        self.problem = StatusLabel(self, "danger", "small")
        self.action = QPushButton(self)
        self.cancel = QPushButton(self)
        self.remove = IconButton("trash", self, QPalette.ColorRole.PlaceholderText)
        self._lay_out(is_card=is_card)
        self.action.clicked.connect(self._on_action_clicked)
        self.cancel.clicked.connect(self._on_cancel_clicked)
        self.remove.clicked.connect(self._on_remove_clicked)
        self.refresh()

    def show_model(self, model: LocalModel, *, is_used: bool = False) -> None:
        """Show a model; one that `is_used` answers new questions."""
        if (model.id, model.is_here) != (self.model.id, self.model.is_here):
            self._asks = False
        if model.id != self.model.id:
            self.wait_for_start()  # to choose a model from the list does not start it
        self.model, self._is_used = model, is_used
        self.refresh()
        if model.is_here and model.id == self._starts:
            self.wait_for_start()
            if self.isVisible():
                self.use_asked.emit(model.id)

    @Slot()
    def wait_for_start(self) -> None:
        """Leave it to the user to start the model that is being downloaded."""
        self._starts = ""

    def _retranslate(self) -> None:
        self.refresh()

    def _lay_out(self, *, is_card: bool) -> None:
        words = vbox(spacing=3)
        for widget in (self.name, self.description, self.detail, self.bar, self.warning, self.problem):
            words.addWidget(widget)
        buttons = hbox(spacing=6)
        for button in (self.action, self.cancel, self.remove):
            buttons.addWidget(button)
        if is_card:
            column = vbox(self, spacing=8)
            column.addLayout(words)
            buttons.insertStretch(2, 1)
            column.addLayout(buttons)
        else:
            row = hbox(self, spacing=10, margins=(0, 8, 0, 8))
            row.addLayout(words, 1)
            row.addLayout(buttons)

    @Slot()
    def refresh(self) -> None:
        """Show the current state."""
        model, download = self.model, self._store.downloads.get(self.model.id)
        self.name.setText(model.name)
        self.description.setText(localize_message(model.description))
        self.description.setVisible(bool(model.description))
        self.detail.setText(self._format_progress(download) if download is not None else self._facts())
        self.bar.setVisible(download is not None or self._is_paused)
        if download is not None:
            show_progress(self.bar, download.done_bytes, download.total_bytes)
        elif self._is_paused:
            show_progress(self.bar, model.received_bytes, model.size_bytes)
        self._show_problems()
        self._show_buttons(is_loading=download is not None)

    @property
    def _is_paused(self) -> bool:
        return bool(self.model.received_bytes) and self.model.path is None

    def _show_problems(self) -> None:
        problem = self._store.problems.get(self.model.id) or self.model.error
        self.problem.show_error(problem)
        self.warning.setText(localize_message(self.model.warning))
        self.warning.setVisible(bool(self.model.warning) and not problem)

    def _show_buttons(self, *, is_loading: bool) -> None:
        model = self.model
        name = {"model": model.name}
        texts = (self.tr("Download"), self.tr("Download {model}"))
        if self._is_card:
            texts = (self.tr("Download and start"), self.tr("Download {model} and start with it"))
        if self._asks:
            texts = (self.tr("Delete"), self.tr("Delete {model}"))
            size = self._size(model.size_bytes if model.path is not None else model.received_bytes)
            self.detail.setText(self.tr("Delete this model and free {size} of disk space?").format(size=size))
        elif is_loading:
            texts = (self.tr("Pause"), self.tr("Pause the download of {model}"))
        elif self._is_paused:
            texts = (self.tr("Resume"), self.tr("Resume the download of {model}"))
        elif model.path is not None:
            use = self.tr("Start") if self._is_card else self.tr("Use")
            texts = (use, self.tr("Use {model} for new questions"))
        self.action.setText(texts[0])
        self.action.setAccessibleName(texts[1].format(**name))
        self.action.setVisible(self._asks or model.is_here or model.path is None)
        self.action.setEnabled(self._asks or not (model.is_here and self._is_used))
        if model.is_here and self._is_used and not self._asks:
            self.action.setText(self.tr("In use"))
        self.cancel.setText(self.tr("Keep") if self._asks else self.tr("Cancel"))
        self.cancel.setAccessibleName(
            (self.tr("Keep {model}") if self._asks else self.tr("Cancel the download of {model}")).format(
                **name
            )
        )
        self.cancel.setVisible(self._asks or is_loading or self._is_paused)
        self.remove.setVisible(model.path is not None and not self._asks and not self._is_card)
        remove = (
            self.tr("Remove {model} from the list; its file stays")
            if model.is_own
            else self.tr("Delete {model}")
        )
        self.remove.set_words(remove.format(**name))

    def _facts(self) -> str:
        model = self.model
        size = self._size(model.size_bytes)
        memory = self.tr("about {size} of memory").format(size=self._size(model.memory_bytes))
        if model.is_own:
            return " · ".join(
                filter(
                    None,
                    (size if model.size_bytes else "", memory if model.memory_bytes else "", str(model.path)),
                )
            )
        here = self.tr("{size} on this computer") if model.path is not None else self.tr("{size} to download")
        if self._is_paused:
            here = self.tr("paused at {done} of {size}")
        here = here.format(done=self._size(model.received_bytes), size=size)
        return " · ".join((here, memory, self.tr("English, Chinese and more"), model.licence))

    def _format_progress(self, download: Download) -> str:
        if not download.total_bytes:
            return self.tr("Starting…")
        if download.done_bytes >= download.total_bytes:
            return self.tr("Checking the downloaded file…")
        done, total = self._size(download.done_bytes), self._size(download.total_bytes)
        return self.tr("{done} of {total}").format(done=done, total=total)

    def _size(self, size_bytes: int) -> str:
        return format_model_size(self.locale(), size_bytes)

    @Slot()
    def _on_action_clicked(self) -> None:
        model = self.model
        if self._asks:
            self._asks = False
            self._store.discard(model.id)
        elif model.id in self._store.downloads:
            self.wait_for_start()
            self._store.cancel(model.id)
        elif model.is_here:
            self.use_asked.emit(model.id)
        else:
            self._starts = model.id if self._is_card else ""
            self._store.download(model.id)

    @Slot()
    def _on_cancel_clicked(self) -> None:
        if self._asks:
            self._asks = False
            self.refresh()
        else:
            self.wait_for_start()
            self._store.discard(self.model.id)

    @Slot()
    def _on_remove_clicked(self) -> None:
        if self.model.is_own:
            self._store.remove(self.model)
        else:
            self._asks = True
            self.refresh()


class LocalModelPanel(RowPanel):
    """All models of this computer, and a button and a drop target for files of the user's own."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        missing = StatusLabel(None, "danger")
        super().__init__(parent, (missing,))
        self.missing = missing
        self.setAcceptDrops(True)
        self._context = context
        self._store = context.local_models
        self.add = QPushButton(self)
        self._hint = label(self, "", "muted", "small")
        self._column.setContentsMargins(14, 8, 10, 10)
        below = hbox(spacing=10, margins=(0, 8, 0, 0))
        below.addWidget(self.add)
        below.addWidget(self._hint, 1)
        self._column.addLayout(below)
        self.add.clicked.connect(self._on_add_clicked)
        self._store.listed.connect(self._show)
        self._store.changed.connect(self._on_changed)
        self._store.failed.connect(self.show_error)
        context.store.changed.connect(self._show)
        self._retranslate()
        self._store.refresh()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files of models."""
        if _models_in(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Add the dropped files."""
        event.acceptProposedAction()
        for path in _models_in(event):
            self.add_file(path)

    def add_file(self, path: Path) -> None:
        """Add a file of the user's own, which stays where it is."""
        self.problem.clear()
        self._store.add(path)

    def _retranslate(self) -> None:
        self.add.setText(self.tr("Add a GGUF file…"))
        self._hint.setText(self.tr("Or drop one here. It stays where it is."))
        self._show()

    @Slot()
    def _show(self) -> None:
        self.missing.show_error(self._store.problem)
        models = {model.id: model for model in self._store.models}
        if list(self.rows) != list(models):
            self._rebuild()
        used = self._context.store.settings.chat.model
        for model_id, row in self.rows.items():
            row.show_model(models[model_id], is_used=used == f"{LOCAL_PROVIDER}/{model_id}")

    def _rebuild(self) -> None:
        self.replace_rows({model.id: LocalModelRow(self._store, model, self) for model in self._store.models})
        for row in self.rows.values():
            row.use_asked.connect(self._on_use_asked)

    @Slot(str)
    def _on_changed(self, model_id: str) -> None:
        if model_id in self.rows:
            self.rows[model_id].refresh()

    @Slot(str)
    def _on_use_asked(self, model_id: str) -> None:
        settings = self._context.store.settings
        chat = replace(settings.chat, model=f"{LOCAL_PROVIDER}/{model_id}")
        self._context.store.apply(replace(settings, chat=chat))

    @Slot()
    def _on_add_clicked(self) -> None:
        ask_for_file(self, self.tr("A model in the GGUF format"), self.add_file, f"GGUF (*{_SUFFIX})")


def _models_in(event: QDropEvent) -> list[Path]:
    files = (Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile())
    return [file for file in files if file.suffix.lower() == _SUFFIX]
