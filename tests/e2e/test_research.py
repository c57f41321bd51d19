"""Research in the real window: planned and started by the user, killed in the middle and continued."""

import os
import signal
import subprocess
import sys

import pytest

from desktop.domain.messages import MessageStatus
from desktop.domain.procedures import Phase, SearchTarget
from desktop.ui.viewer.window import SourcePanel
from tests.e2e.model_server import provider
from tests.e2e.test_window import recent, stored
from tests.e2e.window import configure, running_window

QUESTION = "Who built the lighthouse of Velmora, and how many people live there?"
PLAN = "<plan><need>who built it</need><query>lighthouse of Velmora</query></plan>"
MORE = (
    '<information source="1">Ada Korsten built it in 1873.</information>'
    "<missing>the inhabitants</missing><query>Velmora inhabitants</query>"
)
ENOUGH = '<information source="2">About 900 people live there.</information><verdict>enough</verdict>'
ANSWER = "It was built by Ada Korsten in 1873 [1]."


@pytest.fixture
def data(tmp_path, site, model_server):
    def prepare(depth: str):
        configure(
            tmp_path / "data",
            site,
            chat={"model": "loopback/scripted"},
            research={"depth": depth},
            providers=[provider(model_server)],
        )
        return tmp_path / "data"

    return prepare


def last(driver):
    return stored(driver).messages[-1]


def test_the_person_changes_the_plan_and_reads_the_answer_with_its_sources(qapp, data, model_server):
    model_server.replies = [PLAN, MORE, ENOUGH, ANSWER]
    with running_window(qapp, data("thorough")) as driver:
        driver.frame.resize(1280, 800)
        driver.type_question(QUESTION)
        driver.wait_for_page("document.querySelector('.editor input')?.value === 'lighthouse of Velmora'")
        driver.wait_for_page("document.querySelector('.research.beside .editor')?.offsetHeight > 0")
        driver.script("(document.querySelector('.editor input').value = 'Velmora lighthouse builder', 1)")
        driver.script("document.querySelector('[data-research=start]').click()")
        driver.wait_for(lambda: not driver.window.sessions.is_running, "the answer is complete")
        message = last(driver)
        assert message.status is MessageStatus.COMPLETE, message.error
        assert message.text == ANSWER
        assert [query.text for query in message.procedure.rounds[0].queries] == ["Velmora lighthouse builder"]
        assert message.procedure.phase is Phase.DONE
        assert [finding.numbers for finding in message.procedure.findings] == [(1,), (2,)]
        assert driver.wait_for_page("document.querySelector('.text a.citation')?.dataset.source") == "1"
        driver.wait_for_page("document.querySelector('.board').open === false")
        driver.wait_for_page("document.querySelector('.board-name').innerText.includes('2 rounds')")
        driver.script("(document.querySelector('.board').open = true, 1)")
        assert driver.script("document.querySelector('.piece.round').offsetHeight") == 0  # the panel shows it
        [panel] = driver.window.findChildren(SourcePanel)
        panel.leave.click()
        driver.wait_for_page("document.querySelector('.piece.round').offsetHeight > 0")

        async def trace():
            return await driver.program.services.store.trace(message.id)

        assert driver.program.loop.call(trace(), 60).queries == (
            "Velmora lighthouse builder",
            "Velmora inhabitants",
        )


def test_a_research_that_was_killed_says_so_and_is_continued(qapp, data, model_server):
    model_server.replies, model_server.hold_at = [PLAN], 0
    folder = data("quick")
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.e2e.research_in_window", str(folder), QUESTION],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "on disk"
        process.send_signal(signal.SIGKILL)
    asked = len(model_server.requests)
    model_server.replies, model_server.hold_at = [ENOUGH, ANSWER], None
    with running_window(qapp, folder) as driver:
        driver.wait_for(driver.window.sidebar.model.rowCount, "the conversation is listed")
        driver.window.sessions.open(driver.program.loop.call(recent(driver), 60)[0].id)
        driver.wait_for_page("document.querySelector('.notice')?.innerText.includes('Resume research')")
        assert last(driver).status is MessageStatus.INTERRUPTED
        sources = last(driver).offered
        assert sources
        driver.script("document.querySelector('[data-action=continue]').click()")
        driver.wait_for_page("document.querySelector('.text').innerText.includes('Ada Korsten')")
        driver.wait_for(lambda: not driver.window.sessions.is_running, "the answer is complete")
        message = last(driver)
        assert message.text == ANSWER
        assert message.status is MessageStatus.COMPLETE
        assert set(sources) <= set(message.offered)
        assert message.procedure.rounds[0].queries[0].place is SearchTarget.WEB
        plans = [request for request in model_server.requests[asked:] if "You plan" in str(request)]
        assert plans == []  # it goes on from where it was
