"""What was damaged on the disk says so in the language of the page, and in what is exported of it."""

from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO

import docx

from desktop.domain.messages import Conversation, ConversationInfo, Message, MessageStatus, Speaker
from desktop.domain.sources import Locator, Source, SourceKind
from desktop.render.export.formats import Format, answer_clip, export_conversation
from desktop.render.labels import EN, ZH_CN
from desktop.render.page.operations import SetMessage
from desktop.render.page.source_cards import card_html, source_list_title
from tests.cases import cases
from tests.unit.render.page.model_under_test import PageModelUnderTest

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
BOTH = cases(
    "labels, said",
    [
        (EN, "This message is damaged and isn’t in any backup."),
        (ZH_CN, "这条消息已损坏，任何备份中都没有它。"),
    ],
    ids=["en", "zh"],
)


def message(speaker, text="", *, is_damaged=True, is_reasoning_damaged=False):
    return Message(
        f"m-{speaker}",
        "c",
        speaker,
        text,
        NOW,
        is_damaged=is_damaged,
        is_reasoning_damaged=is_reasoning_damaged,
    )


def source(kind=SourceKind.WEB, **fields):
    plain = Source(1, kind, "k", "", "https://example.org/", "", Locator(), "", "", NOW)
    return replace(plain, **fields)


def articles(labels, *messages):
    """Return the articles of messages that come behind one."""
    page = PageModelUnderTest(labels)
    first = Message("first", "c", Speaker.USER, "Hello", NOW)
    page.open((first,), ())
    shown = page.open((first, *messages), ())
    return [each.html for each in shown if isinstance(each, SetMessage)]


def conversation(*messages):
    return Conversation(ConversationInfo("c", "T", NOW, NOW), messages, ())


@BOTH
@cases("speaker", Speaker)
def test_a_damaged_message_says_so_apart_from_words(labels, said, speaker):
    (html,) = articles(labels, message(speaker))
    assert f'<p class="damaged">{said}</p>' in html
    assert 'class="bubble"' not in html
    assert said in html.partition(">")[0]  # what it is called for those who listen


@BOTH
@cases("speaker", Speaker)
def test_what_is_left_is_shown_with_it(labels, said, speaker):
    (html,) = articles(labels, message(speaker, "The beginning"))
    assert html.index("The beginning") < html.index(f'<p class="damaged">{said}</p>')


@BOTH
@cases("speaker", Speaker)
def test_the_same_words_of_a_person_or_a_model_are_words(labels, said, speaker):
    (html,) = articles(labels, message(speaker, EN.damaged, is_damaged=False))
    assert EN.damaged in html
    assert 'class="damaged"' not in html
    words = export_conversation(
        conversation(message(speaker, EN.damaged, is_damaged=False)), Format.MARKDOWN, labels
    )
    assert words.decode().count(EN.damaged) == 1


@BOTH
def test_damaged_reasoning_says_so_beside_an_answer_that_is_right(labels, said):
    (html,) = articles(labels, message(Speaker.MODEL, "Two.", is_damaged=False, is_reasoning_damaged=True))
    assert html.count(said) == 1
    assert html.index(said) < html.index("</details>") < html.index("Two.</p>")


@BOTH
def test_a_damaged_source_says_so_on_its_card_and_where_it_is_listed_by_its_words(labels, said):
    assert f'<p class="damaged">{said}</p>' in card_html(source(is_damaged=True), labels)
    assert said not in card_html(source(text=EN.damaged[:-1]), ZH_CN)
    assert said in source_list_title(source(SourceKind.MEMORY, is_damaged=True), labels)


@BOTH
@cases("kind", [Format.MARKDOWN, Format.HTML, Format.PDF])
def test_what_is_exported_of_a_damaged_message_says_so(labels, said, kind):
    messages = (message(Speaker.USER), message(Speaker.MODEL))
    assert export_conversation(conversation(*messages), kind, labels).decode().count(said) == len(messages)


@BOTH
def test_a_file_of_word_says_so(labels, said):
    messages = (message(Speaker.USER), message(Speaker.MODEL))
    file = docx.Document(BytesIO(export_conversation(conversation(*messages), Format.WORD, labels)))
    assert [paragraph.text for paragraph in file.paragraphs].count(said) == len(messages)


@BOTH
def test_both_forms_on_the_clipboard_say_what_is_missing(labels, said):
    stopped = replace(message(Speaker.MODEL, "The beginning"), status=MessageStatus.STOPPED)
    clip = answer_clip(conversation(stopped), labels)
    ending = labels.sentence_gap.join((said, labels.statuses[MessageStatus.STOPPED]))
    assert ending in clip.text
    assert f"<p><em>{ending}</em></p>" in clip.html
