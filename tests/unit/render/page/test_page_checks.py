"""What reading a cited page again showed is said in the language of the window."""

from datetime import UTC, datetime
from itertools import product

from desktop.domain.sources import PageCheck, PageState
from desktop.phrases import english_text, localize
from desktop.render.page_checks import describe_page_check
from tests.cases import cases


@cases("state, detail", product(PageState, ("", "404 Not Found")))
def test_a_result_is_translated_with_and_without_a_reason(state, detail):
    check = PageCheck(state, datetime(2026, 1, 1, tzinfo=UTC), "https://a.example/", detail=detail)
    told = describe_page_check(check)
    assert localize(told, "zh_CN") != english_text(told)
