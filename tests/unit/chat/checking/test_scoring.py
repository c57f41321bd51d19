"""A claim is supported by what says it, in Chinese and in English, and never with a number that is not there."""

import time
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.checking.mentions import find_names
from desktop.chat.checking.negations import has_unsourced_denial
from desktop.chat.checking.scoring import collect_evidence, judge_support
from desktop.chat.checking.words import prepare_source, tokenize
from desktop.domain.citation_check import SupportLevel
from tests.cases import cases

ENGLISH = prepare_source(
    "Lighthouse of Velmora",
    "The lighthouse of Velmora stands on a basalt cliff at the northern end of the island. "
    "It was built in 1873 by the engineer Ada Korsten, who had already drained the harbour. "
    "Its lamp reaches 42 kilometres and has been electric since 1931. Three keepers lived there. "
    "The Indian Ocean is not far.",
)
CHINESE = prepare_source(
    "维尔莫拉灯塔",
    "灯塔由工程师阿达·科斯滕于一八七三年建成，她此前还负责了港口的排水工程。灯塔的光照距离为42公里，1931年改为电力照明。",
)


def judge(claim, passage, beside=()):
    return judge_support(claim, passage, collect_evidence(claim, passage, beside))


@cases(
    "claim",
    [
        "The lighthouse was built in 1873 by Ada Korsten",
        "Ada Korsten, an engineer, had drained the harbour",
        "Its lamp has been electric since 1931 and reaches 42 kilometres",
        "3 keepers lived there",
    ],
)
def test_what_the_source_says_is_supported(claim):
    assert judge(claim, ENGLISH) is SupportLevel.SUPPORTED


LONG = prepare_source(
    ENGLISH.title.text, f"{ENGLISH.text} {'Gulls nest on the rocks below the tower. ' * 40}"
)


@cases(
    "source, score, copied, expected",
    [
        (ENGLISH, 0.55, 0.5, SupportLevel.SUPPORTED),
        (ENGLISH, 0.55, 0.9, SupportLevel.WEAK),
        (ENGLISH, 0.45, 0.5, SupportLevel.WEAK),
        (LONG, 0.45, 0.5, SupportLevel.SUPPORTED),
        (LONG, 0.55, 0.9, SupportLevel.WEAK),
    ],
)
def test_what_is_copied_needs_a_higher_score_and_a_long_source_a_lower_one(source, score, copied, expected):
    claim = "The lighthouse was built in 1873 by Ada Korsten"
    evidence = replace(collect_evidence(claim, source), score=score, copied=copied)
    assert judge_support(claim, source, evidence) is expected


@cases("claim", ["灯塔建于1873年", "光照距离为42公里", "1931年改为电力照明", "阿达·科斯滕此前负责港口排水"])
def test_chinese_is_compared_by_its_words(claim):
    assert judge(claim, CHINESE) is SupportLevel.SUPPORTED


@cases(
    "claim, passage, missing",
    [
        ("The lighthouse was built in 1875 by Ada Korsten", ENGLISH, ("1875",)),
        ("The lighthouse was built in 1873 by Ada Lovelace", ENGLISH, ("Lovelace",)),
        ("灯塔建于1875年", CHINESE, ("1875",)),
        ("灯塔由鲁迅于1873年建成", CHINESE, ("鲁迅",)),
    ],
)
def test_a_number_or_name_that_is_not_there_is_never_supported(claim, passage, missing):
    evidence = collect_evidence(claim, passage)
    assert evidence.missing == missing
    assert judge_support(claim, passage, evidence) is not SupportLevel.SUPPORTED


def test_a_source_cited_with_it_may_hold_a_number_but_not_the_words():
    claim = "The lighthouse was built in 1873 and cost 90 crowns"
    other = prepare_source("", "The tower cost 90 crowns.")
    assert collect_evidence(claim, ENGLISH).missing == ("90",)
    assert collect_evidence(claim, ENGLISH, [other]).missing == ()


@cases(
    "claim, passage",
    [
        ("Bananas are rich in potassium", ENGLISH),
        ("香蕉富含钾元素", CHINESE),
        ("The gallery has 219 steps", ENGLISH),
    ],
)
def test_what_the_source_does_not_speak_of_is_not_found(claim, passage):
    assert judge(claim, passage) is SupportLevel.NOT_FOUND


@cases(
    "claim, passage",
    [
        ("灯塔建于悬崖上", ENGLISH),
        ("The light is visible for 42 km", CHINESE),
        ("", ENGLISH),
        ("and of the", ENGLISH),
        ("The lighthouse", prepare_source("", "")),
    ],
)
def test_what_cannot_be_compared_gets_no_verdict(claim, passage):
    assert judge(claim, passage) is SupportLevel.UNCOMPARED


def test_a_short_english_claim_is_not_taken_for_another_language():
    source = prepare_source(
        "", "A United Kingdom is a film of 2016 by Amma Asante about the marriage of a king."
    )
    assert judge("A United Kingdom is a film of 2016.", source) is SupportLevel.SUPPORTED


def test_numbers_speak_in_every_language():
    assert judge("灯塔建于1875年", ENGLISH) is SupportLevel.WEAK


@cases(
    "claim, expected",
    [
        ("The tower of Ada Korsten in India", ("Ada", "Korsten", "India")),
        ("Visitors climb", ()),
        ("NASA said so in 44 BC", ("NASA",)),
        ("A film of Ford's", ("Ford",)),
        ("鲁迅在北京写了《呐喊》", ("呐喊", "鲁迅", "北京")),
        ("AC米兰获得冠军", ("米兰", "AC")),
    ],
)
def test_names(claim, expected):
    assert find_names(claim) == expected


HARBOUR = prepare_source(
    "",
    "Anna Velk sued the Korsten Company in 1901. The court in Ostrava rejected the claim in 1903. "
    "Petru Stoian bought the harbour from the Korsten Company. The mayor did not attend the opening.",
)
HARBOUR_CHINESE = prepare_source(
    "",
    "1901年，安娜起诉了科斯滕公司。1903年，奥斯特拉发法院驳回了诉讼。斯托扬从科斯滕公司收购了港口。市长没有出席开幕式。",
)


@cases(
    "claim, source",
    [
        ("The mayor did attend the opening.", HARBOUR),
        ("The court in Ostrava accepted the claim in 1903.", HARBOUR),
        ("市长出席开幕式。", HARBOUR_CHINESE),
    ],
)
def test_what_the_source_denies_is_contradicted(claim, source):
    assert judge(claim, source) is SupportLevel.CONTRADICTED


TIDES = prepare_source(
    "The harbour of Velmora",
    "The harbour has a tidal range of 4.2 metres. Visitors climb 219 steps to the gallery. It was dredged by the engineer "
    "Ada Korsten in 1873. The ferry carried about 40,000 passengers.",
)
TIDES_CHINESE = prepare_source("维尔莫拉", "维尔莫拉港口的潮差为4.2米。灯塔由工程师阿达·科斯滕于1873年建成。")


@cases(
    "claim, expected",
    [
        ("The harbour of Velmora has a tidal range of 4.9 metres.", SupportLevel.CONTRADICTED),
        ("Visitors climb 187 steps to the gallery.", SupportLevel.CONTRADICTED),
        ("The harbour was dredged by the engineer Ada Korsten in 1875.", SupportLevel.CONTRADICTED),
        ("维尔莫拉港口的潮差为4.9米。", SupportLevel.CONTRADICTED),
        ("灯塔由工程师阿达·科斯滕于1875年建成。", SupportLevel.CONTRADICTED),
        # Of another thing, unit or place, or rounded:
        ("The harbour of Ostrava has a tidal range of 4.9 metres.", SupportLevel.WEAK),
        ("Visitors climb to the gallery of 187 windows.", SupportLevel.WEAK),
        ("The harbour of Velmora has a tidal range of 4.9 hours.", SupportLevel.WEAK),
        ("The ferry carried 41,000 passengers.", SupportLevel.WEAK),
    ],
)
def test_another_number_or_date_of_the_same_thing_is_contradicted(claim, expected):
    assert judge(claim, TIDES if claim.isascii() else TIDES_CHINESE) is expected


TITLES = prepare_source(
    "",
    "Nevil Hart wrote the novels Beyond the Black Stump and The Far Country. In 2000, Ada Velk released her album Homecoming, "
    "before the 2004 album Long Journey. Her tour of Ostrava ended in 2006. The rain fell from August 1860 to July 1861. "
    "Omar Stump lives in Ostrava.",
)
TITLES_CHINESE = prepare_source("", "日语原文由3名译者翻译，并于2004年出版。全书共有5章。")


@cases(
    "claim, expected",
    [
        ("Nevil Hart wrote the novels Beyond the Black Stump and The Far Country.", SupportLevel.SUPPORTED),
        ("Nevil Hart wrote the novels Beyond the Ostrava Stump and The Far Country.", SupportLevel.WEAK),
        ("Nevil Ostrava wrote the novels Beyond the Black Stump and The Far Country.", SupportLevel.WEAK),
        (
            "Ada Velk released her album Homecoming before the 2006 album Long Journey.",
            SupportLevel.CONTRADICTED,
        ),
        ("The rain fell from August 1861 to July 1861.", SupportLevel.CONTRADICTED),
        ("日语原文由5名译者翻译，并于2004年出版。", SupportLevel.CONTRADICTED),
    ],
)
def test_a_number_or_name_counts_in_its_place(claim, expected):
    assert judge(claim, TITLES if claim.isascii() else TITLES_CHINESE) is expected


OPINIONS = prepare_source(
    "",
    "Peter Hart has labelled Velk a legend of the game. The Korsten choir is set to perform at the awards on Sunday. "
    "Anna Velk came to Ostrava, where she was asked about the new harbour.",
)


@cases(
    "claim, expected",
    [
        ("Hart has labelled Velk a legend of the game.", SupportLevel.SUPPORTED),
        ("The choir has labelled Velk a legend of the game.", SupportLevel.WEAK),
        ("The choir of Korsten is set to perform at the awards on Sunday.", SupportLevel.SUPPORTED),
        ("Anna Velk is set to perform at the awards on Sunday.", SupportLevel.WEAK),
        ("In Ostrava Anna Velk was asked about the new harbour.", SupportLevel.SUPPORTED),
    ],
)
def test_what_the_source_says_of_another_subject_is_doubted(claim, expected):
    assert judge(claim, OPINIONS) is expected


DENIALS = prepare_source(
    "",
    "The report claims that the display will remain, although we would not rule out a larger one. "
    "The tower is not red but blue.",
)
DENIALS_CHINESE = prepare_source("", "这些鳞片约有43枚，分布于体侧，并且没有斑纹。港口不仅很大，而且很深。")


@cases(
    "claim, expected",
    [
        ("The report claims that the display will remain.", SupportLevel.SUPPORTED),
        (
            "The report claims that the display will not remain, although we would not rule out a larger one.",
            SupportLevel.CONTRADICTED,
        ),
        ("The tower is red but blue.", SupportLevel.CONTRADICTED),
        ("这些鳞片约没有43枚，分布于体侧，并且没有斑纹。", SupportLevel.CONTRADICTED),
        ("港口很大，而且很深。", SupportLevel.SUPPORTED),
    ],
)
def test_a_negation_counts_where_it_stands(claim, expected):
    assert judge(claim, DENIALS if claim.isascii() else DENIALS_CHINESE) is expected


@cases(
    "claim, text",
    [
        # Several values of one unit, and lists:
        ("The tower is 12 metres wide.", "The tower is 42 metres high and 12 metres wide."),
        ("Velmora won medals in 1996.", "Velmora won medals in 1992, 1996, 2000 and 2004."),
        (
            "The album sold 20,000 copies in Norway.",
            "The album sold 50,000 copies in Sweden, 20,000 copies in Norway and 10,000 copies in Denmark.",
        ),
        (
            "The album sold 80,000 copies in Sweden, Norway and Denmark.",
            "The album sold 50,000 copies in Sweden, 20,000 copies in Norway and 10,000 copies in Denmark.",
        ),
        (
            "In 2019 the company employed 4,000 people.",
            "In 2018 the company employed 3,000 people. In 2019 it employed 4,000 people.",
        ),
        (
            "In 2019 the company employed 4,000 people.",
            "The company employed 3,000 people in 2018 and 4,000 in 2019.",
        ),
        (
            "The company employed 4,000 people in 2019, more than in 2018.",
            "The company employed 3,000 people in 2018 and 4,000 in 2019.",
        ),
        (
            "Revenue in 2018 was below 3.4 million euros.",
            "In 2018 revenue was 3.1 million euros and in 2019 3.4 million euros.",
        ),
        (
            "The company had 40 members in 1990 and 12 in 2018.",
            "In 2018, of the 40 members of the company in 1990 only 12 remained.",
        ),
        ("公司收入比2018年增长到340万元。", "2018年公司收入310万元，2019年收入340万元。"),
        (
            "The population of Velmora was 5,120 in 2011.",
            "The population of Velmora was 4,890 in 2001, 5,120 in 2011 and 5,300 in 2021.",
        ),
        (
            "The population of Velmora was 5,120 in 2011.",
            "The population of Velmora was 4,890 in 2001. It was 5,120 in 2011.",
        ),
        # Ranges and bounds:
        ("The trip takes 4 hours by ferry.", "The trip takes from 3 to 5 hours by ferry."),
        ("The price of the ticket rose from 3 to 5 dollars.", "The price of the ticket rose from $3 to $5."),
        ("Ada Korsten was mayor of Velmora in 1892.", "Ada Korsten was mayor of Velmora from 1890 to 1895."),
        (
            "Ada Korsten was mayor of Velmora from 1890 to 1895.",
            "Ada Korsten was mayor of Velmora in 1890–95.",
        ),
        ("At least 50 people died in the flood.", "At least 57 people died in the flood."),
        ("More than 100 people attended the concert.", "120 people attended the concert."),
        # A change is no level, and a percentage point no percent:
        (
            "The price of the ticket rose by 2 dollars.",
            "The price of the ticket rose from 3 dollars to 5 dollars.",
        ),
        (
            "Unemployment rose from 5 percent to 7 percent in Velmora.",
            "Unemployment rose by 2 percentage points to 7 percent in Velmora.",
        ),
        # Birth and death, versions, scores, decimals:
        ("Ada Korsten died on 7 June 1901.", "Ada Korsten (3 May 1842 – 7 June 1901) was an engineer."),
        (
            "Python 3 supports the new parser for patterns.",
            "Python 3.12 supports the new parser for patterns.",
        ),
        ("Velmora beat Ostrava 3 to 2 in the final.", "Velmora beat Ostrava 3–2 in the final."),
        ("The mountain is 3,776 metres high.", "The mountain is 3,776.24 metres high."),
        # Negations in other words, or of something else:
        (
            "The mayor said the harbour would be closed.",
            "The mayor did not say when, but said the harbour would be closed.",
        ),
        (
            "The mayor denied that the harbour would be closed.",
            "The mayor said that the harbour would not be closed.",
        ),
        ("The bridge was built without steel.", "The bridge was not built with steel."),
        ("The company failed to pay its debts in 2008.", "The company did not pay its debts in 2008."),
        (
            "He is an engineer and also a painter of harbours.",
            "He is not only an engineer but also a painter of harbours.",
        ),
        ("The library is not open on Sundays.", "No library is open on Sundays."),
        ("No library in Velmora is open.", "The library in Velmora is not open."),
        ("The bridge was not rebuilt after the war.", "Neither bridge was rebuilt after the war."),
        (
            "Anna Velk scored more goals in the season than any other player of the club.",
            "No player of the club scored more goals in the season than Anna Velk.",
        ),
        ("The library of Velmora opened in 1990.", "No library was open in Velmora until 1990."),
        ("The ferry is crossing the harbour.", "No it's the ferry that is crossing the harbour."),
        ("Hold On was the song of the charts in 1990.", "Hold On was the No. 1 song of the charts in 1990."),
        ("The No. 1 song of the charts in 1990 was Hold On.", "Hold On was song 1 of the charts in 1990."),
        ("Not only the library but also the museum is open.", "The library and the museum are open."),
        # A year that the sentence does not name:
        (
            "Both teams of the college won the student cup in 2019.",
            "Both teams of the college won the student cup this year, after the success of the men in 2018.",
        ),
        ("学院的两支队伍在2019年赢得了大学生杯。", "学院的两支队伍今年赢得了大学生杯，2018年男队夺冠。"),
        # Chinese:
        ("图书馆在星期天不开放。", "没有图书馆在星期天开放。"),
        ("行程需要4小时。", "行程需要3至5小时。"),
        ("灯塔高四十二米，由工程师科斯滕建成。", "灯塔高42米，由工程师科斯滕建成。"),
        ("该公司有2000多名员工。", "该公司有2134名员工。"),
        ("价格上涨了两元，达到5元。", "价格从3元上涨了2元，达到5元。"),
        ("市长表示港口是安全的。", "市长没有说明时间，但表示港口是安全的。"),
        ("事故中无人受伤。", "事故中没有人受伤。"),
    ],
)
def test_what_may_be_right_is_not_contradicted(claim, text):
    assert judge(claim, prepare_source("", text)) is not SupportLevel.CONTRADICTED


@cases(
    "claim, text",
    [
        (
            "The tower is 42 metres high and 15 metres wide.",
            "The tower is 42 metres high and 12 metres wide.",
        ),
        ("The trip takes 9 hours by ferry.", "The trip takes from 3 to 5 hours by ferry."),
        (
            "The studies have identified at least 2,366 variants.",
            "The studies have identified at least 2,000 variants.",
        ),
        ("英土战争是一场发生于1807－1807年间的战争。", "英土战争是一场发生于1807－1809年间的战争。"),
        ("The ticket price rose by 4 dollars.", "The ticket price rose by 2 dollars."),
        # The number stands elsewhere in the source:
        (
            "In 2018 the company employed 4,000 people.",
            "The company employed 3,000 people in 2018 and 4,000 in 2019.",
        ),
        (
            "In 2019 the company employed 3,000 people.",
            "The company employed 3,000 people in 2018 and 4,000 in 2019.",
        ),
        (
            "Revenue fell from 3.4 million euros in 2018 to 3.1 million euros in 2019.",
            "In 2018 revenue was 3.1 million euros and in 2019 3.4 million euros.",
        ),
        ("2019年公司收入310万元。", "2018年公司收入310万元，2019年收入340万元。"),
        (
            "Velk released her album “Long Journey” in 2000 and her album “New Harbour” in 2006.",
            "In 2000, Velk released the album “Long Journey” before the 2004 album “New Harbour”. In 2006 she sang of Ostrava.",
        ),
        (
            "每个进程都得到5个资源，即无法执行，也没有多余资源，于是就出现死锁。",
            "每个进程都得到4个资源，即无法执行，也没有多余资源，于是就出现死锁。执行完之后释放出5个资源，于是其它进程也可以执行，就不会发生死锁。",
        ),
        (
            "The company did not fail to pay its debts in 2008.",
            "The company failed to pay its debts in 2008.",
        ),
        # The negation opens the sentence, or a clause:
        ("The library is open on Sundays.", "No library is open on Sundays."),
        ("The libraries are open.", "None of the libraries is open."),
        (
            "The library in Velmora is open on Sundays.",
            "According to the council, no library in Velmora is open on Sundays.",
        ),
        ("The bridge was rebuilt after the war.", "Neither bridge was rebuilt after the war."),
        ("图书馆在星期天开放。", "没有图书馆在星期天开放。"),
    ],
)
def test_what_only_looks_like_a_list_range_or_bound_is_contradicted(claim, text):
    assert judge(claim, prepare_source("", text)) is SupportLevel.CONTRADICTED


@cases(
    "claim, text",
    [
        ("a 1 " * 300, "a 1 " * 15_000),
        ("Gamma tower was built of Velk and Delta " * 30, "Gamma Delta " * 5_000),
        (
            f"In Velmora {', '.join(map(str, range(200)))} people lived.",
            "The tower is 42 metres high.\n" * 2_000,
        ),
    ],
)
def test_a_hostile_source_is_compared_in_bounded_time(claim, text):
    began = time.process_time()
    collect_evidence(claim, prepare_source("", text))
    assert time.process_time() - began < 10  # 2 s at most; with the square of the occurrences, minutes


def test_many_negations_of_one_clause_are_compared_in_bounded_time():
    names = " no ".join(f"{chr(97 + n % 26)}{chr(97 + n // 26)}alozq" for n in range(300))
    source = prepare_source("", f"{'Velmora isn’t. ' * 1_500}No river flows.")
    began = time.process_time()
    assert not has_unsourced_denial(f"There is no {names} no river.", [source])
    assert time.process_time() - began < 10  # 0.5 s; with the square of the negations 34 s


DEALS = prepare_source(
    "",
    "In 1998 the Korsten Company bought Velmora Shipping from Petru Stoian. Anna Velk praised Petru Stoian. "
    "Mary Holt married Paul Reed. 李明打败了王强，赢得冠军。特斯拉收购了比亚迪。",
)


@cases(
    "claim",
    [
        "Velmora Shipping bought the Korsten Company.",
        "Petru Stoian praised Anna Velk.",
        "王强打败了李明。",
        "比亚迪收购了特斯拉。",
    ],
)
def test_exchanged_roles_are_contradicted(claim):
    evidence = collect_evidence(claim, DEALS)
    assert judge_support(claim, DEALS, evidence) is SupportLevel.CONTRADICTED
    assert evidence.score < 0.5


@cases(
    "claim",
    [
        "The Korsten Company bought Velmora Shipping.",
        "Velmora Shipping was bought by the Korsten Company.",
        "Paul Reed married Mary Holt.",
        "王强被李明打败。",
        "李明打败了王强。",
    ],
)
def test_the_passive_and_mutual_relations_are_no_exchange_of_roles(claim):
    assert judge(claim, DEALS) is not SupportLevel.CONTRADICTED


BRIDGE = prepare_source(
    "",
    "The bridge over the Velk was designed by Jens Olsen and opened by the writer Marta Lind. The tower beside it was built "
    "by Aron Feld and by Ida Roth. The painter Nils Berg praised the bridge over the Velk.",
)


@cases(
    "claim",
    [
        "The bridge over the Velk was opened by Jens Olsen.",
        "Jens Olsen opened the bridge over the Velk.",
        "The bridge over the Velk was designed by the writer Marta Lind.",
    ],
)
def test_what_another_one_did_is_doubted(claim):
    assert judge(claim, BRIDGE) is SupportLevel.WEAK


@cases(
    "claim",
    [
        "The bridge over the Velk was designed by Jens Olsen.",
        "Jens Olsen designed the bridge over the Velk.",
        "The bridge over the Velk was opened by Marta Lind.",
        "The tower beside it was built by Ida Roth.",
        "Nils Berg praised the bridge over the Velk.",
    ],
)
def test_who_did_it_is_found(claim):
    assert judge(claim, BRIDGE) is SupportLevel.SUPPORTED


TOWN = prepare_source(
    "",
    "The town of Velmora lies on the coast. It has a harbour and two schools. The library stands beside the harbour, "
    "and in summer people meet there.",
)
MAYOR = prepare_source(
    "",
    "Mira Velk is a politician and was the mayor of Ostrava. She succeeded Aron Feld after the election of 2013, which she won "
    "by 4,000 votes.",
)


@cases(
    "claim, source",
    [
        ("The library of Velmora is not open in summer.", TOWN),
        ("Mira Velk was not elected.", MAYOR),
    ],
)
def test_what_no_sentence_denies_is_doubted(claim, source):
    assert judge(claim, source) is SupportLevel.WEAK


def test_what_a_sentence_denies_is_found():
    closed = prepare_source("", f"{TOWN.text} In Velmora the library does not open on Sunday.")
    assert judge("The library in Velmora is not open on Sunday.", closed) is SupportLevel.SUPPORTED


def test_a_clause_does_not_end_within_a_word():
    clauses = [token.clause for token in tokenize("He sold 3,000 rock-and-roll tickets at 10:30, and left")]
    assert clauses[:7] == [0] * 7
    assert clauses[-1] > 0


@cases(
    "right, wrong, source",
    [
        (
            "Petru Stoian bought the harbour from the Korsten Company.",
            "The Korsten Company bought the harbour from Petru Stoian.",
            HARBOUR,
        ),
        ("Anna Velk sued the Korsten Company in 1901.", "Anna Velk bought the harbour in 1903.", HARBOUR),
        ("斯托扬从科斯滕公司收购了港口。", "科斯滕公司从斯托扬收购了港口。", HARBOUR_CHINESE),
        ("安娜起诉了科斯滕公司。", "安娜于1903年收购了港口。", HARBOUR_CHINESE),
    ],
)
def test_who_did_what_to_whom_counts(right, wrong, source):
    assert collect_evidence(right, source).score > collect_evidence(wrong, source).score


def test_a_name_may_be_inflected():
    assert collect_evidence("It is near India", ENGLISH).missing == ()


@given(st.text(max_size=80), st.text(max_size=200))
def test_no_text_is_too_strange(claim, text):
    source = prepare_source("", text)
    evidence = collect_evidence(claim, source)
    assert 0 <= evidence.score <= 1
    assert judge_support(claim, source, evidence) in SupportLevel
