"""The arguments of `footnote kb`, and types of arguments that are numbers."""

import argparse
from collections.abc import Callable
from pathlib import Path

_Action = Callable[[str, str], argparse.ArgumentParser]

_BASE = "name of a knowledge base"
_ITEM = "name, path, address or id of an item"


def add_actions(parser: argparse.ArgumentParser, common: argparse.ArgumentParser) -> None:
    """Add the actions for knowledge bases; `common` are the options of every action."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, words: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, parents=[common], help=words, description=words)

    _add_bases(action)
    _add_filling(action)
    _add_items(action)
    _add_asking(action)
    _add_folders(action)
    _add_moving(action)


def positive(text: str) -> int:
    """Return a typed number of 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"“{text}” is not a number of 1 or more")
    return int(text)


def whole_number(text: str) -> int:
    """Return a typed number of 0 or more."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"“{text}” is not a number of 0 or more")
    return int(text)


def required_text(text: str) -> str:
    """Return a typed text that is not empty."""
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty")
    return text.strip()


def _base_name(text: str) -> str:
    if not text.isprintable():
        raise argparse.ArgumentTypeError("it is no name that can be read")
    return required_text(text)


def _add_bases(action: _Action) -> None:
    action("list", "list knowledge bases, or the items of one").add_argument(
        "base", nargs="?", default="", help=_BASE
    )
    action("status", "show contents, settings and failures of a knowledge base").add_argument(
        "base", help=_BASE
    )
    creating = action("create", "create a knowledge base")
    creating.add_argument("base", metavar="NAME", type=_base_name, help="name of the knowledge base")
    _add_options(creating)
    renaming = action("rename", "rename a knowledge base")
    renaming.add_argument("base", help=_BASE)
    renaming.add_argument("name", type=_base_name, help="new name")
    _add_options(action("set", "change settings of a knowledge base"), "base")
    action("pause", "pause reading and indexing").add_argument("base", help=_BASE)
    action("resume", "resume reading and indexing").add_argument("base", help=_BASE)
    removing = action("remove", "remove a knowledge base or items of it")
    removing.add_argument("base", help=_BASE)
    removing.add_argument("items", nargs="*", metavar="ITEM", help=_ITEM)
    restoring = action("restore", "restore a removed knowledge base")
    restoring.add_argument("base", help="name, or the id printed by `remove`")


def _add_options(parser: argparse.ArgumentParser, positional: str = "") -> None:
    if positional:
        parser.add_argument(positional, help=_BASE)
    parser.add_argument("--icon", metavar="EMOJI", help="icon; empty for none")
    parser.add_argument("--model", metavar="ID", help="embedding model (see `models`); empty for the default")
    parser.add_argument(
        "--passage-tokens", type=whole_number, metavar="N", help="maximum passage length; 0 for the default"
    )
    parser.add_argument(
        "--passage-count", type=whole_number, metavar="N", help="passages per question; 0 for the default"
    )
    parser.add_argument(
        "--threshold",
        metavar="0..1",
        type=_share,
        help="minimum reranker score, or `default`",
    )
    parser.add_argument(
        "--floor",
        metavar="0..1",
        type=_share,
        help="minimum share of the best score without a reranker. 0 keeps all; or `default`",
    )
    parser.add_argument("--place", metavar="ID", help="Chroma server from Settings; empty for this computer")


def _add_filling(action: _Action) -> None:
    adding = action("add", "add files, folders and links, and wait until they are read")
    adding.add_argument("base", help=_BASE)
    adding.add_argument("paths", nargs="*", metavar="PATH|URL", help="file, folder or address")
    adding.add_argument(
        "--from-chat",
        metavar="CHAT",
        default="",
        help="add the pages and files behind the answers of this chat (id or title)",
    )
    which = adding.add_mutually_exclusive_group()
    which.add_argument(
        "--cited", action="store_true", help="with --from-chat, those that are cited (default)"
    )
    which.add_argument(
        "--read", action="store_true", help="with --from-chat, all that the answers were given"
    )
    noting = action("note", "add or edit a note")
    noting.add_argument("base", help=_BASE)
    noting.add_argument("title", help="title of the note")
    noting.add_argument("text", nargs="?", help="text; default: stdin")
    noting.add_argument("--item", metavar="NOTE", default="", help="existing note to replace")


def _add_items(action: _Action) -> None:
    tagging = action("tag", "set the tags of an item")
    tagging.add_argument("base", help=_BASE)
    tagging.add_argument("items", nargs=1, metavar="ITEM", help=_ITEM)
    tagging.add_argument("tags", nargs="*", metavar="TAG", help="tags; none to remove all")
    retrying = action("retry", "read items again; default: those that failed")
    retrying.add_argument("base", help=_BASE)
    retrying.add_argument("items", nargs="*", metavar="ITEM", help=_ITEM)
    cancelling = action("cancel", "cancel items that are not searchable yet; default: all of them")
    cancelling.add_argument("base", help=_BASE)
    cancelling.add_argument("items", nargs="*", metavar="ITEM", help=_ITEM)
    showing = action("passages", "show the passages of an item")
    showing.add_argument("base", help=_BASE)
    showing.add_argument("items", nargs=1, metavar="ITEM", help=_ITEM)


def _add_asking(action: _Action) -> None:
    searching = action("search", "search passages")
    searching.add_argument("base", help="BASE, BASE#tag or BASE/item")
    searching.add_argument("query", nargs="?", default="", help="search words")
    searching.add_argument(
        "--count", type=positive, default=8, metavar="N", help="maximum number of passages (8)"
    )
    searching.add_argument(
        "--explain",
        action="store_true",
        help="show the scores of each stage, and why passages were left out",
    )
    searching.add_argument(
        "--batch",
        type=Path,
        metavar="FILE.jsonl",
        help='read one JSON request per line ("query", "count", any id). Print one JSON response per line',
    )


def _add_folders(action: _Action) -> None:
    watching = action("watch", "watch a folder; without one, list watched folders")
    watching.add_argument("base", help=_BASE)
    watching.add_argument("folder", nargs="?", type=Path, help="folder to watch")
    leaving = action("unwatch", "stop watching a folder; its items stay")
    leaving.add_argument("base", help=_BASE)
    leaving.add_argument("folder", type=Path, help="watched folder")
    action("follow", "process the queue, watch folders and print progress until Ctrl+C")


def _add_moving(action: _Action) -> None:
    exporting = action("export", "export a knowledge base with its index to a file")
    exporting.add_argument("base", help=_BASE)
    exporting.add_argument("file", type=Path, help="file to write")
    action("import", "import a knowledge base from a file").add_argument(
        "file", type=Path, help="file to read"
    )
    models = action("models", "list, download, delete or test embedding models")
    models.add_argument(
        "verb",
        nargs="?",
        default="list",
        choices=("list", "download", "delete", "test"),
        help="action (list)",
    )
    models.add_argument("model", nargs="?", default="", metavar="ID", help="model, as shown by `list`")


def _share(text: str) -> float | str:
    if text == "default":
        return text
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"“{text}” is neither a number from 0 to 1 nor `default`")
    return share
