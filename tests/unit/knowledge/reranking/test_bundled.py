"""The bundled network that judges whether texts answer: loaded once, and what happens without it."""

import pytest

from desktop.errors import ModelUnusable, RerankerFailed
from desktop.knowledge import rerankers
from desktop.knowledge.bundled_models import PairJudgement
from desktop.knowledge.rerankers import BundledJudge
from desktop.knowledge.work_thread import WorkThread

pytestmark = pytest.mark.anyio


@pytest.fixture
def thread():
    thread = WorkThread("judge")
    yield thread
    thread.close()


class LongIsRight:
    """Judges a passage by its length, and a sentence the other way round."""

    def judge(self, pairs):
        return [PairJudgement(0.0, 0.0, len(text) / 10, 1 - len(text) / 10) for _, text in pairs]


async def test_judgements_are_in_the_order_of_the_pairs(thread, monkeypatch):
    loaded = []
    monkeypatch.setattr(rerankers, "load_pair_model", lambda: loaded.append(1) or LongIsRight())
    judge = BundledJudge(thread.run, lambda error: pytest.fail(str(error)))
    texts = ["a" * (1 + number % 9) for number in range(11)]
    expected = [len(text) / 10 for text in texts]
    judged = await judge.judge([("Who?", text) for text in texts])
    assert [one.answers for one in judged] == pytest.approx(expected)
    assert [one.holds_answer for one in judged] == pytest.approx([1 - share for share in expected])
    assert await judge.judge([]) == []
    assert loaded == [1]


async def test_a_network_that_is_damaged_is_told_once_and_not_tried_again(thread, monkeypatch):
    tried, told = [], []

    def load():
        tried.append(1)
        raise ModelUnusable(model="entailment", detail="It is damaged")

    monkeypatch.setattr(rerankers, "load_pair_model", load)
    judge = BundledJudge(thread.run, told.append)
    for _ in range(3):
        with pytest.raises(RerankerFailed, match="It is damaged"):
            await judge.judge([("Who?", "text")])
    assert (len(tried), [type(error) for error in told]) == (1, [ModelUnusable])
