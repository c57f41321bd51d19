"""The pages for developers and users name only files and modules that exist."""

import ast
import re
import tomllib
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from tests.cases import cases

ROOT = Path(__file__).parents[2]
PAGES = (
    *(ROOT / name for name in ("ARCHITECTURE.md", "README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
)
TOP = tuple(sorted(path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")))
PACKAGES = tuple(sorted(path.stem for path in (ROOT / "desktop").iterdir() if not path.name.startswith("_")))
MOST_LINES = 12
DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
NOT_COMMITTED = frozenset({"dist/sbom.json", "settings.json", "knowledge/knowledge.db"})
"""Files that the program or a command writes."""

_QUOTED = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*/?")
_MODULE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_RUN_MODULE = re.compile(r"-m ((?:benchmarks|tests|desktop)(?:\.\w+)+)")
_RUN_FILE = re.compile(r"python ((?:benchmarks|tests|scripts)/[\w/.-]+)")


def names_in(module):
    """Return what a module defines or imports, with the members of its classes."""
    found = set()
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            found.update(alias.asname or alias.name for alias in node.names)
    return found


def resolves_as_module(name):
    """Say whether a dotted name is a module or a package, or a name in one."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        folder, rest = ROOT.joinpath(*parts[:end]), parts[end:]
        module = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
        if folder.is_dir() or module.is_file():
            return not rest or (module.is_file() and rest[0] in names_in(module))
    return False


def find_unknown_names(text):
    """Return the paths and modules of the project that a page names and that do not exist."""
    quoted = (*_QUOTED.findall(_FENCE.sub("", text)), *_FENCE.findall(text))
    names = [name for part in quoted for name in part.split()]
    names += [name for pattern in (_RUN_MODULE, _RUN_FILE) for name in pattern.findall(text)]
    unknown = []
    for name in names:
        first = re.split(r"[./]", name, maxsplit=1)[0]
        if _PATH.fullmatch(name) and "/" in name and first in {*TOP, *PACKAGES, ".ci"}:
            known = any((folder / name).exists() for folder in (ROOT, ROOT / "desktop"))
        elif _MODULE.fullmatch(name) and not name.endswith((".md", ".py")) and first in {*TOP, *PACKAGES}:
            known = resolves_as_module(name if first in TOP else f"desktop.{name}")
        else:
            continue
        if not known and name not in NOT_COMMITTED:
            unknown.append(name)
    return unknown


def find_broken_links(page, text):
    """Return the relative links of a page that lead to no file."""
    targets = [unquote(target) for target in _LINK.findall(text) if "://" not in target]
    return [target for target in targets if not (page.parent / target).exists()]


@cases("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_path_and_module_that_a_page_names_exists(page):
    text = page.read_text("utf-8")
    assert find_unknown_names(text) == []
    assert find_broken_links(page, text) == []


def find_absent_modules(package):
    """Return what the list in a package's docstring names that is no module or package in it."""
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8"))) or ""
    heads = [line.partition(": ")[0] for line in text.splitlines() if line.startswith("- ")]
    names = [name for head in heads for name in _QUOTED.findall(head)]
    return [
        name for name in names if not (package / name).is_dir() and not (package / f"{name}.py").is_file()
    ]


@cases(
    "package",
    sorted(path.parent for path in (ROOT / "desktop").rglob("__init__.py")),
    ids=lambda path: path.name,
)
def test_every_module_that_a_package_lists_exists(package):
    assert find_absent_modules(package) == []


def resolves_as_member(name):
    """Say whether a dotted name is a module, or a function, class or member of a class in one."""
    parts = name.split(".")
    ends = [
        end
        for end in range(1, len(parts) + 1)
        if (ROOT / "desktop").joinpath(*parts[:end]).with_suffix(".py").is_file()
    ]
    if not ends:
        return False
    module = (ROOT / "desktop").joinpath(*parts[: ends[0]]).with_suffix(".py")
    node = ast.parse(module.read_text("utf-8"))
    for part in parts[ends[0] :]:
        members = {member.name: member for member in node.body if isinstance(member, DEFINITIONS)}
        assigned = {
            target.id
            for member in node.body
            if isinstance(member, ast.Assign)
            for target in member.targets
            if isinstance(target, ast.Name)
        }
        if part not in members:
            return part == parts[-1] and part in assigned
        node = members[part]
    return True


def test_the_way_from_enter_to_the_painted_answer_names_functions_that_exist():
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    (way,) = re.findall(r"^### From Enter to the painted answer$(.*?)^## ", text, re.MULTILINE | re.DOTALL)
    lines = way.strip().splitlines()
    assert 0 < len(lines) <= MOST_LINES
    assert [line.partition(".")[0] for line in lines] == [str(number) for number in range(1, len(lines) + 1)]
    names = [name for name in _QUOTED.findall(way) if _MODULE.fullmatch(name)]
    assert len(names) > len(lines)
    assert [name for name in names if not resolves_as_member(name)] == []
    assert not resolves_as_member("chat.turn.runner.TurnRunner.ask")


def test_names_that_do_not_exist_are_found():
    text = (
        "`desktop/ui/desk.py`, `storage.seals`, `ui/desk.py`, `desktop.chat.turn.runner.NoSuchClass`, `chat.turn`,"
        " `README.md`, `chat/turn/`, `scripts/lock`, `domain.models.ModelFacts`, `python -m benchmarks.nothing`"
    )
    assert find_unknown_names(text) == [
        "desktop/ui/desk.py",
        "storage.seals",
        "ui/desk.py",
        "desktop.chat.turn.runner.NoSuchClass",
        "benchmarks.nothing",
        "benchmarks.nothing",
    ]


def test_the_layer_table_is_that_of_import_linter():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(contract["layers"] for contract in contracts if contract["id"] == "layers")
    rows = re.findall(
        r"^\| (\d+) \| ((?:`\w+` ?)+)\|", (ROOT / "ARCHITECTURE.md").read_text("utf-8"), re.MULTILINE
    )
    named = [set() for _ in layers]
    for number, packages in rows:
        named[int(number) - 1] |= set(re.findall(r"`(\w+)`", packages))
    assert named == [set(layer.split(" | ")) for layer in layers]


def test_decision_records_have_numbers_of_their_own():
    numbers = [
        PurePosixPath(path.name).name[:4] for path in sorted((ROOT / "docs" / "decisions").glob("*.md"))
    ]
    assert numbers == [f"{number:04}" for number in range(1, len(numbers) + 1)]
    for path in sorted((ROOT / "docs" / "decisions").glob("*.md")):
        assert path.read_text("utf-8").startswith(f"# {int(path.name[:4])}. ")


def test_a_verb_on_bases_is_written_in_five_places():
    """The page says: protocol, handler, client, widget, test; a service only for the rest of the program."""
    protocol = "chat/api/knowledge.py"
    handler, client = "knowledge/worker/service.py", "knowledge/worker/client.py"
    service = "services/knowledge.py"
    trees = {
        path.relative_to(ROOT / "desktop").as_posix(): ast.parse(path.read_text("utf-8"))
        for folder in ("chat", "services", "knowledge/worker", "ui/stores")
        for path in sorted((ROOT / "desktop" / folder).rglob("*.py"))
    }
    defined = {
        name: {node.name for node in ast.walk(tree) if isinstance(node, DEFINITIONS)}
        for name, tree in trees.items()
    }
    knowledge = next(node for node in trees[protocol].body if getattr(node, "name", "") == "Knowledge")
    verbs = {node.name for node in knowledge.body if isinstance(node, ast.AsyncFunctionDef | ast.FunctionDef)}
    assert len(verbs) > 20
    own = {"watch_folder", "unwatch_folder", "try_search", "read_again", "put_note", "add_link"}
    assert own <= verbs
    places = {verb: {name for name, names in defined.items() if verb in names} for verb in own}
    may_be = {protocol, handler, client, service, "ui/stores/knowledge_store.py"}
    assert {verb: found - may_be for verb, found in places.items() if found - may_be} == {}
    # A verb of the worker alone: with the widget that calls it and its test, five files.
    assert places["watch_folder"] == {protocol, handler, client}
    widgets = [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "desktop" / "ui").rglob("*.py"))
        if "watch_folder" in path.read_text("utf-8")
    ]
    assert widgets == ["desktop/ui/knowledge/side_pages.py"]
    tests = (ROOT / "tests/unit/knowledge").rglob("*.py")
    assert any("watch_folder(" in path.read_text("utf-8") for path in tests)


def test_an_action_on_a_message_is_written_in_two_places():
    """The page says: value and row of the menu in one file, method and row of `handlers` in its controller."""
    table = "ui/transcript/message_action.py"
    buttons = {"ui/transcript/page_channel.py", "ui/transcript/transcript_view.py", "render/page/article.py"}
    texts = {
        path.relative_to(ROOT / "desktop").as_posix(): path.read_text("utf-8")
        for folder in ("ui", "render/page")
        for path in sorted((ROOT / "desktop" / folder).rglob("*.py"))
    }
    values = dict(re.findall(r"^    ([A-Z_]+) = \"([a-z_]+)\"$", texts[table], re.MULTILINE))
    in_menus = set(re.findall(r"\(MessageAction\.([A-Z_]+), QT_TRANSLATE_NOOP", texts[table]))
    assert len(in_menus) > 15
    assert in_menus <= values.keys()
    for action in in_menus:
        handles = re.compile(rf"MessageAction\.{action}: self\.(\w+),")
        handlers = {name: found[1] for name, text in texts.items() if (found := handles.search(text))}
        ((controller, method),) = handlers.items()
        assert f"def {method}(self, request: ActionRequest)" in texts[controller], action
        names = re.compile(rf"MessageAction\.{action}\b")
        others = {name for name, text in texts.items() if names.search(text)} - {table, controller}
        assert others <= buttons, action
    assert "branch_off" in {values[action] for action in in_menus}
