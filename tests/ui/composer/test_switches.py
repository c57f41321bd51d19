"""The switch for research: what it shows, what it asks with, and what it remembers."""

import pytest
from PySide6.QtCore import Qt

from desktop.domain.procedures import AnswerNow, Depth
from desktop.settings.model import ResearchSettings, Settings, with_plan_shown
from desktop.ui.composer.composer import Composer
from desktop.ui.window.workspace import Workspace
from tests.ui.fakes.scripts import record_calls


@pytest.fixture
def composer(qtbot):
    composer = Composer()
    qtbot.add_widget(composer)
    composer.resize(900, 300)
    composer.show()
    return composer


@pytest.fixture
def window(qtbot, loop, engine, qapp):
    window = Workspace(engine.port, loop, qapp)
    qtbot.add_widget(window)
    return window


def entries(switch):
    switch.menu().aboutToShow.emit()
    return [action for action in switch.menu().actions() if not action.isSeparator()]


def test_it_is_off_at_first_and_says_so(composer):
    assert composer.research.choice is None
    assert composer.research.property("active") != "true"
    assert composer.research.accessibleName() == "Research: off: Research"
    assert [action.isChecked() for action in entries(composer.research)] == [True, *[False] * 7]


def test_a_depth_says_what_it_may_spend_and_is_remembered(window):
    composer = window.composer
    entries(composer.research)[2].trigger()
    assert composer.research.choice is Depth.BALANCED
    assert window.store.settings.research.depth is Depth.BALANCED
    assert composer.research.text() == "Balanced research"
    assert "4 rounds" in composer.research.toolTip()
    assert "120,000 tokens" in composer.research.accessibleName()


def test_the_plan_is_shown_first_for_thorough_researches_unless_the_person_wants_otherwise(window):
    composer = window.composer
    assert not composer.research.shows_plan
    entries(composer.research)[3].trigger()
    assert composer.research.shows_plan
    entries(composer.research)[4].trigger()
    assert not composer.research.shows_plan
    assert window.store.settings.research.plans_shown == ()
    entries(composer.research)[1].trigger()
    entries(composer.research)[4].trigger()
    assert window.store.settings.research == ResearchSettings(Depth.QUICK, (Depth.QUICK,))


def test_without_a_research_there_is_no_plan_to_see(composer):
    assert not entries(composer.research)[4].isEnabled()


def test_the_keyboard_opens_it(composer, qtbot):
    opened = []
    composer.research.menu().aboutToShow.connect(lambda: opened.append(True))
    composer.activateWindow()
    composer.research.setFocus(Qt.FocusReason.TabFocusReason)
    menu = composer.research.menu()
    menu.aboutToShow.connect(menu.close, Qt.ConnectionType.QueuedConnection)
    qtbot.keyClick(composer.research, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: bool(opened))


def test_wishes_for_plans_are_kept_by_depth():
    settings = with_plan_shown(Settings(), Depth.QUICK, is_shown=True)
    assert set(settings.research.plans_shown) == {Depth.QUICK, Depth.THOROUGH}
    again = with_plan_shown(settings, Depth.QUICK, is_shown=True)
    assert again.research == settings.research
    assert with_plan_shown(settings, Depth.THOROUGH, is_shown=False).research.plans_shown == (Depth.QUICK,)


@pytest.mark.parametrize(("depth", "confirms"), [(None, False), (Depth.QUICK, False), (Depth.THOROUGH, True)])
def test_a_question_is_asked_as_deep_as_chosen(window, engine, qtbot, depth, confirms):
    window.composer.research.picked.emit(depth)
    window.asking.ask("Why?")
    qtbot.waitUntil(lambda: bool(engine.turns.questions))
    (question,) = engine.turns.questions
    assert (question.procedure, question.confirms_plan) == (depth, confirms)


def test_searches_of_the_person_s_own_are_no_research(window, engine, qtbot):
    window.composer.research.picked.emit(Depth.QUICK)
    window.asking.ask("Why?", queries=("mine",))
    qtbot.waitUntil(lambda: bool(engine.turns.questions))
    assert engine.turns.questions[0].procedure is None


def test_wishes_reach_the_engine(window, engine, qtbot):
    wishes = record_calls(engine.turns, "steer")
    window.transcripts.research_steered.emit("a1", AnswerNow())
    qtbot.waitUntil(lambda: wishes == [("a1", AnswerNow())])


def test_the_words_of_a_pill_stand_in_its_middle(composer):
    pill = composer.research
    pill.show_state("Research", "Research", is_active=True)
    pill.show()
    pill.adjustSize()
    image = pill.grab().toImage()
    empty = image.pixelColor(image.width() // 2, 3)
    rows = range(8, image.height() - 8)
    drawn = [x for x in range(4, image.width() - 4) if any(image.pixelColor(x, y) != empty for y in rows)]
    assert abs(drawn[0] - (image.width() - 1 - drawn[-1])) <= 2
