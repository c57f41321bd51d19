"""What a further start was for reaches the running window, and nothing else does."""

import os
import socket
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalSocket

from desktop.app.process import LaunchRequest, is_free, take_lock
from desktop.app.single_instance import (
    MOST_BYTES,
    SingleInstanceServer,
    _endpoint,
    decode_request,
    encode_request,
    forward_to_running,
)
from tests.cases import cases
from tests.unit.app.test_process import HOLD

TELL = """
import sys
from pathlib import Path
from desktop.app.process import LaunchRequest
from desktop.app.process import is_free, take_lock
from desktop.app.single_instance import forward_to_running
sys.exit(0 if forward_to_running(Path(sys.argv[1]), LaunchRequest(question=sys.argv[2])) else 1)
"""


@pytest.fixture(params=["here", "x" * 120], ids=["short", "long"])
def folder(request, monkeypatch):
    """Return a data folder; not among the others of the tests, whose paths are too long for a socket."""
    with tempfile.TemporaryDirectory() as root:
        runtime = Path(root) / "run"
        runtime.mkdir(mode=0o700)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
        path = Path(root) / request.param
        path.mkdir()
        yield path


@pytest.fixture
def reception(qapp, folder):
    reception = SingleInstanceServer(folder)
    yield reception
    reception.close()
    reception.deleteLater()


@cases("name", ["/a b/ü.pdf", os.fsdecode(b"/old/caf\xe9.txt")])
def test_an_errand_survives_the_way(name):
    launch_request = LaunchRequest((name,), 'what "is" this?\nand that?', is_quick=True)
    assert decode_request(encode_request(launch_request)) == launch_request
    with pytest.raises(ValueError, match="Expected"):
        decode_request(b'{"files": 3}')


def test_a_further_start_is_heard(reception, folder, qtbot):
    with subprocess.Popen([sys.executable, "-c", TELL, str(folder), "潮汐？"]) as started:
        with qtbot.wait_signal(reception.arrived) as heard:
            pass
        assert started.wait(60) == 0
    assert heard.args == [LaunchRequest(question="潮汐？")]


@pytest.mark.skipif(os.name != "posix", reason="elsewhere such names die with their process")
def test_a_socket_of_the_dead_is_in_nobodys_way(qapp, folder):
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(_endpoint(folder))
    reception = SingleInstanceServer(folder)
    caller = QLocalSocket()
    caller.connectToServer(_endpoint(folder))
    assert caller.waitForConnected(20_000)
    caller.abort()
    reception.close()
    for each in (caller, reception):
        each.deleteLater()


def test_what_is_no_errand_is_hung_up_on(reception, folder, qtbot):
    heard = []
    reception.arrived.connect(heard.append)
    deep = b'{"x": ' + b"[" * 100_000 + b"\n"
    nul = b'{"activation": "a\\u0000b"}\n'
    half = b'{"activation": "a\\ud800"}\n'
    for line in (b"nonsense\n", deep, nul, half, b'"' + b"a" * (MOST_BYTES + 1)):
        caller = QLocalSocket()
        caller.connectToServer(_endpoint(folder))
        assert caller.waitForConnected(20_000)
        caller.write(line)
        qtbot.wait_until(
            lambda caller=caller: caller.state() is QLocalSocket.LocalSocketState.UnconnectedState
        )
        caller.deleteLater()
    assert heard == []


def test_a_window_that_is_being_closed_is_not_waited_for(qapp, folder):
    """A start right after the end of the last one waited for 20 s and then ended without a window."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as closing:
        assert closing.stdout.readline() == "held\n"
        assert not is_free(folder)
        closing.stdin.close()
        assert not forward_to_running(
            folder, LaunchRequest(), seconds=3_600, is_gone=partial(is_free, folder)
        )
    take_lock(folder).close()


def test_nobody_there_is_said(qapp, folder):
    assert not forward_to_running(folder, LaunchRequest(), seconds=0)
