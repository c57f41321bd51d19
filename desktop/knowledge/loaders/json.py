"""JSON: values under the path of their keys, and notebooks as Markdown."""

import json
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

from desktop.domain.sources import SECTION_JOIN
from desktop.knowledge.loaders.document import Document, DocumentPart, LoaderContext, document_of
from desktop.knowledge.loaders.markdown import markdown_document
from desktop.knowledge.loaders.plain import read_text

_PART_CHARS = 600
_SHOWN_NUMBERS = 16
"""A longer array of numbers is machine data, such as a vector, and is shortened."""
_MAX_DEPTH = 200

_Leaf = tuple[tuple[str, ...], str]
"""The path of keys to a value, and the value."""


def load_json(path: Path, _context: LoaderContext) -> Document:
    """Load JSON or JSON Lines; invalid or truncated JSON is loaded as plain text."""
    text, is_cut = read_text(path)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        lines = _values_of_lines(text[: text.rfind("\n") + 1] if is_cut else text)
        return document_of("", _parts(lines) if lines else [DocumentPart(text)], is_cut=is_cut)
    if isinstance(value, dict) and isinstance(value.get("cells"), list):
        return _notebook(value)
    return document_of("", _parts(value), is_cut=is_cut)


def _values_of_lines(text: str) -> list[Any] | None:
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None


def _parts(value: Any) -> Iterator[DocumentPart]:
    """Yield groups of values with their keys that about fit a passage, ending with a record if possible."""
    group: list[_Leaf] = []
    size = 0
    for leaf in _leaves(value, ()):
        is_next_record = bool(group) and leaf[0][:1] != group[-1][0][:1]
        if group and (size > _PART_CHARS or (is_next_record and size > _PART_CHARS / 2)):
            yield _part(group)
            group, size = [], 0
        group.append(leaf)
        size += len(leaf[1]) + sum(map(len, leaf[0]))
    if group:
        yield _part(group)


def _part(group: list[_Leaf]) -> DocumentPart:
    """Return values as lines, under the keys that they have in common."""
    first, last = group[0][0], group[-1][0]
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False)))
    lines = [f"{'.'.join(keys)}: {shown}" if keys else shown for keys, shown in group]
    return DocumentPart("\n".join(lines), section=SECTION_JOIN.join(first[:shared]))


def _leaves(value: Any, keys: tuple[str, ...]) -> Iterator[_Leaf]:
    if isinstance(value, dict) and len(keys) < _MAX_DEPTH:
        for key, inner in value.items():
            yield from _leaves(inner, (*keys, key))
    elif isinstance(value, list) and len(keys) < _MAX_DEPTH:
        if all(not isinstance(inner, dict | list) for inner in value):
            yield keys, _row(value)
            return
        for index, inner in enumerate(value):
            yield from _leaves(inner, (*keys, str(index)))
    else:
        yield keys, _format_value(value)


def _row(values: list[Any]) -> str:
    if len(values) > _SHOWN_NUMBERS and all(isinstance(value, int | float) for value in values):
        return f"{', '.join(map(_format_value, values[:_SHOWN_NUMBERS]))}, … ({len(values)})"
    return ", ".join(map(_format_value, values))


def _format_value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _notebook(value: dict[str, Any]) -> Document:
    """Return a notebook as Markdown: text cells unchanged, code and its output in fences."""
    cells = [cell for cell in value["cells"] if isinstance(cell, dict)]
    return markdown_document("\n\n".join(text for cell in cells if (text := _cell(cell))))


def _cell(cell: dict[str, Any]) -> str:
    source = _join_lines(cell.get("source"))
    if cell.get("cell_type") != "code":
        return source
    outputs = [output for output in cell.get("outputs") or () if isinstance(output, dict)]
    printed = "".join(_join_lines(output.get("text") or _plain(output)) for output in outputs)
    return "\n\n".join(f"```\n{text}\n```" for text in (source, printed) if text.strip())


def _plain(output: dict[str, Any]) -> Any:
    data = output.get("data")
    return data.get("text/plain") if isinstance(data, dict) else None


def _join_lines(lines: Any) -> str:
    """Return a notebook's text, which is stored as a string or as a list of lines."""
    if isinstance(lines, list):
        return "".join(line for line in lines if isinstance(line, str))
    return lines if isinstance(lines, str) else ""
