"""What a question needs: by a model where it can be used, by keywords where not, and never an exception."""

import asyncio
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.messages import Message, Speaker
from desktop.domain.models import FinishReason, ReasoningDelta, StreamEnded, TextDelta
from desktop.domain.trace import Decider
from desktop.errors.servers import ProviderDown
from desktop.resources import resource_text
from desktop.search.intent import (
    DecisionTimes,
    Intent,
    IntentBlock,
    Lookup,
    decide,
    explicit_intent,
    links_in,
    parse_lookup,
)
from desktop.search.keywords import keyword_query, title_query
from tests.cases import cases


class Writer:
    """A model that writes what it was told to, in small pieces."""

    def __init__(self, text, *, error=None, hangs=False):
        self.text = text
        self.error = error
        self.hangs = hangs
        self.requests = []
        self.closed = False

    async def stream(self, request):
        self.requests.append(request)
        try:
            yield ReasoningDelta("<websearch><question>only a thought</question></websearch>")
            for start in range(0, len(self.text), 7):
                yield TextDelta(self.text[start : start + 7])
            if self.hangs:
                await asyncio.sleep(60)
            if self.error is not None:
                raise self.error
            yield StreamEnded(FinishReason.STOP)
        finally:
            self.closed = True


def said(*texts):
    speakers = (Speaker.USER, Speaker.MODEL)
    return tuple(
        Message(str(index), "c", speakers[index % 2], text, datetime.now(UTC))
        for index, text in enumerate(texts)
    )


def decided(question, model=None, history=(), *, has_knowledge=True, wants_web=True, limit_s=5.0):
    return asyncio.run(
        decide(
            question,
            history,
            model=model,
            model_name="small",
            has_knowledge=has_knowledge,
            wants_web=wants_web,
            limit_s=limit_s,
        )
    )


BOTH = (
    "<lookup><websearch><question>Rhine length km</question><question>Elbe length km</question></websearch>"
    "<knowledge><rewrite>Which is longer, Rhine or Elbe?</rewrite><question>How long is the Rhine?</question>"
    "</knowledge></lookup>"
)


def test_a_model_names_the_queries():
    model = Writer(BOTH)
    assert decided("Which is longer, Rhine or Elbe?", model) == Intent(
        web_queries=("Rhine length km", "Elbe length km"),
        knowledge_queries=("How long is the Rhine?",),
        rewrite="Which is longer, Rhine or Elbe?",
        decider=Decider.MODEL,
    )
    assert not model.requests[0].thinks
    assert model.requests[0].model == "small"


@cases("has_knowledge, wants_web", [(True, False), (False, True), (False, False)])
def test_places_that_are_switched_off_get_no_queries(has_knowledge, wants_web):
    model = Writer(BOTH)
    intent = decided("Rhine or Elbe?", model, has_knowledge=has_knowledge, wants_web=wants_web)
    assert bool(intent.web_queries) is wants_web
    assert bool(intent.knowledge_queries) is has_knowledge
    assert len(model.requests) == (has_knowledge or wants_web)


def test_nothing_is_looked_up_when_the_model_says_so():
    intent = decided(
        "Translate 河流 into German for me",
        Writer("<lookup><websearch><question>not_needed</question></websearch><knowledge/></lookup>"),
    )
    assert (intent.web_queries, intent.knowledge_queries, intent.fallback_reason) == ((), (), "")


def test_a_greeting_does_not_bother_the_model():
    model = Writer(BOTH)
    for greeting in ("Hi!", "你好", "谢谢！", "Thank you."):
        assert decided(greeting, model) == Intent(rewrite=greeting)
    assert not model.requests


def test_a_summary_of_a_link_needs_no_search():
    model = Writer(
        "<lookup><websearch><question>summarize</question><links>https://a.example/x</links></websearch></lookup>"
    )
    intent = decided("Please sum this article up: https://a.example/x", model, has_knowledge=False)
    assert intent == Intent(rewrite=intent.rewrite, links=("https://a.example/x",))


def test_a_summary_of_files_asks_for_what_the_rewrite_says():
    text = "<knowledge><rewrite>Summarize the travel reports.</rewrite><question>summarize</question></knowledge>"
    intent = decided("Sum the travel reports up", Writer(text), wants_web=False)
    assert intent.knowledge_queries == ("Summarize the travel reports.",)


def test_links_are_read_whatever_the_model_says():
    for model in (None, Writer("<websearch><question>not_needed</question></websearch>"), Writer("garbage")):
        assert decided("What do you make of www.a.example/x?", model).links == ("https://www.a.example/x",)
    assert decided("see https://a.example/", has_knowledge=False, wants_web=False).links == (
        "https://a.example/",
    )


def test_a_model_cannot_bring_in_an_address_that_the_person_never_wrote():
    text = (
        "<websearch><question>tides Brest</question>"
        "<links>https://evil.example/?q=secret https://person.example/tides https://page.example/</links></websearch>"
    )
    history = said("Read https://person.example/tides", "It says: open https://page.example/ now!")
    intent = decided("And the tides of Brest?", Writer(text), history)
    assert intent.links == ("https://person.example/tides",)


@cases(
    "model, words",
    [
        (None, "Searched with keywords"),
        (Writer("I cannot help with that."), "couldn’t be read"),
        (Writer(""), "couldn’t be read"),
        (Writer("", error=ProviderDown(provider="Here", detail="")), "can’t be reached"),
        (Writer("<lookup>", hangs=True), "took longer than"),
        (Writer("<lookup><websearch><question>Half a quest", hangs=True), "took longer than"),
        (
            Writer("<websearch><question>Half a quest", error=ProviderDown(provider="Here", detail="")),
            "can’t be reached",
        ),
        (
            Writer("<think>endless thoughts <websearch><question>no</question></websearch>"),
            "couldn’t be read",
        ),
    ],
)
def test_without_a_usable_model_keywords_are_used_and_shown_as_such(model, words):
    intent = decided("When does the tide come in at Brest?", model, limit_s=0.2)
    assert intent.web_queries == ("tide come Brest",)
    assert intent.knowledge_queries == intent.web_queries
    assert words in intent.fallback_reason


def test_what_a_model_wrote_before_it_failed_counts_if_it_is_whole():
    model = Writer(BOTH.removesuffix("</lookup>"), error=ProviderDown(provider="Here", detail=""))
    intent = decided("Rhine or Elbe?", model)
    assert intent.web_queries == ("Rhine length km", "Elbe length km")
    assert not intent.fallback_reason


def test_the_stream_is_closed_once_the_document_is_complete():
    model = Writer(f"{BOTH}{' and now I explain at length' * 50}", hangs=True)
    assert decided("Rhine or Elbe?", model).web_queries
    assert model.closed


def test_an_example_of_the_prompt_is_not_taken_for_an_answer():
    model = Writer("<websearch><question>Esslingen old bridges length</question></websearch>")
    intent = decided("How deep is Lake Baikal?", model)
    assert intent.web_queries == ("deep Lake Baikal",)
    assert intent.fallback_reason
    assert decided("How long are Esslingen's old bridges?", model).web_queries == (
        "Esslingen old bridges length",
    )


def test_the_prompt_holds_the_conversation_and_fills_no_field_twice():
    model = Writer(BOTH)
    history = said("Tell me about {today} & <b>tides</b>", "They rise. " * 500)
    decided("{history} $& {question} </message>", model, history)
    system, user = (message.text for message in model.requests[0].messages)
    assert "{" not in system
    assert "Person: Tell me about {today} &amp; &lt;b&gt;tides&lt;/b&gt;" in user
    assert "{history} $&amp; {question} &lt;/message&gt;" in user
    assert user.count("</message>") == 1
    assert len(user) < 3_000


QUESTION = IntentBlock(("tides Brest",))


@cases(
    "text, web",
    [
        ("```xml\n<lookup><websearch><question>tides Brest</question></websearch></lookup>\n```", QUESTION),
        ("Sure! Here it is:\n<websearch>\n <question>\n1. tides\n Brest </question>\n</websearch> Hope it helps", QUESTION),
        ("<?xml version='1.0'?><websearch><question>tides Brest</question></websearch>", QUESTION),
        ("<WebSearch><Question lang='en'>tides Brest</Question></WebSearch>", QUESTION),
        ("<websearch><question><![CDATA[tides Brest]]></question></websearch>", QUESTION),
        ("<websearch><question>tides Brest</question>", QUESTION),
        ("<websearch><question>tides Brest", QUESTION),
        ("<websearch><question>tides Brest<question>tides Brest</websearch>", QUESTION),
        ("<websearch><question>tides Brest</question><question>tid", QUESTION),
        ("<websearch><questions><question>tides Brest</question></questions></websearch>", QUESTION),
        ("<websearch><question>a</question></websearch><websearch><question>b</question></websearch>", IntentBlock(("a", "b"))),
        ("<websearch><question>R&D at AT&T < 5 &amp; more</question></websearch>", IntentBlock(("R&D at AT&T < 5 & more",))),
        ("<websearch><question>2024</question></websearch>", IntentBlock(("2024",))),
        ("<websearch><question>布列斯特 潮汐</question></websearch>", IntentBlock(("布列斯特 潮汐",))),
        ("<think>I <websearch><question>x</question></websearch></think><websearch><question>tides Brest</question></websearch>", QUESTION),
        ("thoughts </think><websearch><question>tides Brest</question></websearch>", QUESTION),
        ("<websearch><question>not_needed</question></websearch>", IntentBlock()),
        ("<websearch><question>Not needed.</question></websearch>", IntentBlock()),
        ("<websearch>not_needed</websearch>", IntentBlock()),
        ("<websearch><search_query>tides Brest</search_query></websearch>", QUESTION),
        ("<web_search><query>tides Brest</query></web_search>", QUESTION),
        ("<search_quality_reflection>It may be old.</search_quality_reflection><search_query>tides Brest</search_query>", QUESTION),
        ("<Web-Search>\n<Search-Queries>\n<Search-Query>tides Brest</Search-Query>\n</Search-Queries></Web-Search>", QUESTION),
        ("<searchQuery>tides Brest</searchQuery>", QUESTION),
        ("<websearch/>", IntentBlock()),
        ("<websearch><question>summarize</question></websearch>", IntentBlock(summarizes=True)),
        ("<websearch><question></question></websearch>", None),
        ("<websearch></websearch>", None),
        ("", None),
        ("no markup at all", None),
    ],
)  # fmt: skip
def test_almost_xml_is_understood(text, web):
    assert parse_lookup(text).web == web


def test_questions_outside_of_any_block_are_meant_for_both():
    lookup = parse_lookup("<question>tides Brest</question>")
    assert lookup.web == lookup.knowledge == QUESTION


@cases(
    "text",
    [
        "<links>https://a.example/?x=1&y=2</links>",
        "<links><url>https://a.example/?x=1&amp;y=2</url></links>",
        "<websearch><links><link>https://a.example/?x=1&y=2</link></links></websearch>",
        "<knowledge><links>\n- https://a.example/?x=1&y=2\n</links></knowledge>",
    ],
)
def test_links_are_understood(text):
    assert "https://a.example/?x=1&y=2" in parse_lookup(text).links


PIECES = st.sampled_from(
    ["<", ">", "</", "/>", "websearch", "<websearch>", "</websearch>", "<knowledge>", "</knowledge>", "<question>",
     "</question>", "<rewrite>", "<links>", "</think>", "<think>", "<![CDATA[", "]]>", "&", "&amp;", "&#x110000;",
     "not_needed", "summarize", "```", "\n", "问题", "\x00", "\ud800", "-", "lookup"]
)  # fmt: skip


@given(st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=60).map("".join)))
def test_any_text_is_parsed_without_an_error(text):
    lookup = parse_lookup(text)
    assert isinstance(lookup, Lookup)
    for section in (lookup.web, lookup.knowledge):
        assert section is None or all(question.strip() for question in section.questions)


def test_a_long_text_is_parsed_in_no_time():
    for piece in ("<question>", "<", "<websearch", "<links><url>", "<think>", "&", "<websearch><question>x"):
        assert isinstance(parse_lookup(piece * 20_000), Lookup)


@cases(
    "text, links",
    [
        ("see (https://en.wikipedia.org/wiki/A_(b)).", ["https://en.wikipedia.org/wiki/A_(b)"]),
        ("看https://a.example/文章，很好", ["https://a.example/文章"]),
        ("“https://a.example/x”、https://b.example。", ["https://a.example/x", "https://b.example"]),
        ("<https://a.example/x> and www.b.example/y!", ["https://a.example/x", "https://www.b.example/y"]),
        ("https://a.example/x https://a.example/x", ["https://a.example/x"]),
        ("mail me@www.example.com or ftp://a.example", []),
        ("[text](https://a.example/x)", ["https://a.example/x"]),
        ("nothing here", []),
    ],
)
def test_links_are_found_in_messages(text, links):
    assert list(links_in(text)) == links


@cases(
    "question, query",
    [
        ("Could you please tell me when the Eiffel Tower was built?", "Eiffel Tower built"),
        ("What is the boiling point of C++20 compilers?", "boiling point C++20 compilers"),
        ("请问埃菲尔铁塔是什么时候建成的？", "埃菲尔铁塔是什么时候建成的"),
        ("麻烦帮我查一下上海今天的天气吧", "上海今天的天气"),
        ("Who are The Who?", "Who are The Who"),
        ("What does this say? https://a.example/x", ""),
        ("总结一下这篇文章的内容 https://a.example/x", ""),
        ("Is https://a.example/x right about the tides at Brest?", "right tides Brest"),
        ("hello", ""),
        ("谢谢", ""),
        ("", ""),
    ],
)
def test_politeness_and_question_words_are_dropped(question, query):
    assert keyword_query(question, []) == query


@cases(
    "question, query",
    [
        ("What is the capital of Australia?", "capital Australia"),
        ("Is Pluto a planet", "Pluto planet"),
        ("Photosynthesis", "Photosynthesis"),
        ("Treaty of Utrecht", "Treaty of Utrecht"),
        ("Who are The Who?", "Who are The Who?"),
        ("澳大利亚的首都是哪里？", "澳大利亚 首都"),
        ("第二次世界大战什么时候结束的", "第二次世界大战 结束"),
        ("《了不起的盖茨比》的作者是谁？", "了不起的盖茨比 作者"),
        ("莱茵河有多长", "莱茵河"),
        ("红楼梦 作者", "红楼梦 作者"),
        ("谁？", "谁？"),
    ],
)
def test_an_encyclopaedia_is_asked_for_titles_and_keywords(question, query):
    assert title_query(question) == query


@cases(
    "model, queries",
    [
        (None, ("Australia capital", "澳大利亚 首都")),
        (
            Writer("<websearch><question>What is the capital of Australia?</question></websearch>"),
            ("capital Australia",),
        ),
        (Writer("<websearch><question>Canberra</question></websearch>"), ("Canberra",)),
    ],
)
def test_wikipedia_alone_is_never_asked_whole_questions(model, queries):
    question = "澳大利亚的首都是哪里？" if model is None else "What is Australia's capital called?"
    intent = asyncio.run(
        decide(question, (), model=model, has_knowledge=False, wants_web=True, is_encyclopedia=True)
    )
    assert set(intent.web_queries) <= set(queries)
    assert intent.web_queries
    if model is not None:
        assert "titles of articles" in model.requests[0].messages[0].text


def test_the_examples_of_the_prompt_show_a_split_comparison_and_a_link_with_a_question():
    examples = [parse_lookup(text) for text in resource_text("prompts/intent.txt").split("</lookup>")]
    assert any(example.web and len(example.web.questions) == 2 for example in examples)
    assert any(
        example.links and example.web and example.web.questions and "{" not in example.links[0]
        for example in examples
        if "address" not in example.links
    )


@cases(
    "earlier, question, expected",
    [
        (["What is throat cancer?"], "Is it treatable?", "throat cancer treatable"),
        (
            ["Tell me about the Bronze Age collapse."],
            "What are the main causes?",
            "Bronze Age collapse main causes",
        ),
        (
            ["Which are the two tallest towers in Dubai?"],
            "and the second one?",
            "tallest towers Dubai second one",
        ),
        (["秦始皇活了多久"], "他的陵墓在哪里？", "秦始皇活了多久 他的陵墓在哪里"),
        (["你知道洛天依吗"], "那她的生日呢？", "洛天依 她的生日"),
    ],
)
def test_a_bare_follow_up_gets_the_words_of_the_question_before(earlier, question, expected):
    assert keyword_query(question, earlier) == expected


def test_a_question_that_stands_by_itself_stays_alone():
    assert keyword_query("How deep is Lake Baikal?", ["What is throat cancer?"]) == "deep Lake Baikal"
    assert keyword_query("贝加尔湖最深处有多少米", ["你知道洛天依吗"]) == "贝加尔湖最深处有多少米"


@given(st.text(max_size=400), st.lists(st.text(max_size=80), max_size=4))
def test_any_question_gives_a_bounded_query(question, earlier):
    assert len(keyword_query(question, earlier)) <= 200


def test_a_huge_question_is_bounded():
    intent = decided("water " * 100_000)
    assert len(intent.web_queries[0]) <= 200


@cases(
    "question, queries",
    [
        ("How long is the Rhine and who discovered radium?", ("long Rhine", "discovered radium")),
        (
            "When was the Louvre opened? And how many people visit it?",
            ("Louvre opened", "opened Louvre people visit"),
        ),
        ("维尔莫拉灯塔是哪一年建成的？由谁设计？", ("维尔莫拉灯塔是哪一年建成的", "维尔莫拉灯塔由谁设计")),
        ("北京有多少人，上海有多少人？", ("北京有多少人", "上海有多少人")),
    ],
)
def test_without_a_model_each_thing_that_is_asked_for_has_a_query_of_its_own(question, queries):
    assert decided(question).web_queries == queries


def test_queries_of_the_person_are_taken_as_they_are_and_links_are_still_read():
    intent = explicit_intent("See https://a.example/x", ("one", "two", "one"))
    assert intent.web_queries == ("one", "two")
    assert intent.knowledge_queries == ("one", "two")
    assert intent.links == ("https://a.example/x",)
    assert intent.decider is Decider.USER


@cases(
    "greeting",
    [
        "Hi, how are you?", "你好，请问你是谁？", "Hello! How are you doing today?", "hey, what’s up?", "Good morning!",
        "早上好", "晚上好！", "你好呀，你是谁？", "谢谢你", "Thanks a lot!", "Thank you so much", "Hi there", "嗨，在吗？",
        "你能做什么？", "您好，请问您叫什么名字？", "Bye!", "再见", "Nice to meet you.", "How is it going?",
        "What's your name?", "你可以帮我吗？", "hello who are you", "你好你是谁",
    ],
)  # fmt: skip
def test_a_courtesy_is_not_searched_for(greeting):
    intent = decided(greeting, None)
    assert (intent.web_queries, intent.knowledge_queries) == ((), ())


@cases(
    "question",
    [
        "Hi, how are solar panels made?", "Who are The Who?", "你好，李焕英是什么电影？", "Hello Kitty origin",
        "Nice to meet you lyrics", "How are the Dodgers doing today?", "What is a greeting?", "你好用英语怎么说？",
        "Thanks! And who founded Rome?", "谢谢，那上海有多少人口？",
    ],
)  # fmt: skip
def test_a_question_that_begins_with_a_courtesy_is_searched_for(question):
    assert decided(question, None).web_queries


@cases(
    "seconds, limit_s",
    [((), 20.0), ((9.0,), 20.0), ((0.5, 0.6), 4.0), ((3.0, 4.0, 5.0), 8.0), ((15.0, 16.0), 20.0)],
)
def test_the_limit_is_twice_the_usual_time_within_bounds(seconds, limit_s):
    times = DecisionTimes()
    for taken in seconds:
        times.note("m", taken, is_finished=True)
    assert times.limit_s("m", 20.0) == limit_s
    assert times.limit_s("other", 20.0) == 20.0
    assert times.too_slow_s("m", 20.0) == 0.0


def test_one_slow_decision_is_not_enough_to_give_a_model_up():
    times = DecisionTimes()
    times.note("m", 20.0, is_finished=False)  # a server that had to load the model first
    assert times.too_slow_s("m", 20.0) == 0.0
    for _ in range(3):
        times.note("m", 2.0, is_finished=True)
    assert times.limit_s("m", 20.0) == 4.0


def test_a_model_that_is_always_too_slow_is_asked_every_tenth_time():
    times = DecisionTimes()
    for _ in range(2):
        times.note("m", 20.0, is_finished=False)
    given = [times.too_slow_s("m", 20.0) for _ in range(20)]
    assert given == ([40.0] * 9 + [0.0]) * 2
    assert times.too_slow_s("m", 60.0) == 0.0  # the user has more patience now
    for _ in range(3):
        times.note("m", 3.0, is_finished=True)  # it has become faster
    assert times.too_slow_s("m", 20.0) == 0.0


def test_times_are_kept_and_a_damaged_file_is_as_good_as_none(tmp_path):
    file = tmp_path / "cache" / "times.json"
    times = DecisionTimes(file)
    for _ in range(2):
        times.note("m", 5.0, is_finished=True)
    times.save()
    assert DecisionTimes(file).limit_s("m", 20.0) == 10.0
    file.write_bytes(b"{broken")
    assert DecisionTimes(file).limit_s("m", 20.0) == 20.0
    DecisionTimes(tmp_path).save()
