"""Whatever text is put into an element, a parser of HTML reads it there again and finds nothing else."""

import gc
import weakref

from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from desktop.text.html_element import EMPTY, Html, element, fragment, join
from tests.cases import cases

# Parsers make one line end of CR LF and leave out NUL, as HTML prescribes; other control characters are errors there.
TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\t<>&\"'`=/"))


def parse(html: str) -> LexborHTMLParser:
    return LexborHTMLParser(f"<!doctype html><body>{html}")


@given(TEXTS, TEXTS)
def test_any_text_is_read_again_as_child_and_as_value(text: str, value: str):
    html = element("main", text, element("b", text, text), title=value, data_words=Html(value))
    main = parse(html).css_first("body").child
    assert main is not None
    assert main.tag == "main"
    assert main.attributes == {"title": value, "data-words": value}
    assert [node.tag for node in main.css("*")] == ["main", "b"]
    assert main.text() == text * 3


@cases(
    "made, html",
    [
        (element("br"), "<br>"),
        (element("img", alt="", src="a b"), '<img alt="" src="a b">'),
        (element("b"), "<b></b>"),
        (element("b", "a<b", 3, None, "", EMPTY), "<b>a&lt;b3</b>"),
        (element("b", element("i", "&")), "<b><i>&amp;</i></b>"),
        (
            element("a", class_="x", for_="y", aria_label='"', tabindex=-1, max=0.5),
            '<a class="x" for="y" aria-label="&quot;" tabindex="-1" max="0.5"></a>',
        ),
        (
            element("option", selected=True, disabled=False, title=None, value=0),
            '<option selected value="0"></option>',
        ),
        (element("svg", viewBox="0 0 1 1"), '<svg viewBox="0 0 1 1"></svg>'),
        (fragment("<", element("br"), ">"), "&lt;<br>&gt;"),
        (fragment(), ""),
        (join(" & ", [element("i"), "<", 1]), "<i></i> &amp; &lt; &amp; 1"),
        (join(", ", []), ""),
        (element("b", "a" + element("i")), "<b>a&lt;i&gt;&lt;/i&gt;</b>"),
    ],
)
def test_elements_are_written_as_html(made: Html, html: str):
    assert made == html
    assert isinstance(made, Html)


class _Text(str):
    __slots__ = ("__weakref__",)


def test_no_text_of_a_chat_stays_in_memory_as_a_value():
    text = _Text("The words of a source that is erased later. " * 3)
    reference = weakref.ref(text)
    element("button", title=text)
    del text
    gc.collect()
    assert reference() is None
