"""Entry point of `footnote` and `python -m desktop`: opens the window, or runs a subcommand."""

import io
import os
import signal
import sys
from collections.abc import Sequence

# Each way into the program loads only what it needs.
# ruff: noqa: PLC0415

INTERRUPTED = 130
"""Exit status of a program stopped by Ctrl+C, as shells report it."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status; without `argv` the arguments of this process are used.

    Ctrl+C ends the program without a traceback, also during startup. So does a second Ctrl+C while a thread is
    still reading a file.
    """
    if argv is None:
        _prepare_streams()
    try:
        status = _run(argv)
    except KeyboardInterrupt:
        status = INTERRUPTED
    finally:
        if argv is None:
            _drop_unwritten()
    if status == INTERRUPTED and argv is None:
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    return status


def _prepare_streams() -> None:
    """Open those of stdin, stdout and stderr that are closed; escape what the encoding of stdout does not have."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _drop_unwritten() -> None:
    """Drop what stdout does not take: Python would report it once more at its end, and change the exit status."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: Sequence[str] | None) -> int:
    if argv is None:
        from desktop.settings.environment_keys import hide_keys

        hide_keys()
        from desktop.installation import use_user_environment

        use_user_environment()
    from desktop.settings.folders import keep_private

    keep_private()
    if (
        argv is None and not sys.argv[1:]
    ):  # the usual start: the parser would take as long as all else before the paint
        from desktop.app import run_window
        from desktop.app.process import LaunchRequest

        return run_window(None, LaunchRequest(activation=os.environ.get("XDG_ACTIVATION_TOKEN", "")))
    from desktop.cli.parser import build_parser

    arguments = build_parser().parse_args(argv)
    if arguments.command in {None, "open"}:
        from desktop.app import run_window
        from desktop.app.process import read_launch_request

        return run_window(arguments.data_dir, read_launch_request(arguments))
    from desktop.cli.commands import run_command

    return run_command(arguments)


if __name__ == "__main__":
    sys.exit(main())
