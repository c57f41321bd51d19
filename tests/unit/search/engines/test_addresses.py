"""Addresses of result pages: language, region, time and page go into the engine's own parameters."""

from urllib.parse import parse_qs, urlsplit

import pytest

from desktop.errors import AppError
from desktop.search.engines import ENGINES, engine_for, is_template
from desktop.search.engines.model import SearchOptions
from tests.cases import cases

QUERY = '灯笼蛾 & "lantern moth" site:example.org #1 100%'
EVERYTHING = SearchOptions(language="zh-CN", region="CN", count=20, page=3, time_range="week", safe="strict")


def parameters(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


@cases("engine", ENGINES.values(), ids=ENGINES)
def test_the_query_stays_as_it_is(engine):
    for options in (SearchOptions(), EVERYTHING):
        sent = parameters(engine.search_url(QUERY, options)).values()
        assert (f"site:{engine.site} {QUERY}" if engine.site else QUERY) in sent


@cases("engine", ENGINES.values(), ids=ENGINES)
def test_without_wishes_an_address_has_little_but_the_query(engine):
    assert len(parameters(engine.search_url("moth"))) <= 3


@cases("engine", ENGINES.values(), ids=ENGINES)
def test_another_page_and_another_time_are_other_addresses(engine):
    plain = engine.search_url("moth")
    assert engine.search_url("moth", SearchOptions(page=2)) != plain
    assert engine.search_url("moth", SearchOptions(time_range="week")) != plain


@cases("engine", ENGINES.values(), ids=ENGINES)
def test_a_base_replaces_only_the_origin(engine):
    there, here = (
        urlsplit(engine.search_url("moth")),
        urlsplit(engine.search_url("moth", base="http://127.0.0.1:8080")),
    )
    assert (here.scheme, here.netloc) == ("http", "127.0.0.1:8080")
    assert (here.path, here.query) == (there.path, there.query)


@cases(
    "engine, options, expected",
    [
        ("bing", SearchOptions("zh-CN", "CN"), {"setlang": "zh-hans", "cc": "CN"}),
        ("bing", SearchOptions("zh", "TW", page=2), {"setlang": "zh-hant", "cc": "TW", "first": "11"}),
        ("bing", SearchOptions("en-GB"), {"setlang": "en", "cc": "GB"}),
        ("duckduckgo", SearchOptions("en", "GB", time_range="day"), {"kl": "uk-en", "df": "d"}),
        ("duckduckgo", SearchOptions("zh-TW"), {"kl": "tw-tzh"}),
        ("google", SearchOptions("de-DE", count=30), {"hl": "de-DE", "gl": "de", "num": "30"}),
        ("google", SearchOptions(time_range="month", safe="off"), {"tbs": "qdr:m", "safe": "off"}),
        ("brave", SearchOptions(region="FR", page=2), {"country": "fr", "offset": "1"}),
        ("baidu", SearchOptions(page=2), {"pn": "10"}),
    ],
)
def test_wishes_go_into_the_engines_own_parameters(engine, options, expected):
    found = parameters(ENGINES[engine].search_url("moth", options))
    assert expected.items() <= found.items()
    assert found.keys() - expected.keys() <= {"q", "wd", "source", "ie", "cc", "setlang", "kl"}


def test_a_year_on_bing_is_counted_in_days():
    span = parameters(ENGINES["bing"].search_url("moth", SearchOptions(time_range="year")))["filters"]
    first, last = span.removeprefix('ex1:"ez5_').removesuffix('"').split("_")
    assert int(last) - int(first) == 365


def test_a_template_gets_the_query_in_its_place():
    engine = engine_for("https://find.example/s?lang=en&q=%s")
    assert engine.search_url("a b&c") == "https://find.example/s?lang=en&q=a+b%26c"
    assert engine.search_url("a", base="http://127.0.0.1:1") == "http://127.0.0.1:1/s?lang=en&q=a"
    assert (engine.name, engine.home) == ("find.example", "https://find.example/")


@cases("text", ["file:///etc/%s", "javascript:%s", "find.example/%s", "https://find.example/"])
def test_only_web_addresses_with_a_place_for_the_query_are_templates(text):
    assert not is_template(text)


def test_an_unknown_engine_is_no_error():
    try:
        assert engine_for("nobody").layouts == ()
    except AppError:
        pytest.fail("unknown engines are read by their structure")
