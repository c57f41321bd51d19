"""Elements are found in whatever a model makes of XML, and nothing makes it fail."""

from hypothesis import given
from hypothesis import strategies as st

from desktop.text.almost_xml import elements
from tests.cases import cases


def texts(written, *names):
    return [(element.name, element.text) for element in elements(written, names or ("query", "need"))]


@cases(
    "written",
    [
        "<plan><need>a</need><query>b</query></plan>",
        "Here is the plan:\n```xml\n<plan>\n<need> a </need>\n<query>b</query>\n</plan>\n```\nGood luck!",
        "<think><need>no</need></think><need>a</need><query>b</query>",
        "<need>no</need></think><need>a</need><query>b</query>",
        "<NEED>a</NEED><Query >b</Query>",
        "<need>a<query>b",
        "<need><![CDATA[a]]></need><query><b>b</b></query>",
        "<a><need>a</need></a><b><query>b</query></b>",
        '<need kind="x">a</need><query place=web>b</query>',
        "<need>a</need>\n<query>b</que",
    ],
)
def test_the_same_elements_are_found_in_every_spelling(written):
    found = texts(written)
    assert found[0] == ("need", "a")
    assert found[1][1].startswith("b")
    assert len(found) == 2


def test_common_spellings_of_a_tag_are_the_tag():
    written = "<search_query place='web'>a</search_query><Search-Quality>enough</Search-Quality><queries>b</queries>"
    found = list(elements(written, ("verdict", "query")))
    assert [(element.name, element.text) for element in found] == [
        ("query", "a"),
        ("verdict", "enough"),
        ("query", "b"),
    ]
    assert found[0].attributes == {"place": "web"}
    assert texts("<query>a</query><question>b</question>", "query", "question") == [
        ("query", "a"),
        ("question", "b"),
    ]
    assert texts("<querying>a</querying><query-plan>b</query-plan>", "query") == []


def test_entities_and_what_should_have_been_one_are_read():
    assert texts("<query>A&amp;B & C < D &lt; E</query>") == [("query", "A&B & C < D < E")]


def test_attributes_are_read_with_and_without_quotes():
    (one, two, three) = elements("<q source=\"1, 2\"/><q source='3'>x</q><q source=4>y</q>", ["q"])
    assert [element.attributes for element in (one, two, three)] == [
        {"source": "1, 2"},
        {"source": "3"},
        {"source": "4"},
    ]


def test_an_element_that_was_cut_off_says_so():
    assert [element.is_closed for element in elements("<query>a</query><query>潮", ["query"])] == [
        True,
        False,
    ]


@given(st.text(alphabet=st.sampled_from("<>/qneduery \"'=&;[]!CDATA-潮\n")))
def test_nothing_makes_it_fail(written):
    for element in elements(written, ("need", "query")):
        assert element.name in {"need", "query"}
        assert "\n" not in element.text
