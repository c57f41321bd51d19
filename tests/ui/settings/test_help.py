"""The doctor, the log and the report in the window."""

import logging
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QLabel, QPushButton

from desktop.domain.diagnostics import Check, CheckStatus, FixAction, LogEntry
from desktop.ui.dialogs.log_window import LogColumn, LogFilter, LogModel, LogWindow
from desktop.ui.labels.diagnostics import advice_of, name_of_check
from desktop.ui.settings.dialog import SettingsDialog
from desktop.ui.settings.pages.help import DiagnosticRow, DiagnosticsPanel, ReportDialog
from desktop.ui.settings.rows import nothing
from tests.cases import cases

MOST = 40


def entry(text, level=logging.INFO, origin="desktop.search"):
    return LogEntry("2026-01-01 10:00:00", level, origin, text)


@pytest.fixture
def check_up(engine, loop, qtbot):
    widget = DiagnosticsPanel(engine.port.diagnostics, loop, nothing)
    qtbot.add_widget(widget)
    widget.show()
    return widget


def test_findings_come_with_what_to_do_in_the_language_of_now(check_up, translations, qtbot):
    translations.use("zh_CN")
    for _time in range(2):
        with qtbot.wait_signal(check_up.finished, timeout=20_000):
            check_up.start.click()

    def shown():
        return [each.text() for each in check_up.findChildren(QLabel) if each.isVisible()]

    qtbot.wait_until(lambda: shown().count("没有响应") == 1)
    assert "请在“设置”的“知识库”中选择另一个。" in shown()
    assert check_up.start.isEnabled()


def test_a_report_is_seen_before_it_is_copied(check_up, engine, qtbot):
    with qtbot.wait_signal(check_up.finished, timeout=20_000):
        check_up.start.click()
    check_up.report.click()
    qtbot.wait_until(lambda: check_up.findChild(ReportDialog) is not None)
    [(checks, window)] = engine.diagnostics.reported
    assert [check.name for check in checks] == ["program", "keyring"]
    assert "Qt" in window
    dialog = check_up.findChild(ReportDialog)
    dialog.text.setPlainText("# Report, shortened")
    dialog.copy.click()
    assert QGuiApplication.clipboard().text() == "# Report, shortened"


def test_every_kind_of_check_has_a_name():
    assert name_of_check("engine Bing") == "Search engine Bing"
    assert name_of_check("data") == "Data folder"
    assert name_of_check("something else") == "something else"


def test_the_model_of_the_log_keeps_the_rules_and_forgets_the_oldest(qtmodeltester):
    model = LogModel(most=MOST)
    filtered = LogFilter(model)
    testers = [
        QAbstractItemModelTester(each, QAbstractItemModelTester.FailureReportingMode.Fatal)
        for each in (model, filtered)
    ]
    model.append([entry("one"), entry("two\nlines", logging.ERROR)])
    filtered.filter_entries("two", logging.WARNING)
    assert filtered.rowCount() == 1
    assert filtered.index(0, LogColumn.TEXT).data() == "two"
    model.append([entry(str(number)) for number in range(MOST - 1)])
    assert model.rowCount() == MOST
    assert model.entry(0).text.startswith("two")
    model.append([entry(str(number)) for number in range(MOST + 5)])
    assert model.rowCount() == MOST
    filtered.filter_entries("", logging.NOTSET)
    assert filtered.rowCount() == MOST
    assert len(testers) == 2


@pytest.fixture
def view(engine, loop, qtbot):
    engine.diagnostics.entries = [entry("one"), entry("two\n  deep", logging.ERROR), entry("three")]
    view = LogWindow(engine.port.diagnostics, loop)
    qtbot.add_widget(view)
    view.show()
    qtbot.wait_until(lambda: view.model.rowCount() == 3)
    return view


def test_the_log_is_followed_filtered_and_copied(view, engine, qtbot):
    engine.diagnostics.entries.append(entry("four", logging.WARNING))
    qtbot.wait_until(lambda: view.model.rowCount() == 4)
    view.level.setCurrentIndex(2)
    assert view.filter.rowCount() == 2
    qtbot.keyClicks(view.words, "deep")
    assert view.filter.rowCount() == 1
    view.copy.click()
    assert QGuiApplication.clipboard().text() == "2026-01-01 10:00:00 ERROR desktop.search: two\n  deep"
    view.table.selectRow(0)
    assert view.whole.toPlainText() == "two\n  deep"


def test_a_finding_leads_to_the_page_where_something_can_be_done(context, qtbot):
    dialog = SettingsDialog(context)
    qtbot.add_widget(dialog)
    dialog.show()
    dialog.go_to("help")
    check_up = dialog.findChild(DiagnosticsPanel)
    with qtbot.wait_signal(check_up.finished, timeout=20_000):
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
    engine.diagnostics.checks = (check,)
    dialog = SettingsDialog(replace(context, show_knowledge=lambda: shown.append(dialog.isVisible())))
    qtbot.add_widget(dialog)
    dialog.show()
    dialog.go_to("help")
    check_up = dialog.findChild(DiagnosticsPanel)
    with qtbot.wait_signal(check_up.finished, timeout=20_000):
        check_up.start.click()
    [finding] = check_up.findChildren(DiagnosticRow)
    assert finding.way.text() == "Knowledge"
    finding.way.click()
    assert shown == [False]


def test_the_help_page_opens_the_log(context, qtbot):
    dialog = SettingsDialog(context)
    qtbot.add_widget(dialog)
    dialog.show()
    dialog.go_to("help")
    [button] = [each for each in dialog.findChildren(QPushButton) if each.text() == "Show log"]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    view = dialog.findChild(LogWindow)
    assert view.isVisible()
    with qtbot.wait_signal(view.destroyed):
        view.close()
