"""Which words a mark rests on, in Chinese and in English."""

from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.render import render_message
from desktop.render.labels import EN
from desktop.render.page.cited_sentence import EXCERPT_CHARS, citing_sentence, excerpt_of
from desktop.render.page.source_cards import card_html
from tests.cases import cases

ENGLISH = (
    "The lighthouse of Velmora stands on a basalt cliff at the northern end of the island. "
    "It was built in 1873 by the engineer Ada Korsten, who had already drained the harbour. "
    "Its lamp reaches 42 kilometres and has been electric since 1931. "
    "Visitors climb 219 steps to the gallery of the lighthouse, which is open from May to September."
)
CHINESE = (
    "维尔莫拉灯塔位于岛屿北端的玄武岩悬崖上，是当地最著名的建筑。"
    "灯塔由工程师阿达·科斯滕于1873年建成，她此前还负责了港口的排水工程。"
    "灯塔的光照距离为42公里，1931年改为电力照明。"
    "游客可以登上219级台阶到达观景台。"
)


@cases(
    "text, number, occurrence, claim",
    [
        ("First. The second one [1].", 1, 0, "The second one"),
        ("First. The second one. [1] The third. [2]", 2, 0, "The third."),
        ("It dates from 1873 [1] and reaches 42 kilometres [2].", 2, 0, "and reaches 42 kilometres"),
        ("It dates from 1873 [1][2].", 2, 0, "It dates from 1873"),
        ("It dates from 1873 [1] [2], [3].", 2, 0, "It dates from 1873"),
        ("It dates [1], and it [2].", 2, 0, "It dates  , and it"),
        ("One thing [1]. Another thing [1].", 1, 1, "Another thing"),
        ("One thing [1].", 1, 7, "One thing"),
        ("灯塔建于1873年[1]，光照距离为42公里[2]。", 2, 0, "，光照距离为42公里"),
        ("灯塔建于1873年【1】。", 1, 0, "灯塔建于1873年"),
        ("- a point\n- the next point [3]", 3, 0, "the next point"),
        ("[1] at the beginning", 1, 0, ""),
        ("no mark at all", 1, 0, ""),
        ("It is `a[1]` in code. A fact [1].", 1, 0, "A fact"),
        ("```python\nx[1]\n```\nA fact [1].", 1, 0, "A fact"),
        ("One [1](https://a.example) is a link. A fact [1].", 1, 0, "A fact"),
        ("A range says so [1-3].", 2, 0, "A range says so"),
        ("One thing [1][1]. Another thing [1].", 1, 2, "Another thing"),
    ],
)
def test_a_mark_stands_behind_the_words_since_the_one_before(text, number, occurrence, claim):
    assert citing_sentence(text, number, occurrence).removeprefix("- ") == claim


@cases(
    "passage, claim, words",
    [
        (ENGLISH, "The lighthouse was built by Ada Korsten in 1873", "It was built in 1873"),
        (ENGLISH, "and its light can be seen 42 km away, electric since 1931", "Its lamp reaches"),
        (ENGLISH, "219 steps", "Visitors climb"),
        (CHINESE, "灯塔建于1873年", "灯塔由工程师"),
        (CHINESE, "，光照距离为42公里", "灯塔的光照距离"),
        (CHINESE, "要爬219级台阶", "游客可以登上"),
    ],
)
def test_the_words_that_support_a_claim_are_singled_out(passage, claim, words):
    assert excerpt_of(passage, claim).words.startswith(words)


@cases("claim", ["", "Bananas are rich in potassium", "香蕉富含钾元素", "of the and"])
def test_where_nothing_supports_a_claim_nothing_is_singled_out(claim):
    for passage in (ENGLISH, CHINESE):
        shown = excerpt_of(passage, claim)
        assert shown.words == ""
        assert shown.before == passage


def test_a_long_passage_is_cut_around_the_words():
    before, after = "Filler sentences say nothing. " * 200, " More filler follows here." * 200
    shown = excerpt_of(before + "The tide table of Velmora was printed in 1902." + after, "printed in 1902")
    assert shown.words == "The tide table of Velmora was printed in 1902."
    assert shown.before.startswith("… ")
    assert shown.after.endswith(" …")
    assert len("".join(shown)) < EXCERPT_CHARS * 1.1


@given(st.text(), st.text())
def test_what_is_singled_out_stands_in_the_passage(passage, claim):
    shown = excerpt_of(passage, claim)
    assert shown.words in passage


@given(st.text(alphabet="[]【】［］ 1,-.a。\n", max_size=400), st.integers(0, 3))
def test_no_text_is_too_strange_to_hold_marks(text, occurrence):
    assert citing_sentence(text, 1, occurrence).strip() in text


def test_a_hundred_thousand_marks_take_no_time():
    assert citing_sentence("[1]" * 100_000 + "x[1]", 1, 100_000) == "x"


def test_a_card_shows_the_address_and_cuts_endless_titles():
    (one,) = sources_of(title="T" * 1_000_000, url="https://a.example/way?page=2")
    html = card_html(one, EN)
    assert "https://a.example/way?page=2" in html
    assert len(html) < 10_000
    mark = render_message("Fact [1].", [one]).html
    assert len(mark) < 1_000


def sources_of(title, url):
    ledger = Ledger()
    ledger.register([Passage(SourceKind.WEB, title, "Words.", url)])
    return ledger.sources
