"""Where sources disagree: values that differ about the same thing, and what only looks so."""

import itertools

from desktop.chat.checking.disagreements import find_disagreements
from tests.cases import cases

EN = "The lighthouse of Velmora was built in 1873 by Ada Korsten."
ZH = "维尔莫拉的灯塔于1873年由王建国设计,高42米。"


def values_of(question, *texts):
    return [set(found.values) for found in find_disagreements(question, [("", text) for text in texts])]


@cases(
    "question, one, other, expected",
    [
        (
            "When was it built?",
            EN,
            "The lighthouse of Velmora was built on 3 May 1874 by Ada Korsten.",
            {"1873", "3 May 1874"},
        ),
        (
            "When did the lighthouse of Velmora open?",
            "The lighthouse of Velmora opened on 3 May 1874.",
            "It was on May 5, 1874 that the lighthouse of Velmora opened.",
            {"3 May 1874", "May 5, 1874"},
        ),
        (
            "Who built the lighthouse?",
            EN,
            "The lighthouse of Velmora was built in 1873 by Marta Lindqvist.",
            {"Ada Korsten", "Marta Lindqvist"},
        ),
        (
            "How many people live in Velmora?",
            "Velmora has about 1.2 million inhabitants today.",
            "Velmora has 1,530,000 inhabitants today.",
            {"1.2 million", "1,530,000"},
        ),
        (
            "How far does the lamp of Velmora reach?",
            "The lamp of the Velmora lighthouse reaches 42 kilometres.",
            "The lamp of the Velmora lighthouse reaches 24,000 metres.",
            {"42 kilometres", "24,000 metres"},
        ),
        (
            "Was the bridge rebuilt?",
            "The old bridge of Velmora was rebuilt after the flood.",
            "The old bridge of Velmora was never rebuilt after the flood.",
            {
                "The old bridge of Velmora was rebuilt after the flood.",
                "The old bridge of Velmora was never rebuilt after the flood.",
            },
        ),
        ("灯塔何时建成？", ZH, "维尔莫拉的灯塔于1874年5月由王建国设计,高约42米。", {"1873年", "1874年5月"}),
        ("灯塔由谁设计？", ZH, "维尔莫拉的灯塔于1873年由李明华设计,高42米。", {"王建国", "李明华"}),
        ("灯塔有多高？", ZH, "维尔莫拉的灯塔于一八七三年由王建国设计,高六十五米。", {"42米", "六十五米"}),
        (
            "维尔莫拉有多少人口？",
            "维尔莫拉现有人口约120万。",
            "维尔莫拉现有人口1,530,000。",
            {"120万", "1,530,000"},
        ),
        (
            "大桥重建了吗？",
            "维尔莫拉的大桥在洪水之后重建。",
            "维尔莫拉的大桥在洪水之后没有重建。",
            {"维尔莫拉的大桥在洪水之后重建。", "维尔莫拉的大桥在洪水之后没有重建。"},
        ),
    ],
)
def test_values_that_differ_about_the_same_thing_are_found(question, one, other, expected):
    assert values_of(question, one, other) == [expected]


@cases(
    "one, other",
    [
        ("Velmora has about 1.2 million inhabitants today.", "Velmora has 1,230,000 inhabitants today."),
        ("Velmora has 1,200,000 inhabitants today.", "Velmora has 1.2 million inhabitants today."),
        ("The lamp of Velmora reaches 42 kilometres.", "The lamp of Velmora reaches 42,000 metres."),
        ("The lamp of Velmora has twelve lenses of glass.", "The lamp of Velmora has 12 lenses of glass."),
        ("The tower of Velmora opened in 1874.", "The tower of Velmora opened on 3 May 1874."),
        ("The tower of Velmora opened on May 3, 1874.", "The tower of Velmora opened on 1874-05-03."),
        (EN, "The lighthouse of Velmora was built by Korsten in 1873."),
        (EN, "The lighthouse of Velmora was built of granite. It is not open to visitors."),
        (EN, "The lighthouse of Karst was built in 1901 by Marta Lindqvist."),
        ("Velmora has 40 bakeries and 3 schools.", "Velmora has 12 churches and 3 schools."),
        (
            "The bridge of Velmora was not damaged by the flood.",
            "The bridge of Velmora was rebuilt in stone.",
        ),
        (ZH, "维尔莫拉的灯塔于一八七三年五月三日由王建国设计。"),
        ("维尔莫拉现有人口约120万。", "维尔莫拉现有人口1,230,000。"),
        ("维尔莫拉的灯塔高42米。", "卡斯特的教堂高65米。"),
        ("维尔莫拉的大桥不仅在洪水之后重建。", "维尔莫拉的大桥在洪水之后重建。"),
        ("", EN),
        ("\x00 1,2,3 99999999999999999999999999999 13/13/2020 年年年 。。。", "《》 1.2.3 -- 0月0日 $"),
    ],
)
def test_other_spellings_rounding_detail_and_other_subjects_are_no_disagreement(one, other):
    assert values_of("When was the lighthouse of Velmora built?", one, other) == []
    assert values_of("", one, other) == []


def test_the_value_that_most_sources_state_comes_first():
    other = "Ada Korsten built the lighthouse of Velmora in 1871."
    sources = [("", other), ("", EN), ("Velmora", EN), ("", "Bread needs flour, water and salt.")]
    (found,) = find_disagreements("When was the lighthouse of Velmora built?", sources)
    assert found.values == ("1873", "1871")
    assert found.sources == ((2, 3), (1,))
    assert "…" in found.about


def test_the_order_of_the_sources_does_not_matter_and_equal_sources_never_disagree():
    texts = [
        f"{EN} It has 40 rooms, and its lamp reaches 42 kilometres. It was not closed during the war.",
        "The lighthouse of Velmora was built in 1874 by Ada Korsten. It has 45 rooms. It was closed during the war.",
        "In 1873 Marta Lindqvist built the lighthouse of Velmora. Its lamp reaches 24 km. 维尔莫拉的灯塔高42米。",
        f"{ZH}维尔莫拉的灯塔高65米。",
    ]
    question = "When was the lighthouse of Velmora built, and by whom?"
    expected = None
    for order in itertools.permutations(range(len(texts))):
        found = {
            (
                one.kind,
                one.about,
                frozenset(
                    zip(
                        one.values,
                        (frozenset(order[n - 1] for n in group) for group in one.sources),
                        strict=True,
                    )
                ),
            )
            for one in find_disagreements(question, [("", texts[place]) for place in order])
        }
        expected = expected or found
        assert found == expected
    assert expected
    for text in texts:
        assert find_disagreements(question, [("one", text), ("two", text), ("", text)]) == ()


def timetable(source, count):
    return " ".join(
        f"On day {(place * source) % 28 + 1} the keeper of the lighthouse counted {place * 7 + source} ships in harbour {place % 9}."
        for place in range(count)
    )


def test_timetables_that_repeat_one_sentence_are_compared_in_bounded_work():
    pages = [(f"Page {source}", timetable(source, 40)) for source in range(1, 9)]
    fact = [("", EN), ("", EN.replace("1873", "1874"))]
    compared = find_disagreements("When was the lighthouse of Velmora built?", [*pages, *fact])
    assert {"1873", "1874"} in [set(found.values) for found in compared]


def test_timetables_do_not_hide_in_what_later_sources_differ():
    pages = [(f"A page {source}", timetable(source, 30)) for source in range(1, 7)]
    other = "Its keeper counted the ships for the lighthouse."
    fact = [("Z", f"{EN} {other}"), ("Z", f"{EN.replace('1873', '1874')} {other}")]
    compared = find_disagreements("Which ships did the keeper of the lighthouse count?", [*pages, *fact])
    assert {"1873", "1874"} in [set(found.values) for found in compared]
