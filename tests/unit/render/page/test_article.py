"""Articles of messages: header, steps, versions and footer."""

import re
from dataclasses import replace
from datetime import UTC, datetime

from desktop.domain.events import Beside, ThinkingEnded, TurnFinished, TurnStarted
from desktop.domain.messages import (
    AnswerCost,
    AnswerRole,
    Message,
    MessageStatus,
    Speaker,
    Step,
    StepKind,
    StepStatus,
)
from desktop.domain.models import QUOTES_MODEL, ReasoningDelta, TextDelta, UsageReported
from desktop.domain.privacy import Channel, EgressEvent
from desktop.domain.sources import Ledger, Locator, Passage, SourceKind, message_of
from desktop.errors.servers import AuthFailed, ProviderDown, RateLimited, RequestRejected
from desktop.render.labels import EN, STARTS, ZH_CN
from desktop.render.page.article import (
    answer_header_html,
    duration,
    footer_html,
    question_html,
    reasoning_html,
    sent_html,
    status_html,
    steps_html,
    welcome_html,
)
from desktop.render.page.operations import PatchText, SetMessage, SetPart
from desktop.render.page.source_cards import card_html, sources_html
from desktop.text.old_messages import recognise_message
from tests.cases import cases
from tests.unit.render.page.model_under_test import PageModelUnderTest


def steps(count):
    return [Step(number, StepKind.READ, "a.example", StepStatus.DONE) for number in range(count)]


@cases("count, words", [(1, "1 step"), (2, "2 steps")])
def test_steps_are_counted_as_people_count(count, words):
    assert f"<span>{words}</span>" in steps_html(steps(count), EN, is_live=False)


def test_the_error_of_an_answer_is_told_in_the_language_of_the_page():
    error = recognise_message("Your Mistral account is out of credit. Add credit, or choose another model.")
    message = Message(
        "a", "c", Speaker.MODEL, "", datetime(2026, 1, 2, tzinfo=UTC), MessageStatus.FAILED, error=error
    )
    assert error in status_html(message, EN)
    assert "你的 Mistral 账户余额已用完。" in status_html(message, ZH_CN)


@cases(
    "error, words, detail",
    [
        (
            ProviderDown(provider="Ollama", detail="[x] refused"),
            "Check its address and your connection.",
            "[x] refused",
        ),
        (RateLimited(provider="Groq", retry_after_s=None, detail="<429>"), "Try again later.", "&lt;429&gt;"),
        (RequestRejected(provider="Groq", detail="No pictures here."), "the request. No pictures here.", ""),
        (AuthFailed(provider="Groq", detail=""), "Check it in Settings &gt; Models.", ""),
    ],
)
def test_what_a_server_said_is_behind_details_unless_it_is_the_only_reason(error, words, detail):
    message = Message(
        "a", "c", Speaker.MODEL, "", datetime(2026, 1, 2, tzinfo=UTC), MessageStatus.FAILED, error=str(error)
    )
    said = str(status_html(message, EN))
    assert f"{words}</p>" in said
    found = re.findall(r"<details[^>]*><summary>Details</summary><p>(.*?)</p></details>", said)
    assert found == ([detail] if detail else [])


def tile(title, url, kind=SourceKind.WEB):
    ledger = Ledger()
    ledger.register(
        [Passage(kind, title, "Words.", url=url, document="d" if kind is SourceKind.FILE else "")]
    )
    found = re.search(r'class="tile[^>]*>(.*?)<', card_html(ledger.sources[0], EN))
    assert found
    return found[1]


@cases(
    "title, url, letter",
    [
        ("Tides", "https://example.org/", "E"),
        ("Tides", "http://192.0.2.7:8000/", "T"),
        ("潮汐", "http://127.0.0.1/", "潮"),
        ("2024", "http://127.0.0.1/", "W"),
        ("", "http://127.0.0.1/", "W"),
        ("163 mail", "https://163.com/", "M"),
    ],
)
def test_a_tile_never_shows_a_digit_which_would_look_like_the_number_of_a_source(title, url, letter):
    assert tile(title, url) == letter


def test_a_file_goes_by_its_name():
    assert tile("2024 report.pdf", "file:///tmp/2024%20report.pdf", SourceKind.FILE) == "R"


@cases("labels, words", [(EN, "Description by llava"), (ZH_CN, "图片描述：llava")])
def test_what_a_model_sees_in_a_picture_is_shown_as_its_description(labels, words):
    ledger = Ledger()
    where = Locator(section="Description by llava")
    ledger.register((Passage(SourceKind.FILE, "kite", "A kite.", "file:///kite.png", "d", where),))
    assert f"kite.png · {words}" in card_html(ledger.sources[0], labels)


def memory_sources(title):
    ledger = Ledger()
    ledger.register(
        [Passage(SourceKind.MEMORY, title, "I live <b>in Oslo.", document="k1", published="2026-01-02")]
    )
    return ledger.sources


@cases(
    "title, labels, words",
    [
        (recognise_message("You said"), EN, ("You said", "Memory · saved 2026-01-02", "Show the memory")),
        (recognise_message("You said"), ZH_CN, ("你说过", "记忆 · 2026-01-02 起记住", "查看这条记忆")),
        (recognise_message("Proposed by a model, confirmed by you"), ZH_CN, ("由模型提出，经你确认",)),
    ],
)
def test_the_card_of_a_memory_says_whose_words_it_is_in_and_since_when(title, labels, words):
    card = card_html(memory_sources(title)[0], labels)
    assert all(word in card for word in words)
    assert "I live &lt;b&gt;in Oslo." in card
    assert ">I</span>" in card


def test_in_the_list_of_sources_a_memory_is_known_by_its_words():
    html = sources_html(memory_sources(recognise_message("You said")), [1], [], ZH_CN)
    assert "你说过 “I live &lt;b&gt;in Oslo.”" in html


@cases("labels", [EN, ZH_CN])
def test_the_mark_of_the_welcome_explains_itself_to_keyboard_and_screen_reader(labels):
    html = welcome_html(labels)
    (described,) = re.findall(r'<button type="button" class="sample" aria-describedby="([^"]+)"', html)
    assert (
        f'<span id="{described}" role="tooltip"><strong>{labels.sample_title}</strong>{labels.sample_text}<'
        in html
    )


@cases("labels", [EN, ZH_CN])
def test_the_welcome_leads_to_a_model_only_where_there_is_none(labels):
    place = len(labels.examples) + STARTS.index("models")
    assert labels.set_up_model not in welcome_html(labels)
    html = welcome_html(replace(labels, has_model=False))
    assert labels.without_model in html
    assert f'data-example="{place}">{labels.set_up_model}<' in html


def test_each_cited_document_has_one_chip_and_the_list_is_closed():
    ledger = Ledger()
    addresses = ["https://www.example.org/a", "https://b.org", "https://example.org/c", "https://d.org"]
    ledger.register(
        [Passage(SourceKind.WEB, f"<Title {url}>", f"Text of {url}.", url) for url in addresses]
        + [
            Passage(SourceKind.FILE, "a.pdf", f"Page {page}.", "file:///a.pdf", "a", Locator(page))
            for page in (1, 2)
        ]
    )
    html = sources_html(ledger.sources, [5, 6, 2], [9], EN)
    chips = re.findall(r'class="chip-words" dir="auto">(.*?)</span><span class="number">(.*?)<', html)
    assert chips == [("b.org", "2"), ("a.pdf", "5, 6")]
    assert "<details open" not in html
    assert " open>" not in html
    many = sources_html(ledger.sources, range(1, 7), [], EN)
    assert many.count('class="source chip"') == 4
    assert ">+1<" in many


@cases(
    "labels, words",
    [
        (EN, ("Past answer · from 2026-01-02", "Show in chat")),
        (ZH_CN, ("以前的回答 · 2026-01-02 说过", "查看原处")),
    ],
)
def test_a_past_answer_says_what_it_is_and_leads_back(labels, words):
    ledger = Ledger()
    ledger.register(
        [Passage(SourceKind.ANSWER, "The <tides>", "At noon.", document="c9/m7", published="2026-01-02")]
    )
    (source,) = ledger.sources
    html = card_html(source, labels)
    assert all(part in html for part in (*words, "The &lt;tides&gt;", "At noon."))
    assert message_of(source) == ("c9", "m7")


DONE = Step(1, StepKind.SEARCH, "tides", StepStatus.DONE, 3)


def test_finished_steps_lead_to_their_record_in_both_languages():
    for labels, words in ((EN, ">Sources and searches…<"), (ZH_CN, ">来源与搜索…<")):
        html = steps_html((DONE,), labels, is_live=False)
        assert 'data-action="details"' in html
        assert words in html


def test_a_running_check_is_no_step_as_it_is_told_of_below_the_answer():
    running = Step(2, StepKind.CHECK)
    assert steps_html((DONE, running), EN, is_live=True) == steps_html((DONE,), EN, is_live=True)
    assert steps_html((running,), EN, is_live=True) == ""


def test_running_steps_and_no_steps_lead_nowhere():
    assert "data-action" not in steps_html((DONE,), EN, is_live=True)
    assert steps_html((), EN, is_live=False) == ""


def test_a_wait_before_a_retry_can_be_skipped_while_it_lasts():
    waiting = Step(
        2,
        StepKind.RETRY,
        detail=recognise_message("Trying again in 12 s (attempt 1 of 3). Far is overloaded."),
    )
    for labels, button, detail in ((EN, ">Ask now<", "in 12 s"), (ZH_CN, ">立即提问<", "12 秒后重试")):
        html = steps_html((waiting,), labels, is_live=True)
        assert 'data-action="skip_wait"' in html
        assert button in html
        assert detail in html
    over = replace(waiting, status=StepStatus.DEGRADED)
    assert "skip_wait" not in steps_html((over,), EN, is_live=True)


NOW = datetime(2026, 11, 21, tzinfo=UTC)
ANSWER = Message("a", "c", Speaker.MODEL, "Yes.", NOW, model="shop/maker/best")
USAGE = UsageReported(1_234, 567, 1_000, 89)


def test_model_time_tokens_and_cost_stand_under_an_answer():
    message = replace(ANSWER, usage=USAGE, spent=AnswerCost(12.3, 4.0, 0.01234, "USD"))
    assert footer_html(message, EN) == (
        '<span class="model" title="1,000 cached · 89 used for reasoning">'
        "best · 12 s · 1,234 input tokens, 567 output tokens · $0.0123</span>"
    )
    assert "12 秒 · 输入 1,234 词元，输出 567 词元" in footer_html(message, ZH_CN)


def test_the_speed_stands_there_if_the_server_says_how_long_it_wrote():
    for seconds, words in (
        (10.0, "567 output tokens · 57 tokens per second"),
        (100.0, "567 output tokens · 5.7 tokens per second"),
    ):
        message = replace(ANSWER, usage=replace(USAGE, written_s=seconds))
        assert words in footer_html(message, EN)
    assert "每秒 5.7 词元" in footer_html(message, ZH_CN)


def test_what_is_not_known_is_not_there():
    assert footer_html(ANSWER, EN) == '<span class="model">best</span>'
    quotes = replace(ANSWER, model=QUOTES_MODEL, spent=AnswerCost(0.2))
    assert footer_html(quotes, EN) == '<span class="model">Quotes</span>'
    assert footer_html(replace(ANSWER, model=""), EN) == ""


def test_names_of_models_and_currencies_are_text():
    message = replace(ANSWER, model="p/<b>", spent=AnswerCost(1.0, cost=1.5, currency="<i>"))
    assert footer_html(message, EN) == '<span class="model">&lt;b&gt; · 1 s · 1.50 &lt;i&gt;</span>'


@cases(
    "seconds, words",
    [(0.01, "0.1 s"), (3.42, "3.4 s"), (9.0, "9 s"), (12.4, "12 s"), (60, "1 min 0 s"), (125, "2 min 5 s")],
)
def test_times_are_said_as_people_say_them(seconds, words):
    assert duration(seconds, EN) == words


def heading(html):
    return html.partition("</summary>")[0].rpartition(">")[2]


def test_reasoning_says_how_long_it_took_when_it_is_opened_again():
    thinking = replace(ANSWER, text="", reasoning="Hm.", status=MessageStatus.STREAMING)
    assert heading(reasoning_html(thinking, EN)) == "Thinking"
    done = replace(thinking, status=MessageStatus.COMPLETE, spent=AnswerCost(30.0, 12.0))
    assert heading(reasoning_html(done, EN)) == "Thought for 12 s"
    assert heading(reasoning_html(done, ZH_CN)) == "思考了 12 秒"
    assert heading(reasoning_html(replace(done, spent=None), EN)) == "Reasoning"


def test_the_heading_changes_as_soon_as_the_thought_ends_and_when_it_goes_on():
    page = PageModelUnderTest(EN)
    answer = replace(ANSWER, text="", status=MessageStatus.STREAMING)
    question = replace(ANSWER, id="q", speaker=Speaker.USER)

    def headings(*events):
        operations = page.apply(events)
        return [heading(o.html) for o in operations if isinstance(o, SetPart) and o.part == "reasoning"]

    page.apply([TurnStarted(question, answer)])
    assert headings(ReasoningDelta("Hm.")) == ["Thinking"]
    assert headings(ReasoningDelta(" Well.")) == []
    assert headings(ThinkingEnded(3.0)) == ["Thought for 3 s"]
    assert headings(ReasoningDelta(" And?")) == ["Thinking"]
    assert headings(ThinkingEnded(5.0), TextDelta("Yes")) == ["Thought for 5 s"]


def test_files_that_came_without_words_stand_alone():
    question = replace(ANSWER, speaker=Speaker.USER, text="", attachments=("/x/tides.png",))
    html = question_html(question, EN)
    assert "tides.png" in html
    assert "bubble" not in html
    assert "bubble" in question_html(replace(question, text="Look"), EN)


HEADER_TIME = datetime(2026, 3, 1, tzinfo=UTC)
ASKED = Message("q", "c", Speaker.USER, "Why?", HEADER_TIME)
ONE = Message("a", "c", Speaker.MODEL, "", HEADER_TIME, MessageStatus.STREAMING, model="x/one")
TWO = replace(ONE, id="b", model="x/two<b>", standing=AnswerRole.COMPARED)


def running() -> PageModelUnderTest:
    page = PageModelUnderTest(EN)
    page.open((), ())
    page.apply([TurnStarted(ASKED, ONE), Beside("b", TurnStarted(ASKED, TWO))])
    return page


def html_of(operations, message_id: str) -> str:
    return next(each.html for each in operations if isinstance(each, SetMessage) and each.id == message_id)


def test_text_goes_to_the_answer_that_it_belongs_to():
    page = running()
    operations = page.apply([TextDelta("One."), Beside("b", TextDelta("Two.")), TextDelta(" More.")])
    assert {each.id for each in operations if isinstance(each, PatchText)} == {"a", "b"}
    assert (page.transcript.by_id["a"].text, page.transcript.by_id["b"].text) == ("One. More.", "Two.")


def test_one_ends_while_the_other_goes_on():
    page = running()
    page.apply([TextDelta("One."), Beside("b", TextDelta("Two."))])
    ended = replace(TWO, text="Two.", status=MessageStatus.COMPLETE)
    operations = page.apply([Beside("b", TurnFinished(ended))])
    assert any(isinstance(each, SetPart) and (each.id, each.part) == ("b", "who") for each in operations)
    page.apply([TextDelta(" Still.")])
    assert page.transcript.by_id["a"].text == "One. Still."
    page.apply([TurnFinished(replace(ONE, text="One. Still.", status=MessageStatus.COMPLETE))])
    assert page.transcript.by_id["a"].status is MessageStatus.COMPLETE


def test_a_page_that_is_shown_again_goes_on_with_both():
    page = running()
    page.apply([TextDelta("One."), Beside("b", TextDelta("Two."))])
    page.show_again()
    page.apply([TextDelta(" a"), Beside("b", TextDelta(" b"))])
    assert (page.transcript.by_id["a"].text, page.transcript.by_id["b"].text) == ("One. a", "Two. b")


def test_the_next_question_folds_what_was_compared():
    page = PageModelUnderTest(EN)
    done = [replace(each, text="x", status=MessageStatus.COMPLETE) for each in (ONE, TWO)]
    page.open((ASKED, *done), ())
    asked = replace(ASKED, id="q2")
    operations = page.apply([TurnStarted(asked, replace(ONE, id="a2"))])
    assert 'data-standing="left"' in html_of(operations, "b")
    assert page.transcript.by_id["a"].standing is AnswerRole.USUAL


def test_the_head_names_the_model_what_it_took_and_what_can_be_done():
    assert "x/" not in answer_header_html(TWO, EN)
    assert "two&lt;b&gt;" in answer_header_html(TWO, EN)
    assert 'data-action="stop"' in answer_header_html(TWO, EN)
    done = replace(TWO, status=MessageStatus.COMPLETE, usage=UsageReported(1_200, 34), spent=AnswerCost(3.4))
    head = answer_header_html(done, EN)
    assert "3.4 s" in head
    assert "1,200" in head
    assert 'data-action="choose"' in head
    assert 'aria-expanded="false"' in answer_header_html(replace(done, standing=AnswerRole.LEFT), EN)


@cases(
    "sent, labels, words",
    [
        ([], EN, "Stayed on this computer"),
        ([], ZH_CN, "全部留在本机"),
        ([("api.maker.example", Channel.MODEL)], EN, "Sent to maker.example"),
        (
            [("api.maker.example", Channel.MODEL), ("html.duck.example", Channel.SEARCH)]
            + [(f"{name}.example", Channel.READING) for name in "abc"],
            EN,
            "Sent to maker.example, duck.example and 3 sites",
        ),
        (
            [
                ("maker.example", Channel.MODEL),
                ("a.example", Channel.READING),
                ("www.maker.example", Channel.READING),
            ],
            ZH_CN,
            "已发送给 maker.example和a.example",
        ),
    ],
)
def test_a_line_says_where_data_was_sent_for_an_answer(sent, labels, words):
    cost = AnswerCost(1.0, sent=tuple(EgressEvent(host, channel, 1) for host, channel in sent))
    html = sent_html(replace(ANSWER, spent=cost), labels)
    assert re.search("<(?:p class=.sent|summary)[^>]*>(.*?)</", html)[1] == words
    assert html.count("<li>") == len(sent)


def test_nothing_is_said_of_what_was_not_recorded_or_came_from_elsewhere():
    assert sent_html(replace(ANSWER, spent=AnswerCost(1.0)), EN) == ""
    assert sent_html(replace(ANSWER, spent=None), EN) == ""
    assert sent_html(replace(ANSWER, spent=AnswerCost(sent=()), is_foreign=True), EN) == ""
    used = replace(ANSWER, spent=AnswerCost(sent=()), steps=(Step(1, StepKind.TOOL),))
    assert "tools may have sent" in sent_html(used, EN)


def test_a_card_shows_prose_without_the_signs_of_markdown_and_code_as_it_is():
    text = "## Keepers\n\n| a | b |\n|---|---:|\n| 1 | 2 |\nThe **first** keeper was Jonas Brandt.\n# note"
    cards = []
    for name in ("guide.md", "keepers.py"):
        ledger = Ledger()
        ledger.register([Passage(SourceKind.FILE, name, text, f"file:///{name}")])
        cards.append(card_html(ledger.sources[0], EN, "The first keeper was Jonas Brandt."))
    prose, code = cards
    assert "Keepers\n\na · b\n1 · 2\n<mark>The first keeper was Jonas Brandt.</mark>" in prose
    assert "## Keepers" in code
    assert "**first**" in code


def test_each_message_has_a_heading_and_its_buttons_are_one_tab_stop():
    html = question_html(Message("q", "c", Speaker.USER, "Why?", NOW), EN)
    assert '<h2 class="unseen" aria-label="You"></h2>' in html
    bar = html.partition('role="toolbar"')[2].partition("</footer>")[0]
    assert bar.count("<button ") == 4
    assert bar.count('<button tabindex="-1" ') == 3
