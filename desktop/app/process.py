"""The process of the window: its launch request, the lock of its data folder, and its end.

Imported before the first paint, so it uses little but the standard library.
"""

import logging
import os
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO, Final
from urllib.parse import unquote_to_bytes, urlsplit

if TYPE_CHECKING:
    import argparse

LOCK_FILE = "window.lock"
PATIENCE_S: Final = 1.0
"""How long finished threads may take to end."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class LaunchRequest:
    """A request at start: files to attach, a question for the composer, a conversation, or the quick window.

    `activation` is the token with which the desktop lets the running window come to the front.
    """

    files: tuple[str, ...] = ()
    question: str = ""
    is_quick: bool = False
    is_hidden: bool = False
    """Started with the desktop session: no window is shown."""
    activation: str = ""
    conversation_id: str = ""
    is_new: bool = False
    """An empty conversation is opened, also without a file or question."""

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files that exist."""
        return tuple(path for path in map(Path, self.files) if path.is_file())


def read_launch_request(arguments: "argparse.Namespace") -> LaunchRequest:
    """Return the request on the command line, with full paths, because another process has another folder.

    Desktops give addresses to a program that takes links: those of files become paths, of links the last one counts.
    """
    from desktop.text.launch_links import LaunchLink, is_launch_link, parse_launch_link  # noqa: PLC0415 - rare

    files: list[str] = []
    links = [LaunchLink(arguments.question)] if getattr(arguments, "question", "") else []
    for name in getattr(arguments, "files", ()):
        if is_launch_link(name):
            links.append(parse_launch_link(name))
        else:
            files.append(str(Path(_local_path(name)).absolute()))
    link = links[-1] if links else LaunchLink()
    return LaunchRequest(
        files=tuple(files),
        question=link.question,
        is_quick=arguments.quick,
        is_hidden=arguments.hidden,
        activation=os.environ.get("XDG_ACTIVATION_TOKEN", ""),
        conversation_id=link.conversation_id,
        is_new=bool(links) and not link.conversation_id,
    )


def _local_path(name: str) -> str:
    return os.fsdecode(unquote_to_bytes(urlsplit(name).path)) if name.startswith("file://") else name


class AlreadyOpen(Exception):
    """Another process has opened the window of this data folder."""


def take_lock(folder: Path) -> BinaryIO | None:
    """Return the lock, which is held until it is closed.

    None means that the disk does not support locks or is read-only; the databases will report the effects.

    Raises:
        AlreadyOpen: another process holds it.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = (folder / LOCK_FILE).open("ab")
    except OSError:
        return None
    try:
        _lock(file)
    except (BlockingIOError, PermissionError) as error:
        file.close()
        raise AlreadyOpen from error
    except OSError:
        file.close()
        return None
    return file


def is_free(folder: Path) -> bool:
    """Say whether the lock is free by now."""
    try:
        lock = take_lock(folder)
    except AlreadyOpen:
        return False
    if lock is not None:
        lock.close()
    return True


# Uses no library: this runs before the first paint, and the installed one takes 50 ms to import.
if sys.platform == "win32":
    import msvcrt

    def _lock(file: BinaryIO) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def force_exit_if_hanging(status: int) -> None:
    """Kill the process with `status` if a thread hangs in a system call.

    Name look-ups in a dead network and folders on a lost share cannot be cancelled, and Python waits for their
    threads before it ends. Everything is already closed, so their results are not needed.
    """
    until = monotonic() + PATIENCE_S
    others = [each for each in threading.enumerate() if each is not threading.current_thread()]
    for thread in others:
        if not thread.daemon:
            thread.join(max(0.0, until - monotonic()))
    hanging = [thread.name for thread in others if thread.is_alive() and not thread.daemon]
    if not hanging:
        return
    _log.warning("Ended without waiting for %s", ", ".join(hanging))
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
