"""Models come from a hub that runs here: all of them, or what was there stays to go on from."""

import asyncio
import json
from contextlib import aclosing

import pytest

from desktop.errors import ModelMissing, ModelNotDownloaded, ModelUnusable
from desktop.knowledge.embedding.model_download import HUB, download, hub_address
from desktop.knowledge.embedding.model_download_process import leads_inside
from desktop.knowledge.embedding.model_store import ModelStore
from desktop.settings.model import NO_PROXY
from desktop.settings.proxies import ProxyChoice
from tests.cases import cases
from tests.unit.knowledge.embedding.loopback_hub import loopback_hub
from tests.unit.knowledge.embedding.tiny_model import make_model, weights

REPO = "someone/tiny-model"
DIRECT = ProxyChoice(NO_PROXY)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = make_model(tmp_path_factory.mktemp("hub") / "model")
    (folder / "modeling_tiny.py").write_text("raise SystemExit")
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.onnx").write_bytes(b"not wanted")
    return folder


@pytest.fixture
def hub(model):
    with loopback_hub() as hub:
        hub.put(REPO, model)
        yield hub


@pytest.fixture
def store(tmp_path):
    return ModelStore(tmp_path / "models")


async def fetch(hub, store, repo=REPO):
    async with aclosing(download(repo, store.folder_of(repo), hub.address, DIRECT)) as steps:
        return [step async for step in steps]


def test_a_model_arrives_with_its_size_and_is_complete(hub, store):
    with pytest.raises(ModelMissing):
        store.find(REPO)
    steps = asyncio.run(fetch(hub, store))
    assert steps[0].done_bytes == 0
    assert steps[-1].done_bytes == steps[-1].total_bytes > 1_900_000
    assert [step.done_bytes for step in steps] == sorted(step.done_bytes for step in steps)
    folder = store.find(REPO)
    assert (folder / "1_Pooling" / "config.json").is_file()
    there = {path.suffix for path in folder.rglob("*") if path.is_file()}
    assert ".py" not in there
    assert ".onnx" not in there
    assert not hub.fetched("onnx/model.onnx")


def test_a_cancelled_download_goes_on_where_it_was(hub, store):
    hub.stalls["model.safetensors"] = 1_000_000

    async def scenario():
        steps = download(REPO, store.folder_of(REPO), hub.address, DIRECT)
        async with aclosing(steps):
            async for step in steps:
                if step.done_bytes > 1_000_000:
                    break
        assert not store.is_here(REPO)
        hub.release.set()
        return await fetch(hub, store)

    steps = asyncio.run(scenario())
    begins = [begin for _, begin in hub.fetched("model.safetensors")]
    assert begins[0] == 0
    assert 0 < begins[1] <= 1_000_000
    assert steps[-1].done_bytes == steps[-1].total_bytes
    assert store.is_here(REPO)


def test_what_arrives_damaged_is_not_used(hub, store):
    hub.damaged.add("model.safetensors")
    with pytest.raises(ModelNotDownloaded, match="damaged"):
        asyncio.run(fetch(hub, store))
    assert not store.is_here(REPO)
    hub.damaged.clear()
    asyncio.run(fetch(hub, store))
    assert store.is_here(REPO)


def test_a_file_without_end_is_given_up_and_leaves_nothing(hub, store):
    hub.endless.add("config.json")
    with pytest.raises(ModelNotDownloaded, match=r"config\.json"):
        asyncio.run(fetch(hub, store))
    assert not list(store.folder_of(REPO).glob("config.json*"))
    hub.endless.clear()
    asyncio.run(fetch(hub, store))
    assert store.is_here(REPO)


def test_weights_that_are_only_pickled_are_kept_as_numbers(hub, store):
    import torch

    pickled = hub.repos[REPO]
    del pickled["model.safetensors"]
    numbers = {name: torch.from_numpy(array) for name, array in weights().items()}
    path = store.folder.parent / "weights.bin"
    torch.save(numbers, path)
    pickled["pytorch_model.bin"] = path.read_bytes()
    asyncio.run(fetch(hub, store))
    folder = store.find(REPO)
    assert (folder / "model.safetensors").is_file()
    assert not (folder / "pytorch_model.bin").exists()


class Trap:
    """What a pickle of an attacker holds."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return open, (self.path, "w")


def test_a_pickle_that_would_run_something_is_refused(hub, store):
    import torch

    victim = store.folder.parent / "victim"
    path = store.folder.parent / "weights.bin"
    torch.save({"weight": Trap(victim)}, path)
    del hub.repos[REPO]["model.safetensors"]
    hub.repos[REPO]["pytorch_model.bin"] = path.read_bytes()
    with pytest.raises(ModelNotDownloaded):
        asyncio.run(fetch(hub, store))
    assert not victim.exists()
    assert not store.is_here(REPO)


def test_a_model_that_brings_code_is_refused(hub, store):
    files = hub.repos[REPO]
    config = json.loads(files["config.json"]) | {"auto_map": {"AutoModel": "modeling_tiny.Tiny"}}
    files["config.json"] = json.dumps(config).encode()
    with pytest.raises(ModelNotDownloaded, match="its own program"):
        asyncio.run(fetch(hub, store))
    assert not store.is_here(REPO)


def test_what_stands_in_the_way_is_said(hub, store):
    with pytest.raises(ModelNotDownloaded, match="has no such model"):
        asyncio.run(fetch(hub, store, "someone/else"))
    hub.closed.add(REPO)
    with pytest.raises(ModelNotDownloaded, match="sign in"):
        asyncio.run(fetch(hub, store))
    hub.address = "http://127.0.0.1:9"
    with pytest.raises(ModelNotDownloaded, match="mirror"):
        asyncio.run(fetch(hub, store))
    hub.address = "ftp://127.0.0.1"
    with pytest.raises(ModelNotDownloaded, match="not the address of a hub"):
        asyncio.run(fetch(hub, store))


def test_the_address_is_the_persons_then_the_environments_then_the_hubs(monkeypatch):
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    assert hub_address("") == HUB
    monkeypatch.setenv("HF_ENDPOINT", "https://hf-mirror.com/")
    assert hub_address(" ") == "https://hf-mirror.com"
    assert hub_address("https://mirror.example") == "https://mirror.example"


@cases("name", ["../etc", "a/../b", "a/b/c", "", "a--b/c", "/etc", "a b"])
def test_an_id_leads_into_the_folder_of_models_only(store, name):
    with pytest.raises(ModelUnusable):
        store.folder_of(name)


def test_a_deleted_model_is_gone(hub, store):
    asyncio.run(fetch(hub, store))
    store.delete(REPO)
    store.delete(REPO)
    assert not store.is_here(REPO)
    assert not store.folder_of(REPO).exists()


@cases("host", ["localhost", "127.0.0.2", "[::1]", "10.0.0.1", "169.254.169.254"])
def test_a_hub_cannot_lead_into_the_own_network(hub, store, host):
    port = hub.address.rpartition(":")[2]
    hub.redirects["config.json"] = f"http://{host}:{port}/somewhere"
    with pytest.raises(ModelNotDownloaded, match="private network"):
        asyncio.run(fetch(hub, store))


def test_hosts_out_there_may_be_led_to():
    assert [leads_inside(host) for host in ("8.8.8.8", "198.18.0.7", "2606:4700::1111")] == [False] * 3
    assert [leads_inside(host) for host in ("::ffff:127.0.0.1", "2130706433", "0")] == [True] * 3
