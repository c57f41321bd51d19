"""The switch for research: what it shows, what it asks with, and what it remembers."""

import pytest
from PySide6.QtCore import QObject, Qt, Signal

from desktop.domain.research import Depth
from desktop.settings.model import ResearchSettings, Settings, with_plan_shown
from desktop.ui.composer import Composer
from desktop.ui.composer_settings import ComposerSettings


class Store(QObject):
    """Settings that are applied at once."""

    changed = Signal(object)

    def __init__(self, parent) -> None:
        super().__init__(parent)
        self.settings = Settings()

    def apply(self, settings) -> None:
        self.settings = settings
        self.changed.emit(settings)


@pytest.fixture
def composer(qtbot):
    composer = Composer()
    qtbot.add_widget(composer)
    composer.resize(900, 300)
    composer.show()
    return composer


@pytest.fixture
def store(composer):
    store = Store(composer)
    ComposerSettings(composer, store)
    return store


def entries(switch):
    switch.menu().aboutToShow.emit()
    return [action for action in switch.menu().actions() if not action.isSeparator()]


def test_it_is_off_at_first_and_says_so(composer):
    assert composer.research.choice is None
    assert composer.research.property("active") != "true"
    assert composer.research.accessibleName() == "Research: off: Research"
    assert [action.isChecked() for action in entries(composer.research)] == [True, False, False, False, False]


def test_a_depth_says_what_it_may_spend_and_is_remembered(composer, store):
    entries(composer.research)[2].trigger()
    assert composer.research.choice is Depth.BALANCED
    assert store.settings.research.depth is Depth.BALANCED
    assert composer.research.text() == "Balanced research"
    assert "4 rounds" in composer.research.toolTip()
    assert "120,000 tokens" in composer.research.accessibleName()


def test_the_plan_is_shown_first_for_thorough_researches_unless_the_person_wants_otherwise(composer, store):
    assert not composer.research.shows_plan
    entries(composer.research)[3].trigger()
    assert composer.research.shows_plan
    entries(composer.research)[4].trigger()
    assert not composer.research.shows_plan
    assert store.settings.research.plans_shown == ()
    entries(composer.research)[1].trigger()
    entries(composer.research)[4].trigger()
    assert store.settings.research == ResearchSettings(Depth.QUICK, (Depth.QUICK,))


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
    qtbot.waitUntil(lambda: bool(opened), timeout=20_000)


def test_wishes_for_plans_are_kept_by_depth():
    settings = with_plan_shown(Settings(), Depth.QUICK, is_shown=True)
    assert set(settings.research.plans_shown) == {Depth.QUICK, Depth.THOROUGH}
    again = with_plan_shown(settings, Depth.QUICK, is_shown=True)
    assert again.research == settings.research
    assert with_plan_shown(settings, Depth.THOROUGH, is_shown=False).research.plans_shown == (Depth.QUICK,)
