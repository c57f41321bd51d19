"""How well Quotes answers: questions of a reading-comprehension data set with the texts most like them.

    python -m benchmarks.quotes FILE [--limit N] [--seed N] [--part I/N] [--worst N] [--rows OUT.jsonl]
        [--words-only] [--without-network]

FILE is JSON of the form of SQuAD, such as `xquad.en.json`, `xquad.zh.json` (github.com/google-deepmind/xquad) or
the files of DRCD. Each question is asked twice: of its own paragraph among the four others most like the
question by BM25, and of five such others alone, where nothing answers. No other paragraph holds the answer.
Of every second question all paragraphs are cut as result pages cut them, to 240 letters of English or 100
of Chinese that begin and end anywhere, "..." in place of the rest.

Or FILE is JSON Lines, `{"id", "question", "sources": [{"text"}], "answers"}`, no answers where nothing answers.

answered: an answer of the data set is in what is quoted. first: in the first quote. wrongly silent: nothing
was quoted although one text answers. silent: nothing was quoted where nothing answers. `--part 1/2` asks the
first of two halves of the articles only, for tuning on one and measuring on the other. `--rows` writes the
questions in the form that `footnote ask --model quotes --batch` reads, in place of answering them. They are answered as by that
command; `--words-only` leaves out both models, `--without-network` the network that judges sentences and passages.
"""

import argparse
import asyncio
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.cli.ask import _BundledEmbedder, _load_judge
from desktop.cli.output.exports import sources_from_json
from desktop.domain.models import QUOTES_MODEL, ModelRequest, TextDelta
from desktop.providers.quotes.model import QuotesModel
from desktop.text.language import language_of
from desktop.text.markdown import strip_markdown
from desktop.text.passages import bm25_scores

OTHERS = 4
NEAREST = 40
"""Texts that BM25 ranks for each question: of its article, then of the others by chance."""
SNIPPET_CHARS = 240
CHINESE_SNIPPET_CHARS = 100


@dataclass(frozen=True)
class Row:
    """A question with the texts that it is asked of; no `answers` where none of them answers."""

    id: str
    question: str
    texts: tuple[str, ...]
    answers: tuple[str, ...]


def rows_of(document: Any, *, limit: int, seed: int, part: tuple[int, int] = (1, 1)) -> Iterator[Row]:
    """Yield two rows for each question, the second without answers."""
    dice = random.Random(seed)
    articles = [article["paragraphs"] for article in document["data"]]
    asked = [
        (place, paragraph, question)
        for place, article in enumerate(articles)
        if place % part[1] == part[0] - 1
        for paragraph in article
        for question in paragraph["qas"]
        if question["answers"]
    ]
    dice.shuffle(asked)
    contexts = [paragraph["context"] for article in articles for paragraph in article]
    for count, (place, paragraph, item) in enumerate(asked[:limit]):
        question, own = item["question"], paragraph["context"]
        answers = tuple(dict.fromkeys(answer["text"] for answer in item["answers"]))
        known = [other["context"] for other in articles[place]] + dice.sample(
            contexts, min(NEAREST, len(contexts))
        )
        others = [
            text
            for text in dict.fromkeys(known)
            if not any(letters(answer) in letters(text) for answer in answers)
        ]
        ranked = sorted(zip(bm25_scores(question, others), others, strict=True), reverse=True)
        nearest = [text for _, text in ranked[: OTHERS + 1]]
        start = item["answers"][0]["answer_start"]
        texts = [own, *nearest[:OTHERS]]
        if count % 2:
            spans = [start, *(dice.randrange(len(text)) for text in texts[1:])]
            texts = [cut(text, at, answers[0], dice) for text, at in zip(texts, spans, strict=True)]
            nearest = [cut(text, dice.randrange(len(text)), "", dice) for text in nearest]
        dice.shuffle(texts)
        yield Row(item["id"], question, tuple(texts), answers)
        yield Row(f"{item['id']}-none", question, tuple(nearest), ())


def rows_of_lines(path: Path) -> Iterator[Row]:
    """Yield the rows of a file of JSON Lines."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        texts = tuple(source["text"] for source in row["sources"])
        yield Row(row["id"], row["question"], texts, tuple(row["answers"]))


def cut(text: str, at: int, kept: str, dice: random.Random) -> str:
    """Return the part of `text` around `at` that a result page would show, `kept` in it."""
    is_chinese = language_of(text) == "zh"
    chars = max(CHINESE_SNIPPET_CHARS if is_chinese else SNIPPET_CHARS, len(kept) + 40)
    if len(text) <= chars:
        return text
    start = max(0, min(at - dice.randrange(chars - len(kept)), len(text) - chars))
    words = text[start : start + chars]
    if not is_chinese:
        words = words.split(" ", 1)[1] if start and " " in words[: at - start] else words
        words = words.rsplit(" ", 1)[0] if words.rfind(" ") > at - start + len(kept) else words
    return f"{'... ' if start else ''}{words}{' ...' if start + chars < len(text) else ''}"


def letters(text: str) -> str:
    """Return letters and digits in lower case."""
    return "".join(character for character in text.lower() if character.isalnum())


async def quotes_for(row: Row, model: QuotesModel) -> list[str]:
    """Return the quotes that answer a row, as text."""
    sources = sources_from_json([{"number": n, "text": text} for n, text in enumerate(row.texts, 1)])
    request = ModelRequest(QUOTES_MODEL, (), question=row.question, references=sources)
    events = [event async for event in model.stream(request)]
    answer = "".join(event.text for event in events if isinstance(event, TextDelta))
    return [strip_markdown(line[2:]) for line in answer.split("\n") if line.startswith("- ")]


def holds(quote: str, answers: Sequence[str]) -> bool:
    """Say whether a quote holds one of the answers; words and numbers count as wholes only."""
    text = f" {_words(quote)} "
    return any(
        f" {_words(answer)} " in text if answer.isascii() else letters(answer) in letters(quote)
        for answer in answers
    )


def _words(text: str) -> str:
    return " ".join(re.findall(r"\d+(?:[.,]\d+)*|[^\W\d_]+", text.lower()))


async def measure(rows: Sequence[Row], worst: int, model: QuotesModel) -> None:
    """Print the figures, and the first `worst` rows that failed."""
    with_answer = [row for row in rows if row.answers]
    found = {row.id: await quotes_for(row, model) for row in rows}
    kinds = {
        "answered": [any(holds(quote, row.answers) for quote in found[row.id]) for row in with_answer],
        "first": [bool(found[row.id]) and holds(found[row.id][0], row.answers) for row in with_answer],
        "wrongly silent": [not found[row.id] for row in with_answer],
        "silent": [not found[row.id] for row in rows if not row.answers],
        "lines": [len(found[row.id]) for row in with_answer],
    }
    print("  ".join(f"{name} {sum(said) / max(1, len(said)):.3f}" for name, said in kinds.items()))
    failed = [row for row, is_first in zip(with_answer, kinds["first"], strict=True) if not is_first]
    for row in failed[:worst]:
        right = next(text for text in row.texts if holds(text, row.answers))
        print(f"\n{row.question}  = {row.answers}\n  text: {right}")
        for quote in found[row.id]:
            print(f"  - {quote}")


def main() -> int:
    """Measure, or write rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--limit", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--worst", type=int, default=0)
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--words-only", action="store_true")
    parser.add_argument("--without-network", action="store_true")
    options = parser.parse_args()
    first, _, count = options.part.partition("/")
    if options.file.suffix == ".jsonl":
        rows = list(rows_of_lines(options.file))
    else:
        document = json.loads(options.file.read_bytes())
        rows = list(rows_of(document, limit=options.limit, seed=options.seed, part=(int(first), int(count))))
    if options.rows:
        with options.rows.open("w", encoding="utf-8") as file:
            for row in rows:
                sources = [{"title": "", "text": text} for text in row.texts]
                written = {"id": row.id, "question": row.question, "sources": sources, "answers": row.answers}
                print(json.dumps(written, ensure_ascii=False), file=file)
        return 0
    embed, judge = (None, None) if options.words_only else (_BundledEmbedder(), _load_judge())
    model = QuotesModel(embed, None if options.without_network else judge)
    asyncio.run(measure(rows, options.worst, model))
    return 0


if __name__ == "__main__":
    sys.exit(main())
