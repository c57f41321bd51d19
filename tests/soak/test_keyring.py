"""Keys in a real gnome-keyring under a D-Bus of its own: found again, and found nowhere else."""

import base64
import json
import os
import secrets
import shutil
import subprocess
import sys
from urllib.parse import quote

import pytest

from tests.e2e.model_server import running_model_server

pytestmark = pytest.mark.skipif(
    not (shutil.which("gnome-keyring-daemon") and shutil.which("dbus-run-session")),
    reason="needs gnome-keyring and dbus",
)

UNLOCKED = 'printf secret | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec "$@"'


@pytest.fixture
def home(tmp_path):
    for name in ("run", "config", "data", "cache"):
        (tmp_path / name).mkdir(mode=0o700)
    return tmp_path


def session(home, what, origin, key, *, is_killed=False):
    """Run one program of a person's session, whose keyring is on the disk of `home`."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("DBUS_", "PYTHON_KEYRING"))
    }
    environment |= {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home / "run"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CACHE_HOME": str(home / "cache"),
    }
    words = (sys.executable, "-m", "tests.soak.keyring_session", what, str(home / "footnote"), origin, key)
    done = subprocess.run(
        ["dbus-run-session", "--", "sh", "-c", UNLOCKED, "session", *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.stdout.strip(), done.stderr
    assert is_killed or done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done


def forms_of(key):
    raw = key.encode()
    return {
        raw,
        quote(key, safe="").encode(),
        base64.b64encode(raw).rstrip(b"="),
        base64.urlsafe_b64encode(raw).rstrip(b"="),
        raw.hex().encode(),
        key.encode("utf-16-le"),
        key.encode("utf-16-be"),
        key[::-1].encode(),
    }


def hits(folder, key):
    found = []
    for path in folder.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            found += [(path, form) for form in forms_of(key) if form in content]
    return found


def test_keys_are_in_the_keyring_and_nowhere_else(home, told):
    key = f"sk-{secrets.token_urlsafe(24)}/+"
    with running_model_server() as server:
        kept, _ = session(home, "keep", server.origin, key)
        assert kept == {"problem": ""}
        assert [path.name for path in home.rglob("*.keyring")] == ["login.keyring"]
        used, done = session(home, "use", server.origin, key, is_killed=True)
        assert used["works"]
        assert used["leaks"] == []
        assert used["processes"] >= 2, "the knowledge worker at least"
        assert len(server.requests) >= 2
        assert key not in done.stderr
        assert hits(home, key) == []
        logged = (home / "footnote" / "logs" / "footnote.log").read_text(encoding="utf-8")
        assert "Something broke with •••" in logged
        told("Canary key through a whole session and its crash", 5, "0 hits on disk, in /proc and in the log")


def test_a_locked_keyring_is_said_and_nothing_is_written_in_its_place(home):
    key = f"sk-{secrets.token_urlsafe(24)}"
    kept, _ = session(home, "keep", "http://127.0.0.1:9", key)
    assert kept == {"problem": ""}
    locked, _ = session(home, "lock", "http://127.0.0.1:9", key)
    assert locked["found"] == ""
    assert "no keyring" in locked["problem"]
    assert locked["kept"] == "a-new-key", "it is kept for this run"
    assert hits(home, key) == []
    assert hits(home, "a-new-key") == []
