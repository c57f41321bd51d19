"""Which models can be picked, at which address and with which key."""

import asyncio
import io
from base64 import b64decode
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, replace

import pytest
from PIL import Image, ImageDraw

from desktop.domain.knowledge import ItemState
from desktop.domain.models import (
    NO_FACTS,
    QUOTES_MODEL,
    Ability,
    AnswerRemark,
    ModelFacts,
    ModelRequest,
    PromptMessage,
    TextDelta,
)
from desktop.errors import MissingKey
from desktop.errors.servers import ModelNotFound, ProviderDown, ProviderTimedOut, QuotaExceeded
from desktop.knowledge import bundled_client
from desktop.knowledge.bundled_models import LIMIT_S
from desktop.providers.quotes.model import QuotesModel
from desktop.services.container import ServiceContainer, running_services
from desktop.services.models import Models
from desktop.settings.folders import folders_for
from desktop.settings.model import OwnFacts, ProviderSettings, Settings
from tests.e2e.model_server import running_model_server
from tests.unit.knowledge.loaders.test_ocr import make_scan
from tests.unit.providers.faults import COMPLETE, HALF, TEXT
from tests.unit.providers.quotes.test_model import source
from tests.unit.providers.wire import (
    END,
    SSE_HEAD,
    Wire,
    answering,
    chunk,
    openai_says,
    serving,
    stalling,
    streaming,
)

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def server():
    with running_model_server() as running:
        yield running


def loopback(server, **fields) -> ProviderSettings:
    values = {"id": "loopback", "name": "Loopback", "kind": "openai", "base_url": f"{server.origin}/v1"}
    return ProviderSettings(**(values | {"needs_key": False} | fields))


def models(*providers: ProviderSettings, environ=None, **secrets: str) -> Models:
    async def secret(name: str) -> str:
        return secrets.get(name.replace("/", "_"), "")

    return Models(lambda: Settings(providers=providers), secret, environ or {})


async def said(picked) -> str:
    request = ModelRequest(picked.name, (PromptMessage("user", "Say hello"),))
    events = [event async for event in picked.model.stream(request)]
    return "".join(event.text for event in events if isinstance(event, TextDelta))


async def test_quotes_is_there_without_anything():
    offered = models()
    assert isinstance((await offered.pick(QUOTES_MODEL)).model, QuotesModel)
    assert [model.id for model in await offered.models()] == [QUOTES_MODEL]


async def test_a_model_of_the_persons_own_server_answers(server):
    offered = models(loopback(server))
    picked = await offered.pick("loopback/scripted")
    assert await said(picked) == "Hello."
    assert [model.id for model in await offered.models()] == [QUOTES_MODEL, "loopback/scripted"]
    await offered.aclose()


async def test_a_model_name_may_hold_slashes(server):
    picked = await models(loopback(server)).pick("loopback/vendor/model")
    assert picked.name == "vendor/model"


async def test_the_environment_names_a_server_without_a_key(server):
    offered = models(environ={"OPENAI_BASE_URL": f"{server.origin}/v1"})
    assert await said(await offered.pick("openai/scripted")) == "Hello."
    assert "openai/scripted" in [model.id for model in await offered.models()]
    await offered.aclose()


async def test_a_provider_without_its_key_says_which_key_is_missing():
    with pytest.raises(MissingKey, match="OpenAI needs an API key"):
        await models().pick("openai/gpt")


@pytest.mark.parametrize("model_id", ["nowhere/model", "loopback", "loopback/", ""])
async def test_a_model_nobody_knows_is_refused(server, model_id):
    with pytest.raises(ModelNotFound):
        await models(loopback(server)).pick(model_id)


async def test_a_server_that_is_down_takes_nothing_from_the_others(server):
    down = loopback(server, id="down", base_url="http://127.0.0.1:9/v1", models=("by-hand",))
    offered = models(down, loopback(server))
    assert [model.id for model in await offered.models()] == [
        QUOTES_MODEL,
        "down/by-hand",
        "loopback/scripted",
    ]
    with pytest.raises(ProviderDown):
        await offered.test(down, None)
    await offered.aclose()


async def test_a_provider_that_does_not_answer_is_given_up_when_it_is_tested(monkeypatch):
    monkeypatch.setattr("desktop.services.models.TEST_TIMEOUT_S", 0.2)

    async with serving(stalling()) as wire:
        slow = ProviderSettings("slow", "Slow", "openai", wire.base_url, needs_key=False)
        with pytest.raises(ProviderTimedOut, match="Slow did not answer in time"):
            await models(slow).test(slow, None)


async def test_a_tested_provider_lists_the_names_by_which_its_models_are_asked():
    rows = [
        {"id": "claude-sonnet-4-5", "display_name": "Claude Sonnet 4.5"},
        {"id": "vendor/small", "name": "Vendor: Small"},
        {"id": "/models/qwen3.gguf"},
    ]
    async with serving(answering(200, {"data": rows})) as wire:
        own = ProviderSettings("own", "Own", "openai", wire.base_url, needs_key=False)
        assert await models(own).test(own, None) == tuple(row["id"] for row in rows)


async def test_a_disabled_provider_is_not_offered_but_its_models_still_answer(server):
    offered = models(loopback(server, is_enabled=False))
    assert [model.id for model in await offered.models()] == [QUOTES_MODEL]
    assert await said(await offered.pick("loopback/scripted")) == "Hello."
    await offered.aclose()


async def test_new_settings_open_the_provider_anew(server):
    providers = [loopback(server, base_url="http://127.0.0.1:9/v1")]

    async def secret(_name: str) -> str:
        return ""

    offered = Models(lambda: Settings(providers=tuple(providers)), secret, {})
    with pytest.raises(ProviderDown):
        await said(await offered.pick("loopback/scripted"))
    providers[0] = loopback(server)
    assert await said(await offered.pick("loopback/scripted")) == "Hello."
    await offered.aclose()


async def test_an_answer_goes_on_when_the_settings_of_its_server_change():
    has_changed, has_begun = asyncio.Event(), asyncio.Event()

    async def script(connection):
        await connection.send(SSE_HEAD, chunk(HALF["openai"]))
        has_begun.set()
        await has_changed.wait()
        await connection.send(chunk(COMPLETE["openai"]), END)

    async def key(_name: str) -> str:
        return "k"

    async with serving(script) as wire:
        settings = [ProviderSettings("own", "Own", "openai", wire.base_url)]
        offered = Models(lambda: Settings(providers=tuple(settings)), key, {})
        answer = asyncio.create_task(said(await offered.pick("own/model")))
        await has_begun.wait()
        settings[0] = replace(settings[0], name="Renamed")
        await offered.pick("own/model")
        has_changed.set()
        assert await answer == f"half{TEXT}"
        await offered.aclose()


async def test_what_is_said_by_hand_counts_and_opens_nothing_anew(server):
    settings = [loopback(server)]
    offered = Models(lambda: Settings(providers=tuple(settings)), no_secret, {})
    before = await offered.pick("loopback/scripted")
    own = ModelFacts(context_tokens=2_000, has=(Ability.IMAGES,))
    settings[0] = loopback(server, facts=(OwnFacts("scripted", own),))
    after = await offered.pick("loopback/scripted")
    assert (before.facts, after.facts) == (NO_FACTS, own)
    assert after.model == before.model
    assert [model.facts for model in await offered.models()][1:] == [own]
    await offered.aclose()


async def test_families_are_known_before_their_server_has_been_asked(server):
    picked = await models(loopback(server)).pick("loopback/gpt-4o")
    assert Ability.IMAGES in picked.facts.has


async def no_secret(_name: str) -> str:
    return ""


async def test_a_server_of_ones_own_is_asked_what_its_model_can_before_the_model_is():
    listed = {"data": [{"id": "m", "owned_by": "llamacpp", "meta": {"n_ctx": 2_048}}]}
    async with serving(
        answering(200, listed), answering(200, {"chat_template_caps": {"supports_tools": False}})
    ) as wire:
        offered = models(
            ProviderSettings("own", "Own", "openai", wire.base_url, needs_key=False),
        )
        for _ in range(2):
            picked = await offered.pick("own/m")
            assert (picked.facts.context_tokens, picked.facts.lacks) == (2_048, (Ability.TOOLS,))
        assert [request.path for request in wire.requests] == ["/v1/models", "/props"]
        await offered.aclose()


async def test_one_that_does_not_answer_holds_nobody_up(monkeypatch):
    for limit_s in (0.1, 1.0, 10.0):  # on a busy machine it may not have been asked within the first
        monkeypatch.setattr("desktop.services.models.MEETING_TIMEOUT_S", limit_s)
        async with serving(stalling()) as wire:
            offered = models(ProviderSettings("own", "Own", "openai", wire.base_url, needs_key=False))
            assert (await offered.pick("own/m")).facts == NO_FACTS
            asked = len(wire.requests)
            await offered.pick("own/m")
            await offered.aclose()
            if asked:
                break
    assert len(wire.requests) == 1


SAID = "A red kite glides over a harbour. " * 3 + "\n\n一只红色的鸢在港口上空滑翔。"
DONE = {ItemState.KEYWORD_READY, ItemState.READY, ItemState.FAILED}


def saying(text):
    return streaming(openai_says(text))


async def refusing(connection):
    body = b'{"error": {"message": "no key"}}'
    head = (
        f"HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    await connection.send(head.encode(), body)


async def busy(connection):
    head = "HTTP/1.1 429 Too Many Requests\r\nRetry-After-Ms: 20\r\nContent-Length: 0\r\n\r\n"
    await connection.send(head.encode())


async def hanging(connection):
    await connection.until_gone()


async def listing(connection):
    """Say which models there are; the rooms ask for that in the background whenever the settings change."""
    body = b'{"object": "list", "data": [{"id": "seeing"}, {"id": "blind"}]}'
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    await connection.send(head.encode(), body)


@dataclass
class World:
    """Rooms with a knowledge worker, and a server whose `answer` can be changed; all tests share them."""

    services: ServiceContainer
    wire: Wire
    answers: list

    async def use(self, model, *answers):
        self.answers[:] = answers
        self.wire.requests.clear()
        self.wire.gone.clear()
        knowledge = replace(self.services.preferences.settings.knowledge, describer=model)
        await self.services.preferences.save(replace(self.services.preferences.settings, knowledge=knowledge))
        await self.services.knowledge.reconfigure()

    async def read(self, name, path):
        """Return the base of one file and what became of it."""
        base = await self.services.knowledge.create(name)
        return base, await ended(self.services.knowledge.add(base.id, [path]))


async def ended(progress):
    async with asyncio.timeout(60), aclosing(progress) as steps:
        return await anext(step.item async for step in steps if step.item.state in DONE)


@pytest.fixture(scope="module")
def run():
    with asyncio.Runner() as runner:
        yield runner.run


@pytest.fixture(scope="module")
def world(run, tmp_path_factory):
    closing = AsyncExitStack()
    yield run(opened_world(closing, tmp_path_factory.mktemp("data")))
    run(closing.aclose())


async def opened_world(closing, folder):
    answers = []

    async def answer(connection):
        if not asks(connection.request):
            await listing(connection)
            return
        await (answers.pop(0) if len(answers) > 1 else answers[0])(connection)

    wire = await closing.enter_async_context(serving(answer))
    services = await closing.enter_async_context(running_services(folders_for(folder)))
    facts = (
        OwnFacts("seeing", ModelFacts(has=(Ability.IMAGES,))),
        OwnFacts("blind", ModelFacts(lacks=(Ability.IMAGES,))),
    )
    provider = ProviderSettings(
        "own", "Own", "openai", wire.base_url, needs_key=False, facts=facts, models=("seeing",)
    )
    await services.preferences.save(replace(services.preferences.settings, providers=(provider,)))
    return World(services, wire, answers)


def kite(colour):
    """Draw something without words; each test has a colour of its own, for equal files share what was read."""
    image = Image.new("RGB", (900, 300), "white")
    ImageDraw.Draw(image).polygon([(100, 150), (450, 30), (800, 150), (450, 270)], fill=colour)
    return image


def asks(request):
    return request.path.endswith("/chat/completions")


def questions(wire):
    return [request for request in wire.requests if asks(request)]


def shown(request):
    """Return the picture of a request to OpenAI's protocol."""
    (url,) = [
        part["image_url"]["url"] for part in request.json["messages"][-1]["content"] if "image_url" in part
    ]
    head, _, data = url.partition(",")
    assert head == "data:image/jpeg;base64"
    return Image.open(io.BytesIO(b64decode(data)))


def test_what_the_model_says_is_found_and_cited_as_its_description(run, world, tmp_path):
    kite("red").save(tmp_path / "kite.png")

    async def scenario():
        await world.use("own/seeing", saying(SAID))
        base, item = await world.read("kites", tmp_path / "kite.png")
        assert (item.state in DONE - {ItemState.FAILED}, item.scanned, item.error) == (True, 1, "")
        (request,) = questions(world.wire)
        assert request.json["model"] == "seeing"
        assert shown(request).size == (900, 300)
        for query in ("red kite harbour", "红色的鸢"):
            (found, *_) = (await world.services.knowledge.retrieve([query], [base.id], 3)).passages
            assert found.locator.section == "Description by seeing"
            start, end = found.locator.start, found.locator.end
            text = await world.services.knowledge.text_of(found.document)
            assert text[start:end] == found.text
        assert (await world.services.knowledge.draw(found.document, None)).jpeg

    run(scenario())


def test_a_refusal_is_told_and_reading_it_again_tries_again(run, world, tmp_path):
    kite("blue").save(tmp_path / "kite.png")

    async def scenario():
        await world.use("own/seeing", refusing)
        _, item = await world.read("refused", tmp_path / "kite.png")
        assert item.state is ItemState.FAILED
        assert "key" in item.error
        await world.use("own/seeing", saying(SAID))
        again = await ended(world.services.knowledge.read_again([item.id]))
        assert (again.state in DONE - {ItemState.FAILED}, again.error) == (True, "")

    run(scenario())


def test_a_server_with_too_many_requests_is_given_time(run, world, tmp_path):
    kite("brown").save(tmp_path / "kite.png")

    async def scenario():
        await world.use("own/seeing", busy, busy, saying(SAID))
        _, item = await world.read("busy", tmp_path / "kite.png")
        assert (item.state in DONE - {ItemState.FAILED}, item.error) == (True, "")
        assert len(questions(world.wire)) == 3

    run(scenario())


def test_pages_with_text_are_found_although_another_could_not_be_described(run, world, tmp_path):
    text = "The lighthouse keeper kept his letters in a box, and this page has a text layer. " * 4
    book = make_scan(tmp_path / "book.pdf", (text, None), ("", kite("green")), ("", kite("white")))

    async def scenario():
        await world.use("own/seeing", refusing)
        base, item = await world.read("half", book)
        assert item.state is not ItemState.FAILED
        assert "key" in item.error
        assert len(questions(world.wire)) == 1  # the blank page is not worth one
        assert (await world.services.knowledge.retrieve(["lighthouse"], [base.id], 3)).passages

        await world.use("own/seeing", saying(SAID))
        await ended(world.services.knowledge.read_again([item.id]))
        (found, *_) = (await world.services.knowledge.retrieve(["red kite"], [base.id], 3)).passages
        assert (found.locator.page, found.locator.section) == (2, "Description by seeing")

    run(scenario())


def test_whoever_cancels_hangs_up_on_the_model(run, world, tmp_path):
    kite("yellow").save(tmp_path / "kite.png")

    async def scenario():
        await world.use("own/seeing", hanging)
        base = await world.services.knowledge.create("cancelled")
        async with (
            asyncio.timeout(60),
            aclosing(world.services.knowledge.add(base.id, [tmp_path / "kite.png"])) as steps,
        ):
            item = (await anext(steps)).item
            going_on = asyncio.create_task(anext(steps))
            while not questions(world.wire):
                world.wire.answering.clear()
                await world.wire.answering.wait()
            world.wire.gone.clear()
            await world.services.knowledge.cancel([item.id])
            await world.wire.gone.wait()
            going_on.cancel()
            await asyncio.wait({going_on})
        assert await world.services.knowledge.items(base.id) == ()

    run(scenario())


@pytest.mark.parametrize("model", ["", "own/blind"])
def test_nothing_is_sent_unless_a_model_that_sees_was_chosen(run, world, tmp_path, model):
    kite("purple" if model else "orange").save(tmp_path / "kite.png")

    async def scenario():
        await world.use(model, saying(SAID))
        _, item = await world.read(f"off {model}", tmp_path / "kite.png")
        assert item.state is ItemState.FAILED
        assert ("does not support images" if model else "No text was recognized") in item.error
        assert questions(world.wire) == []

    run(scenario())


async def test_quotes_has_the_bundled_models_without_the_knowledge_worker(tmp_path, monkeypatch):
    monkeypatch.setattr(bundled_client, "_PATIENCE_S", LIMIT_S)
    sources = (source(1, "The bridge over the river Ems was opened in 1961."),)
    request = ModelRequest(QUOTES_MODEL, (), question="When was the bridge opened?", references=sources)
    async with running_services(folders_for(tmp_path)) as services:
        picked = await services.models.pick(QUOTES_MODEL)
        events = [event async for event in picked.model.stream(request)]
        assert services.bundled_models.pid is not None
    assert not any(isinstance(event, AnswerRemark) for event in events)
    assert "1961" in "".join(event.text for event in events if isinstance(event, TextDelta))
    assert not (tmp_path / "knowledge").exists()


LISTED = answering(
    200, {"data": [{"id": "gpt-5.1-mini"}, {"id": "gpt-5.1"}, {"id": "gpt-4o"}, {"id": "other"}]}
)
HELLO = streaming(openai_says("Hello"))


async def trial_of(*scripts) -> tuple[list[tuple[str, bool]], list[str]]:
    """Return which models were tried on a server that gives `scripts` one after another, and the models that were asked."""
    async with serving(*scripts) as wire:
        provider = ProviderSettings("openai", "OpenAI", "openai", wire.base_url)
        async with aclosing(models().try_provider(provider, "key")) as steps:
            tried = [(step.model, step.has_answered) async for step in steps]
    return tried, [request.json["model"] for request in wire.requests if request.method == "POST"]


async def test_a_provider_is_tried_with_the_model_that_suits_most_questions():
    tried, asked = await trial_of(LISTED, HELLO)
    assert tried == [("gpt-5.1", False), ("gpt-5.1", True)]
    assert asked == ["gpt-5.1"]


async def test_another_model_is_tried_if_the_account_may_not_use_one():
    refused = answering(403, {"error": {"message": "Your organization must be verified to use this model."}})
    tried, asked = await trial_of(LISTED, refused, HELLO)
    assert tried[-1] == ("gpt-5.1-mini", True)
    assert asked == ["gpt-5.1", "gpt-5.1-mini"]


async def test_a_key_without_credit_is_told_after_one_model():
    no_credit = answering(429, {"error": {"code": "insufficient_quota", "message": "Check your plan"}})
    with pytest.raises(QuotaExceeded):
        await trial_of(LISTED, no_credit)


async def test_a_provider_without_models_is_no_success():
    with pytest.raises(ModelNotFound, match="lists no models"):
        await trial_of(answering(200, {"data": [{"id": "text-embedding-3"}]}))
