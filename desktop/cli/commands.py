"""Maps subcommands to modules, and handles their errors."""

import argparse
import importlib
import logging
import sys

from desktop.cli.output.terminal import WrongArguments, print_json, tell, words_of
from desktop.errors import AppError

_INTERRUPTED = 130
"""The exit status of a program stopped by Ctrl+C, as in shells."""
_PIPE_CLOSED = 141
"""The exit status of a program whose output is read no further, as in shells."""
_WRONG_ARGUMENTS = 2
"""The exit status for arguments that cannot be used, as `argparse` has it."""


def _is_ours(record: logging.LogRecord) -> bool:
    """Say whether a log record is Footnote's own; errors of libraries are reported by Footnote's messages."""
    return record.name.partition(".")[0] in {"desktop", "asyncio", "py", "root"}


def run_command(arguments: argparse.Namespace) -> int:
    """Run a subcommand; only the module of that command is imported.

    Returns:
        0 on success only; errors are printed on stderr, and in the document if --json is given.
    """
    handler = logging.StreamHandler(sys.stderr)
    if not arguments.verbose:
        handler.addFilter(_is_ours)
    logging.basicConfig(
        handlers=[handler],
        level=logging.INFO if arguments.verbose else logging.ERROR,
        format="%(levelname)s %(name)s: %(message)s",
    )
    command = importlib.import_module(f"desktop.cli.{arguments.command}")
    try:
        return int(command.run(arguments))
    except KeyboardInterrupt:
        # Pressed again while tasks end, it leaves some behind, of which asyncio reports each.
        handler.addFilter(lambda record: record.name != "asyncio")
        return _INTERRUPTED
    except BrokenPipeError:  # the program that reads the output, such as `head`, has ended
        return _PIPE_CLOSED
    except (AppError, OSError, ValueError) as error:
        if arguments.json:
            print_json({"error": words_of(error)})
        tell(f"footnote: {words_of(error)}")
        return _WRONG_ARGUMENTS if isinstance(error, WrongArguments) else 1
