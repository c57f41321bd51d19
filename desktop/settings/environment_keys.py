"""API keys from environment variables: removed at startup, so that neither this process nor a child shows them.

`/proc/PID/environ` (and `ps e` on macOS) shows the environment with which a process was started; removing a
variable later does not change it. The program is therefore started again in place, with the same process id and
without the keys, which it receives through a file descriptor that is read once and closed. Windows shows the
current environment: there it is enough to remove them.
"""

import errno
import json
import os
import re
import sys
from collections.abc import Mapping, MutableMapping

from desktop.errors import plain_reason
from desktop.installation import restart_command

KEY_VARIABLES = {
    "provider/openai": "OPENAI_API_KEY",
    "provider/anthropic": "ANTHROPIC_API_KEY",
    "search/tavily": "TAVILY_API_KEY",
}
"""Environment variables used for secrets that the user has not set."""

DESCRIPTOR_VARIABLE = "FOOTNOTE_KEYS_DESCRIPTOR"
"""Names the file descriptor from which a restarted program reads its keys."""

_DESCRIPTOR = re.compile(r"[3-9]|[1-9][0-9]{1,6}")
"""Excludes standard input, output and error."""

_STAYS_VISIBLE = (
    "footnote: could not start again without the keys of the environment ({detail}):"
    " programs of the same user can read them in this process as long as it runs."
)

_received: dict[str, str] = {}
"""Keys that this process received at startup; global, because a process has only one environment."""


def take_keys(environment: MutableMapping[str, str] = os.environ) -> dict[str, str]:
    """Remove the keys from the environment, and return them together with those received at startup."""
    return _received | _remove_keys(environment)


def hide_keys() -> None:
    """Save the keys of the environment for `take_keys`, and hide them from child processes from now on.

    Must be called before anything else is started. If the environment contains keys, this does not return: the
    program is restarted without them, except on Windows.
    """
    descriptor = os.environ.pop(DESCRIPTOR_VARIABLE, "")
    if descriptor:
        _received.update(_read_keys(descriptor))
    keys = _remove_keys(os.environ)
    if not keys:
        return
    if sys.platform != "win32":
        try:
            _start_again(_received | keys)
        except OSError as error:
            print(_STAYS_VISIBLE.format(detail=plain_reason(error)), file=sys.stderr)  # noqa: T201 - before any window
    _received.update(keys)


def _remove_keys(environment: MutableMapping[str, str]) -> dict[str, str]:
    return {name: environment.pop(name) for name in KEY_VARIABLES.values() if name in environment}


def _start_again(keys: Mapping[str, str]) -> None:
    """Replace this process with a new start of the program that reads `keys` from a descriptor; never returns.

    Raises:
        OSError: the program cannot be restarted.
    """
    descriptor = _readable(json.dumps(keys).encode())
    try:
        os.set_inheritable(descriptor, True)
        environment = os.environ | {DESCRIPTOR_VARIABLE: str(descriptor)}
        sys.stdout.flush()
        sys.stderr.flush()
        command = restart_command()
        os.execve(command[0], command, environment)  # noqa: S606 - our own start
    finally:
        os.close(descriptor)


def _readable(data: bytes) -> int:
    """Return a descriptor, not of a file on the disk, from which `data` can be read."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("footnote", os.MFD_CLOEXEC)
        os.write(descriptor, data)
        os.lseek(descriptor, 0, os.SEEK_SET)
        return descriptor
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    written = os.write(writing, data)  # the capacity of a pipe is many times the size of the keys
    os.close(writing)
    if written < len(data):
        os.close(reading)
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return reading


def _read_keys(descriptor: str) -> dict[str, str]:
    """Read the keys from a file descriptor and close it; return none if another program set the variable."""
    if not _DESCRIPTOR.fullmatch(descriptor):
        return {}
    try:
        with os.fdopen(int(descriptor), "rb") as file:
            found = json.loads(file.read())
    except (OSError, ValueError):
        return {}
    known = KEY_VARIABLES.values()
    return {name: value for name, value in found.items() if name in known} if isinstance(found, dict) else {}
