"""Make questions with snippets, as a web search shows them, of open collections of questions and answers.

    python -m benchmarks.quotes_data COLLECTION PATH OUT.jsonl [--limit N] [--seed N] [--answers FILE]

COLLECTION and what PATH is for it:

- `realtimeqa`: the folder `past` of github.com/realtimeqa/realtimeqa_public: questions of news quizzes and the articles
  that a search engine found for them. Articles are cut into snippets; those most like the question by BM25 are kept.
- `nq`: `qa_data/nq-open-oracle.jsonl.gz` of github.com/nelson-liu/lost-in-the-middle: questions to a search engine, and a
  paragraph of Wikipedia for each. The paragraphs of other questions most like the question do not answer.
- `trecqa`: a folder with the files `*.xml` of `jacana-qa-naacl2013-data-results` of github.com/aseveryn/deep-qa: sentences
  of newspapers that people judged.
- `rgb`: a folder with `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`; the snippets before the next question's are noise
  of the same search. `--answers` names another file of lines `ID answer|other answer` than `rgb_zh_answers.txt`.

OUT has rows as `footnote ask --model quotes --batch` reads them, with `answers` beside, for `benchmarks.quotes`: for
each question five snippets of which up to three answer, of which one does (`ID-one`), and of which none does
(`ID-none`). Every second snippet is cut in the middle of sentences, "..." in place of the rest.
"""

import argparse
import gzip
import json
import random
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmarks.quotes import cut, holds
from desktop.text.passages import bm25_scores
from desktop.text.sentences import split_sentences

ANSWERS = Path(__file__).with_name("rgb_zh_answers.txt")
"""Answers to the open half of RGB in Chinese, written down from its snippets for this benchmark."""
SOURCES = 5
MOST_ANSWERING = 3
MOST_SNIPPETS = 120
"""Snippets of all articles about one question that are ranked."""
NEAREST = 14
LIKE_BEST = 0.6
"""Share of the highest score below which a snippet that holds the answer is thought to hold it by chance."""
POOL = 400
"""Paragraphs among which those most like a question are looked for."""
SNIPPET_CHARS = (110, 500)
_UNUSABLE = re.compile(
    r"\bwhich of (?:these|the following)\b|\bnot\b|n't\b|\btrue or false\b|\bexcept\b|_{2,}", re.IGNORECASE
)
_SPACED = ((r" (?=[,.;:?!%)\]'’])", ""), (r"(?<=[(\[$#]) ", ""), (r" (?=n't\b)", ""), (r"``\s*|\s*''", '"'))
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "(", "-RCB-": ")"}


@dataclass(frozen=True)
class Asked:
    """A question, its answers, and snippets about it that hold one of them or none."""

    id: str
    question: str
    answers: tuple[str, ...]
    answering: Sequence[str]
    others: Sequence[str]


def rows_for(asked: Asked, dice: random.Random) -> Iterator[dict[str, object]]:
    """Yield the rows of a question; one without enough snippets has fewer rows."""
    several = min(MOST_ANSWERING, len(asked.answering))
    for suffix, count in {"": several, "-one": 1, "-none": 0}.items():
        texts = [*asked.answering[:count], *asked.others[: SOURCES - count]]
        if len(texts) < SOURCES or (suffix == "-one" and several == 1):
            continue
        dice.shuffle(texts)
        yield {
            "id": f"{asked.id}{suffix}",
            "question": asked.question,
            "sources": [{"title": "", "text": text} for text in texts],
            "answers": list(asked.answers) if count else [],
        }


def read_realtimeqa(folder: Path, dice: random.Random) -> Iterator[Asked]:
    """Yield the questions of the weekly quizzes, week by week in any order."""
    paths = sorted(folder.glob("20*/*_qa.jsonl"))
    dice.shuffle(paths)
    for path in paths:
        found = path.with_name(path.name.replace("_qa.", "_gcs."))
        if not found.is_file():
            continue
        articles = {row["question_id"]: row["search_result"] for row in _rows(found)}
        for row in _rows(path):
            answer = choice_of(row)
            question = row["question_sentence"].strip()
            if answer and is_usable(question, answer):
                texts = [
                    (item.get("publish_date") or "", item.get("text") or "")
                    for item in articles.get(row["question_id"], [])
                ]
                yield _with_snippets(row["question_id"], question, answer, texts, dice)


def is_usable(question: str, answer: str) -> bool:
    """Say whether a question can be asked without its choices, and does not hold its answer."""
    return not _UNUSABLE.search(question) and not holds(question, [answer])


def choice_of(row: dict[str, object]) -> str:
    """Return the right choice without quotation marks; empty if there is none that can be looked for."""
    marked, choices = row["answer"], row["choices"]
    if not isinstance(marked, list) or not isinstance(choices, list) or not str(marked[0]).isdigit():
        return ""
    answer = str(choices[int(marked[0])]).strip(" “”\"'.")
    is_findable = 2 <= len(answer) <= 60 and not re.search(r"\b(?:above|none|both|all)\b", answer.lower())
    return answer if is_findable else ""


def _with_snippets(
    name: str, question: str, answer: str, articles: Sequence[tuple[str, str]], dice: random.Random
) -> Asked:
    snippets = [snippet for _, text in articles for snippet in _snippets_of(text, dice)][:MOST_SNIPPETS]
    ranked = sorted(zip(bm25_scores(question, snippets), snippets, strict=True), reverse=True)
    least = ranked[0][0] * LIKE_BEST if ranked else 0.0
    answering = [text for score, text in ranked[:NEAREST] if score >= least and holds(text, [answer])]
    others = [text for score, text in ranked[:NEAREST] if score > 0 and not holds(text, [answer])]
    return Asked(name, question, (answer,), answering, others)


def _snippets_of(text: str, dice: random.Random) -> Iterator[str]:
    """Yield parts of an article: whole sentences, or as many letters that begin and end anywhere."""
    spans = list(split_sentences(text))
    at = 0
    while at < len(spans):
        size = dice.randint(*SNIPPET_CHARS)
        end = at + 1
        while end < len(spans) and spans[end].end - spans[at].start <= size:
            end += 1
        part = text[spans[at].start : spans[end - 1].end].strip()
        at = end
        if SNIPPET_CHARS[0] // 2 <= len(part) <= 2 * SNIPPET_CHARS[1]:
            yield as_snippet(part, dice) if dice.random() < 0.5 else part


def as_snippet(part: str, dice: random.Random) -> str:
    """Return a part of a page as a page of results shows it: with its day, two stretches, cut anywhere."""
    day = f"{dice.choice(['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'])} {dice.randint(1, 28)}, {dice.randint(2021, 2024)} ... "
    words = part.split(" ")
    first, last = (
        dice.randrange(max(1, len(words) // 3)),
        len(words) - dice.randrange(max(1, len(words) // 4)),
    )
    lead = "... " if first else ""
    return f"{day if dice.random() < 0.5 else ''}{lead}{' '.join(words[first:last])} ..."


def read_nq(path: Path, dice: random.Random) -> Iterator[Asked]:
    """Yield the questions, each with its paragraph and those of other questions."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    paragraphs = [row["ctxs"][0]["text"] for row in rows]
    for place in dice.sample(range(len(rows)), len(rows)):
        row = rows[place]
        answers, text = tuple(row["answers"]), paragraphs[place]
        kept = next((answer for answer in answers if holds(text, [answer])), "")
        if not kept:
            continue
        pool = [
            other for other in dice.sample(paragraphs, POOL) if other != text and not holds(other, answers)
        ]
        ranked = sorted(zip(bm25_scores(row["question"], pool), pool, strict=True), reverse=True)
        others = [_maybe_cut(other, "", dice) for _, other in ranked[:SOURCES]]
        yield Asked(f"nq{place}", row["question"], answers, [_maybe_cut(text, kept, dice)], others)


def _maybe_cut(text: str, kept: str, dice: random.Random) -> str:
    at = text.lower().find(kept.lower()) if kept else dice.randrange(len(text))
    return cut(text, max(at, 0), kept, dice) if dice.random() < 0.5 else text


def read_trecqa(folder: Path, dice: random.Random) -> Iterator[Asked]:
    """Yield the questions with sentences that people judged."""
    for path in sorted(folder.glob("*.xml")):
        for name, block in re.findall(
            r"<QApairs id='([^']+)'>\n(.*?)</QApairs>", path.read_text("utf-8", "replace"), re.DOTALL
        ):
            question = untagged(block.partition("<question>\n")[2])
            marked = re.findall(r"<positive>\n(.*?)</positive>", block, re.DOTALL)
            answers = tuple({untagged(one.split("\n")[5]) for one in marked if one.count("\n") > 5} - {""})
            right = list(dict.fromkeys(untagged(one) for one in marked))
            wrong = dict.fromkeys(
                map(untagged, re.findall(r"<negative>\n(.*?)</negative>", block, re.DOTALL))
            )
            if answers:
                answering = [_clipped(text, answers, dice) for text in right if holds(text, answers)]
                others = [_clipped(text, (), dice) for text in wrong if not holds(text, answers)]
                ranked = sorted(zip(bm25_scores(question, others), others, strict=True), reverse=True)
                yield Asked(
                    f"trec{path.stem}-{name}", question, answers, answering, [text for _, text in ranked]
                )


def untagged(lines: str) -> str:
    """Return the words of the first of `lines`, in which they are split by tabs."""
    return detokenized(" ".join(lines.split("\n", maxsplit=1)[0].split("\t")))


def detokenized(text: str) -> str:
    """Return words that are split by spaces as they are written."""
    text = " ".join(_BRACKETS.get(word, word) for word in text.split(" "))
    for pattern, replacement in _SPACED:
        text = re.sub(pattern, replacement, text)
    return text.strip()


def _clipped(text: str, kept: Sequence[str], dice: random.Random) -> str:
    """Return every second sentence without its beginning or end, if it still holds one of `kept`."""
    words = text.split(" ")
    shorter = " ".join(words[dice.randrange(max(1, len(words) // 4)) :])
    clipped = f"... {shorter} ..." if dice.random() < 0.5 else text
    return clipped if not kept or holds(clipped, kept) else text


def read_rgb(folder: Path, answers: Path) -> Iterator[Asked]:
    """Yield the questions with the snippets that were judged, and with the noise of their searches."""
    asked = {row["_id"]: row["text"] for row in _rows(folder / "queries.jsonl")}
    texts = {row["_id"]: row["text"] for row in _rows(folder / "corpus.jsonl")}
    right = {
        line.split(" ", 1)[0]: tuple(line.split(" ", 1)[1].split("|"))
        for line in answers.read_text("utf-8").splitlines()
    }
    judged: dict[str, list[str]] = {}
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        name, text, score = line.split("\t")
        if score != "0":
            judged.setdefault(name, []).append(text)
    owners = {text: name for name, found in judged.items() for text in found}
    noise: dict[str, list[str]] = {}
    owner = ""
    for text in texts:
        owner = owners.get(text, owner)
        if text not in owners and owner:
            noise.setdefault(owner, []).append(text)
    for name, question in asked.items():
        if name in right:
            answering = [texts[text] for text in judged[name] if holds(texts[text], right[name])]
            near = [texts[text] for text in noise.get(name, ()) if not holds(texts[text], right[name])]
            yield Asked(name, question, right[name], answering, near[: 3 * SOURCES])


def _rows(path: Path) -> Iterator[dict[str, object]]:
    for line in path.read_text("utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def main() -> int:
    """Write the rows of a collection."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("collection", choices=("realtimeqa", "nq", "trecqa", "rgb"))
    parser.add_argument("path", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--limit", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--answers", type=Path, default=ANSWERS)
    options = parser.parse_args()
    dice = random.Random(options.seed)
    found: Iterable[Asked]
    match options.collection:
        case "realtimeqa":
            found = read_realtimeqa(options.path, dice)
        case "nq":
            found = read_nq(options.path, dice)
        case "trecqa":
            found = read_trecqa(options.path, dice)
        case _:
            found = read_rgb(options.path, options.answers)
    usable = (asked for asked in found if asked.answering and len(asked.others) >= SOURCES - MOST_ANSWERING)
    with options.out.open("w", encoding="utf-8") as file:
        for asked in islice(usable, options.limit):
            for row in rows_for(asked, dice):
                print(json.dumps(row, ensure_ascii=False), file=file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
