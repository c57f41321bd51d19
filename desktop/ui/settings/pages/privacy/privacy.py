"""The privacy page: what leaves the machine and to whom, and the erasure of deleted data."""

from collections.abc import Sequence
from functools import partial
from urllib.parse import urlsplit

from PySide6.QtCore import QCoreApplication, QLocale, Qt, Slot
from PySide6.QtWidgets import QCheckBox, QMessageBox, QPushButton, QWidget

from desktop.domain.privacy import Channel, DeletedData, EgressSummary, Recipient
from desktop.ui.actions import QT_TRANSLATE_NOOP
from desktop.ui.labels.common import format_datetime
from desktop.ui.settings.controls import Fact, FactList
from desktop.ui.settings.rows import (
    HeadingRow,
    Panel,
    Paragraph,
    SettingsContext,
    SettingsPageWidget,
    SettingsRow,
)
from desktop.ui.widgets.access_keys import add_access_keys
from desktop.ui.widgets.layout import hbox, label, vbox
from desktop.ui.widgets.notice_bar import StatusLabel

_TOLD = {
    Channel.MODEL: QT_TRANSLATE_NOOP("privacy_words", "Question, chat, sources and images"),
    Channel.SEARCH: QT_TRANSLATE_NOOP("privacy_words", "Search words"),
    Channel.READING: QT_TRANSLATE_NOOP("privacy_words", "Addresses of pages and images"),
    Channel.TOOLS: QT_TRANSLATE_NOOP("privacy_words", "Data the model passes to the tool"),
    Channel.EMBEDDING: QT_TRANSLATE_NOOP("privacy_words", "Passages from files, and search words"),
    Channel.RERANKING: QT_TRANSLATE_NOOP("privacy_words", "Search words and passages found"),
    Channel.INDEX: QT_TRANSLATE_NOOP("privacy_words", "Vectors of passages"),
    Channel.BACKUP: QT_TRANSLATE_NOOP("privacy_words", "Backups of chats, memories and settings"),
    Channel.UPDATE: QT_TRANSLATE_NOOP("privacy_words", "Update check"),
}


class UpdateDisclosure(QWidget):
    """Who is asked for newer versions under the current settings."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.words = label(self, "", "muted")
        vbox(self).addWidget(self.words)
        context.store.changed.connect(self._show)
        self._show()

    @Slot()
    def _show(self) -> None:
        self.words.setText(_describe_updates(self._context))


def recipient_facts(found: object) -> Sequence[Fact]:
    """Return a fact for each `Recipient`, those that get data first."""
    assert isinstance(found, tuple)
    ordered = sorted(found, key=lambda each: (each.is_barred, each.is_here))
    return [_recipient(each) for each in ordered]


def egress_facts(found: object) -> Sequence[Fact]:
    """Return a fact for each `EgressSummary`."""
    assert isinstance(found, tuple)
    return [_egress(each) for each in found]


def channel_label(channel: Channel) -> str:
    """Return which data goes through a channel."""
    return QCoreApplication.translate("privacy_words", _TOLD[channel])


def _recipient(each: Recipient) -> Fact:
    translate = QCoreApplication.translate
    name = f"{each.name} · {each.host}" if each.host and each.host != each.name else each.name
    value = ""
    if each.is_barred:
        value = translate("privacy_words", "Not used: this chat stays on this computer")
    elif each.is_here:
        value = translate("privacy_words", "on this computer")
    return Fact(name, channel_label(each.channel), value, is_quiet=each.is_barred or each.is_here)


def _egress(each: EgressSummary) -> Fact:
    translate = QCoreApplication.translate
    locale = QLocale()
    words = translate("privacy_words", "{what} · last {moment}")
    detail = words.format(what=channel_label(each.channel), moment=format_datetime(each.last_at))
    value = translate("privacy_words", "{count} ×").format(count=locale.toString(each.requests))
    if each.sent_bytes:
        value += f" · {locale.formattedDataSize(each.sent_bytes)}"
    return Fact(each.host, detail, value)


class ErasePanel(QWidget):
    """Shows how much deleted data can still be restored, and offers to erase it."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.state = StatusLabel(self)
        self.state.setText(self.tr("Please wait…"))
        self.copies = QCheckBox(self)
        self.copies.hide()  # until it is known what it would be about
        self.erase = QPushButton(self.tr("Delete permanently…"), self)
        self.erase.setProperty("destructive", "true")
        self.erase.setEnabled(False)
        row = hbox(spacing=10)
        row.addWidget(self.erase)
        row.addWidget(self.copies)
        row.addStretch(1)
        column = vbox(self, spacing=8, margins=(0, 4, 0, 4))
        column.addWidget(self.state)
        column.addLayout(row)
        self.erase.clicked.connect(self._on_erase_clicked)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Load how much deleted data there is."""
        self._context.loop.run(self, self._context.engine.privacy.remains, self._on_loaded, self._on_failed)

    @Slot(object)
    def _on_loaded(self, remains: DeletedData) -> None:
        chats = self.tr("%n chat(s)", None, remains.conversations)
        memories = self.tr("%n memory(s)", None, remains.memories)
        self.state.setText(
            self.tr("Can be restored: {chats}, {memories}").format(chats=chats, memories=memories)
        )
        self.copies.setText(self.tr("Also delete from %n backup(s)", None, remains.copies))
        self.copies.setVisible(bool(remains.copies))
        self.erase.setEnabled(bool(remains.conversations or remains.memories or remains.copies))

    @Slot()
    def _on_erase_clicked(self) -> None:
        question = add_access_keys(QMessageBox(self))
        question.setIcon(QMessageBox.Icon.Warning)
        question.setTextFormat(Qt.TextFormat.PlainText)
        question.setText(self.tr("Delete permanently?"))
        with_copies = self.tr("All backups are replaced by one of your current data. This can’t be undone.")
        without = self.tr("This can’t be undone. Earlier backups still contain the items.")
        question.setInformativeText(with_copies if self.copies.isChecked() else without)
        yes = question.addButton(self.tr("Delete permanently"), QMessageBox.ButtonRole.DestructiveRole)
        question.setDefaultButton(question.addButton(QMessageBox.StandardButton.Cancel))
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        yes.clicked.connect(self._erase)
        question.open()

    @Slot()
    def _erase(self) -> None:
        self.erase.setEnabled(False)
        self.state.setText(self.tr("Please wait…"))
        work = partial(self._context.engine.privacy.erase, with_copies=self.copies.isChecked())
        self._context.loop.run(self, work, self.refresh, self._on_failed)

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self.state.show_error(error)
        self.erase.setEnabled(True)


def _title() -> str:
    return QCoreApplication.translate("privacy_page", "Privacy")


def _rows(context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    return (
        Paragraph(
            translate(
                "privacy_page",
                "Footnote collects no analytics or crash reports and needs no account. Everything sent from this computer is listed here.",
            )
        ),
        Panel(UpdateDisclosure, (translate("privacy_page", "Updates"),)),
        HeadingRow(
            translate("privacy_page", "Your next question"),
            translate("privacy_page", "What will be sent, and to whom."),
            guide="privacy",
        ),
        Panel(_recipients, (translate("privacy_page", "Data recipients"),)),
        *(_this_conversation() if context.conversation else ()),
        HeadingRow(translate("privacy_page", "Sent so far: all chats")),
        Panel(partial(_departures, ""), (translate("privacy_page", "Sent from this computer"),)),
        HeadingRow(
            translate("privacy_page", "Deleted"),
            translate("privacy_page", "Deleted items can be restored until you delete them permanently."),
        ),
        Panel(ErasePanel, (translate("privacy_page", "Delete permanently"),)),
    )


def _this_conversation() -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    return (
        HeadingRow(translate("privacy_page", "Sent so far: this chat")),
        Panel(_of_this_one, (translate("privacy_page", "Sent from this computer"),)),
    )


def _describe_updates(context: SettingsContext) -> str:
    translate = QCoreApplication.translate
    address = context.engine.updates.address
    if not (address and context.store.settings.program.checks_updates):
        return translate("privacy_page", "Footnote doesn’t check for updates.")
    words = translate(
        "privacy_page",
        "Checks {host} once a day for a new version. No data about you is sent. Turn it off in Settings > Program.",
    )
    return words.format(host=urlsplit(address).hostname or address)


def _recipients(context: SettingsContext, parent: QWidget) -> QWidget:
    look = partial(context.engine.privacy.recipients, context.conversation)
    empty = QCoreApplication.translate("privacy_page", "Nothing is sent. Everything stays on this computer.")
    facts = FactList(look, recipient_facts, empty, context.loop, parent)
    context.store.saved.connect(facts.refresh)
    return facts


def _of_this_one(context: SettingsContext, parent: QWidget) -> QWidget:
    return _departures(context.conversation, context, parent)


def _departures(conversation: str, context: SettingsContext, parent: QWidget) -> QWidget:
    look = partial(context.engine.privacy.departures, conversation)
    empty = QCoreApplication.translate("privacy_page", "Nothing has been sent from this computer.")
    return FactList(look, egress_facts, empty, context.loop, parent)


PAGE = SettingsPageWidget("privacy", "shield", _title, _rows)
