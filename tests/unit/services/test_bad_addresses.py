"""Addresses that nobody can ask are told wherever a person may have typed one, and break nothing else."""

import asyncio
from dataclasses import replace

import pytest

from desktop.domain.addresses import leads_to_a_server
from desktop.domain.search import SearchStatus
from desktop.errors import BackupFailed
from desktop.errors.servers import ProviderError
from desktop.settings.model import BackupDestination, ProviderSettings, SearchSettings
from tests.cases import cases
from tests.unit.services.data.test_transfers import rooms_in

BAD = [
    "http://127.0.0.1:99999/v1",
    "http://127.0.0.1:0/",
    "http://127.0.0.1:port/",
    "http://[::1",
    "http://",
    "nonsense",
    "ftp://example.org/",
    "http://\ud800/",
    f"http://{'a' * 300}.example/",
    "",
]
GOOD = [
    "https://example.org",
    "http://127.0.0.1:11434/v1",
    "http://[::1]:8080",
    "https://例子.测试/",
    "http://my_nas/",
]


@cases("address", GOOD)
def test_what_can_be_asked_is_let_be(address):
    assert leads_to_a_server(address)


@cases("address", BAD)
def test_what_cannot_be_asked_is_told(tmp_path, address):
    assert not leads_to_a_server(address)

    async def scenario():
        async with rooms_in(tmp_path) as services:
            for kind in ("openai", "openai-responses", "anthropic"):
                provider = ProviderSettings("p", "P", kind, address, needs_key=False)
                with pytest.raises(ProviderError):
                    await services.preferences.test_provider(provider, "key")
            for kind in ("webdav", "s3"):
                place = BackupDestination("x", "X", kind, address, "me", bucket="b")
                with pytest.raises(BackupFailed, match="must begin with"):
                    await services.keeping.backups.test(place, "secret")
            search = SearchSettings(
                engine_addresses=(("searxng", address or "?"), ("bing", address or "?")),
                block_lists=(address,),
                choice="searxng",
            )
            await services.preferences.save(replace(services.preferences.settings, search=search))
            for engine in ("searxng", "bing"):
                outcome = await services.web_services.web.test(engine)
                assert outcome.status is SearchStatus.OFFLINE
                assert "does not work" in outcome.error
            assert "couldn’t be downloaded" in await services.preferences.fetch_block_lists()

    asyncio.run(scenario())
