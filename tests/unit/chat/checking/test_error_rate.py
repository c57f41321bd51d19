"""How often the check is wrong; what the data is: docs/support.md."""

import os
from pathlib import Path

import pytest

from benchmarks.support import ALCE, ALIGNBENCH, FOLDER, error_rates, judge, pairs_of, shares
from desktop.domain.citation_check import SupportLevel
from tests.cases import cases

FOLDERS = (Path(os.environ.get("FOOTNOTE_TEST_DATA", "nowhere")) / "citations", FOLDER)
DATA = next(
    (folder for folder in FOLDERS if (folder / ALCE).is_file() and (folder / ALIGNBENCH).is_file()), None
)

pytestmark = pytest.mark.skipif(DATA is None, reason="the citations are not part of the project")


@pytest.fixture(scope="module")
def counts():
    return shares(judge(pairs_of(DATA)))


@cases(
    "collection, doubted, lost, missed",
    [("alce", 0.11, 0.02, 0.02), ("summaries", 0.08, 0.02, 0.03), ("alignbench_zh", 0.55, 0.15, 0.03)],
)
def test_the_error_rate_stays_where_it_is(counts, collection, doubted, lost, missed):
    rates = error_rates(counts, collection)
    assert rates[0] <= doubted
    assert rates[1] <= lost
    assert rates[2] <= missed


@cases("collection", ["alce", "summaries", "alignbench_zh"])
def test_sources_of_other_questions_are_not_found(counts, collection):
    found = counts[collection, "other"]
    assert found[SupportLevel.SUPPORTED] <= 0.02 * found.total()
    assert found[SupportLevel.NOT_FOUND] >= 0.93 * found.total()
