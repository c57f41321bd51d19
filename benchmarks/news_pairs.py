"""Write further pairs for the bundled network: snippets of news, and passages whose years are not those asked for.

    python -m benchmarks.news_pairs OUT.jsonl.xz --realtimeqa PAST --timeqa FILE.json.gzip … [--held FILE.jsonl …]

OUT has rows as benchmarks.answer_pairs writes them, as tables of texts. PAST is the folder `past` of realtimeqa/realtimeqa_public
(no licence named), without the weeks that benchmarks.answer_pairs leaves out. Each question is asked three times, of snippets
that benchmarks.quotes_data would make: those with the answer that are about as like the question as any, those most like it that
lack it, and sentences of both. Each FILE is `human_train.{easy,hard}.json.gzip` of wenhuchen/Time-Sensitive-QA (BSD 3-Clause):
questions about a year or a time, and the page of Wikipedia that tells of others as well. `--held` are rows of
benchmarks.quotes_data, whose questions are left out.
"""

import argparse
import gzip
import json
import lzma
import random
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.answer_pairs import (
    HELD_WEEKS,
    Keywords,
    Writer,
    like_question,
    passages_of,
    sentences_of,
    words_of,
)
from benchmarks.quotes import cut, holds
from benchmarks.quotes_data import SNIPPET_CHARS, as_snippet, choice_of, detokenized, is_usable

_ROUNDS = 3
_ARTICLE_CHARS = 9_000
_MOST_SNIPPETS = 150
_NEAREST = 24
_LIKE_BEST = 0.6
_RIGHT, _WRONG, _WRONG_ALONE = 4, 8, 4
"""Snippets of each question: with the answer, without it, and without it where none has it."""
_NEAR_CHARS = 3_000
"""How far from the answer other sentences of a page are taken."""


class Table:
    """Pairs as places in a list of texts, by set and task."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._rows: dict[tuple[str, str], list[tuple[int, int, int]]] = defaultdict(list)

    def add(self, name: str, task: str, question: str, text: str, is_right: bool) -> None:
        """Add a pair of a set and task."""
        if question.strip() and text.strip():
            first, second = (
                self._places.setdefault(one.strip(), len(self._places)) for one in (question, text)
            )
            self._rows[name, task].append((first, second, int(is_right)))

    def write(self, path: Path) -> None:
        """Write the texts, then the pairs, and print how many there are."""
        with lzma.open(path, "wt", encoding="utf-8", preset=4) as lines:
            lines.write(json.dumps({"texts": list(self._places)}, ensure_ascii=False) + "\n")
            for (name, task), found in self._rows.items():
                first, second, labels = zip(*found, strict=True)
                row = {"task": task, "a": first, "b": second, "label": "".join(map(str, labels))}
                lines.write(json.dumps(row | {"set": name, "split": "train"}) + "\n")
                print(name, task, f"{sum(labels)} yes of {len(labels)}")


def add_news(table: Table, folder: Path, held: frozenset[str], writer: Writer) -> None:
    """Add the questions of news quizzes."""
    for path in sorted(folder.glob("20*/*_gcs.jsonl")):
        asked = path.with_name(path.name.replace("_gcs.", "_qa."))
        if zlib.crc32(path.name[:8].encode()) % HELD_WEEKS == 0 or not asked.is_file():
            continue
        wanted: dict[str, tuple[str, str]] = {}
        for row in _rows(asked):
            question, answer = row["question_sentence"].strip(), choice_of(row)
            if answer and question not in held and is_usable(question, answer):
                wanted[row["question_id"]] = question, answer
        for row in _rows(path):
            if row["question_id"] in wanted:
                texts = dict.fromkeys(found.get("text") or "" for found in row["search_result"])
                articles = [text[:_ARTICLE_CHARS] for text in texts if len(text) > 300]
                _add_question(table, wanted[row["question_id"]], articles, writer)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, filter(str.strip, path.read_text("utf-8").splitlines()))


def _add_question(table: Table, asked: tuple[str, str], articles: Sequence[str], writer: Writer) -> None:
    question, answer = asked
    for number in range(_ROUNDS):
        snippets = [part for text in articles for part in _snippets_of(text, writer.dice)][:_MOST_SNIPPETS]
        if len(snippets) < 5:
            return
        (best,) = Keywords(snippets).nearest([question], _NEAREST)
        has = {place for place, _ in best if holds(snippets[place], [answer])}
        right = [place for place, score in best if place in has and score >= _LIKE_BEST * best[0][1]]
        if number and not right:
            return
        wrong = [place for place, _ in best if place not in has][: _WRONG if right else _WRONG_ALONE]
        typed = question if writer.dice.random() < 0.6 else writer.asked(question)
        for place in [*right[:_RIGHT], *wrong]:
            table.add("news_real", "answers", typed, snippets[place], place in has)
            for sentence in like_question(question, snippets[place])[:3]:
                says = holds(sentence, [answer])
                if says or writer.dice.random() < 0.5:
                    table.add("news_real", "sentence", typed, sentence, says)


def _snippets_of(text: str, dice: random.Random) -> Iterator[str]:
    spans, at = sentences_of(text), 0
    while at < len(spans):
        size, end = dice.randint(*SNIPPET_CHARS), at + 1
        while end < len(spans) and spans[end][1] - spans[at][0] <= size:
            end += 1
        part = text[spans[at][0] : spans[end - 1][1]].strip()
        at = end
        if SNIPPET_CHARS[0] // 2 <= len(part) <= 2 * SNIPPET_CHARS[1]:
            yield as_snippet(part, dice) if dice.random() < 0.5 else part


def add_times(table: Table, path: Path, writer: Writer) -> None:
    """Add the questions about a time."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            question, text = row["question"], _plain(row["context"])
            answers = [_plain(answer) for answer in row["targets"] if answer]
            asked = writer.asked(question)
            if answers:
                at = text.find(answers[0], max(0, len(_plain(row["context"][: row["from"][0]])) - 60))
                if at >= 0:
                    _add_times_of(table, (question, asked), text, (at, answers), writer)
            else:
                for sentence in like_question(question, text[:6_000])[:3]:
                    table.add("timeqa", "sentence", asked, sentence, is_right=False)


def _plain(text: str) -> str:
    return detokenized(text.replace(" . ", ". ").replace(" , ", ", "))


def _add_times_of(
    table: Table, asked: tuple[str, str], text: str, answer: tuple[int, Sequence[str]], writer: Writer
) -> None:
    question, typed = asked
    at, answers = answer
    wanted = set(words_of(question))

    def likest(texts: Sequence[str], count: int) -> list[str]:
        wrong = [one for one in texts if not holds(one, answers)]
        return sorted(wrong, key=lambda one: -len(wanted & set(words_of(one))))[:count]

    around = [text[start:end].strip() for start, end in sentences_of(text) if abs(start - at) < _NEAR_CHARS]
    own = [text[start:end].strip() for start, end in sentences_of(text) if start <= at < end]
    parts = passages_of(text)
    for sentence in own:
        table.add("timeqa", "sentence", typed, sentence, is_right=True)
    for sentence in likest(around, 5):
        table.add("timeqa", "sentence", typed, sentence, is_right=False)
    for start, end in parts:
        if start <= at < end:
            table.add("timeqa", "answers", typed, text[start:end], is_right=True)
            shown = cut(text[start:end], at - start, answers[0], writer.dice)
            table.add("timeqa", "answers", question, shown, is_right=True)
    for passage in likest([text[start:end] for start, end in parts], 3):
        table.add("timeqa", "answers", typed, passage, is_right=False)


def main() -> int:
    """Write the pairs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--realtimeqa", type=Path, required=True)
    parser.add_argument("--timeqa", type=Path, nargs="*", default=[])
    parser.add_argument("--held", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    held = frozenset(row["question"] for path in options.held for row in _rows(path))
    table, writer = Table(), Writer(None, random.Random(100))
    add_news(table, options.realtimeqa, held, writer)
    for path in options.timeqa:
        add_times(table, path, writer)
    table.write(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
