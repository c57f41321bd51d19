"""A turn with tools: what they find joins the conversation's sources, and models without calls get them too."""

import asyncio
import json
from contextlib import aclosing

import pytest

from desktop.chat.api.engine import Question
from desktop.chat.source_lookup import GatherRequest, SelectedModel
from desktop.chat.tools.executor import as_step
from desktop.chat.tools.toolset import Toolset
from desktop.domain.events import SourcesAdded, StepFinished, ToolAsks, ToolReturned, TurnFinished
from desktop.domain.messages import MessageStatus, StepKind, StepStatus
from desktop.domain.models import (
    QUOTES_MODEL,
    FinishReason,
    StreamEnded,
    TextDelta,
    ToolCallDelta,
    ToolSpec,
)
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.domain.tools import Consent, Tool, ToolResult, always
from desktop.errors.servers import ToolsRefused
from desktop.search.gather import GatherResult
from desktop.settings.model import ChatSettings, SearchSettings, Settings
from desktop.storage.conversation_store import ConversationStore
from tests.cases import cases
from tests.turns import ask
from tests.unit.chat.turn.test_runner import Bench, web

pytestmark = pytest.mark.anyio

STOP = StreamEnded(FinishReason.STOP)
CALLED = StreamEnded(FinishReason.TOOL_CALLS)


class TalkingModel:
    """Answers its requests one after the other."""

    def __init__(self, *replies) -> None:
        self.replies = list(replies)
        self.requests = []

    async def stream(self, request):
        self.requests.append(request)
        for item in self.replies.pop(0):
            if isinstance(item, BaseException):
                raise item
            yield item


def finding(*titles, **fields):
    async def work(_arguments):
        return ToolResult(passages=tuple(map(web, titles)))

    tool = Tool(
        ToolSpec("find", "Finds.", {"type": "object"}),
        lambda arguments: as_step(StepKind.SEARCH, "find", lambda: work(arguments)),
        **fields,
    )

    async def tools(_request, _ledger):
        return (tool,)

    return tools


async def run(tmp_path, model, *, tools, passages=(), decide=None):
    store = ConversationStore(tmp_path)
    try:
        context = Bench(store, model, passages, tools=tools)
        question = await context.question()
        events = []
        async with aclosing(ask(context.runner, question)) as turn:
            async for event in turn:
                events.append(event)
                if isinstance(event, ToolAsks):
                    await context.runner.decide(event.id, decide)
        return events, await store.load(question.conversation_id)
    finally:
        await store.close()


async def test_what_a_tool_finds_is_numbered_behind_what_was_gathered_and_kept(tmp_path):
    model = TalkingModel(
        [ToolCallDelta(0, "c1", "find", "{}"), CALLED], [TextDelta("Ada [1], Bob [2]."), STOP]
    )
    events, stored = await run(tmp_path, model, tools=finding("b", "a"), passages=[web("a")])
    message = events[-1].message
    assert isinstance(events[-1], TurnFinished)
    assert message.offered == (1, 2)
    assert [source.title for source in stored.sources] == ["a", "b"]
    assert [
        [source.number for source in event.sources] for event in events if isinstance(event, SourcesAdded)
    ] == [[1], [2, 1]]
    assert stored.messages[-1] == message
    assert message.steps[-2].kind is StepKind.SEARCH


async def test_a_model_that_refuses_tools_is_given_them_in_writing_and_from_then_on(tmp_path):
    call = '<tool name="find">{}</tool>'
    model = TalkingModel(
        [ToolsRefused(provider="X", detail="")], [TextDelta(call), STOP], [TextDelta("Ada [1]."), STOP]
    )
    events, stored = await run(tmp_path, model, tools=finding("a"))
    assert stored.messages[-1].text == "Ada [1]."
    assert stored.messages[-1].status is MessageStatus.COMPLETE
    assert [bool(request.tools) for request in model.requests] == [True, False, False]
    assert "find: Finds." in model.requests[1].messages[0].text
    ends = (event.step for event in events if isinstance(event, StepFinished))
    refused = next(step for step in ends if step.kind is StepKind.ANSWER)
    assert refused.status is StepStatus.DEGRADED
    assert all(step.status is not StepStatus.RUNNING for step in stored.messages[-1].steps)


async def test_a_model_that_writes_calls_into_its_text_is_given_tools_in_writing(tmp_path):
    call = '<tool_call>{"name": "find", "arguments": {}}</tool_call>'
    model = TalkingModel([TextDelta(call), STOP], [TextDelta(call), STOP], [TextDelta("Ada [1]."), STOP])
    _events, stored = await run(tmp_path, model, tools=finding("a"))
    assert stored.messages[-1].text == "Ada [1]."
    assert [source.title for source in stored.sources] == ["a"]
    assert [bool(request.tools) for request in model.requests] == [True, False, False]


async def test_a_call_beside_an_answer_is_left_out_of_it_and_that_is_said(tmp_path):
    pieces = [
        "Ada built it.\n<function=fi",
        "nd>\n<parameter=x>1</parameter>",
        "\n</function>\n",
        "Bob `<tool_call>` not.",
    ]
    model = TalkingModel([*map(TextDelta, pieces), STOP])
    _events, stored = await run(tmp_path, model, tools=finding("a"))
    assert stored.messages[-1].text == "Ada built it.\n\nBob `<tool_call>` not."
    (left_out,) = [step for step in stored.messages[-1].steps if "not shown" in step.detail]
    assert left_out.status is StepStatus.DEGRADED


@cases("consent, is_error", [(Consent.ONCE, False), (Consent.NO, True)])
async def test_a_turn_waits_for_the_person_where_a_tool_asks(tmp_path, consent, is_error):
    model = TalkingModel([ToolCallDelta(0, "c1", "find", "{}"), CALLED], [TextDelta("Done."), STOP])
    events, _ = await run(tmp_path, model, tools=finding("a", asks=always, server="lab"), decide=consent)
    (asks,) = [event for event in events if isinstance(event, ToolAsks)]
    assert (asks.server, asks.call.name) == ("lab", "find")
    (returned,) = [event for event in events if isinstance(event, ToolReturned)]
    assert returned.is_error is is_error


async def test_a_turn_that_is_stopped_while_a_tool_asks_ends(tmp_path):
    model = TalkingModel([TextDelta("Let me see."), ToolCallDelta(0, "c1", "find", "{}"), CALLED])
    store = ConversationStore(tmp_path)
    try:
        context = Bench(store, model, tools=finding("a", asks=always))
        question = await context.question()
        async with asyncio.timeout(20), aclosing(ask(context.runner, question)) as turn:
            async for event in turn:
                if isinstance(event, ToolAsks):
                    break
        stored = await store.load(question.conversation_id)
        assert stored.messages[-1].status is MessageStatus.STOPPED
        assert stored.messages[-1].text == "Let me see."
    finally:
        await store.close()


class Recorder:
    """Stands for the rooms that are looked into; says what was asked of them."""

    def __init__(self) -> None:
        self.asked = []

    async def look_up(self, request, intent, where, _emit):
        self.asked.append((request.budget_tokens, intent, where))
        return GatherResult((web("found"),))


async def no_servers():
    return ()


def toolset(engines=("bing", "wikipedia"), **chat):
    recorder = Recorder()
    settings = Settings(chat=ChatSettings(**chat), search=SearchSettings(engine_order=engines))
    return Toolset(lookup=recorder, settings=lambda: settings, servers=no_servers), recorder


def request(model_id="some/model", **fields):
    question = Question(fields.pop("text", "Who?"), "c", model=model_id, **fields)
    return GatherRequest(question, (), SelectedModel(TalkingModel(), model_id, "m"), 6_000)


async def names(made, **fields):
    return [tool.spec.name for tool in await made.tools(request(**fields), Ledger())]


async def test_tools_go_by_the_switches_of_the_question():
    made, _ = toolset()
    web_tools = ["web_search", "wikipedia_search", "read_page"]
    assert await names(made) == web_tools
    assert await names(made, bases=("b",)) == [*web_tools, "knowledge_search"]
    assert await names(made, web="off", bases=("b",)) == ["knowledge_search"]
    assert await names(made, web="off") == []
    assert await names(made, model_id=QUOTES_MODEL) == []
    assert await names(toolset(uses_tools=False)[0]) == []


async def test_wikipedia_is_asked_only_where_the_person_has_it_among_the_engines():
    without, _ = toolset(engines=("bing",))
    assert await names(without) == ["web_search", "read_page"]
    assert await names(without, web="wikipedia") == ["wikipedia_search", "read_page"]


async def test_each_tool_looks_where_it_says():
    made, recorder = toolset(context_tokens=16_000)
    arguments = {"queries": ["tides", "tides", "moon"], "url": "https://e.org/x", "question": "why"}
    for tool in await made.tools(request(web="bing", bases=("b",)), Ledger()):
        results = [event async for event in tool.run(arguments)]
        assert [passage.title for passage in results[-1].passages] == ["found"]
    looked = [
        (where, intent.web_queries, intent.knowledge_queries, intent.links)
        for _, intent, where in recorder.asked
    ]
    assert looked == [
        ("bing", ("tides", "moon"), (), ()),
        ("wikipedia", ("tides", "moon"), (), ()),
        ("off", (), (), ("https://e.org/x",)),
        ("off", (), ("tides", "moon"), ()),
    ]
    assert {budget for budget, _, _ in recorder.asked} == {4_000}


@cases(
    "address, asks",
    [
        ("https://example.org/a", False),
        ("https://in.question.example/page", False),
        ("https://in.text.example/of/source", False),
        ("https://evil.example/?q=my+secret", True),
        ("https://example.org/a?leak=my+secret", True),
    ],
)
async def test_an_address_that_nobody_showed_is_opened_only_with_consent(address, asks):
    ledger = Ledger()
    ledger.register([web("a", "See https://in.text.example/of/source for more.")])
    made, _ = toolset()
    tools = await made.tools(request(text="Read https://in.question.example/page"), ledger)
    (reads,) = [tool for tool in tools if tool.spec.name == "read_page"]
    assert reads.asks({"url": address}) is asks


async def test_a_page_that_was_found_is_read_by_its_number_without_asking():
    ledger = Ledger()
    ledger.register([web("a", "Words."), Passage(SourceKind.FILE, "f", "Words.", url="file:///f")])
    made, recorder = toolset()
    (reads,) = [tool for tool in await made.tools(request(), ledger) if tool.spec.name == "read_page"]
    assert not reads.asks({"source": 1})
    assert reads.asks({"source": 2, "url": "https://evil.example/?q=my+secret"})
    async with aclosing(reads.run({"source": 1, "url": "https://evil.example/?q=my+secret"})) as events:
        assert [event async for event in events]
    assert [intent.links for _, intent, _ in recorder.asked] == [("https://example.org/a",)]
    for nowhere in ({}, {"source": 2}, {"source": 3}):
        assert not reads.asks(nowhere)
        async with aclosing(reads.run(nowhere)) as events:
            (refused,) = [event async for event in events]
        assert refused.is_error
    assert len(recorder.asked) == 1


async def reads_of(ledger, text="Read on"):
    made, _ = toolset()
    tools = await made.tools(request(text=text), ledger)
    (reads,) = [tool for tool in tools if tool.spec.name == "read_page"]
    return reads


@cases("kind", [SourceKind.WEB, SourceKind.FILE])
async def test_names_below_one_domain_are_of_one_owner_and_spell_nothing(kind):
    listed = [f"https://x{place}-{digit}.evil.co.uk/" for place in range(6) for digit in range(10)]
    ledger = Ledger()
    ledger.register([Passage(kind, "a", " ".join(listed), url="https://e.org/list", document="d")])
    reads = await reads_of(ledger)
    spelled = [f"https://x{place}-{digit}.evil.co.uk/" for place, digit in enumerate("427193")]
    assert [reads.asks({"url": address}) for address in spelled] == [False] * 3 + [True] * 3


async def test_many_domains_spell_no_more_than_a_few_letters_either():
    listed = [f"https://x{number}.example{number}.com/" for number in range(40)]
    ledger = Ledger()
    ledger.register([web("a", " ".join(listed))])
    reads = await reads_of(ledger)
    assert [reads.asks({"url": address}) for address in listed].count(False) == 12


async def test_a_host_and_a_path_that_the_model_has_composed_ask_at_once():
    ledger = Ledger()
    ledger.register([web("a", "Go to https://evil.com/ or https://x.evil.com/page?a=1")])
    reads = await reads_of(ledger)
    for address in ("https://evil.com/4271", "https://4271.evil.com/", "https://x.evil.com/page?a=2"):
        assert reads.asks({"url": address})
    assert not reads.asks({"url": "https://x.evil.com/page?a=1"})


@cases("tool", ["web_search", "wikipedia_search"])
async def test_words_of_a_file_go_into_queries_only_with_consent(tool):
    ledger = Ledger()
    ledger.register([Passage(SourceKind.FILE, "a.txt", "The code is 427193, says Juniper.", document="d")])
    made, _ = toolset()
    tools = await made.tools(request(text="Who says it?"), ledger)
    (searches,) = [each for each in tools if each.spec.name == tool]
    assert not searches.asks({"queries": ["who says it"]})
    assert searches.asks({"queries": ["who is Juniper"]})
    assert searches.asks({"queries": ["NDI3MTkz"]}), "base64"
    for digit in "427":
        assert not searches.asks({"queries": [f"weather {digit}"]})
    assert searches.asks({"queries": ["weather 1"]}), "with the earlier ones it spells the code"


@cases("tool", ["web_search", "wikipedia_search"])
async def test_a_search_for_what_only_a_memory_knows_is_made_only_with_consent(tmp_path, tool):
    fact = Passage(SourceKind.MEMORY, "You said", "I live in Lisbon.", document="m1")
    queries = ["Who?", "hotels", "hotels Lisbon"]
    calls = [ToolCallDelta(n, f"c{n}", tool, json.dumps({"queries": [q]})) for n, q in enumerate(queries)]
    model = TalkingModel([*calls, CALLED], [TextDelta("Done."), STOP])
    made, recorder = toolset()
    events, _ = await run(tmp_path, model, tools=made.tools, passages=[fact], decide=Consent.NO)
    (asks,) = [event for event in events if isinstance(event, ToolAsks)]
    assert (asks.call.id, asks.server) == ("c2", "")
    assert {intent.web_queries for _, intent, _ in recorder.asked} == {("Who?",), ("hotels",)}
    refused = [event.call.id for event in events if isinstance(event, ToolReturned) and event.is_error]
    assert refused == ["c2"]


async def test_the_person_is_told_why_tools_of_a_server_are_missing(tmp_path):
    store = ConversationStore(tmp_path)
    try:
        model = TalkingModel([TextDelta("Without it, then."), STOP])
        problems = ("The tool server “Files” couldn’t be started.",)
        context = Bench(store, model, (), tools=finding(), tool_problems=lambda _request: problems)
        async with aclosing(ask(context.runner, await context.question())) as turn:
            steps = [event.step async for event in turn if isinstance(event, StepFinished)]
    finally:
        await store.close()
    (told,) = [step for step in steps if step.kind is StepKind.TOOL]
    assert (told.status, told.detail) == (StepStatus.FAILED, problems[0])
