"""Passages get their vectors in an order in which every document gets on."""

import asyncio
from itertools import count
from pathlib import Path

from desktop.domain.knowledge import BUILT_IN_MODEL, MINILM_MODEL, ItemState
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.items import ItemStore
from desktop.knowledge.ingest.embed_loop import EmbedLoop
from desktop.knowledge.loaders.document import DocumentPart, document_of
from desktop.knowledge.progress import ProgressBroadcast
from desktop.knowledge.reader.protocol import reading_of

MOST_CALLS = 20
BATCH = 16


class Vectors:
    """Takes texts as a model does, and says which came; each call brings a batch of short documents."""

    def __init__(self, arrive):
        self.arrive = arrive
        self.seen = []
        self.is_over = asyncio.Event()
        self.target = ""
        self.has_switched = asyncio.Event()

    def target_of(self, base):
        return self.target or base.model

    def fingerprint(self, model):
        return model

    async def forget(self, model):
        """Forget nothing: there is nothing yet."""

    def refresh(self):
        """Have no place of vectors to bring up to date, but say that a base has another model now."""
        self.has_switched.set()

    async def keep_models(self, _models):
        """Unload nothing."""

    def batch_of(self, _model):
        return BATCH

    async def embed(self, texts, _model):
        self.seen.append(texts)
        if len(self.seen) == MOST_CALLS:
            self.is_over.set()
        self.arrive()
        return [bytes(4 * 384) for _ in texts]

    def upsert(self, *_vectors):
        done = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done


def test_a_long_document_gets_on_while_short_ones_keep_coming(tmp_path):
    database = IndexDatabase(tmp_path / "knowledge.db")
    library = ItemStore(database)
    base = Bases(database).create("all")
    numbers = count()

    def put(*texts):
        (item,) = library.enqueue(base.id, [Path(f"/{next(numbers)}.txt")])
        library.set_reading(item)
        parts = [DocumentPart(text) for text in texts]
        library.put(item, f"sha of {item}", reading_of(document_of("", parts), "name"))

    async def scenario():
        put(*(f"giant {number}" for number in range(40)))

        def arrive():
            for _ in range(BATCH):
                put("short")
            loop.wake()

        vectors = Vectors(arrive)
        loop = EmbedLoop(database, vectors, ProgressBroadcast())
        arrive()
        running = asyncio.create_task(loop.run())
        await asyncio.wait(
            {running, asyncio.ensure_future(vectors.is_over.wait())}, return_when="FIRST_COMPLETED"
        )
        running.cancel()
        await asyncio.wait({running})
        return vectors.seen

    seen = asyncio.run(scenario())
    database.close()
    assert "short" in seen[0][0]
    of_giant = [any("giant" in text for text in texts) for texts in seen]
    assert 1 < sum(of_giant) < MOST_CALLS / 2


def test_going_back_to_a_bundled_model_embeds_only_what_is_new(tmp_path):
    database = IndexDatabase(tmp_path / "knowledge.db")
    library = ItemStore(database)
    base = Bases(database).create("all")

    def put(name, *texts):
        (item,) = library.enqueue(base.id, [Path(f"/{name}.txt")])
        library.set_reading(item)
        library.put(
            item, f"sha of {item}", reading_of(document_of("", [DocumentPart(t) for t in texts]), name)
        )
        return item

    async def scenario():
        vectors = Vectors(lambda: None)
        loop = EmbedLoop(database, vectors, ProgressBroadcast())
        running = asyncio.create_task(loop.run())
        embedded, anew = [], []
        vectors.arrive = lambda: anew.append(loop.count_embedded_anew(base.id))
        items = [put("old", *(f"old {number}" for number in range(20)))]
        for target in (MINILM_MODEL, BUILT_IN_MODEL, MINILM_MODEL):
            vectors.has_switched.clear()
            vectors.target = target
            loop.wake()
            await vectors.has_switched.wait()
            if target == BUILT_IN_MODEL:
                items.append(put("new", "new"))
            embedded.append(sum(map(len, vectors.seen)))
            assert Bases(database).find(base.id).model == target
        running.cancel()
        await asyncio.wait({running})
        assert loop.count_embedded_anew(base.id) == 0
        return embedded, anew, {item.state for item in library.find(items)}

    (_, by_both, at_the_end), anew, states = asyncio.run(scenario())
    database.close()
    assert by_both == 2 * 20
    assert at_the_end == by_both + 2  # the new one, by either
    assert states == {ItemState.READY}
    assert anew == [0, 0, 0, 16, 0, 20]  # by how many of its passages the next model was ahead at each call
