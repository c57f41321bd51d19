"""How well a follow-up becomes a query that stands by itself: the bare question, keywords, and a model side by side.

    python benchmarks/rewriting.py DATA [--model ID] [--limit N] [--data-dir DIR] [--worst N]

DATA has files `*.jsonl` with a row per question: `history` (messages with role and content), `question`,
`rewrite` (what a person made of it) and `needs_rewrite`. ID is a model as Settings and `footnote ask`
name it, such as `openai/gpt-4.1-mini` with OPENAI_API_KEY set, or `quotes` for keywords alone, the default.

Recall is the share of the content words of `rewrite` that the query has, precision the share of the
query's that `rewrite` has, each as the mean over all questions. Also: how many queries lack no word
at all, how many questions a model left to keywords or judged to need nothing, and its median time.
"""

import argparse
import asyncio
import json
import statistics
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from desktop.chat.source_lookup import SelectedModel
from desktop.domain.messages import Message, Speaker
from desktop.domain.models import QUOTES_MODEL
from desktop.domain.trace import Decider
from desktop.search.intent import Intent, decide
from desktop.services.container import running_services
from desktop.settings.folders import folders_for
from desktop.text.terms import content_terms

AT_ONCE = 4


@dataclass(frozen=True)
class Row:
    language: str
    history: tuple[Message, ...]
    question: str
    rewrite: str
    needs_rewrite: bool


@dataclass(frozen=True)
class Score:
    row: Row
    query: str
    decider: Decider
    seconds: float

    @property
    def recall(self) -> float:
        return _share(self.row.rewrite, self.query)

    @property
    def precision(self) -> float:
        return _share(self.query, self.row.rewrite)


def load(folder: Path, limit: int) -> list[Row]:
    """Return the rows of every file; of each file at most `limit`, evenly spread."""
    found: list[Row] = []
    for path in sorted(folder.glob("*.jsonl")):
        rows = [_row(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
        found += rows[:: max(1, len(rows) // limit)][:limit] if limit else rows
    return found


def _row(told: dict[str, object]) -> Row:
    history = told["history"]
    assert isinstance(history, list)
    return Row(
        str(told["lang"]),
        tuple(_message(turn["role"], turn["content"]) for turn in history),
        str(told["question"]),
        str(told["rewrite"]),
        bool(told["needs_rewrite"]),
    )


def _message(role: str, text: str) -> Message:
    speaker = Speaker.USER if role == "user" else Speaker.MODEL
    return Message("", "", speaker, text, datetime.now(UTC))


async def rewritten(rows: Sequence[Row], picked: SelectedModel | None) -> list[Score]:
    """Return what every question became, with a model or by keywords."""
    turn = asyncio.Semaphore(AT_ONCE if picked else 1)

    async def score(row: Row) -> Score:
        async with turn:
            started = time.perf_counter()
            intent = await decide(
                row.question,
                row.history,
                model=picked.model if picked else None,
                model_name=picked.name if picked else "",
                has_knowledge=False,
                wants_web=True,
            )
            return Score(row, _query(intent), intent.decider, time.perf_counter() - started)

    return list(await asyncio.gather(*map(score, rows)))


def _query(intent: Intent) -> str:
    """Return what is searched for, and for one that needs no search what it was understood as."""
    return " ".join(intent.web_queries) or intent.rewrite


def _share(wanted: str, given: str) -> float:
    words = set(content_terms(wanted))
    return len(words & set(content_terms(given))) / len(words) if words else 1.0


def told(name: str, scores: Sequence[Score]) -> Iterable[str]:
    """Yield a line for each language, follow-ups and others apart."""
    groups: dict[tuple[str, bool], list[Score]] = defaultdict(list)
    for score in scores:
        groups[score.row.language, score.row.needs_rewrite].append(score)
    for (language, needs), group in sorted(groups.items()):
        deciders = [score.decider for score in group]
        yield (
            f"{name:10} {language}  {'follow-up' if needs else 'complete ':9} n={len(group):4}"
            f"  recall {statistics.mean(score.recall for score in group):.3f}"
            f"  precision {statistics.mean(score.precision for score in group):.3f}"
            f"  nothing lacking {statistics.mean(score.recall == 1 for score in group):.3f}"
            f"  keywords {deciders.count(Decider.KEYWORDS):4}  nothing needed {deciders.count(Decider.NONE):3}"
            f"  {1000 * statistics.median(score.seconds for score in group):.1f} ms"
        )


async def main(arguments: argparse.Namespace) -> None:
    rows = load(arguments.data, arguments.limit)
    bare = [Score(row, row.question, Decider.NONE, 0.0) for row in rows]
    results = {"question": bare, "keywords": await rewritten(rows, None)}
    if arguments.model != QUOTES_MODEL:
        async with AsyncExitStack() as stack:
            services = await stack.enter_async_context(running_services(folders_for(arguments.data_dir)))
            results["model"] = await rewritten(rows, await services.models.pick(arguments.model))
    for name, scores in results.items():
        print("\n".join(told(name, scores)))
    last = list(results.values())[-1]
    for score in sorted(last, key=lambda score: score.recall)[: arguments.worst]:
        print(f"{score.recall:.2f}  {score.row.question!r}: {score.query!r} instead of {score.row.rewrite!r}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--model", default=QUOTES_MODEL, metavar="ID")
    parser.add_argument("--limit", type=int, default=0, metavar="N", help="questions of each file; 0 for all")
    parser.add_argument("--data-dir", type=Path, help="where the settings of models and their keys are")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="show so many that lack most")
    asyncio.run(main(parser.parse_args()))
