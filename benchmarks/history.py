"""How fast what was said is found again among a million messages, beside reading them all through.

    python benchmarks/history.py [--messages N] [--folder FOLDER] [--rounds N]

A database of made-up conversations, English and Chinese, with words as frequent as in real text, is listed
as a start of the program lists an old one, and asked what a person types: rare and common words, several at
once, half-typed ones, phrases, Chinese, filters. A page of a query is from the call to its thirty hits with
their excerpts, through the same thread and connection as in the program. Its work is
the processor's time alone, to which others on a busy machine add nothing. `LIKE` over all messages, in the
same run, says what it would take without an index. With a FOLDER the database is kept there and used again.
"""

import argparse
import asyncio
import random
import sqlite3
import statistics
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np

from desktop.domain.history import HistoryQuery
from desktop.domain.messages import Message, Speaker
from desktop.storage.conversation_store import FILE_NAME, ConversationStore
from desktop.storage.db.rows import MESSAGE_COLUMNS, MESSAGE_PLACES, message_values, micros
from desktop.storage.history_index import FILE_NAME as INDEX
from desktop.storage.history_index import HistoryIndex
from desktop.storage.history_store import AT_ONCE, HistoryStore

SEED = 20_261_121
WORDS = 40_000
A_CONVERSATION = 100
MADE_UP = 5_000
WRITTEN_AT_ONCE = 20_000
YEARS = timedelta(days=3 * 365)
NOW = datetime(2026, 1, 2, tzinfo=UTC)
LETTERS = "etaoinshrdlucmfwygpbvkxqjz"
HAN = "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提感金何更反合放做系计或司利受光王果亲界及今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛林题建南度统色字请交爱让认算论百吃义科怎元社术结六功指思非流每青管夫连远资队跟带花快条院变联言权往展该领传近留红治决周保达办运武半候七必城父强步完革深区即求品士转量空甚众技轻程告江语英基派满式李息写呢识极令黄德收脸钱党倒未持取设始版双历越史商千片容研像找友孩站广改议形委早房音火际则首单据导影失拿网香似斯专石若兵弟谁校读志飞观争究包组造落视济喜离虽坏兴切"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        vocabulary = Vocabulary()
        if not (folder / FILE_NAME).exists():
            asyncio.run(fill(folder, vocabulary, options.messages))
        list_all(folder)
        asyncio.run(measure(folder, vocabulary, options.rounds))


class Vocabulary:
    """Words by how frequent they are."""

    def __init__(self) -> None:
        self.generator = np.random.default_rng(SEED)
        weights = 1 / np.arange(1, len(LETTERS) + 1) ** 0.8
        spelt = self.generator.choice(list(LETTERS), (WORDS * 2, 10), p=weights / weights.sum())
        lengths = self.generator.integers(2, 11, WORDS * 2)
        words = dict.fromkeys("".join(row[:length]) for row, length in zip(spelt, lengths, strict=True))
        self.english = sorted(words, key=lambda word: len(word) + random.Random(word).random() * 6)[:WORDS]
        pairs = dict.fromkeys("".join(pair) for pair in self.generator.choice(list(HAN), (WORDS, 2)))
        self.chinese = list(pairs)[: WORDS // 4]
        frequencies = 1 / np.arange(1, WORDS + 1)
        self._frequencies = frequencies / frequencies.sum()

    def text(self) -> str:
        """Return a message of 20 to 160 words, every fifth of them in Chinese."""
        count = int(self.generator.integers(20, 160))
        ranks = self.generator.choice(WORDS, count, p=self._frequencies)
        if self.generator.random() < 0.2:
            return "".join(self.chinese[rank % len(self.chinese)] for rank in ranks) + "。"
        return " ".join(self.english[rank] for rank in ranks).capitalize() + "."


async def fill(folder: Path, vocabulary: Vocabulary, count: int) -> None:
    """Write `count` messages into a new database, as if they had been there before the history was listed."""
    began = time.perf_counter()
    store = ConversationStore(folder)
    step = YEARS / count
    texts = [vocabulary.text() for _ in range(min(count, MADE_UP))]
    conversations = [uuid.uuid4().hex for _ in range(-(-count // A_CONVERSATION))]

    def rows(start: int) -> Iterator[tuple[object, ...]]:
        for number in range(start, min(start + WRITTEN_AT_ONCE, count)):
            # No two are alike, and none takes long to make up.
            one, other = (texts[int(place)] for place in vocabulary.generator.integers(0, len(texts), 2))
            middle = len(one) // 2
            text = one[:middle] + other[len(other) // 2 :]
            speaker = Speaker.MODEL if number % 2 else Speaker.USER
            conversation_id = conversations[number // A_CONVERSATION]
            moment = NOW - YEARS + step * number
            yield message_values(Message(f"m{number}", conversation_id, speaker, text, moment))

    def add_conversations(connection: sqlite3.Connection) -> None:
        connection.executemany(
            "INSERT INTO conversations (id, title, created_at, updated_at, assistant) VALUES (?, ?, ?, ?, ?)",
            [
                (
                    key,
                    texts[number % len(texts)][:40],
                    micros(NOW),
                    micros(NOW),
                    "cook" if number % 500 == 0 else "",
                )
                for number, key in enumerate(conversations)
            ],
        )

    await store.database.write(add_conversations)
    insert = f"INSERT INTO messages ({MESSAGE_COLUMNS}) VALUES ({MESSAGE_PLACES})"
    for start in range(0, count, WRITTEN_AT_ONCE):
        batch = list(rows(start))
        await store.database.write(
            lambda connection, batch=batch: connection.executemany(insert, batch).close()
        )
    await store.database.write(lambda connection: connection.execute("DELETE FROM history_due").close())
    await store.close()
    size = (folder / FILE_NAME).stat().st_size / 2**20
    print(f"{count:,} messages, {size:,.0f} MB, written in {time.perf_counter() - began:.0f} s", flush=True)


def list_all(folder: Path) -> None:
    """List what is not listed, as the program does in the background, without its pauses."""
    index = HistoryIndex(folder / FILE_NAME)
    began, longest, is_more = time.perf_counter(), 0.0, index.reach < 1
    while is_more:
        step = time.perf_counter()
        is_more = index.go_back(AT_ONCE)
        longest = max(longest, time.perf_counter() - step)
    seconds = time.perf_counter() - began
    index.close()
    size = (folder / INDEX).stat().st_size / 2**20
    print(
        f"listed in {seconds:.0f} s, longest step {longest * 1000:.0f} ms; the index has {size:,.0f} MB",
        flush=True,
    )


def queries(vocabulary: Vocabulary) -> dict[str, list[HistoryQuery]]:
    """Return what is asked, by kind."""
    english, chinese = vocabulary.english, vocabulary.chinese
    common, middle, rare = english[:60:3], english[500:2500:100], english[20_000:40_000:1000]
    pairs = list(zip(common, middle, strict=True))
    return {
        "rare word": [HistoryQuery(word) for word in rare],
        "common word": [HistoryQuery(word) for word in common],
        "two words": [HistoryQuery(f"{one} {other}") for one, other in pairs],
        "three words": [HistoryQuery(f"{one} {other} {english[9]}") for one, other in pairs],
        "two letters": [HistoryQuery(word[:2]) for word in middle],
        "three letters": [HistoryQuery(word[:3]) for word in middle],
        "five letters": [HistoryQuery(word[:5]) for word in rare],
        "phrase": [HistoryQuery(f'"{one} {other}"') for one, other in pairwise(common)],
        "Chinese word": [HistoryQuery(word) for word in chinese[:2000:100]],
        "Chinese phrase": [HistoryQuery(f'"{one}{other}"') for one, other in pairwise(chinese[:20])],
        "one character": [HistoryQuery(word[0]) for word in chinese[:2000:100]],
        "answers only": [HistoryQuery(word, speaker=Speaker.MODEL) for word in middle],
        "one assistant": [HistoryQuery(word, assistant="cook") for word in common],
        "a month, old": [
            HistoryQuery(word, since=NOW - timedelta(days=900), until=NOW - timedelta(days=870))
            for word in middle
        ],
    }


async def measure(folder: Path, vocabulary: Vocabulary, rounds: int) -> None:
    """Ask everything `rounds` times, in another order each time."""
    store = ConversationStore(folder)
    history = HistoryStore(store.database)
    times: dict[str, list[float]] = {kind: [] for kind in queries(vocabulary)}
    works: dict[str, list[float]] = {kind: [] for kind in times}
    found: dict[str, int] = dict.fromkeys(times, 0)
    await history.search(HistoryQuery("warm"))
    asked = [(kind, query) for kind, several in queries(vocabulary).items() for query in several]
    for number in range(rounds):
        random.Random(SEED + number).shuffle(asked)
        for kind, query in asked:
            began, busy = time.perf_counter(), time.process_time()
            page = await history.search(query)
            times[kind].append(time.perf_counter() - began)
            works[kind].append(time.process_time() - busy)
            found[kind] += len(page.hits)
    print(f"{'':16} {'median':>9} {'p95':>9} {'work p95':>9} {'hits':>6}")
    for kind, seconds in times.items():
        show(kind, seconds, works[kind], found[kind] / len(seconds))
    worked = [value for seconds in works.values() for value in seconds]
    everything = [value for seconds in times.values() for value in seconds]
    show("all", everything, worked, sum(found.values()) / len(everything))
    await history.aclose()
    await store.close()
    through = read_through(folder, vocabulary.english[30_000])
    print(
        f"LIKE over all messages: {through:,.2f} s, {through / statistics.median(everything):,.0f} times the median"
    )


def read_through(folder: Path, word: str) -> float:
    """Return how long SQLite takes to look into every message."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        began = time.perf_counter()
        connection.execute("SELECT count(*) FROM messages WHERE text LIKE ?", (f"%{word}%",)).fetchone()
        return time.perf_counter() - began


def show(kind: str, seconds: list[float], work: list[float], hits: float) -> None:
    """Print a line of the table."""
    p95, work_p95 = (statistics.quantiles(values, n=20)[18] for values in (seconds, work))
    times = (statistics.median(seconds), p95, work_p95)
    print(f"{kind:16} {' '.join(f'{each * 1000:6.1f} ms' for each in times)} {hits:6.1f}")


if __name__ == "__main__":
    main()
