"""Floors of retrieval on a sample of collections with known answers, which only rise: `benchmarks/retrieval.py`.

The sample is small, as embedding takes a while; what it says of one leg against the other is chance, so
that is measured on the whole collections only.
"""

import asyncio
import os
from pathlib import Path

import pytest

from benchmarks.retrieval import load, measure, sample
from tests.cases import cases

FOLDER = Path(os.environ.get("FOOTNOTE_TEST_DATA", "nowhere")) / "ir"
QUERIES = 10
DOCUMENTS = 40

pytestmark = [
    pytest.mark.skipif(not FOLDER.is_dir(), reason="FOOTNOTE_TEST_DATA names no folder with ir/"),
    pytest.mark.timeout(300),
]


@cases(
    "name, asked, several",
    [("scifact", 0.838, 0.843), ("cmrc2018_zh", 0.99, 0.99), ("rgb_zh", 0.99, 0.99)],
)
def test_what_a_question_gets_stays_as_good_as_it_is(name, asked, several, tmp_path):
    collection = sample(load(FOLDER / name, QUERIES), DOCUMENTS)
    measured = asyncio.run(measure(collection, tmp_path))
    quality = {ranking: measured.quality(collection, ranking) for ranking in measured.rankings}
    assert quality["asked"] >= asked, quality
    assert quality["several"] >= several, quality
