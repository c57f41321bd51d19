"""`footnote render`: renders Markdown to the HTML of a message."""

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from desktop.cli.output.exports import (
    PageChoice,
    answer_of,
    picture_look,
    print_file,
    sources_from_json,
)
from desktop.cli.output.terminal import Answer, WrongArguments, print_json, print_words, run_batch, text_of
from desktop.errors import plain_reason
from desktop.render import render_message


def run(arguments: argparse.Namespace) -> int:
    """Render one text or a batch of them."""
    if arguments.format and arguments.batch:
        raise WrongArguments("--format does not go with --batch")
    if arguments.batch:
        return asyncio.run(run_batch(arguments.batch, _respond))
    if arguments.format:
        sources = sources_from_json(_sources(arguments.sources))
        title = "Footnote" if arguments.file == "-" else Path(arguments.file).stem
        print_file(
            answer_of(_markdown(arguments.file), title, sources),
            arguments.format,
            page=PageChoice.of(arguments),
            look=picture_look(arguments),
        )
        return 0
    answer = _render(_markdown(arguments.file), _sources(arguments.sources))
    if arguments.json:
        print_json(answer)
    else:
        print_words(answer["html"])
    return 0


async def _respond(request: Answer) -> Answer:
    return _render(text_of(request, "markdown"), request.get("sources"))


def _render(markdown: str, sources: Any) -> Answer:
    rendered = render_message(markdown, sources_from_json(sources))
    return {"html": rendered.html, "cited": list(rendered.cited), "unknown": list(rendered.unknown)}


def _sources(path: Path | None) -> Any:
    if path is None:
        return None
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON: {plain_reason(error)}") from error


def _markdown(file: str) -> str:
    if file == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    return Path(file).read_bytes().decode("utf-8", "replace")
