"""The doctor, the log and the report in the window."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton

from desktop.domain.program import Check, CheckStatus, FixAction
from desktop.phrases import TranslatableMessage, translatable
from desktop.ui.settings.dialog import SettingsDialog
from desktop.ui.settings.pages.help import (
    DiagnosticRow,
    DiagnosticsPanel,
    ReportDialog,
    advice_of,
    name_of_check,
    page_of_check,
)
from desktop.ui.settings.rows import do_nothing
from tests.cases import cases
from tests.ui.fakes.scripts import record_calls, script_steps

CHECKS = (
    Check("program", CheckStatus.OK, "Footnote 1"),
    Check(
        "keyring",
        CheckStatus.WARNING,
        translatable("no response"),
        translatable("Choose another one in Settings > Knowledge."),
    ),
)


@pytest.fixture(autouse=True)
def findings(engine):
    """Have the doctor find a sound program and a keyring that does not respond."""
    script_steps(engine.diagnostics, "examine", *CHECKS)


@pytest.fixture
def check_up(engine, loop, qtbot):
    widget = DiagnosticsPanel(engine.port.diagnostics, loop, do_nothing, lambda _page_id: None)
    qtbot.add_widget(widget)
    widget.show()
    return widget


def test_findings_come_with_what_to_do_in_the_language_of_now(check_up, translations, qtbot):
    translations.use("zh_CN")
    for _time in range(2):
        with qtbot.wait_signal(check_up.finished):
            check_up.start.click()

    def shown():
        return [each.text() for each in check_up.findChildren(QLabel) if each.isVisible()]

    qtbot.wait_until(lambda: shown().count("没有响应") == 1)
    assert "请在“设置 > 知识库”中选择另一个。" in shown()
    assert check_up.start.isEnabled()


def test_a_report_is_seen_before_it_is_copied(check_up, engine, qtbot):
    with qtbot.wait_signal(check_up.finished):
        check_up.start.click()
    reported = record_calls(engine.diagnostics, "report")
    check_up.report.click()
    qtbot.wait_until(lambda: check_up.findChild(ReportDialog) is not None)
    [(checks, window)] = reported
    assert [check.name for check in checks] == ["program", "keyring"]
    assert "Qt" in window
    dialog = check_up.findChild(ReportDialog)
    dialog.text.setPlainText("# Report, shortened")
    dialog.copy.click()
    assert QGuiApplication.clipboard().text() == "# Report, shortened"


def test_every_kind_of_check_has_a_name():
    engine = TranslatableMessage("engine {name}", {"name": "Bing {1}"})
    assert name_of_check(engine) == "Search engine Bing {1}"
    assert page_of_check(engine) == "search"
    assert name_of_check("engine room") == "engine room"
    assert name_of_check("data") == "Data folder"
    assert name_of_check("something else") == "something else"


def test_a_finding_leads_to_the_page_where_something_can_be_done(context, qtbot):
    dialog = SettingsDialog(context)
    qtbot.add_widget(dialog)
    dialog.show()
    dialog.go_to("help")
    check_up = dialog.findChild(DiagnosticsPanel)
    with qtbot.wait_signal(check_up.finished):
        check_up.start.click()
    sound, warned = check_up.findChildren(DiagnosticRow)
    assert not hasattr(sound, "way")
    warned.way.click()
    assert dialog.list.currentItem().text() == "Models"


@cases("language", ["en", "zh_CN"])
@cases("remedy", [each for each in FixAction if each])
def test_no_advice_of_the_window_names_a_command(remedy, language, translations):
    translations.use(language)
    told = advice_of(Check("x", CheckStatus.WARNING, "bad", "Run: footnote kb status x", remedy))
    assert told
    assert "footnote" not in told.lower()
    assert told.isascii() is (language == "en")
    assert advice_of(Check("x", CheckStatus.WARNING, "bad", "Run it.")) == "Run it."


def test_a_finding_leads_to_the_bases_and_the_settings_are_out_of_the_way(context, engine, qtbot):
    shown = []
    check = Check(
        "knowledge", CheckStatus.WARNING, "2 failed", "footnote kb status x", FixAction.READ_REASONS
    )
    script_steps(engine.diagnostics, "examine", check)
    dialog = SettingsDialog(replace(context, show_knowledge=lambda: shown.append(dialog.isVisible())))
    qtbot.add_widget(dialog)
    dialog.show()
    dialog.go_to("help")
    check_up = dialog.findChild(DiagnosticsPanel)
    with qtbot.wait_signal(check_up.finished):
        check_up.start.click()
    [finding] = check_up.findChildren(DiagnosticRow)
    assert finding.way.text() == "Knowledge"
    finding.way.click()
    assert shown == [False]


def test_the_help_page_opens_the_folder_of_the_log(context, engine, qtbot, monkeypatch):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    dialog = SettingsDialog(context)
    qtbot.add_widget(dialog)
    dialog.show()
    dialog.go_to("help")
    [button] = [each for each in dialog.findChildren(QPushButton) if each.text() == "Open log folder"]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert opened == [QUrl.fromLocalFile(str(engine.diagnostics.log_folder))]
