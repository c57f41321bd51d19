"""Names and texts of the program use the terms of the field; CONTRIBUTING.md states the rule."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import desktop
from tests.cases import cases
from tests.source_trees import parse_modules

ROOT = Path(desktop.__file__).parent
FORBIDDEN_WORDS = """
desk desks shelf shelves seat seats bench benches pen pens cure cures fate fates errand errands deed deeds door doors
craft crafts talk talks rooms persons album albums parcel parcels courier couriers nobodys whoever somebody
"""
FORBIDDEN = frozenset(FORBIDDEN_WORDS.split())
SHARED_CLASS_NAMES: frozenset[str] = frozenset()
"""Generic class names that may be defined in several modules; at most ten."""
MAX_PARTICIPLES = 30
MAX_PRIVATE_PARTICIPLES = 8
MAX_MODULES = 25
MAX_ALL_MODULES = 600
MAX_LINES = 600
MAX_UI_MODULES = 3
MAX_VAGUE_PRONOUNS = 20
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_VAGUE_PRONOUN = re.compile(r"\b(?:whoever|nobody|somebody)\b|\bof[\s#]+now\b", re.IGNORECASE)
_THE_PERSON = re.compile(r"\bthe[\s#]+persons?\b", re.IGNORECASE)
_VERBS_IN_ED = {"embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed", "succeed"}
_IRREGULAR_PARTICIPLES = """
begun bound broken brought built caught chosen done drawn driven fallen fed forgotten found given gone grown held hidden
kept known laid led left lent lost made meant met paid said seen sent shown spent spoken struck sworn taken taught thought
thrown told torn understood worn written
"""
_IRREGULAR = frozenset(_IRREGULAR_PARTICIPLES.split())
_PREDICATES = ("is_", "has_", "was_", "are_")


@cache
def modules() -> dict[Path, str]:
    """Return the text of each module, by its path within the package."""
    return {path.relative_to(ROOT): path.read_text(encoding="utf-8") for path in sorted(ROOT.rglob("*.py"))}


@pytest.fixture(scope="module")
def trees() -> dict[Path, ast.Module]:
    """The modules of the package, parsed once."""
    return {path.relative_to(ROOT): tree for path, tree in parse_modules(sorted(ROOT.rglob("*.py"))).items()}


def words_of(name: str) -> set[str]:
    """Return the words of a name in snake_case, CamelCase or capitals, in lower case."""
    return {word.lower() for word in _WORD.findall(name)}


def defined_names(tree: ast.AST) -> Iterator[str]:
    """Yield every name that a module defines: classes, functions, arguments, variables, attributes, aliases."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case (
                ast.arg(arg=name)
                | ast.Name(id=name, ctx=ast.Store())
                | ast.Attribute(attr=name, ctx=ast.Store())
            ):
                yield name
            case (
                ast.alias(asname=str(name)) | ast.MatchAs(name=str(name)) | ast.ExceptHandler(name=str(name))
            ):
                yield name


def is_participle(word: str) -> bool:
    return word in _IRREGULAR or (word.endswith("ed") and word not in _VERBS_IN_ED)


def is_named_by_participle(name: str) -> bool:
    """Whether a function is named by what it returns (`joined`, `base_named`) and not by a verb."""
    words = name.split("_")
    return is_participle(words[0]) or (is_participle(words[-1]) and not name.startswith(_PREDICATES))


@cases(
    "name, words",
    [
        ("_SMALL_TALK", {"small", "talk"}),
        ("KnowledgeShelf", {"knowledge", "shelf"}),
        ("MCPDesk2", {"mcp", "desk"}),
        ("open_door", {"open", "door"}),
    ],
)
def test_a_name_is_divided_into_its_words(name, words):
    assert words_of(name) == words


def test_every_kind_of_definition_is_looked_at():
    tree = ast.parse(
        "import a as b\nclass C:\n  def d(self, e, *f, **g):\n    self.h = i = 1\n    for j in (): pass\n"
        "with k as m: pass\nn: int = 1\ntry: pass\nexcept ValueError as o: pass\n"
    )
    assert set(defined_names(tree)) == set("bCdefghijmno") | {"self"}


@cases("name", ["joined", "begun", "base_named", "kept_here"])
def test_a_participle_is_recognised(name):
    assert is_named_by_participle(name)


@cases("name", ["embed", "feed", "read_text", "is_changed", "put_document"])
def test_a_verb_and_a_predicate_are_no_participles(name):
    assert not is_named_by_participle(name)


def test_no_class_name_is_defined_twice(trees):
    places = defaultdict(list)
    for path, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(path.as_posix())
    doubled = {
        name: found for name, found in places.items() if len(found) > 1 and name not in SHARED_CLASS_NAMES
    }
    assert doubled == {}
    assert len(SHARED_CLASS_NAMES) <= 10


def test_no_identifier_holds_a_forbidden_word(trees):
    found = {
        f"{path.as_posix()}: {name}"
        for path, tree in trees.items()
        for name in (*defined_names(tree), *path.with_suffix("").parts)
        if words_of(name) & FORBIDDEN
    }
    assert found == set()


def module_functions(trees):
    """Yield the file and the name of each function of a module."""
    for path, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield path.as_posix(), node.name


def test_public_functions_are_named_by_verbs(trees):
    found = [
        f"{path}: {name}"
        for path, name in module_functions(trees)
        if not name.startswith("_") and is_named_by_participle(name)
    ]
    assert len(found) <= MAX_PARTICIPLES, "\n".join(found)


def test_private_functions_do_not_begin_with_a_participle(trees):
    found = [
        f"{path}: {name}"
        for path, name in module_functions(trees)
        if name.startswith("_") and is_participle(name.split("_")[1])
    ]
    assert len(found) <= MAX_PRIVATE_PARTICIPLES, "\n".join(found)


def test_no_folder_holds_too_many_modules():
    counts = Counter(path.parent.as_posix() for path in modules() if path.name != "__init__.py")
    assert {folder: count for folder, count in counts.items() if count > MAX_MODULES} == {}
    assert counts["ui"] <= MAX_UI_MODULES
    assert len(modules()) <= MAX_ALL_MODULES


def test_no_module_is_too_long():
    lengths = {path.as_posix(): text.count("\n") for path, text in modules().items()}
    assert {path: length for path, length in lengths.items() if length > MAX_LINES} == {}


def test_texts_name_the_caller_or_the_user():
    found = {
        path.as_posix(): [match[0] for match in _VAGUE_PRONOUN.finditer(text)]
        for path, text in modules().items()
        if _VAGUE_PRONOUN.search(text)
    }
    assert sum(map(len, found.values())) <= MAX_VAGUE_PRONOUNS, found


def test_the_user_is_never_called_the_person():
    assert [path.as_posix() for path, text in modules().items() if _THE_PERSON.search(text)] == []
