"""A number that no source had when an answer was written never comes to mean a later source."""

from dataclasses import replace

import pytest

from desktop.domain.messages import Conversation, Message, Speaker, with_known_numbers
from desktop.domain.models import TextDelta
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.domain.transcript import Transcript
from desktop.render import RenderTarget, render_message
from desktop.render.export.formats import list_used_sources
from desktop.render.labels import EN
from desktop.render.page.page_model import PageModel
from desktop.render.page.source_cards import find_card
from desktop.storage.branch_operations import BranchOperations
from tests.unit.chat.turn.test_branches import started, turn
from tests.unit.chat.turn.test_runner import END, loop_context
from tests.unit.storage.samples import NOW

pytestmark = pytest.mark.anyio

INVENTED = "Seals sleep [1]. Otters dive [12]."


def sources(count):
    ledger = Ledger()
    ledger.register(Passage(SourceKind.WEB, f"T{n}", "words", f"https://a.example/{n}") for n in range(count))
    return ledger.sources


def said(name, speaker, text, offered=()):
    return Message(name, "c", speaker, text, NOW, offered=offered)


def old_conversation():
    """Two turns from before numbers were noted: the first was given four sources, the second nine more."""
    return (
        said("q1", Speaker.USER, "Who sleeps?"),
        said("a1", Speaker.MODEL, INVENTED, (1, 2, 3, 4)),
        said("q2", Speaker.USER, "And?"),
        said("a2", Speaker.MODEL, "Both [1][12].", tuple(range(5, 14))),
    )


def find_citations(message):
    return render_message(message.text, message.sources_among(sources(13)), RenderTarget.PAGE).cited


def test_answers_from_before_numbers_were_noted_are_mended():
    _, first, _, second = with_known_numbers(old_conversation())
    assert (first.known, second.known) == (((1, 4),), ((1, 13),))
    assert (find_citations(first), find_citations(second)) == ((1,), (1, 12))


def test_the_page_the_card_and_the_list_of_an_export_keep_to_it():
    messages = with_known_numbers(old_conversation())
    shown = Transcript.of(messages, sources(13))
    (opened, *_) = PageModel(EN).show(shown)
    first = opened.html[: opened.html.index('id="message-q2"')]
    assert 'href="#source-1"' in first
    assert 'href="#source-12"' not in first
    assert "[12]" in first
    assert find_card(shown, "a1", 12, 0, EN) is None
    assert find_card(shown, "a2", 12, 0, EN)


async def test_what_an_answer_knows_is_frozen_on_the_disk_and_goes_with_a_branch(tmp_path):
    async with loop_context(tmp_path, TextDelta(INVENTED), END) as b:
        first = started(await turn(b, "Who?"))
        talk = first.question.conversation_id
        assert first.answer.known == ()
        await b.store.save_sources(talk, sources(13))
        given = (await b.store.load(talk)).messages[-1].with_sources(sources(4))
        await b.store.update_message(given)
        second = started(await turn(b, "And?", conversation_id=talk)).answer
        assert second.known == ((1, 4),)
        branch = await BranchOperations(b.store).branch_off(talk, given.id, "Branch")
        for conversation_id in (talk, branch.id):
            conversation = await b.store.load(conversation_id)
            assert conversation.messages[1].known == ((1, 4),)
            assert find_citations(conversation.messages[1]) == (1,)
        alone: Conversation = replace(conversation, messages=conversation.messages[1:2])
        assert [source.number for source in list_used_sources(alone)] == [1, 2, 3, 4]
