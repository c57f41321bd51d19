"""How many changed facts `footnote check --disagreements` finds, and how often it sees a difference where there is none.

    python -m benchmarks.disagreements --data FOLDER [--half choose|report|all] [--rows FILE] [--worst N]

FOLDER holds `extraction/scrapinghub`, `extraction/gne_zh`, `ir/scifact` and `ir/cmrc2018_zh`. Of each page three versions are
made, each shortened and reworded by script in another way (sentences and clauses left out or moved, words replaced, numbers
rounded or written otherwise, dates without their day, names without first names), beside a page on another subject. Kinds:

- `number`, `date`, `name`, `negation`: one fact of one version is made another one. It should be found.
- `same`: the same versions with no fact changed. Nothing should be found.
- `others`: a page and the two most like it, which are on other subjects. Nothing should be found.

Bounds were chosen on the half called `choose`; the table in docs/support.md is of `report`. Which page is in which half is a
matter of its text. `--rows` writes the rows as the command reads them.
"""

import argparse
import hashlib
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rjieba

from desktop.chat.checking.disagreements import Disagreement, find_disagreements
from desktop.text.sentences import split_sentences
from desktop.text.terms import content_terms

SEED = 20_261_126
KINDS = ("number", "date", "name", "negation")
CONTROLS = ("same", "others")
MOST_PAGES = 150
WINDOW = 8
KEPT = 0.6
VERSIONS = 3
LEAST_TERMS = 6

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_NUMBER = re.compile(
    r"(?<![\w.,:/$-])[$€£]?(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?![\d:/-]|[.,]\d|年|月|日|st|nd|rd|th)(?!\w*[A-Z])"
)
_YEAR = re.compile(r"(?<![\d,.-])(1[5-9]\d\d|20[0-2]\d)(?=年|[.,;)]?(?:\s|$))")
_NAME_EN = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})*")
_NOT_NAMES = re.compile(
    rf"{_MONTHS}|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Table|Figure|The|This|However"
)
_NEGATABLE_EN = re.compile(r"\b(was|were|is|are|will|can|could|did|has been|have been) (?!not\b)\w+")
_NEGATABLE_ZH = re.compile(
    r"(可以|能够|允许|需要|属于|(?<![但于不还只就总都若凡])是(?!否)|(?<![所没拥具含只享设])有(?![关限些效名的机]))[^，。；、（]{2}"
)
_WORDS_EN = (
    ("said", "stated"), ("show", "demonstrate"), ("shows", "demonstrates"), ("showed", "demonstrated"), ("large", "big"),
    ("begin", "start"), ("began", "started"), ("also", "furthermore"), ("found", "discovered"), ("important", "significant"),
    ("many", "numerous"), ("about", "approximately"), ("because", "since"), ("help", "assist"), ("use", "employ"),
    ("used", "employed"), ("however", "nevertheless"), ("such as", "including"), ("although", "though"), ("get", "obtain"),
    ("increase", "rise"), ("increased", "raised"), ("people", "persons"), ("built", "constructed"), ("company", "firm"),
    ("made", "produced"), ("while", "whereas"), ("often", "frequently"),
)  # fmt: skip
_WORDS_ZH = (
    ("位于", "坐落于"), ("建立", "创立"), ("成立", "创办"), ("约", "大约"), ("但是", "不过"), ("因为", "由于"), ("目前", "现时"),
    ("主要", "首要"), ("使用", "采用"), ("开始", "起"), ("获得", "取得"), ("著名", "知名"), ("以及", "和"), ("表示", "称"), ("认为", "觉得"),
    ("非常", "十分"), ("许多", "不少"), ("其中", "当中"), ("曾", "曾经"), ("共", "一共"), ("后来", "之后"), ("由于", "因为"),
)  # fmt: skip


@dataclass(frozen=True)
class Page:
    language: str
    name: str
    title: str
    sentences: tuple[str, ...]
    questions: tuple[str, ...]

    @property
    def half(self) -> str:
        return "choose" if hashlib.sha256(self.name.encode()).digest()[0] % 2 else "report"


@dataclass(frozen=True)
class Case:
    """A row, the kind of change, and what the changed source says instead; it is the source `changed`, from 1."""

    language: str
    kind: str
    half: str
    row: dict[str, Any]
    changed: int = 0
    new: str = ""


def build_cases(folder: Path) -> list[Case]:
    """Return all cases; always the same."""
    chance = random.Random(SEED)
    cases: list[Case] = []
    for pages in (_english(folder, chance), _chinese(folder, chance)):
        names = sorted(
            {name for page in pages for line in page.sentences for name in _names(line, page.language)}
        )
        for page in pages:
            other = chance.choice([one for one in pages if one is not page])
            for kind in KINDS:
                cases += _pair(page, kind, other, names, chance)
            near = _nearest(page, pages)
            sources = [_source(one, one.sentences[:WINDOW]) for one in (page, *near)]
            cases.append(Case(page.language, "others", page.half, _row(page, page.sentences[0], sources)))
    return cases


def claims_about(
    folder: Path, language: str, most: int, seed: int = SEED
) -> tuple[list[Page], dict[str, list[str]]]:
    """Return pages, and claims about them: `right` ones in other words, and the same with one fact changed, by kind."""
    chance = random.Random(seed)
    made = _english(folder, chance) if language == "en" else _chinese(folder, chance)
    pages = chance.sample(made, min(most, len(made)))
    names = sorted({name for page in made for line in page.sentences for name in _names(line, language)})
    claims: dict[str, list[str]] = {"right": [], **{kind: [] for kind in KINDS}}
    for page in pages:
        for kind in KINDS:
            changes = ((line, _change(line, kind, language, names, chance)) for line in page.sentences)
            fact, change = next(((line, made) for line, made in changes if made), ("", None))
            if change is None:
                continue
            reworded = _reword(fact, language, change[0], chance)
            if change[0] in reworded:
                claims["right"].append(reworded)
                claims[kind].append(reworded.replace(*change, 1))
    chance.shuffle(claims["right"])
    return pages, claims


def _english(folder: Path, chance: random.Random) -> list[Page]:
    truth = json.loads((folder / "extraction/scrapinghub/ground-truth.json").read_text("utf-8"))
    pages = [_page("en", key, "", entry["articleBody"], ()) for key, entry in sorted(truth.items())]
    rows = chance.sample(list(_rows(folder / "ir/scifact/corpus.jsonl")), MOST_PAGES)
    pages += [_page("en", row["_id"], row["title"], row["text"], ()) for row in rows]
    return [page for page in pages if len(page.sentences) >= VERSIONS]


def _chinese(folder: Path, chance: random.Random) -> list[Page]:
    truth = json.loads((folder / "extraction/gne_zh/ground-truth.json").read_text("utf-8"))
    pages = [
        _page("zh", key, entry["title"], entry["articleBody"].replace("\n", ""), ())
        for key, entry in sorted(truth.items())
    ]
    asked: dict[str, list[str]] = defaultdict(list)
    for query in _rows(folder / "ir/cmrc2018_zh/queries.jsonl"):
        asked[query["_id"].split("_QUERY_")[0]].append(query["text"])
    rows = chance.sample(list(_rows(folder / "ir/cmrc2018_zh/corpus.jsonl")), MOST_PAGES)
    pages += [_page("zh", row["_id"], row["title"], row["text"], tuple(asked[row["_id"]])) for row in rows]
    return [page for page in pages if len(page.sentences) >= VERSIONS]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _page(language: str, name: str, title: str, text: str, questions: tuple[str, ...]) -> Page:
    sentences = [text[span.start : span.end] for span in split_sentences(text)]
    kept = tuple(
        line for line in sentences if len(set(content_terms(line))) >= LEAST_TERMS and len(line) < 500
    )
    return Page(language, name, title, kept, questions)


def _pair(page: Page, kind: str, other: Page, names: Sequence[str], chance: random.Random) -> Iterator[Case]:
    """Yield a case with a changed fact and the one without it, if the page states a fact of this kind."""
    places = list(range(len(page.sentences)))
    chance.shuffle(places)
    for place in places:
        fact = page.sentences[place]
        change = _change(fact, kind, page.language, names, chance)
        if change is None:
            continue
        old, new = change
        start = max(0, min(place - WINDOW // 2, len(page.sentences) - WINDOW))
        window = page.sentences[start : start + WINDOW]
        kept = [[line for line in window if line == fact or chance.random() < KEPT] for _ in range(VERSIONS)]
        versions = [[_reword(line, page.language, old, chance) for line in lines] for lines in kept]
        at = chance.randrange(VERSIONS)
        replaced = [
            text.replace(old, new)
            if kind != "negation"
            else text.replace(old, new, 1)
            if line == fact
            else text
            for line, text in zip(kept[at], versions[at], strict=True)
        ]
        for which, texts in ((kind, [*versions[:at], replaced, *versions[at + 1 :]]), ("same", versions)):
            sources = [_source(page, text) for text in texts] + [_source(other, other.sentences[:WINDOW])]
            yield Case(page.language, which, page.half, _row(page, fact, sources), at + 1, new)
        return


def _row(page: Page, fact: str, sources: Sequence[dict[str, str]]) -> dict[str, Any]:
    """Return a row; its question is the one of the page with most words of the fact, else its title or first sentence."""
    words = set(content_terms(fact))
    question = max(
        page.questions, key=lambda asked: len(words & set(content_terms(asked))), default=page.title
    )
    return {"question": question or page.sentences[0], "sources": list(sources)}


def _source(page: Page, lines: Sequence[str]) -> dict[str, str]:
    return {"title": page.title, "text": (" " if page.language == "en" else "").join(lines)}


def _nearest(page: Page, pages: Sequence[Page]) -> list[Page]:
    words = set(content_terms(page.title + page.sentences[0]))
    others = [one for one in pages if one is not page]
    return sorted(others, key=lambda one: -len(words & set(content_terms(one.title + one.sentences[0]))))[:2]


def _change(
    fact: str, kind: str, language: str, names: Sequence[str], chance: random.Random
) -> tuple[str, str] | None:
    """Return a part of a sentence and what it is replaced by."""
    if kind == "number":
        found = [match for match in _NUMBER.finditer(fact) if not _YEAR.match(fact, match.start(1))]
        return _other_number(chance.choice(found), chance) if found else None
    if kind == "date":
        years = _YEAR.findall(fact)
        if not years:
            return None
        year = chance.choice(years)
        return year, str(int(year) + chance.choice((-11, -7, -3, -2, -1, 1, 2, 3)))
    if kind == "name":
        own = _names(fact, language)
        strange = [name for name in names if not any(part in fact for part in name.split())]
        return (chance.choice(own), chance.choice(strange)) if own else None
    if language == "en":
        match = _NEGATABLE_EN.search(fact)
        return (match[0], match[0].replace(match[1], f"{match[1]} not", 1)) if match else None
    match = _NEGATABLE_ZH.search(fact)
    return (match[0], ("没" if match[1] == "有" else "不") + match[0]) if match else None


def _other_number(match: re.Match[str], chance: random.Random) -> tuple[str, str]:
    value = float(match[1].replace(",", "") + (match[2] or ""))
    places = len(match[2]) - 1 if match[2] else 0
    new = value
    while abs(new - value) <= 0.12 * value or f"{new:.{places}f}" == f"{value:.{places}f}":
        new = value * chance.uniform(0.4, 2.5) + (0 if places else chance.choice((-1, 1, 2)))
        new = abs(new)
    return match[0], match[0].replace(
        match[1] + (match[2] or ""), f"{new:{',' if ',' in match[1] else ''}.{places}f}"
    )


def _names(line: str, language: str) -> list[str]:
    if language == "en":
        return [name for name in _NAME_EN.findall(line) if not _NOT_NAMES.search(name)]
    tagged: list[tuple[str, str]] = rjieba.tag(line)
    return [word for word, tag in tagged if tag in {"nr", "ns", "nt"} and len(word) > 1]


def _reword(line: str, language: str, kept: str, chance: random.Random) -> str:
    """Return a sentence in other words that says the same, or less; the words of the fact stay."""
    line = _replace_words(line, _WORDS_EN if language == "en" else _WORDS_ZH, language, kept, chance)
    steps: list[Callable[[str], str]] = [
        _drop_brackets,
        lambda text: _drop_clause(text, kept, chance),
        _move_clause,
        lambda text: _write_numbers(text, kept, chance),
    ]
    for step in steps:
        if chance.random() < 0.5:
            shorter = step(line)
            line = (
                shorter
                if (kept in shorter or kept not in line) and len(content_terms(shorter)) >= LEAST_TERMS
                else line
            )
    return line


def _replace_words(
    line: str, table: Sequence[tuple[str, str]], language: str, kept: str, chance: random.Random
) -> str:
    for old, new in table:
        if chance.random() < 0.5 and old not in kept:
            line = re.sub(rf"\b{old}\b", new, line) if language == "en" else line.replace(old, new, 1)
    return line


def _drop_brackets(line: str) -> str:
    return re.sub(r"\s?[(（][^()（）]*[)）]", "", line)


def _drop_clause(line: str, kept: str, chance: random.Random) -> str:
    """Leave out one clause between commas that does not hold the fact."""
    parts = re.split(r"(?<=[，；])|(?<=, )", line)
    spare = [at for at, part in enumerate(parts) if kept not in part]
    if len(parts) < 2 or not spare:
        return line
    at = chance.choice(spare)
    rest = "".join([*parts[:at], *parts[at + 1 :]]).rstrip("，；, ")
    return rest if rest[-1:] in ".。!?！？" else rest + line[-1]


def _move_clause(line: str) -> str:
    """Move a first clause of time or place to the end: “In 1998, it closed.”"""
    match = re.fullmatch(r"((?:In|On|At|After|During|Before|Since) [^,]+), (.+)\.", line)
    return f"{match[2]} {match[1][0].lower()}{match[1][1:]}." if match else line


def _write_numbers(line: str, kept: str, chance: random.Random) -> str:
    """Write numbers and dates otherwise, and exact ones rounded."""

    def write(match: re.Match[str]) -> str:
        value = int(match[0].replace(",", ""))
        return (
            chance.choice([f"{value}", f"{value:,}", f"{float(f'{value:.3g}') / 1e6:g} million"])
            if value >= 1e6
            else f"{value}"
        )

    line = re.sub(
        r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d.,]\d)",
        lambda match: match[0] if match[0] in kept else write(match),
        line,
    )
    line = re.sub(rf"\b({_MONTHS}) (\d{{1,2}}), (\d{{4}})", r"\2 \1 \3", line)
    line = re.sub(r"(\d{4}年\d{1,2}月)\d{1,2}日", r"\1", line)
    return re.sub(r"(?<!\d)(\d{1,3})0000(?!\d)", r"\1万", line) if re.search("[一-鿿]", line) else line


def judge(case: Case) -> tuple[bool, tuple[Disagreement, ...]]:
    """Say whether the change is found, and return all that is."""
    listed = [(source["title"], source["text"]) for source in case.row["sources"]]
    found = find_disagreements(case.row["question"], listed)
    return any(_is_change(one, case) for one in found), found


def _is_change(found: Disagreement, case: Case) -> bool:
    if (found.kind == "negation") != (case.kind == "negation"):
        return False
    said = [
        value for value, sources in zip(found.values, found.sources, strict=True) if case.changed in sources
    ]
    return any(
        case.kind == "negation" or value.replace(" ", "") in case.new.replace(" ", "") or case.new in value
        for value in said
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--half", choices=("choose", "report", "all"), default="report")
    parser.add_argument("--rows", type=Path, help="write the rows to this file")
    parser.add_argument("--worst", type=int, default=0, help="print this many errors of each kind")
    arguments = parser.parse_args()
    cases = [case for case in build_cases(arguments.data) if arguments.half in ("all", case.half)]
    if arguments.rows:
        lines = (json.dumps({"id": at} | case.row, ensure_ascii=False) for at, case in enumerate(cases))
        arguments.rows.write_text("\n".join(lines), encoding="utf-8")
    counts: Counter[tuple[str, str]] = Counter()
    right: Counter[tuple[str, str]] = Counter()
    alarms: Counter[tuple[str, str]] = Counter()
    printed: Counter[tuple[str, str]] = Counter()
    for case in cases:
        key = (case.language, case.kind)
        is_found, found = judge(case)
        extra = [one for one in found if not (case.kind in KINDS and _is_change(one, case))]
        counts[key] += 1
        right[key] += is_found
        alarms[key] += bool(extra)
        is_wrong = bool(extra) or (case.kind in KINDS and not is_found)
        if is_wrong and printed[key] < arguments.worst:
            printed[key] += 1
            _print_error(case, extra)
    print("| language | kind | rows | found | other alarms |\n| - | - | -: | -: | -: |")
    for language in ("en", "zh"):
        for kind in (*KINDS, *CONTROLS):
            key = (language, kind)
            share = f"{right[key] / counts[key]:.2f}" if kind in KINDS else ""
            print(f"| {language} | {kind} | {counts[key]} | {share} | {alarms[key] / counts[key]:.2f} |")


def _print_error(case: Case, extra: Sequence[Disagreement]) -> None:
    print(case.language, case.kind, "alarm" if extra else "missed", case.changed, case.new[:200])
    for one in extra:
        print("   ", one.kind.value, one.about[:160], one.values, one.sources)
    if not extra:
        for source in case.row["sources"][:VERSIONS]:
            print("   -", source["text"][:700])


if __name__ == "__main__":
    main()
