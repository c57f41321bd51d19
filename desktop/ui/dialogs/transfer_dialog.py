"""The dialogs that import a file of conversations and restore a backup, and their base class."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QDialogButtonBox, QProgressBar, QRadioButton, QWidget

from desktop.background import BackgroundLoop, Job
from desktop.chat.api.conversations import Transfers
from desktop.chat.api.data import Backups
from desktop.domain.backups import (
    BackupCopy,
    CopyContents,
    CopyKind,
    Difference,
    FileContents,
    Imported,
    ImportSource,
    Restoration,
    TransferProgress,
)
from desktop.ui.dialogs.conversation_table import ConversationTable
from desktop.ui.i18n import Retranslated
from desktop.ui.widgets.dialog import ScreenFitDialog
from desktop.ui.widgets.labels import format_datetime, localize_message
from desktop.ui.widgets.layout import label, set_style_flag, show_progress, vbox
from desktop.ui.widgets.notice_bar import StatusLabel

_SIZE = (720, 560)

_Work = Callable[[], Awaitable[object] | AsyncIterator[object]]

_SHOWN_PROBLEMS = 3
_NAMES = {
    ImportSource.CHATGPT: "ChatGPT",
    ImportSource.CLAUDE: "Claude",
    ImportSource.CHERRY_STUDIO: "Cherry Studio",
    ImportSource.CHATBOX: "Chatbox",
    ImportSource.OPEN_WEBUI: "Open WebUI",
    ImportSource.PROFILE: "Footnote",
    ImportSource.CONVERSATION: "Footnote",
}
IMPORTED_FILES = "*.zip *.json *.footnote-profile *.bak"


class TransferDialog(Retranslated, ScreenFitDialog):
    """A list of conversations with a button that imports the selected ones; closing the dialog stops the work.

    Signals:
        changed: conversations and memories have changed.
    """

    changed = Signal()

    def __init__(self, loop: BackgroundLoop, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._loop = loop
        self._job: Job | None = None
        self.about = label(self, "")
        self.list = ConversationTable(self)
        self.list.setEnabled(False)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.status = StatusLabel(self, "muted")
        self.buttons = QDialogButtonBox(self)
        self.accept_button = self.buttons.addButton("", QDialogButtonBox.ButtonRole.AcceptRole)
        self.undo_button = self.buttons.addButton("", QDialogButtonBox.ButtonRole.ActionRole)
        self.leave = self.buttons.addButton(QDialogButtonBox.StandardButton.Close)
        self.undo_button.hide()
        set_style_flag(self.accept_button, "primary", True)
        self.accept_button.setEnabled(False)
        self.column = vbox(self, spacing=10, margins=(20, 18, 20, 16))
        for widget in (self.about, self.list, self.bar, self.status, self.buttons):
            self.column.addWidget(widget, 1 if widget is self.list else 0)
        self.resize(*_SIZE)
        self.buttons.rejected.connect(self.reject)
        self.accept_button.clicked.connect(self._on_accept_clicked)
        self.undo_button.clicked.connect(self._on_undo_clicked)
        self.list.chosen_changed.connect(self.show_choice)

    def done(self, result: int) -> None:
        """Stop the work and close the dialog."""
        if self._job is not None:
            self._job.cancel()
        super().done(result)

    def begin(
        self, work: _Work, then: Callable[[Any], object], each: Callable[[Any], object] | None = None
    ) -> None:
        """Run `work` with a progress bar; call `each` with every progress report and `then` with the result."""
        show_progress(self.bar, 0, 0)
        self.bar.show()
        self.say("")
        self.accept_button.setEnabled(False)
        self.undo_button.setEnabled(False)
        self.list.setEnabled(False)
        self._job = self._loop.run(
            self, work, self._on_over, self._on_failed, progressed=each, cancelled=self._on_over
        )
        self._job.succeeded.connect(then)

    def say(self, words: str, *, is_bad: bool = False) -> None:
        """Show a status text below the list."""
        self.status.show_status(words, is_bad=is_bad)

    def offer_undo(self) -> None:
        """Emit `changed`, and offer to undo the import instead of importing more."""
        self.accept_button.hide()
        self.undo_button.setEnabled(True)
        self.undo_button.show()
        self.list.setEnabled(False)
        self.changed.emit()

    def show_undone(self, _nothing: object) -> None:
        """Show that the import was undone."""
        self.undo_button.hide()
        self.list.setEnabled(False)
        self.say(self.tr("Nothing was changed."))
        self.changed.emit()

    def show_progress(self, progress: TransferProgress) -> None:
        """Update the progress bar."""
        show_progress(self.bar, progress.done, progress.total)

    @Slot()
    def show_choice(self) -> None:
        """Enable the button if there is something to import."""
        self.accept_button.setEnabled(self._job is None and self.can_import())

    def import_selected(self) -> None:
        """Import the selected conversations."""
        raise NotImplementedError

    def undo(self) -> None:
        """Undo the import."""
        raise NotImplementedError

    def can_import(self) -> bool:
        """Return whether there is something to import."""
        return bool(self.list.chosen)

    @Slot()
    def _on_accept_clicked(self) -> None:
        self.import_selected()

    @Slot()
    def _on_undo_clicked(self) -> None:
        self.undo()

    def _on_over(self, _result: object = None) -> None:
        self._job = None
        self.bar.hide()
        self.list.setEnabled(True)
        self.undo_button.setEnabled(True)
        self.show_choice()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._on_over()
        self.status.show_error(error)


class ImportDialog(TransferDialog):
    """Shows the content of a file before importing it."""

    def __init__(
        self, path: Path, transfers: Transfers, loop: BackgroundLoop, parent: QWidget | None = None
    ) -> None:
        super().__init__(loop, parent)
        self._path = path
        self._transfers = transfers
        self._contents: FileContents | None = None
        self._done: Imported | None = None
        self.settings = QCheckBox(self)
        self.bases = QCheckBox(self)
        self.bases.setChecked(True)
        for box in (self.settings, self.bases):
            box.hide()
            box.toggled.connect(self.show_choice)
            self.column.insertWidget(2, box)
        self._retranslate()
        self.begin(partial(transfers.examine, path), self._on_examined, self._on_step)

    def _retranslate(self) -> None:
        self.setWindowTitle(self.tr("Import “{name}”").format(name=self._path.name))
        self.accept_button.setText(self.tr("Import"))
        self.undo_button.setText(self.tr("Undo"))
        self.settings.setText(self.tr("Use its settings"))
        count = len(self._contents.bases) if self._contents else 0
        self.bases.setText(self.tr("%n knowledge base(s)", None, count))
        self.about.setText(self._summary())

    def can_import(self) -> bool:
        """Return whether there is something to import."""
        contents = self._contents
        if contents is None:
            return False
        has_bases = bool(contents.bases) and self.bases.isChecked()
        return bool(self.list.chosen or contents.memories or has_bases or self.settings.isChecked())

    def import_selected(self) -> None:
        """Import the selected conversations."""
        work = partial(
            self._transfers.import_from,
            self._path,
            self.list.chosen,
            has_settings=self.settings.isChecked(),
            has_bases=self.bases.isChecked(),
        )
        self.begin(work, self._on_imported, self._on_step)

    def undo(self) -> None:
        """Undo the import."""
        assert self._done is not None
        self.begin(partial(self._transfers.undo, self._done), self.show_undone, self._on_step)

    def _summary(self) -> str:
        contents = self._contents
        if contents is None:
            return self.tr("Reading the file…")
        missing = sum(one.difference is Difference.MISSING for one in contents.conversations)
        words = self.tr(
            "From {program}: %n chat(s), {missing} new.", None, len(contents.conversations)
        ).format(program=_NAMES[contents.origin], missing=missing)
        if contents.memories:
            memories = self.tr("%n memory(s).", None, contents.memories)
            words = f"{words} {memories}"
        return words

    def _on_examined(self, contents: FileContents) -> None:
        self._contents = contents
        self.settings.setVisible(contents.has_settings)
        self.bases.setVisible(bool(contents.bases))
        self.list.show_conversations(contents.conversations)
        self._retranslate()
        self._say_problems("", contents.problems)

    def _on_step(self, step: TransferProgress | Imported) -> None:
        if isinstance(step, Imported):
            self._done = step
        else:
            self.show_progress(step)

    def _on_imported(self, _nothing: object) -> None:
        done = self._done
        if done is None:
            return
        words = self.tr("%n chat(s) imported.", None, len(done.conversations))
        if done.memories:
            memories = self.tr("%n memory(s).", None, len(done.memories))
            words = f"{words} {memories}"
        self._say_problems(words, done.problems)
        self.offer_undo()

    def _say_problems(self, words: str, problems: tuple[str, ...]) -> None:
        shown = [words, *map(localize_message, problems[:_SHOWN_PROBLEMS])]
        if len(problems) > _SHOWN_PROBLEMS:
            more = self.tr("And {count} more like this.")
            shown.append(more.format(count=len(problems) - _SHOWN_PROBLEMS))
        self.say(" ".join(filter(None, shown)), is_bad=bool(problems))


class RestoreDialog(TransferDialog):
    """Shows a backup before restoring it. Merging adds the selection; replacing restores everything."""

    def __init__(
        self, copy: BackupCopy, backups: Backups, loop: BackgroundLoop, parent: QWidget | None = None
    ) -> None:
        super().__init__(loop, parent)
        self._copy = copy
        self._backups = backups
        self._contents: CopyContents | None = None
        self._done: Restoration | None = None
        self.merge = QRadioButton(self)
        self.replace = QRadioButton(self)
        self.merge.setChecked(True)
        self.settings = QCheckBox(self)
        self.settings.hide()
        self.settings.toggled.connect(self.show_choice)
        ways = vbox(spacing=6)
        ways.addWidget(self.merge)
        ways.addWidget(self.replace)
        ways.addWidget(self.settings)
        self.column.insertLayout(1, ways)
        if copy.kind is CopyKind.KNOWLEDGE:
            self.replace.setChecked(True)
            for widget in (self.merge, self.replace):
                widget.hide()
        self.merge.toggled.connect(self._on_way_chosen)
        self._retranslate()
        self.begin(partial(backups.preview, copy), self._on_examined)

    def _retranslate(self) -> None:
        when = format_datetime(self._copy.taken_at)
        self.setWindowTitle(self.tr("Backup from {moment}").format(moment=when))
        self.merge.setText(self.tr("Restore selected items and keep everything else"))
        self.replace.setText(self.tr("Replace everything with this backup"))
        self.accept_button.setText(
            self.tr("Restore") if self.merge.isChecked() else self.tr("Replace everything")
        )
        self.settings.setText(self.tr("Use its settings"))
        self.undo_button.setText(self.tr("Undo"))
        self.about.setText(self._summary())

    def can_import(self) -> bool:
        """Return whether there is something to restore."""
        contents = self._contents
        if contents is None:
            return False
        is_anything = self.replace.isChecked() or self.settings.isChecked() or contents.memories_missing > 0
        return is_anything or bool(self.list.chosen)

    def import_selected(self) -> None:
        """Restore the selected conversations, or everything."""
        work = partial(
            _restore, self._backups, self._copy, self._list_chosen(), has_settings=self.settings.isChecked()
        )
        self.begin(work, self._on_restored)

    def _list_chosen(self) -> frozenset[str] | None:
        """Return the ids of the conversations to restore; None means to replace everything."""
        return self.list.chosen if self.merge.isChecked() else None

    def undo(self) -> None:
        """Undo the restore."""
        assert self._done is not None
        self.begin(partial(self._backups.undo, self._done), self.show_undone)

    def _summary(self) -> str:
        contents = self._contents
        if contents is None:
            return self.tr("Reading the file…")
        if self._copy.kind is CopyKind.KNOWLEDGE:
            names = ", ".join(contents.bases) or self.tr("None")
            words = self.tr(
                "Knowledge bases: {names}. They replace your current ones, which are backed up first."
            )
            return words.format(names=names)
        missing = sum(one.difference is Difference.MISSING for one in contents.conversations)
        words = self.tr("%n chat(s), {missing} not here.", None, len(contents.conversations))
        words = words.format(missing=missing)
        if contents.memories:
            memories = self.tr("%n memory(s).", None, contents.memories)
            words = f"{words} {memories}"
        if self.replace.isChecked() and contents.only_here:
            left = self.tr("%n chat(s) not in this backup will be removed.", None, contents.only_here)
            words = " ".join([words, left, self.tr("Your current data is backed up first.")])
        return words

    def _on_way_chosen(self, is_merge: bool) -> None:
        self.list.setEnabled(is_merge and self._contents is not None)
        self._retranslate()
        self.show_choice()

    def _on_examined(self, contents: CopyContents) -> None:
        self._contents = contents
        self.settings.setVisible(contents.has_settings)
        self.list.show_conversations(contents.conversations)
        self._retranslate()
        if self._copy.kind is CopyKind.KNOWLEDGE:
            self.list.setEnabled(False)
            self.show_choice()
        elif not self.list.chosen:
            self.say(
                self.tr(
                    "Everything in this backup is already here. Older versions are added beside the current ones."
                )
            )

    def _on_restored(self, done: Restoration) -> None:
        self._done = done
        self.merge.setEnabled(False)
        self.replace.setEnabled(False)
        self.settings.setEnabled(False)
        is_replaced = done.before is not None or self._copy.kind is CopyKind.KNOWLEDGE
        if is_replaced:
            words = self.tr("Backup restored.")
        else:
            words = self.tr("%n chat(s) restored.", None, len(done.added))
            if done.memories:
                memories = self.tr("%n memory(s) restored.", None, len(done.memories))
                words = f"{words} {memories}"
        self.say(" ".join([words, *map(localize_message, done.notes)]))
        self.offer_undo()
        if is_replaced and done.before is None:
            self.undo_button.hide()


async def _restore(
    backups: Backups, copy: BackupCopy, chosen: frozenset[str] | None, *, has_settings: bool
) -> Restoration:
    notes = await backups.use_settings(copy) if has_settings else ()
    done = await (backups.replace_all(copy) if chosen is None else backups.merge(copy, chosen))
    return replace(done, notes=(*done.notes, *notes))
