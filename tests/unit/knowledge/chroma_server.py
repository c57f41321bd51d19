"""A real Chroma server, in a process of its own."""

import random
import socket
import subprocess
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path

import httpx

from desktop.settings.model import ChromaServer

_START_LIMIT_S = 60.0


_PORTS = range(20_000, 30_000)
"""The system gives none of these to those who ask for any port, of whom there are many beside this."""


def free_port():
    """Return a port that is free, and stays so for the seconds that a server takes to start."""
    for port in random.SystemRandom().sample(_PORTS, 100):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    message = "no port is free"
    raise RuntimeError(message)


class RunningChroma:
    """`chroma run`; it may be stopped and started again on the same port and folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.port = free_port()
        self.server = ChromaServer("team", "Team server", f"http://127.0.0.1:{self.port}")
        self._process = None

    def start(self):
        command = Path(sysconfig.get_path("scripts")) / (
            "chroma.exe" if sys.platform == "win32" else "chroma"
        )
        options = ["run", "--path", str(self.folder), "--host", "127.0.0.1", "--port", str(self.port)]
        self._process = subprocess.Popen(
            [str(command), *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        transport = httpx.HTTPTransport(retries=50)  # the pauses between them grow to seconds
        with httpx.Client(transport=transport, timeout=_START_LIMIT_S) as client:
            assert client.get(f"{self.server.url}/api/v2/heartbeat").status_code == 200

    def stop(self):
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
