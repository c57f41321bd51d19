"""Write the pairs of question and passage, and of question and sentence, that the bundled network is trained on.

    python -m benchmarks.answer_pairs OUT.jsonl.xz --data FOLDER [--held FILE.jsonl …]

OUT has rows `{"task", "a", "b", "label", "set", "split"}` for `benchmarks.entailment_training`: the task `answers` asks whether the
answer to the question a is in the passage b, `sentence` whether it is in the sentence b. FOLDER holds what is there of these,
as published in repositories of github.com (licence of the data in brackets, as the repository or the paper states it):

- in the form of SQuAD, each `NAME.json` as in `SQUAD_SETS`: modestyachts/squadshifts-website (CC BY 4.0: new_wiki, reddit, amazon),
  a part of SQuAD 2.0's training half (CC BY-SA 4.0) as in PhongNTDo/guide_train_MRC_transformers, pluto-junzeng/ChineseSquad (none
  named; SQuAD 2.0 dev, translated), DRCKnowledgeTeam/DRCD (CC BY-SA 3.0; `DRCD_test.json` in simplified characters),
  ymcui/cmrc2018 (CC BY-SA 4.0; only `cmrc2018_trial.json`), DuReader robust and checklist (dev) as in pengwei-iie/Dureader_robustness
  and zhoujx4/DuReader-Checklist-BASELINE, china-ai-law-challenge/CAIL2019 (reading, dev), sharejing/BiPaR (Chinese, valid and test),
- `nq-open-oracle.jsonl.gz` of nelson-liu/lost-in-the-middle (Natural Questions: CC BY-SA 3.0),
- `wikiqa_{train,dev}.txt`: `WikiQASent-*.txt` of tjurczyk/WikiQA (free for research),
- `realtimeqa`: the folder `past` of realtimeqa/realtimeqa_public (none named), three quarters of the weeks,
- `scifact_train.jsonl`: `claims_train.jsonl` of SciFact (CC BY-NC 2.0), and `scifact`, its texts as `benchmarks.retrieval` reads them,
- `crud`: `src/quest_eval/QuestAnswer*.json` and `data/80000_docs/*` of IAAR-Shanghai/CRUD_RAG (none named): Chinese news,
- `xquad.en.json` (google-deepmind/xquad), whose questions are left out.

`--held` are rows of `benchmarks.quotes_data`, whose questions are left out, as are those of `benchmarks.relevance_sets`. Passages that
do not answer: of unanswerable questions, of the same page, those most like the question by BM25, some by chance. Questions are
written as they are, in lower case without a question mark, or as keywords; passages half with their title, a third cut.
"""

import argparse
import gzip
import json
import lzma
import random
import re
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from benchmarks.quotes import cut, holds, letters
from benchmarks.quotes_data import as_snippet, choice_of, detokenized, is_usable
from benchmarks.relevance_sets import read_wikipedia
from desktop.search.keywords import keyword_query
from desktop.text.language import language_of
from desktop.text.sentences import split_sentences

SQUAD_SETS = {
    "drcd_test": 1_000_000, "cmrc_trial": 1_000_000, "dureader_robust": 1_000_000, "dureader_checklist": 1_000_000,
    "squad2_zh": 1_000_000, "cail": 3_500, "bipar_zh": 3_000, "new_wiki": 1_000_000, "squad2_train": 1_000_000,
    "reddit": 5_000, "amazon": 4_000,
}  # fmt: skip
"""How many questions of each are taken."""
_UNTITLED = ("bipar_zh", "reddit", "amazon")
_PASSAGE_CHARS = {"zh": 320, "en": 850}
_WORD = re.compile(r"[a-z0-9]+|[㐀-鿿]+")
_SMALL = """
the a an of in on at to is are was were be by for and or that which who what when where how why did does do with as it its from this
his her their there has have had many much
"""
_SMALL_WORDS = frozenset(_SMALL.split())
_DEV = 20
HELD_WEEKS = 4
"""Every n-th page is measured; every n-th week of RealTimeQA is left out."""

Pair = tuple[str, str, int]


def words_of(text: str) -> list[str]:
    """Return beginnings of words, and pairs of Chinese characters."""
    found = []
    for word in _WORD.findall(text.lower()):
        if word[0].isascii():
            found += [] if word in _SMALL_WORDS else [word[:7]]
        else:
            found += [word[at : at + 2] for at in range(max(1, len(word) - 1))]
    return found


class Keywords:
    """BM25 of many questions over the same texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._places: dict[str, int] = {}
        rows, columns, counts, lengths = [], [], [], []
        for row, text in enumerate(texts):
            counted: dict[str, int] = defaultdict(int)
            for word in words_of(text):
                counted[word] += 1
            lengths.append(sum(counted.values()))
            for word, count in counted.items():
                rows.append(row)
                columns.append(self._places.setdefault(word, len(self._places)))
                counts.append(count)
        size, column, count = np.array(lengths), np.array(columns), np.array(counts, np.float32)
        count = count * 2.2 / (count + 1.2 * (0.25 + 0.75 * size[rows] / size.mean()))
        holders = np.bincount(column, minlength=len(self._places))
        rarity = np.log(1 + (len(texts) - holders + 0.5) / (holders + 0.5))
        shape = (len(texts), len(self._places))
        self._weights = scipy.sparse.csr_matrix((count * rarity[column], (rows, column)), shape).tocsc()

    def nearest(self, questions: Sequence[str], count: int = 30) -> Iterator[list[tuple[int, float]]]:
        """Yield the places and scores of the best texts for each question."""
        for start in range(0, len(questions), 256):
            part = questions[start : start + 256]
            found = [
                (self._places[word], column)
                for column, question in enumerate(part)
                for word in set(words_of(question))
                if word in self._places
            ]
            rows, columns = [row for row, _ in found], [column for _, column in found]
            asked = scipy.sparse.csc_matrix(
                (np.ones(len(found), np.float32), (rows, columns)), (len(self._places), len(part))
            )
            for scores in np.asarray((self._weights @ asked).todense()).T:
                best = np.argsort(-scores, kind="stable")[:count]
                yield [(int(place), float(scores[place])) for place in best if scores[place] > 0]


@lru_cache(maxsize=100_000)
def sentences_of(text: str) -> tuple[tuple[int, int], ...]:
    return tuple((one.start, one.end) for one in split_sentences(text) if text[one.start : one.end].strip())


def passages_of(text: str) -> list[tuple[int, int]]:
    """Return the parts of a text that are as long as passages of a base."""
    most = _PASSAGE_CHARS["zh" if is_chinese(text) else "en"]
    if len(text) <= 1.3 * most:
        return [(0, len(text))]
    found: list[tuple[int, int]] = []
    for start, end in sentences_of(text):
        if found and end - found[-1][0] <= most:
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return found


def is_chinese(text: str) -> bool:
    return language_of(text[:300]) == "zh"


def has_answer(text: str, answers: Sequence[str]) -> bool:
    return any(holds(text, [answer]) for answer in answers if answer)


def like_question(question: str, text: str) -> list[str]:
    """Return the sentences of a text, those that share most words with the question first."""
    asked = set(words_of(question))
    found = [
        (-len(asked & set(words_of(text[start:end]))), place, text[start:end].strip())
        for place, (start, end) in enumerate(sentences_of(text))
    ]
    return [sentence for _, _, sentence in sorted(found)]


@dataclass
class Writer:
    """Writes the pairs of one set after the other."""

    file: Any
    dice: random.Random
    counts: dict[tuple[str, str, str], list[int]] = field(default_factory=dict)

    def write(self, task: str, set_name: str, page: str, pairs: Iterable[Pair]) -> None:
        """Write pairs of a page; all of some pages are for measuring."""
        split = page if page in ("train", "dev") else _split_of(set_name + page)
        for question, text, label in pairs:
            if question.strip() and text.strip():
                row = {"task": task, "a": question.strip(), "b": text.strip(), "label": label}
                row |= {"set": set_name, "split": split}
                self.file.write(json.dumps(row, ensure_ascii=False) + "\n")
                self.counts.setdefault((set_name, task, split), [0, 0])[label] += 1

    def asked(self, question: str) -> str:
        """Return a question as it may be typed."""
        chance = self.dice.random()
        if is_chinese(question):
            plain, keywords = 0.25, 0.35
            bare = question.rstrip("？?。 ")
        else:
            plain, keywords = 0.27, 0.37
            bare = question.rstrip("? ").lower() if chance < 0.2 else question.rstrip("? ")
        if chance < plain:
            return bare
        found = keyword_query(question, ()) if chance < keywords else ""
        return found if len(found) > 4 else question

    def titled(self, title: str, text: str) -> str:
        return f"{title}\n{text}" if title and self.dice.random() < 0.5 else text

    def maybe_cut(self, text: str) -> str:
        return cut(text, self.dice.randrange(len(text)), "", self.dice) if self.dice.random() < 0.35 else text

    def clipped(self, sentence: str, kept: Sequence[str]) -> str:
        """Return a sentence, sometimes without its beginning and end, if it still holds one of `kept`."""
        if self.dice.random() >= 0.15 or len(sentence) < 60:
            return sentence
        start, end = (
            self.dice.randrange(len(sentence) // 3),
            len(sentence) - self.dice.randrange(len(sentence) // 3),
        )
        if not is_chinese(sentence):
            start = sentence.find(" ", start) + 1 if start else 0
            end = sentence.rfind(" ", 0, end) if end < len(sentence) else end
        found = f"{'... ' if start else ''}{sentence[start:end]}{' ...' if end < len(sentence) else ''}"
        return found if len(found) > 25 and (not kept or has_answer(found, kept)) else sentence


def _split_of(key: str) -> str:
    return "dev" if zlib.crc32(key.encode()) % _DEV == 0 else "train"


@dataclass(frozen=True)
class Question:
    """A question with its passages, one of which answers at `at`; none if there are no `answers`."""

    text: str
    own: Sequence[int]
    answers: tuple[str, ...] = ()
    at: int = -1


@dataclass
class Pages:
    """Passages with their page and title, and the questions on them."""

    name: str
    passages: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    def add(self, text: str, page: str, title: str = "") -> int:
        """Return the place of a passage, which is added if it is new."""
        if text not in self.places:
            self.places[text] = len(self.passages)
            self.passages.append(text)
            self.pages.append(page)
            self.titles.append(title)
        return self.places[text]

    def ask(
        self, question: str, context: str, places: Sequence[int], answers: Sequence[str], start: int
    ) -> None:
        """Add a question to the passages of a text."""
        if not answers:
            self.questions.append(Question(question, places))
            return
        if start < 0 or not context.startswith(answers[0], start):
            start = context.find(answers[0])
        for (begin, end), place in zip(passages_of(context), places, strict=True):
            if 0 <= begin <= start < end:
                self.questions.append(
                    Question(question, [place], tuple(dict.fromkeys(answers)), start - begin)
                )

    def write(self, writer: Writer, limit: int, near: int = 2, far: int = 2) -> None:
        """Write the pairs of at most `limit` questions, with so many passages of their page and of others."""
        asked = self.questions
        if len(asked) > limit:
            asked = writer.dice.sample(asked, limit)
        asked = sorted(asked, key=lambda one: one.own[0])
        keywords = Keywords(
            [f"{title} {text}" for title, text in zip(self.titles, self.passages, strict=True)]
        )
        nearest = keywords.nearest([one.text for one in asked])
        for one, found in zip(asked, nearest, strict=True):
            best = [place for place, _ in found]
            if one.answers:
                self._write_answered(writer, one, best, (near, far))
            else:
                self._write_unanswered(writer, one, best)

    def _write_unanswered(self, writer: Writer, one: Question, best: Sequence[int]) -> None:
        order = {place: rank for rank, place in enumerate(best)}
        own = min(one.own, key=lambda place: order.get(place, len(order)))
        page, asked, text = self.pages[own], writer.asked(one.text), self.passages[own]
        pairs = [(asked, writer.titled(self.titles[own], text), 0)]
        if writer.dice.random() < 0.3:
            pairs.append((asked, writer.maybe_cut(text), 0))
        others = [place for place in best if self.pages[place] != page][:1]
        pairs += [(asked, writer.titled(self.titles[place], self.passages[place]), 0) for place in others]
        writer.write("answers", self.name, page, pairs)
        sentences = like_question(one.text, text)[:3]
        writer.write(
            "sentence", self.name, page, [(asked, writer.clipped(each, ()), 0) for each in sentences]
        )

    def _write_answered(
        self, writer: Writer, one: Question, best: Sequence[int], counts: tuple[int, int]
    ) -> None:
        (own,) = one.own
        text, page, answer = self.passages[own], self.pages[own], one.answers[0]
        asked = writer.asked(one.text)
        pairs = [(asked, writer.titled(self.titles[own], text), 1)]
        if len(text) > (100 if is_chinese(text) else 240):
            kept = text[one.at : one.at + len(answer)]
            pairs.append((writer.asked(one.text), cut(text, one.at, kept, writer.dice), 1))
        wrong = self._without_answer(writer, one, best, counts)
        pairs += [
            (asked, writer.titled(self.titles[place], writer.maybe_cut(self.passages[place])), 0)
            for place in wrong
        ]
        writer.write("answers", self.name, page, pairs)
        sentences: list[Pair] = []
        for start, end in sentences_of(text):
            if start <= one.at < end:
                sentences.append((asked, writer.clipped(text[start:end].strip(), (answer,)), 1))
        others = [each for each in like_question(one.text, text) if not has_answer(each, one.answers)]
        sentences += [(asked, writer.clipped(each, ()), 0) for each in others[:4]]
        for place in wrong[:3]:
            for each in like_question(one.text, self.passages[place])[:1]:
                sentences.append((asked, writer.clipped(each, ()), 0))
        writer.write("sentence", self.name, page, sentences)

    def _without_answer(
        self, writer: Writer, one: Question, best: Sequence[int], counts: tuple[int, int]
    ) -> list[int]:
        """Return passages of the same page and of others that do not hold an answer."""
        page = self.pages[one.own[0]]
        wrong = [
            place
            for place in best
            if place not in one.own and not has_answer(self.passages[place], one.answers)
        ]
        own = [place for place in wrong if self.pages[place] == page][: counts[0]]
        others = [place for place in wrong if self.pages[place] != page][:6]
        found = [*own, *writer.dice.sample(others, min(counts[1], len(others)))]
        chance = writer.dice.randrange(len(self.passages))
        if writer.dice.random() < 0.4 and self.pages[chance] != page:
            found += [] if has_answer(self.passages[chance], one.answers) else [chance]
        return found


def read_squad(name: str, path: Path, held: frozenset[str]) -> Pages:
    """Return the questions of a file in the form of SQuAD; texts with a question of `held` are left out."""
    found = Pages(name)
    for number, article in enumerate(json.loads(path.read_bytes())["data"]):
        for place, paragraph in enumerate(article["paragraphs"]):
            if any(str(item["id"]) in held for item in paragraph["qas"]):
                continue
            title = "" if name in _UNTITLED else str(article.get("title") or paragraph.get("title") or "")
            page, context = title or f"{number}-{place}", paragraph["context"]
            title = title.replace("_", " ")
            places = [found.add(context[start:end], page, title) for start, end in passages_of(context)]
            for item in paragraph["qas"]:
                _ask_item(found, item, context, places)
    return found


def _ask_item(found: Pages, item: dict[str, Any], context: str, places: Sequence[int]) -> None:
    is_impossible = str(item.get("is_impossible")).lower() == "true"
    answers = [] if is_impossible else [each["text"] for each in item["answers"] if each["text"]]
    if is_impossible:
        found.ask(item["question"], context, places, (), -1)
    elif answers and answers[0] not in ("YES", "NO"):
        most = 60 if is_chinese(answers[0]) else 160
        if len(answers[0]) <= most:
            found.ask(item["question"], context, places, answers, item["answers"][0].get("answer_start", -1))


def read_nq(path: Path, held: frozenset[str]) -> Pages:
    found = Pages("nq")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            context = row["ctxs"][0]
            place = found.add(context["text"], f"{context['title']} {number}", context["title"])
            lowered = context["text"].lower()
            answer = next((each for each in row["answers"] if each.lower() in lowered), "")
            if answer and row["question"] not in held:
                at = lowered.find(answer.lower())
                found.questions.append(Question(row["question"], [place], (answer, *row["answers"]), at))
    return found


def write_scifact(writer: Writer, claims: Path, folder: Path) -> None:
    """Write the claims that are no queries of the collection; what they cite answers them."""
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines()]
    documents = {row["_id"]: row for row in rows}
    queries = {
        json.loads(line)["text"] for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()
    }
    asked = [json.loads(line) for line in claims.read_text("utf-8").splitlines()]
    asked = [row for row in asked if row["claim"] not in queries]
    keys = list(documents)
    keywords = Keywords([f"{documents[key]['title']} {documents[key]['text']}" for key in keys])
    for row, best in zip(asked, keywords.nearest([row["claim"] for row in asked]), strict=True):
        claim, own = row["claim"], [key for key in map(str, row["cited_doc_ids"]) if key in documents]
        pairs: list[Pair] = []
        for key in own:
            text, title, wanted = documents[key]["text"], documents[key]["title"], set(words_of(claim))
            start, end = max(
                passages_of(text), key=lambda part: len(wanted & set(words_of(text[part[0] : part[1]])))
            )
            pairs.append((claim, f"{title}\n{text[start:end]}", 1))
            pairs.append((writer.asked(claim), f"{title}\n{text[: _PASSAGE_CHARS['en']]}", 1))
        for place in [place for place, _ in best[:20] if keys[place] not in own][:6]:
            document = documents[keys[place]]
            start, end = writer.dice.choice(passages_of(document["text"]))
            pairs.append((claim, f"{document['title']}\n{document['text'][start:end]}", 0))
        writer.write("answers", "scifact", str(row["id"]), pairs)


def write_wikiqa(writer: Writer, path: Path, split: str) -> None:
    """Write the sentences of the first passage of an article, which people judged."""
    asked: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for line in path.read_text("utf-8").splitlines():
        question, sentence, label = line.split("\t")
        asked[detokenized(question)].append((detokenized(sentence), int(label)))
    for question, judged in asked.items():
        typed, wanted = writer.asked(question), set(words_of(question))
        wrong = sorted(
            (text for text, label in judged if not label), key=lambda text: -len(wanted & set(words_of(text)))
        )
        pairs = [(typed, text, 1) for text, label in judged if label]
        pairs += [(typed, writer.clipped(text, ()), 0) for text in wrong[:6]]
        writer.write("sentence", "wikiqa", split, pairs)
        first = next((place for place, (_, label) in enumerate(judged) if label), None)
        start = max(0, (first or 0) - 2)
        passage = " ".join(text for text, _ in judged[start : start + 5])[:900]
        writer.write("answers", "wikiqa", split, [(typed, passage, int(first is not None))])


def write_realtimeqa(writer: Writer, folder: Path, held: frozenset[str]) -> None:
    """Write snippets of the articles that a search engine found for questions of news quizzes."""
    for path in sorted(folder.glob("20*/*_qa.jsonl")):
        week, found = path.name[:8], path.with_name(path.name.replace("_qa.", "_gcs."))
        if zlib.crc32(week.encode()) % HELD_WEEKS == 0 or not found.is_file():
            continue
        rows = [json.loads(line) for line in found.read_text("utf-8").splitlines() if line.strip()]
        articles = {
            row["question_id"]: [each.get("text") or "" for each in row["search_result"]] for row in rows
        }
        for line in filter(str.strip, path.read_text("utf-8").splitlines()):
            row = json.loads(line)
            question, answer = row["question_sentence"].strip(), choice_of(row)
            if answer and question not in held and is_usable(question, answer):
                _write_news(writer, week, (question, answer), articles.get(row["question_id"], []))


def _write_news(writer: Writer, week: str, asked: tuple[str, str], articles: Sequence[str]) -> None:
    question, answer = asked
    snippets = [part for text in articles for part in _parts_of(text[:12_000], writer.dice)][:120]
    (best,) = Keywords(snippets).nearest([question], 20) if len(snippets) > 3 else ([],)
    if not best:
        return
    right = [
        place for place, score in best if score >= 0.6 * best[0][1] and holds(snippets[place], [answer])
    ][:3]
    wrong = [place for place, _ in best if not holds(snippets[place], [answer])][: 6 if right else 3]
    typed = writer.asked(question)
    for place in [*right, *wrong]:
        text, label = snippets[place], int(place in right)
        shown = as_snippet(text, writer.dice) if writer.dice.random() < 0.4 else text
        shown = text if label and not holds(shown, [answer]) else shown
        writer.write("answers", "realtimeqa", week, [(typed, shown, label)])
        for sentence in like_question(question, text)[:3]:
            says = int(holds(sentence, [answer]))
            if says <= label and (says or writer.dice.random() < 0.6):
                kept = (answer,) if says else ()
                writer.write("sentence", "realtimeqa", week, [(typed, writer.clipped(sentence, kept), says)])


def _parts_of(text: str, dice: random.Random) -> Iterator[str]:
    spans, at = sentences_of(text), 0
    while at < len(spans):
        size, end = dice.randint(110, 700), at + 1
        while end < len(spans) and spans[end][1] - spans[at][0] <= size:
            end += 1
        part = text[spans[at][0] : spans[end - 1][1]].strip()
        at = end
        if 55 <= len(part) <= 1_000:
            yield part


def read_crud(folder: Path) -> Pages:
    """Return questions on Chinese news with the reports that hold most of what they ask about."""
    keys: dict[str, list[str]] = defaultdict(list)
    asked: dict[str, dict[str, str]] = defaultdict(dict)
    for path in sorted(folder.glob("**/QuestAnswer*_quest_gt_save.json")):
        for key, row in json.loads(path.read_bytes()).items():
            keys[key] += [str(each) for each in row["key_info"]]
            for question, answer in zip(row["question"], row["answers"], strict=False):
                if isinstance(answer, str) and "无法" not in answer and 2 <= len(answer) <= 40:
                    asked[key].setdefault(question, answer)
    reports = _reports_on(keys, sorted(folder.glob("**/documents_dup_part_*")))
    found = Pages("crud")
    for key, questions in asked.items():
        places = [
            found.add(text[start:end], key)
            for text in reports.get(key, ())
            for start, end in passages_of(text)
        ]
        for question, answer in questions.items():
            wanted = set(words_of(question + answer))
            shared = [
                (len(wanted & set(words_of(found.passages[place]))), place)
                for place in dict.fromkeys(places)
                if letters(answer) in letters(found.passages[place])
            ]
            most, place = max(shared, default=(0, 0))
            at = found.passages[place].find(answer) if shared else -1
            if at >= 0 and most >= 0.45 * len(wanted):
                found.questions.append(Question(question, [place], (answer,), at))
    return found


def _reports_on(keys: dict[str, list[str]], paths: Sequence[Path]) -> dict[str, list[str]]:
    """Return the four reports for each key that share most rare strings of four letters with what it names."""
    owners: dict[str, set[str]] = defaultdict(set)
    for key, texts in keys.items():
        for text in texts:
            for at in range(len(text) - 3):
                owners[text[at : at + 4]].add(key)
    rare = {gram: found for gram, found in owners.items() if len(found) <= 12}
    scored: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for path in paths:
        for line in path.read_text("utf-8", "replace").splitlines():
            text = (line.partition("正文：")[2] or line).strip()[:4_000]
            shared = {text[at : at + 4] for at in range(len(text) - 3)} & rare.keys()
            worth: dict[str, float] = defaultdict(float)
            for gram in shared:
                for key in rare[gram]:
                    worth[key] += 1 / len(rare[gram])
            for key, score in worth.items():
                if score >= 4:
                    scored[key].append((score, text))
    return {key: [text for _, text in sorted(found, reverse=True)[:4]] for key, found in scored.items()}


def write_all(writer: Writer, data: Path, held: frozenset[str]) -> None:
    """Write what there is in a folder."""
    xquad, nq = data / "xquad.en.json", data / "nq-open-oracle.jsonl.gz"
    articles = json.loads(xquad.read_bytes())["data"]
    ids = frozenset(
        str(item["id"])
        for article in articles
        for paragraph in article["paragraphs"]
        for item in paragraph["qas"]
    )
    for name, limit in SQUAD_SETS.items():
        for path in sorted(data.glob(f"{name}*.json")):
            pages = read_squad(name, path, ids)
            far = 4 if name == "dureader_robust" else 2
            pages.write(writer, limit, 1 if name in (*_UNTITLED, "cail") else 2, far)
    if nq.is_file():
        left_out = held | read_wikipedia(nq, xquad)["nq_en"].queries.keys()
        read_nq(nq, left_out).write(writer, 1_000_000, 0, 5)
    if (data / "scifact_train.jsonl").is_file():
        write_scifact(writer, data / "scifact_train.jsonl", data / "scifact")
    for split in ("train", "dev"):
        if (data / f"wikiqa_{split}.txt").is_file():
            write_wikiqa(writer, data / f"wikiqa_{split}.txt", split)
    write_realtimeqa(writer, data / "realtimeqa", held)
    if (data / "crud").is_dir():
        read_crud(data / "crud").write(writer, 1_000_000)


def main() -> int:
    """Write the pairs, and print how many there are."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--held", type=Path, nargs="*", default=[])
    options = parser.parse_args()
    held = frozenset(
        json.loads(line)["question"] for path in options.held for line in path.read_text("utf-8").splitlines()
    )
    # texts come again in many rows: a window of 64 MiB finds them
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 26}]
    with lzma.open(options.out, "wt", encoding="utf-8", filters=filters) as file:
        writer = Writer(file, random.Random(17))
        write_all(writer, options.data, held)
    for key, (no, yes) in sorted(writer.counts.items()):
        print(*key, f"{yes} yes, {no} no")
    return 0


if __name__ == "__main__":
    sys.exit(main())
