"""Names that others gave, in the widgets around the page: Qt takes what looks like HTML for HTML, but not here."""

from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import Qt as RichText
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QLabel, QWidget

from desktop.domain.knowledge import ItemInfo, ItemState
from desktop.domain.messages import ConversationInfo
from desktop.domain.models import ModelInfo
from desktop.ui.composer.attachments import FileChip
from desktop.ui.composer.pills import Pill
from desktop.ui.knowledge.item_model import ItemModel
from desktop.ui.knowledge.manager import KnowledgeManager
from desktop.ui.knowledge.manager_controller import ManagerContext
from desktop.ui.sidebar.conversation_model import ConversationModel
from desktop.ui.stores.knowledge_store import KnowledgeStore
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.widgets.layout import plain_tip
from desktop.ui.widgets.model_menu import ModelList
from desktop.ui.widgets.notice_bar import Notice, NoticeBar
from tests.cases import cases
from tests.ui.hostile.payloads import PAYLOADS

RICH = tuple(text for text in PAYLOADS if RichText.mightBeRichText(text))
NAMES = tuple(text.replace("/", "|").replace("\x00", "") for text in RICH)
EVIL = '<img src="//CANARY.invalid/share/x.png">'
LOADS = ("<img", "<a ")


def assert_plain(text):
    """Check that Qt would show a text as it is, loading nothing."""
    if RichText.mightBeRichText(text):
        document = QTextDocument()
        document.setHtml(text)
        assert not [word for word in LOADS if word in document.toHtml()], text


def tips_of(model):
    for row in range(model.rowCount()):
        for column in range(3):  # an index beyond the last column has no data
            if tip := model.index(row, column).data(Qt.ItemDataRole.ToolTipRole):
                yield tip


def test_there_is_something_to_fear():
    assert len(RICH) > 80
    document = QTextDocument()
    document.setHtml(EVIL)
    assert "<img" in document.toHtml()


@cases("text", ["plain", "a < b & c", "中文 <3", "C:\\x\\y.pdf", ""])
def test_a_plain_tip_stays_as_it_is(text):
    assert plain_tip(text) == text


def test_no_tip_of_any_text_loads_anything(qapp):
    for text in RICH:
        assert_plain(plain_tip(text))
    document = QTextDocument()
    document.setHtml(plain_tip(EVIL))
    assert document.toPlainText() == EVIL


def test_titles_of_conversations_are_plain(qapp):
    now = datetime.now(UTC)
    model = ConversationModel()
    model.show([ConversationInfo(f"c{number}", text, now, now) for number, text in enumerate(RICH)])
    tips = list(tips_of(model))
    assert len(tips) >= len(RICH)
    for tip in tips:
        assert_plain(tip)


def test_files_of_a_base_are_plain(qapp):
    model = ItemModel()
    model.show(
        tuple(
            ItemInfo(f"i{number}", "b", text, text, ItemState.FAILED, error=text)
            for number, text in enumerate(RICH)
        )
    )
    tips = list(tips_of(model))
    assert len(tips) >= 2 * len(RICH)
    for tip in tips:
        assert_plain(tip)


def test_names_of_models_are_plain(qtbot):
    models = ModelList()
    qtbot.addWidget(models)
    models.show_models(tuple(ModelInfo(f"p/{text}", text, text) for text in RICH), "")
    tips = list(tips_of(models.rows))
    assert len(tips) >= len(set(RICH))
    for tip in tips:
        assert_plain(tip)


def test_names_of_attached_files_are_plain(qtbot):
    for name in NAMES:
        chip = FileChip(Path("/tmp") / name)
        qtbot.addWidget(chip)
        for part in chip.findChildren(QWidget):
            assert_plain(part.toolTip())
        for part in chip.findChildren(QLabel):
            assert part.textFormat() is Qt.TextFormat.PlainText or not part.text()


def test_notices_and_switches_are_plain(qtbot):
    bar = NoticeBar()
    qtbot.addWidget(bar)
    pill = Pill("globe", bar)
    for text in RICH:
        bar.say(Notice(text, is_error=True))
        pill.show_state(text, text, is_active=True)
        assert_plain(pill.toolTip())
    assert all(part.textFormat() is Qt.TextFormat.PlainText for part in bar.findChildren(QLabel))


def test_a_base_with_a_hostile_name_is_plain_wherever_it_is_named(engine, loop, qtbot):
    engine.worker.put(EVIL)
    port = engine.port
    knowledge_store = KnowledgeStore(port.knowledge, loop)
    store = SettingsStore(port.preferences, loop)
    manager = KnowledgeManager(ManagerContext(knowledge_store, port.knowledge, port.embedders, store, loop))
    qtbot.addWidget(manager)
    manager.show()
    qtbot.waitUntil(lambda: manager.controller.base is not None)
    manager.base_actions.do("delete")
    qtbot.waitUntil(lambda: EVIL in manager.notices.text)
    assert all(
        part.textFormat() is Qt.TextFormat.PlainText for part in manager.findChildren(QLabel) if part.text()
    )
