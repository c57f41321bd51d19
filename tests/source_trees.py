"""Modules of the program as syntax trees, for tests of how they are written."""

import ast
import gc
from collections.abc import Iterable
from pathlib import Path


def parse_modules(paths: Iterable[Path]) -> dict[Path, ast.Module]:
    """Parse modules; to collect again and again among their million nodes would take twice as long as to parse them."""
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        return {path: ast.parse(path.read_text("utf-8")) for path in paths}
    finally:
        if is_collecting:
            gc.enable()
