"""The example is a conversation as any other, and every number in it has its passage in the guide."""

import asyncio
import re

from desktop.domain.messages import Speaker
from desktop.domain.sources import SourceKind, document_of
from desktop.services.example import LANGUAGES, make_example, text_of
from desktop.storage.conversation_store import ConversationStore
from tests.cases import cases


@cases("language", [*LANGUAGES, "de"])
def test_every_number_has_its_passage(language, tmp_path):
    async def made():
        store = ConversationStore(tmp_path)
        info = await make_example(store, language)
        conversation, listed = await store.load(info.id), await store.recent()
        await store.close()
        return conversation, listed

    conversation, listed = asyncio.run(made())
    question, answer = conversation.messages
    assert (question.speaker, answer.speaker) == (Speaker.USER, Speaker.MODEL)
    assert [info.title for info in listed] == [conversation.info.title] != [""]
    marks = {int(number) for number in re.findall(r"\[(\d+)]", answer.text)}
    assert marks == set(answer.offered) == {source.number for source in conversation.sources}
    for source in conversation.sources:
        assert source.kind is SourceKind.FILE
        assert source.locator.section
        assert len(source.text) > 40
        whole = text_of(document_of(source))
        assert whole[source.locator.start : source.locator.end] == source.text
