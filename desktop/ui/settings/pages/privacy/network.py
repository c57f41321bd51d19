"""Settings of the network: through which proxy each part connects."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QCoreApplication, Slot
from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from desktop.domain.addresses import leads_to_a_server, names_private_hosts
from desktop.errors import ProxyUnusable
from desktop.settings.model import NO_PROXY, PROXY_OF_SYSTEM, Settings
from desktop.settings.proxies import parse_proxy, split_login
from desktop.ui.labels.common import localize_message
from desktop.ui.settings.controls import SecretField, TestButton
from desktop.ui.settings.rows import (
    Binding,
    HeadingRow,
    LabelledRow,
    Panel,
    SettingsContext,
    SettingsPageWidget,
    SettingsRow,
    TextList,
)
from desktop.ui.widgets.layout import NoWheelComboBox, hbox, label, vbox
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
        self.test = TestButton(self._prepare_test, _describe_result, context.loop, self)
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


def _describe_result(result: object) -> str:
    return localize_message(str(result))


def _title() -> str:
    return QCoreApplication.translate("network_page", "Network")


def _rows(_context: SettingsContext) -> Sequence[SettingsRow]:
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


PAGE = SettingsPageWidget("network", "server", _title, _rows)
