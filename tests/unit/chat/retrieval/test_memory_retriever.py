"""Only memories that bear on a question are found, in Chinese and English; switches are gone by."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from desktop.chat.api.engine import Question
from desktop.chat.disclosure import gives_away
from desktop.chat.memory_retriever import MOST, MemoryRetriever, match_memories
from desktop.chat.prompt import format_source
from desktop.chat.source_lookup import MemoryProvider
from desktop.domain.assistants import GENERAL
from desktop.domain.memory import Memory, MemoryOrigin
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.errors import StorageUnavailable
from desktop.settings.model import MemorySettings, Settings
from tests.cases import cases

pytestmark = pytest.mark.anyio

DAY = datetime(2026, 1, 2, tzinfo=UTC)

ASKED = {
    "My son Jonas has asthma and uses a salbutamol inhaler.": "Can a child with asthma go swimming?",
    "I moved to Lisbon in March.": "Which neighbourhoods of Lisbon are quiet?",
    "I am a freelance translator from German to English.": "What rates do freelance translators charge?",
    "My landlord is called Mr. Pereira.": "Write a letter to my landlord about the heating",
    "I run marathons and train four times a week.": "How should I taper before a marathon?",
    "We have two cats, Minka and Tiger.": "Which food is good for cats with bad teeth?",
    "I am lactose intolerant.": "Is ghee fine for lactose intolerant people?",
    "I use Obsidian for notes and Zotero for references.": "How do I export from Zotero to Obsidian?",
    "My favourite author is Ursula K. Le Guin.": "What should I read after The Dispossessed by Le Guin?",
    "I broke my left wrist in 2021.": "How long does a broken wrist hurt?",
    "The project deadline is 15 February.": "When is my project deadline?",
    "I drive an electric Renault Zoe.": "What is the range of the Renault Zoe in winter?",
    "My wife plays the piano.": "Piano pieces for two hands?",
    "我在腾讯做后端开发，主要用 Kotlin。": "Kotlin 语言的协程怎么用？",
    "我儿子叫小宇，今年五岁。": "给小宇选什么生日礼物？",
    "我有糖尿病，要控制糖分。": "糖尿病人能吃西瓜吗？",
    "我打算明年去日本京都旅行。": "京都什么时候看枫叶最好？",
    "我爸爸是左撇子。": "左撇子用什么剪刀？",
    "我用的是 MacBook Air M2。": "MacBook Air 能外接几个显示器？",
    "我们小区的物业电话是 8812 3456。": "物业电话是多少？",
    "我在学吉他，刚学会 C 和弦。": "吉他怎么转换和弦？",
    "我对花粉过敏，春天要戴口罩。": "花粉过敏吃什么药？",
    "我的硕士导师是王建国教授。": "给王建国教授写一封邮件",
}
UNRELATED = (
    "How do I center a div in CSS?",
    "What is the capital of Australia?",
    "Who wrote Faust?",
    "What time is it in Tokyo?",
    "Explain quantum entanglement",
    "Why do leaves turn red in autumn?",
    "What are good names for a boat?",
    "Recommend a film for tonight",
    "Who won the world cup in 2021?",
    "Hello",
    "",
    "光合作用是怎么回事？",
    "世界杯什么时候开始？",
    "今年的奥斯卡最佳影片是哪部？",
    "如何提高英语听力？",
    "李白是哪个朝代的诗人？",
    "谢谢",
)


def memories(*texts, **fields):
    return [Memory(f"k{n}", text, MemoryOrigin.SAID, DAY, DAY, **fields) for n, text in enumerate(texts)]


def find(query, known):
    return [memory.text for memory, _ in match_memories(known, [query])]


@cases("fact, query", ASKED.items())
def test_of_many_memories_the_one_that_bears_on_a_question_is_found_alone(fact, query):
    assert find(query, memories(*ASKED)) == [fact]


@cases("query", UNRELATED)
def test_a_question_about_something_else_brings_up_nothing(query):
    assert find(query, memories(*ASKED)) == []


def test_the_queries_made_of_a_question_count_as_well():
    known = memories("I am allergic to peanuts.", "I live in Oslo.")
    both = [memory.text for memory, _ in match_memories(known, ["peanut desserts", "bakeries Oslo"])]
    assert sorted(both) == sorted(["I am allergic to peanuts.", "I live in Oslo."])


async def test_no_more_than_a_handful_is_sent():
    known = memories(*(f"Peanut fact of the kind {letter}." for letter in "abcdefghij"))
    assert len((await MemoryRetriever(known).retrieve(["peanut"], (), 50)).passages) == MOST
    assert len((await MemoryRetriever(known).retrieve(["peanut"], (), 2)).passages) == 2


@cases(
    "origin, title",
    [(MemoryOrigin.SAID, "You said"), (MemoryOrigin.CONFIRMED, "Proposed by a model, confirmed by you")],
)
async def test_a_memory_becomes_a_source_behind_the_others(origin, title):
    (known,) = memories("I live in Oslo.")
    known = replace(known, origin=origin, changed_at=DAY.replace(day=9))
    retrieved = await MemoryRetriever([known]).retrieve(["Oslo"], (), 8)
    ledger = Ledger()
    ledger.register([Passage(SourceKind.WEB, "Oslo", "A city.", "https://a.example/"), *retrieved.passages])
    source = ledger.sources[1]
    assert (source.number, source.kind, source.key) == (2, SourceKind.MEMORY, "memory:k0")
    assert (source.title, source.text, source.published) == (title, "I live in Oslo.", "2026-01-09")
    assert "You said" not in format_source(source)
    assert "What the user asked to remember" in format_source(source)


async def known_here():
    return memories("I live in Oslo.") + memories("I cook for two.", assistant="cook")


def recall(settings=None, known=known_here):
    return MemoryProvider(known, lambda: settings or Settings()).place


async def test_an_assistant_knows_what_is_for_all_and_what_is_for_it():
    everybody = await recall()(Question("?", "c"))
    cook = await recall()(Question("?", "c", assistant=replace(GENERAL, id="cook")))
    assert [memory.text for memory in everybody.memories] == ["I live in Oslo."]
    assert [memory.text for memory in cook.memories] == ["I live in Oslo.", "I cook for two."]


async def test_where_memory_is_off_or_empty_nobody_looks():
    async def empty():
        return ()

    off = Settings(memory=MemorySettings(is_on=False))
    assert await recall(off)(Question("?", "c")) is None
    assert await recall()(Question("?", "c", uses_memory=False)) is None
    assert await recall(known=empty)(Question("?", "c")) is None


async def test_memories_that_cannot_be_read_are_said_and_hold_up_nothing():
    async def broken():
        raise StorageUnavailable(path="/x.db", detail="no permission")

    place = await recall(known=broken)(Question("?", "c"))
    retrieval = await place.retrieve(["Oslo"], (), 8)
    assert retrieval.passages == ()
    assert "no permission" in retrieval.notes[0]


def ledger_of(*told):
    """Return sources: memories, and pages where a text begins with `page:`."""
    ledger = Ledger()
    for number, text in enumerate(told):
        kind = SourceKind.WEB if text.startswith("page:") else SourceKind.MEMORY
        ledger.register([Passage(kind, "t", text, url=f"https://e.org/{number}", document=f"m{number}")])
    return ledger.sources


@cases(
    "queries, told, said, tells",
    [
        (["bakeries Lisbon"], ["I moved to Lisbon in March."], "Bakeries near me?", True),
        (["bakeries"], ["I moved to Lisbon in March."], "Bakeries near me?", False),
        (["bakeries Lisbon"], ["I moved to Lisbon in March."], "Bakeries in Lisbon?", False),
        (["bakeries Lisbon"], ["I moved to Lisbon.", "page: Bread of Lisbon"], "Bakeries?", False),
        (["bakeries", "1250-096"], ["My postcode is 1250-096."], "Bakeries near me?", True),
        (["who lives at 0048"], ["My house has the number 0048."], "Who lives here?", True),
        (["top 10 films to watch today"], ["I watch 10 films a week."], "Good films?", False),
        (["京都 枫叶 时间"], ["我打算明年去日本京都旅行。"], "什么时候看枫叶最好？", True),
        (["枫叶 时间"], ["我打算明年去日本京都旅行。"], "什么时候看枫叶最好？", False),
        (["anything"], ["page: anything"], "", False),
        (["anything"], [], "", False),
        ([], ["I moved to Lisbon."], "", False),
    ],
)
def test_queries_that_name_what_only_memories_know_give_it_away(queries, told, said, tells):
    assert gives_away(queries, ledger_of(*told), [said]) is tells
