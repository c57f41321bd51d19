"""The table of a base's items: what it shows, in which order, while everything moves."""

import itertools
import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QItemSelectionModel, QLocale, Qt
from PySide6.QtTest import QAbstractItemModelTester

from desktop.domain.knowledge import ItemInfo, ItemKind, ItemProgress, ItemState
from desktop.text.old_messages import recognise_message
from desktop.ui.knowledge.item_model import ItemColumn, ItemFilter, ItemModel, name_key
from desktop.ui.knowledge.items_page import ItemView
from desktop.ui.widgets.labels import format_date
from tests.cases import cases

STATES = list(ItemState)


def item(number, name="", state=ItemState.READY, **more):
    return ItemInfo(f"i{number}", "b1", name or f"{number}.pdf", f"/x/{number}.pdf", state, **more)


def names(model):
    return [model.index(row, ItemColumn.NAME).data() for row in range(model.rowCount())]


def cells(model, row=0):
    return [model.index(row, column).data() for column in ItemColumn]


@pytest.fixture
def model(qapp):
    model = ItemModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    yield model
    tester.deleteLater()


def test_a_row_says_state_pages_passages_tags_and_day(model):
    model.show(
        [item(1, "a.pdf", pages=12, scanned=3, passages=1204, tags=("law", "旧"), read_at=1763600000.0)]
    )
    assert cells(model)[:5] == ["a.pdf", "Ready", "12 (3 scanned)", QLocale().toString(1204), "law, 旧"]
    assert cells(model)[5] == format_date(datetime.fromtimestamp(1763600000, UTC))
    model.show([item(1, "a.pdf", pages=12, scanned=12)])
    assert cells(model)[2] == "12, scanned"


@cases(
    "progress, words",
    [
        (ItemProgress(item(1, state=ItemState.WAITING)), "Waiting"),
        (ItemProgress(item(1, state=ItemState.READING), 0, 80), "Reading page 1 of 80"),
        (ItemProgress(item(1, state=ItemState.READING), 12, 80), "Reading page 12 of 80"),
        (ItemProgress(item(1, state=ItemState.READING)), "Reading"),
        (ItemProgress(item(1, state=ItemState.KEYWORD_READY)), "Searchable (indexing…)"),
        (
            ItemProgress(item(1, state=ItemState.KEYWORD_READY), 2, 9),
            "Searchable (indexing 2 of 9)",
        ),
        (ItemProgress(item(1)), "Ready"),
        (ItemProgress(item(1, is_cut=True)), "Too long: only the beginning was read"),
        (ItemProgress(item(1, error="No answer.")), "Partly readable: No answer."),
        (ItemProgress(item(1, state=ItemState.FAILED, error="No text.")), "Failed: No text."),
    ],
)
def test_every_state_is_said_in_words(progress, words, model):
    model.update(progress)
    model.flush()
    assert cells(model)[ItemColumn.STATE] == words


def test_a_reason_does_not_repeat_the_name_beside_it(model):
    failed = item(1, "a.pdf", ItemState.FAILED, error="“a.pdf” contains no text. It is empty.")
    model.show([failed])
    assert cells(model)[ItemColumn.STATE] == "Failed: contains no text. It is empty."
    whole = model.index(0, ItemColumn.STATE).data(Qt.ItemDataRole.ToolTipRole)
    assert whole == "Failed: “a.pdf” contains no text. It is empty."


def test_names_are_ordered_as_people_do():
    shuffled = ["中文.pdf", "b10.pdf", "阿.pdf", "b2.pdf", "A.pdf", "北京.pdf"]
    assert sorted(shuffled, key=name_key) == ["A.pdf", "b2.pdf", "b10.pdf", "阿.pdf", "北京.pdf", "中文.pdf"]


def test_a_screen_reader_hears_the_whole_row(model):
    model.show([item(1, "tides", kind=ItemKind.LINK, passages=9)])
    heard = model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert heard == "Web page · tides · Ready · 9"


def test_what_is_told_is_shown_a_frame_at_a_time(model, qtbot):
    model.show([item(1, state=ItemState.WAITING)])
    changed = []
    model.dataChanged.connect(lambda first, last: changed.append((first.row(), last.row())))
    for page in range(80):
        model.update(ItemProgress(item(1, state=ItemState.READING), page, 80))
    assert cells(model)[1] == "Waiting"
    qtbot.waitUntil(lambda: cells(model)[1] == "Reading page 79 of 80")
    assert changed == [(0, 0)]


@cases("column, order", itertools.product(ItemColumn, Qt.SortOrder))
def test_a_change_lands_where_sorting_anew_would_put_it(column, order, model):
    chance = random.Random(7)
    model.show([])
    model.sort(column, order)
    model.filter(ItemFilter(states=frozenset(ItemState) - {ItemState.WAITING}))
    known = {}
    for round_ in range(8):
        for _ in range(chance.choice([1, 2, 30])):
            number = chance.randrange(40)
            known[number] = item(
                number, f"{chance.randrange(5)}.md", chance.choice(STATES), passages=chance.randrange(4)
            )
            model.update(ItemProgress(known[number]))
        model.flush()
        if round_ % 3 == 2:
            gone = chance.sample(sorted(known), min(len(known), chance.choice([1, 30])))
            model.remove([f"i{number}" for number in gone])
            known = {number: each for number, each in known.items() if number not in gone}
        as_it_is = [model.item(model.index(row, 0)) for row in range(model.rowCount())]
        model.sort(column, order)
        assert as_it_is == [model.item(model.index(row, 0)) for row in range(model.rowCount())]
        assert sorted(each.id for each in as_it_is) == sorted(
            each.id for each in known.values() if each.state is not ItemState.WAITING
        )
        assert model.rows.total == len(known)
        assert sum(model.rows.states.values()) == len(known)


@given(
    words=st.text(st.sampled_from("ab 文"), max_size=4),
    tag=st.sampled_from(["", "x"]),
    state=st.sampled_from([None, *STATES]),
)
def test_a_filter_lets_pass_what_fits_all_its_parts(words, tag, state):
    wanted = ItemFilter(words, frozenset({state} if state else ()), tag)
    for number, each in enumerate(STATES):
        one = item(number, "AB 文.md", each, tags=("x",) if number % 2 else ())
        expected = (
            all(word in "ab 文.md" for word in words.split())
            and (not tag or tag in one.tags)
            and (state is None or one.state is state)
        )
        assert wanted.accepts(ItemProgress(one)) is expected


@cases("language, found, missed", [("en_US", "credit", "余额"), ("zh_CN", "余额", "credit")])
def test_a_filter_finds_an_error_by_the_words_that_are_shown(language, found, missed):
    error = recognise_message("Your Mistral account is out of credit. Add credit, or choose another model.")
    failed = ItemProgress(item(1, "a.pdf", ItemState.FAILED, error=error))
    before = QLocale()
    QLocale.setDefault(QLocale(language))
    try:
        assert ItemFilter(found).accepts(failed)
        assert not ItemFilter(missed).accepts(failed)
    finally:
        QLocale.setDefault(before)


def test_fifty_thousand_items_change_row_by_row(qtbot):
    model = ItemModel()
    many = [item(number, state=ItemState.WAITING) for number in range(50_000)]
    model.show(many)
    assert 0 < model.rowCount() < 10_000  # the others come with the next frames
    while model.rowCount() < len(many):
        model.flush()
    assert list(model.rows.all()) == [ItemProgress(one) for one in many]
    view = ItemView(model)
    model.setParent(view)
    qtbot.addWidget(view)
    view.show()
    resets, changed = [], []
    model.modelReset.connect(lambda: resets.append(1))
    model.dataChanged.connect(lambda first, last: changed.append(last.row() - first.row() + 1))
    for number in range(20):
        model.update(ItemProgress(replace(many[number * 7], state=ItemState.READING), 1, 9))
    model.flush()
    assert model.rowCount() == 50_000
    assert resets == []
    assert changed == [1] * 20


def test_picks_survive_sorting_filtering_and_many_arrivals(model, qtbot):
    model.show([item(number) for number in range(200)])
    view = ItemView(model)
    qtbot.addWidget(view)
    view.show()
    view.pick("i7")
    flags = QItemSelectionModel.SelectionFlag
    view.selectionModel().select(model.index_of("i9"), flags.Select | flags.Rows)
    model.sort(ItemColumn.NAME, Qt.SortOrder.DescendingOrder)
    for number in range(200, 300):
        model.update(ItemProgress(item(number)))
    model.flush()
    model.filter(ItemFilter(words="9"))
    assert [each.id for each in view.items] == ["i9"]
    assert view.currentIndex().isValid() is False


def test_a_fresh_list_keeps_how_far_the_pages_are(model):
    reading = item(1, state=ItemState.READING)
    model.show([reading, item(2)])
    model.update(ItemProgress(reading, 5, 9))
    model.bring_up_to_date([replace(reading, tags=("x",)), item(3)])
    assert sorted(names(model)) == ["1.pdf", "3.pdf"]
    assert cells(model)[ItemColumn.STATE] == "Reading page 5 of 9"
    assert cells(model)[ItemColumn.TAGS] == "x"
