"""The error tree: complete, and every leaf has words that format."""

import ast
import errno
import inspect
import os
import string
from pathlib import Path

import pytest

from desktop import errors
from desktop.cli.output.terminal import words_of
from desktop.errors import AppError, plain_reason, servers
from desktop.errors.servers import RateLimited
from desktop.services.diagnostics import doctor
from tests.cases import cases
from tests.source_trees import parse_modules

ALL = [
    value
    for module in (errors, servers)
    for _, value in inspect.getmembers(module, inspect.isclass)
    if issubclass(value, AppError) and value.__module__ == module.__name__
]
FAMILIES = {
    "SettingsError",
    "ProviderError",
    "SearchError",
    "McpError",
    "KnowledgeError",
    "ExportError",
    "ServingError",
    "StorageError",
}
"""Errors of one subject; `InternalError` belongs to none."""

LEAVES = [kind for kind in ALL if kind is not AppError and kind.__name__ not in FAMILIES]


def fields_of(kind):
    names = {name for _, name, _, _ in string.Formatter().parse(kind.template) if name}
    values = {name: f"<{name}>" for name in names}
    if kind is RateLimited:
        values = {"provider": "<provider>", "retry_after_s": 3.0, "detail": "<detail>"}
    return values


@cases("kind", LEAVES, ids=lambda kind: kind.__name__)
def test_every_leaf_says_what_happened_in_words(kind):
    values = fields_of(kind)
    error = kind(**values)
    text = str(error)
    for name, value in values.items():
        shown = "3 s" if name == "retry_after_s" else value
        assert shown in text
    assert "{" not in text
    assert text == text.strip()
    assert text[-1] in ".>:" or text.endswith("<detail>")


@cases("kind", LEAVES, ids=lambda kind: kind.__name__)
def test_fields_are_kept_for_the_translation(kind):
    values = {name: value for name, value in fields_of(kind).items() if name != "retry_after_s"}
    error = kind(**fields_of(kind))
    assert values.items() <= error.fields.items()
    assert kind.template.format(**error.fields).strip() == str(error)


@cases("kind", [kind for kind in LEAVES if fields_of(kind)], ids=lambda kind: kind.__name__)
def test_a_missing_field_is_a_bug_and_not_an_empty_place(kind):
    with pytest.raises((KeyError, TypeError)):
        kind()


def test_every_leaf_belongs_to_one_family():
    for kind in LEAVES:
        if kind is errors.InternalError:
            continue
        families = {parent.__name__ for parent in kind.__mro__} & FAMILIES
        assert len(families) == 1, kind


def test_families_have_no_words_of_their_own():
    for kind in ALL:
        if kind not in LEAVES:
            assert kind.template == "{detail}"


def test_a_server_that_names_no_time_gets_other_advice():
    error = RateLimited(provider="X", retry_after_s=None)
    assert error.retry_after_s is None
    assert str(error) == "X is receiving too many requests. Try again later."


def test_braces_in_details_are_only_text():
    assert "{x} {0}" in str(servers.ProviderDown(provider="{x}", detail="{x} {0}"))


@cases(
    "error, words",
    [
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), os.strerror(errno.ENOSPC)),
        (FileNotFoundError(errno.ENOENT, "No such file", "/a/b"), "No such file"),
        (
            RuntimeError("[Errno 111] Connect call failed ('127.0.0.1', 9)"),
            "Connect call failed ('127.0.0.1', 9)",
        ),
        (RuntimeError("outer: [Errno -2] Name or service not known"), "outer: Name or service not known"),
        (OSError("[WinError 5] Access is denied"), "Access is denied"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_a_reason_has_no_number(error, words):
    assert plain_reason(error) == words


@pytest.mark.anyio
async def test_the_doctor_names_the_file_that_an_error_is_about():
    async def check(_services):
        raise FileNotFoundError(errno.ENOENT, "No such file", "/a/b")

    finding = await doctor._finding("data", check, None)
    assert finding.detail == "/a/b: No such file"


def test_the_command_line_names_the_file_and_no_number():
    assert words_of(FileNotFoundError(errno.ENOENT, "No such file", "/a/b")) == "/a/b: No such file"
    assert words_of(RuntimeError("[Errno 5] Input/output error")) == "Input/output error"


ROOT = Path(__file__).parents[2] / "desktop"
BASE = ROOT / "errors" / "__init__.py"


@pytest.fixture(scope="module")
def trees():
    """The modules of the program, parsed once."""
    domain = ROOT / "domain"  # it may import nothing; its errors are worded where they are caught
    paths = [path for path in sorted(ROOT.rglob("*.py")) if not path.is_relative_to(domain)]
    return tuple(parse_modules(paths).items())


def own_exceptions(trees):
    """Return the names of the classes that the program defines: those of exceptions have words of ours."""
    return {node.name for _, tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def caught_names(kind):
    """Return the names of what a handler catches; a constant or a computed tuple has a name, too."""
    parts = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return {ast.unparse(part).rpartition(".")[2] for part in parts}


def put_into_words(handler):
    """Yield the lines of a handler that make text of the exception itself."""
    for node in ast.walk(handler):
        match node:
            case ast.Call(func=ast.Name(id="str" | "repr"), args=[ast.Name(id=name)]) if name == handler.name:
                yield node.lineno
            case ast.FormattedValue(value=ast.Name(id=name)) if name == handler.name:
                yield node.lineno
            case ast.keyword(arg="detail" | "error" | "problem", value=ast.Name(id=name)) if (
                name == handler.name
            ):
                yield node.value.lineno


def test_no_handler_of_a_foreign_exception_puts_it_into_words_itself(trees):
    own = own_exceptions(trees)
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path, tree in trees
        for handler in ast.walk(tree)
        if isinstance(handler, ast.ExceptHandler) and handler.name and handler.type is not None
        if not caught_names(handler.type) <= own
        for line in put_into_words(handler)
    ]
    assert found == []


def test_the_words_of_the_system_are_read_in_one_place(trees):
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path, tree in trees
        for node in ast.walk(tree)
        if path != BASE and isinstance(node, ast.Attribute) and node.attr == "strerror"
        if ast.unparse(node.value) != "os"
    ]
    assert found == []
