"""Searching with real Chromium: result pages of the corpus and a Tavily, all on loopback."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from desktop.domain.search import WEB_OFF, Obstacle, SearchOutcome, SearchStatus
from desktop.errors import UnknownEngine
from desktop.search.browser.browser import Browser, BrowserOptions
from desktop.search.engines.model import SearchOptions
from desktop.search.result_merging import fuse
from desktop.search.web_search import WebSearch
from desktop.settings.model import OwnEngine, SearchSettings
from tests.unit.search.serp_site import Answer, Site, serving

CORPUS = Path(__file__).parents[2] / "corpus" / "serp"
TAVILY = Answer(
    json.dumps(
        {
            "results": [
                {"title": f"T{n}", "url": f"https://t{n}.example/", "content": "S", "raw_content": "Text"}
                for n in range(5)
            ]
        }
    ),
    content_type="application/json",
)
BING, DUCK, GOOGLE = "/search", "/html/", "/search"


def corpus_page(name: str, **fields: object) -> Answer:
    return Answer((CORPUS / f"{name}.html").read_bytes(), **fields)


def led_on(request: httpx.Request) -> httpx.Response:
    """Answer as Baidu's own server does when it is asked where a link leads."""
    return httpx.Response(302, headers={"location": f"https://target.example/{request.url.params['url']}"})


class Trial:
    """A loopback web with a searcher; `run` gives the outcomes as (engine, status)."""

    def __init__(self, runner: asyncio.Runner, browser: Browser, site: Site) -> None:
        self._runner = runner
        self._browser = browser
        self.site = site
        self.secrets: dict[str, str] = {}
        self.settings = SearchSettings(
            engine_order=("duckduckgo", "bing"),
            result_count=3,
            engine_addresses=tuple(
                (engine, site.base)
                for engine in ("duckduckgo", "bing", "google", "tavily", "baidu", "mojeek")
            ),
        )

    def run(self, work: Callable, **options: float):
        """Run `work` with a fresh searcher."""

        async def run():
            elsewhere = httpx.MockTransport(led_on)
            async with httpx.AsyncClient(mounts={"http://www.baidu.com": elsewhere}) as client:
                return await work(
                    WebSearch(
                        self.settings,
                        browser=self._browser,
                        secret=self._secret,
                        client=client,
                        pace_s=0,
                        **options,
                    )
                )

        return self._runner.run(run())

    def search(self, *arguments: object, **options: float) -> tuple[SearchOutcome, ...]:
        """Search once."""
        return self.run(lambda web: web.search(*arguments), **options)

    async def _secret(self, name: str) -> str:
        return self.secrets.get(name, "")


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[asyncio.Runner, Browser]]:
    async def made() -> Browser:
        return Browser(BrowserOptions())

    with asyncio.Runner() as runner:
        browser = runner.run(made())
        runner.run(browser.start())
        yield runner, browser
        runner.run(browser.close())


@pytest.fixture
def trial(running) -> Iterator[Trial]:
    with serving(
        {DUCK: corpus_page("duckduckgo-results"), BING: corpus_page("bing-results"), "/search/": TAVILY}
    ) as site:
        yield Trial(*running, site)


def statuses(outcomes: tuple[SearchOutcome, ...]) -> list[tuple[str, str]]:
    return [(outcome.engine, outcome.status.value) for outcome in outcomes]


def test_the_first_engine_of_the_order_is_enough(trial):
    outcomes = trial.search("lantern moth")
    assert statuses(outcomes) == [("duckduckgo", "results")]
    assert trial.site.paths == [DUCK]
    first = outcomes[0].results[0]
    assert first.url == "https://orrin-fieldnotes.example/moths/lantern"
    assert first.snippet.startswith("The lantern moth flies")


def test_off_asks_nobody(trial):
    assert trial.search("lantern moth", WEB_OFF) == ()
    assert trial.site.requests == []


def test_a_named_engine_goes_first(trial):
    assert statuses(trial.search("lantern moth", "bing")) == [("bing", "results")]


def test_an_engine_that_is_chosen_is_the_only_one_asked(trial):
    trial.site.pages["/search"] = corpus_page("bing-cn-results")
    assert statuses(trial.search("lantern moth", "bing", 50)) == [("bing", "results")]
    trial.site.pages["/search"] = corpus_page("bing-captcha")
    assert statuses(trial.search("lantern moth", "bing", 50)) == [("bing", "blocked")]
    assert DUCK not in trial.site.paths


def test_a_chosen_engine_is_filled_up_where_that_is_switched_on(trial):
    trial.settings = replace(trial.settings, fills_up=True)
    assert statuses(trial.search("lantern moth", "bing", 50)) == [
        ("bing", "results"),
        ("duckduckgo", "results"),
    ]


def test_an_encyclopaedia_that_is_named_is_not_followed_by_searches_of_the_web(trial):
    trial.settings = replace(
        trial.settings,
        engine_addresses=(*trial.settings.engine_addresses, ("wikipedia", trial.site.base)),
        engine_order=("duckduckgo", "wikipedia"),
    )
    assert {engine for engine, _ in statuses(trial.search("lantern moth", "wikipedia"))} == {"wikipedia"}
    assert trial.site.paths != []
    assert DUCK not in trial.site.paths


def test_an_unknown_engine_is_an_error(trial):
    with pytest.raises(UnknownEngine, match="altavista"):
        trial.search("lantern moth", "altavista")


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (corpus_page("duckduckgo-captcha"), "blocked"),
        (corpus_page("duckduckgo-captcha", code=202), "blocked"),
        (corpus_page("duckduckgo-shell"), "blocked"),
        (corpus_page("duckduckgo-empty"), "nothing_found"),
        (corpus_page("unknown-changed"), "layout_changed"),
        (Answer("<h1>Slow down</h1>", code=429), "blocked"),
        (Answer("<h1>Go away</h1>", code=403), "blocked"),
        (Answer("<h1>Oops</h1>", code=500), "offline"),
        (Answer("", code=502), "offline"),
    ],
    ids=["captcha", "captcha-202", "scripts", "empty", "changed", "429", "403", "500", "502"],
)
def test_the_next_engine_takes_over_and_every_attempt_is_seen(trial, answer, status):
    trial.site.pages[DUCK] = answer
    # No rival is asked meanwhile: which of two comes first on a busy machine is another test's concern.
    outcomes = trial.search("lantern moth", hedge_s=60.0)
    assert statuses(outcomes) == [("duckduckgo", status), ("bing", "results")]
    assert "DuckDuckGo" in outcomes[0].error
    assert len(fuse(outcomes, 3)) == 3


def test_an_engine_that_cannot_be_reached_is_offline(trial):
    with serving() as gone:
        pass
    trial.settings = SearchSettings(
        engine_order=("duckduckgo", "bing"),
        result_count=3,
        engine_addresses=(("duckduckgo", gone.base), ("bing", trial.site.base)),
    )
    assert statuses(trial.search("lantern moth")) == [("duckduckgo", "offline"), ("bing", "results")]


RESTLESS = """<html><head><title>Search</title></head><body><noscript><meta http-equiv=refresh
content="0;url=/httpservice/retry/enablejs"></noscript><script>
setTimeout(() => location.replace("/search?q=moth&sei=" + Math.random()), 0)</script></body></html>"""
CHALLENGE = """<html><head><title>Search</title></head><body><p>One last step. Solve the challenge below.</p>
<script>self.place = "/cdn-cgi/challenge-platform"</script><script src="/never.js"></script></body></html>"""


@pytest.mark.parametrize("wait_s", [0, 0.4], ids=["at once", "late"])
def test_a_page_that_replaces_itself_again_and_again_is_told_as_what_it_is(trial, wait_s):
    page = RESTLESS.replace("0)</script>", f"{wait_s * 1000})</script>")
    trial.site.pages[GOOGLE] = Answer(page)
    outcome = trial.run(lambda web: web.test("google"))
    assert (outcome.status, outcome.obstacle) == (SearchStatus.BLOCKED, Obstacle.SCRIPT)
    assert outcome.can_be_shown
    assert "Page.content" not in outcome.error
    assert len(trial.site.requests) <= 5  # it is stopped: each of them costs time, here and there


def test_a_captcha_is_told_although_a_script_on_its_page_never_arrives(trial):
    trial.site.pages[BING] = Answer(CHALLENGE)
    trial.site.pages["/never.js"] = Answer("", is_held=True)
    outcome = trial.run(lambda web: web.test("bing"))
    assert (outcome.status, outcome.obstacle) == (SearchStatus.BLOCKED, Obstacle.CAPTCHA)
    assert outcome.can_be_shown


def test_a_page_that_leads_on_twice_is_followed(trial):
    trial.site.pages[GOOGLE] = Answer(RESTLESS.replace("/search?q=moth&sei=", "/second?"))
    trial.site.pages["/second"] = Answer(RESTLESS.replace("/search?q=moth&sei=", "/third?"))
    trial.site.pages["/third"] = corpus_page("google-results")
    assert trial.run(lambda web: web.test("google")).status is SearchStatus.RESULTS


def test_everything_failing_is_reported_engine_by_engine(trial):
    trial.site.pages[DUCK] = corpus_page("duckduckgo-captcha")
    trial.site.pages[BING] = corpus_page("bing-empty")
    outcomes = trial.search("lantern moth")
    assert statuses(outcomes) == [("duckduckgo", "blocked"), ("bing", "nothing_found")]
    assert all(outcome.error for outcome in outcomes)


def test_what_is_missing_is_filled_up_by_the_next_engine(trial):
    trial.site.pages[BING] = corpus_page("bing-cn-results")
    outcomes = trial.search("lantern moth", "auto", 6)
    assert statuses(outcomes) == [("duckduckgo", "results"), ("bing", "results")]
    assert len(fuse(outcomes, 6)) == 6


def test_an_engine_that_hangs_gets_a_rival(trial):
    trial.site.pages[DUCK] = corpus_page("duckduckgo-results", is_held=True)
    started = time.monotonic()
    outcomes = trial.search("lantern moth", hedge_s=0.2)
    assert statuses(outcomes) == [("bing", "results"), ("duckduckgo", "timed_out")]
    assert "too slow" in outcomes[1].error
    assert time.monotonic() - started < 40


def test_a_blocked_engine_is_left_alone_and_says_so(trial):
    trial.site.pages[DUCK] = corpus_page("duckduckgo-captcha")

    async def twice(web: WebSearch):
        await web.search("lantern moth")
        trial.site.requests.clear()
        return await web.search("lantern moth"), await web.health()

    outcomes, health = trial.run(twice)
    assert statuses(outcomes) == [("duckduckgo", "blocked"), ("bing", "results")]
    assert "is paused for" in outcomes[0].error
    assert trial.site.paths == [BING]
    duck = next(item for item in health if item.engine == "duckduckgo")
    assert (duck.last, duck.failures) == (SearchStatus.BLOCKED, 1)
    assert 50 < duck.paused_s <= 60


def test_an_engine_left_alone_is_asked_when_there_is_no_other(trial):
    trial.settings = SearchSettings(
        engine_order=("duckduckgo",), engine_addresses=(("duckduckgo", trial.site.base),), result_count=3
    )
    trial.site.pages[DUCK] = corpus_page("duckduckgo-captcha")

    async def twice(web: WebSearch):
        await web.search("lantern moth")
        trial.site.pages[DUCK] = corpus_page("duckduckgo-results")
        return await web.search("lantern moth")

    assert statuses(trial.run(twice)) == [("duckduckgo", "results")]


def test_an_engine_left_alone_is_asked_when_all_others_fail(trial):
    trial.site.pages[DUCK] = corpus_page("duckduckgo-captcha")

    async def twice(web: WebSearch):
        await web.search("lantern moth")
        trial.site.pages[DUCK] = corpus_page("duckduckgo-results")
        trial.site.pages[BING] = Answer("<h1>Oops</h1>", code=500)
        return await web.search("lantern moth")

    assert statuses(trial.run(twice)) == [("bing", "offline"), ("duckduckgo", "results")]


def test_engines_that_never_answer_are_waited_for_together_and_not_for_long(trial):
    held = corpus_page("duckduckgo-results", is_held=True)
    trial.site.pages.update({DUCK: held, BING: held})
    trial.settings = replace(trial.settings, engine_order=("duckduckgo", "bing", "mojeek"))
    outcomes = trial.search("lantern moth", hedge_s=0.1, total_s=2.0)
    assert sorted(statuses(outcomes)) == [
        (engine, "timed_out") for engine in ("bing", "duckduckgo", "mojeek")
    ]
    assert all("within 2 s" in outcome.error for outcome in outcomes)
    assert len(trial.site.requests) == 3  # side by side: each would have taken 12 s


def test_a_corrected_key_is_used_at_once(trial):
    trial.secrets["search/tavily"] = "wrong"
    refused = Answer('{"detail":{"error":"no"}}', code=401, content_type="application/json")
    trial.site.pages["/search"] = refused

    async def corrected(web: WebSearch):
        await web.search("lantern moth", "tavily")
        (before,) = (item for item in await web.health() if item.engine == "tavily")
        assert before.paused_s > 0
        trial.secrets["search/tavily"] = "right"
        (after,) = (item for item in await web.health() if item.engine == "tavily")
        assert (after.paused_s, after.last) == (0, None)
        trial.site.pages["/search"] = TAVILY
        return await web.search("lantern moth")

    assert statuses(trial.run(corrected)) == [("tavily", "results")]


def test_a_corrected_address_is_used_at_once(trial):
    with serving() as gone:
        pass
    right = trial.settings.engine_addresses
    wrong = (("duckduckgo", gone.base), ("bing", trial.site.base))

    async def corrected(web: WebSearch):
        web.settings = replace(trial.settings, engine_addresses=wrong)
        for _ in range(3):
            await web.search("lantern moth")
        web.settings = replace(trial.settings, engine_addresses=right)
        return await web.search("lantern moth")

    assert statuses(trial.run(corrected)) == [("duckduckgo", "results")]


def test_a_forgiven_engine_is_asked_again(trial):
    trial.site.pages[DUCK] = corpus_page("duckduckgo-captcha")

    async def twice(web: WebSearch):
        await web.search("lantern moth")
        trial.site.pages[DUCK] = corpus_page("duckduckgo-results")
        web.forgive("duckduckgo")
        return await web.search("lantern moth")

    assert statuses(trial.run(twice)) == [("duckduckgo", "results")]


def test_cookies_are_refused_where_an_engine_asks(trial):
    page = (
        (CORPUS / "google-consent.html")
        .read_text("utf-8")
        .replace("https://consent.google.com/save", "/save")
    )
    trial.site.pages[GOOGLE] = Answer(page.replace('method="POST"', ""))
    trial.site.pages["/save"] = corpus_page("google-results")
    assert statuses(trial.search("lantern moth", "google")) == [("google", "results")]
    assert "/save" in trial.site.paths


def test_opaque_links_are_resolved(trial):
    page = (CORPUS / "baidu-opaque-results.html").read_text("utf-8")
    trial.site.pages["/s"] = Answer(page)
    outcomes = trial.search("灯笼蛾", "baidu")
    assert statuses(outcomes)[0] == ("baidu", "results")
    assert [result.url for result in outcomes[0].results] == [
        f"https://target.example/opaque{n}" for n in range(1, 5)
    ]


def test_tavily_is_preferred_once_it_has_a_key(trial):
    trial.site.pages["/search"] = TAVILY
    assert statuses(trial.search("lantern moth"))[0][0] == "duckduckgo"
    trial.secrets["search/tavily"] = "key"
    outcomes = trial.search("lantern moth")
    assert statuses(outcomes) == [("tavily", "results")]
    assert outcomes[0].results[0].text == "Text"


def test_a_refused_key_is_said_and_the_local_engines_take_over(trial):
    trial.secrets["search/tavily"] = "key"
    trial.site.pages["/search"] = Answer(
        '{"detail":{"error":"no"}}', code=401, content_type="application/json"
    )
    outcomes = trial.search("lantern moth")
    assert statuses(outcomes) == [("tavily", "blocked"), ("duckduckgo", "results")]
    assert "did not accept the API key" in outcomes[0].error


def test_an_engine_by_its_address_is_read_by_its_structure(trial):
    trial.site.pages["/find"] = corpus_page("unknown-results")
    engine = f"{trial.site.base}/find?query=%s"
    outcomes = trial.search("灯笼蛾", engine)
    assert statuses(outcomes) == [(engine, "results")]
    assert parse_qs(urlsplit(trial.site.requests[0][0]).query)["query"] == ["灯笼蛾"]


@pytest.mark.parametrize("query", ["", "  \n\t", "\x00\x07"])
def test_nothing_is_not_searched_for(trial, query):
    (outcome,) = trial.search(query)
    assert outcome.status is SearchStatus.NOTHING_FOUND
    assert trial.site.requests == []


def test_monstrous_queries_are_bounded(trial):
    trial.search("mo\x00th\r\n" + "x" * 10_000_000)
    sent = parse_qs(urlsplit(trial.site.requests[0][0]).query)["q"][0]
    assert sent.startswith("mo th x")
    assert len(sent) <= 500


def test_the_persons_language_and_region_are_asked_for(trial):
    trial.search("moth", "bing", 3, SearchOptions("zh-CN", "CN"))
    assert parse_qs(urlsplit(trial.site.requests[0][0]).query)["cc"] == ["CN"]


def test_cancelling_stops_the_search_and_closes_its_page(trial, running):
    trial.site.pages[DUCK] = corpus_page("duckduckgo-results", is_held=True)

    async def cancelled(web: WebSearch) -> None:
        task = asyncio.create_task(web.search("lantern moth"))
        assert await asyncio.to_thread(trial.site.arrived.wait, 30)
        before = running[1].open_pages
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert task.cancelled()
        assert running[1].open_pages == before - 1

    trial.run(cancelled)


def test_engines_are_listed_with_what_they_need(trial):
    trial.secrets["search/exa"] = "key"
    trial.settings = SearchSettings(engine_order=("bing", "https://find.example/?q=%s"))
    infos = trial.run(lambda web: web.engines())
    assert [info.id for info in infos[:2]] == ["bing", "https://find.example/?q=%s"]
    by_id = {info.id: info for info in infos}
    assert (by_id["exa"].needs_key, by_id["exa"].is_ready) == (True, True)
    assert (by_id["tavily"].needs_key, by_id["tavily"].is_ready) == (True, False)
    assert (by_id["searxng"].needs_key, by_id["searxng"].is_ready) == (False, False)
    assert by_id["wikipedia"].is_ready


def test_one_engine_can_be_tested_alone(trial):
    outcome = trial.run(lambda web: web.test("bing"))
    assert (outcome.engine, outcome.status) == ("bing", SearchStatus.RESULTS)
    with pytest.raises(UnknownEngine):
        trial.run(lambda web: web.test("altavista"))


def test_an_engine_that_is_slower_than_usual_gets_a_rival_sooner(trial):
    async def twice(web: WebSearch):
        await web.search("lantern moth")
        trial.site.pages[DUCK] = corpus_page("duckduckgo-results", is_held=True)
        return await web.search("lantern moth")

    outcomes = trial.run(twice, hedge_s=60.0)
    assert statuses(outcomes) == [("bing", "results"), ("duckduckgo", "timed_out")]


def test_wishes_of_the_settings_reach_the_engine(trial):
    trial.settings = replace(
        trial.settings, time_range="week", safe_search="strict", region="DE", language="de"
    )
    trial.search("lantern moth")
    sent = parse_qs(urlsplit(trial.site.requests[0][0]).query)
    assert (sent["df"], sent["kp"], sent["kl"]) == (["w"], ["1"], ["de-de"])


def test_an_engine_of_ones_own_has_its_name(trial):
    trial.site.pages["/find"] = corpus_page("unknown-changed")
    address = f"{trial.site.base}/find?query=%s"
    trial.settings = replace(
        trial.settings, own_engines=(OwnEngine("My library", address),), engine_order=(address,)
    )
    (outcome,) = trial.search("lantern moth")
    assert outcome.error.startswith("No results were found on the page of My library")
    assert "changed" not in outcome.error
    assert trial.run(lambda web: web.engines())[0].name == "My library"


def test_an_api_has_no_page_to_be_shown(trial):
    with pytest.raises(UnknownEngine):
        trial.run(lambda web: web.show("tavily"))
