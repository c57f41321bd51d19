"""What of a long text answers a question, within a limit and in the order of the text."""

from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.text.passages import bm25_scores, judge_passages, likely_windows, merge_kept_spans
from desktop.text.tokens import estimate_tokens
from tests.cases import cases


def test_the_text_that_answers_wins_in_both_languages():
    documents = [
        "The capital of France is Paris.",
        "法国的首都是巴黎。",
        "Bananas are yellow.",
        "香蕉是黄色的。",
    ]
    english, chinese = bm25_scores("capital of France", documents), bm25_scores("法国首都在哪里", documents)
    assert max(range(4), key=english.__getitem__) == 0
    assert max(range(4), key=chinese.__getitem__) == 1
    assert english[2] == chinese[3] == 0


def test_rare_words_count_for_more():
    scores = bm25_scores("red panda", ["red car", "red house", "panda house"])
    assert scores[2] > scores[0] > 0


def test_stop_words_alone_are_taken_at_their_word():
    assert bm25_scores("to be or not to be", ["To be or not to be", "bananas"])[0] > 0


def test_nothing_gives_zero():
    assert bm25_scores("", ["a text"]) == [0.0]
    assert bm25_scores("a query", []) == []
    assert bm25_scores("a query", ["", ""]) == [0.0, 0.0]


FILLER = "Butter, flour and a little patience make a good sauce for a quiet evening at home. "
ANSWER = "The tide at Brest rises by about six metres in spring."
ZH_FILLER = "做酱汁需要黄油、面粉和一点耐心，适合安静的晚上慢慢准备。"
ZH_ANSWER = "布列斯特的春季潮差大约有六米。"


def best_passages(text, queries, *, limit_tokens):
    return merge_kept_spans(judge_passages(text, queries, limit_tokens=limit_tokens))


def texts_of(text, spans):
    return [text[span.start : span.end] for span in spans]


@cases(
    "filler, answer, query",
    [(FILLER, ANSWER, "How high is the tide at Brest?"), (ZH_FILLER, ZH_ANSWER, "布列斯特潮差是多少？")],
)
@cases("place", [0, 40, 79])
def test_the_sentence_that_answers_is_kept_wherever_it_stands(filler, answer, query, place):
    sentences = [f"{filler}\n" for _ in range(80)]
    sentences[place] = f"{answer}\n"
    text = "".join(sentences)
    kept = texts_of(text, best_passages(text, [query], limit_tokens=300))
    assert any(answer in passage for passage in kept)


def test_several_queries_find_their_passages_in_the_order_of_the_text():
    text = (
        f"{FILLER * 30}\n{ANSWER}\n{FILLER * 30}\nThe lighthouse of Ouessant was lit in 1700.\n{FILLER * 30}"
    )
    spans = best_passages(text, ["lighthouse Ouessant", "tide Brest"], limit_tokens=400)
    joined = "|".join(texts_of(text, spans))
    assert joined.index("tide at Brest") < joined.index("lighthouse of Ouessant")
    assert [span.start for span in spans] == sorted(span.start for span in spans)


def test_neighbours_are_joined():
    text = (
        FILLER * 30
        + (f"{ANSWER} The tide at Brest falls again within six hours and a quarter. " * 8)
        + FILLER * 30
    )
    spans = best_passages(text, ["tide Brest"], limit_tokens=400)
    assert len([span for span in spans if "tide" in text[span.start : span.end]]) == 1


def test_a_text_that_fits_is_returned_whole():
    text = f"  {FILLER}\n\n{ANSWER}  "
    (span,) = best_passages(text, ["anything"], limit_tokens=200)
    assert text[span.start : span.end] == text.strip()


def test_without_a_word_in_common_the_beginning_is_returned():
    text = "".join(f"Sentence number {number} is about nothing much at all. " for number in range(200))
    spans = best_passages(text, ["zebra"], limit_tokens=100)
    assert spans[0].start == 0
    assert spans[-1].end < 800


def test_the_opening_is_preferred_among_equals():
    text = "\n".join(f"Brest has a tide, says guide {number}. {FILLER * 3}" for number in range(30))
    assert best_passages(text, ["Brest tide"], limit_tokens=90)[0].start == 0


def test_what_does_not_answer_is_left_out_although_there_is_room():
    text = FILLER * 40 + ANSWER + " " + FILLER * 40
    spans = best_passages(text, ["tide Brest"], limit_tokens=1_000)
    assert sum(estimate_tokens(passage) for passage in texts_of(text, spans)) < 500


@cases("text", ["", "   \n\n ", "\x00"])
def test_a_text_without_sentences_has_no_passages(text):
    assert all(text[span.start : span.end].strip() for span in best_passages(text, ["x"], limit_tokens=100))


def test_no_room_gives_nothing():
    assert best_passages(FILLER * 50, ["sauce"], limit_tokens=0) == []


def test_one_endless_sentence_is_cut():
    text = "x" * 50_000
    spans = best_passages(text, ["x"], limit_tokens=50)
    assert 0 < sum(span.end - span.start for span in spans) < 2_000


@settings(max_examples=60)
@given(st.text(max_size=600), st.lists(st.text(max_size=20), max_size=3), st.integers(1, 200))
def test_spans_are_apart_in_order_and_inside_the_text(text, queries, limit):
    last = 0
    for span in best_passages(text, queries, limit_tokens=limit):
        assert last <= span.start < span.end <= len(text)
        last = span.end


def test_what_is_near_in_meaning_is_kept_beside_what_has_the_words():
    sentences = [f"{FILLER}\n" for _ in range(80)]
    sentences[20], sentences[60] = f"{ANSWER}\n", "At the Breton port the water climbs far up the quay.\n"
    text, queries = "".join(sentences), ["How high is the tide at Brest?"]
    windows = likely_windows(text, queries, 100)
    assert ANSWER in text[slice(*windows[0])]
    likeness = {(start, end): 0.7 if "Breton" in text[start:end] else 0.1 for start, end in windows}
    kept = texts_of(
        text, merge_kept_spans(judge_passages(text, queries, limit_tokens=250, likeness=likeness))
    )
    assert any(ANSWER in passage for passage in kept)
    assert any("Breton" in passage for passage in kept)
    by_words = texts_of(text, best_passages(text, queries, limit_tokens=250))
    assert not any("Breton" in passage for passage in by_words)


def test_of_likely_windows_there_are_no_more_than_wanted():
    assert len(likely_windows(FILLER * 80, ["sauce"], 5)) == 5
    assert likely_windows("", ["sauce"], 5) == []
