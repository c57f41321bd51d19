"""Every page of the corpus is read as its truth says."""

import json
from pathlib import Path

from desktop.domain.search import Obstacle, SearchStatus
from desktop.search.engines import ENGINES, engine_for
from desktop.search.engines.parse import read_page
from tests.cases import cases

CORPUS = Path(__file__).parents[3] / "corpus" / "serp"
TRUTH = json.loads((CORPUS / "truth.json").read_text("utf-8"))


def test_the_corpus_is_whole():
    assert set(TRUTH) == {page.stem for page in CORPUS.glob("*.html")}
    for truth in TRUTH.values():
        assert truth["status"] in set(SearchStatus)
        assert truth.get("obstacle", "captcha") in set(Obstacle)
        assert bool(truth["results"]) == (truth["status"] == SearchStatus.RESULTS)
        assert ("obstacle" in truth) == (truth["status"] == SearchStatus.BLOCKED)


def test_every_engine_has_a_page_with_results():
    shown = {truth["engine"] for truth in TRUTH.values() if truth["results"]}
    assert set(ENGINES) <= shown


@cases("name", TRUTH)
def test_page_is_read_as_its_truth_says(name):
    truth = TRUTH[name]
    outcome = read_page(engine_for(truth["engine"]), (CORPUS / f"{name}.html").read_bytes(), query="moth")
    found = [{"title": r.title, "url": r.url, "snippet": r.snippet} for r in outcome.results]
    assert (outcome.status, found) == (truth["status"], truth["results"])
    assert outcome.query == "moth"
    assert (outcome.obstacle or "") == truth.get("obstacle", "")
    assert bool(outcome.notes) == truth.get("by_structure", False)
    assert bool(outcome.error) == (outcome.status is not SearchStatus.RESULTS)
