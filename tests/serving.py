"""Loopback servers, for the time of a block."""

import asyncio
import ssl
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from socketserver import BaseServer

_LOOK_EVERY_S = 0.01
"""How often a server looks whether it is to end; by itself it does twice a second, which each test would wait for."""


@contextmanager
def serve_requests(server: BaseServer) -> Iterator[None]:
    """Answer what is asked until the block ends."""
    thread = threading.Thread(target=server.serve_forever, args=(_LOOK_EVERY_S,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@asynccontextmanager
async def serve_connections(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
    context: ssl.SSLContext | None = None,
) -> AsyncIterator[int]:
    """Serve each connection to the port that is given, and close all at the end of the block.

    A server of asyncio by itself leaves those open whose task has not begun or was cancelled with its loop; they warn
    as they are collected, and a later test fails.
    """
    open_connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
    is_over = False

    async def serve_and_close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
        finally:
            writer.close()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if is_over:
            writer.close()
        else:
            open_connections[asyncio.ensure_future(serve_and_close(reader, writer))] = writer

    server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        for listener in server.sockets:
            asyncio.get_running_loop().remove_reader(listener)
        await asyncio.sleep(0)  # or asyncio would never close what it has accepted and not begun to serve
        is_over = True
        server.close()
        for task, writer in open_connections.items():
            task.cancel()
            writer.close()
        await asyncio.gather(*open_connections, return_exceptions=True)
