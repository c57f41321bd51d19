"""The parser against real pages, where they are at hand: floors that only rise."""

import json
import re
import tarfile
from collections import defaultdict
from pathlib import Path
from urllib.parse import unquote

import pytest

from desktop.domain.search import SearchStatus
from desktop.search.engines import parse_results

ARCHIVE = Path(__file__).parents[5] / "shared" / "data" / "serp.tar.xz"
FLOOR = 0.98
STATUS = {
    "captcha": SearchStatus.BLOCKED,
    "consent": SearchStatus.BLOCKED,
    "js_required": SearchStatus.BLOCKED,
    "js_shell": SearchStatus.BLOCKED,
    "no_results": SearchStatus.NOTHING_FOUND,
    "garbled": SearchStatus.LAYOUT_CHANGED,
}

pytestmark = pytest.mark.skipif(not ARCHIVE.exists(), reason="recorded pages are not part of the project")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    truths = sorted(folder.glob("*/*/*.truth.json"))
    assert truths
    return [(path, json.loads(path.read_text("utf-8"))) for path in truths]


def read(path, truth):
    page = path.with_name(path.name.replace(".truth.json", ".html")).read_bytes()
    return parse_results(truth["engine"], page)


def bare(url):
    return re.sub(r"^https?://(www\.)?|[/#]+$", "", unquote((url or "").partition("#")[0]))


def letters(title):
    return re.sub(r"[\W_]+", "", (title or "").lower())[:60]


def is_same(row, result):
    urls = {bare(row.get("url")), bare(row.get("real_url"))} - {""}
    title, other = letters(row.get("title")), letters(result.title)
    return (
        bare(result.url) in urls
        or (title != "" and title == other)
        or (len(other) > 14 and title[:25] == other[:25])
    )


def test_results_are_found_and_nothing_else(recorded):
    wanted, found, returned, right, leaks = (defaultdict(int) for _ in range(5))
    for path, truth in recorded:
        if truth["kind"] != "results" or truth["confidence"] != "high":
            continue
        engine, results = truth["engine"], read(path, truth).results
        left = list(results)
        required = [row for row in truth["results"] if row["type"] == "web"]
        optional = [row for row in truth["results"] if row["type"] != "web"] + truth["neutral"]
        for row in required + optional:
            match = next((result for result in left if is_same(row, result)), None)
            if match is not None:
                left.remove(match)
                found[engine] += row in required
        wanted[engine] += len(required)
        returned[engine] += len(results)
        right[engine] += len(results) - len(left)
        advertised = {bare(row["url"]) for row in truth["ads"]} - {""}
        leaks[engine] += sum(bare(result.url) in advertised for result in left)
    assert len(wanted) >= 11
    assert {engine: n for engine, n in found.items() if n < FLOOR * wanted[engine]} == {}
    assert {engine: n for engine, n in right.items() if n < FLOOR * returned[engine]} == {}
    assert sum(leaks.values()) == 0


def test_pages_without_results_are_told_apart(recorded):
    pages = [
        (path, truth) for path, truth in recorded if truth["kind"] in STATUS and truth["confidence"] == "high"
    ]
    wrong = [path.name for path, truth in pages if read(path, truth).status is not STATUS[truth["kind"]]]
    assert len(pages) > 40
    assert len(wrong) <= (1 - FLOOR) * len(pages), wrong


def test_every_page_has_an_outcome_even_for_the_wrong_engine(recorded):
    for path, _ in recorded[::4]:
        page = path.with_name(path.name.replace(".truth.json", ".html")).read_bytes()
        assert parse_results("mojeek", page).status in SearchStatus
