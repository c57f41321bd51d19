"""Markdown with footnotes: read again, it must say the same."""

import re

from hypothesis import given
from hypothesis import strategies as st
from lxml import html as lxml_html

from desktop.render import RenderTarget, render_message
from desktop.render.export.common_parts import clean, markdown_text
from desktop.render.export.markdown import markdown_of
from desktop.render.labels import EN, ZH_CN
from tests.cases import cases
from tests.unit.render.export.samples import (
    LONG,
    SOURCES,
    STOPPED,
    answer,
    conversation,
    question,
)

DEFINITION = re.compile(r"^\[\^(\d+)\]: ", re.MULTILINE)
PIECES = st.sampled_from(
    [
        *("[1]", "[2][3]", "[1, 4]", "[2-4]", "[9]", "[1, 9]", "【3】", "［2］", "[^1]", "[^4]", "[3]:", "[1](x)", "![2]"),
        *("word", " ", "\n", "\n\n", "> ", "- ", "1. ", "   ", "\t", "# ", "\n---\n", "\n===\n", "| a | b |\n|---|---|\n| "),
        *("|", "\\|", "`", "``", "```\n", "~~~", "*", "**", "$", "$$", "\\(", "\\)", "<b>", "&amp;", "\\", "!", "[", "]", "("),
        *("[foo]", "[foo]: /x\n", "[^n]", "[^n]: ", "https://e.org/[1]", "潮汐", "，", "\u202e", "\r\n", "[x] ", "    ", ":", "-"),
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=24).map("".join)


def alone(text, **fields):
    return markdown_of(conversation(answer(text, **fields)), EN)


def marks_of(html):
    return [int(number) for number in re.findall(r'class="citation" data-source="(\d+)"', html)]


def references_of(html):
    """Return the numbers of the references to footnotes, in their order and outside of the definitions of sources."""
    return [int(label) for label in re.findall(r'<a href="#footnote-(\d+)"', html)]


def test_marks_become_footnotes_and_nothing_else_changes():
    made = alone(LONG)
    body = made.split("[^1]: [Tides")[0]
    expected = (
        LONG.replace("Head [1] #", "Head [^1] #")
        .replace("bold [2]", "bold [^2]")
        .replace("[1, 3-4]", "[^1][^3][^4]")
        .replace("half [2, 9], 【4】［3］", "half [^2][9], [^4][^3]")
        .replace("[1,\n> 2]", "[^1][^2]")
        .replace("a [1] | b \\| [2]", "a [^1] | b \\| [^2]")
        .replace("x\\|[3]", "x\\|[^3]")
        .replace("one [1]", "one [^1]")
        .replace("nested [2]", "nested [^2]")
        .replace("done [3]", "done [^3]")
        .replace("Under [2]", "Under [^2]")
        .replace("[1]: some", "[^1]&#58; some")
        .replace("cites [4]", "cites [^4]")
    )
    assert body.strip() == expected.strip()


def test_every_cited_source_is_defined_once_and_the_others_stand_apart():
    made = alone("One [1], again [1], two [2].", offered=(1, 2, 3))
    assert DEFINITION.findall(made) == ["1", "2"]
    assert made.count("Lives in Köln") == 1
    assert made.index("Also read") < made.index("Lives in Köln") < made.index("[^1]:")
    assert "潮汐" not in made


def test_definitions_say_what_the_source_is_and_tell_no_folder():
    made = alone("[1][2][4]")
    assert (
        "[^1]: [Tides \\<explained\\>](<https://www.example.org/a(1)?q=1&amp;copy;=2>) · example.org · "
        "published 2024-05-06 · read "
    ) in made.replace("\\&", "&") or "[^1]: [Tides" in made
    assert "[^2]: Miet\\*vertrag\\* · Vertrag 2.pdf · page 7 · § 3 · read" in made
    assert "/home/me" not in made
    shown = render_message(made, look=RenderTarget.PAGE).html
    addresses = lxml_html.fromstring(f"<div>{shown}</div>").xpath(
        "//section//a[starts-with(@href, 'http')]/@href"
    )
    assert addresses[0] == "https://www.example.org/a(1)?q=1&copy;=2"


def test_an_address_that_must_not_be_opened_is_no_link():
    made = markdown_of(conversation(answer("[5]")), EN)
    assert "javascript" not in made
    assert "[^5]: Never read by {anyone} \\& 100% \\\\ ok" in made


def test_text_without_marks_is_exported_as_it_was():
    text = "# a\n\n- b [x](y)\n\n```\n[1]\n```\n\nprices $5 and $10, [2019-2024], `[2]`"
    assert alone(text) == text + "\n"


def test_an_open_block_of_code_ends_before_the_sources():
    made = alone("See [1].\n\n```py\na[1]")
    assert marks_of(render_message(made, SOURCES).html) == []
    assert references_of(render_message(made).html) == [1]
    assert "a[1]\n```\n" in made
    assert alone("[1]\n\n```\nx\n```").count("```") == 2
    assert alone("[1]\n```\n\n").count("```") == 2


@given(TEXTS)
def test_read_again_it_has_the_same_marks(text):
    made = alone(text, offered=(1, 2, 3, 4))
    before = render_message(text, SOURCES, RenderTarget.PAGE)
    after = render_message(made, look=RenderTarget.PAGE)
    own = set(re.findall(r"\[\^(\w+)\]:", clean(text)))
    if not own:  # those of the text's own are told apart below
        assert references_of(after.html) == marks_of(before.html)
    assert sorted(map(int, DEFINITION.findall(made)[-len(before.cited) :] if before.cited else [])) == sorted(
        before.cited
    )


@given(TEXTS)
def test_without_sources_the_text_is_what_it_was(text):
    made = markdown_of(conversation(answer(text), sources=()), EN)
    body = clean(text).removesuffix("\n")
    assert made == f"{body}\n" or (made.startswith(body) and set(made[len(body) :]) <= set("`~\n"))


@given(st.text(max_size=60) | TEXTS)
def test_what_a_person_wrote_reads_as_it_was_written(text):
    html = render_message(markdown_text(text), SOURCES, RenderTarget.PAGE).html
    shown = lxml_html.fromstring(f"<div>{html}</div>")
    assert not shown.xpath(".//*[not(self::div or self::p or self::br or self::a[not(@class)])]")
    assert "".join(shown.text_content().split()) == "".join(clean(text).split())


def test_own_footnotes_keep_apart_from_sources_and_from_other_answers():
    text = "Claim[^1] and source [2]. Note[^a].\n\n[^1]: own [1]\n[^a]: other"
    made = markdown_of(conversation(answer(text), answer(text)), EN)
    assert "Claim[^1-2] and source [^2]. Note[^a].\n\n[^1-2]: own [^1]\n[^a]: other" in made
    assert "Claim[^1-3] and source [^2]. Note[^a-2].\n\n[^1-3]: own [^1]\n[^a-2]: other" in made
    assert DEFINITION.findall(made) == ["1", "2"]


def test_own_footnotes_keep_the_number_of_a_source_that_nobody_cites():
    text = "Claim[^1].\n\n[^1]: own"
    assert alone(text) == f"{text}\n"


@cases(
    "text, written",
    [
        (r"\([1][2]\)", r"&#40;[^1][^2]\)"),
        (r"x \[1 [1]\]", r"x &#91;1 [^1]\]"),
        (r"\\([1])", r"\\([^1])"),
        ("[1](note)", "[^1]&#40;note)"),
        ("https://e.org/【1】", "https://e.org/ [^1]"),
        ("- [1]: words here", "- [^1]&#58; words here"),
        ("[a]:[1, 9]", "[a]&#58;[^1][9]"),
        ("[a]:\n[1, 9]", "[a]&#58;\n[^1][9]"),
        ("see [1]: words", "see [^1]: words"),
    ],
)
def test_a_mark_is_kept_from_meaning_something_else(text, written):
    made = alone(text)
    assert made.startswith(f"{written}\n\n[^1]: ")
    assert references_of(render_message(made, look=RenderTarget.PAGE).html) == marks_of(
        render_message(text, SOURCES, RenderTarget.PAGE).html
    )


def test_labels_of_links_keep_apart_too():
    text = (
        "A [page][1], [home], [Home][], [a [b] c][home], [x](y) and `[home]`.\n\n```\n[home]: code\n```\n\n"
    )
    first = f"{text}[1]: https://one.example\n[home]: https://home.example"
    second = f"{text}> [1]: https://two.example\n\n[home]: https://away.example"
    plain = "Not a link: [1], [home]."
    made = markdown_of(conversation(answer(first), answer(second), answer(plain), sources=()), EN)
    shown = lxml_html.fromstring(f"<div>{render_message(made, look=RenderTarget.PAGE).html}</div>")
    answers = re.split(r"<h2>.*?</h2>", lxml_html.tostring(shown, encoding="unicode"))[1:]
    links = [re.findall(r'href="https://(\w+)\.example"', part) for part in answers]
    assert links[:2] == [["one", "home", "home", "home"], ["two", "away", "away", "away"]]
    assert links[2] == []
    assert made.count("`[home]`") == 2
    assert made.count("```\n[home]: code\n```") == 2
    assert "Not a link: [1]" in made


def test_a_conversation_says_who_spoke_and_what_became_of_it():
    made = markdown_of(
        conversation(question("1. what [1]?\n# no *heading*", attachments=("/home/me/a b.pdf",)), answer("So [2]", status=STOPPED)),
        ZH_CN,
    )  # fmt: skip
    assert made.startswith(
        "# Tides \\& \\*time\\*\n\n## 你\n\n1\\. what &#91;1&#93;?\\\n\\# no \\*heading\\*\n\n- a b.pdf\n\n## 回答 · m-1\n"
    )
    assert "*你停止了这个回答。*" in made
    assert "/home/me" not in made


@cases("count", [200, 400])
def test_many_marks_take_time_in_proportion(count):
    made = alone("word [1] and [2, 3]\n" * count)
    assert made.count("[^1]") == count + 1
