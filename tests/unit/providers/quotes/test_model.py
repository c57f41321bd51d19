"""The built-in model: quotes that answer, words when nothing does, and no markup of anyone else's."""

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from desktop.domain.models import FinishReason, ModelRequest, TextDelta
from desktop.domain.search import SearchStatus
from desktop.domain.sources import TEXT_JOIN, Locator, Source, SourceKind
from desktop.providers.quotes.extraction import wants_new_text
from desktop.providers.quotes.model import QUOTES, QuotesModel, as_text
from desktop.render.message import render_message
from tests.cases import cases
from tests.unit.providers.requests import Answer

pytestmark = pytest.mark.anyio


def source(number, text, title=""):
    return Source(
        number=number,
        kind=SourceKind.WEB,
        key=str(number),
        title=title,
        url=f"https://example.org/{number}",
        host="example.org",
        locator=Locator(),
        text=text,
        text_hash="",
        read_at=datetime.now(UTC),
    )


async def events_of(question, *sources, judge=None):
    request = ModelRequest(QUOTES.id, (), question=question, references=sources)
    return [event async for event in QuotesModel(judge=judge).stream(request)]


async def reply(question, *sources, judge=None):
    answer = Answer()
    for event in await events_of(question, *sources, judge=judge):
        answer.take(event)
    assert answer.reason is FinishReason.STOP
    return answer.text


def split_quotes(text):
    """The quotes of an answer as (sentence, marks)."""
    lines = [line.removeprefix("- ") for line in text.split("\n\n")[1:]]
    return [tuple(line.rsplit(" ", 1)) for line in lines]


EIFFEL = source(
    3,
    "The Eiffel Tower stands in Paris. It was designed by the engineers of Gustave Eiffel. "
    "Construction began in 1887 and the tower was opened on 31 March 1889. Many people visit it every year.",
    "Eiffel Tower",
)
LOUVRE = source(
    4,
    "The Louvre is the most visited museum in the world. It was opened in 1793.",
    "Louvre",
)
GREAT_WALL = source(
    7,
    "万里长城位于中国北部。明长城总长度为8851.8公里。长城的修筑始于西周时期。很多游客每年来这里参观。",
    "长城",
)


async def test_the_sentence_that_answers_is_quoted_with_its_number():
    text = await reply("When was the Eiffel Tower opened?", LOUVRE, EIFFEL)

    assert text.startswith("From the sources:")
    assert (
        "Construction began in 1887 and the tower was opened on 31 March 1889.",
        "[3]",
    ) in split_quotes(text)


async def test_what_markdown_needs_for_headings_and_pictures_is_not_quoted():
    slides = source(
        5,
        "## The harbour of Velmora\n\n![The harbour of Velmora seen from the north.](harbour.png)\n\n"
        "The harbour of Velmora silted up in 1702.",
        "Slides",
    )
    assert split_quotes(await reply("What about the harbour of Velmora?", slides)) == [
        ("The harbour of Velmora silted up in 1702.", "[5]"),
    ]


async def test_an_item_of_a_list_is_quoted_without_its_bullet():
    recipe = source(
        8,
        "Ingredients of the bread:\n\n- 250 g flour of rye\n* 7 g yeast\n• 1 spoon of salt\n",
        "Bread of rye",
    )
    assert split_quotes(await reply("How much flour is in the bread of rye?", recipe))[0] == (
        "250 g flour of rye",
        "[8]",
    )
    quoted = await reply("Summarize this document", recipe)
    assert "\\" not in quoted
    assert "•" not in quoted


async def test_a_sentence_is_quoted_before_rows_of_a_table_that_share_its_words():
    manual = source(
        6,
        "| Log in | Input | user name and password |\n| --- | --- | --- |\n| Log in | Output | a message |\n\n"
        "To log in, type your user name and your password.",
        "Manual",
    )
    assert split_quotes(await reply("What must I type to log in?", manual)) == [
        ("To log in, type your user name and your password.", "[6]"),
    ]


async def test_a_chinese_question_is_answered_in_chinese():
    text = await reply("明长城总长度是多少？", EIFFEL, GREAT_WALL)

    assert text.startswith("资料中这样写道：")
    assert split_quotes(text)[0] == ("明长城总长度为8851.8公里。", "[7]")


async def test_a_pronoun_is_understood_from_the_title():
    text = await reply("Who designed the Eiffel Tower?", EIFFEL)

    designed = "The Eiffel Tower stands in Paris. It was designed by the engineers of Gustave Eiffel."
    assert (designed, "[3]") in split_quotes(text)


async def test_the_answer_arrives_in_pieces():
    events = await events_of("When was the Eiffel Tower opened?", EIFFEL)

    assert sum(isinstance(event, TextDelta) for event in events) >= 2


async def test_what_two_sources_say_is_quoted_once_with_both_numbers():
    again = source(
        9,
        "Facts. The tower was opened on 31 March 1889, and construction began in 1887.",
        "Facts of the tower",
    )
    [(sentence, marks), *rest] = split_quotes(await reply("When was the Eiffel Tower opened?", EIFFEL, again))

    assert "31 March 1889" in sentence
    assert marks == "[3][9]"
    assert not any("31 March 1889" in other for other, _ in rest)


async def test_reports_that_differ_in_a_number_are_both_quoted():
    one = source(1, "The fire in the old market killed 12 people on Sunday.", "Fire")
    two = source(2, "The fire in the old market killed 14 people on Sunday.", "Fire")

    quotes = split_quotes(await reply("How many people did the fire in the old market kill?", one, two))

    assert sorted(marks for _, marks in quotes) == ["[1]", "[2]"]


async def test_the_sentence_that_answers_comes_first():
    text = await reply("Who designed the Eiffel Tower?", EIFFEL)
    sentences = [sentence for sentence, _ in split_quotes(text)]

    assert "Gustave Eiffel" in sentences[0]
    assert len(sentences) <= 3


async def test_parts_that_do_not_touch_are_not_read_together():
    text = f"The tower was opened in 1889{TEXT_JOIN}by nobody in particular."
    quotes = split_quotes(await reply("When was the tower opened?", source(1, text, "Tower")))

    assert [sentence for sentence, _ in quotes] == ["The tower was opened in 1889"]


@cases(
    "question, words",
    [
        (
            "What is the boiling point of tungsten carbide?",
            "None of the sources found (2) answers this question",
        ),
        ("如何申请新西兰的工作签证？", "都没有回答这个问题"),
        ("?", "None of the sources"),
        ("", "None of the sources"),
    ],
)
async def test_sources_of_another_subject_are_not_quoted(question, words):
    text = await reply(question, EIFFEL, LOUVRE)

    assert words in text
    assert "[3]" not in text
    assert "[4]" not in text


@cases(
    "question, ways_out",
    [
        ("When was the Eiffel Tower opened?", ("web search", "add files", "Settings")),
        ("埃菲尔铁塔是什么时候建成的？", ("联网搜索", "添加文件", "设置")),
    ],
)
async def test_without_sources_it_says_so_and_what_to_do(question, ways_out):
    for sources in ((), (source(1, ""), source(2, "  \n "))):
        text = await reply(question, *sources)
        assert all(way in text for way in ways_out)


@cases("question", ["Summarize this document", "What is this file about?", "总结一下这篇文章的主要内容"])
async def test_a_wish_for_a_summary_gets_the_central_sentences(question):
    quotes = split_quotes(await reply(question, EIFFEL))

    assert quotes[0][0] == "The Eiffel Tower stands in Paris."
    assert all(sentence in EIFFEL.text for sentence, _ in quotes)


async def test_a_summary_of_a_subject_stays_with_the_subject():
    quotes = split_quotes(await reply("Summarize the construction of the Eiffel Tower", LOUVRE, EIFFEL))

    assert {marks for _, marks in quotes} == {"[3]"}


async def test_it_stays_short():
    long = source(
        1, " ".join(f"The tower has a story number {number} that is told here." for number in range(200))
    )

    assert len(split_quotes(await reply("What is the story of the tower?", long))) <= 6


async def test_text_without_sentences_is_survived():
    blob = source(1, "tower " * 5_000)
    table = source(2, "tower | 1889\n" * 500)

    assert await reply("When was the tower opened?", blob, table)


HOSTILE = (
    "The tower opened [9] in **1889** <img src=x onerror=alert(1)> [click](javascript:alert(1)) `code` "
    "【2】［3］ $x$ &lt;b&gt; https://evil.example/x www.evil.example me@evil.example \\[y\\] \\(z\\) ![i](http://e.example)."
)


async def test_a_hostile_page_brings_neither_markup_nor_links_nor_citations():
    text = await reply("When was the tower opened?", source(1, HOSTILE, "Tower"))

    shown = render_message(text, dict.fromkeys(range(10), "x"))

    assert shown.cited == (1,)
    assert shown.unknown == ()
    for tag in ("<img", "<strong", "<code", "<math", "<b>"):
        assert tag not in shown.html
    assert shown.html.count("href=") == 1, "the mark of the source itself"


@cases(
    "sentence",
    [
        "It costs $5 [sic], about 30~40 * 2 a_b (x < y).",
        "价格约为5元（含税）～10元。",
        "C# & F# are fast: 10 > 9!",
    ],
)
def test_ordinary_sentences_stay_readable_unrendered(sentence):
    assert as_text(sentence) == sentence


def text_of(html):
    from html.parser import HTMLParser

    pieces = []
    parser = HTMLParser()
    parser.handle_data = pieces.append
    parser.feed(html)
    parser.close()
    return "".join(pieces)


significant = st.text(alphabet="ab1 \\`*_{}[]<>#+-.!|~$()&;:/@=^'\"？，【】［］好\t", min_size=1, max_size=40)


@given(significant)
@example("1. one")
@example("# one")
@example("+ one")
@example("=== one")
@example("&amp; &#65; &copy;")
@example("[^1] [x]: http://a.b")
@example("http://a.example/ www.a.example a@b.example")
@example("\\[x\\] \\(y\\) $z$")
@example("~~~ and ```")
@example("[a]: http://x.example 'y'")
@example("[a] [b](c) [d][e] [f [g](h)](i)")
@example(HOSTILE)
def test_a_quote_shows_exactly_its_text(written):
    sentence = " ".join(written.split())
    if not sentence:
        return
    line = f"- {as_text(sentence)} [1]"

    plain = MarkdownIt("commonmark").enable(["strikethrough", "table"]).render(line)
    ours = render_message(line, {1: "x", 2: "y", 9: "z"})

    assert text_of(plain).strip() == f"{sentence} [1]"
    assert plain.replace("<ul>", "").replace("<li>", "").count("<") == 2, "nothing but the list itself"
    assert ours.cited == (1,)
    assert "<a href=" not in ours.html
    assert "<math" not in ours.html


RHINE = source(
    5, "The Rhine is a river in Europe. It is about 1,233 kilometres long. Ships use it every day.", "Rhine"
)
RADIUM = source(6, "Radium is a chemical element. It was discovered by Marie Curie and Pierre Curie in 1898.")


def parts_of(text):
    """What was asked and what is quoted for it, by its heading."""
    _, *parts = text.split("\n\n**")
    return {part.partition("**")[0]: part.partition("**")[2] for part in parts}


async def test_every_part_of_a_question_is_answered_under_its_own_words():
    parts = parts_of(await reply("How long is the Rhine and who discovered radium?", RHINE, RADIUM))

    assert list(parts) == ["How long is the Rhine?", "Who discovered radium?"]
    assert "1,233 kilometres" in parts["How long is the Rhine?"]
    assert "[5]" in parts["How long is the Rhine?"]
    assert "Marie Curie" in parts["Who discovered radium?"]
    assert "[6]" in parts["Who discovered radium?"]


async def test_a_later_part_means_what_the_first_was_about():
    parts = parts_of(await reply("When was the Eiffel Tower opened, and who designed it?", LOUVRE, EIFFEL))
    assert "31 March 1889" in parts["When was the Eiffel Tower opened?"]
    assert "Gustave Eiffel" in parts["Who designed it?"]

    parts = parts_of(await reply("长城的总长度是多少？什么时候开始修筑？", GREAT_WALL, EIFFEL))
    assert "8851.8" in parts["长城的总长度是多少？"]
    assert "西周" in parts["什么时候开始修筑？"]
    assert "8851.8" not in parts["什么时候开始修筑？"]


async def test_a_later_part_means_the_thing_of_the_first():
    bridge = (source(1, "The bridge is 820 metres long."), source(2, "The bridge was built by Ada Krol."))
    parts = parts_of(await reply("How long is the bridge and who built it?", *bridge))
    assert "820" in parts["How long is the bridge?"]
    assert "Ada Krol" in parts["Who built it?"]


async def test_a_chinese_part_is_answered_by_a_sentence_that_is_cut_into_other_words():
    async def judge(question, texts, *, of_sentences):
        return [
            0.9 if ("多高" in question and "塔高" in text) or "设计" in question else 0.1 for text in texts
        ]

    tower = "天和塔建于1934年，由建筑师林树声设计。塔高86米，共有12层。1998年进行了全面维修，2003年重新开放。"
    answer = await reply("天和塔是谁设计的？有多高？", source(1, tower, "天和塔"), judge=judge)
    assert "林树声" in answer
    assert "86米" in answer
    assert "没有回答" not in answer


@cases(
    "question, heading, quote",
    [
        (
            "How long is the Rhine and who discovered radium and how many kilometres long is the Rhine?",
            "How long is the Rhine? How many kilometres long is the Rhine?",
            "about 1,233 kilometres",
        ),
        (
            "明长城有多长？什么时候开始修筑？长城的总长度是多少？",
            "明长城有多长？长城的总长度是多少？",
            "8851.8公里",
        ),
    ],
)
async def test_two_questions_that_one_sentence_answers_share_it(question, heading, quote):
    text = await reply(question, RHINE, RADIUM, GREAT_WALL)
    assert text.count(quote) == 1
    assert quote in parts_of(text)[heading]


async def test_a_part_that_no_source_answers_says_so():
    parts = parts_of(await reply("When was the Eiffel Tower opened, and how many bolts has it?", EIFFEL))
    assert "1889" in parts["When was the Eiffel Tower opened?"]
    assert parts["How many bolts has it?"].strip() == "The sources found do not answer this."

    parts = parts_of(await reply("How long is the Rhine and who invented the telephone?", RHINE))
    assert "1,233" in parts["How long is the Rhine?"]
    assert parts["Who invented the telephone?"].strip() == "The sources found do not answer this."


@cases(
    "web, english, chinese",
    [
        (None, "Your files do not seem to answer this", "你的文件似乎没有回答"),
        (SearchStatus.OFFLINE, "can’t be reached", "无法连接"),
    ],
)
async def test_files_that_say_nothing_are_told_of(web, english, chinese):
    for question, words in (("How long is the Rhine?", english), ("莱茵河有多长？", chinese)):
        request = ModelRequest(QUOTES.id, (), question=question, web=web, has_unanswering_files=True)
        events = [event async for event in QuotesModel().stream(request)]
        assert words in events[0].text


@cases("sources", [(), (EIFFEL,)])
async def test_searching_the_web_is_proposed_only_where_it_was_not_searched(sources):
    for question, words in (
        ("Where do penguins live?", "web search"),
        ("企鹅住在哪里？", "联网搜索"),
    ):
        for web in (None, SearchStatus.RESULTS):
            request = ModelRequest(QUOTES.id, (), question=question, references=sources, web=web)
            text = "".join(
                [event.text async for event in QuotesModel().stream(request) if isinstance(event, TextDelta)]
            )
            assert (words in text) is (web is None)
            assert "{" not in text


@cases(
    "web, english, chinese",
    [
        (SearchStatus.OFFLINE, "can’t be reached", "无法连接"),
        (SearchStatus.TIMED_OUT, "in time", "及时"),
        (SearchStatus.BLOCKED, "refused", "拒绝"),
        (SearchStatus.LAYOUT_CHANGED, "couldn’t be read", "无法读懂"),
        (SearchStatus.NOTHING_FOUND, "found nothing", "没有找到"),
        (SearchStatus.RESULTS, "no sources to quote", "没有可以引用"),
        (None, "no sources to quote", "没有可以引用"),
    ],
)
async def test_without_sources_the_answer_says_why(web, english, chinese):
    for question, words in (("How long is the Rhine?", english), ("莱茵河有多长？", chinese)):
        request = ModelRequest(QUOTES.id, (), question=question, web=web)
        events = [event async for event in QuotesModel().stream(request)]
        assert words in events[0].text


@cases(
    "request",
    [
        "write a poem",
        "Can you write a poem about the sea?",
        "Please translate this into French",
        "Write a Python function that sorts a list",
        "Fix this code",
        "tell me a joke",
        "Draft an email to my boss asking for leave",
        "Rewrite this paragraph in a friendlier tone",
        "Hello!",
        "what is 12*7?",
        "(3 + 4) / 2 = ?",
        "Write a rock-poem in C++ style",
        "Come up with five names for a cat café",
        "Give me ideas for a birthday party",
        "写一首诗",
        "请把这段话翻译成英文",
        "翻译：早上好",
        "讲个笑话",
        "写一封请假邮件",
        "帮我写个 Python 函数",
        "润色这段文字",
        "请帮我起一个英文名字",
        "12乘以7等于多少",
        "你好",
    ],
)
async def test_what_quotes_cannot_do_is_said_whatever_was_found(request):
    answer = await reply(request, EIFFEL)
    assert answer.startswith(("**Quotes** only copies sentences", "**原文摘录**只会摘录资料中的句子"))
    assert "[3]" not in answer


@cases(
    "question",
    [
        "Who wrote the poem The Raven?",
        "How do I write a function in Python?",
        "Who translated the Iliad into English?",
        "Write a summary of my files",
        "Tell me the story of the lighthouse",
        "Give me the names of the keepers",
        "Imagine Dragons members",
        "2024/2025 Premier League winner",
        "What is 9/11?",
        "2024-11-27",
        "write " + "-" * 60,
        "write a table | --- " + "| --- " * 60,
        "(" * 10_000 + "1+1" + " " * 10_000 + "x",
        "谁写了《静夜思》这首诗？",
        "《红楼梦》最早是谁翻译成英文的？",
        "计算机是谁发明的？",
        "写信的人是谁？",
        "想知道他的名字",
        "来信的时间",
    ],
)
def test_a_question_that_sources_answer_is_no_wish_for_new_text(question):
    assert not wants_new_text(question)
