"""Meanings in the background: worked out from the first question on, newest first, and no longer where they are gone."""

import asyncio
from contextlib import aclosing, asynccontextmanager
from datetime import timedelta

import numpy as np
import pytest

from desktop.domain.history import HistoryQuery
from desktop.domain.messages import Speaker
from desktop.errors import IndexUnavailable
from desktop.services import history as engine_history
from desktop.services.history import HistoryService
from desktop.storage import history_store as storage_history
from desktop.storage.history_store import MOST_PIECES, PIECE_CHARS, pieces_of
from tests.unit.storage.history.test_store import DAY, opened, talk

pytestmark = pytest.mark.anyio

SUBJECTS = (
    ("tide", "sea", "moon", "ocean", "潮汐", "大海"),
    ("soup", "cook", "onion", "kitchen"),
    ("tax", "money", "bank", "invoice"),
)


class Subjects:
    """Knows of a text only how much it speaks of each of three subjects."""

    def __init__(self):
        self.texts = []
        self.queries = []
        self.error = None

    async def embed(self, texts, *, is_query=False):
        if self.error is not None:
            raise self.error
        (self.queries if is_query else self.texts).extend(texts)
        return tuple(self._vector(text.lower()) for text in texts)

    def _vector(self, text):
        counts = [sum(text.count(word) for word in words) for words in SUBJECTS] + [0.1]
        vector = np.array(counts, np.float32)
        return (vector / np.linalg.norm(vector)).tobytes()


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(storage_history, "LOOK_S", 0.01)
    monkeypatch.setattr(engine_history, "LOOK_S", 0.01)


@asynccontextmanager
async def remembering(folder):
    async with opened(folder) as (store, words):
        embedder = Subjects()
        history = HistoryService(words, lambda: embedder)
        yield store, history, embedder


async def find_similar(history, words, **narrowed):
    page = await history.find_similar(HistoryQuery(words, **narrowed))
    return [hit.excerpt.text for hit in page.hits]


async def embedded(history):
    """Keep up until the meaning of every message is known."""
    async with aclosing(history.keep_up()) as shares:
        await anext(shares)
        while (await history.find_similar(HistoryQuery("anything at all"))).reach < 1:
            await anext(shares)


async def test_messages_are_found_by_what_they_mean(tmp_path):
    async with remembering(tmp_path) as (store, history, _):
        await talk(
            store, "When is high water of the ocean?", "The moon pulls the sea.", "How do I cook onion soup?"
        )
        await talk(
            store, "My bank wants an invoice for the tax.", at=DAY + timedelta(days=3), assistant="clerk"
        )
        await embedded(history)
        assert sorted(await find_similar(history, "tide")) == [
            "The moon pulls the sea.",
            "When is high water of the ocean?",
        ]
        assert await find_similar(history, "tide", speaker=Speaker.MODEL) == ["The moon pulls the sea."]
        assert await find_similar(history, "money", assistant="clerk") == [
            "My bank wants an invoice for the tax."
        ]
        assert await find_similar(history, "money", until=DAY) == []
        assert await find_similar(history, "money", since=DAY + timedelta(days=4)) == []


async def test_nothing_is_embedded_before_somebody_asks(tmp_path):
    async with remembering(tmp_path) as (store, history, embedder):
        await talk(store, "The moon pulls the sea.")
        async with aclosing(history.keep_up()) as shares:
            while await anext(shares) < 1:
                pass
            assert embedder.texts == []
            while not (await history.find_similar(HistoryQuery("tide"))).hits:
                await anext(shares)


async def test_meanings_go_with_their_message_and_survive_a_restart(tmp_path):
    async with remembering(tmp_path) as (store, history, _):
        sea = await talk(store, "The moon pulls the sea.")
        await talk(store, "The kitchen has an onion.")
        await embedded(history)
    async with remembering(tmp_path) as (store, history, embedder):
        assert await find_similar(history, "tide") == ["The moon pulls the sea."]
        await store.delete(sea)
        assert await find_similar(history, "tide") == []
        await store.purge()
        await embedded(history)
        assert await find_similar(history, "tide") == []
        assert await find_similar(history, "cook") == ["The kitchen has an onion."]
        assert [text for text in embedder.texts if "onion" in text] == []


async def test_chinese_messages_are_embedded_as_well_and_questions_as_questions(tmp_path):
    async with remembering(tmp_path) as (store, history, embedder):
        await talk(store, "潮汐什么时候最高?")
        await embedded(history)
        page = await history.find_similar(HistoryQuery("大海"))
        assert [hit.excerpt.text for hit in page.hits] == ["潮汐什么时候最高?"]
        assert "潮汐什么时候最高?" in embedder.texts
        assert "大海" in embedder.queries


async def test_a_worker_that_fails_is_asked_again_when_somebody_asks(tmp_path):
    async with remembering(tmp_path) as (store, history, embedder):
        await talk(store, "The moon pulls the sea.")
        embedder.error = IndexUnavailable(detail="gone")
        async with aclosing(history.keep_up()) as shares:
            await anext(shares)
            with pytest.raises(IndexUnavailable):
                await history.find_similar(HistoryQuery("tide"))
            await asyncio.sleep(0.05)
            embedder.error = None
            while not (await history.find_similar(HistoryQuery("tide"))).hits:
                await anext(shares)


def test_a_long_message_is_embedded_by_its_first_pieces():
    sentence = "The moon pulls the sea, and the sea follows it slowly. "
    pieces = pieces_of(sentence * 200)
    assert len(pieces) == MOST_PIECES
    assert all(len(piece) <= PIECE_CHARS for piece in pieces)
    assert (sentence * 200).startswith(pieces[0])
    assert pieces_of("") == ()
    assert pieces_of("潮汐。" * 5) == ("潮汐。" * 5,)
    assert pieces_of("word " * 900)[0].startswith("word word")
