"""Forwards the request of a further start to the running window."""

import hashlib
import json
import logging
import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
from PySide6.QtCore import QDeadlineTimer, QObject, QTimer, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from desktop.app.process import LaunchRequest
from desktop.errors import plain_reason

ANSWER_S: Final = 60.0
"""How long a window that is opening or very busy may take to respond to another start, in seconds.

An AppImage that is not unpacked opens slowly.
"""

MOST_BYTES: Final = 1_000_000

_SOCKET_FILE: Final = "window.socket"
_MOST_PATH_BYTES: Final = 80
"""Systems allow about 104 bytes, and Qt creates the socket in a folder next to it."""

_UNDERSTOOD: Final = b"ok\n"
_CONNECTION_MS: Final = 5_000
_PAUSE_S: Final = 0.1

_log = logging.getLogger(__name__)


class SingleInstanceServer(QObject):
    """Listens during its lifetime; only processes of the same user can connect.

    Signals:
        arrived: the LaunchRequest of another start.
    """

    arrived = Signal(object)

    def __init__(self, data: Path, parent: QObject | None = None) -> None:
        """Start to listen, replacing a stale socket.

        Only the process that holds the lock of the data folder may create a server.
        """
        super().__init__(parent)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)
        try:
            name = _endpoint(data)
        except OSError as error:
            _log.warning("Further starts will not reach this window: %s", error)
            return
        QLocalServer.removeServer(name)
        if not self._server.listen(name):
            _log.warning("Further starts will not reach this window: %s", self._server.errorString())

    def close(self) -> None:
        """Stop listening."""
        self._server.close()

    @Slot()
    def _on_connection(self) -> None:
        while (caller := self._server.nextPendingConnection()) is not None:
            caller.readyRead.connect(partial(self._on_ready, caller))
            caller.disconnected.connect(caller.deleteLater)
            QTimer.singleShot(_CONNECTION_MS, caller, caller.abort)

    def _on_ready(self, caller: QLocalSocket) -> None:
        if caller.bytesAvailable() > MOST_BYTES:
            caller.abort()
        elif caller.canReadLine():
            try:
                request = decode_request(bytes(caller.readLine().data()))
            except ValueError as error:
                _log.warning("Another start said what makes no sense: %s", error)
                caller.abort()
                return
            caller.write(_UNDERSTOOD)
            caller.flush()
            caller.disconnectFromServer()
            self.arrived.emit(request)


def forward_to_running(
    data: Path,
    request: LaunchRequest,
    seconds: float = ANSWER_S,
    *,
    is_gone: Callable[[], bool] = lambda: False,
) -> bool:
    """Send this start's request to the running window; return whether the window has accepted it.

    Stops waiting when `is_gone` returns true, because the window was closing.
    """
    ends = time.monotonic() + seconds
    try:
        name = _endpoint(data)
    except OSError:
        return False
    _let_come_to_the_front()
    while True:
        if _tell(name, encode_request(request), seconds):
            return True
        if is_gone() or time.monotonic() >= ends:
            return False
        time.sleep(_PAUSE_S)


def encode_request(request: LaunchRequest) -> bytes:
    """Return a request as one line; file names that are not UTF-8 keep Python's surrogate escapes."""
    return json.dumps(msgspec.to_builtins(request)).encode("ascii") + b"\n"


def decode_request(line: bytes) -> LaunchRequest:
    """Return the request in a line.

    Raises:
        ValueError: the line is not a request.
    """
    try:
        request = msgspec.convert(json.loads(line), LaunchRequest)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ValueError(plain_reason(error)) from error
    if not request.activation.isprintable():  # the environment contains neither NUL nor lone surrogates
        raise ValueError("a token that is none")
    return request


def _tell(name: str, line: bytes, seconds: float) -> bool:
    limit = QDeadlineTimer(int(seconds * 1_000))
    socket = QLocalSocket()
    socket.connectToServer(name)
    if not socket.waitForConnected(limit.remainingTime()):
        return False
    socket.write(line)
    while not socket.canReadLine():
        if not socket.waitForReadyRead(max(1, limit.remainingTime())):
            return False
    return bytes(socket.readLine().data()) == _UNDERSTOOD


def _endpoint(data: Path) -> str:
    """Return the name of the socket in a private folder: the data folder if its path is short."""
    if sys.platform == "win32":
        return f"footnote-{_digest(os.environ.get('USERNAME', ''), data)}"
    path = data / _SOCKET_FILE
    if len(os.fsencode(path)) <= _MOST_PATH_BYTES:
        return str(path)
    named = os.environ.get("XDG_RUNTIME_DIR")
    own = Path(named) if named else Path(tempfile.gettempdir()) / f"footnote-{os.getuid()}"
    own.mkdir(mode=0o700, exist_ok=True)
    if own.lstat().st_uid != os.getuid():
        raise PermissionError(f"{own} belongs to another user")
    return str(own / f"footnote-{_digest(str(os.getuid()), data)}")


def _digest(user: str, data: Path) -> str:
    return hashlib.sha256(f"{user}\n{data}".encode()).hexdigest()[:24]


def _let_come_to_the_front() -> None:
    """Let the requested process raise its window; Windows grants that right to a newly started program."""
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415 - of no use elsewhere

        any_process = -1
        ctypes.windll.user32.AllowSetForegroundWindow(any_process)
