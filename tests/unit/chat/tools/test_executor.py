"""What the user says for always holds at once, for all that is asked beside, until it is taken back."""

import asyncio

import pytest

from desktop.chat.tools.executor import Approvals
from desktop.domain.models import ToolSpec
from desktop.domain.tools import Consent, Tool, tool_key

pytestmark = pytest.mark.anyio


def tool(name="pay", server="bank"):
    return Tool(ToolSpec(name, "", {}), lambda _arguments: None, server=server)


@pytest.fixture
def kept():
    return {}


@pytest.fixture
def consents(kept):
    return Approvals(lambda: kept)


async def test_a_question_waits_for_its_answer(consents):
    question = consents.new_question(tool())
    waiting = asyncio.create_task(consents.answer(question))
    await asyncio.sleep(0)
    assert not waiting.done()
    consents.decide(question, Consent.ONCE)
    assert await waiting is Consent.ONCE
    assert consents.find_stored_decision(tool()) is None
    consents.decide(question, Consent.NEVER)  # too late, and nobody's
    assert consents.find_stored_decision(tool()) is None


async def test_an_answer_for_always_answers_what_the_same_tool_asks_beside(consents):
    first, second = consents.new_question(tool()), consents.new_question(tool())
    other = consents.new_question(tool(server="shop"))
    consents.decide(first, Consent.NEVER)
    assert await consents.answer(first) is Consent.NEVER
    assert await consents.answer(second) is Consent.NEVER
    consents.decide(other, Consent.ONCE)
    assert await consents.answer(other) is Consent.ONCE
    assert consents.find_stored_decision(tool()) is Consent.NEVER
    assert consents.find_stored_decision(tool(server="shop")) is None


async def test_what_is_kept_can_be_taken_back(consents, kept):
    consents.decide(consents.new_question(tool()), Consent.ALWAYS)
    kept[tool_key("bank", "pay")] = Consent.ALWAYS
    kept.clear()  # before anybody looked
    assert (
        consents.find_stored_decision(tool()) is Consent.ALWAYS
    )  # nothing was ever kept, as far as could be seen
    kept[tool_key("bank", "pay")] = Consent.ALWAYS
    assert consents.find_stored_decision(tool()) is Consent.ALWAYS
    kept.clear()
    assert consents.find_stored_decision(tool()) is None
