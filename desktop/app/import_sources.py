"""Keeps PySide from reading the sources of the modules that are imported. Imports nothing else, so that it can come first."""

import sys
from types import ModuleType

import PySide6  # noqa: F401 - loads what reads the sources

_LOOK = "_mod_uses_pyside"
"""The PySide function that says whether a given module uses Qt names."""


def leave_sources_alone() -> None:
    """Stop PySide from reading the source of every imported module.

    PySide searches the source for its own name to see where Qt names may be spelled in Python style
    (`__feature__`), which this program does not use. The search takes a sixth of the import time, and 20 MB in
    which linecache keeps all lines.

    WORKAROUND for https://bugreports.qt.io/browse/PYSIDE-2029: remove when PySide looks for `__feature__` first.
    """
    feature = sys.modules.get("shibokensupport.feature")
    if hasattr(feature, _LOOK):  # a PySide without this function is left unchanged
        setattr(feature, _LOOK, _is_ours)


def _is_ours(module: ModuleType) -> bool:
    return module.__name__.partition(".")[0] == "desktop"
