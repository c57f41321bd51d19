"""The parser against real pages, where they are at hand: floors that only rise."""

import tarfile
from pathlib import Path

import pytest

from benchmarks.search.pages import recorded, tallied, total
from desktop.domain.search import SearchStatus
from desktop.search.engines.parse import parse_results

ARCHIVE = Path(__file__).parents[5] / "shared" / "data" / "serp.tar.xz"
FLOOR = 0.98

pytestmark = pytest.mark.skipif(not ARCHIVE.exists(), reason="recorded pages are not part of the project")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    return recorded(folder)


def test_every_engine_is_read_as_its_pages_are(pages):
    tallies = tallied(pages)
    with_results = {name: tally for name, tally in tallies.items() if tally.wanted}
    assert len(with_results) >= 11
    assert {name: tally.recall for name, tally in with_results.items() if tally.recall < FLOOR} == {}
    assert {name: tally.precision for name, tally in with_results.items() if tally.precision < FLOOR} == {}
    whole = total(tallies.values())
    assert whole.leaks == 0
    assert whole.others > 40
    assert whole.kind >= FLOOR


def test_pages_of_these_years_are_read_no_worse(pages):
    recent = total(tallied(page for page in pages if page.is_recent).values())
    assert recent.pages > 30
    assert min(recent.recall, recent.precision, recent.kind) >= FLOOR


def test_every_page_has_an_outcome_even_for_the_wrong_engine(pages):
    for page in pages[::4]:
        assert parse_results("mojeek", page.path.read_bytes()).status in SearchStatus
