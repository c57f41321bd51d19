"""Differences of two versions of a text: aligned sentences, the cited passage first, in bounded time."""

from desktop.domain.sources import TextChange
from desktop.text.comparison import compare_words, list_changes
from tests.cases import cases

OLD = "It was built in 1874. The lamp reaches 42 km. Visitors may climb it."


@cases(
    "new, passage, changes",
    [
        (OLD, "", ()),
        (OLD.upper().replace(" ", "   "), "", ()),
        (
            OLD.replace("42", "37"),
            "The lamp reaches 42 km.",
            (TextChange("The lamp reaches 42 km.", "The lamp reaches 37 km.", is_in_passage=True),),
        ),
        (
            f"New. {OLD.replace('42', '37')}",
            "The lamp reaches 42 km.",
            (
                TextChange("The lamp reaches 42 km.", "The lamp reaches 37 km.", is_in_passage=True),
                TextChange("", "New."),
            ),
        ),
        (
            OLD.removesuffix(" Visitors may climb it."),
            "built in 1874",
            (TextChange("Visitors may climb it.", ""),),
        ),
        ("", "1874", (TextChange(OLD, "", is_in_passage=True),)),
        (
            OLD.replace("1874. ", "1874. Not all agree. "),
            OLD[:45],
            (TextChange("", "Not all agree.", is_in_passage=True),),
        ),
    ],
)
def test_changes_are_listed_by_sentences(new, passage, changes):
    assert list_changes(OLD, new, (passage,)) == changes


def test_the_order_of_very_long_texts_does_not_count():
    old = [f"Sentence number {number} repeats itself {number % 7} times." for number in range(9_000)]
    new = [*old[4_500:], *old[:4_499], "This one is new."]
    changes = list_changes(" ".join(old), " ".join(new), (old[4_499],))
    assert [(change.removed, change.added) for change in changes] == [
        (old[4_499], ""),
        ("", "This one is new."),
    ]
    assert changes[0].is_in_passage


def test_words_that_differ_are_found_in_english_and_chinese():
    def marked(old, new):
        gone, added = compare_words(old, new)
        return [old[span.start : span.end] for span in gone], [new[span.start : span.end] for span in added]

    assert marked("The lamp reaches 42 km.", "The old lamp reaches 37 km.") == (["42"], ["old", "37"])
    assert marked("灯塔高四十二米", "灯塔高三十七米") == (["四", "二"], ["三", "七"])
    assert marked("于1873年建成", "于1874年建成") == (["1873"], ["1874"])
    assert marked("", "All new") == ([], [])
