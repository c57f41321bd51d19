"""A server on loopback that nobody may ever visit."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.conftest import WAIT_MS


class Canary:
    """Knows how often somebody connected, whatever they then said."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self.host = f"127.0.0.1:{listener.getsockname()[1]}"
        self.visits: list[bytes] = []
        self._has_visit = threading.Condition()
        self._thread = threading.Thread(target=self._listen, name="canary")
        self._thread.start()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(1)
                try:
                    said = connection.recv(200)
                except TimeoutError:
                    said = b""
            with self._has_visit:
                self.visits.append(said)
                self._has_visit.notify_all()

    def wait_for_visits(self, count: int) -> bool:
        """Return whether so many have connected by the time that a busy machine may take for it."""
        with self._has_visit:
            return self._has_visit.wait_for(lambda: len(self.visits) >= count, WAIT_MS / 1000)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()


@contextmanager
def running_canary() -> Iterator[Canary]:
    """Listen until the block ends."""
    canary = Canary(socket.create_server(("127.0.0.1", 0)))
    try:
        yield canary
    finally:
        canary.close()
