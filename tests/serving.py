"""Loopback servers of the standard library, for the time of a block."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
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
