"""JSON of search services: wrong types count as missing, and markup never reaches a person."""

from hypothesis import given
from hypothesis import strategies as st

from desktop.search.apis.model import plain, results
from tests.cases import cases

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "url", "title"]), inner)
    ),
    max_leaves=12,
)


@cases(
    "words, shown",
    [
        ("the <strong>light</strong>house", "the lighthouse"),
        ("Tom &amp; Jerry", "Tom & Jerry"),
        ("1 &lt; 2", "1 < 2"),
        ("<b>灯塔</b>的历史", "灯塔的历史"),
        ("https://example.org/a", "https://example.org/a"),
        ("", ""),
    ],
)
def test_a_person_reads_words_and_no_markup(words, shown):
    assert plain(words) == shown


def test_title_and_snippet_of_a_result_are_plain():
    row = {"url": "https://example.org", "title": "<b>A</b> &amp; B", "text": "see <em>this</em>"}
    (result,) = results({"rows": [row]}, "rows", snippet=("text",))
    assert (result.title, result.snippet) == ("A & B", "see this")


@given(JSON)
def test_no_json_makes_the_reader_fail(payload):
    for result in results(payload, "a", snippet=("title",)):
        assert result.url.startswith("http")
