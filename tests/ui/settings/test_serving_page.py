"""What others may use, their configuration, the token, and what they asked, in the settings."""

import json
from datetime import UTC, datetime

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox, QWidget

from desktop.domain.serving import Client, ServedRequest, ServedTool
from desktop.ui.settings.pages.serving import (
    PAGE,
    ConfigurationPanel,
    LoopbackPanel,
    OpenBases,
    RequestsPanel,
    request_facts,
)

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)


@pytest.fixture
def page(context, qtbot):
    holder = QWidget()
    qtbot.add_widget(holder)
    for row in PAGE.rows(context):
        row.build(context, holder)
    return holder


def test_nothing_is_open_until_the_user_opens_it(page, context, qtbot, engine):
    boxes = {box.accessibleName(): box for box in page.findChildren(QCheckBox)}
    assert not any(box.isChecked() for box in boxes.values())
    boxes["Ask a question"].setChecked(True)
    boxes["Search the web"].setChecked(True)
    boxes["Ask a question"].setChecked(False)
    assert context.store.settings.serving.tools == (ServedTool.SEARCH_WEB,)


def test_bases_are_opened_one_by_one(page, context, qtbot, engine):
    panel = page.findChild(OpenBases)
    context.knowledge_store.create("Sea & sky")
    qtbot.wait_until(lambda: [box.accessibleName() for box in panel.findChildren(QCheckBox)] == ["Sea & sky"])
    (box,) = panel.findChildren(QCheckBox)
    (base,) = context.knowledge_store.bases
    box.setChecked(True)
    assert context.store.settings.serving.bases == (base.id,)
    box.setChecked(False)
    assert context.store.settings.serving.bases == ()


def test_a_configuration_is_copied_for_each_program(page):
    panel = page.findChild(ConfigurationPanel)
    for number in range(len(Client)):
        panel.clients.setCurrentIndex(number)
        panel.copy.click()
        (servers,) = json.loads(QGuiApplication.clipboard().text()).values()
        assert servers["footnote"]["args"][-3:-1] == ["mcp", "--data-dir"]
        assert panel.copy.text() == "Copied"
        assert panel.place.text()


def test_the_token_is_copied_and_renewed(page, engine, qtbot):
    panel, clipboard = page.findChild(LoopbackPanel), QGuiApplication.clipboard()
    tokens = [""]
    for button in (panel.copy, panel.renew):
        clipboard.setText("")
        button.click()
        qtbot.wait_until(lambda: bool(clipboard.text()))
        tokens.append(clipboard.text())
        assert tokens[-1] == engine.preferences.secrets["serving"] != tokens[-2]


def test_requests_are_listed_with_their_hosts_and_problems_and_cleared(context, qtbot, engine):
    for request in (
        ServedRequest(NOON, "", "read_resource", "abc", (), "No file “x” is open to other programs."),
        ServedRequest(NOON, "Cursor 1.2", "ask", "What is the tide?", ("api.example",)),
    ):
        engine.serving.log.add(request)
    panel = RequestsPanel(context)
    qtbot.add_widget(panel)
    qtbot.wait_until(lambda: len(panel.facts.facts) == 2)
    first, second = request_facts(engine.serving.log.recent(9))
    assert (first.title, first.value) == ("Ask a question: What is the tide?", "")
    assert first.detail.startswith("Cursor 1.2 · ")
    assert "api.example" in first.detail
    assert second.detail.startswith("unnamed program · ")
    assert "is open to other programs" in second.detail
    panel.clear.click()
    qtbot.wait_until(lambda: not panel.facts.facts)
    assert not panel.clear.isEnabled()
