"""The inspector shows the record as it is, and a person can ask again otherwise, leave out and pin."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt
from PySide6.QtGui import QPalette
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication

from desktop.domain.messages import TokenPrice
from desktop.domain.search import PageStatus, SearchStatus
from desktop.domain.sources import SourceKind
from desktop.domain.trace import Decider, EngineHit, EngineTrace, SourceTrace, SourceUse, TextSpan, Trace
from desktop.ui.dialogs.inspector_dialog import Inspection, InspectorView, QueryList
from desktop.ui.dialogs.inspector_rows import (
    Emphasis,
    InspectorRow,
    TraceModel,
    format_decider,
    format_page,
    format_search,
    rows_of,
    source_use_label,
)

ENGINES = {"bing": "Bing", "baidu": "Baidu"}

READ = SourceTrace(
    SourceKind.WEB,
    "https://tides.example/brest",
    "Tides at Brest",
    "https://www.tides.example/brest",
    "https://tides.example/old",
    engines=("bing", "baidu"),
    status=PageStatus.READ,
    seconds=1.25,
    is_cached=True,
    number=1,
    tokens=90,
    total_tokens=1_400,
    pieces=(
        TextSpan("The tide at Brest rises by six metres.", 90, 3.5, SourceUse.GIVEN),
        TextSpan("The harbour has cafés.", 1_200, 0.25, SourceUse.IRRELEVANT),
        TextSpan("Spring tides come after the new moon.", 110, 2.0, SourceUse.NO_BUDGET),
    ),
)
BLOCKED = SourceTrace(
    SourceKind.WEB,
    "https://sea.example",
    "Sea",
    "https://sea.example/",
    "https://sea.example",
    engines=("bing",),
    status=PageStatus.BLOCKED,
    error="The page did not load in time.",
    is_snippet=True,
    number=2,
    tokens=30,
    total_tokens=30,
)
TWIN = SourceTrace(
    SourceKind.WEB,
    "https://copy.example",
    "Copy",
    "https://copy.example/",
    "https://copy.example",
    SourceUse.DUPLICATE,
    same_as=READ.key,
)
FILE = SourceTrace(SourceKind.FILE, "file:1:0-9", "notes.pdf", number=3, tokens=40, total_tokens=40)
TRACE = Trace(
    queries=("tide Brest", "spring tide"),
    decider=Decider.MODEL,
    searches=(
        EngineTrace("tide Brest", "bing", SearchStatus.BLOCKED, 2.0, "Bing asks who you are."),
        EngineTrace(
            "tide Brest",
            "baidu",
            SearchStatus.RESULTS,
            0.5,
            hits=(
                EngineHit(1, "Old tides", "http://www.tides.example/old/"),
                EngineHit(2, "Copy", "https://copy.example/"),
                EngineHit(3, "Unknown", "https://unknown.example/"),
            ),
        ),
    ),
    sources=(READ, TWIN, BLOCKED, FILE),
    budget_tokens=6_000,
    without=("https://gone.example",),
)


def tree(model, parent=QModelIndex()):
    """Return the rows below `parent` as (cells, rows below)."""
    found = []
    for row in range(model.rowCount(parent)):
        cells = [model.index(row, column, parent).data() for column in range(4)]
        found.append((cells, tree(model, model.index(row, 0, parent))))
    return found


def index_of(model, text, parent=QModelIndex()):
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        if text in index.data():
            return index
        below = index_of(model, text, index)
        if below.isValid():
            return below
    return QModelIndex()


@pytest.fixture(autouse=True)
def english(translations):
    """Speak English, with its numbers."""
    translations.use("en")


@pytest.fixture
def inspector(qtbot):
    shown = InspectorView(Inspection("How high is the tide?", TRACE), ENGINES)
    qtbot.add_widget(shown)
    shown.show()
    return shown


def choose(inspector, *texts):
    selection = inspector.tree.selectionModel()
    selection.clearSelection()
    flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    for text in texts:
        index = index_of(inspector.model, text)
        assert index.isValid(), text
        selection.select(index, flags)


def test_the_model_is_consistent_over_every_change(qapp):
    model = TraceModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for trace in (TRACE, Trace(), replace(TRACE, searches=()), TRACE):
        model.show(rows_of(trace, ENGINES))
    assert model.rowCount() == 2
    tester.deleteLater()


def test_all_of_the_record_is_shown(qapp):
    model = TraceModel()
    model.show(rows_of(TRACE, ENGINES))
    (sources, searches) = tree(model)
    assert sources[0] == ["Sources", "3 used", "", "160 of 6,000"]
    read, blocked, file, twin = sources[1]
    assert read[0] == [
        "[1] Tides at Brest – tides.example",
        "Used · cached",
        "1.3 s",
        "90 of 1,400",
    ]
    assert [cells[:2] for cells, _ in read[1]] == [
        ["Found by Bing, Baidu", ""],
        ["“The tide at Brest rises by six metres.”", "Used · score 3.50"],
        ["“The harbour has cafés.”", "Dropped: not relevant · score 0.25"],
        ["“Spring tides come after the new moon.”", "Dropped: context full · score 2.00"],
    ]
    assert blocked[0][1] == "Used · snippet only"
    assert ["The page did not load in time.", "Blocked"] in [cells[:2] for cells, _ in blocked[1]]
    assert file[0] == ["[3] notes.pdf", "Used", "", "40"]
    assert twin[0][1] == "Merged with identical source"
    assert twin[1][0][0][0] == "Same as Tides at Brest"
    (query,) = searches[1]
    assert query[0][:2] == ["“tide Brest”", "3 results"]
    bing, baidu = query[1]
    assert baidu[0][:3] == ["Baidu", "3 results", "500 ms"]
    assert bing[0][:3] == ["Bing", "Blocked", "2.0 s"]
    assert bing[1][0][0][0] == "Bing asks who you are."
    assert [cells[:2] for cells, _ in baidu[1]] == [
        ["1. Old tides – tides.example", "Used"],
        ["2. Copy – copy.example", "Merged with identical source"],
        ["3. Unknown – unknown.example", ""],
    ]


def test_each_source_says_about_what_it_cost_where_the_price_is_known(qtbot):
    price = TokenPrice(0.000002, "USD")
    shown = InspectorView(Inspection("How?", TRACE, price=price), ENGINES)
    qtbot.add_widget(shown)
    assert not shown.tree.isColumnHidden(TraceModel.COST)
    sources = shown.model.index(0, 0)
    costs = [
        shown.model.index(row, TraceModel.COST, sources).data()
        for row in range(shown.model.rowCount(sources))
    ]
    assert costs == ["≈ $0.00018", "≈ $0.00006", "≈ $0.00008", ""]
    assert shown.model.index(0, TraceModel.COST).data() == "≈ $0.00032"
    assert shown.model.index(1, TraceModel.COST).data() == ""


def test_where_no_price_is_known_there_is_no_cost(inspector):
    assert inspector.tree.isColumnHidden(TraceModel.COST)
    assert all(row.cost == "" for row in rows_of(TRACE, ENGINES)[0].children)


def test_problems_and_what_was_cut_stand_out_in_the_colours_of_now(qapp):
    model = TraceModel()
    model.show(rows_of(TRACE, ENGINES))

    def colour(text):
        return index_of(model, text).data(Qt.ItemDataRole.ForegroundRole)

    assert colour("[1] Tides") is None
    assert colour("Copy –").color() == qapp.palette().color(QPalette.ColorRole.PlaceholderText)
    assert colour("[2] Sea").color() == qapp.palette().color(QPalette.ColorRole.BrightText)


def test_what_a_page_calls_itself_is_never_markup(qapp):
    model = TraceModel()
    hostile = replace(FILE, title='<img src="file:///etc/passwd"><b>x')
    model.show(rows_of(Trace(sources=(hostile,)), {}))
    tip = index_of(model, "<img").data(Qt.ItemDataRole.ToolTipRole)
    assert "<img" not in tip
    assert "&lt;img" in tip


def test_queries_are_changed_added_and_removed_and_asked_again(inspector, qtbot):
    queries = inspector.queries
    assert queries.queries == ("tide Brest", "spring tide")
    queries.view.setFocus()
    queries.view.setCurrentIndex(queries.model.index(0))
    qtbot.keyClick(queries.view, Qt.Key.Key_Return)
    editor = queries.view.findChild(QApplication.focusWidget().__class__)
    editor.setText("  tide   Brest 2026 ")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.wait_until(lambda: queries.queries[0] == "tide Brest 2026")
    queries.view.setCurrentIndex(queries.model.index(1))
    qtbot.keyClick(queries.view, Qt.Key.Key_Delete)
    assert queries.queries == ("tide Brest 2026",)
    queries.add.click()
    queries.model.setData(queries.model.index(1), "潮汐 布雷斯特")
    with qtbot.wait_signal(inspector.again_asked) as asked, qtbot.wait_signal(inspector.left):
        inspector.search_again.click()
    assert asked.args == [("tide Brest 2026", "潮汐 布雷斯特"), ("https://gone.example",)]


def test_without_queries_nothing_can_be_searched_for_and_while_answering_nothing_at_all(inspector):
    inspector.queries.show_queries(())
    assert not inspector.search_again.isEnabled()
    inspector.queries.show_queries(("x",))
    assert inspector.search_again.isEnabled()
    choose(inspector, "[1] Tides")
    inspector.set_running(True)
    assert not inspector.search_again.isEnabled()
    assert not inspector.leave_out.isEnabled()


def test_sources_are_left_out_by_every_address_that_they_go_by(inspector, qtbot):
    assert not inspector.leave_out.isEnabled()
    choose(inspector, "Copy –")
    assert not inspector.leave_out.isEnabled()
    choose(inspector, "[1] Tides", "[3] notes.pdf")
    with qtbot.wait_signal(inspector.again_asked) as asked:
        inspector.leave_out.click()
    left_out = ("https://gone.example", READ.key, READ.found_as, FILE.key)
    assert asked.args == [("tide Brest", "spring tide"), left_out]


def test_what_was_left_out_is_used_again(qtbot):
    gone = SourceTrace(
        SourceKind.WEB,
        "https://gone.example",
        "Gone",
        "https://gone.example/",
        "https://gone.example",
        SourceUse.EXCLUDED,
    )
    shown = InspectorView(Inspection("How?", replace(TRACE, sources=(READ, gone))), ENGINES)
    qtbot.add_widget(shown)
    choose(shown, "[1] Tides", "Gone")
    assert shown.leave_out.text() == "Exclude and regenerate"
    choose(shown, "Gone")
    assert shown.leave_out.text() == "Include and regenerate"
    with qtbot.wait_signal(shown.again_asked) as asked:
        shown.leave_out.click()
    assert asked.args == [("tide Brest", "spring tide"), ()]


def test_a_source_is_pinned_and_let_go(inspector, qtbot):
    assert not inspector.pin.isEnabled()
    choose(inspector, "[2] Sea")
    with qtbot.wait_signal(inspector.pin_asked) as asked:
        inspector.pin.click()
    assert asked.args == [2, True]
    inspector.set_pinned(2, is_pinned=True)
    with qtbot.wait_signal(inspector.pin_asked) as asked:
        inspector.pin.click()
    assert asked.args == [2, False]


def test_a_page_is_opened_by_its_row(inspector, qtbot):
    with qtbot.wait_signal(inspector.link_followed) as followed:
        inspector.tree.activated.emit(index_of(inspector.model, "[1] Tides"))
    assert followed.args == ["https://www.tides.example/brest"]
    with qtbot.assert_not_emitted(inspector.link_followed):
        inspector.tree.activated.emit(index_of(inspector.model, "[3] notes.pdf"))


def test_an_answer_that_looked_nothing_up_says_so(qtbot):
    shown = InspectorView(Inspection("Hello", Trace()), {})
    qtbot.add_widget(shown)
    shown.show()
    assert shown._empty.isVisible()
    assert not shown.tree.isVisible()


def test_the_inspector_speaks_chinese_at_once(inspector, translations, qtbot):
    translations.use("zh_CN")
    qtbot.wait_until(lambda: inspector.search_again.text() == "重新搜索并重新生成")
    assert index_of(inspector.model, "来源").isValid()
    names = [source_use_label(source_use) for source_use in SourceUse]
    names += [format_page(status) for status in PageStatus]
    names += [format_search(status, 2) for status in SearchStatus]
    names += [
        format_decider(Trace(decider=decider, reason="")) for decider in Decider if decider != "keywords"
    ]
    assert all(any("一" <= char <= "鿿" for char in name) for name in names), names


def test_nothing_is_said_of_a_model_where_none_answered(qapp):
    words = [row.outcome for section in rows_of(TRACE, ENGINES) for row in (section, *section.children)]
    assert not any("model" in text.lower() for text in [*words, *map(source_use_label, SourceUse)])


def test_every_control_has_a_name(inspector):
    for widget in (inspector.tree, inspector.queries.view):
        assert widget.accessibleName()
    assert all(button.text() for button in inspector.findChildren(type(inspector.pin)))


def test_a_list_of_queries_forgets_empty_and_repeated_lines(qtbot):
    queries = QueryList()
    qtbot.add_widget(queries)
    queries.show_queries(("a", " ", "a ", "b\nc"))
    assert queries.queries == ("a", "b c")


def test_headings_follow_the_size_of_the_text_of_the_window(qapp):
    model = TraceModel()
    model.show((InspectorRow("Sources", tone=Emphasis.HEADING), InspectorRow("tides.org")))
    usual = qapp.font()
    larger = qapp.font()
    larger.setPointSizeF(usual.pointSizeF() * 1.5)
    try:
        qapp.setFont(larger)
        heading, plain = (model.index(row, 0).data(Qt.ItemDataRole.FontRole) for row in range(2))
    finally:
        qapp.setFont(usual)
    assert heading.bold()
    assert heading.pointSizeF() == pytest.approx(larger.pointSizeF())
    assert plain is None
