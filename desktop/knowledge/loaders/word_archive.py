"""Where the parts of a docx are (ECMA-376, part 2), and how its XML is gone through piece by piece."""

import posixpath
from collections.abc import Iterator
from typing import Any
from zipfile import ZipFile

from lxml import etree

_ANY = "{*}"


def part_of(archive: ZipFile, kind: str, source: str = "") -> str:
    """Return the name of the part that stands in relation `kind` to `source`, or to all; empty if there is none."""
    folder, name = posixpath.split(source)
    relations = posixpath.join(folder, "_rels", f"{name}.rels")
    if relations not in archive.namelist():
        return ""
    for _, relation in steps(archive, relations, "Relationship"):
        if relation.get("Type", "").rpartition("/")[2] == kind:
            return posixpath.normpath(posixpath.join("/", folder, relation.get("Target", "")))[1:]
    return ""


def steps(archive: ZipFile, part: str, *names: str) -> Iterator[tuple[str, Any]]:
    """Yield ("start", element) and ("end", element) for the elements of these names in a part, in any namespace.

    They stay in memory until they are forgotten. Entities are not resolved.
    """
    tags = [_ANY + name for name in names]
    with archive.open(part) as stream:
        yield from etree.iterparse(stream, ("start", "end"), tag=tags, resolve_entities=False, huge_tree=True)


def forget(element: Any) -> None:
    """Give the memory of an element back that was gone through, and of all before it."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def local(element: Any) -> str:
    """Return the name of an element without its namespace, of which there is a strict one and an older one."""
    return str(element.tag).rpartition("}")[2]


def child(element: Any, path: str) -> Any:
    """Return what a path of names leads to below an element, or None."""
    return element.find("/".join(_ANY + name for name in path.split("/")))


def attribute(element: Any, name: str) -> str:
    """Return an attribute, whatever its namespace; empty where there is none."""
    return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")
