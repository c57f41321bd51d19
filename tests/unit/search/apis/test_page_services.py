"""Services that read pages: what they are asked and what is made of their answers."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.search.apis import PAGE_SERVICES
from tests.cases import cases

URL = "https://a.example/story"
ANSWERS = {
    "tavily": {
        "results": [{"url": URL, "raw_content": "The moth flies.", "images": []}],
        "failed_results": [],
        "response_time": 0.02,
    },
    "jina": {
        "code": 200,
        "status": 20000,
        "data": {"title": "Moths", "url": URL, "content": "The moth flies.", "publishedTime": "2024-05-01"},
    },
}
FAILURES = [
    {"results": [], "failed_results": [{"url": URL, "error": "Failed to fetch url"}]},
    {"code": 422, "data": None, "name": "ParamValidationError"},
    {"data": []},
    {},
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["data", "results", "url"]), inner),
)


def test_every_service_has_an_answer_here():
    assert set(ANSWERS) == set(PAGE_SERVICES)


@cases("name", PAGE_SERVICES)
def test_a_page_is_read(name):
    page = PAGE_SERVICES[name].read(ANSWERS[name])
    assert (page.url, page.text) == (URL, "The moth flies.")


@cases("name", PAGE_SERVICES)
@cases("answer", FAILURES)
def test_a_page_that_was_not_read_is_none(name, answer):
    assert PAGE_SERVICES[name].read(answer) is None


@pytest.mark.parametrize("name", PAGE_SERVICES)
@given(answer=JSON)
def test_no_json_makes_the_reader_fail(name, answer):
    page = PAGE_SERVICES[name].read(answer)
    assert page is None or page.url.startswith("http")


@cases("name", PAGE_SERVICES)
def test_address_and_key_are_sent_and_the_key_never_in_the_address(name):
    service = PAGE_SERVICES[name]
    request = service.request(URL, "my-key")
    assert URL in json.dumps(request.body)
    assert "Bearer my-key" in request.headers.values()
    assert "my-key" not in service.base + request.path + json.dumps(dict(request.parameters))


def test_a_service_without_a_key_sends_none():
    assert "Authorization" not in PAGE_SERVICES["jina"].request(URL, "").headers
