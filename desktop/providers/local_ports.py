"""Detection of model servers on this machine, without an HTTP client as long as nothing listens on their ports."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from desktop.providers.presets import PRESETS
from desktop.settings.model import ProviderSettings

_LIMIT_S = 0.8
_LOCAL = tuple(preset for preset in PRESETS if not preset.needs_key)


async def find_local_servers(ports: Mapping[str, int] | None = None) -> tuple[ProviderSettings, ...]:
    """Return the presets of servers that answer with a list of models within two seconds.

    Args:
        ports: ports to use instead of the default ones, by preset id.
    """
    presets = [_moved(preset, (ports or {}).get(preset.id)) for preset in _LOCAL]
    listens = await asyncio.gather(*map(_is_listening, presets))
    found = [preset for preset, is_there in zip(presets, listens, strict=True) if is_there]
    if not found:
        return ()
    from desktop.providers.local_servers import find_answering  # noqa: PLC0415 - brings an HTTP client, 7 MB

    return await find_answering(found)


def _moved(preset: ProviderSettings, port: int | None) -> ProviderSettings:
    if port is None:
        return preset
    url = urlsplit(preset.base_url)
    return replace(preset, base_url=url._replace(netloc=f"{url.hostname}:{port}").geturl())


async def _is_listening(preset: ProviderSettings) -> bool:
    url = urlsplit(preset.base_url)
    try:
        async with asyncio.timeout(_LIMIT_S):
            _, writer = await asyncio.open_connection(url.hostname, url.port)
    except OSError:  # also TimeoutError
        return False
    writer.close()
    return True
