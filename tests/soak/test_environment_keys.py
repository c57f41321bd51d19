"""Keys given by environment: they work, and no process of the program shows them."""

import base64
import os
import secrets
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from benchmarks.memory import tree_of
from desktop.settings.environment_keys import DESCRIPTOR_VARIABLE, KEY_VARIABLES
from tests.cases import cases
from tests.e2e.window import wait_for
from tests.serving import serve_requests

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.timeout(300),  # whole windows start, on however busy a machine
]

WITH_A_RENDERER = 2
"""A zygote, and what it was forked into."""

SCRIPT = "import sys\nfrom desktop.__main__ import main\nif __name__ == '__main__':\n    sys.exit(main())\n"


@dataclass
class Models:
    """A server with one model; it notes with which keys it is asked, and answers when it may."""

    origin: str = ""
    keys: list[str] = field(default_factory=list)
    go_on: threading.Event = field(default_factory=threading.Event)


class _Handler(BaseHTTPRequestHandler):
    models: Models

    def do_GET(self) -> None:
        self.answer(200, b'{"object": "list", "data": [{"id": "known-to-the-key", "object": "model"}]}')

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(400, b'{"error": {"message": "not today"}}')

    def answer(self, status: int, body: bytes) -> None:
        self.models.keys.append(self.headers.get("Authorization", ""))
        self.models.go_on.wait(60)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing among the output of the tests."""


@contextmanager
def running_models():
    models = Models()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"models": models}))
    models.origin = f"http://127.0.0.1:{server.server_port}/v1"
    with serve_requests(server):
        try:
            yield models
        finally:
            models.go_on.set()


def program(tmp_path: Path, way: str) -> list[str]:
    """Return how the program is started: as a module, or by the script that an installation has."""
    if way == "module":
        return [sys.executable, "-m", "desktop"]
    script = tmp_path / "footnote"
    script.write_text(f"#!{sys.executable}\n{SCRIPT}")
    script.chmod(0o755)
    return [str(script)]


def given(origin: str, key: str) -> dict[str, str]:
    keys = dict.fromkeys(KEY_VARIABLES.values(), key)
    return os.environ | keys | {"OPENAI_BASE_URL": origin, "QT_QPA_PLATFORM": "offscreen"}


def shown(root: int) -> dict[str, bytes]:
    """Return what `/proc` shows of every process of the program."""
    found = {}
    for pid in tree_of(root):
        for name in ("environ", "cmdline"):
            try:
                found[f"{pid} {name}"] = Path(f"/proc/{pid}/{name}").read_bytes()
            except OSError:  # it has ended
                continue
    return found


def leaks(root: int, key: str) -> list[str]:
    forms = (key.encode(), base64.b64encode(key.encode()).rstrip(b"="), key.encode().hex().encode())
    return [where for where, content in shown(root).items() if any(form in content for form in forms)]


def zygotes_of(root: int) -> int:
    """Return how many processes of the web engine run that were forked to become renderers, or are one."""
    return sum(
        b"--type=zygote" in content for where, content in shown(root).items() if where.endswith("cmdline")
    )


@pytest.mark.parametrize("way", ["module", "script"])
def test_no_process_of_a_window_shows_the_keys_of_its_environment(way, qapp, tmp_path, times, told):
    rounds = times(1, 10)
    for number in range(rounds):
        seen = keys_seen_in_a_window([*program(tmp_path, way), "--data-dir", str(tmp_path / f"data{number}")])
        assert seen == []
    told(f"Keys of the environment of a window ({way})", rounds, "0 hits in /proc of all its processes")


def keys_seen_in_a_window(command: list[str]) -> list[str]:
    """Start a window with keys in its environment, and return which of its processes show them."""
    key = f"sk-{secrets.token_urlsafe(24)}"
    with running_models() as models, subprocess.Popen(command, env=given(models.origin, key)) as window:
        models.go_on.set()
        try:
            wait_for(lambda: zygotes_of(window.pid) >= WITH_A_RENDERER, "the renderer")
            wait_for(lambda: models.keys, "the models are asked for")
            assert models.keys[0] == f"Bearer {key}", "the key is used"
            environment = shown(window.pid)[f"{window.pid} environ"]
            assert b"OPENAI_BASE_URL" in environment, "the rest stays"
            return leaks(window.pid, key)
        finally:
            window.send_signal(signal.SIGTERM)
            window.wait(60)


@cases("way", ["module", "script"])
def test_the_command_line_uses_the_keys_without_showing_them(way, qapp, tmp_path):
    key = f"sk-{secrets.token_urlsafe(24)}"
    words = (
        "ask",
        "Hello?",
        "--model",
        "openai/known-to-the-key",
        "--web",
        "off",
        "--data-dir",
        str(tmp_path),
    )
    with (
        running_models() as models,
        subprocess.Popen(
            [*program(tmp_path, way), *words],
            env=given(models.origin, key),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as asking,
    ):
        wait_for(lambda: models.keys, "the model is asked")
        seen = leaks(asking.pid, key)
        models.go_on.set()
        output, _ = asking.communicate(timeout=100)
        assert models.keys[-1] == f"Bearer {key}"
        assert seen == []
        assert b"not today" in output
        assert key.encode() not in output


@cases("descriptor", ["0", "-1", "77777", "words", "9" * 30])
def test_a_descriptor_that_somebody_else_names_gives_no_keys(descriptor):
    code = "from desktop.settings.environment_keys import *; hide_keys(); print(take_keys())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {DESCRIPTOR_VARIABLE: descriptor},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == ("{}", "")
