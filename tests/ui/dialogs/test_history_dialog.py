"""The search of all messages in the window: typed, narrowed, looked through, and opened where it was said."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from unittest.mock import AsyncMock, patch

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from desktop.domain.assistants import Assistant
from desktop.domain.drafts import Draft
from desktop.domain.history import HistoryExcerpt, HistoryPage, HistoryQuery, Hit, PastAnswer
from desktop.domain.messages import Speaker
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.errors import DatabaseBusy
from desktop.storage.message_tree import InsertPoint
from desktop.ui.composer.attachments import PastAnswerChip
from desktop.ui.dialogs.history_dialog import HistoryDialog
from desktop.ui.dialogs.history_results import HistoryModel
from desktop.ui.stores.conversations import ENOUGH, HistorySearch
from tests.ui.on_page import script, shown, wait_for_text

TALK = ("When are the tides?", "At noon, says the almanac.")


@pytest.fixture
def dialog(engine, loop, qtbot):
    history_search = HistorySearch(engine.history, loop)
    dialog = HistoryDialog(history_search)
    qtbot.addWidget(dialog)
    tester = QAbstractItemModelTester(
        dialog.model, QAbstractItemModelTester.FailureReportingMode.Fatal, dialog
    )
    dialog.ask()
    yield dialog
    history_search.stop()
    tester.deleteLater()
    history_search.deleteLater()


def rows(dialog) -> list[str]:
    return [dialog.model.index(row).data() for row in range(dialog.model.rowCount())]


def type_words(dialog, qtbot, words: str) -> None:
    dialog.words.setFocus()
    with qtbot.waitSignal(dialog._history_search.ended):
        dialog.words.setText(words)


def open_hit(window, qtbot, words: str) -> HistoryDialog:
    """Search all messages and open the first hit."""
    window.shortcuts["history"].trigger()
    dialog = window.findChild(HistoryDialog)
    type_words(dialog, qtbot, words)
    dialog._on_open_asked()
    return dialog


def test_what_is_typed_is_found_and_marked(dialog, engine, qtbot):
    engine.put("Sea", texts=TALK)
    type_words(dialog, qtbot, "tides")
    assert rows(dialog) == [TALK[0]]
    hit = dialog.model.hit(dialog.model.index(0))
    assert (hit.title, hit.excerpt.needle) == ("Sea", "tides")
    type_words(dialog, qtbot, "ebb")
    assert rows(dialog) == []
    assert "No results" in dialog.state.text()
    type_words(dialog, qtbot, "")
    assert dialog.state.text().startswith("Search every message")


def test_choices_narrow_what_is_asked(dialog, searched, qtbot):
    dialog.set_assistants((Assistant("cook", "Cook", "🍳"),))
    type_words(dialog, qtbot, "tides")
    for box, row in ((dialog.filters.who, 2), (dialog.filters.assistant, 2), (dialog.filters.when, 2)):
        with qtbot.waitSignal(dialog._history_search.ended):
            box.setCurrentIndex(row)
    query = searched[-1]
    assert (query.speaker, query.assistant, query.until) == (Speaker.MODEL, "cook", None)
    assert query.since is not None
    assert (query.since.hour, query.since.minute) == (0, 0)
    with qtbot.waitSignal(dialog._history_search.ended):
        dialog.filters.when.setCurrentIndex(5)
    query = searched[-1]
    assert query.until - query.since > timedelta(days=30)
    assert "removing a filter" in dialog.state.text()
    for box in (dialog.filters.when, dialog.filters.who, dialog.filters.assistant):
        box.setCurrentIndex(0)
    assert dialog.filters.query("x") == HistoryQuery("x")


def test_more_comes_as_the_list_is_scrolled_and_thin_pages_are_followed_by_themselves(
    dialog, engine, qtbot, monkeypatch
):
    engine.put("Sea", texts=[f"tide {number}" for number in range(100)])
    engine.loop.call(engine.history.list_all())
    monkeypatch.setattr("desktop.storage.history_index.PAGE", 7)
    type_words(dialog, qtbot, "tide")
    assert ENOUGH <= dialog.model.rowCount() < 100
    while dialog.model.rowCount() < 100:
        with qtbot.waitSignal(dialog._history_search.ended):
            dialog.view.scrollToBottom()
            dialog.model.fetchMore(dialog.view.rootIndex())
    assert rows(dialog) == [f"tide {number}" for number in reversed(range(100))]
    assert not dialog.model.canFetchMore(dialog.view.rootIndex())


def test_the_keyboard_never_leaves_the_line(dialog, engine, qtbot):
    engine.put("Sea", texts=["tide two", "tide one"])
    type_words(dialog, qtbot, "tide")
    qtbot.keyClick(dialog.words, Qt.Key.Key_Down)
    with qtbot.waitSignal(dialog.opened) as opened:
        qtbot.keyClick(dialog.words, Qt.Key.Key_Return)
    assert opened.args[0].excerpt.text == "tide two"
    assert dialog.isHidden()
    with qtbot.waitSignal(dialog._history_search.ended):
        dialog.ask()
    assert dialog.words.selectedText() == "tide"
    assert len(rows(dialog)) == 2


def test_who_types_and_enters_at_once_gets_what_was_typed(dialog, engine, qtbot):
    engine.put("Sea", texts=["tide one", "ebb two"])
    type_words(dialog, qtbot, "tide")
    with qtbot.waitSignal(dialog.opened) as opened:
        dialog.words.setText("ebb")
        assert rows(dialog) == ["tide one"]
        qtbot.keyClick(dialog.words, Qt.Key.Key_Return)
    assert opened.args[0].excerpt.text == "ebb two"


def test_a_failure_is_told_in_place_of_hits(dialog, engine, qtbot):
    with patch.object(engine.history, "search", side_effect=DatabaseBusy(path="history.db")):
        type_words(dialog, qtbot, "tide")
    assert "history.db" in dialog.state.text()
    engine.put("Sea", texts=TALK)
    type_words(dialog, qtbot, "tides")
    assert len(rows(dialog)) == 1


def test_what_cannot_be_found_yet_is_told(dialog, engine, qtbot, monkeypatch):
    async def search(_query, _rest=None):
        return HistoryPage((), reach=0.4)

    monkeypatch.setattr(engine.history, "search", search)
    type_words(dialog, qtbot, "tides")
    assert "40%" in dialog.foot.text()


def test_words_are_searched_for_again_until_all_messages_are_indexed(dialog, engine, qtbot, monkeypatch):
    dialog._history_search._again.setInterval(0)
    engine.put("Sea", texts=TALK)
    found = engine.history.search
    pages = iter([HistoryPage((), reach=0.0), HistoryPage((), reach=0.5)])

    async def search_partly(query, rest=None):
        return next(pages, None) or await found(query, rest)

    monkeypatch.setattr(engine.history, "search", search_partly)
    dialog.words.setText("almanac")
    qtbot.waitUntil(lambda: rows(dialog) == [TALK[1]])


def test_meanings_are_asked_for_until_they_are_known(dialog, engine, qtbot, monkeypatch):
    engine.put("Sea", texts=TALK)
    found = engine.loop.call(engine.history.search(HistoryQuery("almanac")))
    noted = HistoryPage((), note="Only words.")
    find_similar = AsyncMock(
        side_effect=[HistoryPage((), reach=0.0)] * 2 + [replace(found, reach=0.5), noted]
    )
    monkeypatch.setattr(engine.history, "find_similar", find_similar)
    dialog._history_search._again.setInterval(0)
    dialog.filters.meaning.setChecked(True)
    assert find_similar.call_count == 0
    dialog.words.setText("almanac")
    qtbot.waitUntil(lambda: rows(dialog) == [TALK[1]])
    assert find_similar.call_count == 3
    assert "50%" in dialog.foot.text()
    type_words(dialog, qtbot, "noon")
    assert "Only words." in dialog.foot.text()
    with qtbot.waitSignal(dialog._history_search.ended):
        dialog.filters.meaning.setChecked(False)
    assert "Only words." not in dialog.foot.text()


def test_rows_are_spoken_whole(qtbot, qapp):
    model = HistoryModel()
    model.set_assistants((Assistant("cook", "Cook", "🍳"),))
    moment = datetime(2020, 1, 1, tzinfo=UTC)
    model.append([Hit("c", "Sea", "m", Speaker.MODEL, moment, HistoryExcerpt("At noon"), "cook", "x/gpt")])
    spoken = model.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert all(word in spoken for word in ("Sea", "Cook", "At noon"))
    model.deleteLater()


def test_a_hit_opens_where_it_was_said(open_window, engine, qtbot):
    texts = [f"Message {number} of the long talk" for number in range(120)]
    conversation = engine.put("Long", texts=texts)
    window = open_window()
    window.resize(1000, 800)
    window.shortcuts["history"].trigger()
    dialog = window.findChild(HistoryDialog)
    type_words(dialog, qtbot, '"message 3 of"')
    dialog._on_open_asked()
    assert window.sessions.current == conversation
    place = f"document.getElementById('message-{conversation}-m3')"
    seen = f"(() => {{ const box = {place}?.getBoundingClientRect(); return !!box && box.top >= 0 && box.top < innerHeight; }})()"
    qtbot.waitUntil(lambda: script(window, qtbot, seen))
    qtbot.waitUntil(lambda: script(window, qtbot, "CSS.highlights.get('found-now').size") == 1)
    bar = window.transcripts.page.find_bar
    assert bar.words.text() == "Message 3 of"
    qtbot.waitUntil(lambda: bar.count.text() == "1 of 1")


def test_a_hit_in_another_version_is_turned_to(open_window, engine, qtbot):
    conversation = engine.put("Sea", texts=TALK)
    first = engine.load(conversation).messages[0]
    edited = replace(first, id="edited", text="When is the ebb?")
    engine.loop.call(engine.conversations.add_message(edited, InsertPoint(instead_of=first.id)))
    window = open_window()
    window.sessions.open(conversation)
    wait_for_text(window, qtbot, "When is the ebb?")
    open_hit(window, qtbot, "almanac")
    wait_for_text(window, qtbot, "says the almanac")
    assert "When is the ebb?" not in shown(window, qtbot)
    qtbot.waitUntil(lambda: window.transcripts.page.find_bar.count.text() == "1 of 1")


def test_hits_lead_from_an_answer_that_is_written_to_another_version_and_back(
    open_window, engine, loop, qtbot
):
    conversation = engine.put("Sea", texts=TALK)
    engine.models.is_gated = True
    engine.models.words = ("At ", "midnight.")
    window = open_window()
    window.resize(1000, 800)
    window.sessions.open(conversation)
    wait_for_text(window, qtbot, "says the almanac")
    first = engine.load(conversation).messages[0]
    window.asking.ask("When is the ebb?", edits=first.id)
    wait_for_text(window, qtbot, "When is the ebb?")
    dialog = open_hit(window, qtbot, "almanac")
    wait_for_text(window, qtbot, "says the almanac")
    qtbot.waitUntil(lambda: window.transcripts.page.find_bar.count.text() == "1 of 1")
    loop.call(engine.models.allow(2))
    qtbot.waitUntil(lambda: not window.sessions.is_running)
    assert "midnight" not in shown(window, qtbot)
    engine.models.words = ("Never.",)
    window.asking.ask("When is the neap?", edits=first.id)
    wait_for_text(window, qtbot, "When is the neap?")
    type_words(dialog, qtbot, "neap")
    dialog._on_open_asked()
    qtbot.waitUntil(lambda: window.transcripts.page.find_bar.words.text() == "neap")
    qtbot.waitUntil(lambda: window.transcripts.page.find_bar.count.text() == "1 of 1")
    loop.call(engine.models.allow(1))
    wait_for_text(window, qtbot, "Never.")
    qtbot.waitUntil(lambda: not window.sessions.is_running)


def test_the_line_of_the_list_leads_on_to_the_messages(open_window, engine, qtbot):
    engine.put("Sea", texts=TALK)
    window = open_window()
    qtbot.waitUntil(lambda: len(window.sidebar.model.ids) == 1)
    line = window.sidebar.filter
    line.setText("almanac")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    dialog = window.findChild(HistoryDialog)
    assert dialog.words.text() == "almanac"
    qtbot.waitUntil(lambda: rows(dialog) == [TALK[1]])
    dialog.hide()
    assert any(action.text() == "Search all messages" for action in line.actions())


def chips(window) -> list[str]:
    return [answer.text for answer in window.composer.past.answers]


def test_what_was_said_is_cited_in_the_next_question_and_followed_back(open_window, engine, qtbot):
    old = engine.put("Sea", texts=TALK)
    window = open_window()
    window.shortcuts["history"].trigger()
    dialog = window.findChild(HistoryDialog)
    type_words(dialog, qtbot, "almanac")
    qtbot.keyClick(dialog.words, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: chips(window) == [TALK[1]])
    assert window.composer.past.isVisibleTo(window)
    window.sessions.open(old)
    assert chips(window) == []
    window.sessions.open("")
    assert chips(window) == [TALK[1]]
    window.asking.ask("Which almanac?")
    assert chips(window) == []
    qtbot.waitUntil(lambda: len(engine.turns.questions) == 1)
    (answer,) = engine.turns.questions[0].past
    assert (answer.conversation_id, answer.title) == (old, "Sea")
    window.transcripts.answer_followed.emit(_source_of(answer), "almanac")
    qtbot.waitUntil(lambda: window.sessions.current == old)
    qtbot.waitUntil(lambda: window.transcripts.page.find_bar.words.text() == "almanac")


def test_a_conversation_that_cites_what_stays_here_stays_here_too(open_window, engine, qtbot):
    engine.loop.call(engine.privacy.keep_here(engine.put("Secret", texts=TALK), True))
    current = engine.put("Open", texts=("Hello", "Good day"))
    window = open_window()
    window.sessions.open(current)
    window.shortcuts["history"].trigger()
    dialog = window.findChild(HistoryDialog)
    type_words(dialog, qtbot, "almanac")
    dialog._on_cite_asked()
    qtbot.waitUntil(lambda: chips(window) == [TALK[1]])
    assert window.composer.local_only.is_on
    qtbot.waitUntil(lambda: engine.loop.call(engine.privacy.stays_here(current)))
    assert "stays on this computer" in window.notices._text.text()


def test_what_a_draft_from_before_cites_is_cited_where_it_was(open_window, engine, qtbot):
    old = engine.put("Sea", texts=TALK)
    answer = PastAnswer(old, f"{old}-m1", "Sea", TALK[1], datetime(2020, 1, 1, tzinfo=UTC))
    engine.loop.call(engine.drafts.keep({"": Draft("and now?", (), (answer,))}))
    window = open_window()
    qtbot.waitUntil(lambda: chips(window) == [TALK[1]])
    window.sessions.open(old)
    assert chips(window) == []
    window.sessions.open("")
    assert chips(window) == [TALK[1]]
    window.composer.past.replace(())
    qtbot.waitUntil(lambda: engine.loop.call(engine.drafts.all()) == {"": Draft("and now?")})


def test_an_answer_that_is_gone_says_so_and_the_question_goes_without_it(open_window, engine, qtbot):
    then = datetime(2020, 1, 1, tzinfo=UTC)
    gone = PastAnswer("c", "m", "Sea", "", then, is_gone=True)
    engine.put("Moon", texts=("How is the moon?", "It is full."))
    kept = PastAnswer("c1", "c1-m1", "Moon", "It is full.", then)
    engine.loop.call(engine.drafts.keep({"": Draft("and now?", (), (gone, kept))}))
    window = open_window()
    qtbot.waitUntil(lambda: len(chips(window)) == 2)
    told = [chip.description for chip in window.composer.past.findChildren(PastAnswerChip)]
    assert "no longer exists" in told[0]
    assert told[1] == "It is full."
    window.composer.submitted.emit()
    qtbot.waitUntil(lambda: len(engine.turns.questions) == 1)
    (question,) = engine.turns.questions
    assert question.text == "and now?"
    assert [answer.message_id for answer in question.past] == [kept.message_id]
    assert chips(window) == []


def test_a_chip_is_taken_away_by_its_cross(open_window, engine, qtbot):
    window = open_window()
    answer = PastAnswer("c", "m", "Sea", "At noon", datetime(2020, 1, 1, tzinfo=UTC))
    window.composer.past.add(answer)
    (chip,) = window.composer.past.findChildren(PastAnswerChip)
    assert "Sea" in chip.cross.accessibleName()
    chip.cross.click()
    assert chips(window) == []
    assert not window.composer.past.isVisibleTo(window)


def _source_of(answer):
    ledger = Ledger()
    ledger.register([Passage(SourceKind.ANSWER, answer.title, answer.text, document=answer.document)])
    return ledger.sources[0]
