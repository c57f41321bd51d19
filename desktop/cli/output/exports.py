"""Writes answers as files to stdout (`--format`), and reads sources in the JSON of `footnote ask --json`."""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from desktop.cli.output.terminal import WrongArguments, print_piece, tell
from desktop.domain.messages import Conversation, ConversationInfo, Message, Speaker
from desktop.domain.sources import Locator, Source, SourceKind, host_of
from desktop.installation import module_command, own_environment
from desktop.render.export import (
    Format,
    ListFormat,
    export_conversation,
    format_source_list,
    leave_out,
    list_used_sources,
    private_sources,
    shared_page_of,
    without_passages,
)
from desktop.render.export.common_parts import with_findings
from desktop.render.export.picture import (
    COMMON_LIMIT,
    LEAST_WIDTH,
    MOST_HEIGHT,
    MOST_WIDTH,
    WIDTH,
    DrawnPicture,
    PictureLook,
    PictureTooLong,
    picture_page_of,
)
from desktop.render.export.source_list import title_line
from desktop.render.labels import EN, Labels

_PRINT_S = 300
_HANDED_ON = {"page", "png"}
"""Formats that are not written before the user says what is to become of private passages."""
_WITH_PASSAGES = {"docx", *_HANDED_ON}
_LOOK = PictureLook()
_BINARY = {"docx": "a Word document", "png": "a picture"}
_FILES = {
    "markdown": Format.MARKDOWN,
    "html": Format.HTML,
    "bibtex": Format.BIBTEX,
}


def sources_from_json(document: Any) -> tuple[Source, ...]:
    """Read a list of sources, or an object with the list under "sources".

    Only "number" is required; missing fields stay empty.

    Raises:
        ValueError: the document is neither, or a source has no number.
    """
    listed = document.get("sources") if isinstance(document, dict) else document
    if listed is None:
        return ()
    if not isinstance(listed, list):
        raise ValueError("sources must be a list")
    return tuple(map(_source, listed))


def _moment(text: Any) -> datetime:
    """Return when a source was read; by default now, because that is when it is used."""
    return datetime.fromisoformat(str(text)) if text else datetime.now(UTC)


def _source(item: Any) -> Source:
    if not isinstance(item, dict) or not isinstance(item.get("number"), int):
        raise ValueError("every source needs a number")
    where = item.get("locator")
    url = str(item.get("url") or "")
    return Source(
        number=item["number"],
        kind=SourceKind(item.get("kind") or SourceKind.WEB),
        key=f"{item['number']}",
        title=str(item.get("title") or ""),
        url=url,
        host=host_of(url),
        locator=Locator(**where) if isinstance(where, dict) else Locator(section=str(where or "")),
        text=str(item.get("text") or ""),
        text_hash="",
        read_at=_moment(item.get("read_at")),
        published=str(item.get("published") or ""),
    )


def answer_of(text: str, title: str, sources: Sequence[Source]) -> Conversation:
    """Return a conversation whose only answer is a text with all of `sources`."""
    now = datetime.now(UTC)
    offered = tuple(source.number for source in sources)
    message = Message("answer", "conversation", Speaker.MODEL, text, now, offered=offered)
    return alone(message, title, sources)


def alone(message: Message, title: str, sources: Sequence[Source]) -> Conversation:
    """Return a conversation that consists of one answer."""
    info = ConversationInfo(message.conversation_id, title, message.created_at, message.created_at)
    return Conversation(info, (message,), tuple(sources))


@dataclass(frozen=True)
class PageChoice:
    """What the user says of private passages of a page: include all, or leave out those of some sources."""

    includes_private: bool = False
    leaves_out_private: bool = False
    left_out: frozenset[int] = frozenset()

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> "PageChoice":
        """Return the choice of a subcommand with `--format`.

        Raises:
            ValueError: it is for another format, or contradicts itself.
        """
        named = frozenset(each for each in arguments.leave_out if isinstance(each, int))
        choice = cls(arguments.private, "private" in arguments.leave_out, named)
        if choice != cls() and arguments.format not in _WITH_PASSAGES:
            raise WrongArguments("--private and --leave-out are for --format page, docx and png")
        if choice.includes_private and choice.leaves_out_private:
            raise WrongArguments("--private and --leave-out private cannot be had at once")
        return choice

    def require_say(self, arguments: argparse.Namespace) -> None:
        """Refuse a question about private files before it is asked, if nothing was said of their passages.

        Raises:
            ValueError: neither --private nor --leave-out is given.
        """
        if arguments.format not in _HANDED_ON:
            return
        if self == PageChoice() and (getattr(arguments, "kb", None) or getattr(arguments, "file", None)):
            raise WrongArguments(
                "a file with passages of your files may be handed on: add --private to include them, "
                "or --leave-out private"
            )

    def left_out_of(self, conversation: Conversation, *, with_read: bool = False) -> frozenset[int]:
        """Return the numbers that are left out, also of sources that are only read if asked."""
        if not self.leaves_out_private:
            return self.left_out
        private = private_sources(conversation, with_read=with_read)
        return self.left_out | {source.number for source in private}

    def require_decision(self, conversation: Conversation) -> None:
        """Refuse to write an answer if nothing was said of its private passages.

        Raises:
            ValueError: the user has not said what is to become of private passages.
        """
        private = () if self.leaves_out_private else private_sources(conversation)
        unsaid = [source for source in private if source.number not in self.left_out]
        if unsaid and not self.includes_private:
            listed = "\n".join(f"  [{source.number}] {title_line(source, EN)}" for source in unsaid)
            raise ValueError(
                f"the file would contain private passages:\n{listed}\n"
                "Add --private to include them, --leave-out NUMBER or --leave-out private to leave them out."
            )


def picture_look(arguments: argparse.Namespace) -> PictureLook:
    """Return the look of the picture that a subcommand with `--format` writes.

    Raises:
        ValueError: it is for another format, or the width is out of bounds.
    """
    width = WIDTH if arguments.width is None else arguments.width
    if arguments.format != "png" and (arguments.dark or arguments.width is not None):
        raise WrongArguments("--dark and --width are for --format png")
    if not LEAST_WIDTH <= width <= MOST_WIDTH:
        raise WrongArguments(f"--width is from {LEAST_WIDTH} to {MOST_WIDTH}")
    return PictureLook(arguments.dark, width)


def print_file(
    conversation: Conversation,
    kind: str,
    *,
    has_appendix: bool = False,
    page: PageChoice = PageChoice(),
    look: PictureLook = _LOOK,
) -> None:
    """Print a conversation in the `--format` called `kind`, optionally with the findings of a research.

    Of private sources, a Word document has the passages only if `page` says so.

    Raises:
        ValueError: the format is binary, and stdout is a terminal; or private passages need a decision.
    """
    if kind in _BINARY and sys.stdout.isatty():
        raise ValueError(f"{_BINARY[kind]} is no text: write it to a file with > answer.{kind}")
    if has_appendix:
        conversation = with_findings(conversation, EN)
    if kind in _HANDED_ON:
        page.require_decision(conversation)
    if kind == "page":
        data = shared_page_of(conversation, EN, page.left_out_of(conversation))
    elif kind == "png":
        picture = picture_of(leave_out(conversation, page.left_out_of(conversation), EN), EN, look)
        if picture.height > COMMON_LIMIT:
            tell(
                f"The picture is {picture.height} pixels high; some programs open only {COMMON_LIMIT}. "
                "--format page has no such limit."
            )
        data = picture.data
    elif kind == "docx":
        quoted = conversation if page.includes_private else without_passages(conversation)
        kept = leave_out(quoted, page.left_out_of(quoted, with_read=True), EN)
        data = export_conversation(kept, Format.WORD, EN)
    elif kind == "sources":
        data = f"{format_source_list(list_used_sources(conversation), ListFormat.PLAIN, EN)}\n".encode()
    else:
        data = export_conversation(conversation, _FILES[kind], EN)
    if sys.stdout.isatty():
        print_piece(data.decode())
        return
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def picture_of(conversation: Conversation, labels: Labels, look: PictureLook) -> DrawnPicture:
    """Return a conversation as a picture; its page is printed in a process of its own, as only the window knows Qt.

    Raises:
        ValueError: it cannot be laid out, or is too long.
    """
    from desktop.render.export.picture_drawing import draw_picture  # noqa: PLC0415 - it loads NumPy

    html = picture_page_of(conversation, labels, look)
    command = module_command("desktop.app.page_printer", str(look.width))
    try:
        done = subprocess.run(
            command, input=html, env=own_environment(), capture_output=True, timeout=_PRINT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ValueError("the picture took too long to lay out: use --format html instead") from error
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise ValueError(
            f"the picture could not be laid out ({lines[-1] if lines else done.returncode}): use --format html instead"
        )
    try:
        steps = list(draw_picture(done.stdout, look))
    except PictureTooLong as error:
        raise ValueError(
            f"a picture is at most {MOST_HEIGHT} pixels high: use --format html instead"
        ) from error
    picture = steps[-1]
    assert isinstance(picture, DrawnPicture)
    return picture
