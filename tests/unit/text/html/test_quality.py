"""Main text of real pages: floors above trafilatura at its best. Side by side with it: `benchmarks/extraction.py`."""

import pytest

from benchmarks.extraction import ARCHIVE, SETS, ours, pages, score
from tests.cases import cases

pytestmark = pytest.mark.skipif(not ARCHIVE.is_file(), reason="the pages are not part of the project")


@cases("folder, floor", [("scrapinghub", 0.965), ("gne_zh", 0.92), ("readability", 0.92)])
def test_real_pages(folder, floor):
    assert score(ours, list(pages(folder)), by_character=SETS[folder]).f1 >= floor
