"""What reading a cited page again showed is said in the language of the window."""

from datetime import UTC, datetime
from itertools import product

from desktop.domain.sources import PageCheck, PageState
from desktop.phrases import english_text, localize
from desktop.render.page_checks import check_of_words, describe_page_check
from tests.cases import cases


@cases("state, detail", product(PageState, ("", "404 Not Found")))
def test_a_result_is_translated_with_and_without_a_reason(state, detail):
    check = PageCheck(state, datetime(2026, 1, 1, tzinfo=UTC), "https://a.example/", detail=detail)
    told = describe_page_check(check)
    assert localize(told, "zh_CN") != english_text(told)


@cases(
    "removed, words, has_passage",
    [
        (("The tower is 80 m high. It is red.",), "It is  red", False),
        (("The tower is 80 m high. It is red.",), "It was built in 1873.", True),
        (("灯塔高八十米。塔身为红色。",), "塔身为红色。", False),
        (("灯塔高八十米。塔身为红色。",), "建于1873年。", True),
        ((), "It was built in 1873.", False),  # of an earlier version, or too long
        (("",), "It was built in 1873.", False),  # something was added
        (("It is red.",), "", False),
    ],
)
def test_a_change_holds_for_the_words_that_it_takes_out(removed, words, has_passage):
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    check = PageCheck(PageState.CHANGED, moment, changes=1, has_passage=False, removed=removed)
    assert check_of_words(check, words).has_passage is has_passage
