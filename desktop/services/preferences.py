"""Settings and secrets for the window, the tests behind its Test buttons, and imported settings.

The author of an imported file may not be trusted. A tool server in it would be started with the next question,
a provider with the name of an existing one would receive its key, a backup destination would receive all data.
The local versions of such settings are kept; new ones are imported switched off, under an id for which no
secret is stored.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING

from typing_extensions import override

from desktop.chat.api.system import Preferences
from desktop.domain.models import ProviderTrial
from desktop.domain.search import SearchStatus
from desktop.phrases import pluralize, sentences, translatable
from desktop.settings.folders import SETTINGS_FILE, AppFolders
from desktop.settings.model import ProviderSettings, Settings
from desktop.settings.secrets import Secrets
from desktop.settings.store import SettingsFile

if TYPE_CHECKING:  # they import SDKs and parsers
    from desktop.search.site_filter import SiteFilter
    from desktop.search.web_search import WebSearch
    from desktop.services.models import Models
import time
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Final, TypeVar

from desktop.errors import NotReached, plain_reason
from desktop.settings.mcp_servers import all_secrets, new_id
from desktop.settings.model import (
    NO_PROXY,
    PROXY_OF_SYSTEM,
    BackupDestination,
    BackupSettings,
    ChromaServer,
    KnowledgeSettings,
    McpServer,
    NetworkSettings,
    OwnEmbedder,
    OwnReranker,
    ProgramSettings,
    SearchSettings,
)
from desktop.settings.proxies import ProxyChoice, is_loopback

_RESULTS = (translatable("{count} result."), translatable("{count} results."))

_Item = TypeVar(
    "_Item", ProviderSettings, OwnEmbedder, OwnReranker, ChromaServer, McpServer, BackupDestination
)
_Switched = TypeVar("_Switched", McpServer, BackupDestination)

_Named = ProviderSettings | OwnEmbedder | OwnReranker | ChromaServer | McpServer | BackupDestination

Holds = Callable[[str], Awaitable[bool]]
"""Returns whether a secret of this name is stored."""

_SHOWN: Final = 5
_SHOWN_CHARS: Final = 60
_WAITING: Final = translatable(
    "Settings that start programs or decide where data goes were turned off or left unchanged. "
    "You can set them in Settings: {names}."
)

_TRIAL_TIMEOUT_S = 12.0

_TARGETS = {
    "models": "https://api.openai.com/v1/models",
    "search": "https://duckduckgo.com/",
    "reading": "https://www.wikipedia.org/",
    "mcp": "https://www.wikipedia.org/",
    "backup": "https://www.wikipedia.org/",
}
_THROUGH = translatable("{host} responded after {seconds} s through {proxy}.")
_DIRECTLY = translatable("{host} responded after {seconds} s without a proxy.")
_NO_ANSWER = translatable("It did not respond in time.")
_NO_CONNECTION = translatable("The connection failed.")


class Proxies:
    """Reads the current settings at every call; changes take effect with the next connection."""

    def __init__(self, settings: Callable[[], Settings], secret: Callable[[str], Awaitable[str]]) -> None:
        self._settings = settings
        self._secret = secret

    async def choice(self, part: str) -> ProxyChoice:
        """Return the proxy choice for a part of the program: a field of `NetworkSettings`."""
        address: str = getattr(self._settings().network, part)
        login = "" if address in {PROXY_OF_SYSTEM, NO_PROXY} else await self._secret(f"proxy/{part}")
        return ProxyChoice(address, login)

    def chooser_for(self, part: str) -> Callable[[], Awaitable[ProxyChoice]]:
        """Return a function that returns the proxy choice for a part."""
        return partial(self.choice, part)


class PreferencesService(Preferences):
    """The constructor only reads the settings file."""

    def __init__(
        self,
        folders: AppFolders,
        *,
        models: Callable[[], "Models"],
        web: Callable[[], "WebSearch"],
        sites: Callable[[], "SiteFilter"],
        on_saved: Callable[[], None],
        keys: Mapping[str, str],
    ) -> None:
        self._file = SettingsFile(folders.data / SETTINGS_FILE)
        loaded = self._file.load()
        self._settings = loaded.settings
        self.settings_problem = sentences(map(str, loaded.problems))
        self._secrets = Secrets(environment=keys)
        self._models = models
        self._web = web
        self._sites = sites
        self._on_saved = on_saved
        self._saving = asyncio.Lock()

    @property
    @override
    def settings(self) -> Settings:
        return self._settings

    @property
    @override
    def presets(self) -> tuple[ProviderSettings, ...]:
        from desktop.providers.presets import PRESETS  # noqa: PLC0415 (a table, but its package is heavy)

        return PRESETS

    @override
    def key_page(self, provider: ProviderSettings) -> str:
        from desktop.providers.presets import key_page  # noqa: PLC0415 (as above)

        return key_page(provider.base_url)

    @property
    @override
    def keyring_problem(self) -> str:
        return self._secrets.problem

    @override
    async def probe_keyring(self) -> str:
        return await self._secrets.probe()

    def redact(self, text: str) -> str:
        """Return `text` without any secret known so far."""
        return self._secrets.redact(text)

    async def reload(self) -> None:
        """Read the file again if another process has changed it, and apply it; an unreadable one gives the defaults."""
        loaded = await asyncio.to_thread(self._file.load_changed)
        if loaded is not None:
            self._settings = loaded.settings
            self._on_saved()

    @override
    async def save(self, settings: Settings) -> None:
        """Apply and save `settings`; they are applied even if saving fails."""
        self._settings = settings
        self._on_saved()
        async with self._saving:
            await asyncio.to_thread(self._file.save, settings)

    async def take_over(self, settings: Settings) -> tuple[str, ...]:
        """Apply settings from a file or a backup; return in words which of them the user has to confirm."""
        taken, waiting = await merge_imported_settings(
            settings, self._settings, self.presets, self.has_secret
        )
        await self.save(taken)
        return waiting

    async def secret(self, name: str) -> str:
        """Return a secret, or an empty text; for the services, never for the window."""
        return await self._secrets.get(name)

    @override
    async def set_secret(self, name: str, value: str) -> None:
        """Store and apply a secret; an empty value deletes it."""
        await self._secrets.set(name, value)
        self._on_saved()

    @override
    async def has_secret(self, name: str) -> bool:
        return bool(await self._secrets.get(name))

    @override
    async def test_provider(self, provider: ProviderSettings, key: str | None) -> tuple[str, ...]:
        return await self._models().test(provider, key)

    @override
    def try_provider(self, provider: ProviderSettings, key: str) -> AsyncIterator[ProviderTrial]:
        return self._models().try_provider(provider, key)

    @override
    async def test_engine(self, engine: str) -> str:
        """Run a test search with an engine and return the result in words."""
        outcome = await self._web().test(engine)
        if outcome.status is SearchStatus.RESULTS:
            return pluralize(_RESULTS, len(outcome.results))
        return outcome.error

    @override
    async def test_network(self, part: str) -> str:
        """Connect like a part of the program and return the result in words."""
        return await connect_once(part, self._settings, self.secret)

    @override
    async def fetch_block_lists(self) -> str:
        """Fetch the block lists again and return the result in words."""
        return await self._sites().fetch_now()

    @override
    async def local_providers(self) -> tuple[ProviderSettings, ...]:
        """Return the model servers found running on this machine."""
        from desktop.providers.presets import find_local_servers  # noqa: PLC0415 - not before the first paint

        return await find_local_servers()


async def merge_imported_settings(
    theirs: Settings, ours: Settings, presets: Sequence[ProviderSettings], holds: Holds
) -> tuple[Settings, tuple[str, ...]]:
    """Return the merged settings, and in words which of them the user has to confirm."""
    taking = _Taking(holds)
    settings = replace(
        theirs,
        chat=replace(theirs.chat, tool_consents=ours.chat.tool_consents),
        mcp_servers=await taking.merge_switched(theirs.mcp_servers, ours.mcp_servers, all_secrets),
        backup=BackupSettings(
            await taking.merge_switched(theirs.backup.destinations, ours.backup.destinations, _place_secrets)
        ),
        providers=await taking.providers(theirs.providers, (*presets, *ours.providers)),
        search=taking.search(theirs.search, ours.search),
        network=taking.network(theirs.network, ours.network),
        program=taking.program(theirs.program, ours.program),
        knowledge=await taking.knowledge(theirs.knowledge, ours.knowledge),
        local_models=ours.local_models,  # paths of files of this machine
        serving=ours.serving,  # nothing that is imported opens a base
    )
    return settings, taking.list_warnings()


@dataclass
class _Taking:
    """Merges the settings part by part; `waiting` names what the user has to check."""

    holds: Holds
    waiting: list[str] = field(default_factory=list)

    def list_warnings(self) -> tuple[str, ...]:
        """Return in words what the user has to check."""
        if not self.waiting:
            return ()
        shown = [name[:_SHOWN_CHARS] for name in self.waiting[:_SHOWN]]
        more = ["…"] if len(self.waiting) > _SHOWN else []
        return (_WAITING.format(names=", ".join([*shown, *more])),)

    def note(self, items: Iterable[_Named]) -> None:
        """Add items that the user has to check."""
        self.waiting += [item.name or item.id for item in items]

    async def beside(
        self,
        theirs: Sequence[_Item],
        ours: Sequence[_Item],
        is_same: Callable[[_Item, _Item], bool],
        secrets: Callable[[_Item], Iterable[str]],
    ) -> list[tuple[_Item, bool]]:
        """Return their items, each with whether it exists here too; different items with one id are both kept."""
        here: dict[str, _Item] = {item.id: item for item in ours}
        ids = {*here, *(item.id for item in theirs)}
        found: list[tuple[_Item, bool]] = []
        for item in theirs:
            mine = here.get(item.id)
            if mine is not None and is_same(item, mine):
                found.append((item, True))
                continue
            if mine is not None:
                found.append((mine, True))
            found.append((await self._apart(item, ids, secrets, is_taken=mine is not None), False))
        return found

    async def _apart(
        self, item: _Item, ids: set[str], secrets: Callable[[_Item], Iterable[str]], *, is_taken: bool
    ) -> _Item:
        """Return an item with an id that is not used by any local item or secret."""
        while is_taken or any([await self.holds(name) for name in secrets(item)]):
            item = replace(item, id=new_id(item.name, ids))
            ids.add(item.id)
            is_taken = False
        return item

    async def merge_switched(
        self,
        theirs: Sequence[_Switched],
        ours: Sequence[_Switched],
        secrets: Callable[[_Switched], Iterable[str]],
    ) -> tuple[_Switched, ...]:
        """Return items that can be switched off; existing ones keep their local state."""
        on = {item.id: item.is_enabled for item in ours}
        wanted = [replace(item, is_enabled=on.get(item.id, item.is_enabled)) for item in theirs]
        found = await self.beside(wanted, ours, lambda one, other: one == other, secrets)
        self.note([item for item, is_known in found if not is_known])
        return tuple([item if is_known else replace(item, is_enabled=False) for item, is_known in found])

    async def providers(
        self, theirs: Sequence[ProviderSettings], known: Sequence[ProviderSettings]
    ) -> tuple[ProviderSettings, ...]:
        """Return the providers; a new one is enabled only if it is on this machine."""
        found = await self.beside(
            theirs,
            known,
            lambda one, other: (one.kind, one.base_url) == (other.kind, other.base_url),
            lambda provider: (f"provider/{provider.id}",),
        )
        strange = [each for each, is_known in found if not is_known and not is_loopback(each.base_url)]
        self.note(strange)
        return tuple([replace(each, is_enabled=each.is_enabled and each not in strange) for each, _ in found])

    async def knowledge(self, theirs: KnowledgeSettings, ours: KnowledgeSettings) -> KnowledgeSettings:
        """Take embedders and rerankers, but enable none that is not in use already; a hub must be known."""
        embedders = await self.beside(
            theirs.own_embedders, ours.own_embedders, _has_same_url, lambda own: (f"embedding/{own.id}",)
        )
        rerankers = await self.beside(
            theirs.own_rerankers, ours.own_rerankers, _has_same_url, lambda own: (f"rerank/{own.id}",)
        )
        servers = await self.beside(
            theirs.chroma_servers,
            ours.chroma_servers,
            lambda one, other: one.url == other.url,
            lambda server: (f"chroma/{server.id}",),
        )
        for found in (embedders, rerankers, servers):
            self.note([each for each, is_known in found if not is_known])
        strange = {own.id for own in theirs.own_embedders} | {own.id for own in theirs.own_rerankers}
        strange -= {own.id for own, is_known in embedders if is_known}
        strange -= {own.id for own, is_known in rerankers if is_known}
        return replace(
            theirs,
            own_embedders=tuple([own for own, _ in embedders]),
            own_rerankers=tuple([own for own, _ in rerankers]),
            chroma_servers=tuple([server for server, _ in servers]),
            embedding_model=ours.embedding_model
            if theirs.embedding_model in strange
            else theirs.embedding_model,
            reranker=ours.reranker if theirs.reranker in strange else theirs.reranker,
            hub=self._address(theirs.hub, ours.hub),
        )

    def search(self, theirs: SearchSettings, ours: SearchSettings) -> SearchSettings:
        """Take no program, and no host that would gain access to the private network.

        The user's own engines have that access.
        """
        engines = tuple(engine for engine in theirs.own_engines if engine in ours.own_engines)
        hosts = tuple(host for host in theirs.allowed_hosts if host in ours.allowed_hosts)
        strange = {engine.address for engine in theirs.own_engines if engine not in engines}
        self.waiting += sorted(strange.union(theirs.allowed_hosts).difference(hosts))
        order = tuple(engine for engine in theirs.engine_order if engine not in strange)
        known = dict(ours.engine_addresses)
        addresses = [
            (engine, self._address(address, known.get(engine, "")))
            for engine, address in theirs.engine_addresses
        ]
        return replace(
            theirs,
            browser_path=self._address(theirs.browser_path, ours.browser_path),
            own_engines=engines,
            allowed_hosts=hosts,
            engine_order=order or ours.engine_order,
            choice=ours.choice if theirs.choice in strange else theirs.choice,
            engine_addresses=tuple([(engine, address) for engine, address in addresses if address]),
        )

    def program(self, theirs: ProgramSettings, ours: ProgramSettings) -> ProgramSettings:
        """Take no address that announces versions and is not known here."""
        return replace(theirs, update_address=self._address(theirs.update_address, ours.update_address))

    def network(self, theirs: NetworkSettings, ours: NetworkSettings) -> NetworkSettings:
        """Take no proxy that is not known here."""
        known = asdict(ours)
        usual = {PROXY_OF_SYSTEM, NO_PROXY}
        wanted = asdict(theirs).items()
        return NetworkSettings(
            **{part: one if one in usual else self._address(one, known[part]) for part, one in wanted}
        )

    def _address(self, theirs: str, ours: str) -> str:
        """Return their address if it equals ours, else an empty text."""
        if theirs in {"", ours}:
            return theirs
        self.waiting.append(theirs)
        return ours


def _place_secrets(place: BackupDestination) -> tuple[str, ...]:
    return (f"backup/{place.id}",)


def _has_same_url(one: OwnEmbedder | OwnReranker, other: OwnEmbedder | OwnReranker) -> bool:
    return one.base_url == other.base_url


async def connect_once(
    part: str, settings: Settings, secret: Callable[[str], Awaitable[str]], target: str = ""
) -> str:
    """Connect to a server that `part` may talk to, whatever it answers, and return the result in words.

    Raises:
        ProxyUnusable: the proxy address is invalid.
        NotReached: there was no response.
    """
    import httpx  # noqa: PLC0415 - only when the user tries a connection

    from desktop.search.transport import ProxiedTransport, tls_context  # noqa: PLC0415 - brings an HTTP client

    target = target or _target(part, settings)
    choice = await Proxies(lambda: settings, secret).choice(part)
    proxy = choice.proxy_for(target)

    async def choose() -> ProxyChoice:
        return choice

    host = httpx.URL(target).host
    started = time.monotonic()
    try:
        transport = ProxiedTransport(choose, httpx.AsyncHTTPTransport(verify=tls_context()))
        async with httpx.AsyncClient(transport=transport, timeout=_TRIAL_TIMEOUT_S) as client:
            await client.head(target)
    except httpx.ProxyError as error:
        raise NotReached(host=host, detail=plain_reason(error)) from error
    except httpx.TimeoutException as error:
        raise NotReached(host=host, detail=_NO_ANSWER) from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise NotReached(host=host, detail=_NO_CONNECTION) from error
    seconds = f"{time.monotonic() - started:.1f}"
    if proxy is None:
        return _DIRECTLY.format(host=host, seconds=seconds)
    return _THROUGH.format(host=host, seconds=seconds, proxy=proxy.address)


def _target(part: str, settings: Settings) -> str:
    """Return the address of a server that `part` may talk to: for models, one of the user's own."""
    addresses = [provider.base_url for provider in settings.providers if provider.is_enabled]
    far = [address for address in addresses if not is_loopback(address)] if part == "models" else []
    return far[0] if far else _TARGETS[part]
