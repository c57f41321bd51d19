"""The arguments of `footnote`, with one small function per subcommand."""

import argparse
from collections.abc import Callable
from datetime import date
from pathlib import Path

from desktop import __version__
from desktop.domain.launch_links import FORMS, is_launch_link, parse_launch_link
from desktop.domain.procedures import Depth

_EPILOG = """Without a subcommand the window opens.
Keys may come from OPENAI_API_KEY, ANTHROPIC_API_KEY and TAVILY_API_KEY; servers from OPENAI_BASE_URL
and ANTHROPIC_BASE_URL; the data folder from FOOTNOTE_DATA_DIR."""

_Action = Callable[[str, str], argparse.ArgumentParser]

_BASE = "a base by its name"
_ITEM = "an item by its name, its path or address, or its id"


def build_parser() -> argparse.ArgumentParser:
    """Return the parser; `command` is None for the window."""
    parser = argparse.ArgumentParser(
        prog="footnote",
        description="Answers that carry their sources.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"footnote {__version__}")
    parser.add_argument("--data-dir", type=Path, help="where conversations and knowledge are kept")
    parser.add_argument(
        "--quick", action="store_true", help="open the quick window; for a key that the desktop binds to it"
    )
    parser.add_argument(
        "--hidden", action="store_true", help="start without showing the window, where there is a tray"
    )
    commands = parser.add_subparsers(dest="command", title="subcommands")
    common = _common()
    _add_open(commands.add_parser("open", help="open the window with files, or with a question to look over"))
    _add_ask(commands.add_parser("ask", parents=[common], help="ask a question"))
    _add_search(commands.add_parser("search", parents=[common], help="search the web"))
    _add_read(
        commands.add_parser(
            "read", parents=[common], help="reduce a page to its text, or read a document for you"
        )
    )
    _add_check(
        commands.add_parser("check", parents=[common], help="compare claims with the sources that they cite")
    )
    _add_write(commands.add_parser("write", parents=[common], help="write a text from knowledge bases"))
    add_actions(commands.add_parser("kb", help="knowledge bases"), common)
    _add_models(commands.add_parser("models", help="language models of this computer"), common)
    _add_memory(commands.add_parser("memory", help="what is remembered across conversations"), common)
    _add_history(
        commands.add_parser("history", parents=[common], help="find what was said in all conversations")
    )
    _add_backup(commands.add_parser("backup", help="copies of conversations and memories"), common)
    _add_transfer(commands.add_parser("transfer", help="conversations to a file, and out of one"), common)
    browser = commands.add_parser("browser", parents=[common], help="the browser that searches the web")
    browser.add_argument(
        "action", nargs="?", default="show", choices=("show", "install"), help="install: download one"
    )
    _add_render(commands.add_parser("render", parents=[common], help="Markdown to the HTML of a message"))
    commands.add_parser("tools", parents=[common], help="the tool servers, and what they offer")
    update = commands.add_parser(
        "update", parents=[common], help="whether there is a newer version, and how to get it"
    )
    update.add_argument("--news", action="store_true", help="what is new in this version")
    commands.add_parser("doctor", parents=[common], help="what is installed, reachable and configured")
    return parser


def _common() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", action="store_true", help="print one JSON document on stdout")
    common.add_argument("--verbose", action="store_true", help="log to stderr what happens")
    # SUPPRESS: the option may come before or after the subcommand, and the given one counts.
    common.add_argument(
        "--data-dir", type=Path, default=argparse.SUPPRESS, help="where conversations and knowledge are kept"
    )
    return common


def _add_models(parser: argparse.ArgumentParser, common: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", parents=[common], help="all models: those to download, and your own files")
    for name, words in (
        ("download", "download a model; Ctrl+C pauses, and the next time it goes on"),
        ("remove", "delete a downloaded model, or take a file of yours from the list"),
    ):
        action = actions.add_parser(name, parents=[common], help=words)
        action.add_argument("model", metavar="MODEL", help="its id, as listed")
    add = actions.add_parser(
        "add", parents=[common], help="add a GGUF file of yours, which stays where it is"
    )
    add.add_argument("file", type=Path, metavar="FILE", help="a model in the format of llama.cpp")


def _add_open(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="*",
        type=file_or_link,
        metavar="FILE|LINK",
        help="a file to attach, or a footnote:// link",
    )
    parser.add_argument("--question", metavar="TEXT", default="", help="what to put into the composer")
    parser.add_argument(
        "--data-dir", type=Path, default=argparse.SUPPRESS, help="where conversations are kept"
    )


def file_or_link(text: str) -> str:
    """Return the name of a file, or a link that can be followed."""
    if is_launch_link(text):
        try:
            parse_launch_link(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(FORMS) from error
    return text


def _add_batch(parser: argparse.ArgumentParser, keys: str, *, is_required: bool = False) -> None:
    parser.add_argument(
        "--batch",
        type=Path,
        required=is_required,
        metavar="FILE.jsonl",
        help=f"one request object ({keys}, any id) a line in, one response object a line out",
    )


def _add_ask(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("question", nargs="?", default="", help="what you want to know")
    parser.add_argument(
        "--model",
        metavar="ID",
        action="append",
        default=[],
        help="quotes, or provider/model; default: as set in Settings; given several times, all of them answer",
    )
    parser.add_argument(
        "--assistant",
        metavar="NAME",
        default="",
        help="who answers, such as researcher; default: nobody in particular",
    )
    parser.add_argument("--web", metavar="off|auto|ENGINE", help="how to search the web")
    parser.add_argument(
        "--kb",
        metavar="NAME",
        action="append",
        default=[],
        help="a knowledge base to look into: NAME, NAME#tag or NAME/file",
    )
    parser.add_argument(
        "--query", metavar="TEXT", action="append", default=[], help="what to search for, once for each query"
    )
    parser.add_argument(
        "--file", metavar="PATH", type=Path, action="append", default=[], help="a file to read"
    )
    parser.add_argument(
        "--research",
        choices=[depth.value for depth in Depth],
        help="search in rounds, judging after each what is missing, and answer from what was found",
    )
    parser.add_argument(
        "--plan", action="store_true", help="show the plan of a research, to be changed and started"
    )
    parser.add_argument(
        "--findings", action="store_true", help="with --format: end with all that a research has found out"
    )
    parser.add_argument("--no-memory", action="store_true", help="use nothing that is remembered")
    _add_only_here(parser)
    parser.add_argument(
        "--check", action="store_true", help="compare the cited sentences with their sources afterwards"
    )
    _add_format(parser)
    _add_batch(parser, '"question", "sources": [{"title", "text"}], with --model quotes')


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="?", default="", help="what to search for")
    parser.add_argument("--engine", metavar="NAME", default="", help="the engine that is asked first")
    parser.add_argument(
        "--count", type=positive, default=10, metavar="N", help="at most so many results (10)"
    )
    parser.add_argument("--from-file", type=Path, metavar="PAGE.html", help="parse a saved result page")
    parser.add_argument("--read", action="store_true", help="read the pages found as well")
    parser.add_argument(
        "--show-captcha",
        action="store_true",
        help="when every engine is blocked, show the page that asks for a person in a window, and go on",
    )
    _add_batch(parser, '"engine", "file"')


def _add_read(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", nargs="?", metavar="URL|FILE", default="", help="a page or a document")
    parser.add_argument(
        "--for-me",
        action="store_true",
        help="read a long document part by part: its outline, key points, what is new, what is claimed, "
        "with what evidence, all with pages",
    )
    parser.add_argument("--question", metavar="TEXT", default="", help="with --for-me: what you want to know")
    parser.add_argument(
        "--kb", metavar="NAME", default="", help="with --for-me: the base that holds the file"
    )
    parser.add_argument("--model", metavar="ID", default="", help="with --for-me: quotes, or provider/model")
    _add_only_here(parser)
    _add_format(parser)
    _add_batch(parser, '"file", "url"')


def _add_check(parser: argparse.ArgumentParser) -> None:
    _add_batch(parser, '"claim", "sources": a list of {"title", "text"}', is_required=True)


def _add_write(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", help="what the text is about")
    parser.add_argument(
        "--kb", metavar="NAME", action="append", default=[], help="a knowledge base to write from"
    )
    parser.add_argument(
        "--file", metavar="PATH", type=Path, action="append", default=[], help="a file to write from"
    )
    parser.add_argument("--model", metavar="ID", default="", help="quotes, or provider/model")
    parser.add_argument("--plan", action="store_true", help="show the outline, to be changed and started")
    _add_only_here(parser)
    _add_format(parser)


def _add_history(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words",
        nargs="+",
        help="the last may be half typed; a phrase in double quotes is found letter by letter",
    )
    parser.add_argument("--by", choices=("me", "model"), help="who said it")
    parser.add_argument("--assistant", metavar="ID", help="only conversations with this assistant")
    parser.add_argument("--since", type=date.fromisoformat, metavar="DATE", help="as 2026-01-31")
    parser.add_argument("--until", type=date.fromisoformat, metavar="DATE", help="that day included")
    parser.add_argument("--limit", type=positive, default=30, metavar="N", help="at most so many (30)")


def _add_memory(parser: argparse.ArgumentParser, common: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True)

    def action(name: str, words: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, parents=[common], help=words)

    action("list", "all memories, or those that bear on some words").add_argument(
        "words", nargs="?", default="", help="what they bear on; without it all"
    )
    adding = action("add", "remember a fact")
    adding.add_argument("text", help="the fact, at most 500 characters")
    adding.add_argument("--assistant", metavar="ID", default="", help="the only assistant that it is for")
    action("remove", "forget a fact").add_argument("memory", metavar="ID|TEXT", help="its id, or its text")
    for name, words in (
        ("export", "write all memories as JSON lines"),
        ("import", "take memories from such a file"),
    ):
        action(name, words).add_argument("file", type=Path, metavar="FILE.jsonl", help="one fact a line")


def _add_backup(parser: argparse.ArgumentParser, common: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True)
    for name, words in (
        ("list", "all copies at a place"),
        ("take", "make a copy now"),
        ("show", "what is in a copy"),
        ("restore", "bring back what is missing here"),
    ):
        action = actions.add_parser(name, parents=[common], help=words)
        action.add_argument("--place", metavar="NAME", default="", help="a destination; else this computer")
        if name in {"show", "restore"}:
            action.add_argument("copy", metavar="NAME|newest", help="as `list` names it, or the newest")
        if name == "restore":
            action.add_argument(
                "--replace", action="store_true", help="make everything what it was; a copy is made before"
            )


def _add_transfer(parser: argparse.ArgumentParser, common: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True)
    for name, words in (
        ("export", "write everything but keys into one file"),
        ("show", "what is in a file of Footnote or of another program"),
        ("import", "take in what is not here"),
    ):
        action = actions.add_parser(name, parents=[common], help=words)
        action.add_argument("file", type=Path, metavar="FILE", help="the file")
        if name == "export":
            action.add_argument("--conversation", metavar="ID", default="", help="only this one, as JSON")
            action.add_argument("--no-bases", action="store_true", help="without knowledge bases")
        if name == "import":
            action.add_argument("--settings", action="store_true", help="use the settings in it")


def _add_render(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE|-", help="a Markdown file; -: what comes in on stdin"
    )
    parser.add_argument(
        "--sources", type=Path, metavar="FILE.json", help="the sources that [n] marks may name"
    )
    _add_format(parser)
    _add_batch(parser, '"markdown", "sources"')


def _add_only_here(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--only-here",
        action="store_true",
        help="let nothing leave this machine: no search, no page, no tool server, no model elsewhere",
    )


def _add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        choices=("markdown", "html", "docx", "bibtex", "sources"),
        help="print the answer with its sources as a file: Markdown with footnotes, a web page, a Word document; "
        "or its sources alone, as BibTeX or as plain text",
    )


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


def _add_bases(action: _Action) -> None:
    action("list", "all bases, or the items of one").add_argument("base", nargs="?", default="", help=_BASE)
    action("status", "what a base holds, how it is set up, what failed").add_argument("base", help=_BASE)
    creating = action("create", "make an empty base")
    creating.add_argument("base", metavar="NAME", help="its name")
    _add_options(creating)
    renaming = action("rename", "give a base another name")
    renaming.add_argument("base", help=_BASE)
    renaming.add_argument("name", help="its new name")
    _add_options(
        action("set", "change what a base does in its own way; what is not named stays as it is"), "base"
    )
    action("pause", "read and embed nothing of a base for now").add_argument("base", help=_BASE)
    action("resume", "go on with a base that was paused").add_argument("base", help=_BASE)
    removing = action("remove", "remove a base, or items of it; `restore` brings a base back")
    removing.add_argument("base", help=_BASE)
    removing.add_argument("items", nargs="*", metavar="ITEM", help=_ITEM)
    restoring = action("restore", "bring a base back that was removed")
    restoring.add_argument("base", help="its name, or the id that `remove` has printed")


def _add_options(parser: argparse.ArgumentParser, positional: str = "") -> None:
    if positional:
        parser.add_argument(positional, help=_BASE)
    parser.add_argument("--icon", metavar="EMOJI", help="shown with its name; empty for none")
    parser.add_argument(
        "--model", metavar="ID", help="embedding model (see `models`); empty: as in the settings"
    )
    parser.add_argument(
        "--passage-tokens", type=_count, metavar="N", help="longest passage; 0: as the model likes"
    )
    parser.add_argument(
        "--passage-count", type=_count, metavar="N", help="passages for a question; 0: as set"
    )
    parser.add_argument(
        "--threshold",
        metavar="0..1",
        type=_share,
        help="what a reranked passage has to reach; `default`: as in the settings",
    )
    parser.add_argument(
        "--floor",
        metavar="0..1",
        type=_share,
        help="what a passage has to reach without a reranker, as a share of the best score; "
        "0: everything that is found; `default`: as in the settings",
    )
    parser.add_argument("--place", metavar="ID", help="a Chroma server of the settings; empty: this machine")


def _add_filling(action: _Action) -> None:
    adding = action("add", "read files, folders and web links into a base, and wait")
    adding.add_argument("base", help=_BASE)
    adding.add_argument("paths", nargs="+", metavar="PATH|URL", help="a file, a folder or an address")
    noting = action("note", "write a note into a base, or other words into a note")
    noting.add_argument("base", help=_BASE)
    noting.add_argument("title", help="its first line")
    noting.add_argument("text", nargs="?", help="without it, what comes in on stdin")
    noting.add_argument("--item", metavar="NOTE", default="", help="the note that is to say this instead")


def _add_items(action: _Action) -> None:
    tagging = action("tag", "give an item these tags and no others")
    tagging.add_argument("base", help=_BASE)
    tagging.add_argument("items", nargs=1, metavar="ITEM", help=_ITEM)
    tagging.add_argument("tags", nargs="*", metavar="TAG", help="all of its tags; none: it has none")
    retrying = action("retry", "read items anew, fetching links; without any, those that failed")
    retrying.add_argument("base", help=_BASE)
    retrying.add_argument("items", nargs="*", metavar="ITEM", help=_ITEM)
    cancelling = action(
        "cancel", "take items off the list that are not searchable yet; without any, all of them"
    )
    cancelling.add_argument("base", help=_BASE)
    cancelling.add_argument("items", nargs="*", metavar="ITEM", help=_ITEM)
    showing = action("passages", "what an item was split into")
    showing.add_argument("base", help=_BASE)
    showing.add_argument("items", nargs=1, metavar="ITEM", help=_ITEM)


def _add_asking(action: _Action) -> None:
    searching = action("search", "find passages")
    searching.add_argument("base", help="a base, base#tag or base/item")
    searching.add_argument("query", nargs="?", default="", help="what to find")
    searching.add_argument(
        "--count", type=positive, default=8, metavar="N", help="at most so many passages (8)"
    )
    searching.add_argument(
        "--explain",
        action="store_true",
        help="what every stage made of all that was found, and why it was left out",
    )
    searching.add_argument(
        "--batch",
        type=Path,
        metavar="FILE.jsonl",
        help='one request object ("query", "count", any id) a line in, one response object a line out',
    )


def _add_folders(action: _Action) -> None:
    watching = action("watch", "have a base follow a folder; without one, the folders that it follows")
    watching.add_argument("base", help=_BASE)
    watching.add_argument("folder", nargs="?", type=Path, help="the folder to follow")
    leaving = action("unwatch", "follow a folder no longer; what was read of it stays")
    leaving.add_argument("base", help=_BASE)
    leaving.add_argument("folder", type=Path, help="a folder that it follows")
    action("follow", "do what is left to do, follow the folders, and print every step until Ctrl+C")


def _add_moving(action: _Action) -> None:
    exporting = action("export", "write a base with its vectors into one file")
    exporting.add_argument("base", help=_BASE)
    exporting.add_argument("file", type=Path, help="the file to write")
    action("import", "make a base of such a file").add_argument("file", type=Path, help="the file to read")
    models = action("models", "the embedding models: those there are, download one, delete it, test it")
    models.add_argument(
        "verb",
        nargs="?",
        default="list",
        choices=("list", "download", "delete", "test"),
        help="what to do (list)",
    )
    models.add_argument("model", nargs="?", default="", metavar="ID", help="the model, as `list` names it")


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"“{text}” is not a number of 0 or more")
    return int(text)


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
