"""Builds the site (mkdocs.yml) from docs/, and what the site has beside it; none of that is committed.

The options of the command line are written from the argument parser, the settings from the pages of the settings window and
the settings model, so that both use the words of the program. ARCHITECTURE.md and its neighbours become pages too.

    python scripts/site_pages.py [FOLDER]    builds the site into FOLDER, else into site/
"""

import argparse
import ast
import inspect
import itertools
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from desktop.cli.parser import build_parser
from desktop.settings import model
from desktop.settings.model import Settings

# Qt reads the environment when it is loaded, and the settings window is only read for one page.
# ruff: noqa: PLC0415

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "build" / "site"
"""Where the pages are put together for MkDocs."""
NEIGHBOURS = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""Pages of the project's folder that are pages of the site too."""
COMMANDS = "<!-- the options of all subcommands -->"
SETTINGS = "<!-- all settings -->"
"""Where pages get what is generated."""
_LINK = re.compile(r"\]\(([^)\s#:]+)(#[^)\s]*)?\)")


def on_config(config: Any) -> Any:
    """List in the navigation, for developers, the pages that are named nowhere in mkdocs.yml, and all decisions.

    MkDocs calls this as its hook.
    """
    docs = ROOT / "docs"
    named = set(re.findall(r"[\w/.-]+\.md", str(config.nav)))
    pages = sorted(each.name for each in docs.glob("*.md") if each.suffixes == [".md"])
    decisions = [f"decisions/{each.name}" for each in sorted((docs / "decisions").glob("*.md"))]
    developers = config.nav[-1]["For developers"]
    if not any("Decisions" in each for each in developers if isinstance(each, dict)):
        developers += [*(name for name in pages if name not in named), {"Decisions": decisions}]
    return config


def write_pages(folder: Path) -> None:
    """Write all pages of the site as Markdown, with their pictures, into a folder that is emptied before."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    for name in NEIGHBOURS:
        shutil.copyfile(ROOT / name, folder / name)
    for page in folder.rglob("*.md"):
        name = page.relative_to(folder).as_posix()
        text = page.read_text("utf-8")
        if COMMANDS in text:
            text = text.replace(COMMANDS, render_commands())
        if SETTINGS in text:
            text = text.replace(SETTINGS, render_settings("zh_CN" if page.suffixes[0] == ".zh" else "en"))
        page.write_text(
            _LINK.sub(lambda match, at=name: f"]({site_target(at, match[1])}{match[2] or ''})", text), "utf-8"
        )


def site_target(page: str, target: str) -> str:
    """Return the target of a link as the site has it; `page` is the place of the page in the site."""
    beside = ROOT if page in NEIGHBOURS else (ROOT / "docs" / page).parent
    path = Path(os.path.normpath(beside / target))
    if path == ROOT / "README.md":
        place = "index.md"
    elif path == ROOT / "docs" / "decisions":
        place = min(path.glob("*.md")).relative_to(ROOT / "docs").as_posix()
    elif path.is_relative_to(ROOT / "docs"):
        place = path.relative_to(ROOT / "docs").as_posix()
    elif path.parent == ROOT and path.name in NEIGHBOURS:
        place = path.name
    else:
        return target
    return os.path.relpath(place, Path(page).parent)


def find_foreign(html: str) -> list[str]:
    """Return the addresses of other machines that a page of the site loads something from."""
    tags = re.findall(r"<(?:script|link|img|iframe|source|video)\b[^>]*>", html)
    loading = (each for each in tags if not re.search(r'rel="?(?:canonical|alternate|next|prev)', each))
    return [
        address for tag in loading for address in re.findall(r'(?:src|href)="?((?:https?:)?//[^"\s>]+)', tag)
    ]


def main() -> int:
    """Build the site; return 1 where a link is broken or a page would load something from elsewhere."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "site")
    folder = parser.parse_args().folder.resolve()
    write_pages(SOURCE)
    built = subprocess.run(
        (sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)),
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "DISABLE_MKDOCS_2_WARNING": "true"},
        check=False,
    )
    if built.returncode:
        return built.returncode
    foreign = {
        page: found
        for page in sorted(folder.rglob("*.html"))
        if (found := find_foreign(page.read_text("utf-8")))
    }
    for page, found in foreign.items():
        print(f"{page.relative_to(folder)} loads {', '.join(found)}", file=sys.stderr)
    print(f"{folder}: {len(list(folder.rglob('*.html')))} pages")
    return 1 if foreign else 0


# The command line


def render_commands() -> str:
    """Return the options of the program and of all subcommands as Markdown."""
    parser = build_parser()
    parts = ["## footnote", "", _usage(parser), "", *_option_table(parser), ""]
    for name, words, each in walk_subcommands(parser, "footnote"):
        parts += [f"## {name}", "", f"{_sentence(words)}", "", _usage(each), "", *_option_table(each), ""]
    return "\n".join(parts)


def actions_of(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """Return the options, arguments and subcommands of a parser."""
    return parser._actions  # noqa: SLF001 - argparse has no other list of them


def walk_subcommands(
    parser: argparse.ArgumentParser, name: str
) -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    """Yield each subcommand that does something, with its help and its parser."""
    for action in actions_of(parser):
        if action.nargs == argparse.PARSER:
            helps = {each.dest: each.help or "" for each in action._choices_actions}  # noqa: SLF001 - the only list
            for word, each in action.choices.items():
                deeper = list(walk_subcommands(each, f"{name} {word}"))
                yield from deeper or [(f"{name} {word}", helps.get(word, ""), each)]


def _usage(parser: argparse.ArgumentParser) -> str:
    formatter = argparse.HelpFormatter(parser.prog, width=100)
    formatter.add_usage(parser.usage, actions_of(parser), (), prefix="")
    return f"```\n{formatter.format_help().strip()}\n```"


def _option_table(parser: argparse.ArgumentParser) -> list[str]:
    rows = [
        f"| {_option_name(each)} | {_cell(each.help or '')} |"
        for each in actions_of(parser)
        if each.dest != "help" and each.nargs != argparse.PARSER
    ]
    return ["| option | meaning |", "| - | - |", *rows] if rows else []


def _option_name(action: argparse.Action) -> str:
    value = action.metavar or ("|".join(action.choices) if action.choices else action.dest.upper())
    value = value[0] if isinstance(value, tuple) else value
    if not action.option_strings:
        shown = action.metavar or action.dest
        return f"`{_cell(str(shown))}`"
    takes_value = action.nargs != 0
    return f"`{', '.join(action.option_strings)}{f' {_cell(value)}' if takes_value else ''}`"


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."


def _cell(text: str) -> str:
    return _prose(text).replace("|", "\\|")


def _prose(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return " ".join(text.split()).replace("<", "&lt;").replace("*", "\\*")


# The settings

_WORDS = {
    "en": {
        "head": "| setting | default | meaning | in `settings.json` |",
        "others": "Stored without a row of its own",
        "others_intro": "What dialogs, lists and menus of the window store.",
        "others_head": "| in `settings.json` | default | meaning |",
        "on": "on",
        "off": "off",
        "empty": "empty",
        "none": "none",
    },
    "zh_CN": {
        "head": "| 设置 | 默认值 | 含义 | `settings.json` 中的名称 |",
        "others": "没有单独一行的设置",
        "others_intro": "由窗口中的对话框、列表和菜单保存。含义为英文。",
        "others_head": "| `settings.json` 中的名称 | 默认值 | 含义（英文） |",
        "on": "开",
        "off": "关",
        "empty": "空",
        "none": "无",
    },
}


@dataclass(frozen=True)
class ReadRecord:
    """Settings that note which of their fields are read, by their names in the file."""

    value: Any
    prefix: str
    read: list[str]

    def __getattr__(self, name: str) -> Any:
        """Return a field, or a record of a section."""
        value, path = getattr(self.value, name), f"{self.prefix}{name}"
        if is_dataclass(value):
            return ReadRecord(value, f"{path}.", self.read)
        self.read.append(path)
        return value


def render_settings(language: str) -> str:
    """Return all settings, as Markdown in a language of the window."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QObject
    from PySide6.QtWidgets import QApplication

    from desktop.ui.i18n import Translations
    from desktop.ui.settings.dialog import PAGES

    application = cast("QApplication", QApplication.instance() or QApplication(["footnote"]))
    translations = Translations(application, QObject(application))
    translations.use(language)
    words = _WORDS[language]
    parts: list[str] = []
    described: set[str] = set()
    try:
        for page in PAGES:
            parts += [f"## {page.title()}", "", *_page_parts(page.rows(_context()), words, described)]
    finally:
        translations.use("en")
    parts += [f"## {words['others']}", "", words["others_intro"], "", words["others_head"], "| - | - | - |"]
    parts += [
        f"| `{name}` | {_default(value, words)} | {_cell(meaning)} |"
        for name, value, meaning in model_fields()
        if name not in described
    ]
    return "\n".join((*parts, ""))


def _context() -> Any:
    """Return what the rows of the pages ask for before they are built: an installation in which nothing is set up."""
    from desktop.providers.presets import PRESETS

    preferences = SimpleNamespace(keyring_problem="", presets=PRESETS)
    catalogue = SimpleNamespace(models=(), engines=())
    return SimpleNamespace(
        conversation="",
        engine=SimpleNamespace(
            updates=SimpleNamespace(
                address="",
                program=SimpleNamespace(
                    form="run as an AppImage",
                    is_portable=False,
                    installation=SimpleNamespace(tree=Path("/")),
                ),
            )
        ),
        preferences=preferences,
        catalogue=catalogue,
        store=SimpleNamespace(settings=Settings()),
    )


def _page_parts(rows: Sequence[Any], words: dict[str, str], described: set[str]) -> Iterator[str]:
    """Yield the lines of a page; the names of the fields that it shows are added to `described`."""
    from desktop.ui.settings.rows import HeadingRow, Panel, Paragraph, bind

    is_table, heading = False, ""
    for row in rows:
        if isinstance(row, HeadingRow | Paragraph):
            yield from ("",) if is_table else ()
            heading = row.text
            yield from (f"### {row.text}", "") if isinstance(row, HeadingRow) else (_prose(row.text), "")
            yield from (_prose(row.help), "") if isinstance(row, HeadingRow) and row.help else ()
            is_table = False
            continue
        if isinstance(row, Panel) and (not row.words or row.words[0] == heading):
            continue
        if not is_table:
            yield from (words["head"], "| - | - | - | - |")
            is_table = True
        if isinstance(row, Panel):
            yield f"| {_cell(row.words[0])} | | | |"
            continue
        read: list[str] = []
        value = bind(row.value).read(ReadRecord(Settings(), "", read))
        names = tuple(dict.fromkeys(read))
        described.update(names)
        shown = _row_default(row, value, words)
        yield f"| {_cell(row.label)} | {shown} | {_cell(row.help)} | {' '.join(f'`{each}`' for each in names)} |"
    yield ""


def _row_default(row: Any, value: object, words: dict[str, str]) -> str:
    """Return what a row shows in a fresh installation."""
    options = dict(getattr(row, "options", ()))
    if value in options:
        return _cell(options[value])
    if getattr(row, "least", "") and value == row.bounds[0]:
        return _cell(row.least)
    return f"{_default(value, words)}{getattr(row, 'suffix', '')}"


def _default(value: object, words: dict[str, str]) -> str:
    """Return a value for a reader."""
    if isinstance(value, bool):
        return words["on" if value else "off"]
    if value is None or value == ():
        return words["none"]
    if isinstance(value, tuple):
        return ", ".join(_default(each, words) for each in value)
    return _cell(str(value)) if value != "" else words["empty"]


def model_fields(kind: type = Settings, prefix: str = "") -> Iterator[tuple[str, object, str]]:
    """Yield the name, the default and the meaning of every field of the settings."""
    meanings = field_meanings(kind)
    defaults = kind()
    for each in fields(kind):
        value = getattr(defaults, each.name)
        if is_dataclass(value):
            yield from model_fields(type(value), f"{prefix}{each.name}.")
        else:
            yield f"{prefix}{each.name}", value, meanings.get(each.name, "")


def field_meanings(kind: type) -> dict[str, str]:
    """Return the texts that stand below the fields of a class of the settings model."""
    tree = ast.parse(inspect.getsource(model))
    body = next(
        node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == kind.__name__
    )
    return {
        before.target.id: str(after.value.value)
        for before, after in itertools.pairwise(body)
        if isinstance(before, ast.AnnAssign)
        and isinstance(before.target, ast.Name)
        and isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
    }


if __name__ == "__main__":
    sys.exit(main())
