"""The record of a gathering: every result, page and cut is in it with its reason, and it is bounded."""

import asyncio
import json
from dataclasses import replace

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.events import StepFinished
from desktop.domain.knowledge import LeftOut, Retrieval
from desktop.domain.messages import StepKind, StepStatus
from desktop.domain.search import PageStatus, SearchOutcome, SearchResult, SearchStatus, WebPage
from desktop.domain.sources import Locator, Passage, SourceKind, core_of, source_key
from desktop.domain.trace import Decider, SourceUse, Trace
from desktop.errors.servers import ProviderDown
from desktop.search.gather import GatherInput, GatherResult, Retrievers, gather
from desktop.search.intent import Intent, explicit_intent
from desktop.search.passage_selection import count_passage_tokens, fit_to_budget
from desktop.text.tokens import source_tokens
from tests.unit.search.gather.test_gather import COOKING, TIDES, Files, Pages, Web, found, passage

SENTENCE = "The heron stands in the shallow water of the old river. "
TEXT = SENTENCE * 20


def fitted_passage(number=1, text=TEXT, core=None, kind=SourceKind.FILE):
    where = Locator(1, "", 100, 100 + len(text))
    return Passage(
        kind, f"file {number}", text, f"file:///{number}", str(number), where, 1 / number, core=core
    )


def cost(found):
    return source_tokens(found.title, found.text)


def test_what_fits_comes_whole():
    found = [fitted_passage(1), fitted_passage(2)]
    fitted = fit_to_budget(found, 10_000)
    assert fitted.kept == tuple(found)
    assert (fitted.shortened, fitted.dropped) == (0, 0)
    assert [record.source_use for record in fitted.records] == [SourceUse.GIVEN, SourceUse.GIVEN]


def test_the_last_is_cut_behind_a_sentence_and_the_others_have_no_room():
    found = [fitted_passage(1), fitted_passage(2), fitted_passage(3)]
    fitted = fit_to_budget(found, cost(found[0]) + cost(found[1]) // 2)
    whole, cut = fitted.kept
    assert whole == found[0]
    assert cut.text == (SENTENCE * 20)[: len(cut.text)]
    assert cut.text.endswith("river.")
    assert cut.locator.end == 100 + len(cut.text)
    assert (fitted.shortened, fitted.dropped) == (1, 1)
    assert [record.source_use for record in fitted.records] == [
        SourceUse.GIVEN,
        SourceUse.GIVEN,
        SourceUse.NO_BUDGET,
    ]
    pieces = [piece.source_use for piece in fitted.records[1].pieces]
    assert pieces == [SourceUse.GIVEN, SourceUse.NO_BUDGET]
    assert fitted.records[1].tokens < fitted.records[1].total_tokens


def test_chinese_is_cut_behind_a_sentence_too():
    text = "苍鹭站在旧河道的浅水中等候。" * 40
    fitted = fit_to_budget([fitted_passage(1, text)], 300)
    assert fitted.kept[0].text.endswith("等候。")
    assert cost(fitted.kept[0]) <= 300


def test_a_worse_one_does_not_slip_in_before_a_better_one():
    small = fitted_passage(2, SENTENCE)
    fitted = fit_to_budget([fitted_passage(1, "word " * 3_000), small], 150)
    assert small not in fitted.kept
    assert fitted.dropped >= 1


def test_what_stands_around_comes_along_where_there_is_room():
    core = (len(SENTENCE) * 5, len(SENTENCE) * 6 - 1)
    found = [fitted_passage(1, core=core), fitted_passage(2, core=core)]
    ((first, second), *_) = (fit_to_budget(found, 10_000).kept,)
    assert (first.text, second.text) == (TEXT, TEXT)
    assert first.core is None
    tight = fit_to_budget(found, 460).kept
    assert tight[0].text == TEXT
    assert tight[1].text == SENTENCE.strip()
    where = tight[1].locator
    assert (where.start, where.end) == (100 + core[0], 100 + core[1])


def test_memories_have_room_beside_long_files():
    memory = fitted_passage(9, "The user is allergic to nuts.", kind=SourceKind.MEMORY)
    fitted = fit_to_budget([fitted_passage(1, TEXT * 10), fitted_passage(2, TEXT * 10), memory], 500)
    assert memory in fitted.kept
    assert fitted.kept[-1] == memory, "memories stand behind files"


passages = st.lists(
    st.builds(
        lambda number, sentences, around, kind: fitted_passage(
            number,
            SENTENCE * (sentences + 2 * around),
            (len(SENTENCE) * around, len(SENTENCE) * (around + sentences)) if around else None,
            kind,
        ),
        st.integers(1, 99),
        st.integers(1, 30),
        st.integers(0, 5),
        st.sampled_from([SourceKind.FILE, SourceKind.MEMORY]),
    ),
    max_size=10,
)


@given(passages, st.integers(0, 2_000))
def test_nothing_given_exceeds_the_room_and_everything_is_accounted_for(found, budget):
    fitted = fit_to_budget(found, budget)
    assert count_passage_tokens(fitted.kept) <= budget
    assert len(fitted.kept) + fitted.dropped == len(found)
    assert len(fitted.records) == len(found)
    for kept in fitted.kept:
        assert kept.core is None
        assert any(holds(each, kept) for each in found)


def holds(original: Passage, kept: Passage) -> bool:
    """Say whether what was kept stands in `original` where its locator says."""
    begin = kept.locator.start - original.locator.start
    return original.document == kept.document and original.text[begin : begin + len(kept.text)] == kept.text


QUESTION = "tide Brest"


def gathered(inquiry, places):
    async def run():
        return [event async for event in gather(inquiry, places)]

    *events, result = asyncio.run(run())
    return [event.step for event in events if isinstance(event, StepFinished)], result


def record(inquiry, places) -> tuple[Trace, GatherResult]:
    _, result = gathered(inquiry, places)
    return result.trace, result


def by_title(trace):
    return {source.title: source for source in trace.sources}


def test_every_engine_page_and_cut_is_recorded():
    long = "".join(f"{COOKING}Number {n} of the recipes is plain. " for n in range(60)) + TIDES
    outcomes = (
        SearchOutcome(SearchStatus.BLOCKED, "bing", QUESTION, error="Bing asks who you are.", seconds=1.5),
        found(QUESTION, "a", "b", "c", "d", "e", engine="baidu", seconds=0.25, notes=("Read by structure.",)),
        found(QUESTION, "a", engine="sogou"),
    )
    pages = Pages(
        {
            "https://a.example/": WebPage(
                PageStatus.READ, "https://a.example/", "Long", long, is_cached=True
            ),
            "https://b.example/": WebPage(
                PageStatus.BLOCKED, "https://b.example/", error="It wants a login."
            ),
        }
    )
    inquiry = GatherInput(QUESTION, result_count=2, budget_tokens=400)
    trace, result = record(inquiry, Retrievers(pages.read, Web({QUESTION: outcomes})))
    assert [(search.engine, search.status, search.seconds) for search in trace.searches] == [
        ("bing", SearchStatus.BLOCKED, 1.5),
        ("baidu", SearchStatus.RESULTS, 0.25),
        ("sogou", SearchStatus.RESULTS, 0.0),
    ]
    assert trace.searches[0].error == "Bing asks who you are."
    assert trace.searches[1].notes == ("Read by structure.",)
    assert [hit.rank for hit in trace.searches[1].hits] == [1, 2, 3, 4, 5]
    sources = by_title(trace)
    first = sources["Long"]
    assert first.engines == ("baidu", "sogou")
    assert first.is_cached
    assert first.source_use is SourceUse.GIVEN
    assert 0 < first.tokens < first.total_tokens
    fates = {piece.source_use for piece in first.pieces}
    assert fates == {SourceUse.GIVEN, SourceUse.IRRELEVANT}
    given = [piece for piece in first.pieces if piece.source_use is SourceUse.GIVEN]
    assert max(given, key=lambda piece: piece.score).text.startswith(("The tide at Brest", "Number 59"))
    second = sources["Title b"]
    assert (second.status, second.error, second.is_snippet) == (PageStatus.BLOCKED, "It wants a login.", True)
    assert sources["Title e"].source_use is SourceUse.NOT_NEEDED
    assert {source.key for source in trace.sources if source.source_use is SourceUse.GIVEN} == set(
        map(source_key, result.passages)
    )
    assert (trace.queries, trace.decider, trace.budget_tokens) == ((QUESTION,), Decider.KEYWORDS, 400)


def test_merged_pages_name_the_one_that_stands_for_them():
    text = " ".join(f"Sentence {n} tells of the tide at Brest in its own words." for n in range(30))
    pages = Pages({f"https://{name}.example/": WebPage(PageStatus.READ, f"https://{name}.example/", name, text) for name in "ab"})  # fmt: skip
    trace, _ = record(
        GatherInput(QUESTION), Retrievers(pages.read, Web({QUESTION: (found(QUESTION, "a", "b"),)}))
    )
    sources = by_title(trace)
    assert sources["b"].source_use is SourceUse.DUPLICATE
    assert sources["b"].same_as == sources["a"].key
    assert sources["b"].tokens == 0


def test_queries_of_the_person_are_asked_as_they_are_and_nobody_decides():
    class Refusing:
        async def refuse(self):
            raise ProviderDown(provider="x", detail="")

        async def stream(self, request):
            yield await self.refuse()

    web, files = Web({"mine": (found("mine", "a"),)}), Files(Retrieval())
    inquiry = GatherInput(
        QUESTION,
        intent=explicit_intent(QUESTION, ("mine", "mine")),
        model=Refusing(),
        model_name="m",
        scope=("base",),
    )
    steps, result = gathered(inquiry, Retrievers(Pages().read, web, files))
    assert web.asked == [("mine", "auto")]
    assert files.asked[0][0] == ("mine",)
    intent = next(step for step in steps if step.kind is StepKind.INTENT)
    assert (intent.status, intent.subject, intent.detail) == (
        StepStatus.DONE,
        "mine",
        "You entered these queries.",
    )
    assert result.trace.decider is Decider.USER
    assert result.trace.asked == ("mine",)


def test_what_is_left_out_is_not_read_makes_room_for_the_next_and_is_recorded():
    kept, dropped = passage("A passage that stays."), passage("Secret passage that goes.")
    pages = Pages({"https://b.example/": WebPage(PageStatus.READ, "https://moved.example/x", "b", TIDES)})
    web = Web({QUESTION: (found(QUESTION, "a", "b", "c", "d"),)})
    without = ("https://a.example", "https://moved.example/x", source_key(dropped))
    inquiry = GatherInput(QUESTION, scope=("base",), result_count=2, without=without)
    steps, result = gathered(inquiry, Retrievers(pages.read, web, Files(Retrieval((kept, dropped)))))
    assert "https://a.example/" not in pages.asked
    assert [passage.url for passage in result.passages][:2] == ["https://c.example/", "https://d.example/"]
    assert kept in result.passages
    assert dropped not in result.passages
    excluded = {source.key for source in result.trace.sources if source.source_use is SourceUse.EXCLUDED}
    assert excluded == {"https://a.example", "https://moved.example/x", source_key(dropped)}
    assert any("3 sources left out by you" in step.detail for step in steps)


def test_files_without_room_are_recorded():
    long = tuple(passage(f"{n} {'word ' * 200}") for n in range(3))
    inquiry = GatherInput(QUESTION, web="off", scope=("base",), budget_tokens=500)
    trace, _ = record(inquiry, Retrievers(Pages().read, knowledge=Files(Retrieval(long))))
    assert [source.source_use for source in trace.sources].count(SourceUse.NO_BUDGET) == 1
    assert all(source.kind is SourceKind.FILE for source in trace.sources)


def test_a_record_is_bounded_whatever_is_found():
    queries = tuple(f"query {n}" for n in range(40))
    huge = "x" * 5_000
    results = tuple(
        SearchResult(f"{huge} {n}", f"https://h{n}.example/{huge}", huge, text="Tides. " * 300)
        for n in range(30)
    )
    outcomes = {
        query: tuple(
            SearchOutcome(SearchStatus.RESULTS, f"e{n}", query, results, error=huge, notes=(huge,))
            for n in range(3)
        )
        for query in queries
    }
    passages = tuple(Passage(SourceKind.FILE, huge, f"{n} {huge}", document=str(n)) for n in range(500))
    inquiry = GatherInput(
        QUESTION, intent=explicit_intent(QUESTION, queries), scope=("base",), result_count=30
    )
    places = Retrievers(Pages().read, Web(outcomes), Files(Retrieval(passages)))
    trace, _ = record(inquiry, places)
    assert len(json.dumps(msgspec.to_builtins(trace))) < 2_000_000


def test_what_retrieval_left_out_is_recorded_with_its_reason():
    weak = LeftOut(passage("A weak one."), "Its reranker score, 0.20, is below 0.35.", SourceUse.IRRELEVANT)
    twin = LeftOut(passage("The same again."), "It says the same as a passage of “a”.", SourceUse.DUPLICATE)
    found = Retrieval((passage("A good one."),), left_out=(weak, twin))
    inquiry = GatherInput(QUESTION, web="off", scope=("base",))
    steps, result = gathered(inquiry, Retrievers(Pages().read, knowledge=Files(found)))
    told = [(source.source_use, source.notes) for source in result.trace.sources]
    assert told == [
        (SourceUse.GIVEN, ()),
        (SourceUse.IRRELEVANT, (weak.reason,)),
        (SourceUse.DUPLICATE, (twin.reason,)),
    ]
    assert [source.tokens for source in result.trace.sources][1:] == [0, 0]
    assert len(result.passages) == 1
    (step,) = (step for step in steps if step.kind is StepKind.KNOWLEDGE)
    assert (step.status, step.detail) == (StepStatus.DONE, "1 passage left out as not relevant enough.")


def test_several_queries_for_files_are_one_request():
    files = Files(Retrieval((passage("A good one."),)))
    intent = Intent(knowledge_queries=("one", "two", "three"))
    gathered(
        GatherInput(QUESTION, web="off", scope=("base",), intent=intent),
        Retrievers(Pages().read, knowledge=files),
    )
    assert files.asked == [(("one", "two", "three"), ("base",), 8)]


def test_the_person_leaves_out_a_passage_whether_or_not_its_section_came_along():
    whole = replace(
        passage("Before. What was found. Behind."), locator=Locator(start=50, end=81), core=(8, 23)
    )
    inquiry = GatherInput(QUESTION, web="off", scope=("base",))
    for shown in (whole, core_of(whole)):
        without = replace(inquiry, without=(source_key(shown),))
        _, result = gathered(without, Retrievers(Pages().read, knowledge=Files(Retrieval((whole,)))))
        assert result.passages == ()
        assert [source.source_use for source in result.trace.sources] == [SourceUse.EXCLUDED]
