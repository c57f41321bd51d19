"""The parts of docx and pptx files (ECMA-376, part 2), and streaming access to their XML."""

import posixpath
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from lxml import etree

from desktop.errors import CorruptFile
from desktop.phrases import translatable

BROKEN = (
    BadZipFile,
    etree.LxmlError,
    KeyError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    zlib.error,
)
"""Exceptions raised for invalid archives and XML."""

_UNREADABLE = translatable("it is not a readable {kind} file")
_ANY = "{*}"
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n"}
_LEFT_OUT = frozenset({"Fallback", "pPr", "rPr", "tcPr", "sectPr"})
"""Elements to skip: duplicate text for old programs, and formatting; tab stops have the same name as tabs."""
_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@dataclass(frozen=True)
class Relation:
    """A relationship of a part to another one: an id and a `kind`."""

    id: str
    kind: str
    part: str


def corrupt(path: Path) -> CorruptFile:
    """Return the error for a file that raised one of `BROKEN`; a locked file is an OLE container."""
    kind = path.suffix.lower().removeprefix(".")
    detail = translatable("it needs a password") if is_ole(path) else _UNREADABLE.format(kind=kind)
    return CorruptFile(name=path.name, detail=detail)


def is_ole(path: Path) -> bool:
    """Say whether a file is an OLE container: an old Office file, or a new one that is locked."""
    with path.open("rb") as file:
        return file.read(len(_OLE_MAGIC)) == _OLE_MAGIC


def has(archive: ZipFile, part: str) -> bool:
    """Say whether the archive has this part; listing all names each time would take minutes."""
    try:
        archive.getinfo(part)
    except KeyError:
        return False
    return True


def relations(archive: ZipFile, source: str = "") -> Iterator[Relation]:
    """Yield the relationships of a part, or of the archive, except those that point outside of it."""
    folder = posixpath.dirname(source)
    for relation in _list_relations(archive, source):
        if relation.get("TargetMode") != "External":
            target = posixpath.join("/", folder, relation.get("Target", ""))
            kind = relation.get("Type", "").rpartition("/")[2]
            yield Relation(relation.get("Id", ""), kind, posixpath.normpath(target)[1:])


def links_of(archive: ZipFile, source: str) -> dict[str, str]:
    """Return the web addresses that a part links to, by the id of their relationship."""
    return {
        relation.get("Id", ""): relation.get("Target", "")
        for relation in _list_relations(archive, source)
        if relation.get("Target", "").startswith(("http://", "https://"))
    }


def _list_relations(archive: ZipFile, source: str) -> Iterator[Any]:
    folder, name = posixpath.split(source)
    listed = posixpath.join(folder, "_rels", f"{name}.rels")
    if has(archive, listed):
        yield from (found for event, found in steps(archive, listed, "Relationship") if event == "end")


def part_of(archive: ZipFile, kind: str, source: str = "") -> str:
    """Return the part with relationship `kind` to `source`, or to the archive; empty if there is none."""
    return next((found.part for found in relations(archive, source) if found.kind == kind), "")


def core_title(archive: ZipFile) -> str:
    """Return the title from a file's properties; empty if it has none."""
    part = part_of(archive, "core-properties")
    if not has(archive, part):
        return ""
    return next(
        (element.text or "" for event, element in steps(archive, part, "title") if event == "end"), ""
    )


def steps(archive: ZipFile, part: str, *names: str) -> Iterator[tuple[str, Any]]:
    """Yield ("start", element) and ("end", element) for elements with these names, in any namespace.

    Elements stay in memory until `forget` is called. Entities are not resolved.
    """
    tags = [_ANY + name for name in names]
    with archive.open(part) as stream:
        yield from etree.iterparse(stream, ("start", "end"), tag=tags, resolve_entities=False, huge_tree=True)


def forget(element: Any) -> None:
    """Free the memory of a processed element and of all before it."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def local(element: Any) -> str:
    """Return an element's name without its namespace, which differs between strict and older files."""
    return str(element.tag).rpartition("}")[2]


def child(element: Any, path: str) -> Any:
    """Return the descendant at a path of names, or None."""
    return element.find("/".join(_ANY + name for name in path.split("/")))


def attribute(element: Any, name: str) -> str:
    """Return an attribute in any namespace; empty if it is missing."""
    return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


NOTE_REFERENCES = {"footnoteReference": "^", "endnoteReference": "^e"}
"""Elements that refer to a note, and what precedes its id in Markdown."""


def plain(element: Any, links: Mapping[str, str] | None = None) -> str:
    """Return all text inside an element, including formulas and text boxes, without duplicates.

    With `links`, addresses by id, hyperlinks and references to notes are written as Markdown.
    """
    texts: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, inner in walk:
        name = local(inner)
        address = links.get(attribute(inner, "id"), "") if links and name == "hyperlink" else ""
        if event == "end":
            if address:
                texts.append(f"]({_in_brackets(address)})")
            if name == "p" and inner is not element:
                texts.append("\n")
        elif address:
            texts.append("[")
        elif links is not None and name in NOTE_REFERENCES:
            texts.append(f"[{NOTE_REFERENCES[name]}{attribute(inner, 'id')}]")
        elif name in _LEFT_OUT:
            walk.skip_subtree()
        elif name == "t":
            texts.append(inner.text or "")
        elif name in _SIGNS:
            texts.append(_SIGNS[name])
    return "".join(texts)


def _in_brackets(address: str) -> str:
    return address.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
