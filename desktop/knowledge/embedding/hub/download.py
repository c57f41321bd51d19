"""Download of a model, as used by the program."""

import asyncio
import os
from collections.abc import AsyncGenerator
from pathlib import Path

import msgspec

from desktop.domain.knowledge import Download
from desktop.errors import ModelNotDownloaded
from desktop.knowledge.embedding.hub.protocol import (
    REQUEST_LIMIT_S,
    Arrived,
    Fetch,
    HubFile,
    HubReply,
    NotFetched,
)
from desktop.phrases import translatable
from desktop.settings.proxies import ProxyChoice
from desktop.text.child_processes import ParserDied, ParserProcess
from desktop.text.message_codec import decode_msgpack

HUB = "https://huggingface.co"
_ENDED = translatable("The process that downloads it ended ({status}).")
_NO_ADDRESS = translatable("“{address}” is not the address of a hub. It must begin with https://.")


def hub_address(chosen: str) -> str:
    """Return the address of the hub: the user's choice, else the one from the environment, else the default."""
    return (chosen.strip() or os.environ.get("HF_ENDPOINT", "").strip() or HUB).rstrip("/")


async def download(
    model: str,
    folder: Path,
    hub: str,
    proxy: ProxyChoice,
    *,
    only: HubFile | None = None,
    revision: str = "",
) -> AsyncGenerator[Download, None]:
    """Download a model from the hub to `folder`, and resume an earlier unfinished download.

    With `only`, this file of the commit `revision` is downloaded, instead of those of an embedding model. Closing
    the iterator stops it immediately; downloaded data is kept.

    Raises:
        ModelNotDownloaded: the download failed; the reason is for the user.
        ProxyUnusable: see `ProxyChoice`.
    """
    address = hub_address(hub)
    if not address.startswith(("https://", "http://")):
        raise ModelNotDownloaded(model=model, detail=_NO_ADDRESS.format(address=address))
    found = proxy.proxy_for(address)
    request = Fetch(model, str(folder), address, found.url if found else "", only, revision)
    steps: asyncio.Queue[Download | None] = asyncio.Queue()

    def take(payload: bytes) -> HubReply | None:
        reply: HubReply = decode_msgpack(payload, HubReply)
        if not isinstance(reply, Arrived):
            return reply
        steps.put_nowait(Download(reply.done_bytes, reply.total_bytes))
        return None

    child = ParserProcess("desktop.knowledge.embedding.hub.process")
    asking = asyncio.create_task(child.ask(msgspec.msgpack.encode(request), take, REQUEST_LIMIT_S))
    asking.add_done_callback(lambda _: steps.put_nowait(None))
    try:
        while (step := await steps.get()) is not None:
            yield step
        outcome = await asking
    except ParserDied as error:
        raise ModelNotDownloaded(model=model, detail=_ENDED.format(status=error)) from error
    finally:
        asking.cancel()
        await asyncio.wait({asking})
        await child.aclose()
    if isinstance(outcome, NotFetched):
        raise ModelNotDownloaded(model=model, detail=outcome.detail)
