"""Settings of tools: a card for each tool server (MCP), the ways to add one, and standing approvals."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QCoreApplication, QTimer, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QFrame, QPushButton, QWidget

from desktop.background import Job
from desktop.domain.tools import Consent, ServerState
from desktop.settings.mcp_servers import (
    TOKENS,
    all_secrets,
    command_line,
    read_servers,
    server_secret,
    with_consent,
    without_server,
)
from desktop.settings.model import McpServer, Settings
from desktop.ui.i18n import Retranslated
from desktop.ui.links import open_link
from desktop.ui.settings.pages.tool_server_dialogs import EditedServer, PasteDialog, ServerDialog
from desktop.ui.settings.record_cards import RecordList
from desktop.ui.settings.rows import HeadingRow, Panel, SettingsContext, SettingsPageWidget, SettingsRow
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.widgets.labels import error_parts
from desktop.ui.widgets.layout import hbox, label, vbox
from desktop.ui.widgets.notice_bar import StatusLabel

_MOST_NAMED = 30


class McpServerCard(Retranslated, QFrame):
    """One tool server: its state, a test, and a way to sign in.

    Signals:
        edited: the server, which the user has switched on or off.
        edit_asked: the server, which the user wants to edit.
        removed: id of the server that the user removes.
    """

    edited = Signal(object)
    edit_asked = Signal(object)
    removed = Signal(str)

    def __init__(self, server: McpServer, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.server = server
        self._context = context
        self._signing_in: Job | None = None
        self._state: ServerState | None = None
        self.enabled = QCheckBox(self)
        self.enabled.setChecked(server.is_enabled)
        self.state = StatusLabel(self, "muted")
        self.test = QPushButton(self)
        self.edit = QPushButton(self)
        self.remove = QPushButton(self)
        self.sign_in = QPushButton(self)
        self.sign_in.hide()
        self.sign_out = QPushButton(self)
        self.sign_out.hide()
        self._lay_out()
        self._retranslate()
        self.enabled.toggled.connect(self._on_switched)
        self.edit.clicked.connect(self._on_edit_clicked)
        self.remove.clicked.connect(self._on_remove_clicked)
        self.test.clicked.connect(self.run_test)
        self.sign_in.clicked.connect(self._on_sign_in_clicked)
        self.sign_out.clicked.connect(self._on_sign_out_clicked)
        self._look_whether_signed_in()

    @Slot(object)
    def show_state(self, state: ServerState) -> None:
        """Show the state of the server."""
        self._state = state
        self.test.setEnabled(True)
        self.sign_in.setVisible(state.wants_sign_in or self._signing_in is not None)
        words = self._offers(state) if state.tools or not state.error else ""
        problem, detail = error_parts(state.error)
        text = "\n".join(filter(None, (problem, words)))
        self.state.show_status(text, is_bad=bool(problem), detail=detail)

    @Slot()
    def _on_edit_clicked(self) -> None:
        self.edit_asked.emit(self.server)

    @Slot()
    def _on_remove_clicked(self) -> None:
        self.removed.emit(self.server.id)

    @Slot(bool)
    def _on_switched(self, is_on: bool) -> None:
        self.server = replace(self.server, is_enabled=is_on)
        self.edited.emit(self.server)
        if is_on:
            self.run_test()

    @Slot()
    def run_test(self) -> None:
        """Connect again and list the tools."""
        self.test.setEnabled(False)
        self.state.setText(self.tr("Please wait…"))
        self._context.loop.run(
            self, partial(self._context.tool_servers.test, self.server), self.show_state, self._on_failed
        )

    def _lay_out(self) -> None:
        column = vbox(self, spacing=6, margins=(16, 10, 10, 10))
        top = hbox(spacing=4)
        top.addWidget(label(self, self.server.name, "heading"), 1)
        for button in (self.test, self.edit, self.remove):
            button.setProperty("flat", "true")
            top.addWidget(button)
        top.addWidget(self.enabled)
        column.addLayout(top)
        reached = self.server.url or command_line(self.server.command)
        column.addWidget(label(self, reached, "muted", "small"))
        column.addWidget(self.state)
        row = hbox()
        row.addWidget(self.sign_in)
        row.addWidget(self.sign_out)
        row.addStretch(1)
        column.addLayout(row)

    def _retranslate(self) -> None:
        self.test.setText(self.tr("Test"))
        self.edit.setText(self.tr("Edit…"))
        self.remove.setText(self.tr("Remove"))
        self.enabled.setText(self.tr("On"))
        self._retranslate_sign_in()
        self.sign_out.setText(self.tr("Sign out"))
        for control, words in (
            (self.enabled, self.tr("Use {server}")),
            (self.test, self.tr("Test {server}")),
            (self.edit, self.tr("Edit {server}")),
            (self.remove, self.tr("Remove {server}")),
        ):
            control.setAccessibleName(words.format(server=self.server.name))
        if self._state is not None:
            self.show_state(self._state)

    def _offers(self, state: ServerState) -> str:
        """Return what a server has, in words."""
        tools = [tool.spec.name.removeprefix(f"{state.server_id}__") for tool in state.tools]
        lines = [self.tr("Tools ({count}): {names}").format(count=len(tools), names=_format_names(tools))]
        if state.prompts:
            names = [prompt.name for prompt in state.prompts]
            lines.append(
                self.tr("Prompts ({count}): {names}").format(count=len(names), names=_format_names(names))
            )
        if state.resources:
            names = [resource.name for resource in state.resources]
            lines.append(
                self.tr("Resources ({count}): {names}").format(count=len(names), names=_format_names(names))
            )
        return "\n".join(lines)

    def _look_whether_signed_in(self) -> None:
        if self.server.url:
            secret = server_secret(self.server.id, TOKENS)
            self._context.loop.run(
                self, partial(self._context.preferences.has_secret, secret), self.sign_out.setVisible
            )

    @Slot()
    def _on_sign_in_clicked(self) -> None:
        if self._signing_in is not None:
            self._signing_in.cancel()
            return
        job = self._context.loop.run(
            self,
            partial(self._context.tool_servers.sign_in, self.server),
            self._on_signed_in,
            self._on_not_signed_in,
            progressed=self._on_page,
            cancelled=self._on_given_up,
        )
        self._signing_in = job
        self.state.setText(self.tr("Please wait…"))
        self._retranslate_sign_in()

    @Slot(object)
    def _on_page(self, address: str) -> None:
        if open_link(address):
            self.state.setText(self.tr("Continue in your browser."))
        else:
            words = self.tr("Open this page to sign in: {address}").format(address=address)
            self.state.setText(words)

    @Slot(object)
    def _on_signed_in(self, _nothing: object) -> None:
        self._end_sign_in()
        self._look_whether_signed_in()
        self.run_test()

    @Slot()
    def _on_given_up(self) -> None:
        self._end_sign_in()
        if self._state is not None:
            self.show_state(self._state)

    @Slot(object)
    def _on_not_signed_in(self, error: Exception) -> None:
        self._end_sign_in()
        self._on_failed(error)

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self.test.setEnabled(True)
        self.state.show_error(error)

    def _end_sign_in(self) -> None:
        self._signing_in = None
        self._retranslate_sign_in()

    def _retranslate_sign_in(self) -> None:
        self.sign_in.setText(self.tr("Sign in…") if self._signing_in is None else self.tr("Cancel"))

    @Slot()
    def _on_sign_out_clicked(self) -> None:
        self.sign_out.hide()
        self._context.loop.run(self, self._forget_sign_in, self._on_signed_out, self._on_failed)

    async def _forget_sign_in(self) -> None:
        await self._context.preferences.set_secret(server_secret(self.server.id, TOKENS), "")
        await self._context.tool_servers.forget(self.server.id)

    @Slot(object)
    def _on_signed_out(self, _nothing: object) -> None:
        self.run_test()


def _format_names(names: list[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMED])
    return f"{shown}, …" if len(names) > _MOST_NAMED else shown


class ServerList(RecordList):
    """One card per server."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__("mcp_servers", context, parent)
        self._lost: tuple[tuple[str, Consent], ...] = ()
        """Answers to tools of the server that was removed last."""
        self._kept: tuple[McpServer, ...] = ()
        self.add = QPushButton(self)
        self.paste = QPushButton(self)
        self.buttons.addWidget(self.add)
        self.buttons.addWidget(self.paste)
        self.add.clicked.connect(partial(self.open_dialog, None))
        self.paste.clicked.connect(self.open_paste)
        self.fill()

    def make_card(self, record: McpServer) -> McpServerCard:
        """Return the card of a server."""
        card = McpServerCard(record, self._context, self)
        card.edit_asked.connect(self._on_edit_asked)
        return card

    def secrets_of(self, record: McpServer) -> Iterable[str]:
        """Return the names of all secrets of a server."""
        return all_secrets(record)

    def open_dialog(self, server: McpServer | None, _checked: bool = False) -> ServerDialog:
        """Open the dialog that edits a server, or adds one."""
        others = [other for other in self.records if server is None or other.id != server.id]
        taken = {text for other in others for text in (other.id, other.name)}
        dialog = ServerDialog(server, taken, self._context, self)
        dialog.kept.connect(self._on_edited)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    @Slot()
    def open_paste(self) -> PasteDialog:
        """Ask for the configuration of another program."""
        taken = [text for server in self.records for text in (server.id, server.name)]
        dialog = PasteDialog(partial(read_servers, taken=taken), self)
        dialog.read.connect(self._on_pasted)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    @property
    def _settings(self) -> Settings:
        return self._context.store.settings

    def _retranslate(self) -> None:
        super()._retranslate()
        self.add.setText(self.tr("Add tool server…"))
        self.paste.setText(self.tr("Paste configuration…"))
        self.empty.setText(
            self.tr(
                "No tool servers yet. They let models read your calendar, notes or a database, for example."
            )
        )

    @Slot()
    def fill(self) -> None:
        """Make the cards anew, and look at the state of the servers."""
        super().fill()
        self._look()

    def _look(self) -> None:
        if not any(server.is_enabled for server in self.records):
            return
        self._context.loop.run(
            self, self._context.tool_servers.states, self._on_loaded, self.notices.say_failed
        )

    @Slot(object)
    def _on_loaded(self, states: tuple[ServerState, ...]) -> None:
        known = {state.server_id: state for state in states}
        for card in self.cards:
            if card.server.id in known and card.server.is_enabled:
                card.show_state(known[card.server.id])

    @Slot(object)
    def _on_edit_asked(self, server: McpServer) -> None:
        self.open_dialog(server)

    @Slot(object)
    def _on_edited(self, edited: EditedServer) -> None:
        server = edited.server
        before = next((other for other in self.records if other.id == server.id), None)
        if before is not None and (before.command, before.url) != (server.command, server.url):
            # What the user allowed another program does not hold for this one.
            self._context.store.apply(without_server(self._settings, before.name))
        self._keep(edited.secrets, (server,))

    @Slot(object)
    def _on_pasted(self, text: str) -> None:
        taken = [text for server in self.records for text in (server.id, server.name)]
        read = read_servers(text, taken)
        secrets = tuple(secret for each in read for secret in each.secrets)
        self._keep(secrets, tuple(each.server for each in read))

    def _keep(self, secrets: tuple[tuple[str, str], ...], servers: tuple[McpServer, ...]) -> None:
        """Have servers as they are now once their secrets are kept, also if this page is closed before."""
        self._kept = servers
        deleted = self.end_undo({server.id for server in servers})
        job = self._context.store.keep_secrets((*deleted, *secrets))
        job.succeeded.connect(partial(_put, self._context.store, servers))
        job.succeeded.connect(self._on_kept)
        job.failed.connect(self.notices.say_failed)

    @Slot(object)
    def _on_kept(self, _nothing: object) -> None:
        self.fill()
        for card in self.cards:
            if card.server in self._kept and card.server.is_enabled:
                card.run_test()

    @Slot(str)
    def remove(self, record_id: str) -> None:
        """Remove a server, and the answers to its tools."""
        name = next(server.name for server in self.records if server.id == record_id)
        before = self._settings.chat.tool_consents
        self._context.store.apply(without_server(self._settings, name))
        self._lost = tuple(kept for kept in before if kept not in self._settings.chat.tool_consents)
        super().remove(record_id)

    @Slot()
    def undo_removal(self) -> None:
        """Put back the server that was removed last, and the answers to its tools."""
        chat = self._settings.chat
        chat = replace(chat, tool_consents=(*chat.tool_consents, *self._lost))
        self._context.store.apply(replace(self._settings, chat=chat))
        self._lost = ()
        super().undo_removal()


def _put(store: SettingsStore, servers: tuple[McpServer, ...], _nothing: object = None) -> None:
    """Put changed servers at their old positions, new ones at the end."""
    by_id = {server.id: server for server in (*store.settings.mcp_servers, *servers)}
    store.apply(replace(store.settings, mcp_servers=tuple(by_id.values())))


class StandingApprovals(Retranslated, QFrame):
    """The standing approval or refusal of each tool, with a button that revokes it."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self._context = context
        self._column = vbox(self, spacing=2, margins=(16, 8, 8, 8))
        self._rows: list[QWidget] = []
        context.store.changed.connect(self._fill_later)
        self._fill()

    def _retranslate(self) -> None:
        self._fill_later()

    @Slot()
    def _fill_later(self) -> None:
        """Fill once the button that asked for it has returned."""
        QTimer.singleShot(0, self, self._fill)

    @Slot()
    def _fill(self) -> None:
        for row in self._rows:
            self._column.removeWidget(row)
            row.deleteLater()
        answers = self._context.store.settings.chat.tool_consents
        self._rows = [self._row(key, consent) for key, consent in answers]
        if not self._rows:
            self._rows = [label(self, self.tr("No saved permissions"), "muted")]
        for row in self._rows:
            self._column.addWidget(row)

    def _row(self, key: str, consent: Consent) -> QWidget:
        server, _, tool = key.partition("/")
        holder = QWidget(self)
        row = hbox(holder, spacing=10)
        name = f"{server} · {tool.partition('__')[2] or tool}" if server else tool
        row.addWidget(label(holder, name), 1)
        is_allowed = consent is Consent.ALWAYS
        words = self.tr("Always allowed") if is_allowed else self.tr("Never allowed")
        said = label(holder, words, "muted")
        said.setWordWrap(False)
        row.addWidget(said)
        button = QPushButton(self.tr("Ask again"), holder)
        button.setProperty("flat", "true")
        button.setAccessibleName(self.tr("Ask again for {tool}").format(tool=name))
        button.clicked.connect(partial(self._take_back, key))
        row.addWidget(button)
        return holder

    def _take_back(self, key: str, _checked: bool = False) -> None:
        store = self._context.store
        store.apply(with_consent(store.settings, key, None))


def _title() -> str:
    return QCoreApplication.translate("mcp_page", "Tools")


def _rows(_context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    return (
        HeadingRow(
            translate("mcp_page", "Tool servers"),
            translate(
                "mcp_page",
                "MCP servers add tools for models. Tools ask before they run. Add only servers you trust.",
            ),
        ),
        Panel(ServerList, (translate("mcp_page", "Tool servers"), "MCP")),
        HeadingRow(
            translate("mcp_page", "Saved permissions"),
            translate("mcp_page", "Tools you always allow or always block."),
        ),
        Panel(StandingApprovals, (translate("mcp_page", "Saved permissions"),)),
    )


PAGE = SettingsPageWidget("tools", "tools", _title, _rows)
