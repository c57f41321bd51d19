"""The data page: where the user's data is and how large, backups and their destinations, import and export."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QDate, QLocale, QStandardPaths, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QPushButton, QWidget

from desktop.domain.backups import (
    HERE,
    PROFILE_SUFFIX,
    BackupCopy,
    CopyKind,
    DataPart,
    PlaceState,
    is_in_future,
)
from desktop.domain.program import InstalledProgram
from desktop.domain.sources import PageTotals
from desktop.settings.model import BackupDestination, Settings
from desktop.ui.actions import QT_TRANSLATE_NOOP
from desktop.ui.dialogs.transfer_dialog import IMPORTED_FILES, ImportDialog, RestoreDialog
from desktop.ui.settings.controls import Fact, FactList, ProgressButton
from desktop.ui.settings.record_cards import FieldSpec, RecordCards, RecordKind, Server
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
from desktop.ui.widgets.dialog import ask_for_file, ask_where_to_save, confirm
from desktop.ui.widgets.labels import format_datetime
from desktop.ui.widgets.layout import NoWheelComboBox, hbox, vbox
from desktop.ui.widgets.notice_bar import StatusLabel

_MOST_HOURS = 720

_PARTS = {
    "conversations": QT_TRANSLATE_NOOP("data_page", "Chats and memories"),
    "knowledge": QT_TRANSLATE_NOOP("data_page", "Knowledge bases"),
    "models": QT_TRANSLATE_NOOP("data_page", "Downloaded models"),
    "local_models": QT_TRANSLATE_NOOP("data_page", "Language models on this computer"),
    "pictures": QT_TRANSLATE_NOOP("data_page", "Pasted images"),
    "cited_pages": QT_TRANSLATE_NOOP("data_page", "Cited web pages as they were sent"),
    "copies": QT_TRANSLATE_NOOP("data_page", "Backups"),
    "icons": QT_TRANSLATE_NOOP("data_page", "Site icons"),
    "settings": QT_TRANSLATE_NOOP("data_page", "Settings"),
    "logs": QT_TRANSLATE_NOOP("data_page", "Log"),
}


def backup_places(context: SettingsContext, parent: QWidget) -> QWidget:
    """Return the cards of all backup destinations, and a button for each kind of them."""
    holder = QWidget(parent)
    column = vbox(holder, spacing=10)
    for kind in (_folder(), _webdav(), _s3()):
        column.addWidget(RecordCards(kind, context, holder))
    return holder


def _folder() -> RecordKind:
    translate = QCoreApplication.translate
    return _kind(
        "folder",
        "",
        translate("backup_places", "Add folder…"),
        translate("backup_places", "Folder"),
        (FieldSpec("address", translate("backup_places", "Path"), "/media/disk/Footnote", is_folder=True),),
    )


def _webdav() -> RecordKind:
    translate = QCoreApplication.translate
    return _kind(
        "webdav",
        translate("backup_places", "Password"),
        translate("backup_places", "Add WebDAV server…"),
        "WebDAV",
        (
            FieldSpec(
                "address",
                translate("backup_places", "Address"),
                "https://cloud.example/dav/",
                is_address=True,
            ),
            FieldSpec("user", translate("backup_places", "Name")),
        ),
    )


def _s3() -> RecordKind:
    translate = QCoreApplication.translate
    return _kind(
        "s3",
        translate("backup_places", "Secret key"),
        translate("backup_places", "Add S3 storage…"),
        "S3",
        (
            FieldSpec(
                "address",
                translate("backup_places", "Endpoint"),
                "https://s3.eu-central-1.amazonaws.com",
                is_address=True,
            ),
            FieldSpec("bucket", translate("backup_places", "Bucket")),
            FieldSpec("region", translate("backup_places", "Region"), "us-east-1"),
            FieldSpec("user", translate("backup_places", "Access key")),
        ),
    )


def _kind(kind: str, key: str, add: str, name: str, own: Sequence[FieldSpec]) -> RecordKind:
    translate = QCoreApplication.translate
    fields = (
        FieldSpec("name", translate("backup_places", "Name")),
        *own,
        FieldSpec(
            "every_hours",
            translate("backup_places", "Hours between backups"),
            "24",
            most=_MOST_HOURS,
            least=1,
        ),
    )
    return RecordKind(
        "destinations",
        "backup",
        key,
        add,
        _maker(kind, name),
        fields,
        _test,
        _describe_no_use,
        space="backup",
        belongs=partial(_is_of, kind),
    )


def _maker(kind: str, name: str) -> Callable[[str], Server]:
    def make(destination_id: str) -> Server:
        match kind:
            case "webdav" | "s3" as known:
                return BackupDestination(destination_id, name, known, "")
            case _:
                return BackupDestination(destination_id, name, "folder", "")

    return make


def _is_of(kind: str, server: Server) -> bool:
    return isinstance(server, BackupDestination) and server.kind == kind


def _describe_no_use(_context: SettingsContext, _server: Server) -> str:
    return ""


def _test(context: SettingsContext, server: Server, key: str | None) -> Awaitable[object]:
    assert isinstance(server, BackupDestination)
    return context.engine.backups.test(server, key)


class TransferPanel(QWidget):
    """Buttons that import and export, with the progress of an export."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._place: Path | None = None
        self.take = QPushButton(self.tr("Import…"), self)
        self.work = ProgressButton(self.tr("Export all data…"), context.loop, self)
        row = hbox(spacing=10)
        for widget in (self.take, self.work.button, self.work.bar):
            row.addWidget(widget)
        row.addStretch(1)
        column = vbox(self, spacing=6, margins=(0, 4, 0, 4))
        column.addLayout(row)
        column.addWidget(self.work.state)
        self.take.clicked.connect(self._on_take_clicked)
        self.work.asked.connect(self._ask_where)
        self.work.succeeded.connect(self._on_exported)

    @Slot()
    def _on_take_clicked(self) -> None:
        ask_for_file(self, self.tr("Import"), self.import_from, f"{self.tr('Chats')} ({IMPORTED_FILES})")

    def import_from(self, path: Path) -> None:
        """Open the import dialog for a file."""
        dialog = ImportDialog(path, self._context.engine.transfers, self._context.loop, self)
        dialog.changed.connect(self._context.data_changed)
        dialog.open()

    @Slot()
    def _ask_where(self) -> None:
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        name = f"Footnote {QLocale.c().toString(QDate.currentDate(), 'yyyy-MM-dd')}{PROFILE_SUFFIX}"
        kinds = f"Footnote (*{PROFILE_SUFFIX})"
        ask_where_to_save(self, self.tr("Export all data"), name, self.export_to, kinds, folder=folder)

    def export_to(self, path: Path) -> None:
        """Export everything into a file."""
        self._place = path
        self.work.begin(partial(self._context.engine.transfers.export_profile, self._place))

    @Slot()
    def _on_exported(self) -> None:
        assert self._place is not None
        self.work.state.show_status(
            self.tr("Saved as “{name}” without API keys.").format(name=self._place.name)
        )


def open_restore(context: SettingsContext, copy: BackupCopy, parent: QWidget) -> RestoreDialog:
    """Open the dialog that restores a backup."""
    dialog = RestoreDialog(copy, context.engine.backups, context.loop, parent)
    dialog.changed.connect(context.data_changed)
    dialog.open()
    return dialog


class CitedPagesPanel(QWidget):
    """Shows how many cited pages are saved and how large they are, and offers to delete them."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.state = StatusLabel(self)
        self.state.setText(self.tr("Please wait…"))
        self.clear = QPushButton(self.tr("Delete saved pages…"), self)
        self.clear.setProperty("destructive", "true")
        self.clear.setEnabled(False)
        row = hbox(spacing=10)
        row.addWidget(self.clear)
        row.addStretch(1)
        column = vbox(self, spacing=8, margins=(0, 4, 0, 4))
        column.addWidget(self.state)
        column.addLayout(row)
        self.clear.clicked.connect(self._on_clear_clicked)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Load how much is saved."""
        totals = self._context.engine.page_archive.totals
        self._context.loop.run(self, totals, self._on_loaded, self._on_failed)

    @Slot(object)
    def _on_loaded(self, totals: PageTotals) -> None:
        size = QLocale().formattedDataSize(totals.text_bytes + totals.file_bytes)
        words = self.tr("%n saved page(s)", None, totals.pages)
        self.state.setText(f"{words} · {size}" if totals.pages else self.tr("No pages are saved."))
        self.clear.setEnabled(bool(totals.pages))

    @Slot()
    def _on_clear_clicked(self) -> None:
        words = self.tr(
            "This can’t be undone. Answers keep the passages that they cite. Backups still contain the pages."
        )
        confirm(self, self.tr("Delete all saved pages?"), words, self.tr("Delete pages"), self._clear)

    @Slot()
    def _clear(self) -> None:
        self.clear.setEnabled(False)
        self._context.loop.run(self, self._context.engine.page_archive.clear, self.refresh, self._on_failed)

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self.state.show_error(error)
        self.clear.setEnabled(True)


class BackupList(QWidget):
    """The backups of one destination at a time, with a button that makes one now."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._places: list[str] = []
        self._shown = HERE
        self.place = NoWheelComboBox(self)
        self.place.setAccessibleName(self.tr("Backup location"))
        self.work = ProgressButton(self.tr("Back up now"), context.loop, self)
        self.copies = FactList(self._load, self._backup_facts, self.tr("No backups yet"), context.loop, self)
        row = hbox(spacing=10)
        for widget in (self.place, self.work.button, self.work.bar):
            row.addWidget(widget)
        row.addWidget(self.work.state, 1)
        row.addStretch()
        column = vbox(self, spacing=6, margins=(0, 4, 0, 4))
        column.addLayout(row)
        column.addWidget(self.copies)
        self._list_places(context.store.settings)
        self.place.activated.connect(self._on_place_picked)
        self.work.asked.connect(self._copy)
        self.work.ended.connect(self.copies.refresh)
        self.work.succeeded.connect(self._on_copied)
        context.store.changed.connect(self._list_places)

    @Slot(object)
    def _list_places(self, settings: Settings) -> None:
        places = [
            (HERE, self.tr("This computer")),
            *((each.id, each.name) for each in settings.backup.destinations),
        ]
        self._places = [place for place, _name in places]
        self.place.clear()
        for _place, name in places:
            self.place.addItem(name)
        self.place.setCurrentIndex(self._places.index(self._shown) if self._shown in self._places else 0)
        self.place.setVisible(len(places) > 1)
        self._shown = self._places[self.place.currentIndex()]

    @Slot(int)
    def _on_place_picked(self, at: int) -> None:
        self._shown = self._places[at]
        self.work.state.clear()
        self.copies.refresh()

    async def _load(self) -> tuple[tuple[BackupCopy, ...], PlaceState | None]:
        backups, place = self._context.engine.backups, self._shown
        copies, places = await asyncio.gather(backups.copies(place), backups.places())
        return copies, next((each for each in places if each.place == place), None)

    def _backup_facts(self, found: object) -> Sequence[Fact]:
        assert isinstance(found, tuple)
        copies, state = found
        if state is not None and state.problem:
            self.work.state.show_error(state.problem)
        return [self._fact(copy) for copy in copies]

    def _fact(self, copy: BackupCopy) -> Fact:
        kinds = {
            CopyKind.REGULAR: "",
            CopyKind.BEFORE_UPDATE: self.tr("Before an update"),
            CopyKind.BEFORE_RESTORE: self.tr("Before restoring a backup"),
            CopyKind.KNOWLEDGE: self.tr("Knowledge bases"),
        }
        size = QLocale().formattedDataSize(copy.size_bytes) if copy.size_bytes else ""
        about = kinds[copy.kind]
        if is_in_future(copy.taken_at, datetime.now(UTC)):
            doubt = self.tr("Dated in the future. The clock was or is wrong.")
            about = " · ".join(filter(None, (about, doubt)))
        return Fact(
            format_datetime(copy.taken_at),
            about,
            size,
            action=self.tr("Browse backup…"),
            act=partial(self._look_inside, copy),
        )

    def _look_inside(self, copy: BackupCopy, _checked: bool = False) -> None:
        dialog = open_restore(self._context, copy, self)
        dialog.changed.connect(self.copies.refresh)

    @Slot()
    def _copy(self) -> None:
        self.work.begin(partial(self._context.engine.backups.back_up, self._shown))

    @Slot()
    def _on_copied(self) -> None:
        self.work.state.show_status(self.tr("Backup finished."))


def _title() -> str:
    return QCoreApplication.translate("data_page", "Data")


def _rows(context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    return (
        HeadingRow(
            translate("data_page", "On this computer"),
            translate("data_page", "API keys are stored in the system keyring."),
        ),
        *_portable_rows(context.engine.updates.program),
        Panel(_parts, (translate("data_page", "Data location"), *_names())),
        *_cited_page_rows(),
        HeadingRow(
            translate("data_page", "Backups"),
            translate(
                "data_page",
                "Backs up chats hourly and knowledge bases daily. Backups are kept for up to 8 weeks.",
            ),
        ),
        Panel(BackupList, (translate("data_page", "Back up now"), "backup")),
        HeadingRow(
            translate("data_page", "Off-site backups"),
            translate(
                "data_page",
                "Back up to another disk, a synchronized folder or a server.",
            ),
        ),
        Panel(backup_places, (translate("data_page", "Off-site backups"), "WebDAV", "S3")),
        HeadingRow(
            translate("data_page", "Import and export"),
            translate(
                "data_page",
                "Import files exported by ChatGPT, Claude, Cherry Studio, Chatbox, Open WebUI or Footnote.",
            ),
        ),
        Panel(
            TransferPanel, (translate("data_page", "Import and export"), "ChatGPT", "Claude", "Cherry Studio")
        ),
    )


def _cited_page_rows() -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    keeps = (
        ("always", translate("data_page", "Always")),
        ("days", translate("data_page", "For some days")),
        ("never", translate("data_page", "Never")),
    )
    return (
        HeadingRow(
            translate("data_page", "Cited web pages"),
            translate(
                "data_page",
                "Citations then open the page as it was read, even offline. Pages cited in chats that "
                "stay on this computer are not saved.",
            ),
        ),
        Choice(translate("data_page", "Save cited pages"), keeps, "cited_pages.keeps"),
        Number(
            translate("data_page", "Days"),
            (1, 3_650),
            "cited_pages.days",
            translate("data_page", "With “For some days”, pages are deleted after this time."),
        ),
        Toggle(
            translate("data_page", "Also save the page itself"),
            "cited_pages.keeps_files",
            translate(
                "data_page",
                "Keeps what the site sent, compressed. You can save it as a file. It is never run.",
            ),
        ),
        Panel(CitedPagesPanel, (translate("data_page", "Delete saved pages"),)),
    )


def _portable_rows(program: InstalledProgram) -> Sequence[SettingsRow]:
    if not program.is_portable:
        return ()
    words = QCoreApplication.translate(
        "data_page",
        "Portable data folder: {folder}. API keys stay in this computer’s keyring.",
    )
    return (Paragraph(words.format(folder=program.data_folder), ()),)


def _names() -> tuple[str, ...]:
    return tuple(QCoreApplication.translate("data_page", words) for words in _PARTS.values())


def _parts(context: SettingsContext, parent: QWidget) -> QWidget:
    return FactList(context.engine.backups.parts, _part_facts, "", context.loop, parent)


def _part_facts(parts: object) -> Sequence[Fact]:
    assert isinstance(parts, tuple)
    locale = QLocale()
    return [_fact(part, locale) for part in parts if part.size_bytes]


def _fact(part: DataPart, locale: QLocale) -> Fact:
    translate = QCoreApplication.translate
    return Fact(
        translate("data_page", _PARTS.get(part.name, part.name)),
        str(part.path),
        locale.formattedDataSize(part.size_bytes),
        action=translate("data_page", "Open"),
        act=partial(_open, part.path),
    )


def _open(path: Path, _checked: bool = False) -> None:
    """Show a folder, or the one that a file is in, in the system's own way."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path if path.is_dir() else path.parent)))


PAGE = SettingsPageWidget("data", "archive", _title, _rows)
