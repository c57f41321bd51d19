"""Imports the openai SDK without the hundreds of types of requests and answers that no chat uses: 9 MB less, half the time.

The SDK's packages of types import all their modules. In the packages named here each name is imported when it is first
used instead, which is what the SDK's own resources do. A package that does more than import names is left as it is.
"""

import ast
import importlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.abc import InspectLoader, Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

PACKAGES: Final = frozenset(
    f"openai.types{name}" for name in ("", ".chat", ".responses", ".shared", ".shared_params")
)


@contextmanager
def _types_on_first_use() -> Iterator[None]:
    finder = _LazyPackages()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _LazyPackages(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in PACKAGES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        source = spec.loader.get_source(fullname) if spec and isinstance(spec.loader, InspectLoader) else None
        modules = None if source is None else _list_imports(source, fullname)
        if spec and modules is not None:
            spec.loader = _LazyLoader(modules)
        return spec


class _LazyLoader(Loader):
    def __init__(self, modules: Mapping[str, tuple[str, str]]) -> None:
        self._modules = modules

    def exec_module(self, module: ModuleType) -> None:
        def find(name: str) -> object:
            if name not in self._modules:
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            source, original = self._modules[name]
            found = getattr(importlib.import_module(source), original)
            setattr(module, name, found)
            return found

        module.__dict__["__getattr__"] = find


def _list_imports(source: str, package: str) -> dict[str, tuple[str, str]] | None:
    """Return the module and the name there of each imported name; None if the source does anything else.

    That includes `*`, and a name that is also that of its module: importing the module would bind the name to it.
    """
    found: dict[str, tuple[str, str]] = {}
    for node in ast.parse(source).body:
        if not isinstance(node, ast.ImportFrom) or not node.module:
            return None
        if node.module == "__future__":
            continue
        module = importlib.util.resolve_name("." * node.level + node.module, package)
        names = {each.asname or each.name: (module, each.name) for each in node.names}
        if not names.keys().isdisjoint(("*", module.rpartition(".")[2])):
            return None
        found |= names
    return found


with _types_on_first_use():
    import openai

__all__ = ["openai"]
