"""How the parts of the window reach each other, and who holds what, counted in the source."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.source_trees import parse_modules

DESKTOP = Path(__file__).parents[2] / "desktop"
UI = DESKTOP / "ui"
BUILDERS = frozenset({"chat_parts", "late_parts", "quick_window", "window_opener", "workspace"})
"""The modules of `ui/window` that build the parts of a window, and know them all."""

STARTS_JOBS_ITSELF = frozenset({"transcript/page_channel.py"})
MOST_CHAINS = 10
MOST_REPEATERS = 10
FEW_METHODS = 3
OWNER = "ui/chat/session_manager.py"
"""The module of the chat session, which owns the shown messages."""

MESSAGES = re.compile(r"(list|dict|tuple|set|frozenset|deque|Sequence|Mapping|Iterable)\[.*\bMessage\b")
ALLOWED = {"render/page/find.py: self._messages", "ui/window/notifications.py: self._ended"}
"""The session's own mapping, as it was when a search began; and answers that a notification is to tell of."""


@pytest.fixture(scope="module")
def trees() -> dict[Path, ast.Module]:
    """The modules of the program, parsed once."""
    return parse_modules(sorted(DESKTOP.rglob("*.py")))


@pytest.fixture(scope="module")
def modules(trees) -> dict[str, ast.Module]:
    """The modules of the window."""
    return {path.relative_to(UI).as_posix(): tree for path, tree in trees.items() if path.is_relative_to(UI)}


@pytest.fixture(scope="module")
def modules_of_the_page(trees) -> dict[str, ast.Module]:
    """The modules of the window, and those that write its page."""
    folders = (UI, DESKTOP / "render/page")
    return {
        path.relative_to(DESKTOP).as_posix(): tree
        for path, tree in trees.items()
        if any(path.is_relative_to(folder) for folder in folders)
    }


def imports_of(tree: ast.AST) -> set[str]:
    """Return the names of the modules that a module imports, also inside functions."""
    nodes = list(ast.walk(tree))
    froms = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return froms | {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}


def find_chains(tree: ast.AST) -> list[str]:
    """Return the reads that go through two objects or more to a third, beginning at a part or an argument.

    Connections are no reads, and neither are members of classes.
    """
    inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in inner:
            names = ast.unparse(node).removeprefix("self.").split(".")
            is_chain = re.fullmatch(r"[a-z_]\w*(\.\w+){3,}", ".".join(names)) is not None
            if is_chain and names[-1] != "connect":
                found.append(".".join(names))
    return found


def test_parts_do_not_know_the_objects_that_build_them(modules):
    builders = {f"desktop.ui.window.{name}" for name in BUILDERS}
    found = [
        name
        for name, tree in modules.items()
        if imports_of(tree) & builders and name.removesuffix(".py").rpartition("/")[2] not in BUILDERS
    ]
    assert found == []


def test_parts_outside_the_window_folder_import_nothing_of_it(modules):
    found = [
        name
        for name, tree in modules.items()
        if not name.startswith("window/")
        and any(each.startswith("desktop.ui.window") for each in imports_of(tree))
    ]
    assert found == []


def test_parts_use_what_they_were_given_and_do_not_reach_through_it(modules):
    folders = ("chat/", "controllers/", "window/")
    found = [
        f"{name}: {chain}"
        for name, tree in modules.items()
        if name.startswith(folders)
        for chain in find_chains(tree)
    ]
    assert len(found) <= MOST_CHAINS, found


def test_background_work_is_started_in_one_place(modules):
    found = {
        name
        for name, tree in modules.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Job"
    }
    assert found == STARTS_JOBS_ITSELF


def test_widgets_follow_the_language_in_one_place(modules):
    handler = "if event.type() == QEvent.Type.LanguageChange:\n    self._retranslate()"
    found = [
        name
        for name, tree in modules.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node) == handler
    ]
    assert found == ["i18n.py"]


def find_fields(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield the annotated fields of the classes of a module, each with its annotation."""
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Attribute):
            yield ast.unparse(node.target), ast.unparse(node.annotation)
        if isinstance(node, ast.ClassDef):
            members = (each for each in node.body if isinstance(each, ast.AnnAssign))
            yield from ((ast.unparse(each.target), ast.unparse(each.annotation)) for each in members)


def test_nothing_in_the_window_keeps_messages_of_its_own(modules_of_the_page):
    found = {
        f"{name}: {field}"
        for name, tree in modules_of_the_page.items()
        for field, annotation in find_fields(tree)
        if MESSAGES.search(annotation)
    }
    assert found == ALLOWED


def test_only_the_session_changes_what_is_shown(modules_of_the_page):
    changes = {
        name
        for name, tree in modules_of_the_page.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in {"after", "with_turn", "without_turn"}
        if re.search("shown|aside|loaded|transcript", ast.unparse(node.func.value))
    }
    assert changes == {OWNER}


def test_what_can_be_undone_is_said_in_one_way(modules):
    found = {
        f"{name}: {ast.unparse(node.func)}"
        for name, tree in modules.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and any(keyword.arg == "is_undo" for keyword in node.keywords)
    }
    assert found == {"widgets/notice_bar.py: Notice", "controllers/composer_controller.py: Notice"}


def test_few_generators_only_yield_again_what_another_yields(trees):
    found = [
        f"{path.relative_to(DESKTOP).as_posix()}:{node.lineno}"
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.AsyncFor)
        and [ast.unparse(each) for each in node.body] == [f"yield {ast.unparse(node.target)}"]
    ]
    assert len(found) <= MOST_REPEATERS, found


def passes_on(function: ast.AST) -> bool:
    """Say whether a method only calls a method of a part with its own arguments."""
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    body = function.body[ast.get_docstring(function) is not None :]
    value = getattr(body[0], "value", None) if len(body) == 1 else None
    call = value.value if isinstance(value, ast.Await) else value
    if not isinstance(call, ast.Call) or not re.fullmatch(r"self\.\w+(\(\))?\.\w+", ast.unparse(call.func)):
        return False
    given = [ast.unparse(each).lstrip("*") for each in (*call.args, *(each.value for each in call.keywords))]
    arguments = [each for each in ast.walk(function.args) if isinstance(each, ast.arg)]
    return sorted(given) == sorted(each.arg for each in arguments if each.arg != "self")


def test_no_class_mostly_passes_calls_on(trees):
    found = []
    for path, tree in trees.items():
        for node in (each for each in ast.walk(tree) if isinstance(each, ast.ClassDef)):
            functions = [
                each for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
            ]
            methods = [each for each in functions if not each.name.startswith("__")]
            if len(methods) > FEW_METHODS and 2 * sum(map(passes_on, methods)) >= len(methods):
                found.append(f"{path.relative_to(DESKTOP).as_posix()}: {node.name}")
    assert found == []


def test_a_class_that_passes_calls_on_is_found():
    source = "class A:\n  def a(self, b, *, c): return self._d.e(b, c=c)\n  async def f(self): await self.g().h()\n"
    assert all(map(passes_on, ast.parse(source).body[0].body))
    other = "class A:\n  def a(self, b): return self._d.e(b + 1)\n  def f(self): return self.g()\n"
    assert not any(map(passes_on, ast.parse(other).body[0].body))
