"""Passages: small, whole sentences, nothing lost, never endless."""

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.knowledge.loaders.document import DocumentPart, document_of
from desktop.knowledge.reader.protocol import MAX_PASSAGE_TOKENS, split, token_counter
from tests.cases import cases


def document(*texts):
    return document_of(
        "", [DocumentPart(text, page, f"section {page}") for page, text in enumerate(texts, start=1)]
    )


@settings(deadline=None)
@given(
    st.lists(
        st.text(alphabet=st.sampled_from("word Wörter. 好的。，\n\t-1.5!？”x"), max_size=900), max_size=4
    ),
    st.integers(1, 40),
)
def test_passages_hold_all_text_in_order_within_the_limit(texts, limit):
    whole = document(*texts)
    chunks = list(split(whole, token_counter(), limit))
    position = 0
    for chunk in chunks:
        assert whole.text[chunk.start : chunk.end] == chunk.text
        assert chunk.start >= position
        assert not whole.text[position : chunk.start].strip()
        assert len(chunk.text) == 1 or sum(token_counter()([chunk.text])) <= limit + 2
        position = chunk.end
    assert not whole.text[position:].strip()


def test_no_passage_crosses_a_page_and_each_knows_its_own():
    chunks = list(split(document("One.", "Two.", "三。"), token_counter()))
    assert [(chunk.text, chunk.page, chunk.section) for chunk in chunks] == [
        ("One.", 1, "section 1"),
        ("Two.", 2, "section 2"),
        ("三。", 3, "section 3"),
    ]


def test_sentences_stay_whole_and_passages_about_equal():
    text = " ".join(f"Sentence number {n} says a little more than the one before." for n in range(60))
    chunks = list(split(document(text), token_counter()))
    sizes = token_counter()([chunk.text for chunk in chunks])
    assert len(chunks) > 1
    assert all(chunk.text.startswith("Sentence") and chunk.text.endswith("before.") for chunk in chunks)
    assert max(sizes) <= MAX_PASSAGE_TOKENS
    assert min(sizes) > MAX_PASSAGE_TOKENS / 2


@cases("unit", ["x", "好", "😀", "a.", "\u0301", "word "])
def test_an_overlong_piece_is_cut_in_reasonable_time(unit):
    text = unit * (60_000 // len(unit))
    started = time.process_time()
    chunks = list(split(document(text), token_counter()))
    assert time.process_time() - started < 10
    assert "".join(chunk.text for chunk in chunks).replace(" ", "") == text.replace(" ", "")
