"""Whether files are found in another language than that of the question: nDCG@10 in a base with both languages.

    python -m benchmarks.across_languages DATA [--index DIR] [--documents N] [--queries N]

DATA is that of `benchmarks/retrieval.py`. SciFact (English) and CMRC 2018 (Chinese) are read into one base, about N documents of
each (0: all). `zh→en` asks the questions of `translated_questions.jsonl`, translated by hand, that are answered in English,
`en→zh` those that are answered in Chinese. `en` and `zh` ask the collections' own questions, about as many as `--queries`
says of each: in the whole base, and in the passages of their own language alone, as in a base without the other one (`apart`).

It ends with 1 where a figure is below its floor, or a language loses more than 0.01 by the other one beside it.
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from benchmarks.retrieval import DEPTH, Collection, Index, load, ndcg, sample
from desktop.knowledge.retrieval import hybrid_search
from desktop.knowledge.retrieval.retriever import HybridRetriever

QUESTIONS = Path(__file__).with_name("translated_questions.jsonl")
LANGUAGES = {"scifact": "en", "cmrc2018_zh": "zh"}
FLOOR = 0.65
LOSS = 0.01


def translated(name: str) -> dict[str, str]:
    """Return the translated questions of a collection by the ids of the original ones."""
    rows = map(json.loads, QUESTIONS.read_text("utf-8").splitlines())
    return {row["_id"]: row["text"] for row in rows if row["set"] == name}


def collection_with_translations(folder: Path, documents: int, queries: int) -> tuple[Collection, Collection]:
    """Return a collection with its own questions, and with the translated ones, over the same documents."""
    whole = load(folder, 0)
    step = max(1, len(whole.queries) // queries)
    own = dict(list(whole.queries.items())[::step])
    others = translated(folder.name)
    asked = replace(whole, queries=own | others)
    kept = sample(asked, documents) if documents else asked
    return replace(kept, queries=own), replace(kept, queries=others)


async def ask(
    searcher: HybridRetriever, collection: Collection, queries: Mapping[str, str], scope: str
) -> float:
    """Return the mean nDCG of questions asked in a scope."""
    gained = []
    for key, query in queries.items():
        found = await searcher.retrieve([query], [scope], DEPTH)
        ranking = list(dict.fromkeys(passage.document for passage in found.passages))
        gained.append(ndcg(ranking, collection.grades[key]))
    return sum(gained) / len(gained)


async def measure(pairs: Mapping[str, tuple[Collection, Collection]], folder: Path) -> bool:
    """Print the figures and say whether they are good enough."""
    index = Index(folder)
    documents = {key: text for own, _ in pairs.values() for key, text in own.documents.items()}
    base = await index.fill(documents)
    language = {key: LANGUAGES[name] for name, (own, _) in pairs.items() for key in own.documents}
    for item in index.library.items(base):
        index.library.tag([item.id], [language[Path(item.path).name]])
    searcher = index.searcher()
    is_good = True
    for name, (own, others) in pairs.items():
        here = LANGUAGES[name]
        (there,) = set(LANGUAGES.values()) - {here}
        across = await ask(searcher, others, others.queries, base)
        mixed = await ask(searcher, own, own.queries, base)
        with patch.object(hybrid_search, "MODELS", frozenset()):  # nothing is corrected in one language
            apart = await ask(searcher, own, own.queries, f"{base}#{here}")
        print(
            f"{there}→{here} {across:.4f} ({len(others.queries)} questions, {len(own.documents)} documents)"
        )
        print(f"{here}    {mixed:.4f}, apart {apart:.4f} ({len(own.queries)} questions)", flush=True)
        is_good = is_good and across >= FLOOR and apart - mixed <= LOSS
    index.close()
    return is_good


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--documents", type=int, default=0)
    parser.add_argument("--queries", type=int, default=60)
    arguments = parser.parse_args()
    pairs = {
        name: collection_with_translations(arguments.data / name, arguments.documents, arguments.queries)
        for name in LANGUAGES
    }
    with tempfile.TemporaryDirectory() as scratch:
        is_good = asyncio.run(measure(pairs, arguments.index or Path(scratch)))
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
