"""What a check found, as the page and the terminal say it, in English and in Chinese."""

from dataclasses import replace
from datetime import UTC, datetime

from desktop.cli.output.answer import check_json, format_check
from desktop.domain.citation_check import (
    CheckedMark,
    CitationCheck,
    Disagreement,
    DisagreementKind,
    SupportLevel,
)
from desktop.domain.events import CheckAdvanced, CitationsChecked
from desktop.domain.messages import Message, MessageStatus, Speaker
from desktop.domain.sources import Ledger, Locator, Passage, Source, SourceKind
from desktop.render.labels import EN, ZH_CN
from desktop.render.page.operations import Finish, OpenPage, SetMessage, SetPart, ShowSupport
from desktop.render.page.source_cards import (
    check_html,
    check_line,
    dispute_html,
    find_card,
    note_html,
    show_doubts,
    words_behind,
)
from desktop.text.old_messages import recognise_message
from tests.cases import cases
from tests.unit.render.page.model_under_test import PageModelUnderTest

NOW = datetime(2026, 1, 2, tzinfo=UTC)
WEAK = CheckedMark(1, 1, SupportLevel.WEAK, "It cost <90>", "It cost 80 crowns.", ("<90>",))
MARKS = (
    CheckedMark(1, 0, SupportLevel.SUPPORTED, "Built in 1873"),
    WEAK,
    CheckedMark(2, 0, SupportLevel.NOT_FOUND, "It is red"),
    CheckedMark(3, 0, SupportLevel.UNCOMPARED, "红色"),
)
CHECK = CitationCheck(MARKS, (9,))
ANSWER = Message("a", "c", Speaker.MODEL, "Built [1]. Cost [1]. Red [2].", NOW, MessageStatus.COMPLETE)
SOURCE = Source(1, SourceKind.WEB, "k", "T", "", "", Locator(), "Built in 1873. It cost 80 crowns.", "", NOW)


@cases(
    "check, labels, line",
    [
        (
            CHECK,
            EN,
            "4 claims · 1 found in their sources · 2 doubtful · 1 not compared · 1 number without a source",
        ),
        (
            CHECK,
            ZH_CN,
            "4 条说法 · 1 条在来源中找到 · 2 条存疑 · 1 处无法比较 · 1 个编号没有来源",
        ),
        (CitationCheck(MARKS[:1]), EN, "1 claim · 1 found in its sources"),
        (CitationCheck((MARKS[0], replace(MARKS[0], number=2))), EN, "1 claim · 1 found in its sources"),
        (
            CitationCheck((MARKS[0], replace(MARKS[2], claim=MARKS[0].claim))),
            EN,
            "1 claim · 0 found in its sources · 1 doubtful",
        ),
        (CitationCheck((), (7, 9)), EN, "2 numbers without a source"),
        (CitationCheck(), EN, "This answer has no citations."),
    ],
)
def test_the_line(check, labels, line):
    assert check_line(check, labels) == line


def test_the_doubts_of_the_line_are_a_button_that_leads_to_them_and_none_where_no_script_runs():
    assert check_html(CHECK, EN).count('<button type="button" class="doubt ') == 1
    assert 'data-support="not_found weak" title="Show the citation: 1 not found, 1 weak"' in check_html(
        CHECK, EN
    )
    assert "<button" not in check_html(CHECK, EN, has_buttons=False)


def test_before_a_check_there_is_no_line_and_what_failed_is_told_in_the_language_of_now():
    assert check_html(None, EN) == ""
    problem = replace(
        CHECK, problem=recognise_message("The model’s verdicts on the citations couldn’t be read.")
    )
    assert "无法读懂模型对引用的判断" in check_html(problem, ZH_CN)


def test_a_card_says_why_and_escapes_what_comes_from_outside():
    note = note_html(WEAK, EN)
    assert "Missing from the source: &lt;90&gt;." in note
    assert EN.closest in note
    assert "card-support weak" in note
    assert EN.closest not in note_html(MARKS[0], EN)


def test_the_terminal_names_every_mark_in_doubt():
    words = format_check(CHECK)
    assert words.startswith("4 claims · 1 found in their sources")
    assert "[1] “It cost <90>”" in words
    assert "closest: “It cost 80 crowns.”" in words
    assert "Built in 1873" not in words
    assert check_json(CHECK)["marks"][1]["support"] == "weak"


def test_the_page_learns_of_doubts_when_it_opens_when_a_check_ends_and_when_a_message_comes_near():
    page = PageModelUnderTest(EN)
    assert [type(one) for one in page.open([ANSWER], [SOURCE])][:1] == [OpenPage]
    (progress,) = page.apply([CheckAdvanced("a", 1, 3)])
    assert isinstance(progress, SetPart)
    assert "1 of 3" in progress.html
    line, doubts, spoken = page.apply([CitationsChecked("a", CHECK)])
    assert "1 found in their sources" in line.html
    assert [(mark.number, mark.occurrence, mark.kind) for mark in doubts.marks] == [
        (1, 1, "weak"),
        (2, 0, "not_found"),
    ]
    assert spoken == Finish("a", check_line(CHECK, EN))
    assert any(isinstance(one, ShowSupport) for one in page.show_again())
    others = [replace(ANSWER, id=f"m{number}") for number in range(20)]
    page = PageModelUnderTest(EN)
    page.open([replace(ANSWER, check=CHECK), *others], [SOURCE])
    assert [type(one) for one in page.write(["a"])][-2:] == [SetMessage, ShowSupport]


def test_a_check_that_is_given_up_leaves_what_was_found_before():
    page = PageModelUnderTest(EN)
    page.open([replace(ANSWER, check=CHECK)], [SOURCE])
    page.apply([CheckAdvanced("a", 1, 3)])
    line, _ = page.end_check("a")
    assert "4 claims" in line.html
    assert page.end_check("gone") == []


def test_the_card_of_a_doubted_mark_marks_what_comes_closest():
    page = PageModelUnderTest(EN)
    page.open([replace(ANSWER, check=CHECK)], [SOURCE])
    card = find_card(page.transcript, "a", 1, 1, EN)
    assert "<mark>It cost 80 crowns.</mark>" in card.html
    assert "Weak." in card.html
    assert words_behind(page.transcript.sources[1], card.sentence) == "It cost 80 crowns."


def test_where_sources_disagree_is_said_under_the_answer_at_the_mark_and_side_by_side_in_the_card():
    ledger = Ledger()
    ledger.register(
        Passage(
            SourceKind.WEB,
            f"Page {year} <b>",
            f"It is tall. The tower was built in {year} by Ada.",
            f"https://{place}.example",
        )
        for place, year in (("a", 1873), ("b", 1874), ("c", 1874))
    )
    mark = CheckedMark(
        1, 0, SupportLevel.SUPPORTED, "The tower was built in 1873", "The tower was built in 1873 by Ada."
    )
    found = Disagreement(
        DisagreementKind.DATE, "The tower was built in … by Ada.", ("1874", "1873"), ((2, 3), (1,))
    )
    check = CitationCheck((mark,), disagreements=(found,))
    sources = {source.number: source for source in ledger.sources}
    line = check_html(check, EN)
    assert "2 of 3 sources say 1874 [2] [3], 1 of 3 sources says 1873 [1]" in line
    card = dispute_html(check, mark, sources, EN)
    assert card.count('class="side"') == 2
    assert "The tower was built in 1874 by Ada." in card
    assert "<b>" not in card
    message = replace(ANSWER, check=check)
    (shown,) = show_doubts(message, EN, sources)
    assert [(each.number, each.kind) for each in shown.marks] == [(1, "disputed")]
    other = replace(mark, claim="The tower is tall")
    assert dispute_html(check, other, sources, EN) == ""
