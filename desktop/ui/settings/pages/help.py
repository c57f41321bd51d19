"""The pages of help: the checks of the doctor and a report of them, the log and the guide; and what versions and licences there are."""

import asyncio
import re
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, metadata, requires
from textwrap import shorten

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import QCoreApplication, QSize, Qt, QUrl, Signal, Slot, qVersion
from PySide6.QtGui import QDesktopServices, QGuiApplication, QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QWidget

from desktop import __version__
from desktop.background import BackgroundLoop, Job
from desktop.chat.api.system import Diagnostics
from desktop.domain.program import Check, CheckStatus, FixAction, InstalledProgram
from desktop.phrases import TranslatableMessage
from desktop.resources import GUIDE_PAGES
from desktop.ui.actions import QT_TRANSLATE_NOOP
from desktop.ui.dialogs.shortcut_sheet import ShortcutSheet
from desktop.ui.settings.controls import Fact, FactList
from desktop.ui.settings.rows import (
    HeadingRow,
    Panel,
    Paragraph,
    SettingsContext,
    SettingsPageWidget,
    SettingsRow,
    show_guide,
)
from desktop.ui.widgets.dialog import ScreenFitDialog
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.labels import localize_message
from desktop.ui.widgets.layout import WrappingRow, hbox, label, vbox
from desktop.ui.widgets.notice_bar import StatusLabel

_PROGRAM = "footnote"
_CLASSIFIER = "License :: OSI Approved :: "
_MOST_CHARS = 48
"""Some packages put the whole text of a licence where its name belongs."""

_NAME = re.compile(r"[\w.-]+")


async def load_libraries() -> tuple[Fact, ...]:
    """Return a fact for each library that is installed."""
    return await asyncio.to_thread(_list_installed)


def identity(facts: object) -> Sequence[Fact]:
    """Return loaded facts unchanged, for a `FactList`."""
    assert isinstance(facts, tuple)
    return facts


def _list_installed() -> tuple[Fact, ...]:
    found = {}
    for name in _names():
        try:
            about = metadata(name)
        except PackageNotFoundError:  # one of another system, or none of a checkout that was never installed
            continue
        fields = {key.casefold(): about[key] for key in about}
        found[name] = Fact(
            f"{fields['name']} {fields['version']}", value=_license(fields, about.get_all("Classifier"))
        )
    return tuple(found[name] for name in sorted(found))


def _names() -> tuple[str, ...]:
    try:
        wanted = requires(_PROGRAM) or []
    except PackageNotFoundError:
        return ()
    matches = (_NAME.match(requirement) for requirement in wanted if "extra ==" not in requirement)
    return tuple(found.group().casefold() for found in matches if found is not None)


def _license(fields: dict[str, str], classifiers: Sequence[str] | None) -> str:
    if expression := fields.get("license-expression", ""):
        return shorten(expression, _MOST_CHARS, placeholder=" …")
    first = fields.get("license", "").strip().partition("\n")[0]
    if first and len(first) <= _MOST_CHARS:
        return first
    named = (each.removeprefix(_CLASSIFIER) for each in classifiers or () if each.startswith(_CLASSIFIER))
    return next(named, "")


def _about_title() -> str:
    return QCoreApplication.translate("about_page", "About")


def _about_rows(context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    versions = translate("about_page", "Version {version} · Qt {qt} · PySide {pyside}")
    return (
        HeadingRow("Footnote", translate("about_page", "A chat client whose answers cite their sources.")),
        Paragraph(versions.format(version=__version__, qt=qVersion(), pyside=pyside_version)),
        Paragraph(_describe_installation(context.engine.updates.program)),
        Paragraph(
            translate(
                "about_page",
                "Questions go to the model and search engines you choose. Chats and files stay on this computer. See Settings > Privacy.",
            )
        ),
        HeadingRow(
            translate("about_page", "Made with"),
            translate(
                "about_page",
                "Third-party libraries, each under its own license. Footnote is under the MIT license.",
            ),
        ),
        Panel(_libraries, (translate("about_page", "Licenses"),)),
    )


def _describe_installation(program: InstalledProgram) -> str:
    words = QCoreApplication.translate("about_page", "This copy is {form}.")
    return words.format(form=localize_message(program.form))


def _libraries(context: SettingsContext, parent: QWidget) -> QWidget:
    return FactList(load_libraries, identity, "", context.loop, parent)


ABOUT_PAGE = SettingsPageWidget("about", "info", _about_title, _about_rows)


_NAMES = {
    "program": QT_TRANSLATE_NOOP("check_words", "Program"),
    "updates": QT_TRANSLATE_NOOP("check_words", "Updates"),
    "data": QT_TRANSLATE_NOOP("check_words", "Data folder"),
    "browser": QT_TRANSLATE_NOOP("check_words", "Browser"),
    "keyring": QT_TRANSLATE_NOOP("check_words", "Keyring"),
    "tavily": "Tavily",
    "local models": QT_TRANSLATE_NOOP("check_words", "Models on this computer"),
    "knowledge": QT_TRANSLATE_NOOP("check_words", "Knowledge"),
    "embedding model": QT_TRANSLATE_NOOP("check_words", "Embedding model"),
    "scans": QT_TRANSLATE_NOOP("check_words", "Scans"),
    "reranker": QT_TRANSLATE_NOOP("check_words", "Reranker"),
    "engine {name}": QT_TRANSLATE_NOOP("check_words", "Search engine {name}"),
    "model server {name}": QT_TRANSLATE_NOOP("check_words", "Provider {name}"),
    "chroma server {name}": QT_TRANSLATE_NOOP("check_words", "Chroma server {name}"),
}
"""By the name of a check, or its template."""

_REMEDIES = {
    FixAction.READ_REASONS: QT_TRANSLATE_NOOP(
        "check_words", "Open Knowledge to see why items failed and to retry."
    ),
    FixAction.TEST_ENGINE: QT_TRANSLATE_NOOP("check_words", "Test it in Settings > Search."),
    FixAction.SHOW_PAGE: QT_TRANSLATE_NOOP("check_words", "Verify it in Settings > Search."),
    FixAction.GET_BROWSER: QT_TRANSLATE_NOOP(
        "check_words", "Download one in Settings > Search, or install Google Chrome."
    ),
}
_PAGES = {
    "updates": "program",
    "data": "data",
    "browser": "search",
    "keyring": "models",
    "tavily": "search",
    "local models": "models",
    "knowledge": "knowledge",
    "embedding model": "knowledge",
    "scans": "knowledge",
    "reranker": "knowledge",
    "engine {name}": "search",
    "model server {name}": "models",
    "chroma server {name}": "knowledge",
}


def page_of_check(name: str) -> str:
    """Return the settings page where the user can fix a failed check; empty if there is none."""
    return _PAGES.get(_template_of(name), "")


def advice_of(check: Check) -> str:
    """Return advice for a check, preferably a way in the window; empty if nothing needs to be done."""
    if check.remedy in _REMEDIES:
        return QCoreApplication.translate("check_words", _REMEDIES[check.remedy])
    return localize_message(check.advice)


def name_of_check(name: str) -> str:
    """Return the translated name of a check; an unknown one keeps its name."""
    words = _NAMES.get(_template_of(name))
    if words is None:
        return name
    fields = name.fields if isinstance(name, TranslatableMessage) else {}
    return QCoreApplication.translate("check_words", words).format(**fields)


def _template_of(name: str) -> str:
    return name.template if isinstance(name, TranslatableMessage) else name


_ICONS = {CheckStatus.OK: "check", CheckStatus.WARNING: "warning", CheckStatus.FAILED: "close"}
_ICON = QSize(18, 18)
_REPORT = QSize(720, 540)


class DiagnosticRow(QWidget):
    """One check: an icon, its subject, its result, and what to do.

    Signals:
        page_asked: id of the settings page where the problem can be solved.
        knowledge_asked: the problem can be solved in the knowledge manager.
    """

    page_asked = Signal(str)
    knowledge_asked = Signal()

    def __init__(self, check: Check, parent: QWidget) -> None:
        super().__init__(parent)
        sign = QLabel(self)
        is_sound = check.status is CheckStatus.OK
        role = QPalette.ColorRole.PlaceholderText if is_sound else QPalette.ColorRole.BrightText
        sign.setPixmap(icon(_ICONS[check.status], self.palette(), role).pixmap(_ICON))
        words = {
            CheckStatus.OK: self.tr("OK"),
            CheckStatus.WARNING: self.tr("Needs attention"),
            CheckStatus.FAILED: self.tr("Not working"),
        }
        sign.setToolTip(words[check.status])
        row = hbox(self, spacing=12, margins=(0, 5, 0, 5))
        row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        texts = vbox(spacing=1)
        name = label(self, name_of_check(check.name))
        name.setProperty("strong", "true")
        texts.addWidget(name)
        texts.addWidget(label(self, localize_message(check.detail), *(() if is_sound else ("danger",))))
        if not is_sound and (words_to_do := advice_of(check)):
            advice = label(self, words_to_do, "muted")
            advice.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            texts.addWidget(advice)
        row.addLayout(texts, 1)
        if not is_sound:
            self._add_way(check, name.text(), row)
        self.setAccessibleName(f"{name.text()}: {words[check.status]}. {localize_message(check.detail)}")

    def _add_way(self, check: Check, name: str, row: QHBoxLayout) -> None:
        page = page_of_check(check.name)
        if check.remedy is FixAction.READ_REASONS:
            self.way = QPushButton(self.tr("Knowledge"), self)
            self.way.clicked.connect(self.knowledge_asked)
        elif page:
            self.way = QPushButton(self.tr("Settings"), self)
            self.way.setAccessibleName(self.tr("Settings for {name}").format(name=name))
            self.way.clicked.connect(partial(self._on_way_clicked, page))
        else:
            return
        row.addWidget(self.way, 0, Qt.AlignmentFlag.AlignTop)

    def _on_way_clicked(self, page: str, _checked: bool = False) -> None:
        self.page_asked.emit(page)


class DiagnosticsPanel(QWidget):
    """Runs all checks on request, and shows each result as it arrives.

    Signals:
        finished: all checks have run.
    """

    finished = Signal()

    def __init__(
        self,
        diagnostics: Diagnostics,
        loop: BackgroundLoop,
        show_knowledge: Callable[[], None],
        show_page: Callable[[str], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._show_knowledge = show_knowledge
        self._show_page = show_page
        self._diagnostics = diagnostics
        self._loop = loop
        self.checks: list[Check] = []
        self._job: Job | None = None
        self.start = QPushButton(self.tr("Run check"), self)
        self.report = QPushButton(self.tr("Create report…"), self)
        self.state = StatusLabel(self, "muted")
        row = WrappingRow()
        for widget in (self.start, self.report, self.state):
            row.addWidget(widget)
        self._findings = QWidget(self)
        vbox(self._findings, spacing=0)
        column = vbox(self, spacing=6, margins=(0, 4, 0, 4))
        column.addLayout(row)
        column.addWidget(self._findings)
        self.start.clicked.connect(self.examine)
        self.report.clicked.connect(self._on_report_clicked)

    @Slot()
    def examine(self) -> None:
        """Run all checks again."""
        for old in self._findings.findChildren(DiagnosticRow):
            old.hide()
            old.deleteLater()
        self.checks = []
        self.start.setEnabled(False)
        self.state.setText(self.tr("Checking…"))
        self._job = self._loop.run(
            self, self._diagnostics.examine, self._on_done, self._on_failed, progressed=self._on_found
        )

    @Slot(object)
    def _on_found(self, check: Check) -> None:
        self.checks.append(check)
        column = self._findings.layout()
        assert column is not None
        finding = DiagnosticRow(check, self._findings)
        finding.page_asked.connect(self._show_page)
        finding.knowledge_asked.connect(self._on_knowledge_asked)
        column.addWidget(finding)

    @Slot()
    def _on_knowledge_asked(self) -> None:
        show = self._show_knowledge
        self.window().close()  # it keeps all other windows from being used
        show()

    @Slot(object)
    def _on_done(self, _nothing: object) -> None:
        self.start.setEnabled(True)
        count = sum(check.status is not CheckStatus.OK for check in self.checks)
        self.state.setText(
            self.tr("%n check(s) need attention", None, count) if count else self.tr("No problems found.")
        )
        self.finished.emit()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self.start.setEnabled(True)
        self.state.show_error(error)

    @Slot()
    def _on_report_clicked(self) -> None:
        window = f"Qt {qVersion()} · PySide {pyside_version} · {QGuiApplication.platformName()}"
        self._loop.run(
            self,
            partial(self._diagnostics.report, tuple(self.checks), window),
            self._on_reported,
            self._on_failed,
        )

    @Slot(object)
    def _on_reported(self, text: str) -> None:
        dialog = ReportDialog(text, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()


class ReportDialog(ScreenFitDialog):
    """Shows the report before the user copies it; nothing is sent."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Report"))
        self.resize(_REPORT)
        words = self.tr(
            "API keys and your folder name are removed. Check it for other private details before you share it."
        )
        self.text = QPlainTextEdit(text, self)
        self.text.setObjectName("lines")
        self.text.setAccessibleName(self.tr("Report"))
        self.text.setTabChangesFocus(True)
        self.copy = QPushButton(self.tr("Copy"), self)
        self.copy.setProperty("primary", "true")
        close = QPushButton(self.tr("Close"), self)
        buttons = hbox(spacing=8)
        buttons.addStretch(1)
        buttons.addWidget(close)
        buttons.addWidget(self.copy)
        column = vbox(self, spacing=12, margins=(20, 18, 20, 16))
        column.addWidget(label(self, words, "muted"))
        column.addWidget(self.text, 1)
        column.addLayout(buttons)
        self.copy.clicked.connect(self._on_copy_clicked)
        close.clicked.connect(self.reject)

    @Slot()
    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.accept()


def _title() -> str:
    return QCoreApplication.translate("help_page", "Help")


def _rows(_context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    return (
        HeadingRow(
            translate("help_page", "Troubleshooting"),
            translate(
                "help_page",
                "Checks the browser, keyring, models, search engines and knowledge bases.",
            ),
            guide="troubleshooting",
        ),
        Panel(_check_up, ("doctor", translate("help_page", "Diagnostic report"))),
        HeadingRow(
            translate("help_page", "Log"),
            translate("help_page", "Errors in it may contain your questions. It stays on this computer."),
        ),
        Panel(_log, (translate("help_page", "Open log folder"),)),
        HeadingRow(
            translate("help_page", "User guide"),
            translate("help_page", "Comes with Footnote and can be read offline."),
        ),
        Panel(_guide, (translate("help_page", "Open user guide"),)),
        HeadingRow(translate("help_page", "Shortcuts")),
        Panel(_sheet, (translate("help_page", "Show keyboard shortcuts"),)),
    )


def _check_up(context: SettingsContext, parent: QWidget) -> QWidget:
    return DiagnosticsPanel(
        context.engine.diagnostics, context.loop, context.show_knowledge, context.show_page, parent
    )


def _log(context: SettingsContext, parent: QWidget) -> QWidget:
    words = QCoreApplication.translate("help_page", "Open log folder")
    return _link_button(words, partial(_open_log_folder, context), parent)


def _guide(_context: SettingsContext, parent: QWidget) -> QWidget:
    words = QCoreApplication.translate("help_page", "Open user guide")
    return _link_button(words, partial(show_guide, GUIDE_PAGES[0], parent), parent)


def _sheet(context: SettingsContext, parent: QWidget) -> QWidget:
    words = QCoreApplication.translate("help_page", "Show keyboard shortcuts")
    return _link_button(words, partial(_show_sheet, context, parent), parent)


def _link_button(words: str, open_it: partial[None], parent: QWidget) -> QWidget:
    holder = QWidget(parent)
    row = hbox(holder, margins=(0, 4, 0, 4))
    button = QPushButton(words, holder)
    button.clicked.connect(open_it)
    row.addWidget(button)
    row.addStretch(1)
    return holder


def _open_log_folder(context: SettingsContext, _checked: bool = False) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(context.engine.diagnostics.log_folder)))


def _show_sheet(context: SettingsContext, parent: QWidget, _checked: bool = False) -> None:
    sheet = ShortcutSheet(context.store.settings.window, parent.window())
    sheet.change.hide()
    sheet.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    sheet.open()


PAGE = SettingsPageWidget("help", "help", _title, _rows)
