"""The panel and the report of a checked text: the worst claim first, with its reason, and nothing of it is markup."""

from dataclasses import replace
from datetime import UTC, datetime

from desktop.domain.citation_check import CheckedMark, CitationCheck, SupportLevel, UnreadReason
from desktop.domain.messages import Conversation, ConversationInfo, Message, MessageStatus, Speaker
from desktop.domain.procedures import EvidencePlace, Phase, TextCheck, TextClaim
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.render.export import Format, export_conversation, leave_out, shared_page_of
from desktop.render.labels import EN, labels_of
from desktop.render.page.procedure_panels import procedure_html, words_to_go_on
from desktop.text.old_messages import recognise_message

NOW = datetime(2026, 1, 2, tzinfo=UTC)
HOSTILE = "<img src=x onerror=alert(1)> **built** in 1874"


def claim(text, mark, place=EvidencePlace.CITED):
    return TextClaim(text, 0, (mark.number,), judged=(mark,), place=place, is_checked=True)


def check_text(**fields):
    ledger = Ledger()
    ledger.register(
        Passage(SourceKind.WEB, f"Page {place}", "It was built in 1873.", f"https://e.x/{place}")
        for place in "abc"
    )
    marks = (
        CheckedMark(1, 0, SupportLevel.SUPPORTED, "It is a tower", "It is a tower.", score=0.9),
        CheckedMark(2, 0, SupportLevel.UNREAD, "It is red", unread=UnreadReason.FORBIDDEN),
        CheckedMark(1, 1, SupportLevel.CONTRADICTED, HOSTILE, HOSTILE, missing=("1874",), score=0.1),
    )
    claims = tuple(claim(mark.claim, mark) for mark in marks)
    state = TextCheck(
        "a <b>", text="It", claims=(*claims, TextClaim("later", 9)), phase=Phase.CHECKING, **fields
    )
    text = f"It is a tower [1]. It is red [2]. {HOSTILE} [1]."
    message = Message(
        "m", "c", Speaker.MODEL, text, NOW, status=MessageStatus.STREAMING, offered=((1, 3),), procedure=state,
        check=CitationCheck(marks),
    )  # fmt: skip
    return message, ledger.sources


def test_the_panel_has_the_worst_claim_first_with_its_reason_and_escapes_everything():
    message, sources = check_text(
        notes=(recognise_message("The text is very long, so only its beginning was checked."),)
    )
    html = procedure_html(message, {source.number for source in sources}, EN)
    assert "Check of “a &lt;b&gt;” · Claim 4 of 4" in html
    assert html.index("Contradicted") < html.index("Can’t be read") < html.index(">Supported<")
    assert "asks for payment" in html
    assert "<mark>1874</mark>" in html
    assert "<img" not in html
    assert 'data-research="pause"' in html
    done = replace(
        message, status=MessageStatus.COMPLETE, procedure=replace(message.procedure, phase=Phase.DONE)
    )
    chinese = procedure_html(done, {1, 2}, labels_of("zh_CN"))
    assert "3 条说法 · 与来源矛盾: 1，来源无法读取: 1，有依据: 1" in chinese
    assert "文本很长" in procedure_html(done, {1, 2}, labels_of("zh_CN"))
    assert words_to_go_on(message.procedure, EN)[0] == "Resume"


def test_what_is_missing_is_marked_in_the_words_and_not_in_how_they_are_escaped():
    message, _ = check_text()
    mark = CheckedMark(1, 0, SupportLevel.CONTRADICTED, "It's 27", missing=("27",))
    state = replace(message.procedure, claims=(claim("It's 27", mark),))
    assert "It&#x27;s <mark>27</mark>" in procedure_html(replace(message, procedure=state), {1}, EN)


def test_reports_begin_with_the_claims_and_every_mark_keeps_its_verdict():
    message, sources = check_text()
    message = replace(
        message, status=MessageStatus.COMPLETE, text=message.text.replace(HOSTILE, "Built in 1874")
    )
    conversation = Conversation(ConversationInfo("c", "Letter", NOW, NOW), (message,), sources)
    page = shared_page_of(conversation, EN).decode()
    assert page.count(' data-support="contradicted"') == page.count(' data-support="unread"') == 2
    assert page.index("Claims, the worst first") < page.index("The checked text")
    assert "<img" not in page
    markdown = export_conversation(conversation, Format.MARKDOWN, EN).decode()
    assert (
        markdown.index("**Contradicted:**")
        < markdown.index("**Can’t be read:**")
        < markdown.index("**Supported:**")
    )
    assert export_conversation(conversation, Format.WORD, EN).startswith(b"PK")


def test_a_report_quotes_nothing_of_a_source_that_is_left_out():
    message, sources = check_text()
    secret = CheckedMark(
        1, 0, SupportLevel.CONTRADICTED, "It is blue", "The diary says red.", missing=("red",)
    )
    nearest = CheckedMark(0, 0, SupportLevel.NOT_FOUND, "It is green", "The diary says nothing of green.")
    state = replace(
        message.procedure,
        claims=(claim("It is blue", secret), claim("It is green", nearest, EvidencePlace.BASES)),
        phase=Phase.DONE,
    )
    mine = replace(
        sources[0], kind=SourceKind.FILE, text="The diary says red. The diary says nothing of green."
    )
    said = Conversation(
        ConversationInfo("c", "t", NOW, NOW),
        (
            replace(
                message, text="It is blue [1].", procedure=state, check=None, status=MessageStatus.COMPLETE
            ),
        ),
        (mine, *sources[1:]),
    )
    assert b"The diary says" in shared_page_of(said, EN)
    assert b"The diary says" not in shared_page_of(said, EN, {1})
    kept = export_conversation(leave_out(said, {1}, EN), Format.MARKDOWN, EN)
    assert b"It is blue" in kept
    assert b"The diary says" not in kept
