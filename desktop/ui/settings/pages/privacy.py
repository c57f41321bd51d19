"""What leaves the machine: to whom and what for, through which proxy, and the erasure of deleted data."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import urlsplit

from PySide6.QtCore import QCoreApplication, QLocale, Slot
from PySide6.QtWidgets import QCheckBox, QFrame, QLineEdit, QPushButton, QWidget

from desktop.domain.addresses import leads_to_a_server, names_private_hosts
from desktop.domain.privacy import Channel, DeletedData, EgressSummary, Recipient
from desktop.errors import ProxyUnusable
from desktop.settings.model import NO_PROXY, PROXY_OF_SYSTEM, Settings
from desktop.settings.proxies import parse_proxy, split_login
from desktop.ui.actions import QT_TRANSLATE_NOOP
from desktop.ui.settings.controls import Fact, FactList, SecretField, TestButton
from desktop.ui.settings.rows import (
    Binding,
    HeadingRow,
    LabelledRow,
    Panel,
    Paragraph,
    SettingsContext,
    SettingsPageWidget,
    SettingsRow,
    TextList,
)
from desktop.ui.widgets.dialog import confirm
from desktop.ui.widgets.labels import format_datetime, localize_message
from desktop.ui.widgets.layout import NoWheelComboBox, WrappingRow, hbox, label, vbox
from desktop.ui.widgets.notice_bar import StatusLabel

_OWN = 2


class ProxyField(QFrame):
    """The proxy of one part of the program: the system's, none, or an address with login; with a test."""

    def __init__(
        self, part: str, title: str, context: SettingsContext, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self._part = part
        self._context = context
        self.choice = NoWheelComboBox(self)
        self.choice.addItems([self.tr("Use system proxy"), self.tr("None"), self.tr("Custom:")])
        self.choice.setAccessibleName(title)
        self.address = QLineEdit(self)
        self.address.setPlaceholderText("socks5://127.0.0.1:1080")
        self.address.setAccessibleName(self.tr("Proxy address for {part}").format(part=title))
        self.login = SecretField(f"proxy/{part}", context, self, is_login=True)
        self.problem = StatusLabel(self, "danger", "small")
        self.test = TestButton(self._prepare_test, _describe_connection, context.loop, self)
        column = vbox(self, spacing=8, margins=(16, 6, 16, 6))
        words = vbox()
        words.addWidget(label(self, title))
        fields = QWidget(self)
        row = hbox(fields, spacing=8)
        row.addWidget(self.choice, 1)
        row.addWidget(self.test.button)
        column.addWidget(LabelledRow(words, fields, self))
        for widget in (self.address, self.login, self.problem, self.test):
            column.addWidget(widget)
        self.test.hide()  # what it found stands below, once there is something
        self.test.button.clicked.connect(self.test.show)
        self._show_settings()
        self.choice.activated.connect(self._on_choice_made)
        self.address.editingFinished.connect(self._on_address_entered)

    def _show_settings(self) -> None:
        value = self._value
        at = {PROXY_OF_SYSTEM: 0, NO_PROXY: 1}.get(value, _OWN)
        self.choice.setCurrentIndex(at)
        self.address.setText(value if at == _OWN else "")
        self._show_own(at == _OWN)
        self.problem.clear()

    def _show_own(self, is_own: bool) -> None:
        self.address.setVisible(is_own)
        self.login.setVisible(is_own)

    @property
    def _value(self) -> str:
        value: str = getattr(self._context.store.settings.network, self._part)
        return value

    def _apply(self, value: str) -> None:
        settings = self._context.store.settings
        network = replace(settings.network, **{self._part: value})
        self._context.store.apply(replace(settings, network=network))

    def _prepare_test(self) -> Callable[[], Awaitable[object]]:
        return partial(self._context.preferences.test_network, self._part)

    @Slot(int)
    def _on_choice_made(self, at: int) -> None:
        self._show_own(at == _OWN)
        self.problem.clear()
        self.test.hide()
        if at == _OWN:
            self.address.setFocus()
            self._on_address_entered()
        else:
            self._apply((PROXY_OF_SYSTEM, NO_PROXY)[at])

    @Slot()
    def _on_address_entered(self) -> None:
        """Put an address to use; a name and password in it go to the keyring, never into the settings."""
        if not self.address.text().strip():
            return
        address, login = split_login(self.address.text())
        self.address.setText(address)
        if login:
            job = self._context.store.keep_secrets([(f"proxy/{self._part}", login)])
            job.succeeded.connect(self.login.refresh)
        try:
            parse_proxy(address)
        except ProxyUnusable as error:
            self.problem.show_error(error)
            return
        self.problem.clear()
        self._apply(address)


def _describe_connection(result: object) -> str:
    return localize_message(str(result))


def _network_title() -> str:
    return QCoreApplication.translate("network_page", "Network")


def _network_rows(_context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    return (
        HeadingRow(
            translate("network_page", "Proxy"),
            translate(
                "network_page",
                "http://, https:// or socks5://. Not used for this computer.",
            ),
        ),
        Panel(_fields, (translate("network_page", "Proxy for each feature"), "SOCKS", "HTTP")),
        HeadingRow(translate("network_page", "Local network")),
        TextList(
            translate("network_page", "Allowed private hosts and networks"),
            "search.allowed_hosts",
            translate(
                "network_page",
                "One per line: a host, host:port or network. For Fake-IP proxies, usually 198.18.0.0/15.",
            ),
            "wiki.local:8080",
            _host_problem,
        ),
        TextList(
            translate("network_page", "Search engine addresses"),
            Binding(
                lambda settings: tuple(map(" ".join, settings.search.engine_addresses)), _write_addresses
            ),
            translate(
                "network_page",
                "One per line: an engine and its address, such as your own SearXNG.",
            ),
            "searxng https://search.example.com",
            _address_problem,
        ),
    )


def _write_addresses(settings: Settings, lines: tuple[str, ...]) -> Settings:
    pairs = (line.split() for line in lines)
    addresses = tuple((engine, address) for engine, address in pairs)
    return replace(settings, search=replace(settings.search, engine_addresses=addresses))


def _host_problem(line: str) -> str:
    if names_private_hosts(line):
        return ""
    words = QCoreApplication.translate(
        "network_page",
        "“{line}” is not a host, address or network. Examples: wiki.local, wiki.local:8080, 10.0.0.0/8.",
    )
    return words.format(line=line)


def _address_problem(line: str) -> str:
    match line.split():
        case [_, address] if leads_to_a_server(address):
            return ""
    words = QCoreApplication.translate(
        "network_page",
        "“{line}” is not an engine and its address. Example: searxng https://search.example.com.",
    )
    return words.format(line=line)


def _fields(context: SettingsContext, parent: QWidget) -> QWidget:
    translate = QCoreApplication.translate
    holder = QWidget(parent)
    column = vbox(holder, spacing=10)
    for part, title in (
        ("models", translate("network_page", "Models")),
        ("search", translate("network_page", "Search")),
        ("reading", translate("network_page", "Reading pages")),
        ("mcp", translate("network_page", "Tools (MCP)")),
        ("backup", translate("network_page", "Off-site backups")),
    ):
        column.addWidget(ProxyField(part, title, context, holder))
    return holder


NETWORK_PAGE = SettingsPageWidget("network", "server", _network_title, _network_rows)


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
    """Shows how much deleted data can still be restored, and offers to restore or to erase it."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.state = StatusLabel(self)
        self.state.setText(self.tr("Please wait…"))
        self.copies = QCheckBox(self)
        self.copies.hide()  # until it is known what it would be about
        self.restore = QPushButton(self.tr("Restore all"), self)
        self.restore.setEnabled(False)
        self.erase = QPushButton(self.tr("Delete permanently…"), self)
        self.erase.setProperty("destructive", "true")
        self.erase.setEnabled(False)
        buttons = QWidget(self)
        row = WrappingRow(buttons)
        row.addWidget(self.restore)
        row.addWidget(self.erase)
        column = vbox(self, spacing=8, margins=(0, 4, 0, 4))
        column.addWidget(self.state)
        column.addWidget(buttons)
        column.addWidget(self.copies)
        self.restore.clicked.connect(self._restore)
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
        self.restore.setEnabled(bool(remains.conversations or remains.memories))
        self.erase.setEnabled(bool(remains.conversations or remains.memories or remains.copies))

    @Slot()
    def _restore(self) -> None:
        self._context.loop.run(
            self, self._context.engine.privacy.restore_deleted, self._on_restored, self._on_failed
        )

    @Slot(object)
    def _on_restored(self, _nothing: object) -> None:
        self._context.data_changed()
        self.refresh()

    @Slot()
    def _on_erase_clicked(self) -> None:
        with_copies = self.tr("All backups are replaced by one of your current data. This can’t be undone.")
        without = self.tr("This can’t be undone. Earlier backups still contain the items.")
        words = with_copies if self.copies.isChecked() else without
        confirm(self, self.tr("Delete permanently?"), words, self.tr("Delete permanently"), self._erase)

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
        Panel(partial(_egress_list, ""), (translate("privacy_page", "Sent from this computer"),)),
        HeadingRow(
            translate("privacy_page", "Deleted"),
            translate(
                "privacy_page", "Deleted items can be restored for a day, then they are deleted permanently."
            ),
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
    return _egress_list(context.conversation, context, parent)


def _egress_list(conversation: str, context: SettingsContext, parent: QWidget) -> QWidget:
    look = partial(context.engine.privacy.list_egress, conversation)
    empty = QCoreApplication.translate("privacy_page", "Nothing has been sent from this computer.")
    return FactList(look, egress_facts, empty, context.loop, parent)


PAGE = SettingsPageWidget("privacy", "shield", _title, _rows)
