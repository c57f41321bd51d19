"""What questions ask for."""

import time

from desktop.chat.source_lookup import asks_for_gist
from desktop.providers.quotes.answer_type import AnswerType, detect_answer_type, spans_of_type, subject_of
from desktop.providers.quotes.extraction import names_no_subject, wants_summary
from tests.cases import cases


@cases(
    "question, wanted",
    [
        ("How many moons does Mars have?", AnswerType.NUMBER),
        ("火星有多少颗卫星？", AnswerType.NUMBER),
        ("2021年中国电影市场总票房", AnswerType.NUMBER),
        ("When did the war end?", AnswerType.DATE),
        ("这座桥是哪一年建成的？", AnswerType.DATE),
        ("Who wrote Hamlet?", AnswerType.PERSON),
        ("《红楼梦》的作者是谁", AnswerType.PERSON),
        ("Which city hosted the games?", AnswerType.PLACE),
        ("故宫在哪里？", AnswerType.PLACE),
        ("Which team won the cup?", AnswerType.NAME),
        ("2022年澳网男单冠军", AnswerType.NAME),
        ("2023年票房最高的三部电影", AnswerType.NAME),
        ("布林肯访华时间", AnswerType.DATE),
        ("Why is the sky blue?", AnswerType.REASON),
        ("天空为什么是蓝色的？", AnswerType.REASON),
        ("What is a monad?", AnswerType.DEFINITION),
        ("什么是向量数据库", AnswerType.DEFINITION),
        ("How do I install it?", AnswerType.MANNER),
        ("如何安装这个软件？", AnswerType.MANNER),
        ("Python asyncio", None),
        ("", None),
    ],
)
def test_the_kind_of_answer_is_read_from_the_question(question, wanted):
    assert detect_answer_type(question) is wanted


@cases(
    "wanted, sentence, known, has",
    [
        (AnswerType.NUMBER, "Mars has two moons.", (), True),
        (AnswerType.NUMBER, "共有12人死亡。", (), True),
        (AnswerType.NUMBER, "2021年很热。", ("2021",), False),
        (AnswerType.DATE, "It ended in May 1945.", (), True),
        (AnswerType.DATE, "2021年举行。", ("2021",), False),
        (AnswerType.DATE, "2021年5月举行。", ("2021",), True),
        (AnswerType.DATE, "It ended soon.", (), False),
        (AnswerType.NUMBER, "It opened on 3 May 2021.", (), False),
        (AnswerType.DATE, "始于西周时期。", (), True),
        (AnswerType.NAME, "The cup went to Northford United.", (), True),
        (AnswerType.NAME, "The cup was big.", (), False),
        (AnswerType.PERSON, "It was written by William Shakespeare.", (), True),
        (AnswerType.PERSON, "It was written long ago.", (), False),
        (AnswerType.PERSON, "这本书由曹雪芹所写。", (), True),
        (AnswerType.PERSON, "这本书很厚。", (), False),
        (AnswerType.PLACE, "比赛在北京举行。", (), True),
        (AnswerType.REASON, "因为空气会散射光线。", (), True),
        (AnswerType.MANNER, "First, open the menu.", (), True),
        (AnswerType.DEFINITION, "A monad is a structure.", (), True),
        (AnswerType.DEFINITION, "Monads are hard.", (), False),
    ],
)
def test_sentences_hold_what_is_asked_for_or_do_not(wanted, sentence, known, has):
    assert any(spans_of_type(wanted, sentence, known)) is has


def test_asking_words_are_no_subject():
    assert subject_of("明长城总长度是多少？").split() == ["明长城总长度"]
    assert subject_of("What is a monad?").strip() == "What is a monad"


@cases(
    "question, is_wish, is_about_all",
    [
        ("Summarize this document", True, True),
        ("Give me a short summary of the file", True, True),
        ("tl;dr", True, True),
        ("帮我总结一下这篇文章的主要内容", True, True),
        ("这份报告讲了什么？", True, True),
        ("Summarize the history of Rome", True, False),
        ("总结一下罗马帝国的历史", True, False),
        ("When did Rome fall?", False, False),
    ],
)
def test_wishes_for_a_summary_are_told_from_questions(question, is_wish, is_about_all):
    assert wants_summary(question) is is_wish
    if is_wish:
        assert names_no_subject(question) is is_about_all


@cases("unit", ["what is the ", "what does it ", "please ", "write ", "总结"])
def test_a_long_pasted_question_takes_linear_time(unit):
    def cost(count):
        started = time.process_time()
        asks_for_gist(unit * count)
        return time.process_time() - started

    once, four_times = min(cost(1_000) for _ in range(3)), cost(4_000)
    assert four_times < 10 * once + 0.1  # the square would be sixteen times as much
