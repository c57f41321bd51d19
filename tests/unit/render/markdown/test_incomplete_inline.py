"""What a page shows between two letters: no raw marks, nothing that goes again, nothing closed that changes."""

from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.render import StreamRenderer
from tests.cases import cases
from tests.unit.render.page_model import PageModel
from tests.unit.render.test_message import SOURCES

RAW = frozenset("*_`~[]()$【】［］\\<>!#|+")

_WORDS = st.lists(st.sampled_from(["heat", "pump", "é", "热泵", "x"]), min_size=1, max_size=3).map(" ".join)
_SHAPES = st.sampled_from(
    [
        "{}", "{},", "**{}**", "*{}*", "__{}__", "_{}_", "***{}***", "~~{}~~", "`{}`", "``{}``", "**`{}`**", "*a **{}***",
        "[{}](https://a.example/b_c)", "[**{}**](https://a.example 'title')", "![{}](https://a.example/p.png)", "$x^2$",
        "\\(x_1\\)", "<https://a.example/b>", "[1]", "[1][2]", "[1, 3-4]", "【2】", "［3］", "[^4]",
    ]
)  # fmt: skip
_SPANS = st.builds(str.format, _SHAPES, _WORDS)
_LINES = st.lists(_SPANS, min_size=1, max_size=4).map(lambda spans: "a " + " ".join(spans) + " b")
_BLOCKS = st.builds(
    str.format,
    st.sampled_from(
        [
            "{}", "## {}", "> {}", "- {}", "1. {}", "- [ ] {}", "- a\n  - {}", "> - {}", "a\n{}",
            "| a | b |\n| - | :-: |\n| c | {} |", "```text\nc\n```\n\n{}", "$$\nx\n$$\n\n{}",
        ]
    ),
    _LINES,
)  # fmt: skip
_ANSWERS = st.lists(_BLOCKS, min_size=1, max_size=3).map("\n\n".join)


def pages(text):
    """The page after each letter, and in the end."""
    renderer, page = StreamRenderer(SOURCES), PageModel()
    for letter in text:
        page.apply(renderer.feed(letter))
        yield page
    page.apply(renderer.finish())
    yield page


@settings(max_examples=40)
@given(_ANSWERS)
def test_no_mark_is_seen_before_it_means_something(answer):
    for page in pages(answer):
        shown = page.root.text_content()
        assert RAW.isdisjoint(shown), shown


@settings(max_examples=40)
@given(_ANSWERS)
def test_nothing_that_was_seen_goes_or_moves(answer):
    last = ""
    for page in pages(answer):
        shown = "".join(page.root.text_content().split())
        assert shown.startswith(last)
        last = shown


@cases(
    "typed, shown",
    [
        ("so **bo", "so <strong>bo</strong>"),
        ("so *bo", "so <em>bo</em>"),
        ("so ***bo", "so <em><strong>bo</strong></em>"),
        ("so ~~bo", "so <del>bo</del>"),
        ("so `co", "so <code>co</code>"),
        ("so ``c`o", "so <code>c`o</code>"),
        ("so **a `co", "so <strong>a <code>co</code></strong>"),
        ("so [1", "so"),
        ("so [1, 3-", "so"),
        ("so 【2", "so"),
        ("so [^4", "so"),
        ("so [wo", "so wo"),
        ("so [word](https://a.exam", "so word"),
        ("so ![na", "so"),
        ("so $x", "so"),
        ("so \\(x", "so"),
        ("so <https://a", "so"),
        ("so &am", "so"),
        ("so *", "so"),
        ("so !", "so"),
        ("so $5 and", "so $5 and"),
        ("so 30$", "so 30"),
        ("so 30$, or", "so 30$, or"),
        ("so 2$x", "so 2"),
        ("so ~bo", "so <del>bo</del>"),
        ("so ~5 or 6~7", "so ~5 or 6~7"),
        ("so (~$5 or", "so (~$5 or"),
        ("so 3 * 4", "so 3 * 4"),
        ("so a < b", "so a &lt; b"),
        ("so & then", "so &amp; then"),
    ],
)
def test_what_is_half_typed_is_shown_as_what_it_will_be_or_waits(typed, shown):
    renderer, page = StreamRenderer(SOURCES), PageModel()
    for letter in typed:
        page.apply(renderer.feed(letter))
    assert page.html == f"<main><p>{shown}</p></main>"


@cases(
    "typed", ["#", "##", "-", "- ", "1", "1.", ">", "`", "``", "```", "```py", "|", "| a", "| a | b |", "$$", "\\[", "[a]: ht"]
)  # fmt: skip
def test_the_beginning_of_a_block_waits_until_it_is_known_what_it_begins(typed):
    renderer, page = StreamRenderer(SOURCES), PageModel()
    for letter in typed:
        page.apply(renderer.feed(letter))
    assert page.root.text_content() == ""


def test_what_was_held_back_is_shown_when_nothing_follows():
    renderer, page = StreamRenderer(SOURCES), PageModel()
    page.apply(renderer.feed("Good!"))
    page.apply(renderer.finish())
    assert page.html == "<main><p>Good!</p></main>"
