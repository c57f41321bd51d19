"""Web, files and memory side by side: nothing is lost in silence, and closing ends all work."""

import asyncio
from dataclasses import dataclass, field

import pytest

from desktop.domain.events import StepFinished, StepStarted
from desktop.domain.knowledge import LeftOut, Retrieval
from desktop.domain.messages import StepKind, StepStatus
from desktop.domain.models import TextDelta
from desktop.domain.search import PageStatus, SearchOutcome, SearchResult, SearchStatus, WebPage
from desktop.domain.sources import Passage, SourceKind
from desktop.domain.trace import Decider, SourceUse
from desktop.errors import IndexUnavailable, UnknownEngine
from desktop.search.gather import GatherInput, GatherResult, Retrievers, gather
from desktop.search.intent import explicit_intent
from desktop.search.passage_selection import Candidate, PassageMode, select
from desktop.text.tokens import estimate_tokens
from tests.cases import cases

TIDES = "The tide at Brest comes in twice a day and rises by about six metres in spring. "
COOKING = "Butter, flour and a little patience make a good sauce for the evening. "


def results(*names, snippet="A snippet on tides at Brest."):
    return tuple(SearchResult(f"Title {name}", f"https://{name}.example/", snippet) for name in names)


def found(query, *names, engine="one", **fields):
    return SearchOutcome(SearchStatus.RESULTS, engine, query, results(*names), **fields)


@dataclass
class Web:
    """Gives the outcomes it was told to, by query; an exception is raised."""

    outcomes: dict[str, tuple[SearchOutcome, ...] | Exception]
    asked: list[tuple[str, str]] = field(default_factory=list)
    helped: tuple[SearchOutcome, ...] = ()
    stuck: list[SearchOutcome] = field(default_factory=list)

    async def search(self, query, choice="auto", count=None):
        self.asked.append((query, choice))
        given = self.outcomes.get(query, ())
        if isinstance(given, Exception):
            raise given
        return given

    async def after_help(self, outcomes):
        self.stuck.extend(outcomes)
        return self.helped


@dataclass
class Pages:
    """Reads every address: a text of its own, unless it was told otherwise."""

    special: dict[str, WebPage] = field(default_factory=dict)
    hanging: frozenset[str] = frozenset()
    asked: list[str] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)

    async def read(self, url):
        self.asked.append(url)
        if url in self.hanging:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                self.cancelled.append(url)
                raise
        own = f"{TIDES}This is told by {url} with {hash(url) % 9973} words of its own kind. "
        return self.special.get(url) or WebPage(PageStatus.READ, url, f"Page {url}", own)


@dataclass
class Files:
    given: Retrieval | Exception
    asked: list[tuple[tuple[str, ...], tuple[str, ...], int]] = field(default_factory=list)

    async def retrieve(self, queries, scope, count):
        self.asked.append((tuple(queries), tuple(scope), count))
        if isinstance(self.given, Exception):
            raise self.given
        return self.given


def passage(text, kind=SourceKind.FILE):
    return Passage(kind, "notes.pdf", text, document=text[:8])


@dataclass
class Meanings:
    """Knows that a port is where tides are."""

    is_warm: bool = True
    is_slow: bool = False
    texts: list[str] = field(default_factory=list)
    asked: asyncio.Event = field(default_factory=asyncio.Event)

    async def compare(self, texts, pairs):
        self.texts.extend(texts)
        self.asked.set()
        if self.is_slow:
            await asyncio.Event().wait()
        return tuple(0.9 if "Breton" in texts[place] else 0.1 for _, place in pairs)


QUESTION = "How high is the tide at Brest?"
QUERY = "high tide Brest"


def gathered(places, **inquiry):
    async def run():
        return [event async for event in gather(GatherInput(**{"question": QUESTION, **inquiry}), places)]

    events = asyncio.run(run())
    assert isinstance(events[-1], GatherResult)
    steps = [event.step for event in events if isinstance(event, StepFinished)]
    begun = [event.step.id for event in events if isinstance(event, StepStarted)]
    assert begun == list(range(1, len(begun) + 1))
    assert sorted(step.id for step in steps) == begun
    return events[-1], steps


def of_kind(steps, kind):
    return [step for step in steps if step.kind is kind]


def test_results_are_read_and_become_passages_in_their_order():
    web = Web({QUERY: (found(QUERY, "a", "b", "c"),)})
    reader = Pages()
    result, steps = gathered(Retrievers(reader.read, web), result_count=2)
    assert [item.url for item in result.passages] == ["https://a.example/", "https://b.example/"]
    assert reader.asked == ["https://a.example/", "https://b.example/"]
    assert "six metres" in result.passages[0].text
    assert result.passages[0].kind is SourceKind.WEB
    search = of_kind(steps, StepKind.SEARCH)[0]
    assert (search.subject, search.status, search.count) == (QUERY, StepStatus.DONE, 3)
    assert [step.status for step in of_kind(steps, StepKind.READ)] == [StepStatus.DONE] * 2
    assert result.outcomes == (found(QUERY, "a", "b", "c"),)


def test_web_comes_before_files_and_files_before_memories():
    files = Files(Retrieval((passage("File says six metres."),)))
    memory = Files(Retrieval((passage("You sail at Brest.", SourceKind.MEMORY),)))
    web = Web({QUERY: (found(QUERY, "a"),)})
    result, _ = gathered(Retrievers(Pages().read, web, files, memory), scope=("base",))
    assert [item.kind for item in result.passages] == [SourceKind.WEB, SourceKind.FILE, SourceKind.MEMORY]
    assert files.asked == [((QUERY,), ("base",), 8)]


def test_files_that_say_nothing_are_a_step_and_part_of_the_trace():
    left = LeftOut(passage("Nothing of that."), "It says nothing.", SourceUse.IRRELEVANT)
    files = Files(Retrieval(left_out=(left,), is_unanswered=True))
    result, steps = gathered(Retrievers(Pages().read, knowledge=files), scope=("base",), web="off")
    (step,) = of_kind(steps, StepKind.KNOWLEDGE)
    assert (step.status, step.count) == (StepStatus.DONE, 0)
    assert "do not seem to answer this" in step.detail
    assert result.trace.has_unanswering_files
    assert [each.source_use for each in result.trace.sources] == [SourceUse.IRRELEVANT]


@cases("question, asked", [(QUESTION, (QUESTION,)), ("Shorten this: " + "word " * 100, ()), (" ", ())])
def test_memories_are_looked_at_without_asking_a_model_what_to_look_for(question, asked):
    memory = Files(Retrieval((passage("You sail at Brest.", SourceKind.MEMORY),)))
    _, steps = gathered(Retrievers(Pages().read, memory=memory), question=question, web="off")
    assert [step.kind for step in steps] == [StepKind.MEMORY] * bool(asked)
    assert [queries for queries, _, _ in memory.asked] == [asked] * bool(asked)


def test_memories_are_asked_for_the_question_and_for_what_it_was_made_into():
    memory = Files(Retrieval())
    gathered(Retrievers(Pages().read, Web({QUERY: (found(QUERY, "a"),)}), memory=memory))
    assert [queries for queries, _, _ in memory.asked] == [(QUESTION,), (QUESTION, QUERY)]


def test_what_is_remembered_of_the_person_is_not_searched_for_on_the_web():
    memory = Files(Retrieval((passage("My dog is called Rex.", SourceKind.MEMORY),)))
    web = Web({})
    result, steps = gathered(Retrievers(Pages().read, web, memory=memory), question="What is my dog called?")
    assert web.asked == []
    assert [found.text for found in result.passages] == ["My dog is called Rex."]
    assert result.trace.decider is Decider.MEMORY
    intent = next(step for step in steps if step.kind is StepKind.INTENT)
    assert intent.status is StepStatus.DONE
    assert "the web was not searched" in intent.detail


@cases("question", ["What is my dog called?", "Which food is good for a dog?"])
def test_a_model_that_chooses_queries_is_shown_no_memories(question):
    requests = []

    class Chooser:
        async def stream(self, request):
            requests.append(request)
            yield TextDelta("<lookup></lookup>")

    memory = Files(Retrieval((passage("My dog is called Rex.", SourceKind.MEMORY),)))
    files = Files(Retrieval())
    places = Retrievers(Pages().read, Web({}), files, memory)
    gathered(places, question=question, scope=("base",), model=Chooser(), model_name="small")
    (asked,) = requests
    assert "Rex" not in "".join(message.text for message in asked.messages)


@cases("private, searched", [((), ["peanuts", "cakes"]), (("peanuts",), ["cakes"])])
def test_queries_that_give_away_what_is_remembered_are_left_out_and_it_is_said(private, searched):
    class Chooser:
        async def stream(self, _request):
            asked = "".join(f"<question>{query}</question>" for query in ("peanuts", "cakes"))
            block = f"{asked}<rewrite>And for dessert?</rewrite>"
            yield TextDelta(f"<lookup><websearch>{asked}</websearch><knowledge>{block}</knowledge></lookup>")

    web, files = Web({}), Files(Retrieval())
    _, steps = gathered(
        Retrievers(Pages().read, web, files),
        question="And for dessert?",
        scope=("base",),
        model=Chooser(),
        model_name="small",
        gives_away=lambda queries: bool(set(private) & set(queries)),
    )
    assert sorted(query for query, *_ in web.asked) == sorted(searched)
    assert files.asked[0][0] == ("peanuts", "cakes"), "files are the user's own"
    (intent,) = of_kind(steps, StepKind.INTENT)
    assert ("1 query left out because" in intent.detail) is bool(private)


def test_queries_of_the_person_are_searched_for_whatever_is_remembered():
    memory = Files(Retrieval((passage("My dog is called Rex.", SourceKind.MEMORY),)))
    web = Web({})
    question = "What is my dog called?"
    gathered(
        Retrievers(Pages().read, web, memory=memory),
        question=question,
        intent=explicit_intent(question, ["dog names"]),
    )
    assert [query for query, _ in web.asked] == ["dog names"]


@cases("inquiry, kinds", [
    ({"web": "off"}, {StepKind.INTENT, StepKind.KNOWLEDGE}),
    ({"scope": ()}, {StepKind.INTENT, StepKind.SEARCH, StepKind.READ}),
    ({"web": "off", "scope": ()}, set()),
    ({"question": "Thanks!"}, {StepKind.INTENT}),
])  # fmt: skip
def test_only_what_is_switched_on_and_needed_is_asked(inquiry, kinds):
    files = Files(Retrieval((passage("File says six metres."),)))
    web = Web({QUERY: (found(QUERY, "a"),)})
    _, steps = gathered(Retrievers(Pages().read, web, files), **{"scope": ("base",), **inquiry})
    assert {step.kind for step in steps} == kinds


def test_the_engine_of_choice_is_asked():
    web = Web({QUERY: (found(QUERY, "a"),)})
    gathered(Retrievers(Pages().read, web), web="bing")
    assert web.asked == [(QUERY, "bing")]


def test_links_in_the_question_are_read_even_without_a_search():
    reader = Pages()
    result, steps = gathered(
        Retrievers(reader.read), question="What does https://x.example/a say?", web="off"
    )
    assert reader.asked == ["https://x.example/a"]
    assert [item.url for item in result.passages] == ["https://x.example/a"]
    assert of_kind(steps, StepKind.READ)[0].subject == "x.example"


def test_a_link_that_is_also_a_result_is_read_once():
    reader = Pages()
    question = f"{QUESTION} https://www.a.example/?utm_source=x"
    web = Web({QUERY: (found(QUERY, "a", "b"),)})
    result, _ = gathered(Retrievers(reader.read, web), question=question)
    assert len(reader.asked) == 2
    assert len(result.passages) == 2


def test_a_page_that_fails_leaves_its_snippet_its_reason_and_its_place_to_the_next():
    reader = Pages(
        {"https://a.example/": WebPage(PageStatus.BLOCKED, "https://a.example/", error="A captcha.")}
    )
    web = Web({QUERY: (found(QUERY, "a", "b", "c"),)})
    result, steps = gathered(Retrievers(reader.read, web), result_count=2)
    assert [item.text[:9] for item in result.passages] == ["A snippet", "The tide ", "The tide "]
    failed = next(step for step in of_kind(steps, StepKind.READ) if step.subject == "a.example")
    assert (failed.status, failed.count) == (StepStatus.DEGRADED, 0)
    assert failed.detail == "A captcha. Only its snippet was used."


def test_reading_stops_when_every_result_fails():
    names = [f"s{number}" for number in range(30)]
    urls = [f"https://{name}.example/" for name in names]
    reader = Pages({url: WebPage(PageStatus.OFFLINE, url, error="Offline.") for url in urls})
    result, _ = gathered(Retrievers(reader.read, Web({QUERY: (found(QUERY, *names),)})), result_count=3)
    assert len(reader.asked) == 9
    assert [item.url for item in result.passages] == urls[:9]


def test_a_page_that_hangs_is_given_up():
    reader = Pages(hanging=frozenset({"https://a.example/"}))
    web = Web({QUERY: (found(QUERY, "a", "b"),)})
    result, steps = gathered(Retrievers(reader.read, web), result_count=1, page_limit_s=0.05)
    assert reader.cancelled == ["https://a.example/"]
    assert {item.url for item in result.passages} == {"https://a.example/", "https://b.example/"}
    assert any("too long" in step.detail for step in of_kind(steps, StepKind.READ))


def test_text_that_the_engine_delivers_is_not_read_again():
    full = SearchResult("Full", "https://full.example/", "s", text=TIDES * 10)
    outcome = SearchOutcome(SearchStatus.RESULTS, "tavily", QUERY, (full, *results("a")))
    reader = Pages()
    result, _ = gathered(Retrievers(reader.read, Web({QUERY: (outcome,)})))
    assert reader.asked == ["https://a.example/"]
    assert "six metres" in result.passages[0].text


BLOCKED = SearchOutcome(SearchStatus.BLOCKED, "one", QUERY, error="One asks for a captcha.")
NOTHING = SearchOutcome(SearchStatus.NOTHING_FOUND, "two", QUERY)


@cases(
    "outcomes, status, words",
    [
        ((BLOCKED,), StepStatus.FAILED, "captcha"),
        ((BLOCKED, NOTHING), StepStatus.FAILED, "captcha"),
        ((NOTHING,), StepStatus.DONE, "Nothing was found."),
        ((), StepStatus.FAILED, "No search engine"),
        ((BLOCKED, found(QUERY, "a")), StepStatus.DEGRADED, "captcha"),
        ((found(QUERY, "a", notes=("Layout guessed.",)),), StepStatus.DEGRADED, "Layout guessed."),
        (UnknownEngine(engine="x", known="y"), StepStatus.FAILED, "There is no search engine"),
    ],
)
def test_how_a_search_went_is_said_in_its_step(outcomes, status, words):
    _, steps = gathered(Retrievers(Pages().read, Web({QUERY: outcomes})))
    step = of_kind(steps, StepKind.SEARCH)[0]
    assert step.status is status
    assert words in step.detail


class Writer:
    """A model that asks for two searches."""

    async def stream(self, request):
        from desktop.domain.models import FinishReason, StreamEnded, TextDelta

        yield TextDelta(
            "<lookup><websearch><question>tide Brest</question><question>Brest sea level</question></websearch>"
            "<knowledge><rewrite>How high is the tide at Brest?</rewrite><question>Tide at Brest?</question></knowledge></lookup>"
        )
        yield StreamEnded(FinishReason.STOP)


def test_one_failed_query_does_not_lose_the_others():
    web = Web(
        {"tide Brest": UnknownEngine(engine="x", known="y"), "Brest sea level": (found("q", "a", "b"),)}
    )
    files = Files(Retrieval((passage("File."),)))
    result, steps = gathered(Retrievers(Pages().read, web, files), model=Writer(), scope=("b",))
    assert len(result.passages) == 3
    assert sorted(step.status for step in of_kind(steps, StepKind.SEARCH)) == ["done", "failed"]
    assert files.asked[0][0] == ("Tide at Brest?",)
    assert of_kind(steps, StepKind.INTENT)[0].subject == "tide Brest · Brest sea level · Tide at Brest?"


def test_results_of_several_queries_share_the_pages():
    web = Web(
        {
            "tide Brest": (found("1", "a", "b", "c", "d"),),
            "Brest sea level": (found("2", "b", "x", "y", "z"),),
        }
    )
    reader = Pages()
    result, _ = gathered(Retrievers(reader.read, web), model=Writer(), result_count=4)
    assert len(reader.asked) == len(set(reader.asked)) == 4
    assert result.passages[0].url == "https://b.example/"  # both queries found it


def test_files_that_cannot_be_asked_do_not_lose_the_web():
    web = Web({QUERY: (found(QUERY, "a"),)})
    files = Files(IndexUnavailable(detail="the worker stopped."))
    result, steps = gathered(Retrievers(Pages().read, web, files), scope=("b",))
    assert len(result.passages) == 1
    step = of_kind(steps, StepKind.KNOWLEDGE)[0]
    assert (step.status, step.count) == (StepStatus.FAILED, 0)
    assert "worker stopped" in step.detail


def test_a_degraded_retrieval_says_so():
    files = Files(Retrieval((passage("File."),), ("Vectors are missing.",)))
    _, steps = gathered(Retrievers(Pages().read, None, files), scope=("b",))
    step = of_kind(steps, StepKind.KNOWLEDGE)[0]
    assert (step.status, step.detail) == (StepStatus.DEGRADED, "Vectors are missing.")


def test_all_passages_together_fit_the_room_and_what_is_left_out_is_said():
    names = ["a", "b", "c"]
    special = {
        url: WebPage(PageStatus.READ, url, name, (TIDES + f"{name} on {COOKING}") + COOKING * 300)
        for name in names
        if (url := f"https://{name}.example/")
    }
    files = Files(Retrieval(tuple(passage(f"{number} {TIDES * 5}") for number in range(20))))
    web = Web({QUERY: (found(QUERY, *names),)})
    result, steps = gathered(Retrievers(Pages(special).read, web, files), scope=("b",), budget_tokens=1000)
    assert sum(estimate_tokens(item.text) for item in result.passages) <= 1000
    assert {item.kind for item in result.passages} == {SourceKind.WEB, SourceKind.FILE}
    step = of_kind(steps, StepKind.CONTEXT)[0]
    assert step.status is StepStatus.DEGRADED
    assert "left out" in step.detail
    assert "shortened" in step.detail
    assert result.notes


def test_closing_cancels_all_work():
    reader = Pages(hanging=frozenset({"https://a.example/", "https://b.example/"}))

    async def run():
        events = gather(
            GatherInput(QUESTION, result_count=2),
            Retrievers(reader.read, Web({QUERY: (found(QUERY, "a", "b"),)})),
        )
        async for event in events:
            if isinstance(event, StepStarted) and event.step.subject == "b.example":
                break
        await asyncio.sleep(0)  # let the reading begin
        await events.aclose()
        return [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]

    assert asyncio.run(run()) == []
    assert sorted(reader.cancelled) == ["https://a.example/", "https://b.example/"]


def test_a_bug_in_a_part_is_not_swallowed():
    web = Web({QUERY: ValueError("a bug")})

    with pytest.raises(ExceptionGroup) as raised:
        gathered(Retrievers(Pages().read, web))
    assert raised.group_contains(ValueError, match="a bug")


def merge(candidates):
    return select(candidates, [QUERY], limit_tokens=10_000, mode=PassageMode.WHOLE).passages


def test_the_same_page_at_two_addresses_is_one():
    text = " ".join(f"word{number}" for number in range(300))
    framed = f"Home News Contact {text} Imprint and privacy"
    other = " ".join(f"other{number}" for number in range(300))
    kept = merge(
        [
            Candidate("https://a.example/x", "A", text),
            Candidate("https://mirror.example/x", "Mirror", framed),
            Candidate("http://www.a.example/x/?utm_source=y", "A again", "short"),
            Candidate("https://b.example/", "B", other),
        ]
    )
    assert [passage.title for passage in kept] == ["A", "B"]


def test_chinese_duplicates_are_recognised_and_excerpts_are_not():
    text = "".join(chr(0x4E00 + number * 7 % 5000) for number in range(600))
    kept = merge(
        [
            Candidate("https://a.example/", "A", text),
            Candidate("https://b.example/", "B", f"首页 新闻 {text}"),
            Candidate("https://c.example/", "C", text[:120]),
        ]
    )
    assert [passage.title for passage in kept] == ["A", "C"]


def test_a_page_replaces_a_snippet_of_itself():
    kept = merge(
        [
            Candidate("https://a.example/", "A", "snippet", is_snippet=True),
            Candidate("https://www.a.example", "", "the page"),
        ]
    )
    assert [(passage.title, passage.text) for passage in kept] == [("A", "the page")]


def test_room_that_one_page_does_not_need_goes_to_the_others():
    long = "".join(f"{TIDES}Number {number}. " for number in range(200))
    pages = [Candidate("https://a.example/", "A", long), Candidate("https://b.example/", "B", "Short tide.")]
    chosen = select(pages, ["tide Brest"], limit_tokens=1000, mode=PassageMode.PASSAGES)
    assert 800 < chosen.used_tokens <= 1000
    assert chosen.passages[1].text == "Short tide."


def test_only_what_answers_is_taken_however_much_room_there_is():
    text = COOKING * 100 + TIDES + COOKING * 100
    page = Candidate("https://a.example/", "A", text)
    chosen = select([page], ["tide Brest"], limit_tokens=2_000, mode=PassageMode.PASSAGES)
    assert TIDES.strip() in chosen.passages[0].text
    assert chosen.used_tokens < 800
    cut = select([page], ["tide Brest"], limit_tokens=1_000, mode=PassageMode.CUT)
    assert TIDES.strip() not in cut.passages[0].text
    assert cut.used_tokens > 900


def own_words(name: str, count: int) -> str:
    """Return a text that no other page has."""
    return f"{name} begins. " + " ".join(
        f"The {name} kitchen has {name}{number} pots on {name}{number}{number}." for number in range(count)
    )


def test_cut_off_gives_each_page_its_share_from_the_beginning():
    pages = [Candidate(f"https://{name}.example/", name, own_words(name, 200)) for name in "ab"]
    chosen = select(pages, ["tide Brest"], limit_tokens=1_000, mode=PassageMode.CUT)
    assert [passage.text[:9] for passage in chosen.passages] == ["a begins.", "b begins."]
    assert chosen.used_tokens <= 1_000


def test_off_gives_whole_pages_while_they_fit_and_says_what_was_left_out():
    pages = [Candidate(f"https://{name}.example/", name, own_words(name, 20)) for name in "abc"]
    size = estimate_tokens(pages[0].text)
    chosen = select(pages, ["tide Brest"], limit_tokens=2 * size + 100, mode=PassageMode.WHOLE)
    assert [passage.text for passage in chosen.passages] == [page.text.strip() for page in pages[:2]]
    assert chosen.left_out == 1
    assert any("lack of space" in note for note in chosen.notes)


def test_off_gives_the_beginning_of_a_page_that_is_longer_than_all_room():
    page = Candidate("https://a.example/", "A", "It begins. " + COOKING * 400)
    chosen = select([page], ["tide Brest"], limit_tokens=500, mode=PassageMode.WHOLE)
    assert chosen.passages[0].text.startswith("It begins.")
    assert 400 < chosen.used_tokens <= 500


def test_once_half_of_the_pages_are_read_nobody_waits_long_for_the_others(monkeypatch):
    monkeypatch.setattr("desktop.search.web_gatherer._UNNOTICED_S", 0.05)
    reader = Pages(hanging=frozenset({"https://c.example/"}))
    web = Web({QUERY: (found(QUERY, "a", "b", "c", "d"),)})
    result, steps = gathered(Retrievers(reader.read, web), result_count=3)
    assert reader.cancelled == ["https://c.example/"]
    assert "https://d.example/" not in reader.asked  # it would come as late
    assert [item.text for item in result.passages[2:]] == ["A snippet on tides at Brest."]
    slow = next(step for step in of_kind(steps, StepKind.READ) if step.subject == "c.example")
    assert (slow.status, "too long" in slow.detail) == (StepStatus.DEGRADED, True)


def test_what_an_engine_answers_after_the_person_has_helped_is_read_as_well():
    blocked = SearchOutcome(SearchStatus.BLOCKED, "two", QUERY, error="Two wants to see a person.")
    web = Web({QUERY: (blocked, found(QUERY, "a"))}, helped=(found(QUERY, "b", engine="two"),))
    result, steps = gathered(Retrievers(Pages().read, web), result_count=1)
    assert web.stuck == [blocked, found(QUERY, "a")]
    assert [item.url for item in result.passages] == ["https://a.example/", "https://b.example/"]
    assert [step.status for step in of_kind(steps, StepKind.SEARCH)] == [StepStatus.DEGRADED, StepStatus.DONE]
    assert [outcome.engine for outcome in result.outcomes] == ["two", "one", "two"]


def test_a_link_of_the_person_is_worth_the_wait(monkeypatch):
    monkeypatch.setattr("desktop.search.web_gatherer._UNNOTICED_S", 0.0)
    reader = Pages(hanging=frozenset({"https://mine.example/x"}))
    web = Web({})
    _, steps = gathered(
        Retrievers(reader.read, web),
        question="Compare https://mine.example/x with https://other.example/",
        page_limit_s=0.3,
    )
    assert reader.cancelled == ["https://mine.example/x"]
    assert "https://other.example/" in reader.asked
    assert {step.status for step in of_kind(steps, StepKind.READ)} == {StepStatus.DONE, StepStatus.FAILED}


@cases(
    "meanings, is_found",
    [(Meanings(), True), (Meanings(is_warm=False), False), (Meanings(is_slow=True), False)],
)
def test_the_meaning_of_passages_counts_where_it_is_known_in_time(meanings, is_found, monkeypatch):
    class SlowFiles(Files):
        """Answers once the passages of the page are being compared."""

        async def retrieve(self, queries, scope, count):
            if meanings.is_warm:
                await meanings.asked.wait()
            return await super().retrieve(queries, scope, count)

    near = "The Breton port sees high water climb far up the quay. "
    hot = "A high flame, high heat and high hopes do no good to a sauce that wants an evening and patience. "
    text = "\n".join([TIDES, *[hot * 4] * 4, *[COOKING] * 20, near, *[COOKING] * 20])
    page = WebPage(PageStatus.READ, "https://a.example/", "A", text)
    web = Web({QUERY: (found(QUERY, "a"),)})
    files = SlowFiles(Retrieval())
    places = Retrievers(Pages({"https://a.example/": page}).read, web, files, meanings=meanings)
    if is_found:
        monkeypatch.setattr("desktop.search.gather._PATIENCE_S", 60.0)
    result, _ = gathered(places, scope=("base",), result_count=1, budget_tokens=300)
    assert TIDES.strip() in result.passages[0].text
    assert (near.strip() in result.passages[0].text) is is_found
    assert bool(meanings.texts) is meanings.is_warm


def test_what_the_model_of_meanings_cannot_read_is_not_compared():
    meanings = Meanings()
    page = WebPage(PageStatus.READ, "https://a.example/", "A", "布列斯特的春季潮差大约有六米。" * 400)
    web = Web({QUERY: (found(QUERY, "a"),)})
    gathered(Retrievers(Pages({"https://a.example/": page}).read, web, meanings=meanings), result_count=1)
    assert meanings.texts == []


class Late:
    """A model that decides once `ready` is set, or never; `written` is what it decides."""

    def __init__(self, written, ready=None):
        self.written = written
        self.ready = ready
        self.is_closed = False

    async def stream(self, _request):
        try:
            await (self.ready or asyncio.Event()).wait()
            yield TextDelta(self.written)
        finally:
            self.is_closed = True


def late_run(written, outcomes, *, when_read="", pages=None, **inquiry):
    """Gather with a model that decides once `when_read` has been read, with keywords searched for at once."""
    web, reader = Web(outcomes), pages or Pages()

    async def run():
        ready = asyncio.Event() if when_read else None
        model = Late(written, ready)
        read = reader.read

        async def told(url):
            page = await read(url)
            if url == when_read:
                ready.set()
            return page

        reader.read = told
        given = GatherInput(QUESTION, model=model, model_name="m", keywords_after_s=0.0, **inquiry)
        events = [event async for event in gather(given, Retrievers(reader.read, web))]
        assert model.is_closed
        return events

    events = asyncio.run(run())
    steps = [event.step for event in events if isinstance(event, StepFinished)]
    begun = [event.step.id for event in events if isinstance(event, StepStarted)]
    assert sorted(step.id for step in steps) == begun
    return events[-1], steps, web, reader


def test_a_model_that_does_not_decide_in_time_costs_nothing_as_the_keywords_were_searched_for_meanwhile():
    class Timely(Pages):
        """Lets an hour go by once both have been read."""

        async def read(self, url):
            page = await super().read(url)
            if len(self.asked) > 1:
                loop = asyncio.get_running_loop()
                clock = loop.time
                loop.time = lambda: clock() + 3_600.0
            return page

    timed = []
    got, steps, web, reader = late_run(
        "",
        {QUERY: (found(QUERY, "a", "b"),)},
        pages=Timely(),
        intent_limit_s=60.0,
        on_timed=lambda seconds, is_finished: timed.append((seconds > 0, is_finished)),
    )
    assert web.asked == [(QUERY, "auto")]
    assert sorted(reader.asked) == ["https://a.example/", "https://b.example/"]
    assert [passage.url for passage in got.passages] == ["https://a.example/", "https://b.example/"]
    assert got.trace.decider is Decider.KEYWORDS
    order = [step.kind for step in steps]
    assert order.index(StepKind.INTENT) > max(
        place for place, kind in enumerate(order) if kind is StepKind.READ
    )
    assert timed == [(True, False)]


def test_a_model_that_decides_late_on_the_same_query_has_it_searched_for_once():
    written = f"<lookup><websearch><question>{QUERY}</question></websearch></lookup>"
    got, _, web, reader = late_run(
        written, {QUERY: (found(QUERY, "a", "b"),)}, when_read="https://a.example/"
    )
    assert (web.asked, sorted(reader.asked)) == (
        [(QUERY, "auto")],
        ["https://a.example/", "https://b.example/"],
    )
    assert len(got.passages) == 2
    assert got.trace.decider is Decider.MODEL


def test_a_model_that_decides_late_on_another_query_is_heeded_and_pages_are_not_read_twice():
    written = "<lookup><websearch><question>tides Brest height</question></websearch></lookup>"
    got, steps, web, reader = late_run(
        written,
        {
            QUERY: (found(QUERY, "a", "stuck"),),
            "tides Brest height": (found("tides Brest height", "c", "a"),),
        },
        when_read="https://a.example/",
        pages=Pages(hanging=frozenset({"https://stuck.example/"})),
    )
    assert web.asked == [(QUERY, "auto"), ("tides Brest height", "auto")]
    assert sorted(passage.url for passage in got.passages) == ["https://a.example/", "https://c.example/"]
    assert reader.asked.count("https://a.example/") == 1
    assert reader.cancelled == ["https://stuck.example/"]
    assert [search.query for search in got.trace.searches] == ["tides Brest height", QUERY]
    assert [outcome.query for outcome in got.outcomes] == ["tides Brest height"]
    (given_up,) = [step for step in of_kind(steps, StepKind.READ) if "Not needed" in step.detail]
    assert given_up.subject == "stuck.example"


def test_a_model_that_decides_late_that_nothing_is_needed_is_heeded():
    written = "<lookup><websearch><question>not_needed</question></websearch></lookup>"
    got, steps, _, reader = late_run(
        written,
        {QUERY: (found(QUERY, "a", "stuck"),)},
        when_read="https://a.example/",
        pages=Pages(hanging=frozenset({"https://stuck.example/"})),
    )
    assert (got.passages, got.outcomes) == ((), ())
    assert reader.cancelled == ["https://stuck.example/"]
    assert [search.query for search in got.trace.searches] == [QUERY]
    assert {step.status for step in steps} == {StepStatus.DONE}


def test_a_model_that_decides_at_once_has_no_search_beside_it():
    ready = asyncio.Event()
    ready.set()
    model = Late("<lookup><websearch><question>tides</question></websearch></lookup>", ready)
    web = Web({"tides": (found("tides", "a"),)})
    gathered(Retrievers(Pages().read, web), model=model, model_name="m")
    assert web.asked == [("tides", "auto")]


def test_closing_ends_the_search_beside_a_model_as_well():
    pages = Pages(hanging=frozenset({"https://stuck.example/"}))
    model = Late("")

    async def run():
        places = Retrievers(pages.read, Web({QUERY: (found(QUERY, "stuck"),)}))
        events = gather(GatherInput(QUESTION, model=model, model_name="m", keywords_after_s=0.0), places)
        async for event in events:
            if isinstance(event, StepStarted) and event.step.kind is StepKind.READ:
                break
        await asyncio.sleep(0)
        await events.aclose()

    asyncio.run(run())
    assert (pages.cancelled, model.is_closed) == (["https://stuck.example/"], True)


def test_a_bug_in_the_search_beside_a_model_is_not_swallowed():
    written = "<lookup><websearch><question>not_needed</question></websearch></lookup>"

    class Broken(Web):
        async def search(self, query, choice="auto", count=None):
            raise ZeroDivisionError

    async def run():
        ready = asyncio.Event()
        places = Retrievers(Pages().read, Broken({}))
        inquiry = GatherInput(QUESTION, model=Late(written, ready), model_name="m", keywords_after_s=0.0)
        async for event in gather(inquiry, places):
            if isinstance(event, StepStarted) and event.step.kind is StepKind.SEARCH:
                asyncio.get_running_loop().call_soon(ready.set)

    with pytest.raises(ExceptionGroup):
        asyncio.run(run())
