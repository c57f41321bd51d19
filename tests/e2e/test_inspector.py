"""The way from an answer to its record and to another answer, in the whole program, over a restart."""

import pytest
from PySide6.QtCore import QItemSelectionModel

from desktop.domain.trace import Decider, SourceUse
from desktop.ui.dialogs.inspector_dialog import InspectorView
from tests.e2e.window import configure, running_window

DETAILS = "[...document.querySelectorAll('[data-action=details]')]"
QUESTION = "In which year was the lighthouse of Velmora built?"


@pytest.fixture
def data(tmp_path, site):
    configure(tmp_path / "data", site)
    return tmp_path / "data"


def inspector_of(driver, answer: int) -> InspectorView:
    """Open the inspector of the answer at a place, counted from 0, by its button on the page."""
    driver.wait_for_page(f"{DETAILS}.length > {answer}")
    driver.script(f"{DETAILS}[{answer}].click()")

    def shown() -> list[InspectorView]:
        return [found for found in driver.window.findChildren(InspectorView) if found.isVisible()]

    driver.wait_for(shown, "the inspector")
    return shown()[0]


def chosen(inspector: InspectorView, row: int) -> None:
    """Choose a source by its place."""
    sources = inspector.model.index(0, 0)
    flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
    inspector.tree.selectionModel().select(inspector.model.index(row, 0, sources), flags)


def trace_of(driver, answer: int):
    """Return the record on disk of the answer at a place, counted from 0."""

    async def read():
        store = driver.program.services.store
        conversation = await store.load((await store.recent())[0].id)
        return conversation, await store.trace(conversation.messages[2 * answer + 1].id)

    return driver.program.loop.call(read(), 60)


def again(driver, button) -> None:
    """Press a button that has the question answered anew, and wait for the answer."""
    button.click()
    driver.wait_for(lambda: driver.window.sessions.is_running, "the turn has begun")
    driver.wait_for(lambda: not driver.window.sessions.is_running, "the turn has ended")


def test_queries_are_changed_a_source_left_out_and_another_kept_and_all_is_there_after_a_restart(qapp, data):
    with running_window(qapp, data) as driver:
        driver.ask(QUESTION)
        inspector = inspector_of(driver, 0)
        inspector.queries.model.setStringList(["Velmora lighthouse engineer"])
        again(driver, inspector.search_again)
        _, trace = trace_of(driver, 0)
        assert (trace.decider, trace.queries) == (Decider.USER, ("Velmora lighthouse engineer",))

        inspector = inspector_of(driver, 0)
        chosen(inspector, 0)
        left_out = inspector._list_selected()[0]
        again(driver, inspector.leave_out)
        conversation, trace = trace_of(driver, 0)
        assert trace.without[0] == left_out.key
        fates = {source.key: source.source_use for source in trace.sources}
        assert fates[left_out.key] is SourceUse.EXCLUDED
        assert left_out.number not in conversation.messages[-1].offered
        assert conversation.messages[-1].offered
        # Each is a version of the answer; the one before can be turned back to.
        assert [message.text for message in conversation.messages[::2]] == [QUESTION]
        assert len(conversation.messages[-1].variants) == 3

        inspector = inspector_of(driver, 0)
        chosen(inspector, 0)
        (number,) = inspector._numbers()
        inspector.pin.click()
        driver.wait_for(lambda: trace_of(driver, 0)[0].pinned == (number,), "the pin is on disk")
        inspector.left.emit()

    with running_window(qapp, data) as driver:
        driver.wait_for(lambda: driver.window.sidebar.neighbour(1), "the conversation is listed")
        driver.window.sessions.open(driver.window.sidebar.neighbour(1))
        inspector = inspector_of(driver, 0)
        assert inspector.queries.queries == ("Velmora lighthouse engineer",)
        inspector.left.emit()
        driver.ask("Who keeps it today?")
        conversation, _ = trace_of(driver, 1)
        assert number in conversation.messages[-1].offered
