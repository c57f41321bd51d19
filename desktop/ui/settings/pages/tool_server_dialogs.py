"""The dialogs that edit one tool server, with its secrets, and that import the configuration of another program."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from desktop.background import BackgroundLoop
from desktop.chat.api.system import Preferences
from desktop.errors import ServerUnusable
from desktop.settings.mcp_servers import (
    command_line,
    new_id,
    parse_address,
    parse_command,
    parse_environment,
    server_secret,
)
from desktop.settings.model import McpServer
from desktop.ui.i18n import Retranslated
from desktop.ui.settings.rows import SettingsContext
from desktop.ui.widgets.dialog import ScreenFitDialog, ScrollableForm
from desktop.ui.widgets.layout import NoWheelSpinBox, hbox, label, vbox
from desktop.ui.widgets.notice_bar import StatusLabel

_NAME_WIDTH = 150

_WIDTH = 560
_LINES_HEIGHT = 66
_LONGEST_S = 3_600
_PROGRAM, _ADDRESS = 0, 1

_HEIGHT = 240
_EXAMPLE = """{
  "mcpServers": {
    "time": {"command": "uvx", "args": ["mcp-server-time"]}
  }
}"""


class UnsavedSecretField(Retranslated, QWidget):
    """A field for a secret that is never shown, with a status whether one is stored. The field itself stores nothing.

    Signals:
        removed: the user removes it.
    """

    removed = Signal()

    def __init__(self, name: str | None, parent: QWidget | None = None) -> None:
        """`name` is that of a variable, empty for a new one; None makes it a field without a name."""
        super().__init__(parent)
        self._is_kept = False
        self.is_forgotten = False
        self.name = QLineEdit(name or "", self)
        self.name.setFixedWidth(_NAME_WIDTH)
        self.name.setVisible(name is not None)
        self.value = QLineEdit(self)
        self.value.setEchoMode(QLineEdit.EchoMode.Password)
        self.forget = QPushButton(self)
        self.forget.setProperty("flat", "true")
        self._is_named = name is not None
        row = hbox(self)
        row.addWidget(self.name)
        row.addWidget(self.value, 1)
        row.addWidget(self.forget)
        self.setFocusProxy(self.name if name == "" else self.value)
        self.forget.clicked.connect(self._on_forget_clicked)
        self._retranslate()

    def refresh(self, has_secret: Callable[[], Awaitable[bool]], loop: BackgroundLoop) -> None:
        """Check whether a value is stored."""
        loop.run(self, has_secret, self._on_loaded)

    def _retranslate(self) -> None:
        kept, missing = self.tr("Saved. Enter a new one to replace it"), self.tr("Value")
        if not self._is_named:
            missing = self.tr("If the server requires one")
        self.name.setPlaceholderText(self.tr("NAME"))
        self.name.setAccessibleName(self.tr("Secret variable name"))
        self.value.setPlaceholderText(kept if self._is_kept else missing)
        self.value.setAccessibleName(self.tr("Secret value"))
        self.forget.setText(self.tr("Remove") if self._is_named else self.tr("Clear"))
        self.forget.setVisible(self._is_named or self._is_kept)

    @Slot(object)
    def _on_loaded(self, is_kept: bool) -> None:
        self._is_kept = is_kept
        self._retranslate()

    @Slot()
    def _on_forget_clicked(self) -> None:
        self._is_kept, self.is_forgotten = False, True
        self.value.clear()
        self._retranslate()
        self.removed.emit()


class SecretVariables(Retranslated, QWidget):
    """The environment variables of a tool server whose values are in the keyring."""

    def __init__(
        self,
        secrets: Mapping[str, str],
        preferences: Preferences,
        loop: BackgroundLoop,
        parent: QWidget | None = None,
    ) -> None:
        """`secrets` are the names of the secrets by those of their variables."""
        super().__init__(parent)
        self.fields: list[UnsavedSecretField] = []
        self._rows = vbox(spacing=6)
        self.add = QPushButton(self)
        self.add.setProperty("flat", "true")
        column = vbox(self, spacing=4)
        column.addLayout(self._rows)
        row = hbox()
        row.addWidget(self.add)
        row.addStretch(1)
        column.addLayout(row)
        for name, secret in secrets.items():
            self._add(name).refresh(partial(preferences.has_secret, secret), loop)
        self.add.clicked.connect(self.add_variable)
        self._retranslate()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables, without duplicates."""
        return tuple(dict.fromkeys(filter(None, (field.name.text().strip() for field in self.fields))))

    @property
    def typed(self) -> dict[str, str]:
        """The values that were typed, by the names of their variables."""
        return {name: value for name, value in self._pairs() if name and value}

    @Slot()
    def add_variable(self) -> None:
        """Add fields for one more variable."""
        self._add("").setFocus()

    def _retranslate(self) -> None:
        self.add.setText(self.tr("Add secret variable"))

    def _pairs(self) -> Iterable[tuple[str, str]]:
        return ((field.name.text().strip(), field.value.text().strip()) for field in self.fields)

    def _add(self, name: str) -> UnsavedSecretField:
        field = UnsavedSecretField(name, self)
        field.removed.connect(self._on_removed)
        self.fields.append(field)
        self._rows.addWidget(field)
        return field

    @Slot()
    def _on_removed(self) -> None:
        field = self.sender()
        if isinstance(field, UnsavedSecretField):
            self.fields.remove(field)
            field.hide()
            field.deleteLater()


@dataclass(frozen=True)
class EditedServer:
    """A changed server; `secrets` are new values by their names in the keyring, an empty one deletes it."""

    server: McpServer
    secrets: tuple[tuple[str, str], ...] = ()


class ServerDialog(Retranslated, ScreenFitDialog):
    """Adds a server, or edits `server`. `taken` are the ids and names of the others.

    Signals:
        kept: the EditedServer.
    """

    kept = Signal(object)

    def __init__(
        self,
        server: McpServer | None,
        taken: Collection[str],
        context: SettingsContext,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._server = server
        self._taken = taken
        known = server or McpServer("", "")
        self.name = QLineEdit(known.name, self)
        self.kind = QComboBox(self)
        self.kind.addItems(["", ""])
        self.command = QLineEdit(command_line(known.command), self)
        self.command.setPlaceholderText("npx -y @modelcontextprotocol/server-everything")
        self.words = label(self, "", "muted", "small")
        self.environment = QPlainTextEdit("\n".join(map("=".join, known.environment)), self)
        self.environment.setObjectName("lines")
        self.environment.setPlaceholderText("NAME=value")
        self.environment.setFixedHeight(_LINES_HEIGHT)
        self.environment.setTabChangesFocus(True)
        secrets = {name: server_secret(known.id, name) for name in known.secret_names}
        self.secrets = SecretVariables(secrets, context.preferences, context.loop, self)
        self.address = QLineEdit(known.url, self)
        self.address.setPlaceholderText("https://example.org/mcp")
        self.token = UnsavedSecretField(None, self)
        if known.url:
            self.token.refresh(partial(context.preferences.has_secret, server_secret(known.id)), context.loop)
        self.timeout = NoWheelSpinBox(self)
        self.timeout.setRange(1, _LONGEST_S)
        self.timeout.setValue(round(known.timeout_s))
        self.problem = StatusLabel(self, "danger")
        self.cancel = QPushButton(self)
        self.keep = QPushButton(self)
        self.keep.setDefault(True)
        self.keep.setProperty("primary", "true")
        self._names: dict[QWidget, QLabel] = {}
        self._fields = QWidget(self)
        self._form = QFormLayout(self._fields)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._lay_out()
        self._connect()
        self.kind.setCurrentIndex(_ADDRESS if known.url else _PROGRAM)
        self._retranslate()
        self._show_kind()
        self._show_words()

    def _lay_out(self) -> None:
        column = vbox(self, spacing=12, margins=(20, 18, 20, 16))
        self._form.setSpacing(10)
        self._form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        command = QWidget(self)
        beside = vbox(command, spacing=3)
        beside.addWidget(self.command)
        beside.addWidget(self.words)
        command.setFocusProxy(self.command)
        for field in (
            self.name, self.kind, command, self.environment, self.secrets, self.address, self.token, self.timeout
        ):  # fmt: skip
            name = label(self)
            name.setWordWrap(False)
            name.setBuddy(field)
            self._names[field] = name
            self._form.addRow(name, field)
        column.addWidget(ScrollableForm(self._fields, self), 1)
        column.addWidget(self.problem)
        row = hbox(spacing=8)
        row.addStretch(1)
        row.addWidget(self.cancel)
        row.addWidget(self.keep)
        column.addLayout(row)
        self.setMinimumWidth(_WIDTH)
        self._of_program = (command, self.environment, self.secrets)
        self._of_address = (self.address, self.token)

    def _connect(self) -> None:
        self.kind.currentIndexChanged.connect(self._show_kind)
        self.command.textChanged.connect(self._show_words)
        for edit in (self.name, self.command, self.address, self.environment):
            edit.textChanged.connect(self.problem.clear)
        self.cancel.clicked.connect(self.reject)
        self.keep.clicked.connect(self._on_keep_clicked)

    def _retranslate(self) -> None:
        is_new = self._server is None
        self.setWindowTitle(self.tr("Add tool server") if is_new else self.tr("Edit tool server"))
        self.kind.setItemText(_PROGRAM, self.tr("Program on this computer"))
        self.kind.setItemText(_ADDRESS, self.tr("Address"))
        words = (
            self.tr("Name"),
            self.tr("Type"),
            self.tr("Command"),
            self.tr("Environment"),
            self.tr("Secret variables"),
            self.tr("Address"),
            self.tr("Token"),
            self.tr("Timeout"),
        )
        for (field, name), text in zip(self._names.items(), words, strict=True):
            name.setText(text)
            (field.focusProxy() or field).setAccessibleName(text)
        self.timeout.setSuffix(self.tr(" s"))
        self.cancel.setText(self.tr("Cancel"))
        self.keep.setText(self.tr("Add") if is_new else self.tr("Save"))
        self._show_words()

    @Slot()
    def _show_kind(self) -> None:
        is_address = self.kind.currentIndex() == _ADDRESS
        for field in self._of_program:
            self._form.setRowVisible(field, not is_address)
        for field in self._of_address:
            self._form.setRowVisible(field, is_address)
        self.problem.clear()

    @Slot()
    def _show_words(self) -> None:
        """Show what the program will be given, word for word."""
        try:
            words = parse_command(self.command.text())
        except ServerUnusable:
            self.words.setText(self.tr("Runs without a shell: $, *, | and > have no special meaning."))
            return
        self.words.setText(self.tr("Runs: {words}").format(words="  ".join(f"“{word}”" for word in words)))

    @Slot()
    def _on_keep_clicked(self) -> None:
        try:
            edited = self._read_edited()
        except ServerUnusable as error:
            self.problem.show_error(error)
            return
        if edited.server.name in self._taken:
            self.problem.setText(self.tr("A tool server with this name already exists."))
            return
        self.kept.emit(edited)
        self.accept()

    def _read_edited(self) -> EditedServer:
        """Return what was typed.

        Raises:
            ServerUnusable: it makes no server.
        """
        before = self._server
        if self.kind.currentIndex() == _ADDRESS:
            address = parse_address(self.address.text())
            server = McpServer("", self.name.text().strip() or address.split("/")[2], url=address)
        else:
            command = parse_command(self.command.text())
            environment = parse_environment(self.environment.toPlainText())
            name = self.name.text().strip() or command[0]
            names = self.secrets.names
            server = McpServer("", name, command, environment=environment, secret_names=names)
        server = replace(
            server,
            id=before.id if before else new_id(server.name, self._taken),
            is_enabled=before is None or before.is_enabled,
            timeout_s=float(self.timeout.value()),
        )
        return EditedServer(server, self._list_changed_secrets(server))

    def _list_changed_secrets(self, server: McpServer) -> tuple[tuple[str, str], ...]:
        typed = {name: value for name, value in self.secrets.typed.items() if name in server.secret_names}
        gone = set(self._server.secret_names if self._server else ()) - set(server.secret_names)
        changes = {server_secret(server.id, name): "" for name in gone}
        changes |= {server_secret(server.id, name): value for name, value in typed.items()}
        token = self.token.value.text().strip()
        if server.url and (token or self.token.is_forgotten):
            changes[server_secret(server.id)] = token
        return tuple(changes.items())


class PasteDialog(Retranslated, ScreenFitDialog):
    """Reads tool servers from the JSON configuration of another program, and reports its errors.

    Signals:
        read: the text, in which there are servers.
    """

    read = Signal(object)

    def __init__(self, check: Callable[[str], object], parent: QWidget | None = None) -> None:
        """`check` raises `ServerUnusable` for a text that makes no servers."""
        super().__init__(parent)
        self._check = check
        self._help = label(self, "", "muted")
        self.text = QPlainTextEdit(self)
        self.text.setObjectName("lines")
        self.text.setPlaceholderText(_EXAMPLE)
        self.text.setTabChangesFocus(True)
        self.problem = StatusLabel(self, "danger")
        self.cancel = QPushButton(self)
        self.take = QPushButton(self)
        self.take.setDefault(True)
        self.take.setProperty("primary", "true")
        column = vbox(self, spacing=12, margins=(20, 18, 20, 16))
        column.addWidget(self._help)
        column.addWidget(self.text, 1)
        column.addWidget(self.problem)
        row = hbox(spacing=8)
        row.addStretch(1)
        row.addWidget(self.cancel)
        row.addWidget(self.take)
        column.addLayout(row)
        self.resize(_WIDTH, _HEIGHT)
        self.text.textChanged.connect(self.problem.clear)
        self.cancel.clicked.connect(self.reject)
        self.take.clicked.connect(self._on_take_clicked)
        self._retranslate()

    def _retranslate(self) -> None:
        self.setWindowTitle(self.tr("Paste configuration"))
        self._help.setText(
            self.tr("Paste JSON with “mcpServers”. Keys and tokens are stored in the system keyring.")
        )
        self.text.setAccessibleName(self.tr("Configuration"))
        self.cancel.setText(self.tr("Cancel"))
        self.take.setText(self.tr("Add"))

    @Slot()
    def _on_take_clicked(self) -> None:
        try:
            self._check(self.text.toPlainText())
        except ServerUnusable as error:
            self.problem.show_error(error)
            return
        self.read.emit(self.text.toPlainText())
        self.accept()
