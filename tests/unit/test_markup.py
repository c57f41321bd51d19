"""HTML is made by `element`: the modules that write tags, escape or promise that a text is HTML are listed here."""

import ast
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tests.source_trees import parse_modules

DESKTOP = Path(__file__).parents[2] / "desktop"
MAKER = "text/html_element.py"
_TAG = re.compile(r"(?<!P)</?[a-z][a-z0-9]*(?=[\s>/]|$)")
_LIKELY = re.compile(r"</?[a-z]|\bescape\b|\bHtml\(")

ESCAPES = {
    # The Markdown of answers, whose writers are too busy for a call for each element
    "render/markdown/html_writer.py",
    "render/markdown/inline.py",
    "render/markdown/maths.py",
    "render/stream.py",
    # Tags of prompts, which are not HTML
    "chat/checking/checker.py",
    "chat/procedures/draft.py",
    "chat/procedures/context.py",
    "chat/procedures/research_prompts.py",
    "chat/procedures/summary.py",
    "chat/prompt.py",
    "chat/titles.py",
    "search/intent.py",
    # The whole text of a notification
    "services/dbus.py",
    # Changes a page that exists, before anything else is imported
    "ui/transcript/start_page.py",
}
WRITES_TAGS = {
    # Gives the headings of written Markdown an id and a link
    "render/export/printed_page.py",
    "render/markdown/html_writer.py",
    "render/markdown/inline.py",
    "render/markdown/maths.py",
    "render/stream.py",
    "chat/checking/checker.py",
    "chat/prompt.py",
    "chat/titles.py",
    "chat/tools/results.py",
    "chat/tools/text_protocol.py",
    "search/intent.py",
    "ui/transcript/start_page.py",
}
PROMISES_HTML = {
    "render/export/formats.py",  # written Markdown without what only our page understands
    "render/export/html.py",  # styles, scripts and marks in written Markdown
    "render/message.py",  # what the writer of Markdown made
    "render/page/article.py",  # buttons with a changed attribute
    "render/export/printed_page.py",
}
"""The modules that call `Html`."""


@cache
def read_modules() -> dict[str, ast.Module]:
    """Return the modules that may have something to do with HTML, by path."""
    paths = [path for path in sorted(DESKTOP.rglob("*.py")) if _LIKELY.search(path.read_text("utf-8"))]
    trees = {path.relative_to(DESKTOP).as_posix(): tree for path, tree in parse_modules(paths).items()}
    return {name: tree for name, tree in trees.items() if name != MAKER}


def escapes(tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module="html", names=names) if any(each.name == "escape" for each in names):
                return True
            case ast.Attribute(value=ast.Name("html"), attr="escape") | ast.ImportFrom("xml.sax.saxutils"):
                return True
            case _:
                pass
    return False


def writes_tags(tree: ast.Module) -> bool:
    """Say whether a module puts values between or into tags; names of groups in patterns are no tags."""
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr))
    parts = (part.value for text in texts for part in text.values if isinstance(part, ast.Constant))
    return any(_TAG.search(str(part)) for part in parts)


def promises_html(tree: ast.Module) -> bool:
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(isinstance(each, ast.Name) and each.id == "Html" for each in calls)


def list_modules(is_so: Callable[[ast.Module], bool]) -> set[str]:
    return {name for name, tree in read_modules().items() if is_so(tree)}


def test_no_other_module_escapes_by_hand():
    assert list_modules(escapes) == ESCAPES


def test_no_other_module_writes_tags_around_values():
    assert list_modules(writes_tags) == WRITES_TAGS


def test_no_other_module_promises_that_a_text_is_html():
    assert list_modules(promises_html) == PROMISES_HTML
