"""The arguments of `footnote`, with one small function per subcommand."""

import argparse
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from desktop import __version__
from desktop.cli.kb_parser import add_actions, positive, required_text, whole_number
from desktop.domain.procedures import Depth
from desktop.domain.search import WEB_AUTO, WEB_OFF
from desktop.domain.serving import ServedTool
from desktop.domain.topics import BUDGET_TOKENS, Interval
from desktop.text.launch_links import FORMS, is_launch_link, parse_launch_link

_EPILOG = """Without a subcommand the window opens.
Keys may come from OPENAI_API_KEY, ANTHROPIC_API_KEY and TAVILY_API_KEY; servers from OPENAI_BASE_URL
and ANTHROPIC_BASE_URL; the data folder from FOOTNOTE_DATA_DIR."""

_TOPIC = "id or question of a topic, or how one of them begins"


def build_parser() -> argparse.ArgumentParser:
    """Return the parser; `command` is None for the window."""
    parser = argparse.ArgumentParser(
        prog="footnote",
        description="Ask questions and get answers that cite their sources.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"footnote {__version__}")
    parser.add_argument("--data-dir", type=Path, help="folder for chats and knowledge bases")
    parser.add_argument("--quick", action="store_true", help="open the quick window, for a desktop shortcut")
    parser.add_argument("--hidden", action="store_true", help="start hidden in the system tray, if available")
    commands = parser.add_subparsers(dest="command", title="subcommands")
    common = _common()
    exporting = _common(
        ("markdown", "html", "page", "docx", "png", "bibtex", "sources"),
        "print the answer and its sources in this format. page: HTML to share. "
        "bibtex, sources: the sources alone",
    )
    reporting = _common(
        ("html", "docx", "markdown"),
        "print a report in this format: html is one page whose marks show the passages",
    )
    _add_open(commands.add_parser("open", help="open the window with files or a question"))
    _add_ask(commands.add_parser("ask", parents=[exporting], help="ask a question"))
    _add_search(commands.add_parser("search", parents=[common], help="search the web"))
    _add_read(
        commands.add_parser(
            "read", parents=[exporting], help="extract the text of a page, or summarize a document"
        )
    )
    _add_check(
        commands.add_parser(
            "check",
            parents=[reporting],
            help="check a text, claims against their sources, or where sources disagree",
        )
    )
    _add_watch(
        commands.add_parser("watch", help="look up questions on a schedule, and tell what is new"), common
    )
    _add_write(commands.add_parser("write", parents=[exporting], help="write a text from knowledge bases"))
    add_actions(commands.add_parser("kb", help="manage and search knowledge bases"), common)
    _add_models(commands.add_parser("models", help="manage language models on this computer"), common)
    _add_memory(commands.add_parser("memory", help="manage memories"), common)
    _add_history(commands.add_parser("history", parents=[common], help="search all chats"))
    _add_pages(
        commands.add_parser(
            "pages", parents=[common], help="cited web pages of a chat, and what changed since"
        )
    )
    _add_backup(commands.add_parser("backup", help="back up and restore chats and memories"), common)
    _add_transfer(commands.add_parser("transfer", help="export and import chats and knowledge bases"), common)
    browser = commands.add_parser(
        "browser", parents=[common], help="show or install the browser for web search"
    )
    browser.add_argument(
        "action", nargs="?", default="show", choices=("show", "install"), help="install: download a browser"
    )
    _add_render(commands.add_parser("render", parents=[exporting], help="convert Markdown to HTML"))
    commands.add_parser("tools", parents=[common], help="list tool servers and their tools")
    _add_mcp(commands.add_parser("mcp", parents=[common], help="serve other programs as a tool server (MCP)"))
    update = commands.add_parser("update", parents=[common], help="check for a new version")
    update.add_argument("--news", action="store_true", help="show what’s new in this version")
    commands.add_parser("doctor", parents=[common], help="check the installation and settings")
    return parser


def _common(formats: Sequence[str] = (), format_help: str = "") -> argparse.ArgumentParser:
    """Return the options of all subcommands, with `--format` for those that print in one of `formats`."""
    common = argparse.ArgumentParser(add_help=False)
    output = common.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print one JSON document on stdout")
    if formats:
        output.add_argument("--format", choices=formats, help=format_help)
    common.add_argument("--verbose", action="store_true", help="write a log to stderr")
    # SUPPRESS: the option may come before or after the subcommand, and the given one counts.
    common.add_argument(
        "--data-dir", type=Path, default=argparse.SUPPRESS, help="folder for chats and knowledge bases"
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
    add.add_argument("file", type=Path, metavar="FILE", help="GGUF file of a model")


def _add_open(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files",
        nargs="*",
        type=file_or_link,
        metavar="FILE|LINK",
        help="a file to attach, or a footnote:// link",
    )
    parser.add_argument("--question", metavar="TEXT", default="", help="text for the message field")
    parser.add_argument(
        "--data-dir", type=Path, default=argparse.SUPPRESS, help="folder for chats and knowledge bases"
    )


def file_or_link(text: str) -> str:
    """Return the name of a file, or a link that can be followed."""
    if is_launch_link(text):
        try:
            parse_launch_link(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(FORMS) from error
    return text


def number_or_private(text: str) -> int | str:
    """Return the number of a source, or `private` for all private ones."""
    if text == "private":
        return text
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError("it has to be the number of a source, or “private”")
    return int(text)


def _add_many(parser: argparse.ArgumentParser, name: str, words: str, **options: Any) -> None:
    """Add an option that may be repeated."""
    parser.add_argument(name, action="append", default=[], help=words, **options)


def _add_model(parser: argparse.ArgumentParser, when: str = "") -> None:
    parser.add_argument("--model", metavar="ID", default="", help=f"{when}quotes or provider/model")


def _add_batch(parser: argparse.ArgumentParser, keys: str) -> None:
    parser.add_argument(
        "--batch",
        type=Path,
        metavar="FILE.jsonl",
        help=f"read one JSON request per line ({keys}, any id). Print one JSON response per line",
    )


def _add_ask(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("question", nargs="?", default="", help="your question")
    _add_many(
        parser,
        "--model",
        "quotes or provider/model; repeat to compare models; default: the model in Settings",
        metavar="ID",
    )
    parser.add_argument(
        "--assistant",
        metavar="NAME",
        default="",
        help="assistant to use, such as researcher",
    )
    parser.add_argument("--web", metavar="off|auto|ENGINE", help="web search mode")
    _add_many(
        parser, "--kb", "search a knowledge base: NAME, NAME#tag or NAME/file (repeatable)", metavar="NAME"
    )
    _add_many(parser, "--query", "search query to use (repeatable)", metavar="TEXT")
    _add_many(parser, "--file", "file to attach (repeatable)", metavar="PATH", type=Path)
    parser.add_argument(
        "--research",
        choices=[depth.value for depth in Depth],
        help="search in several rounds before answering",
    )
    parser.add_argument("--plan", action="store_true", help="review the research plan before searching")
    parser.add_argument("--findings", action="store_true", help="with --format: append the research findings")
    parser.add_argument("--no-memory", action="store_true", help="do not use memories")
    _add_only_here(parser)
    parser.add_argument("--check", action="store_true", help="check the citations of the answer")
    _add_format_options(parser)
    _add_batch(parser, '"question", "sources": [{"title", "text"}], with --model quotes')


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", nargs="?", default="", help="search words")
    parser.add_argument("--engine", metavar="NAME", default="", help="search engine to use first")
    parser.add_argument(
        "--count", type=positive, default=10, metavar="N", help="maximum number of results (10)"
    )
    parser.add_argument("--from-file", type=Path, metavar="PAGE.html", help="parse a saved result page")
    parser.add_argument("--read", action="store_true", help="also read the pages found")
    parser.add_argument(
        "--show-captcha",
        action="store_true",
        help="if every engine is blocked, open the captcha page in a window and continue",
    )
    _add_batch(parser, '"engine", "file"')


def _add_read(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", nargs="?", metavar="URL|FILE", default="", help="web page or document")
    parser.add_argument(
        "--for-me",
        action="store_true",
        help="summarize a long document: outline, key points and claims, with page numbers",
    )
    parser.add_argument("--question", metavar="TEXT", default="", help="with --for-me: your question")
    parser.add_argument(
        "--kb", metavar="NAME", default="", help="with --for-me: the knowledge base with the file"
    )
    _add_model(parser, "with --for-me: ")
    _add_only_here(parser)
    _add_format_options(parser)
    _add_batch(parser, '"file", "url"')


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "target",
        nargs="?",
        metavar="FILE|URL|-",
        default="",
        help="text to check: a file, a web page, or - for Markdown on stdin",
    )
    _add_many(
        parser,
        "--kb",
        "knowledge base to check it against: NAME, NAME#tag or NAME/file (repeatable)",
        metavar="NAME",
    )
    parser.add_argument(
        "--web", metavar="off|auto|ENGINE", default=WEB_OFF, help="also search the web for its claims (off)"
    )
    _add_many(
        parser,
        "--leave-out",
        "with --format html or docx: leave out a source, or all private ones (repeatable)",
        metavar="NUMBER|private",
        type=number_or_private,
    )
    _add_only_here(parser)
    parser.add_argument(
        "--disagreements",
        action="store_true",
        help='find where sources disagree; lines have "question" instead of "claim"',
    )
    _add_batch(parser, '"claim", "sources": a list of {"title", "text"}')


def _add_watch(parser: argparse.ArgumentParser, common: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    def action(name: str, words: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, parents=[common], help=words, description=words)

    adding = action("add", "watch a question from now on")
    adding.add_argument("question", type=required_text, help="what to look up")
    _add_topic_limits(adding, every=Interval.DAILY.value, budget=BUDGET_TOKENS)
    adding.add_argument("--web", metavar="off|auto|ENGINE", default=WEB_AUTO, help="web search mode (auto)")
    _add_many(adding, "--kb", "search a knowledge base (repeatable)", metavar="NAME")
    _add_model(adding)
    adding.add_argument(
        "--research",
        choices=[depth.value for depth in Depth],
        help="search in several rounds at each run",
    )
    _add_only_here(adding)
    action("list", "list watched topics")
    changing = action("change", "change how often a topic is looked up, or its budget")
    changing.add_argument("topic", metavar="TOPIC", help=_TOPIC)
    _add_topic_limits(changing)
    running = action("run", "look up all topics that are due, for example from cron, or one now")
    running.add_argument("topic", nargs="?", metavar="TOPIC", default="", help=_TOPIC)
    for name, words in (
        ("pause", "stop looking up a topic for now"),
        ("resume", "look up a paused topic again"),
        ("remove", "stop watching a topic; its chats are kept"),
        ("history", "show what all runs of a topic found"),
    ):
        action(name, words).add_argument("topic", metavar="TOPIC", help=_TOPIC)
    exporting = action("export", "print what was found as a feed or as Markdown")
    exporting.add_argument("topic", nargs="?", metavar="TOPIC", default="", help=f"{_TOPIC}; default: all")
    exporting.add_argument(
        "--format", choices=("atom", "markdown"), default="atom", help="atom (default) or markdown"
    )
    exporting.add_argument(
        "--with-private",
        action="store_true",
        help="include titles and passages of your files, memories and knowledge bases",
    )


def _add_topic_limits(
    parser: argparse.ArgumentParser, every: str | None = None, budget: int | None = None
) -> None:
    """Add how often a topic is looked up and its budget; without defaults both stay as they were."""
    intervals = [interval.value for interval in Interval]
    parser.add_argument(
        "--every",
        choices=intervals,
        default=every,
        help=f"how often it is looked up ({every or 'as before'})",
    )
    usual = "as before" if budget is None else budget
    parser.add_argument(
        "--budget",
        metavar="TOKENS",
        type=whole_number,
        default=budget,
        help=f"maximum tokens of the model in a month ({usual}); 0: no limit",
    )


def _add_write(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", type=required_text, help="topic of the text")
    _add_many(parser, "--kb", "knowledge base to write from (repeatable)", metavar="NAME")
    _add_many(parser, "--file", "file to write from (repeatable)", metavar="PATH", type=Path)
    _add_model(parser)
    parser.add_argument("--plan", action="store_true", help="review the outline before writing")
    _add_only_here(parser)
    _add_format_options(parser)


def _add_history(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "words",
        nargs="+",
        help="words to search; use double quotes for an exact phrase",
    )
    parser.add_argument("--by", choices=("me", "model"), help="author of the message")
    parser.add_argument("--assistant", metavar="ID", help="only chats with this assistant")
    parser.add_argument(
        "--since", type=date.fromisoformat, metavar="DATE", help="first day, such as 2026-01-31"
    )
    parser.add_argument("--until", type=date.fromisoformat, metavar="DATE", help="last day, inclusive")
    parser.add_argument(
        "--limit", type=positive, default=30, metavar="N", help="maximum number of results (30)"
    )


def _add_pages(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("chat", metavar="CHAT", help="id or title of a chat")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true", help="read the pages again, and show what changed")
    action.add_argument("--text", type=positive, metavar="N", help="print the saved text of source N")
    action.add_argument("--save", type=positive, metavar="N", help="save the page of source N as it was sent")
    parser.add_argument("--to", type=Path, metavar="FILE", help="with --save: the file to write")


def _add_memory(parser: argparse.ArgumentParser, common: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True)

    def action(name: str, words: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, parents=[common], help=words)

    action("list", "list memories, all or those matching words").add_argument(
        "words", nargs="?", default="", help="words to match"
    )
    adding = action("add", "add a memory")
    adding.add_argument("text", help="text of the memory, up to 500 characters")
    adding.add_argument("--assistant", metavar="ID", default="", help="use only with this assistant")
    action("remove", "delete a memory").add_argument(
        "memory", metavar="ID|TEXT", help="id or text of the memory"
    )
    for name, words in (
        ("export", "export all memories as JSON lines"),
        ("import", "import memories from JSON lines"),
    ):
        action(name, words).add_argument(
            "file", type=Path, metavar="FILE.jsonl", help="file with one memory per line"
        )


def _add_backup(parser: argparse.ArgumentParser, common: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True)
    for name, words in (
        ("list", "list backups"),
        ("take", "back up now"),
        ("show", "show the contents of a backup"),
        ("restore", "restore missing items from a backup"),
    ):
        action = actions.add_parser(name, parents=[common], help=words)
        action.add_argument(
            "--place", metavar="NAME", default="", help="backup location; default: this computer"
        )
        if name in {"show", "restore"}:
            action.add_argument("copy", metavar="NAME|newest", help="name as shown by `list`, or newest")
        if name == "restore":
            action.add_argument(
                "--replace", action="store_true", help="replace all current data; a backup is made first"
            )


def _add_transfer(parser: argparse.ArgumentParser, common: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True)
    for name, words in (
        ("export", "export all data except API keys to a file"),
        ("show", "show the contents of an exported file"),
        ("import", "import missing items from a file"),
    ):
        action = actions.add_parser(name, parents=[common], help=words)
        action.add_argument("file", type=Path, metavar="FILE", help="path of the file")
        if name == "export":
            action.add_argument(
                "--conversation", metavar="ID", default="", help="export only this chat, as JSON"
            )
            action.add_argument("--no-bases", action="store_true", help="leave out knowledge bases")
        if name == "import":
            action.add_argument("--settings", action="store_true", help="also import the settings")


def _add_render(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE|-", help="Markdown file, or - for stdin"
    )
    parser.add_argument("--sources", type=Path, metavar="FILE.json", help="sources for the [n] citations")
    _add_format_options(parser)
    _add_batch(parser, '"markdown", "sources"')


def _add_mcp(parser: argparse.ArgumentParser) -> None:
    _add_many(
        parser,
        "--allow",
        "open a knowledge base, and the tools for knowledge bases, for this run (repeatable)",
        metavar="BASE",
    )
    _add_many(
        parser,
        "--tool",
        "open a tool for this run (repeatable); others are opened in Settings > Other programs",
        choices=("all", *ServedTool),
    )
    parser.add_argument(
        "--http", action="store_true", help="serve at an address of this computer, with a token, not on stdio"
    )
    parser.add_argument(
        "--port", type=int, metavar="N", help="with --http: port of the address, 0 for any free one (7391)"
    )
    _add_only_here(parser)


def _add_only_here(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--only-here",
        action="store_true",
        help="keep everything on this computer: no web, no tools, local models only",
    )


def _add_format_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--private",
        action="store_true",
        help="with --format page, docx or png: include the passages of files, memories and past answers",
    )
    _add_many(
        parser,
        "--leave-out",
        "with --format page, docx or png: leave out a source, or all private ones (repeatable)",
        metavar="NUMBER|private",
        type=number_or_private,
    )
    parser.add_argument(
        "--dark", action="store_true", help="with --format png: light text on a dark background"
    )
    parser.add_argument(
        "--width", type=int, metavar="PIXELS", help="with --format png: width of the page, 320 to 1600 (760)"
    )
