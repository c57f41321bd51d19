"""What was damaged on the disk says so in the language of the page, and in what is exported of it."""

from datetime import UTC, datetime

import pytest

from desktop.domain.messages import DAMAGED, Conversation, ConversationInfo, Message, Speaker
from desktop.domain.sources import Locator, Source, SourceKind
from desktop.render.cards import card_html
from desktop.render.export.formats import Format, exported
from desktop.render.labels import EN, ZH_CN
from desktop.render.live import LivePage
from desktop.render.operations import SetMessage

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
BOTH = pytest.mark.parametrize(
    ("labels", "said"),
    [(EN, DAMAGED), (ZH_CN, "磁盘上的数据已损坏，任何备份中都没有原来的内容。")],
    ids=["en", "zh"],
)


def message(speaker, text=DAMAGED, reasoning=""):
    return Message(f"m-{speaker}", "c", speaker, text, NOW, reasoning=reasoning)


def articles(labels, *messages):
    """Return the articles of messages that come behind one."""
    page = LivePage(labels)
    first = Message("first", "c", Speaker.PERSON, "Hello", NOW)
    page.open((first,), ())
    shown = page.open((first, *messages), ())
    return [each.html for each in shown if isinstance(each, SetMessage)]


@BOTH
@pytest.mark.parametrize("speaker", Speaker)
def test_a_damaged_message_is_marked_and_says_so(labels, said, speaker):
    (html,) = articles(labels, message(speaker))
    assert said in html
    assert " damaged" in html.partition(">")[0]


@BOTH
def test_damaged_reasoning_says_so_beside_an_answer_that_is_right(labels, said):
    (html,) = articles(labels, message(Speaker.MODEL, "Two.", DAMAGED))
    assert said in html
    assert "Two." in html
    assert " damaged" not in html.partition(">")[0]


@BOTH
def test_a_damaged_source_says_so_on_its_card(labels, said):
    damaged = Source(1, SourceKind.WEB, "k", "", "https://example.org/", "", Locator(), DAMAGED, "", NOW, "")
    assert said in card_html(damaged, labels)


@BOTH
@pytest.mark.parametrize("kind", [Format.MARKDOWN, Format.HTML])
def test_what_is_exported_of_a_damaged_message_says_so(labels, said, kind):
    messages = (message(Speaker.PERSON), message(Speaker.MODEL))
    conversation = Conversation(ConversationInfo("c", "T", NOW, NOW), messages, ())
    assert exported(conversation, kind, labels).decode().count(said) >= len(messages)
