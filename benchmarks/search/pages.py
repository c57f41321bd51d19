"""The parser of result pages against recorded ones whose truth is known: a table by engine.

    python -m benchmarks.search.pages DATA

DATA holds `ENGINE/NAME.html` beside `ENGINE/NAME.truth.json` {engine, kind, confidence, captured, results
[{type, title, url, real_url?}], neutral, ads}. A result is found when its address or its title is. Results
of type `web` must be found; the engine's own, featured and neutral ones may be; advertisements must not.
Only pages whose truth is sure count. Pages recorded from 2023 on are reported apart as well.
"""

import argparse
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from desktop.domain.search import SearchResult, SearchStatus
from desktop.search.engines.parse import parse_results

RECENT = "2023"
STATUS = {
    "captcha": SearchStatus.BLOCKED,
    "consent": SearchStatus.BLOCKED,
    "js_required": SearchStatus.BLOCKED,
    "js_shell": SearchStatus.BLOCKED,
    "no_results": SearchStatus.NOTHING_FOUND,
    "garbled": SearchStatus.LAYOUT_CHANGED,
}


@dataclass
class Tally:
    pages: int = 0
    wanted: int = 0
    found: int = 0
    returned: int = 0
    right: int = 0
    leaks: int = 0
    others: int = 0
    told: int = 0

    @property
    def recall(self) -> float:
        return self.found / self.wanted if self.wanted else 1.0

    @property
    def precision(self) -> float:
        return self.right / self.returned if self.returned else 1.0

    @property
    def kind(self) -> float:
        return self.told / self.others if self.others else 1.0


@dataclass(frozen=True)
class Recorded:
    path: Path
    truth: dict

    @property
    def is_recent(self) -> bool:
        return (self.truth.get("captured") or "")[:4] >= RECENT

    def read(self):
        return parse_results(self.truth["engine"], self.path.read_bytes())


def recorded(folder: Path) -> list[Recorded]:
    truths = sorted(folder.rglob("*.truth.json"))
    return [
        Recorded(
            path.with_name(path.name.replace(".truth.json", ".html")), json.loads(path.read_text("utf-8"))
        )
        for path in truths
    ]


def tallied(pages: Iterable[Recorded]) -> dict[str, Tally]:
    """Return the figures of every engine that has a page whose truth is sure."""
    tallies: dict[str, Tally] = {}
    for page in pages:
        kind = page.truth["kind"]
        if page.truth["confidence"] != "high" or (kind != "results" and kind not in STATUS):
            continue
        tally = tallies.setdefault(page.truth["engine"], Tally())
        tally.pages += 1
        outcome = page.read()
        if kind == "results":
            _score(page.truth, outcome.results, tally)
        else:
            tally.others += 1
            tally.told += outcome.status is STATUS[kind]
    return tallies


def total(tallies: Iterable[Tally]) -> Tally:
    result = Tally()
    for tally in tallies:
        for name, value in vars(tally).items():
            setattr(result, name, getattr(result, name) + value)
    return result


def _score(truth: dict, results: tuple[SearchResult, ...], tally: Tally) -> None:
    left = list(results)
    required = [row for row in truth["results"] if row["type"] == "web"]
    optional = [row for row in truth["results"] if row["type"] != "web"] + truth["neutral"]
    for row in required + optional:
        match = next((result for result in left if _is_same(row, result)), None)
        if match is not None:
            left.remove(match)
            tally.found += row in required
    advertised = {_bare(row["url"]) for row in truth["ads"]} - {""}
    tally.wanted += len(required)
    tally.returned += len(results)
    tally.right += len(results) - len(left)
    tally.leaks += sum(_bare(result.url) in advertised for result in left)


def _is_same(row: dict, result: SearchResult) -> bool:
    urls = {_bare(row.get("url")), _bare(row.get("real_url"))} - {""}
    title, other = _letters(row.get("title")), _letters(result.title)
    return (
        _bare(result.url) in urls
        or (title != "" and title == other)
        or (len(other) > 14 and title[:25] == other[:25])
    )


def _bare(url: str | None) -> str:
    return re.sub(r"^https?://(www\.)?|[/#]+$", "", unquote((url or "").partition("#")[0]))


def _letters(title: str | None) -> str:
    return re.sub(r"[\W_]+", "", (title or "").lower())[:60]


def table(tallies: dict[str, Tally]) -> str:
    lines = [
        f"{'':12} {'pages':>5} {'results':>7} {'recall':>7} {'precis.':>7} {'ads':>4} {'others':>6} {'told':>6}"
    ]
    for name, tally in [*sorted(tallies.items()), ("all", total(tallies.values()))]:
        lines.append(
            f"{name:12} {tally.pages:5} {tally.wanted:7} {tally.recall:7.3f} {tally.precision:7.3f}"
            f" {tally.leaks:4} {tally.others:6} {tally.kind:6.1%}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    pages = recorded(parser.parse_args().data)
    print(table(tallied(pages)))
    print(f"\nrecorded from {RECENT} on")
    print(table(tallied(page for page in pages if page.is_recent)))


if __name__ == "__main__":
    main()
