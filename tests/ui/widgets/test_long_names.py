"""Names of a megabyte: what any view, menu, title or reader of the screen is given of them is a part."""

from datetime import UTC, datetime

from PySide6.QtCore import Qt

from desktop.domain.history import HistoryExcerpt, Hit, Speaker
from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemState
from desktop.domain.messages import ConversationInfo
from desktop.render.export.formats import file_name
from desktop.ui.dialogs.history_results import HistoryModel
from desktop.ui.dialogs.inspector_rows import InspectorRow, TraceModel
from desktop.ui.knowledge.base_panel import BaseModel
from desktop.ui.knowledge.item_model import ItemModel
from desktop.ui.sidebar.conversation_model import ConversationModel
from desktop.ui.widgets.item_views import drag_pixmap
from desktop.ui.widgets.layout import MAX_LABEL_CHARS, MAX_NAME_CHARS, MAX_TIP_CHARS, label, plain_name
from desktop.ui.widgets.notice_bar import Notice, NoticeBar

LONG = "名x" * 500_000
NOW = datetime(2026, 1, 2, tzinfo=UTC)
ROLES = [role for role in Qt.ItemDataRole if role is not Qt.ItemDataRole.EditRole]
OWN_ROLES = range(Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 20)


def longest(model):
    """Return the length of the longest words that a model gives for any cell and role, and how many it gives."""
    lengths = [
        len(words)
        for row in range(model.rowCount())
        for column in range(2)
        if model.hasIndex(row, column)
        for role in (*ROLES, *OWN_ROLES)
        if isinstance(words := model.index(row, column).data(role), str)
    ]
    return max(lengths), len(lengths)


def assert_cut(model):
    most, count = longest(model)
    assert count >= 2
    assert MAX_NAME_CHARS <= most <= MAX_TIP_CHARS


def test_conversations_and_their_titles_are_cut_but_not_what_is_edited(qapp):
    model = ConversationModel()
    model.show([ConversationInfo("c", LONG, NOW, NOW)])
    assert_cut(model)
    row = next(
        row for row in range(model.rowCount()) if model.index(row).data(Qt.ItemDataRole.EditRole) == LONG
    )
    assert len(model.index(row).data(Qt.ItemDataRole.AccessibleTextRole)) <= MAX_NAME_CHARS


def test_files_of_a_base_are_cut(qapp):
    model = ItemModel()
    model.show((ItemInfo("i", "b", LONG, LONG, ItemState.FAILED, error=LONG),))
    assert_cut(model)


def test_bases_are_cut(qapp):
    model = BaseModel()
    model.show((BaseInfo("b", LONG),))
    assert_cut(model)


def test_rows_of_the_record_are_cut(qapp):
    model = TraceModel()
    model.show([InspectorRow(LONG, LONG)])
    assert_cut(model)


def test_hits_in_the_history_are_cut(qapp):
    model = HistoryModel()
    model.append([Hit("c", LONG, "m", Speaker.USER, NOW, HistoryExcerpt("words", ()))])
    assert_cut(model)


def test_labels_notices_menus_and_names_of_files_are_cut(qtbot):
    words = label(None, LONG)
    qtbot.addWidget(words)
    assert len(words.text()) == MAX_LABEL_CHARS
    bar = NoticeBar()
    qtbot.addWidget(bar)
    bar.say(Notice(LONG))
    assert len(bar.accessibleName()) == MAX_NAME_CHARS
    assert len(plain_name("&" * 1_000_000)) < 2 * MAX_NAME_CHARS
    assert len(file_name(LONG, "md", "x").encode()) < 200
    assert drag_pixmap(LONG, words).width() < 2 * 260
