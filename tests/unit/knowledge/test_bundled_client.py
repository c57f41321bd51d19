"""The bundled models without the knowledge worker: a process of their own, which ends when it is idle."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from desktop.domain.models import QUOTES_MODEL, AnswerRemark, ModelRequest, TextDelta
from desktop.errors import ModelUnusable
from desktop.knowledge import bundled_client
from desktop.knowledge.bundled_client import BundledModels
from desktop.knowledge.bundled_models import BUILT_IN_MODEL, LIMIT_S, PairJudgement, load_bundled
from desktop.knowledge.embedding.model_cards import BUILT_IN
from desktop.providers.quotes.model import QuotesModel
from desktop.text.child_processes import ParserProcess
from tests.unit.providers.quotes.test_model import source
from tests.unit.storage.test_stream_journal import until

pytestmark = pytest.mark.anyio

QUESTION = "Where does the grey heron hunt?"
TEXTS = ("The grey heron hunts in shallow water.", "Bread is baked from flour \ud83d.")


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Wait as long as a busy machine takes."""
    monkeypatch.setattr(bundled_client, "_PATIENCE_S", LIMIT_S)


class Worker:
    """A knowledge worker that runs or does not, and notes what it is asked."""

    def __init__(self, *, is_warm):
        self.is_warm = is_warm
        self.asked = []

    async def embed(self, texts, *, is_query=False):
        self.asked.append((texts, is_query))
        return (b"",)

    async def judge_pairs(self, pairs):
        self.asked.append(pairs)
        if self.is_warm == "busy":
            await asyncio.Event().wait()
        return (PairJudgement(0.1, 0.2, 0.3, 0.5),)


@asynccontextmanager
async def opened(worker):
    models = BundledModels(lambda: worker)
    try:
        yield models
    finally:
        await models.aclose()
    assert models.pid is None


async def test_texts_are_embedded_and_judged_and_the_process_ends_when_idle(monkeypatch):
    async with opened(Worker(is_warm=False)) as models:

        async def ended():
            return models.pid is None

        for of_sentences in (False, True):
            right, wrong = await models.judge(QUESTION, TEXTS, of_sentences=of_sentences)
            assert 0 <= wrong < right <= 1
        said, other = await models.entail([(TEXTS[0], "Herons hunt in water."), (TEXTS[1], "Herons hunt.")])
        assert said[0] > other[0]
        monkeypatch.setattr(bundled_client, "_IDLE_S", 0.0)
        (asked,) = await models.embed([QUESTION], is_query=True)
        assert (asked,) == tuple(load_bundled(BUILT_IN_MODEL).encode([BUILT_IN.query_prefix + QUESTION]))
        await until(ended)
        assert len(await models.judge(QUESTION, TEXTS, of_sentences=True)) == len(TEXTS)


async def test_a_knowledge_worker_that_runs_is_used(monkeypatch):
    monkeypatch.setattr(bundled_client, "_WORKER_PATIENCE_S", 0.0)
    worker = Worker(is_warm=True)
    async with opened(worker) as models:
        models.load_early()
        assert await models.judge(QUESTION, ("One.",), of_sentences=True) == (0.5,)
        assert await models.embed(("One.",), is_query=True) == (b"",)
        assert await models.entail([("One.", "A claim.")]) == ((0.1, 0.2),)
        assert worker.asked == [[(QUESTION, "One.")], (("One.",), True), [("A claim.", "One.")]]
        worker.is_warm = "busy"
        with pytest.raises(ModelUnusable, match="longer than"):
            await models.judge(QUESTION, ("One.",), of_sentences=True)
        assert models.pid is None


async def test_without_the_network_quotes_answers_and_says_so():
    async with opened(Worker(is_warm=False)) as models:
        models._process = ParserProcess("tests.unit.knowledge.models_without_network")
        quotes = QuotesModel(models.embed, models.judge)
        request = ModelRequest(QUOTES_MODEL, (), question=QUESTION, references=(source(1, TEXTS[0]),))
        remark, *events = [event async for event in quotes.stream(request)]
    assert isinstance(remark, AnswerRemark)
    assert "It is damaged" in remark.text
    assert "shallow water" in "".join(event.text for event in events if isinstance(event, TextDelta))


async def test_a_process_that_ends_is_an_error_and_the_next_one_answers():
    async with opened(Worker(is_warm=False)) as models:
        models._process = ParserProcess("tests.unit.knowledge")
        with pytest.raises(ModelUnusable, match="ended"):
            await models.judge(QUESTION, TEXTS, of_sentences=True)
        assert await models.embed(TEXTS) is None
        models._process = ParserProcess("desktop.knowledge.bundled_models")
        assert len(await models.judge(QUESTION, TEXTS, of_sentences=True)) == len(TEXTS)


async def test_closing_ends_what_is_being_asked_and_what_waits():
    async with opened(Worker(is_warm=False)) as models:
        assert await models.embed(TEXTS) is not None
        asked = [asyncio.create_task(models.entail([(" ".join(TEXTS), TEXTS[0])] * 50)) for _ in range(3)]

        async def is_asked():
            return models._asking.locked()

        await until(is_asked)
        await models.aclose()
        for failed in await asyncio.gather(*asked, return_exceptions=True):
            assert isinstance(failed, ModelUnusable)
