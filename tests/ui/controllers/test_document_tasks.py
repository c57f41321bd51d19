"""Reading and writing in the window: chosen beside research, typed, asked of an item; outlines that are changed."""

from dataclasses import replace

import pytest

from desktop.domain.drafts import Draft
from desktop.domain.events import (
    ProcedureChanged,
    SourcesAdded,
    TextDelta,
    TextReplaced,
    TurnFinished,
    TurnStarted,
)
from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemState
from desktop.domain.messages import MessageStatus
from desktop.domain.models import QUOTES_MODEL, ModelInfo
from desktop.domain.procedures import (
    MOST_CHAPTERS,
    AnswerNow,
    Chapter,
    Depth,
    DocumentSection,
    DocumentTask,
    DraftState,
    KeyPoint,
    NoteKind,
    OutlineHeading,
    Pause,
    Phase,
    ReadDocument,
    StartOutline,
    SummaryState,
)
from desktop.render.labels import EN, STARTS, ZH_CN
from desktop.render.page.procedure_panels import procedure_html
from desktop.ui.chat.session_manager import NEW
from desktop.ui.knowledge.manager import KnowledgeManager
from desktop.ui.transcript.message_action import ActionRequest, MessageAction
from desktop.ui.transcript.page_channel import PageBridge
from desktop.ui.widgets.labels import procedure_command_in
from desktop.ui.window.workspace import Workspace
from tests.cases import cases
from tests.ui.fakes.scripts import record_calls
from tests.ui.transcript.test_transcript_view import SOURCES, answer, driver, page_loop, question, shown_page

__all__ = ["driver", "page_loop", "shown_page"]

SECTION = DocumentSection(
    "1 Dams",
    0,
    100,
    1,
    12,
    (
        KeyPoint(NoteKind.GIST, "It is about <b>dams</b>.", (1,)),
        KeyPoint(NoteKind.CLAIM, "They hold.", (2, 99)),
    ),
    is_read=True,
)
READING = SummaryState(
    "",
    (),
    ReadDocument("i", "dams.pdf", "f" * 64, 300),
    Phase.READING,
    (SECTION, DocumentSection("2 Rivers", 100, 200)),
)
PLANNED = DraftState("Water", ("b",), Phase.PLANNED, (Chapter("Dams"), Chapter("Rivers")))
WRITTEN = replace(
    PLANNED,
    phase=Phase.DONE,
    chapters=(
        Chapter("Dams", "A [1].", (1,), is_written=True),
        Chapter("Rivers", "B [2].", (2,), is_written=True),
    ),
)


@pytest.fixture
def window(qtbot, loop, engine, qapp):
    window = Workspace(engine.port, loop, qapp)
    qtbot.add_widget(window)
    return window


@pytest.fixture
def told(driver):
    """Return what the page reports, as it does."""
    wishes = []
    driver.page.research_steered.connect(lambda message_id, wish: wishes.append((message_id, wish)))
    yield wishes
    driver.page.research_steered.disconnect()


def begin(driver, state):
    driver.page.apply(TurnStarted(question(), answer(status=MessageStatus.STREAMING, offered=())))
    driver.page.apply(SourcesAdded(SOURCES))
    driver.page.apply(ProcedureChanged(state))
    driver.until("!!document.querySelector('.research .board')")
    driver.settle()


def press(driver, kind, row=0):
    driver.js(f"document.querySelectorAll('[data-research={kind}]')[{row}].click()")


def wait_for_question(engine, qtbot):
    qtbot.waitUntil(lambda: bool(engine.turns.questions))
    return engine.turns.questions[-1]


@cases(
    "typed, found",
    [
        ("/read", (DocumentTask.READ, "")),
        ("/READ  why? ", (DocumentTask.READ, "why?")),
        ("/阅读：为什么", (DocumentTask.READ, "为什么")),
        ("/write the sea", (DocumentTask.WRITE, "the sea")),
        ("/写作 海洋", (DocumentTask.WRITE, "海洋")),
        ("/ready?", (None, "/ready?")),
        ("read this", (None, "read this")),
    ],
)
def test_a_craft_can_be_typed(typed, found):
    assert procedure_command_in(typed) == found


def choose_base(window) -> None:
    window.composer.bases.set_bases((BaseInfo("b1", "Papers"),))
    window.composer.bases.set_chosen(("b1",))


def test_a_craft_is_chosen_beside_research_for_one_question(window, engine, qtbot):
    switch = window.composer.research
    switch.menu().aboutToShow.emit()
    entry = next(
        action for action in switch.menu().actions() if action.text().startswith("Summarize a document")
    )
    entry.trigger()
    assert switch.mode is DocumentTask.READ
    assert switch.text() == "Summarize a document"
    assert window.composer.send.isEnabled()  # a document needs no words
    window.composer.send.click()
    assert "Attach a document first" in window.notices.text
    assert switch.mode is DocumentTask.READ
    choose_base(window)
    window.composer.send.click()
    question = wait_for_question(engine, qtbot)
    assert (question.procedure, question.is_wish, question.text) == (
        DocumentTask.READ,
        True,
        "Summarize this document.",
    )
    assert switch.mode is None
    assert window.store.settings.research.depth is None


@cases("typed, also", [("/read www.example.com", ()), ("/write the sea", ("a/b",))])
def test_an_address_and_a_comparison_need_no_document(typed, also, window, engine, qtbot):
    window.sessions.open(NEW)
    window.composer.put(Draft("/read the report"))
    window.composer.send.click()
    assert "Attach a document first" in window.notices.text
    window.composer.put(Draft(typed, also=also))  # several models answer, and write no draft
    window.composer.send.click()
    qtbot.wait_until(lambda: bool(engine.turns.questions))
    assert engine.turns.questions.pop().also == also


def test_the_example_about_files_asks_for_them_first(window, engine, qtbot, tmp_path):
    window.sessions.open(NEW)
    window.composer.research.choose(Depth.BALANCED)
    example = ActionRequest("", MessageAction.EXAMPLE, EN.examples[2])
    window.asking.ask_example(example)
    assert "Attach a document first" in window.notices.text
    assert window.composer.research.mode is DocumentTask.READ
    assert engine.turns.questions == []
    notes = tmp_path / "notes.md"
    notes.write_text("High water is at noon.")
    window.composer.attach_files((notes,))
    window.asking.ask_example(example)
    assert wait_for_question(engine, qtbot).files == (notes,)


def test_an_email_address_is_no_document(window, engine, qtbot):
    window.sessions.open(NEW)
    window.composer.put(Draft("/read the mail of ann@example.org"))
    window.composer.send.click()
    assert "Attach a document first" in window.notices.text
    assert engine.turns.questions == []


def test_a_depth_ends_the_choice_of_a_craft(window):
    switch = window.composer.research
    switch.set_task(DocumentTask.WRITE)
    switch.menu().aboutToShow.emit()
    next(action for action in switch.menu().actions() if action.text().startswith("Quick")).trigger()
    assert switch.mode is Depth.QUICK


def test_writing_shows_its_outline_first(window, engine, qtbot):
    window.composer.text.setPlainText("/write the sea")
    window.composer.send.click()
    assert "Attach a document first" in window.notices.text
    assert window.composer.text.toPlainText() == "/write the sea"
    choose_base(window)
    window.composer.send.click()
    question = wait_for_question(engine, qtbot)
    assert (question.procedure, question.text, question.confirms_plan) == (
        DocumentTask.WRITE,
        "the sea",
        True,
    )


def test_an_item_of_a_base_is_read(window, engine, qtbot):
    window.asking.read_item("base/item", "dams.pdf")
    question = wait_for_question(engine, qtbot)
    assert (question.procedure, question.bases, question.is_wish) == (DocumentTask.READ, ("base/item",), True)
    assert question.text == "Summarize “dams.pdf”."


def test_a_file_that_is_dropped_is_read_once_it_is_sent(window, engine, tmp_path, qtbot):
    path = tmp_path / "dams.md"
    path.write_text("Dams hold.")
    window.drop_zone.read.dropped.emit((path,))
    assert window.composer.research.mode is DocumentTask.READ
    window.composer.send.click()
    question = wait_for_question(engine, qtbot)
    assert (question.procedure, question.files, question.is_wish) == (DocumentTask.READ, (path,), True)


def test_a_file_that_is_dropped_on_check_is_checked_in_a_new_conversation(window, engine, tmp_path, qtbot):
    path = tmp_path / "letter.md"
    path.write_text("Dams hold.")
    window.drop_zone.check.dropped.emit((path,))
    assert window.composer.research.mode is DocumentTask.CHECK
    window.composer.send.click()
    question = wait_for_question(engine, qtbot)
    assert (question.procedure, question.files, question.text) == (DocumentTask.CHECK, (path,), "")


def test_an_item_is_read_from_the_manager_while_another_answer_goes_on(window, engine, qtbot):
    items = [
        ItemInfo("i1", "b1", "dams.pdf", "/x/dams.pdf", ItemState.READY),
        ItemInfo("i2", "b1", "empty.pdf", "/x/empty.pdf", ItemState.FAILED),
    ]
    engine.worker.put("Papers", items)
    engine.models.is_gated = True
    window.asking.ask("Why?")
    wait_for_question(engine, qtbot)
    running = window.sessions.current
    window.opener.show_knowledge()
    manager = window.findChild(KnowledgeManager)
    qtbot.waitUntil(lambda: manager.controller.items.rows.total == 2)
    digest = manager.items.item_actions.actions["digest"]
    manager.items.view.pick("i2")
    assert not digest.isEnabled()  # there is nothing to read in it
    manager.items.view.pick("i1")
    digest.trigger()
    qtbot.waitUntil(lambda: len(engine.turns.questions) == 2)
    question = engine.turns.questions[-1]
    assert (question.procedure, question.bases, question.text) == (
        DocumentTask.READ,
        ("b1/i1",),
        "Summarize “dams.pdf”.",
    )
    assert question.conversation_id != running
    qtbot.waitUntil(
        lambda: [each.status for each in engine.load(running).messages][-1:] == [MessageStatus.STREAMING]
    )
    qtbot.waitUntil(lambda: window.findChild(KnowledgeManager) is None)


def test_a_reading_shows_how_far_it_is_and_what_was_noted(driver, told, qtbot):
    begin(driver, READING)
    assert "Summary of “dams.pdf” · Section 2 of 2" in driver.text(".board-name")
    assert driver.js("document.querySelector('.bar progress').getAttribute('aria-valuetext')") == "1 of 2"
    driver.js("document.querySelector('.piece.part details').open = true")
    assert "1 Dams · pp. 1–12 · 2 notes" in driver.text(".piece.part summary")
    assert "It is about <b>dams</b>." in driver.text(".piece.part")
    marks = driver.js("[...document.querySelectorAll('.piece.part a.citation')].map(e => e.innerText)")
    assert marks == ["1", "2"]
    driver.hover(".piece.part a.citation")
    assert "Heat pumps" in driver.text("#card")
    press(driver, "pause")
    press(driver, "answer")
    qtbot.waitUntil(lambda: len(told) == 2)
    assert [wish for _, wish in told] == [Pause(), AnswerNow()]
    driver.page.apply(ProcedureChanged(replace(READING, phase=Phase.WRITING)))
    driver.until("!document.querySelector('.board').open")


def test_an_outline_that_waits_is_changed_and_started(driver, told, qtbot):
    begin(driver, PLANNED)
    driver.until("document.querySelectorAll('.editor ol > li').length === 2")
    press(driver, "up", 1)
    driver.js("(document.querySelectorAll('.editor input')[1].value = ' Big  dams ', 1)")
    press(driver, "add")
    assert driver.js("document.activeElement.getAttribute('aria-label')") == "Heading 3"
    driver.js("(document.activeElement.value = 'Lakes', 1)")
    press(driver, "start")
    qtbot.waitUntil(lambda: bool(told))
    assert told == [
        ("a1", StartOutline((OutlineHeading("Rivers"), OutlineHeading("Big dams"), OutlineHeading("Lakes"))))
    ]
    driver.until("document.querySelector('[data-research=start]').disabled")


def test_a_finished_text_offers_its_outline_and_to_rewrite_a_chapter(driver, told, qtbot):
    driver.open(question(), answer(WRITTEN.text, procedure=WRITTEN))
    driver.until("!!document.querySelector('.editor')")
    driver.js("document.querySelector('.board').open = true")
    press(driver, "rewrite", 1)
    qtbot.waitUntil(lambda: bool(told))
    assert told == [
        ("a1", StartOutline((OutlineHeading("Dams", 0), OutlineHeading("Rivers", 1, is_anew=True))))
    ]


def test_a_chapter_that_was_rewritten_takes_the_place_of_the_old_one(driver):
    begin(driver, WRITTEN)
    driver.page.apply(TextDelta(WRITTEN.text))
    driver.until("document.querySelector('.text').innerText.includes('B')")
    driver.page.apply(TextReplaced("## Dams\n\nC [2].\n\n## Rivers\n\nB [2].\n\n"))
    driver.until("document.querySelector('.text').innerText.includes('C')")
    assert "A" not in driver.text(".text")
    assert driver.js("document.querySelectorAll('.text h2, .text h3').length") == 2
    driver.page.apply(TurnFinished(answer("## Dams\n\nC [2].\n\n## Rivers\n\nB [2].\n\n", procedure=WRITTEN)))
    driver.until("!document.querySelector('.message.streaming')")
    assert driver.js("[...document.querySelectorAll('.text a.citation')].map(e => e.innerText)") == ["2", "2"]


def test_the_outline_of_a_finished_text_reaches_the_engine(window, engine, qtbot):
    conversation = engine.put("Water", texts=("Water", "## Dams\n\nA [1].\n\n"))
    window.sessions.open(conversation)
    qtbot.waitUntil(lambda: bool(window.sessions.shown.last_answer))
    outline = StartOutline((OutlineHeading("Dams", 0, is_anew=True),))
    continued = record_calls(engine.turns, "go_on")
    window.transcripts.research_steered.emit(window.sessions.shown.last_answer, outline)
    qtbot.waitUntil(lambda: [each[-1] for each in continued] == [outline])


def test_the_bridge_takes_headings_in_bounds_only(qtbot):
    bridge, steered = PageBridge(), []
    bridge.research_steered.connect(lambda message_id, wish: steered.append((message_id, wish)))
    bridge.start_outline("a1", ["0", 0, 99, -5, -1], ["a", "b\x07  c", "d", "e", "f"], 1)
    bridge.start_outline("a1", [0] * 100, ["x" * 1_000] * 100, -1)
    bridge.start_outline("a1", [0], ["  "], -1)
    bridge.start_outline("<a1>", [0], ["b"], -1)
    (first, second) = (wish for _, wish in steered)
    assert first == StartOutline((OutlineHeading("b c", 0, is_anew=True), OutlineHeading("f")))
    assert len(second.headings) == MOST_CHAPTERS
    assert max(len(heading.title) for heading in second.headings) == 200


@cases("labels", [EN, ZH_CN], ids=["en", "zh"])
@cases("phase", list(Phase))
@cases("procedure", [READING, PLANNED], ids=["reading", "writing"])
def test_every_phase_that_is_reached_has_words(procedure, phase, labels):
    never = (
        {Phase.SEARCHING, Phase.PLANNED}
        if isinstance(procedure, SummaryState)
        else {Phase.SEARCHING, Phase.READING}
    )
    if phase in never:
        return
    for status in (MessageStatus.STREAMING, MessageStatus.STOPPED):
        html = procedure_html(answer(status=status, procedure=replace(procedure, phase=phase)), (1,), labels)
        assert html.startswith("<details")
        assert "{" not in html.replace("{number}", "")


def test_the_cards_of_an_empty_chat_prepare_the_composer(window, qtbot):
    def press(number):
        request = ActionRequest("", MessageAction.START, STARTS[number])
        window.transcripts.action_requested.emit(request)
        return window.composer.research

    assert press(0).choice is Depth.BALANCED
    assert press(1).task is DocumentTask.READ
    assert press(2).task is DocumentTask.WRITE
    window.composer.model.set_models((ModelInfo(QUOTES_MODEL, "Quotes", "Footnote"),))
    press(3)
    assert window.notices.text == "Comparing needs two models. Only Quotes is set up."
    window.composer.model.set_models((ModelInfo(QUOTES_MODEL, "Quotes", ""), ModelInfo("a/b", "B", "A")))
    with qtbot.wait_signal(window.composer.model.compare_asked):
        press(3)
    with qtbot.wait_signal(window.composer.model.setup_asked):
        press(4)
