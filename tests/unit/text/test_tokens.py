"""Token estimates stay near what real tokenizers count."""

from hypothesis import given
from hypothesis import strategies as st

from desktop.text.tokens import estimate_tokens, take_within_budget, within_tokens
from tests.cases import cases


@cases(
    "text, low, high",
    [
        ("This is a simple sentence, with punctuation.", 8, 12),
        ("internationalization of antidisestablishmentarianism", 6, 12),
        ("这是一个测试。", 4, 7),
        ("def f(x):\n    return x + 1\n", 9, 14),
        ("", 0, 0),
    ],
)
def test_estimates_are_near(text, low, high):
    assert low <= estimate_tokens(text) <= high


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(left, right):
    assert estimate_tokens(f"{left} {right}") >= max(estimate_tokens(left), estimate_tokens(right))


@given(st.text(max_size=80), st.integers(0, 40))
def test_a_beginning_that_fits_is_as_long_as_it_can_be(text, limit):
    kept = within_tokens(text, limit)
    assert text.startswith(kept)
    assert estimate_tokens(kept) <= limit
    if kept != text:
        longer = text[: len(kept) + 1]
        assert estimate_tokens(longer) > limit


@cases(
    "budget, least, skips, taken",
    [
        (0, 0, False, ""),
        (5, 0, False, "ab"),
        (6, 0, False, "abc"),
        (3, 0, False, "a"),
        (3, 0, True, "ac"),
        (1, 1, False, "a"),
        (1, 2, True, "ab"),
        (99, 0, False, "abcd"),
    ],
)
def test_the_first_items_that_fit_are_taken(budget, least, skips, taken):
    costs = {"a": 2, "b": 3, "c": 1, "d": 1}
    assert "".join(take_within_budget("abcd", costs.__getitem__, budget, least=least, skips=skips)) == taken
