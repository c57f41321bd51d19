"""Scanned pages that sources are from reach models that see as pictures, through worker, reader and protocol."""

import asyncio
import io
import itertools
import re
from base64 import b64decode
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

import pytest
from PIL import Image

from desktop.chat.api.engine import Question
from desktop.domain.events import StepFinished, TurnFinished
from desktop.domain.messages import MessageStatus, StepStatus
from desktop.domain.models import Ability, ModelFacts
from desktop.knowledge.loaders.picture import SIDES
from desktop.services.container import ServiceContainer, running_services
from desktop.services.window import window_services
from desktop.settings.folders import folders_for
from desktop.settings.model import OwnFacts, ProviderSettings
from tests.unit.knowledge.loaders.test_ocr import LINES, drawn, make_scan
from tests.unit.providers.test_anthropic import ANSWER
from tests.unit.providers.wire import Wire, openai_says, serving, streaming

SEES = ModelFacts(has=(Ability.IMAGES,), lacks=(Ability.TOOLS,))
BLIND = ModelFacts(lacks=(Ability.IMAGES, Ability.TOOLS))
CHAT_ANSWER = openai_says("In 1859 [1].")
ASKED = "When did the lighthouse keeper write his letters?"


@dataclass
class World:
    """Rooms with a knowledge worker and two model servers; starting them takes seconds, so all tests share them."""

    services: ServiceContainer
    chat: Wire
    messages: Wire
    run: Callable

    def base_of(self, *paths):
        return self.run(self._base_of(*paths))

    def ask(self, base, model):
        """Return the steps of an answer."""
        return self.run(self._ask(base, model))

    async def _base_of(self, *paths):
        base = await self.services.knowledge.create(f"letters {next(_names)}")
        steps = [step async for step in self.services.knowledge.add(base.id, paths)]
        assert steps[-1].item.scanned, steps[-1].item.error
        return base

    async def _ask(self, base, model):
        conversation = await self.services.store.create()
        question = Question(ASKED, conversation.id, model, web="off", bases=(base.id,), queries=(ASKED,))
        events = [event async for event in window_services(self.services).turns.ask(question)]
        (end,) = [event for event in events if isinstance(event, TurnFinished)]
        assert end.message.status is MessageStatus.COMPLETE, end.message.error
        return [event.step for event in events if isinstance(event, StepFinished)]


_names = itertools.count()
_years = itertools.count(1859)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with asyncio.Runner() as runner:
        closing = AsyncExitStack()
        yield runner.run(opened_world(closing, tmp_path_factory.mktemp("data"), runner.run))
        runner.run(closing.aclose())


async def opened_world(closing, folder, run):
    chat = await closing.enter_async_context(serving(streaming(CHAT_ANSWER)))
    messages = await closing.enter_async_context(serving(streaming(ANSWER)))
    services = await closing.enter_async_context(running_services(folders_for(folder)))
    facts = (OwnFacts("seeing", SEES), OwnFacts("blind", BLIND))
    providers = (
        ProviderSettings("chat", "Chat", "openai", chat.base_url, needs_key=False, facts=facts),
        ProviderSettings(
            "messages", "Messages", "anthropic", messages.base_url, needs_key=False, facts=facts
        ),
    )
    await services.preferences.save(replace(services.preferences.settings, providers=providers))
    return World(services, chat, messages, run)


@pytest.fixture
def scan(tmp_path):
    """Write a picture that no other test has: the same content in another base would be shown as well."""
    path = tmp_path / "letters.png"
    drawn((*LINES[:2], f"until the summer of {next(_years)}")).save(path)
    return path


def parts_of(wire):
    """Return what the last question consists of."""
    asked = [request for request in wire.requests if request.body]  # which models there are is asked as well
    content = asked[-1].json["messages"][-1]["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def shown(url):
    head, _, data = url.partition(",")
    assert head == "data:image/jpeg;base64"
    return Image.open(io.BytesIO(b64decode(data)))


def test_chat_completions_get_the_picture_behind_the_text_under_its_number(world, scan):
    steps = world.ask(world.base_of(scan), "chat/seeing")

    text, label, picture = parts_of(world.chat)
    assert 'number="1"' in text["text"]
    assert "letters by candle light" in text["text"].lower()
    assert "[1]" in label["text"]
    assert shown(picture["image_url"]["url"]).size == (900, 300)
    assert any("1 page given to the model as an image" in step.detail for step in steps)


def test_messages_get_the_scanned_page_of_a_pdf_and_no_other(world, tmp_path):
    text = "The lighthouse keeper kept his letters in a box, and this page has a text layer. " * 4
    book = make_scan(tmp_path / "book.pdf", (text, None), ("", drawn()))
    world.ask(world.base_of(book), "messages/seeing")

    parts = parts_of(world.messages)
    (place,) = [place for place, part in enumerate(parts) if part["type"] == "image"]
    assert parts[place]["source"]["media_type"] == "image/jpeg"
    page = Image.open(io.BytesIO(b64decode(parts[place]["source"]["data"])))
    assert page.width == SIDES[0]
    (number,) = re.findall(r'<source number="(\d+)"[^>]*where="p. 2"', parts[-1]["text"])
    assert f"[{number}]" in parts[place - 1]["text"]


@pytest.mark.parametrize("kind", ["chat", "messages"])
def test_a_model_that_does_not_see_gets_the_text_alone(world, scan, kind):
    steps = world.ask(world.base_of(scan), f"{kind}/blind")

    (text,) = parts_of(world.chat if kind == "chat" else world.messages)
    assert "letters by candle light" in text["text"].lower()
    assert all("picture" not in step.detail for step in steps)


def test_a_file_that_has_changed_or_is_gone_is_not_sent(world, scan):
    base = world.base_of(scan)
    drawn(("Something private",)).save(scan)
    changed = world.ask(base, "chat/seeing")
    (text,) = parts_of(world.chat)
    assert "letters by candle light" in text["text"].lower()
    (said,) = [step for step in changed if "changed since" in step.detail]
    assert said.status is StepStatus.DEGRADED

    scan.unlink()
    gone = world.ask(base, "chat/seeing")
    (text,) = parts_of(world.chat)
    assert "letters by candle light" in text["text"].lower()
    assert any("does not exist" in step.detail for step in gone)


def test_a_copy_that_is_still_the_same_is_shown(world, scan, tmp_path):
    copy = tmp_path / "zz-copy.png"
    copy.write_bytes(scan.read_bytes())
    base = world.base_of(scan, copy)
    scan.unlink()
    world.ask(base, "chat/seeing")

    assert [part["type"] for part in parts_of(world.chat)] == ["text", "text", "image_url"]
