"""Unwanted results are left out and counted; lists come from their servers, are kept, and never hold a search up."""

import asyncio
from contextlib import aclosing
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.search import SearchOutcome, SearchResult, SearchStatus
from desktop.search import site_filter
from desktop.search.fetcher import Fetcher
from desktop.search.site_filter import AGE_S, RETRY_S, BlockLists, SiteFilter, rules_of
from desktop.search.ssrf_guard import SsrfGuard
from desktop.settings.model import SearchSettings
from tests.cases import cases
from tests.unit.search.page_server import PageServer, send_head


@cases(
    "rule, named, others",
    [
        ("example.com", ["https://example.com/a", "http://www.example.com"], ["https://notexample.com/", "https://example.com.evil.org/"]),
        ("*.example.com", ["https://a.b.example.com/", "https://example.com/"], ["https://example.org/"]),
        ("*://*.example.com/*", ["https://www.example.com/a?b", "http://example.com/"], ["https://badexample.com/"]),
        ("*://example.com/*", ["https://example.com/a"], ["https://www.example.com/"]),
        ("https://example.com/shop/*", ["https://example.com/shop/1"], ["http://example.com/shop/1", "https://example.com/"]),
        ("example.com/shop", ["https://example.com/shop/1", "https://a.example.com/shopping"], ["https://example.com/news"]),
        ("*shop*.example", ["https://bestshop24.example/", "https://www.shops.example/x"], ["https://example/", "https://news.example/"]),
        ("/example\\.(net|org)\\/a/", ["https://www.example.org/a"], ["https://example.com/a", "https://example.org/b"]),
        ("/EXAMPLE/i", ["https://example.org/"], []),
        ("0.0.0.0 ads.example.com tracker.example # comment", ["https://ads.example.com/x", "https://a.tracker.example/"], ["https://example.com/"]),
        ("127.0.0.1\tads.example.com", ["https://ads.example.com/"], ["http://127.0.0.1/"]),
        ("||example.com^", ["https://www.example.com/"], ["https://example.net/"]),
        ("例子.中国", ["https://xn--fsqu00a.xn--fiqs8s/"], ["https://example.com/"]),
        ("EXAMPLE.com", ["https://example.com/"], []),
    ],
)  # fmt: skip
def test_a_rule_names_its_sites_and_no_others(rule, named, others):
    rules = rules_of([rule])
    assert [url for url in named if not rules.matches(url)] == []
    assert [url for url in others if rules.matches(url)] == []


def test_an_exception_takes_a_site_back():
    rules = rules_of(["*.example.com", "@@*://good.example.com/*"])
    assert rules.matches("https://bad.example.com/")
    assert not rules.matches("https://good.example.com/a")


def test_comments_and_front_matter_are_no_rules():
    rules = rules_of(
        ["---", "name: sites", "example.org: x", "---", "# example.net", "! a", "", "example.com"]
    )
    assert (rules.count, rules.unread) == (1, 0)


def test_own_names_in_a_hosts_file_are_no_sites():
    assert rules_of(["127.0.0.1 localhost", "0.0.0.0 0.0.0.0", "::1 localhost"]).hosts == frozenset()


def test_what_is_not_understood_is_counted():
    assert rules_of(["/(unclosed/", "title/casino/", "a b c", "x" * 5000]).unread == 4


@cases(
    "rule",
    ["/(a+)+$/", "/(a|a)*b/", "/^(([a-z])+.)+[A-Z]([a-z])+$/", "/(.*)*\\1z/", "*a*a*a*a*a*a*a*a*a*b"],
)
def test_no_rule_is_endless(rule):
    rules = rules_of([rule])
    for letters in (2_000, 20_000, 2_000):
        assert not rules.matches("https://example.com/" + "a" * letters + "!")


def test_a_long_address_is_judged_whole():
    address = "https://example.com/" + "a" * 3_000
    assert not rules_of(["/a$/"]).matches(f"{address}!")
    assert rules_of(["/!$/"]).matches(f"{address}!")
    assert rules_of(["example.com/*!"]).matches(f"{address}!")


def test_an_endless_rule_hides_nothing_and_is_said(tmp_path):
    found = replace(FOUND, results=(SearchResult("a", "https://good.example/" + "a" * 20_000 + "!"),))
    settings = SearchSettings(exclude_sites=("/(a+)+$/",))
    outcome, _ = filter_outcome(tmp_path, settings, times=2, found=found)
    assert hosts(outcome) == ["a"]
    assert outcome.notes == ("1 rule of your lists took too long and is not used.",)


@given(st.lists(st.text(max_size=40)), st.text(max_size=80))
def test_any_lines_and_any_address_are_judged(lines, url):
    assert rules_of(lines).matches(url) in {True, False}


@given(st.from_regex(r"\A[a-z]{1,8}(\.[a-z]{1,8}){1,3}\Z"))
def test_a_host_names_itself_and_what_is_below_it(host):
    rules = rules_of([host])
    assert rules.matches(f"https://{host}/x")
    assert rules.matches(f"http://www.{host}:8080/")
    assert not rules.matches(f"https://{host}x.example/")


FOUND = SearchOutcome(
    SearchStatus.RESULTS,
    "bing",
    "moth",
    tuple(
        SearchResult(host, f"https://{host}/a") for host in ("good.example", "ads.example", "shop.example")
    ),
)


def filter_outcome(tmp_path, settings, prepare=lambda server: (), clock=lambda: 1e9, *, times=1, found=FOUND):
    """Return the outcome after sifting, and the server of the lists."""

    async def run():
        async with (
            PageServer() as server,
            Fetcher(SsrfGuard(("127.0.0.1",))) as fetcher,
            aclosing(BlockLists(tmp_path, fetcher.fetch, clock)) as lists,
        ):
            chosen = replace(settings, block_lists=tuple(prepare(server)))
            for _ in range(times):
                outcome = await SiteFilter(lambda: chosen, lists).filter_outcome(found)
            return outcome, server

    return asyncio.run(run())


def hosts(outcome: SearchOutcome) -> list[str]:
    return [result.title for result in outcome.results]


def test_without_lists_nothing_is_left_out(tmp_path):
    assert filter_outcome(tmp_path, SearchSettings())[0] == FOUND


def test_sites_of_the_persons_own_lists_are_left_out_and_counted(tmp_path):
    outcome, _ = filter_outcome(tmp_path, SearchSettings(exclude_sites=("ads.example", "/shop/")))
    assert hosts(outcome) == ["good.example"]
    assert outcome.notes == ("2 results hidden by your lists.",)


def test_with_sites_to_include_all_others_are_left_out(tmp_path):
    settings = SearchSettings(include_sites=("*.example",), exclude_sites=("shop.example",))
    assert hosts(filter_outcome(tmp_path, settings)[0]) == ["good.example", "ads.example"]
    assert hosts(filter_outcome(tmp_path, SearchSettings(include_sites=("good.example",)))[0]) == [
        "good.example"
    ]


def test_when_all_are_left_out_it_is_said_and_nothing_was_found(tmp_path):
    outcome, _ = filter_outcome(tmp_path, SearchSettings(exclude_sites=("*.example",)))
    assert outcome.status is SearchStatus.NOTHING_FOUND
    assert "3" in outcome.error
    assert not outcome.results


def test_a_subscribed_list_is_fetched_once(tmp_path):
    outcome, server = filter_outcome(
        tmp_path, SearchSettings(), lambda site: [site.page("/list.txt", "0.0.0.0 ads.example\n")], times=3
    )
    assert hosts(outcome) == ["good.example", "shop.example"]
    assert len(server.requests) == 1


@cases(
    "body, status, words",
    [
        ("<html>hello</html>", 200, "not a list of sites"),
        ("", 404, "error (404)"),
        ("", 200, "not a list of sites"),
    ],
)
def test_a_list_that_cannot_be_had_is_said_and_harms_nothing(tmp_path, body, status, words):
    outcome, _ = filter_outcome(
        tmp_path, SearchSettings(), lambda site: [site.page("/list.txt", body, status)]
    )
    assert hosts(outcome) == hosts(FOUND)
    assert words in outcome.notes[0]


def test_a_list_of_the_own_network_is_refused(tmp_path):
    outcome, _ = filter_outcome(tmp_path, SearchSettings(), lambda site: ["http://10.0.0.1/list.txt"])
    assert "private network" in outcome.notes[0]


def test_a_slow_list_does_not_hold_a_search_up(tmp_path, monkeypatch):
    monkeypatch.setattr(site_filter, "PATIENCE_S", 0.1)

    async def silent(_request, writer):
        send_head(writer, 200, {})
        await asyncio.sleep(60)

    outcome, _ = filter_outcome(tmp_path, SearchSettings(), lambda site: [site.on("/list.txt", silent)])
    assert hosts(outcome) == hosts(FOUND)


def test_a_list_survives_the_program_and_is_asked_for_changes_after_a_day(tmp_path):
    now = [1e9]

    async def run():
        seen = []
        async with PageServer() as server, Fetcher(SsrfGuard(("127.0.0.1",))) as fetcher:
            url = server.page("/list.txt", "ads.example", ETag='"v1"')

            async def once():
                async with aclosing(BlockLists(tmp_path, fetcher.fetch, lambda: now[0])) as lists:
                    (known,) = await lists.lists([url])
                    await asyncio.gather(*lists._fetching.values())
                    return known.rules.matches("https://ads.example/"), len(server.requests)

            seen.append(await once())
            seen.append(await once())
            now[0] += AGE_S + 1
            server.page("/list.txt", "", 304)
            seen.append(await once())
            seen.append(await once())
            return seen, server.requests[-1].headers.get("if-none-match")

    seen, validator = asyncio.run(run())
    assert seen == [(True, 1), (True, 1), (True, 2), (True, 2)]
    assert validator == '"v1"'


def test_a_list_that_failed_is_not_tried_at_every_search(tmp_path):
    now = [1e9]
    counts = []

    async def run():
        async with (
            PageServer() as server,
            Fetcher(SsrfGuard(("127.0.0.1",))) as fetcher,
            aclosing(BlockLists(tmp_path, fetcher.fetch, lambda: now[0])) as lists,
        ):
            url = server.url("/none.txt")
            for wait_s in (0, 60, RETRY_S):
                now[0] += wait_s
                await lists.lists([url])
                counts.append(len(server.requests))

    asyncio.run(run())
    assert counts == [1, 1, 2]


def test_a_list_with_a_copy_keeps_working_while_its_server_is_down(tmp_path):
    now = [1e9]

    async def run():
        async with (
            PageServer() as server,
            Fetcher(SsrfGuard(("127.0.0.1",))) as fetcher,
            aclosing(BlockLists(tmp_path, fetcher.fetch, lambda: now[0])) as lists,
        ):
            url = server.page("/list.txt", "ads.example")
            await lists.fetch_now(url)
            server.page("/list.txt", "", 500)
            return await lists.fetch_now(url)

    known = asyncio.run(run())
    assert known.rules.matches("https://ads.example/")
    assert "downloaded earlier" in known.error
