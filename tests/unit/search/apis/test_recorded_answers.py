"""Every answer of the corpus, sent by a server on loopback, ends as its truth says."""

import asyncio
import json
from pathlib import Path

import httpx

from desktop.domain.search import SearchStatus
from desktop.search.apis import APIS
from desktop.search.apis.client import ApiAccess, call_api
from desktop.search.engines.model import SearchOptions
from tests.cases import cases
from tests.unit.search.page_server import PageServer

CORPUS = Path(__file__).parents[3] / "corpus" / "answers"
TRUTH = json.loads((CORPUS / "truth.json").read_text("utf-8"))
FILES = {file.stem: file for file in CORPUS.iterdir() if file.stem != "truth"}


def test_the_corpus_is_whole():
    assert set(TRUTH) == set(FILES)
    for engine in ("csdn", "juejin", "querit"):
        met = {truth["status"] for truth in TRUTH.values() if truth["engine"] == engine}
        assert {"results", "nothing_found", "blocked", "layout_changed"} <= met


@cases("name", TRUTH)
def test_an_answer_ends_as_its_truth_says(name):
    truth, body = TRUTH[name], FILES[name].read_bytes()
    api = APIS[truth["engine"]]

    async def search():
        async with PageServer() as server, httpx.AsyncClient() as client:
            server.page(api.request("", SearchOptions(), "").path, body, truth["http_status"])
            access = ApiAccess(client, "a-key" if api.needs_key else "", server.url(""))
            return await call_api(api, "灯笼蛾", SearchOptions(), access)

    outcome = asyncio.run(search())
    found = [
        {"title": r.title, "url": r.url, "snippet": r.snippet, "published": r.published}
        for r in outcome.results
    ]
    assert (outcome.status, found) == (truth["status"], truth["results"])
    assert truth["words"] in outcome.error
    assert bool(outcome.error) == (outcome.status is not SearchStatus.RESULTS)
