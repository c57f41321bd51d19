"""Settings of tools: the servers that offer them, and standing approvals."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QTimer, Slot
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from desktop.domain.tools import Consent
from desktop.settings.mcp_servers import with_consent
from desktop.ui.i18n import Retranslated
from desktop.ui.settings.pages.tool_servers import ServerList
from desktop.ui.settings.rows import HeadingRow, Panel, SettingsContext, SettingsPageWidget, SettingsRow
from desktop.ui.widgets.layout import hbox, label, vbox


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
