"""Opening providers by kind, and the presets."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

import pytest

from desktop.domain.models import ModelEvent, ModelInfo, ModelRequest, StreamEnded
from desktop.errors.servers import AuthFailed, ProviderDown, ProviderError, QuotaExceeded, RateLimited
from desktop.providers import registry
from desktop.providers.presets import PRESETS, THINKING_OFF, key_page
from desktop.providers.registry import RotatingProvider, kinds, open_provider, register
from desktop.settings.model import ProviderSettings
from desktop.settings.secrets import MOST_KEYS, keys_of
from tests.cases import cases

pytestmark = pytest.mark.anyio


@cases("preset", PRESETS, ids=lambda preset: preset.id)
async def test_every_preset_can_be_opened(preset):
    provider = open_provider(preset, "sk-1234")

    assert provider.settings is preset
    await provider.aclose()


def test_presets_are_told_apart_and_need_a_key_only_far_away():
    ids = [preset.id for preset in PRESETS]

    assert len(ids) == len(set(ids))
    assert set(THINKING_OFF) <= set(ids)
    for preset in PRESETS:
        address = urlsplit(preset.base_url)
        assert (address.scheme == "https") is preset.needs_key is (address.hostname != "127.0.0.1")


async def test_a_new_kind_comes_in_through_the_same_door(monkeypatch):
    monkeypatch.setattr(registry, "_openers", dict(registry._openers))

    class Echo:
        def __init__(self, settings):
            self.settings = settings

        async def models(self):
            return (ModelInfo("echo/1", "1", self.settings.name),)

        async def stream(self, request):
            yield request

        async def aclose(self):
            pass

    register("echo", lambda settings, key, *, http_client, proxy: Echo(settings))
    settings = replace(ProviderSettings("e", "Echo", "openai", ""), kind="echo")

    assert kinds() == ("openai", "openai-responses", "anthropic", "echo")
    assert await open_provider(settings, None).models() == (ModelInfo("echo/1", "1", "Echo"),)


async def test_a_client_of_the_caller_is_used_and_left_open():
    import httpx2

    seen = []

    def answer(request):
        seen.append(str(request.url))
        return httpx2.Response(200, json={"data": [{"id": "a"}]})

    async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as client:
        for kind in ("openai", "anthropic"):
            settings = ProviderSettings("p", "P", kind, "https://models.invalid/v1")
            provider = open_provider(settings, "sk-1234", http_client=client)
            assert await provider.models() == (ModelInfo("p/a", "a", "P"),)
            await provider.aclose()
        assert not client.is_closed

    assert [url.partition("?")[0] for url in seen] == ["https://models.invalid/v1/models"] * 2


def test_looking_at_presets_loads_no_sdk():
    code = (
        "import sys, desktop.providers.registry, desktop.providers.quotes.model\n"
        "print(sorted({'openai', 'anthropic', 'httpx2', 'rjieba'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_types_of_the_sdk_are_imported_when_they_are_used():
    code = (
        "import sys, desktop.providers.openai_server\n"
        "import openai.types.responses as lazy\n"
        "before = len([name for name in sys.modules if name.startswith('openai.types.responses.')])\n"
        "from openai.types.responses import Response, response_create_params\n"
        "print(before, Response is lazy.Response, hasattr(lazy, 'Nothing'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    before, *rest = done.stdout.split()
    assert int(before) < 20
    assert rest == ["True", "False"]


@cases(
    "source",
    [
        "from .chat import *",
        "from .chat import chat, Chat",
        "from . import chat",
        "from .chat import Chat\n__all__ = ['Chat']",
        "if True:\n    from .chat import Chat",
    ],
)
def test_a_package_of_the_sdk_that_does_more_than_import_names_is_imported_whole(source):
    from desktop.providers import openai_sdk

    assert openai_sdk._list_imports("from .chat import Chat as Talk", "openai.types") == {
        "Talk": ("openai.types.chat", "Chat")
    }
    assert openai_sdk._list_imports(f"from .chat import Chat\n{source}", "openai.types") is None


def test_threads_may_use_the_types_of_the_sdk_for_the_first_time_at_once():
    code = (
        "import sys, threading, importlib, desktop.providers.openai_sdk as sdk\n"
        "sys.setswitchinterval(1e-6)\n"
        "names = [(p, n) for p in sorted(sdk.PACKAGES) for n in sdk._list_imports(\n"
        "    open(importlib.import_module(p).__file__).read(), p)][::8]\n"
        "found, begin = [], threading.Barrier(4)\n"
        "def use(these):\n"
        "    begin.wait()\n"
        "    found.extend(getattr(sys.modules[p], n) is not None for p, n in these)\n"
        "threads = [threading.Thread(target=use, args=(o,)) for o in (names, names[::-1]) * 2]\n"
        "[t.start() for t in threads], [t.join() for t in threads]\n"
        "print(len(found) == 4 * len(names) > 200)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert (done.stdout.strip(), done.stderr) == ("True", "")


SETTINGS = ProviderSettings("shop", "Shop", "openai", "http://127.0.0.1:1/v1")
REQUEST = ModelRequest("m", ())
REFUSED = AuthFailed(provider="Shop", detail="")
SPENT = QuotaExceeded(provider="Shop", detail="")
LIMITED = RateLimited(provider="Shop", retry_after_s=5.0)
DOWN = ProviderDown(provider="Shop", detail="")


@dataclass
class Counter:
    """A provider behind one key: fails, or answers with an event that names no key."""

    key: str
    failures: dict[str, ProviderError]
    asked: list[str]
    breaks_late: bool = False
    settings: ProviderSettings = field(default=SETTINGS)

    async def models(self) -> tuple[ModelInfo, ...]:
        self.asked.append(self.key)
        if self.key in self.failures:
            raise self.failures[self.key]
        return (ModelInfo(f"shop/{self.key}", self.key, "Shop"),)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        self.asked.append(self.key)
        if self.breaks_late:
            yield StreamEnded("stop")
        if self.key in self.failures:
            raise self.failures[self.key]
        yield StreamEnded("stop")

    async def aclose(self) -> None:
        self.asked.append(f"closed {self.key}")


def rotating(failures: dict[str, ProviderError], keys: str = "abc", *, breaks_late: bool = False):
    asked: list[str] = []
    provider = RotatingProvider(
        SETTINGS, tuple(keys), lambda key: Counter(key, failures, asked, breaks_late), None
    )
    return provider, asked


async def drain(provider: RotatingProvider) -> list[ModelEvent]:
    return [event async for event in provider.stream(REQUEST)]


def test_the_next_key_is_used_and_the_failed_ones_rest():
    provider, asked = rotating({"a": REFUSED, "b": LIMITED})

    async def twice():
        assert len(await drain(provider)) == 1
        assert len(await drain(provider)) == 1

    asyncio.run(twice())
    assert asked == ["a", "b", "c", "c"]


def test_the_last_failure_is_the_persons_to_hear():
    provider, asked = rotating({"a": REFUSED, "b": LIMITED, "c": SPENT})
    with pytest.raises(QuotaExceeded):
        asyncio.run(drain(provider))
    assert asked == ["a", "b", "c"]


def test_what_is_not_the_keys_fault_moves_no_key():
    provider, asked = rotating({"a": DOWN})
    with pytest.raises(ProviderDown):
        asyncio.run(drain(provider))
    assert asked == ["a"]


def test_an_answer_that_has_begun_is_never_begun_again():
    provider, asked = rotating({"a": LIMITED}, breaks_late=True)
    with pytest.raises(RateLimited):
        asyncio.run(drain(provider))
    assert asked == ["a"]


def test_models_are_listed_with_a_key_that_works():
    provider, asked = rotating({"a": REFUSED})
    listed = asyncio.run(provider.models())
    assert [model.name for model in listed] == ["b"]
    assert asked == ["a", "b"]


def test_only_the_keys_that_are_needed_are_opened_and_all_of_those_are_closed():
    provider, asked = rotating({"a": REFUSED})

    async def ask_and_close():
        await drain(provider)
        await provider.aclose()

    asyncio.run(ask_and_close())
    assert asked == ["a", "b", "closed a", "closed b"]


def test_a_secret_with_several_keys_opens_a_provider_for_the_first_of_them(monkeypatch):
    opened: list[str | None] = []

    def opener(settings, key, *, http_client, proxy):
        opened.append(key)
        return Counter(key or "", {}, [])

    monkeypatch.setitem(registry._openers, "counter", opener)
    settings = ProviderSettings("shop", "Shop", "counter", "")
    several = open_provider(settings, "one, two")
    assert isinstance(several, RotatingProvider)
    asyncio.run(several.models())
    assert isinstance(open_provider(settings, "three"), Counter)
    assert opened == ["one", "three"]
    assert len(keys_of(" ".join(map(str, range(1_000))))) == MOST_KEYS


def test_every_preset_with_a_key_has_a_page_that_gives_keys():
    pages = {preset.id: key_page(preset.base_url) for preset in PRESETS}
    assert {name for name, page in pages.items() if page.startswith("https://")} == {
        preset.id for preset in PRESETS if preset.needs_key
    }
    assert key_page("https://mine.example/v1") == ""
