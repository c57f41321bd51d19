from hypothesis import given
from hypothesis import strategies as st

from desktop.text.comparison import locate, utf16_offset
from tests.cases import cases

PAGE = (
    "Page 3 of 9\r\nThe eﬃcient of-\r\nfice was hyphen\u00ad\r\nated across lines, and the very long\r\n"
    "passage went on. 潮汐是海水在月球和\r\n太阳引力作用下的周期性\r\n涨落现象。 Footer"
)


def find(passage, text=PAGE):
    span = locate(passage, text)
    return span and text[span.start : span.end]


@cases(
    "passage, words",
    [
        ("The efficient office was hyphenated", "The eﬃcient of-\r\nfice was hyphen\u00ad\r\nated"),
        ("and the  VERY long passage went on.", "and the very long\r\npassage went on"),
        (
            "潮汐是海水在月球和太阳引力作用下的周期性涨落现象。",
            "潮汐是海水在月球和\r\n太阳引力作用下的周期性\r\n涨落现象",
        ),
        ("nothing of the kind stands on this page", None),
        (" -–… ", None),
        ("", None),
    ],
)
def test_a_passage_is_found_whatever_its_lines_hyphens_and_ligatures(passage, words):
    assert find(passage) == words


def test_a_passage_with_something_in_between_is_found_as_a_whole():
    passage = "Widgets start work there through jobs. Exactly one ending follows after every progress report."
    text = f"Intro words. {passage[:40]} [12] footnote 7 {passage[40:]} Much more follows here."
    words = find(passage, text)
    assert words.startswith("Widgets start")
    assert words.endswith("progress report")
    assert "Intro" not in words


def test_single_words_in_other_places_are_no_passage():
    text = "The committee met. " * 3 + "Another committee was founded elsewhere by other people. " * 30
    assert (
        find("The committee decided that tariffs on imported machinery shall be lowered next year", text)
        is None
    )


@given(st.text(), st.text(min_size=1), st.text())
def test_what_is_there_letter_by_letter_is_found(before, passage, after):
    span = locate(passage, before + passage + after)
    has_letters = locate(passage, passage) is not None
    assert (span is not None) == has_letters
    if span is not None:
        text = before + passage + after
        assert locate(passage, text[span.start : span.end]) is not None


@given(st.text(), st.data())
def test_offsets_count_as_qt_counts(text, data):
    index = data.draw(st.integers(0, len(text)))
    assert utf16_offset(text, index) == len(text[:index].encode("utf-16-le", "surrogatepass")) // 2
