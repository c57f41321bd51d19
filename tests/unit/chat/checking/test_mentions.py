"""Numbers are the same however they are written."""

from decimal import Decimal
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.checking.mentions import find_missing, find_numbers, read_values
from desktop.text.terms import terms
from tests.cases import cases


@cases(
    "written, value",
    [
        ("1,200", "1200"),
        ("1200", "1200"),
        ("１２００", "1200"),
        ("1.2 thousand", "1200"),
        ("一千二百", "1200"),
        ("3.5 million", "3500000"),
        ("350万", "3500000"),
        ("三百五十万", "3500000"),
        ("一亿三千万", "130000000"),
        ("三万亿", "3000000000000"),
        ("一万零五百", "10500"),
        ("十二", "12"),
        ("两百", "200"),
        ("一九九八年", "1998"),
        ("二〇〇六年", "2006"),
        ("64th", "64"),
        ("70千焦", "70"),
        ("4.50 %", "4.5"),
    ],
)
def test_a_number_has_one_value_however_it_is_written(written, value):
    assert [figure.value for figure in find_numbers(written)] == [Decimal(value)]


@cases("words", ["唯一一次", "万一", "千万不要", "三四个", "一个", "第一", "十分", "one", "no number"])
def test_what_may_be_another_word_is_not_demanded(words):
    assert find_numbers(words) == []


@cases(
    "text, meant",
    [("three of them", 3), ("三个", 3), ("twice", 2), ("12万", 12), ("12万", 120_000), ("第七次", 7)],
)
def test_a_source_may_say_a_number_in_words(text, meant):
    assert Decimal(meant) in read_values(text)


def test_years_and_amounts_side_by_side_stay_apart():
    assert [str(figure.value) for figure in find_numbers("in 2005 200 people, 12,717 mm in 1952")] == [
        "2005",
        "2E+2",
        "12717",
        "1952",
    ]


def test_a_wide_comma_separates():
    assert [figure.written for figure in find_numbers("42公里，1931年，3.14")] == ["42", "1931", "3.14"]


@given(st.integers(0, 10**12))
def test_separators_change_nothing(number):
    assert [figure.value for figure in find_numbers(f"{number:,}")] == [Decimal(number)]


@given(st.text())
def test_no_text_is_too_strange(text):
    assert {figure.value for figure in find_numbers(text)} <= read_values(text)


@cases(
    "claim, source, missing",
    [
        ("In October it opened.", "It opened on 10/20/2016.", ()),
        ("In October it opened.", "Posted Oct 20. It opened.", ()),
        ("It opened in October 2016.", "它于2016年10月开放。", ()),
        ("In October it opened.", "It opened on 2016-11-20.", ("October",)),
        ("It opened in the United States.", "It opened in the U.S. first.", ()),
        ("It opened in the U.S. in spring.", "It opened in the United States in spring.", ()),
        ("He plays for the Canadian team.", "He plays for Canada.", ()),
        ("They help young Jordanians.", "They help the young of Jordan.", ()),
        ("They help young Jordanians.", "They help the young of Jodhpur.", ("Jordanians",)),
        ("He played in France.", "He played for a French club.", ()),
        ("A report of the World Health Organization says so.", "The WHO reports it.", ()),
        ("A report of the WHO says so.", "The World Health Organization reports it.", ()),
        ("A report of the WHO says so.", "The World Trade Organization reports it.", ("WHO",)),
        ("The base is in Shizuoka Prefecture.", "The base is in Shizuoka.", ()),
        ("The base is in Shizuoka Prefecture.", "The base is in Nagano Prefecture.", ("Shizuoka",)),
        ("It tells of African-Americans.", "It is about African American history.", ()),
        ("It has 400 9th-grade students.", "It has 400 students in the ninth grade.", ()),
        ("It opened in the 2018–19 season.", "It opened in the season 2018-2019.", ()),
        ("It opened in the 2018–19 season.", "It opened in the season 2017-2018.", ("19",)),
        ("He met Michael Jordan.", "He met Michael Jackson.", ("Jordan",)),
        ("The chief of the CIA said so.", "He met Carl. In August the chief said so.", ("CIA",)),
        ("A base of the US is there.", "A base of the University of Sydney is there.", ("US",)),
        ("They went to State University.", "They went to sea.", ("State", "University")),
        ("He met Mrs. Korsten and J. F. Kennedy.", "He met Korsten and JFK.", ()),
        ("这是中国最大的湖。", "这是我国最大的湖泊。", ()),
        ("It opened in May 2010.", "It opened on 2010-05-03.", ()),
        ("It opened in May 2010.", "It may open in June 2010.", ("May",)),
        ("The plan of Theresa May failed.", "Her plan of 2010-05-03 failed.", ("Theresa",)),
        ("He met August Strindberg.", "He met Strindberg on 8/3/1890.", ("August",)),
        ("He met Mr. May.", "The Mayor met him.", ()),
        ("A rule of the EU says so.", "The Evening Update says so.", ("EU",)),
        ("A rule of the EU says so.", "The European Union says so.", ()),
        ("It is about Norman art.", "It is about normal art.", ("Norman",)),
        ("It is about Norman art.", "It is about the art of Normans.", ()),
        ("He learnt the Spanish of Peru.", "A bridge that spans Peru.", ("Spanish",)),
        ("He met Martin.", "He met Martha.", ("Martin",)),
        ("The rise of neo-Nazism.", "The rise of the neo-Nazis.", ()),
        ("He fell in World War II.", "He fell in the Second World War.", ()),
        ("He fell in World War II.", "He fell in World War I.", ("II",)),
    ],
)
def test_names_and_numbers_may_be_written_otherwise(claim, source, missing):
    assert find_missing(claim, source, terms(source)) == missing


def test_thousands_of_names_in_a_row_are_looked_up_in_bounded_work():
    names = [f"Na{letter}{other}{third}" for letter, other, third in product("abcdefghijklmn", repeat=3)]
    assert find_missing(f"of {' '.join(names)}", "Nothing of it.", ()) == tuple(names)


def test_letters_that_could_all_begin_a_name_are_read_in_bounded_work():
    for letters in ("A-", "A "):
        assert find_missing("The report of the WHO.", letters * 100_000, ()) == ("WHO",)
