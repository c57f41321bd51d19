"""What is chosen of pages keeps to its budget, whatever joins its parts."""

from hypothesis import given
from hypothesis import strategies as st

from desktop.search.passage_selection import Candidate, PassageMode, select
from desktop.text.tokens import estimate_tokens

SENTENCES = (
    "Herons nest in high trees near the river.",
    "The boat was sold in 1905.",
    "苍鹭在高大的树上筑巢。",
    "Nothing of this answers anything, and it goes on for quite a while before it ends.",
)
PAGES = st.lists(
    st.lists(
        st.tuples(st.sampled_from(SENTENCES), st.sampled_from([" ", "\n", "\n\n"])), min_size=1, max_size=120
    ),
    min_size=1,
    max_size=4,
)


@given(
    PAGES,
    st.sampled_from(["heron nest", "苍鹭", "zebra", ""]),
    st.integers(1, 2000),
    st.sampled_from(PassageMode),
)
def test_what_is_chosen_never_exceeds_its_budget(pages, query, limit, mode):
    candidates = [
        Candidate(f"https://example.org/{place}", "T", "".join(map("".join, page)))
        for place, page in enumerate(pages)
    ]
    chosen = select(candidates, (query,), limit_tokens=limit, mode=mode)
    assert chosen.used_tokens == sum(estimate_tokens(passage.text) for passage in chosen.passages)
    assert chosen.used_tokens <= limit


def test_a_page_without_the_words_asked_for_begins_within_its_budget():
    page = Candidate("https://example.org/", "T", "\n\n".join(["A line that says nothing of it."] * 500))
    chosen = select([page], ("zebra",), limit_tokens=300, mode=PassageMode.PASSAGES)
    (passage,) = chosen.passages
    assert 200 < estimate_tokens(passage.text) <= 300
