"""The page on other programs: what they may use of Footnote, how they start it, and what they asked."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QCoreApplication, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox, QFrame, QPlainTextEdit, QPushButton, QWidget

from desktop.domain.knowledge import BaseInfo
from desktop.domain.serving import Client, ServedRequest, ServedTool
from desktop.settings.model import Settings
from desktop.ui.actions import QT_TRANSLATE_NOOP
from desktop.ui.settings.controls import Fact, FactList
from desktop.ui.settings.rows import (
    Binding,
    HeadingRow,
    Panel,
    Paragraph,
    SettingsContext,
    SettingsPageWidget,
    SettingsRow,
    Toggle,
)
from desktop.ui.widgets.labels import format_datetime, localize_message
from desktop.ui.widgets.layout import NoWheelComboBox, hbox, label, plain_name, vbox
from desktop.ui.widgets.notice_bar import StatusLabel

_TOOLS = {
    ServedTool.SEARCH_WEB: (
        QT_TRANSLATE_NOOP("serving_words", "Search the web"),
        QT_TRANSLATE_NOOP("serving_words", "With your search engines and keys."),
    ),
    ServedTool.READ_PAGE: (
        QT_TRANSLATE_NOOP("serving_words", "Read web pages"),
        QT_TRANSLATE_NOOP("serving_words", "Pages in your own network are not read."),
    ),
    ServedTool.LIST_BASES: (
        QT_TRANSLATE_NOOP("serving_words", "List knowledge bases"),
        QT_TRANSLATE_NOOP("serving_words", "Names and sizes of those selected below."),
    ),
    ServedTool.SEARCH_BASE: (
        QT_TRANSLATE_NOOP("serving_words", "Search a knowledge base"),
        QT_TRANSLATE_NOOP("serving_words", "Passages of files, links and notes in those selected below."),
    ),
    ServedTool.ASK: (
        QT_TRANSLATE_NOOP("serving_words", "Ask a question"),
        QT_TRANSLATE_NOOP(
            "serving_words",
            "Answered by your model, with citations. Your memories and tool servers are not used.",
        ),
    ),
    ServedTool.CHECK_TEXT: (
        QT_TRANSLATE_NOOP("serving_words", "Check a text"),
        QT_TRANSLATE_NOOP("serving_words", "Compares each sentence with the sources."),
    ),
}
_CONFIGURATION_HEIGHT = 170


def with_tool(tool: ServedTool, settings: Settings, is_open: bool) -> Settings:
    """Return settings in which a tool is open to other programs, or not."""
    others = tuple(each for each in settings.serving.tools if each is not tool)
    tools = (*others, tool) if is_open else others
    return replace(settings, serving=replace(settings.serving, tools=tools))


def with_base(base_id: str, settings: Settings, is_open: bool) -> Settings:
    """Return settings in which a base is open to other programs, or not."""
    others = tuple(each for each in settings.serving.bases if each != base_id)
    bases = (*others, base_id) if is_open else others
    return replace(settings, serving=replace(settings.serving, bases=bases))


class OpenBases(QFrame):
    """A check box for each base."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self._context = context
        self._column = vbox(self, spacing=4, margins=(16, 8, 16, 8))
        self._rows: list[QWidget] = []
        context.knowledge_store.bases_listed.connect(self._show)
        self._show(context.knowledge_store.bases)
        context.knowledge_store.refresh()

    @Slot(object)
    def _show(self, bases: Sequence[BaseInfo]) -> None:
        for row in self._rows:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = [self._row(base) for base in bases]
        if not self._rows:
            self._rows = [label(self, self.tr("No knowledge bases yet"), "muted")]
        for row in self._rows:
            self._column.addWidget(row)

    def _row(self, base: BaseInfo) -> QWidget:
        box = QCheckBox(plain_name(f"{base.icon} {base.name}".strip()), self)
        box.setAccessibleName(base.name)
        box.setChecked(base.id in self._context.store.settings.serving.bases)
        box.toggled.connect(partial(self._on_toggled, base.id))
        return box

    def _on_toggled(self, base_id: str, is_open: bool) -> None:
        store = self._context.store
        store.apply(with_base(base_id, store.settings, is_open))


class ConfigurationPanel(QWidget):
    """The JSON that another program needs to start Footnote, with a button that copies it."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._serving = context.engine.serving
        self.clients = NoWheelComboBox(self)
        self.clients.setAccessibleName(self.tr("Program"))
        for client in Client:
            self.clients.addItem(client.value)
        self.copy = QPushButton(self.tr("Copy"), self)
        self.text = QPlainTextEdit(self)
        self.text.setObjectName("lines")
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setFixedHeight(_CONFIGURATION_HEIGHT)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName(self.tr("Configuration"))
        self.place = label(self, "", "muted", "small")
        row = hbox(spacing=10)
        row.addWidget(self.clients)
        row.addWidget(self.copy)
        row.addStretch(1)
        column = vbox(self, spacing=8, margins=(0, 4, 0, 4))
        column.addLayout(row)
        column.addWidget(self.text)
        column.addWidget(self.place)
        self.clients.currentIndexChanged.connect(self._show)
        self.copy.clicked.connect(self._on_copy_clicked)
        self._show()

    @property
    def _client(self) -> Client:
        return list(Client)[self.clients.currentIndex()]

    @Slot()
    def _show(self) -> None:
        self.text.setPlainText(self._serving.configuration(self._client))
        self.copy.setText(self.tr("Copy"))
        places = {
            Client.CLAUDE_DESKTOP: self.tr("Settings > Developer > Edit config: claude_desktop_config.json"),
            Client.CURSOR: self.tr("~/.cursor/mcp.json, or .cursor/mcp.json of a project"),
            Client.VS_CODE: self.tr(
                "Command “MCP: Open User Configuration”, or .vscode/mcp.json of a folder"
            ),
            Client.CHERRY_STUDIO: self.tr("Settings > MCP servers > Add > Import from JSON"),
        }
        self.place.setText(places[self._client])

    @Slot()
    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.copy.setText(self.tr("Copied"))


class LoopbackPanel(QWidget):
    """The address and the token for programs that connect to Footnote instead of starting it."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        words = self.tr(
            "Run “footnote mcp --http” for programs that connect to an address. Enter {address} there, "
            "with the header “Authorization: Bearer” and this token."
        )
        self.words = label(self, words.format(address=context.engine.serving.address), "muted")
        self.copy = QPushButton(self.tr("Copy token"), self)
        self.renew = QPushButton(self.tr("New token"), self)
        self.renew.setToolTip(self.tr("The old token stops working when the server is started again."))
        self.state = StatusLabel(self, "muted")
        row = hbox(spacing=10)
        row.addWidget(self.copy)
        row.addWidget(self.renew)
        row.addWidget(self.state, 1)
        row.addStretch()
        column = vbox(self, spacing=8, margins=(0, 4, 0, 4))
        column.addWidget(self.words)
        column.addLayout(row)
        self.copy.clicked.connect(self._on_copy_clicked)
        self.renew.clicked.connect(self._on_renew_clicked)

    @Slot()
    def _on_copy_clicked(self) -> None:
        self._context.loop.run(
            self, self._context.engine.serving.token, self._on_token, self.state.show_error
        )

    @Slot()
    def _on_renew_clicked(self) -> None:
        work = partial(self._context.engine.serving.token, is_new=True)
        self._context.loop.run(self, work, self._on_token, self.state.show_error)

    @Slot(object)
    def _on_token(self, token: str) -> None:
        QGuiApplication.clipboard().setText(token)
        self.state.setText(self.tr("Copied"))


class RequestsPanel(QWidget):
    """What other programs asked, the newest first, with a button that deletes the list."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        serving = context.engine.serving
        empty = self.tr("No requests yet")
        self.facts = FactList(serving.requests, request_facts, empty, context.loop, self)
        self.refresh = QPushButton(self.tr("Refresh"), self)
        self.clear = QPushButton(self.tr("Clear list"), self)
        self.refresh.setProperty("flat", "true")
        self.clear.setProperty("flat", "true")
        self.problem = StatusLabel(self, "danger")
        row = hbox(spacing=10)
        row.addWidget(self.refresh)
        row.addWidget(self.clear)
        row.addStretch(1)
        column = vbox(self, spacing=4)
        column.addWidget(self.facts)
        column.addWidget(self.problem)
        column.addLayout(row)
        self.refresh.clicked.connect(self.facts.refresh)
        self.clear.clicked.connect(self._on_clear_clicked)
        self.facts.looked.connect(self._on_looked)
        self._on_looked()

    @Slot()
    def _on_looked(self) -> None:
        self.clear.setEnabled(bool(self.facts.facts))

    @Slot()
    def _on_clear_clicked(self) -> None:
        self._context.loop.run(
            self, self._context.engine.serving.clear, self._on_cleared, self.problem.show_error
        )

    @Slot(object)
    def _on_cleared(self, _nothing: object) -> None:
        self.problem.clear()
        self.facts.refresh()


def request_facts(found: object) -> Sequence[Fact]:
    """Return a fact for each `ServedRequest`."""
    assert isinstance(found, tuple)
    return [_request(each) for each in found]


def _request(each: ServedRequest) -> Fact:
    translate = QCoreApplication.translate
    known = each.tool in set(ServedTool)
    tool = translate("serving_words", _TOOLS[ServedTool(each.tool)][0]) if known else each.tool
    client = each.client or translate("serving_words", "unnamed program")
    parts = [client, format_datetime(each.at)]
    if each.hosts:
        parts.append(translate("serving_words", "asked: {hosts}").format(hosts=", ".join(each.hosts)))
    if each.problem:
        parts.append(localize_message(each.problem))
    value = translate("serving_words", "refused or failed") if each.problem else ""
    return Fact(f"{tool}: {each.about}", " · ".join(parts), value, is_quiet=bool(each.problem))


def _title() -> str:
    return QCoreApplication.translate("serving_page", "Other programs")


def _rows(_context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    return (
        Paragraph(
            translate(
                "serving_page",
                "Claude Desktop, Cursor, VS Code and others can use Footnote as a tool server (MCP). They can "
                "use only what you open here.",
            )
        ),
        HeadingRow(translate("serving_page", "Tools that others may use")),
        *map(_tool_row, ServedTool),
        HeadingRow(
            translate("serving_page", "Knowledge bases that others may use"),
            translate(
                "serving_page", "Their contents are sent to the other program, and from there to its model."
            ),
        ),
        Panel(OpenBases, (translate("serving_page", "Knowledge bases that others may use"),)),
        HeadingRow(
            translate("serving_page", "Set up a program"),
            translate("serving_page", "Copy this into the configuration of the program."),
        ),
        Panel(ConfigurationPanel, (translate("serving_page", "Configuration for other programs"),)),
        Panel(LoopbackPanel, (translate("serving_page", "Token for other programs"),)),
        HeadingRow(
            translate("serving_page", "Request log"),
            translate("serving_page", "Kept on this computer only. Old entries are deleted automatically."),
        ),
        Panel(RequestsPanel, (translate("serving_page", "Requests of other programs"),)),
    )


def _tool_row(tool: ServedTool) -> Toggle:
    name, words = _TOOLS[tool]
    return Toggle(
        QCoreApplication.translate("serving_words", name),
        Binding(lambda settings: tool in settings.serving.tools, partial(with_tool, tool)),
        QCoreApplication.translate("serving_words", words),
    )


PAGE = SettingsPageWidget("serving", "server", _title, _rows)
