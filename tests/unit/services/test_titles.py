"""Titles asked for on behalf of a conversation."""

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest

from desktop.chat.source_lookup import SelectedModel
from desktop.domain.messages import Message, MessageStatus, Speaker
from desktop.domain.models import TextDelta
from desktop.domain.privacy import Channel
from desktop.errors import StaysHere
from desktop.services.titles import TitleService
from desktop.settings import egress
from desktop.settings.egress import EgressContext
from desktop.settings.model import Settings
from desktop.storage.conversation_store import ConversationStore

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Models:
    """Picks one model, far away, whatever is asked for."""

    said: str = "Tides and moon"
    picked: str = ""

    async def pick(self, model_id):
        self.picked = model_id
        return SelectedModel(self, model_id, model_id)

    async def stream(self, _request):
        egress.require_egress("https://models.example/v1", Channel.MODEL, 10)
        yield TextDelta(self.said)


def run(scenario, folder, *, settings=Settings(), stays_here=False, model="openai/gpt"):
    async def whole():
        store = ConversationStore(folder)
        try:
            info = await store.create()
            await store.add_message(Message("q", info.id, Speaker.USER, "Why are there tides?\nPlease.", NOW))
            answer = Message("a", info.id, Speaker.MODEL, "The moon.", NOW, MessageStatus.COMPLETE, model)
            await store.add_message(answer)
            models = Models()

            async def egress_context(_conversation_id):
                return EgressContext(stays_here)

            titles = TitleService(store, lambda: models, lambda: settings, egress_context)
            return await scenario(store, titles, models, info.id)
        finally:
            await store.close()

    return asyncio.run(whole())


def test_the_model_that_answered_names_the_conversation(tmp_path):
    async def scenario(store, titles, models, conversation):
        assert await titles.make(conversation)
        assert models.picked == "openai/gpt"
        assert (await store.info(conversation)).title == "Tides and moon"
        await store.rename(conversation, "Mine")
        assert await titles.make(conversation)
        assert (await store.info(conversation)).title == "Mine"
        assert await titles.suggest(conversation) == "Tides and moon"

    run(scenario, tmp_path)


def test_the_small_model_goes_first(tmp_path):
    settings = replace(Settings(), chat=replace(Settings().chat, small_model="local/tiny"))

    async def scenario(_store, titles, models, conversation):
        await titles.suggest(conversation)
        assert models.picked == "local/tiny"

    run(scenario, tmp_path, settings=settings)


def test_where_no_model_writes_the_first_line_is_the_title(tmp_path):
    async def scenario(store, titles, models, conversation):
        assert await titles.suggest(conversation) == "Why are there tides?"
        assert not await titles.make(conversation)
        assert models.picked == ""
        assert (await store.info(conversation)).title == ""

    run(scenario, tmp_path, model="quotes")


def test_a_conversation_that_stays_here_is_named_by_nobody_elsewhere(tmp_path):
    async def scenario(_store, titles, _models, conversation):
        with pytest.raises(StaysHere):
            await titles.suggest(conversation)

    run(scenario, tmp_path, stays_here=True)
