"""Which sentence answers: by kind, by year, by what other sources say, and when none does."""

from desktop.providers.quotes.extraction import best_sentences
from tests.cases import cases
from tests.unit.providers.quotes.test_model import source


def first(question, *texts):
    quotes = best_sentences(question, [source(number, text) for number, text in enumerate(texts, 1)])
    return quotes[0].text if quotes else ""


@cases(
    "question, texts, answer",
    [
        (
            "When was the Harbour Bridge opened?",
            ["The Harbour Bridge is a landmark of the city. The Harbour Bridge was opened in March 1932."],
            "1932",
        ),
        (
            "Who won the 2022 Harbour Cup?",
            [
                "The 2022 Harbour Cup was watched by many. Anna Lind beat Eva Roth to win the 2022 Harbour Cup."
            ],
            "Anna Lind",
        ),
        (
            "How many people live in Northford?",
            ["Northford was founded in 1820. Northford has a population of 12,400 people."],
            "12,400",
        ),
        (
            "2022年海港杯冠军是谁？",
            ["2022年海港杯吸引了很多观众。李明击败王强，夺得2022年海港杯冠军。"],
            "李明",
        ),
        ("海港大桥什么时候通车？", ["海港大桥是本市的地标。海港大桥于1932年3月正式通车。"], "1932"),
        ("海港市2022年有多少人口？", ["2022年海港市举办了运动会。海港市2022年末人口为1240万人。"], "1240"),
        (
            "海港杯2022年的举办地",
            ["海港杯2021年在上海举行。", "海港杯2022年在厦门举行，多国选手参赛。"],
            "厦门",
        ),
    ],
)
def test_the_sentence_that_holds_the_kind_of_thing_asked_for_comes_first(question, texts, answer):
    assert answer in first(question, *texts)


def test_a_snippet_that_a_result_page_cut_is_quoted():
    text = "... in a ceremony on Friday. The Harbour Bridge was opened to traffic on 19 March 1932 by the ..."
    assert "1932" in first("When was the Harbour Bridge opened to traffic?", text)


def test_what_shares_words_with_the_question_but_holds_no_such_thing_is_no_answer():
    text = "Many visitors take pictures of the bridge. The harbour is popular."
    assert first("How many cars cross the harbour bridge in a year?", text) == ""
    assert first("海港大桥每年通过多少辆汽车？", "很多游客在大桥上拍照。海港风景优美。") == ""


def test_two_sources_that_say_the_same_are_one_line_with_both_marks():
    text = "The Harbour Bridge was opened to traffic in March 1932."
    quotes = best_sentences(
        "When was the Harbour Bridge opened?",
        [source(1, text), source(2, f"{text} It is made of steel.")],
    )
    assert quotes[0].numbers == (1, 2)
    assert [quote.text for quote in quotes].count(text) == 1


def test_more_than_three_lines_are_for_questions_about_several_things():
    years = range(2001, 2009)
    texts = [
        source(year, f"The Harbour Cup of {year} was won by Team {year} of Northford.") for year in years
    ]
    assert len(best_sentences("Who won the Harbour Cup of 2003?", texts)) <= 3
    assert len(best_sentences("Which teams won the Harbour Cup?", texts)) > 3


def test_a_question_or_the_day_of_a_snippet_is_no_answer():
    texts = [
        source(1, "In which town was the singer Anna Lind born? Anna Lind was born in Westhaven."),
        source(2, "Dec 21, 2024 ... Where was the singer Anna Lind born?"),
    ]
    quotes = best_sentences("In which town was the singer Anna Lind born?", texts)
    assert [quote.text for quote in quotes] == ["Anna Lind was born in Westhaven."]


def test_a_sentence_about_someone_named_before_takes_the_sentence_before_it_along():
    text = "Anna Lind ends her career. The 40-year-old singer of the Northford opera retires after the May festival."
    assert "Anna Lind" in first("Which singer of the Northford opera retires after the May festival?", text)


def test_a_sentence_about_he_or_it_takes_the_sentence_before_it_along():
    text = "Anna Lind is a singer of the Northford opera. She was born in Westhaven in 1970."
    assert "Anna Lind" in first("Where was the singer Anna Lind of the Northford opera born?", text)
    assert "Westhaven" in first("Where was the singer Anna Lind of the Northford opera born?", text)
