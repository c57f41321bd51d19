"""Comma-, semicolon- and tab-separated values: one line of Markdown table per row."""

import csv
import io
from pathlib import Path

from desktop.knowledge.loaders.document import Desk, Document, Part, clean, document_of
from desktop.knowledge.loaders.plain import read_text

_SNIFFED_CHARS = 16_384
_DELIMITERS = ",;\t|"
_MAX_CELL_CHARS = 1_000_000


def load_table(path: Path, _desk: Desk) -> Document:
    """Load a table; what does not parse as one stays the text it is."""
    text = clean(read_text(path))
    csv.field_size_limit(_MAX_CELL_CHARS)
    try:
        dialect: type[csv.Dialect] = csv.Sniffer().sniff(text[:_SNIFFED_CHARS], _DELIMITERS)
    except csv.Error:
        dialect = csv.excel_tab if path.suffix.lower() == ".tsv" else csv.excel
    try:
        rows = [[_cell(value) for value in row] for row in csv.reader(io.StringIO(text), dialect) if any(row)]
    except csv.Error:
        return document_of("", [Part(text)])
    return document_of("", [Part(markdown_table(rows))])


def markdown_table(rows: list[list[str]]) -> str:
    """Return rows as a Markdown table whose first row is its head; cells have no line breaks."""
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    if rows:
        lines.insert(1, f"|{' --- |' * len(rows[0])}")
    return "\n".join(lines)


def _cell(value: str) -> str:
    return " ".join(value.split())
