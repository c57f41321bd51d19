"""Ends the processes of a tool server if Footnote dies without doing so, as after `kill -9`.

Runs as a separate program for one process group. One byte on stdin means that the group was ended properly;
the end of stdin without it means that Footnote died. Uses nothing else of Footnote.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

_GRACE_S = 0.4


class ProcessReaper:
    """Watches a process group; does nothing on Windows, where a job ends with the process that created it."""

    def __init__(self, group: int) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        if sys.platform != "win32":
            from desktop.installation import own_environment, script_command  # noqa: PLC0415 - not in the reaper

            self._process = subprocess.Popen(
                script_command(__file__, str(group)),
                stdin=subprocess.PIPE,
                start_new_session=True,
                env=own_environment(),
            )

    def dismiss(self) -> None:
        """Report that the group was ended properly; blocks until the reaper has exited."""
        if self._process is not None:
            with suppress(BrokenPipeError):  # the reaper was killed
                self._process.communicate(b".")


def main() -> None:
    """Wait for the byte or for the end of stdin."""
    if sys.stdin.buffer.read(1):
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(int(sys.argv[1]), number)
        time.sleep(_GRACE_S)


if __name__ == "__main__":
    main()
