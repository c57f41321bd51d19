"""What is shown of what was found, what is not, and why."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.knowledge import ItemKind
from desktop.domain.trace import SourceUse
from desktop.knowledge.index.passages import FoundPassage
from desktop.knowledge.retrieval.excerpts import (
    SECTION_TOKENS,
    Excerpt,
    Ranked,
    may_reach_further,
    select,
    within_section,
)
from desktop.text.terms import terms as index_terms
from desktop.text.tokens import estimate_tokens

ONE = FoundPassage(
    id=1,
    document=1,
    base_id="b",
    sha256="s",
    name="a.txt",
    path="/a.txt",
    kind=ItemKind.FILE,
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


def rank(*found, limit=9, **changes):
    return [Ranked(each, 1 - index / 10, each.base_id, limit, **changes) for index, each in enumerate(found)]


def selected(found, count=5, terms=None):
    words = {
        each.passage.id: (terms or {}).get(
            each.passage.id, [f"word{each.passage.id}", f"more{each.passage.id}"]
        )
        for each in found
    }
    return select(found, words, count)


def chosen(*found, count=5, terms=None):
    return selected(rank(*found), count, terms).excerpts


def test_neighbours_become_one_with_the_score_of_the_best():
    (excerpt,) = chosen(passage(1, 3), passage(2, 2), passage(3, 5))
    assert (excerpt.start, excerpt.end, excerpt.first, excerpt.last, excerpt.score) == (24, 70, 2, 5, 1.0)


def test_a_neighbour_that_hardly_answers_is_a_find_of_its_own():
    found = [
        Ranked(passage(1, 3), 1.0, "b", 9),
        Ranked(passage(2, 2), 0.6, "b", 9),
        Ranked(passage(3, 4), 0.2, "b", 9),
    ]
    assert [(excerpt.first, excerpt.last) for excerpt in selected(found).excerpts] == [(2, 3), (4, 4)]


def test_other_pages_sections_and_documents_stay_apart():
    found = [passage(1, 0), passage(2, 1, page=2), passage(3, 1, section="s"), passage(4, 1, document=2)]
    assert [excerpt.best.id for excerpt in chosen(*found)] == [1, 2, 3, 4]


def test_what_lies_far_apart_or_would_grow_too_long_stays_apart():
    assert len(chosen(passage(1, 0), passage(2, 7))) == 2
    assert len(chosen(passage(1, 0, end=3_900), passage(2, 1, start=3_902, end=7_000))) == 2


def test_repetitions_are_shown_once_and_named():
    same = [f"w{index}" for index in range(20)]
    found = [passage(1), passage(2, document=2), passage(3, document=3)]
    shown = selected(rank(*found), terms={1: same, 2: [*same, "extra"], 3: ["quite", "different"]})
    assert [excerpt.best.id for excerpt in shown.excerpts] == [1, 3]
    (dropped,) = shown.dropped
    assert (dropped.ranked.passage.id, dropped.source_use) == (2, SourceUse.DUPLICATE)
    assert "a.txt" in dropped.reason


def test_a_repetition_may_lack_the_rarest_tenth_of_the_words():
    words = [f"w{index}" for index in range(20)]
    terms = {1: words, 2: words[2:], 3: words[3:]}
    found = [passage(key, document=key) for key in terms]
    shown = selected(rank(*found), terms=terms)
    assert [excerpt.best.id for excerpt in shown.excerpts] == [1, 3]
    assert [each.source_use for each in shown.dropped] == [SourceUse.DUPLICATE]


def test_chinese_repetitions_are_seen_through_other_punctuation():
    one = "苍鹭是一种大型涉禽，常在浅水中静立捕鱼，广泛分布于欧亚大陆和非洲。"
    other = "苍鹭是一种大型涉禽：常在浅水中静立捕鱼；广泛分布于欧亚大陆和非洲！"
    third = "白鹭体型较小，羽毛雪白，繁殖期背部有蓑羽，常成群在稻田里觅食。"
    terms = {key: index_terms(text) for key, text in enumerate((one, other, third), start=1)}
    shown = selected(rank(passage(1), passage(2, document=2), passage(3, document=3)), terms=terms)
    assert [excerpt.best.id for excerpt in shown.excerpts] == [1, 3]


def test_passages_that_differ_in_a_number_are_not_the_same():
    text = "{year} 年全国新增就业 {count} 万人，城镇调查失业率平均为 5.1%，高于上年同期，总体保持稳定。"
    terms = {
        1: index_terms(text.format(year=2021, count=1269)),
        2: index_terms(text.format(year=2022, count=1206)),
    }
    assert len(selected(rank(passage(1), passage(2, document=2)), terms=terms).excerpts) == 2


def test_no_more_than_asked_but_neighbours_still_join():
    found = [passage(1, 0), passage(2, document=2), passage(3, document=3), passage(4, 1)]
    shown = selected(rank(*found), count=2)
    assert [(excerpt.best.id, excerpt.last) for excerpt in shown.excerpts] == [(1, 1), (2, 0)]
    assert [(each.ranked.passage.id, each.source_use) for each in shown.dropped] == [
        (3, SourceUse.NOT_NEEDED)
    ]


def test_a_base_gives_no_more_than_it_wants_to():
    of_one = rank(passage(1), passage(2, document=2), limit=1)
    of_other = rank(passage(3, document=3, base_id="c"), passage(4, document=4, base_id="c"), limit=3)
    shown = selected([*of_one, *of_other], count=3)
    assert [excerpt.best.id for excerpt in shown.excerpts] == [1, 3, 4]
    assert "best 1 of its knowledge base" in shown.dropped[0].reason


def test_the_threshold_is_for_what_a_reranker_has_read():
    weak = rank(passage(1), reranked=0.2, threshold=0.35)
    strong = rank(passage(2, document=2), reranked=0.35, threshold=0.35)
    unread = rank(passage(3, document=3), threshold=0.35)
    shown = selected([*weak, *strong, *unread])
    assert [excerpt.best.id for excerpt in shown.excerpts] == [2, 3]
    assert (shown.dropped[0].source_use, "0.20" in shown.dropped[0].reason) == (SourceUse.IRRELEVANT, True)


def stretch(texts, **changes):
    """Passages one after the other, parted by a space."""
    found, start = [], 0
    for ordinal, text in enumerate(texts):
        found.append(passage(ordinal + 1, ordinal, start=start, end=start + len(text), text=text, **changes))
        start += len(text) + 1
    return found


def excerpt_of(found):
    return Excerpt.of(rank(found)[0])


def test_a_short_section_comes_whole():
    around = stretch(["one two.", "three four.", "five six."])
    assert within_section(excerpt_of(around[1]), around, []) == (0, around[2].end)


def test_a_section_ends_where_another_heading_or_page_begins():
    around = stretch(["one.", "two.", "three.", "four."], section="A")
    around[0] = replace(around[0], section="B")
    around[3] = replace(around[3], page=2)
    assert within_section(excerpt_of(around[1]), around, []) == (around[1].start, around[2].end)


def test_nothing_is_shown_twice():
    around = stretch(["one.", "two.", "three.", "four."])
    here, there = excerpt_of(around[0]), excerpt_of(around[3])
    assert within_section(here, around, [there]) == (0, around[2].end)


@given(st.lists(st.integers(1, 200), min_size=1, max_size=20), st.data())
def test_a_long_section_is_bounded_and_holds_what_was_found(lengths, data):
    around = stretch([" ".join(["word"] * length) for length in lengths])
    found = data.draw(st.sampled_from(around))
    start, end = within_section(excerpt_of(found), around, [])
    inside = [each for each in around if start <= each.start and each.end <= end]
    assert found in inside
    assert (inside[0].start, inside[-1].end) == (start, end)
    assert sum(estimate_tokens(each.text) for each in inside) <= SECTION_TOKENS


@given(st.lists(st.integers(1, 300), min_size=1, max_size=20), st.booleans(), st.data())
def test_a_section_is_read_further_only_where_that_changes_it(lengths, is_table, data):
    texts = [" ".join(["word"] * length) for length in lengths]
    if is_table:
        texts = ["| city |\n| --- |\n| Bern |", *(f"| {text} |" for text in texts)]
    whole = stretch(texts)
    excerpt = excerpt_of(data.draw(st.sampled_from(whole)))
    reach = data.draw(st.integers(1, 6))
    near = [each for each in whole if abs(each.ordinal - excerpt.first) <= reach]
    extended = within_section(excerpt, near, [])
    if not may_reach_further(excerpt, near, reach, extended):
        assert extended == within_section(excerpt, whole, [])


def test_passages_without_any_words_do_not_say_the_same():
    found = [passage(1), passage(2, document=2)]
    assert len(selected(rank(*found), terms={1: [], 2: []}).excerpts) == 2


def test_what_repeats_a_passage_that_is_not_shown_either_is_one_too_many():
    same = [f"w{index}" for index in range(20)]
    found = [passage(1), passage(2, document=2), passage(3, document=3)]
    shown = selected(rank(*found), count=1, terms={1: ["other"], 2: same, 3: same})
    assert [each.source_use for each in shown.dropped] == [SourceUse.NOT_NEEDED, SourceUse.NOT_NEEDED]


def table(*sizes):
    rows = [f"| {'词' * size} |" for size in sizes]
    texts = ["| 城市 |\n| --- |\n| 成都 |", *rows]
    return [passage(number, number, text=text) for number, text in enumerate(texts)]


def test_rows_of_a_table_grow_to_its_head_however_long_they_are():
    around = table(SECTION_TOKENS // 2, SECTION_TOKENS, SECTION_TOKENS // 2)
    start, end = within_section(excerpt_of(around[2]), around, [])
    assert (start, end) == (around[0].start, around[2].end)


def test_rows_do_not_grow_towards_a_head_out_of_reach():
    around = table(SECTION_TOKENS, 10, SECTION_TOKENS)
    start, end = within_section(excerpt_of(around[2]), around, [])
    assert (start, end) == (around[2].start, around[2].end)
