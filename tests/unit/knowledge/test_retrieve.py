"""What is shown of what was found."""

from dataclasses import replace

from desktop.knowledge.index.passages import FoundPassage
from desktop.knowledge.retrieve import select

ONE = FoundPassage(
    id=1,
    document=1,
    sha256="s",
    name="a.txt",
    path="/a.txt",
    ordinal=0,
    page=1,
    section="",
    start=0,
    end=10,
    text="x",
)


def passage(key, ordinal=0, **changes):
    place = {"ordinal": ordinal, "start": ordinal * 12, "end": ordinal * 12 + 10}
    return replace(ONE, id=key, **{**place, **changes})


def chosen(*found, count=5, terms=None):
    scores = {each.id: 1 - index / 10 for index, each in enumerate(found)}
    words = {each.id: (terms or {}).get(each.id, [f"word{each.id}", f"more{each.id}"]) for each in found}
    return select(found, scores, words, count)


def test_neighbours_become_one_with_the_score_of_the_best():
    (excerpt,) = chosen(passage(1, 3), passage(2, 2), passage(3, 5))
    assert (excerpt.start, excerpt.end, excerpt.first, excerpt.last, excerpt.score) == (24, 70, 2, 5, 1.0)


def test_other_pages_sections_and_documents_stay_apart():
    found = [passage(1, 0), passage(2, 1, page=2), passage(3, 1, section="s"), passage(4, 1, document=2)]
    assert [excerpt.best.id for excerpt in chosen(*found)] == [1, 2, 3, 4]


def test_what_lies_far_apart_or_would_grow_too_long_stays_apart():
    assert len(chosen(passage(1, 0), passage(2, 7))) == 2
    assert len(chosen(passage(1, 0, end=3_900), passage(2, 1, start=3_902, end=7_000))) == 2


def test_repetitions_are_shown_once():
    same = [f"w{index}" for index in range(20)]
    found = [passage(1), passage(2, document=2), passage(3, document=3)]
    shown = chosen(*found, terms={1: same, 2: [*same, "extra"], 3: ["quite", "different"]})
    assert [excerpt.best.id for excerpt in shown] == [1, 3]


def test_no_more_than_asked_but_neighbours_still_join():
    found = [passage(1, 0), passage(2, document=2), passage(3, document=3), passage(4, 1)]
    shown = chosen(*found, count=2)
    assert [(excerpt.best.id, excerpt.last) for excerpt in shown] == [(1, 1), (2, 0)]
