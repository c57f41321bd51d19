"""The panel of a research in the real page: what it shows, what it keeps while it changes, what it reports."""

from dataclasses import replace

import pytest

from desktop.domain.events import ProcedureChanged, SourcesAdded, TextDelta, TurnFinished, TurnStarted
from desktop.domain.messages import MessageStatus
from desktop.domain.procedures import (
    REMARK_CHARS,
    AnswerNow,
    Depth,
    Finding,
    Pause,
    Phase,
    Plan,
    QualityVerdict,
    Query,
    Research,
    ResearchCost,
    Resume,
    Round,
    SearchTarget,
    StartPlan,
    UserNote,
)
from desktop.text.old_messages import recognise_message
from desktop.ui.transcript.page_channel import PageBridge
from desktop.ui.transcript.web_page import CLICKS_A_SECOND
from tests.cases import cases
from tests.ui.transcript.test_transcript_view import SOURCES, answer, driver, page_loop, question, shown_page

__all__ = ["driver", "page_loop", "shown_page"]

PLAN = Plan(
    ("how cold it may be", "what <b>they</b> cost"),
    (Query("heat pump minimum temperature"), Query("Heat pump", SearchTarget.WIKIPEDIA)),
)
FIRST = Round(
    PLAN.queries,
    (1, 2, 99),
    (Finding("They work at minus <i>fifteen</i> degrees.", (1,)), Finding("The landlord pays.", (2, 77))),
    QualityVerdict(missing="what they cost", queries=(Query("heat pump price"),)),
)
STATE = Research("How?", Depth.BALANCED, places=(SearchTarget.WEB, SearchTarget.WIKIPEDIA))
PLANNED = replace(STATE, plan=PLAN, phase=Phase.PLANNED)
RUNNING = replace(PLANNED, phase=Phase.SEARCHING, rounds=(FIRST,), spent=ResearchCost(1, 5, 31_200, 75.0))
DONE = replace(RUNNING, phase=Phase.DONE, ended_by="Enough information found.")

BOARD = "document.querySelector('.research .board')"


@pytest.fixture
def told(driver):
    """Return what the page reports, as it does."""
    wishes = []
    driver.page.research_steered.connect(lambda message_id, wish: wishes.append((message_id, wish)))
    yield wishes
    driver.page.research_steered.disconnect()


def begin(driver, *states):
    """Let an answer run whose research comes to stand so."""
    message = answer(status=MessageStatus.STREAMING, offered=())
    driver.page.apply(TurnStarted(question(), message))
    driver.page.apply(SourcesAdded(SOURCES))
    for state in states:
        driver.page.apply(ProcedureChanged(state))
    driver.until(f"!!{BOARD}")
    driver.settle()


def press(driver, kind):
    driver.js(f"document.querySelector('[data-research={kind}]').click()")


def test_a_plan_that_waits_can_be_changed_and_started(driver, told, qtbot):
    begin(driver, STATE, PLANNED)
    driver.until("document.querySelectorAll('.editor ol > li').length === 2")
    assert "what <b>they</b> cost" in driver.text(".needs")
    assert driver.js("[...document.querySelectorAll('.editor select')].map(e => e.value)") == [
        "web",
        "wikipedia",
    ]
    driver.js("(document.querySelector('.editor input').value = ' coldest  day ', 1)")
    driver.js("document.querySelectorAll('.editor [data-research=remove]')[1].click()")
    press(driver, "add")
    assert driver.js("document.activeElement.getAttribute('aria-label')") == "Search 2"
    driver.js(
        "(document.activeElement.value = 'prices', document.querySelectorAll('select')[1].value = 'wikipedia')"
    )
    press(driver, "start")
    qtbot.waitUntil(lambda: bool(told))
    edited = Plan(PLAN.needs, (Query("coldest day"), Query("prices", SearchTarget.WIKIPEDIA)))
    assert told == [("a1", StartPlan(edited))]
    driver.until("document.querySelector('[data-research=start]').disabled")
    driver.page.apply(ProcedureChanged(replace(RUNNING, plan=edited)))
    driver.until("!document.querySelector('.editor')")


def test_enter_in_a_search_adds_the_next_and_there_is_an_end_to_it(driver, told):
    begin(driver, PLANNED)
    driver.js("document.querySelector('.editor input').focus()")
    for _ in range(10):
        driver.js(
            "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))"
        )
    assert driver.js("document.querySelectorAll('.editor ol > li').length") == 8
    assert told == []


def test_a_round_shows_what_was_asked_found_out_and_is_missing(driver):
    begin(driver, RUNNING)
    text = driver.text(".piece.round")
    assert "heat pump minimum temperature" in text
    assert "They work at minus <i>fifteen</i> degrees." in text
    assert "Still missing: what they cost" in text
    assert "heat pump price" in text
    marks = driver.js("[...document.querySelectorAll('.research a.citation')].map(e => e.innerText)")
    assert marks == ["1", "2", "1", "2"]  # what has no source is no mark
    driver.hover(".research a.citation")
    assert "Heat pumps" in driver.text("#card")


def test_what_is_spent_is_shown_to_eye_and_screen_reader(driver):
    begin(driver, RUNNING)
    bars = driver.js(
        "[...document.querySelectorAll('.bar progress')].map(e => e.getAttribute('aria-valuetext'))"
    )
    assert bars == ["1 of 4", "5 of 20", "31,200 of 120,000", "1.2 of 8"]
    assert driver.js("document.querySelectorAll('.bar progress')[1].position") == 0.25


def test_buttons_and_remarks_are_reported_and_heard(driver, told, qtbot):
    begin(driver, RUNNING)
    press(driver, "pause")
    driver.until("!!document.querySelector('[data-research=resume]')")
    assert "Pausing after this round…" in driver.text(".board")
    press(driver, "resume")
    driver.until("!!document.querySelector('[data-research=pause]')")
    driver.js("(document.querySelector('.remark').value = 'only  new\\u0007 ones', 1)")
    press(driver, "remark")
    driver.until("!!document.querySelector('.remarks .waiting')")
    press(driver, "answer")
    driver.until("document.querySelector('[data-research=answer]').disabled")
    qtbot.waitUntil(lambda: len(told) == 4)
    assert [wish for _, wish in told] == [Pause(), Resume(), UserNote("only new ones"), AnswerNow()]
    driver.page.apply(ProcedureChanged(replace(RUNNING, asides=("only new ones",))))
    driver.until("!document.querySelector('.remarks .waiting') && !!document.querySelector('.remarks li')")


def test_typing_and_what_is_open_stay_while_the_research_goes_on(driver):
    begin(driver, RUNNING)
    driver.focus()
    driver.js(
        "(document.querySelector('.remark').value = 'half a', document.querySelector('.remark').focus())"
    )
    driver.js("(document.querySelector('.piece.plan details').open = true)")
    second = Round((Query("heat pump price"),), is_searched=False)
    driver.page.apply(
        ProcedureChanged(replace(RUNNING, rounds=(FIRST, second), spent=ResearchCost(1, 7, 40_000, 90)))
    )
    driver.until("document.querySelectorAll('.piece.round').length === 2")
    assert driver.js("document.querySelector('.remark').value") == "half a"
    assert driver.js("document.activeElement.className") == "remark"
    assert driver.js("document.querySelector('.piece.plan details').open") is True
    opened = driver.js("[...document.querySelectorAll('.piece.round > details')].map(e => e.open)")
    assert opened == [False, True]
    names = driver.js("[...document.querySelector('.pieces').children].map(e => e.dataset.piece)")
    assert names == ["plan", "round-1", "round-2", "spent", "buttons", "steer", "record"]


def test_the_focus_stays_on_a_button_that_changes(driver):
    begin(driver, RUNNING)
    driver.focus()
    driver.js("document.querySelector('[data-research=pause]').focus()")
    press(driver, "pause")
    driver.until("!!document.querySelector('[data-research=resume]')")
    assert driver.js("document.activeElement.dataset.research") == "resume"


def test_it_folds_when_the_answer_is_written_and_can_be_opened(driver):
    begin(driver, RUNNING)
    assert driver.js(f"{BOARD}.open") is True
    driver.page.apply(ProcedureChanged(replace(RUNNING, phase=Phase.WRITING)))
    driver.until(f"!{BOARD}.open")
    driver.js(f"{BOARD}.querySelector('summary').click()")
    driver.page.apply(TextDelta("They work [1]."))
    driver.page.apply(ProcedureChanged(DONE))
    driver.until(f"{BOARD}.innerText.includes('1 round, 3 sources, 2 findings')")
    assert driver.js(f"{BOARD}.open") is True
    finished = answer("They work [1].", procedure=DONE)
    driver.page.apply(TurnFinished(finished))
    driver.until("!document.querySelector('.streaming')")
    assert "They work" in driver.text(".text")


def test_a_finished_one_is_shown_folded_above_its_answer_without_buttons(driver):
    driver.open(question(), answer("They work [1].", procedure=DONE))
    assert driver.js(f"{BOARD}.open") is False
    assert driver.js("document.querySelectorAll('[data-research]').length") == 0
    position = f"{BOARD}.compareDocumentPosition(document.querySelector('.text'))"
    assert driver.js(f"{position} & Node.DOCUMENT_POSITION_FOLLOWING") != 0
    driver.js(f"{BOARD}.querySelector('summary').click()")
    driver.until(f"{BOARD}.innerText.includes('Enough information found.')")


@cases("phase", [Phase.PLANNED, Phase.SEARCHING, Phase.PAUSED, Phase.WRITING])
def test_one_that_broke_off_offers_to_continue_it(driver, phase, qtbot):
    asked = []
    driver.page.action_requested.connect(lambda action: asked.append(action.action))
    broken = answer(status=MessageStatus.INTERRUPTED, procedure=replace(RUNNING, phase=phase))
    driver.open(question(), broken)
    assert "Interrupted" in driver.text(".board")
    assert "Resume research" in driver.text(".notice")
    assert "Everything found so far is kept." in driver.text(".notice")
    driver.js("document.querySelector('[data-action=continue]').click()")
    qtbot.waitUntil(lambda: asked == ["continue"])
    driver.page.action_requested.disconnect()


def test_an_answer_without_a_research_has_no_panel(driver):
    driver.open(question(), answer("Words.", status=MessageStatus.STOPPED))
    assert driver.js("document.querySelector('.research').childElementCount") == 0
    assert "research" not in driver.text(".notice")


def test_it_speaks_chinese(driver):
    driver.page.set_language("zh_CN")
    driver.until("document.documentElement.lang.startsWith('zh')")
    begin(driver, replace(RUNNING, ended_by=recognise_message("The round limit was reached.")))
    text = driver.text(".board")
    for words in (
        "均衡研究",
        "还缺：what they cost",
        "已达到轮数上限。",
        "1 / 4",
        "立即回答",
    ):
        assert words in text, words
    driver.page.set_language("en")
    driver.until("document.documentElement.lang.startsWith('en')")


@cases(
    "plan, queries",
    [
        ((["web", "nowhere", "files"], ["a", "b", "c"]), (Query("a"), Query("c", SearchTarget.FILES))),
        ((["web"] * 3, [1, None, ["x"]]), ()),
        (
            (["web"] * 20, [str(number) for number in range(20)]),
            tuple(Query(str(number)) for number in range(8)),
        ),
        ((["web"], ["x" * 5_000]), (Query("x" * 300),)),
        ((["web"], ["a\u0000b\nc"]), (Query("a b c"),)),
        (([["web"]], ["a"]), ()),
    ],
)
def test_the_bridge_takes_nothing_but_short_lines_and_known_places(qapp, plan, queries):
    bridge = PageBridge()
    heard = []
    bridge.research_steered.connect(lambda *what: heard.append(what))
    bridge.start_plan("a1", *plan)
    bridge.start_plan("../a1", *plan)
    assert heard == [("a1", StartPlan(Plan((), queries)))]


@cases(
    "message_id, wish, text",
    [
        ("", "pause", ""),
        ("../a", "pause", ""),
        ("a1", "", ""),
        ("a1", "PAUSE", ""),
        ("a1", "__class__", ""),
        ("a1", "start", "x"),
        ("a1", "remark", ""),
        ("a1", "remark", " \u0000\n"),
    ],
)
def test_the_bridge_drops_wishes_that_there_are_not(qapp, message_id, wish, text):
    bridge = PageBridge()
    heard = []
    bridge.research_steered.connect(lambda *what: heard.append(what))
    bridge.steer(message_id, wish, text)
    assert heard == []


def test_the_bridge_cuts_what_is_too_long_and_what_comes_too_often(qapp):
    bridge = PageBridge()
    heard = []
    bridge.research_steered.connect(lambda _id, wish: heard.append(wish))
    bridge.steer("a1", "remark", "long " * 100_000)
    assert len(heard[0].text) <= REMARK_CHARS
    for _ in range(1_000):
        bridge.steer("a1", "answer", "")
    assert len(heard) < 10 * CLICKS_A_SECOND
