"""Every dialog on a small screen, in both languages: no larger than it, nothing cut, its buttons in reach."""

import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QDialog,
    QLabel,
    QPushButton,
    QScrollArea,
    QWidget,
)

from desktop import ui
from desktop.domain.backups import HERE, BackupCopy, CopyContents, FileContents, ImportSource
from desktop.domain.models import ModelInfo
from desktop.domain.program import Release
from desktop.domain.search import EngineHealth
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.domain.tools import PromptArgument, ServerPrompt
from desktop.domain.trace import Trace
from desktop.settings.model import McpServer, OwnEngine
from desktop.ui.chat.welcome import Welcome
from desktop.ui.composer.prompts import PromptDialog
from desktop.ui.controllers.branch_controller import ComparisonDialog
from desktop.ui.dialogs.browser_dialogs import BrowserDownloadDialog, CaptchaDialog
from desktop.ui.dialogs.guide_dialogs import GuideDialog, ReleaseNotesDialog
from desktop.ui.dialogs.history_dialog import HistoryDialog
from desktop.ui.dialogs.inspector_dialog import Inspection, InspectorDialog, InspectorView
from desktop.ui.dialogs.private_passages import PrivatePassagesDialog
from desktop.ui.dialogs.shortcut_sheet import ShortcutSheet
from desktop.ui.dialogs.topics_dialog import TopicsDialog
from desktop.ui.dialogs.transfer_dialog import ImportDialog, RestoreDialog, TransferDialog
from desktop.ui.knowledge.manager import KnowledgeManager
from desktop.ui.knowledge.manager_controller import ManagerContext
from desktop.ui.settings.dialog import PAGES, SettingsDialog
from desktop.ui.settings.pages.help import ReportDialog
from desktop.ui.settings.pages.knowledge_models import CustomModelDialog
from desktop.ui.settings.pages.search_engines import CustomEngineDialog
from desktop.ui.settings.pages.tool_server_dialogs import PasteDialog, ServerDialog
from desktop.ui.stores.conversations import HistorySearch
from desktop.ui.viewer.loader import ViewRequest
from desktop.ui.viewer.window import SourceViewer
from desktop.ui.widgets.dialog import FormDialog, ScreenFitDialog, ScrollableForm
from desktop.ui.widgets.layout import ElidedLabel
from tests.cases import cases
from tests.ui.fakes.scripts import script_result
from tests.ui.settings.test_dialog import OLLAMA

ROOM = QSize(900, 500)
"""What a screen of 1024 × 600, or one of 1920 × 1200 at 200 %, leaves between panels and the edges of a window."""

NARROW = QSize(700, 600)
"""A window beside another one, in which text of 150 % has to fit, too."""

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LONG = "A question that somebody has asked at some length, so that it takes more than one line. " * 4

RELEASE = Release("0.2.0", "2026-12-24", "https://footnote.example/0.2.0", (("en", LONG * 20),))


def kinds(of: type[QDialog] = QDialog) -> Iterator[type[QDialog]]:
    """Yield every class of dialogs in the program."""
    for each in of.__subclasses__():
        if each.__module__.startswith(ui.__name__):
            yield each
            yield from kinds(each)


def program() -> McpServer:
    """A server of tools with all that can be said of one."""
    words = {f"VARIABLE_{number}": "x" for number in range(12)}
    secrets = tuple(f"SECRET_{number}" for number in range(12))
    return McpServer(
        "many", "Many", ("npx", "-y", "server"), environment=tuple(words.items()), secret_names=secrets
    )


def source():
    ledger = Ledger()
    ledger.register([Passage(SourceKind.FILE, "gone.txt", LONG, Path("/gone.txt").as_uri(), "d" * 64)])
    return ledger.sources[0]


def dialogs(window, engine, loop) -> dict[type[QWidget], QWidget]:
    """Make one of each, with more in it than people have as a rule."""
    port, context, outer = engine.port, window.opener.context(), window.window()
    models = tuple(ModelInfo(f"model-{number}", f"Model {number}", "provider") for number in range(60))
    arguments = tuple(PromptArgument(f"argument {number}", LONG, is_required=True) for number in range(12))
    copy = BackupCopy(HERE, "a.db", NOON)
    script_result(engine.transfers, "examine", FileContents(ImportSource.PROFILE, ()))
    script_result(engine.backups, "preview", CopyContents(copy, (), only_here=4, memories=2))
    history = HistorySearch(port.history, loop, outer)
    means = ManagerContext(window.knowledge_store, port.knowledge, port.embedders, window.store, loop)
    made = (
        BrowserDownloadDialog(port.browser, loop, outer),
        ComparisonDialog(models, (), outer),
        TopicsDialog(port.topics, loop, window.asking.new_topic, outer),
        GuideDialog("models", outer),
        CaptchaDialog(EngineHealth("bing", "Bing"), port.searches, loop, outer),
        HistoryDialog(history, outer),
        ImportDialog(Path("nothing.zip"), port.transfers, loop, outer),
        InspectorDialog(InspectorView(Inspection(LONG, Trace(queries=(LONG,) * 20)), {}), outer),
        KnowledgeManager(means, outer),
        CustomEngineDialog(OwnEngine("Mine", "https://example.org/?q=%s"), (), outer),
        CustomModelDialog((), outer),
        PasteDialog(str, outer),
        PrivatePassagesDialog((source(),) * 8, outer),
        PromptDialog(ServerPrompt("s", "server", "prompt", LONG, arguments), outer),
        ReportDialog(LONG * 100, outer),
        ReleaseNotesDialog(port, context.store, loop, RELEASE, outer),
        RestoreDialog(copy, port.backups, loop, outer),
        ServerDialog(program(), (), context, outer),
        SettingsDialog(context, outer),
        ShortcutSheet(window.store.settings.window, outer),
        SourceViewer(ViewRequest(source()), port.knowledge, loop, outer),
    )
    return {type(each): each for each in made}


def cut(window: QWidget) -> list[str]:
    """Return what cannot be seen of a window, nor be scrolled to."""
    found = [
        each for kind in (QLabel, QAbstractButton) for each in window.findChildren(kind) if each.isVisible()
    ]
    fixed = [each for each in found if not any(isinstance(one, QAbstractScrollArea) for one in around(each))]
    return [
        *(f"“{each.text()}” is outside" for each in fixed if not window.rect().contains(place_of(each))),
        *(f"“{each.text()}” is cut" for each in fixed if each.heightForWidth(each.width()) > each.height()),
    ]


def find_letter_controls(dialog: QWidget) -> list[QAbstractButton | QLabel]:
    """Return what an access key can press or lead to: buttons, and labels of fields."""
    found = [
        *dialog.findChildren(QAbstractButton),
        *(each for each in dialog.findChildren(QLabel) if each.buddy()),
    ]
    return [each for each in found if each.isVisible() and each.window() is dialog]


def too_wide(window: QWidget) -> list[str]:
    """Return the texts that are wider than their label or button, those cut below, and areas that scroll sideways."""
    areas = [each for each in window.findChildren(QScrollArea) if each.isVisible()]
    seen = [
        each for kind in (QLabel, QAbstractButton) for each in window.findChildren(kind) if each.isVisible()
    ]
    texts = [each for each in seen if each.text() and not isinstance(each, ElidedLabel)]
    return [
        *(f"{type(each).__name__} scrolls" for each in areas if each.horizontalScrollBar().maximum() > 0),
        *(f"“{each.text()}” is too wide" for each in texts if each.minimumSizeHint().width() > each.width()),
        *(f"“{each.text()}” is cut" for each in texts if each.heightForWidth(each.width()) > each.height()),
    ]


def letters_that_stand_twice(dialog: QWidget) -> list[str]:
    """Return the letters that would press more than one of the buttons, or lead to more than one field."""
    letters = Counter(QKeySequence.mnemonic(each.text()).toString() for each in find_letter_controls(dialog))
    return [f"{letter} stands {count} times" for letter, count in letters.items() if letter and count > 1]


def without_letters(dialog: QWidget, language: str) -> list[str]:
    """Return the push buttons, and in English the labels, that no letter reaches although some are left."""
    if not isinstance(dialog, QDialog):
        return []
    texts = [
        each.text()
        for each in find_letter_controls(dialog)
        if language == "en" or isinstance(each, QPushButton)
    ]
    taken = {QKeySequence.mnemonic(text).toString()[-1:] for text in texts}
    return [
        f"“{text}” has no letter"
        for text in texts
        if text and "&" not in text and set(re.sub(r"\W", "", text.upper())) - taken
    ]


def place_of(widget: QWidget) -> QRect:
    return QRect(widget.mapTo(widget.window(), QPoint()), widget.size())


def around(widget: QWidget) -> Iterator[QWidget]:
    """Yield what a widget lies in."""
    while not widget.isWindow():
        widget = widget.parentWidget()
        yield widget


def every_kind() -> set[type[QWidget]]:
    for module in pkgutil.walk_packages(ui.__path__, f"{ui.__name__}."):
        importlib.import_module(module.name)
    return {*kinds(), SourceViewer} - {ScreenFitDialog, FormDialog, TransferDialog}


@pytest.mark.parametrize(
    ("language", "size"), [("en", (1.0, ROOM)), ("zh_CN", (1.0, ROOM)), ("en", (1.5, NARROW))]
)
def test_all_dialogs_fit(language, size, window, engine, qtbot):
    text_size, room = size
    set_looks(window, text_size, language)
    made = dialogs(window, engine, engine.loop)
    assert set(made) == every_kind()
    screen = window.screen().availableSize()
    problems = {}
    for kind, dialog in made.items():
        with qtbot.wait_exposed(dialog):
            dialog.show()
        assert dialog.size() == dialog.size().boundedTo(screen), kind
        dialog.resize(dialog.size().boundedTo(room))
        assert dialog.size() == dialog.size().boundedTo(room), kind
        QCoreApplication.processEvents()
        problems[kind.__name__] = cut(dialog) + too_wide(dialog)
        qtbot.keyPress(dialog, Qt.Key.Key_Alt)
        QCoreApplication.sendPostedEvents(dialog)
        problems[kind.__name__] += letters_that_stand_twice(dialog) + without_letters(dialog, language)
        qtbot.keyRelease(dialog, Qt.Key.Key_Alt)
        dialog.close()
    assert {name: found for name, found in problems.items() if found} == {}


def set_looks(window, text_size, language) -> None:
    store = window.store
    window.looks.translations.use(language)
    looks = replace(store.settings.window, text_size=text_size, language=language)
    store.apply(replace(store.settings, window=looks))


def wait_until_it_fits(shown, qtbot) -> None:
    """Wait for the places of all widgets, which they take by events."""

    def fits() -> None:
        assert too_wide(shown) == []

    qtbot.wait_until(fits)


@cases(
    "width, text_size, language",
    [(700, 1.5, "en"), (700, 1.5, "zh_CN"), (700, 2.0, "en")],
)
def test_settings_fit(width, text_size, language, window, qtbot):
    set_looks(window, text_size, language)
    window.store.apply(replace(window.store.settings, providers=(OLLAMA,)))
    dialog = SettingsDialog(window.opener.context(), window.window())
    with qtbot.wait_exposed(dialog):
        dialog.show()
    dialog.resize(width, 620)
    for page in PAGES:
        dialog.go_to(page.id)
        wait_until_it_fits(dialog, qtbot)
    shiboken6.delete(dialog)  # or the next size would be for its pages, too


@cases(
    "width, looks",
    [(700, (1.5, "en")), (700, (1.5, "zh_CN")), (1400, (2.0, "en"))],
)
def test_the_welcome_fits(width, looks, window, engine, qtbot):
    set_looks(window, *looks)
    script_result(engine.preferences, "local_providers", (replace(OLLAMA, name="A server with a name"),))
    welcome = Welcome(window.opener.context())
    welcome.resize(width, 620)
    with qtbot.wait_exposed(welcome):
        welcome.show()
    welcome.look_around()
    qtbot.wait_until(welcome.local.use.isVisible)
    wait_until_it_fits(welcome, qtbot)
    shiboken6.delete(welcome)


def test_a_field_that_comes_to_many_is_in_view(context, qtbot):
    dialog = ServerDialog(program(), (), context)
    qtbot.add_widget(dialog)
    with qtbot.wait_active(dialog):
        dialog.show()
        dialog.activateWindow()
    scrolled = dialog.findChild(ScrollableForm)
    qtbot.mouseClick(dialog.secrets.add, Qt.MouseButton.LeftButton)
    came = dialog.secrets.fields[-1].name
    qtbot.wait_until(came.hasFocus)
    place = QRect(QPoint(), came.size())
    qtbot.wait_until(
        lambda: (
            scrolled.viewport().rect().contains(place.translated(came.mapTo(scrolled.viewport(), QPoint())))
        ),
    )
