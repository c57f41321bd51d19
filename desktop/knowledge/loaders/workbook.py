"""Workbooks (xlsx, xls, ods): each sheet as tables with its name and their cell ranges.

A single remote cell can require more memory than available, so the size of a sheet is computed first.
"""

import re
import zlib
from collections.abc import Iterator
from datetime import date, datetime
from itertools import islice
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, PasswordError, SheetTypeEnum

from desktop.errors import CorruptFile, ReadingFailed
from desktop.knowledge.loaders.csv import cell_text, table_parts
from desktop.knowledge.loaders.document import Document, DocumentPart, LoaderContext, document_of
from desktop.knowledge.loaders.ooxml import is_ole
from desktop.phrases import translatable

_UNREADABLE = translatable("it is not a readable {kind} file")
_MAX_CELLS = 12_000_000
"""Maximum cells per sheet, which is held as one bounding rectangle with some 40 bytes per cell."""
_TOO_FAR = translatable("its cells are too far apart; delete cells that are far from the rest")
_SHEETS = "xl/worksheets/"
_BLOCK_BYTES = 1024 * 1024
_LONGEST_NAME = 32
"""Length of `r="XFD1048576"` in bytes, with a margin: a cell name can be split between two blocks."""
_CELL = re.compile(rb"""\br=["']([A-Z]{1,3})(\d{1,7})["']""")
_LETTERS = 26


def load_workbook(path: Path, context: LoaderContext) -> Document:
    """Load the values of all cells, as of the last time the workbook was saved.

    Raises:
        CorruptFile: it is not a workbook, or needs a password.
        ReadingFailed: a sheet spans too many cells, most of them empty.
    """
    if cells_of(path) > _MAX_CELLS:
        raise ReadingFailed(name=path.name, detail=_TOO_FAR)
    try:
        with CalamineWorkbook.from_path(path) as workbook:
            return document_of("", _parts(workbook, context), is_late=context.is_late)
    except PasswordError as error:
        raise CorruptFile(name=path.name, detail=translatable("it needs a password")) from error
    except CalamineError as error:
        raise CorruptFile(name=path.name, detail=_reason(path)) from error


def _parts(workbook: CalamineWorkbook, context: LoaderContext) -> Iterator[DocumentPart]:
    total = len(workbook.sheets_metadata)
    for index, sheet in enumerate(workbook.sheets_metadata):
        if sheet.typ is SheetTypeEnum.WorkSheet:
            for part in _sheet_parts(workbook.get_sheet_by_index(index)):
                yield part
                context.report(index, total)  # shows progress within a long sheet
        context.report(index + 1, total)


def _sheet_parts(sheet: CalamineSheet) -> Iterator[DocumentPart]:
    row, column = sheet.start or (0, 0)
    rows = ([_format_value(value) for value in values] for values in islice(sheet.iter_rows(), row, None))
    return table_parts(rows, name=sheet.name, first_row=row, first_column=column)


def _format_value(value: object) -> str:
    """Return a value roughly as displayed: integers without a decimal point, dates without a time."""
    match value:
        case bool():
            return str(value).upper()
        case float() if value.is_integer():
            return str(int(value))
        case datetime() if value.time() == datetime.min.time():
            return value.date().isoformat()
        case datetime():
            return value.isoformat(" ", "seconds")
        case date():
            return value.isoformat()
        case _:
            return cell_text(value)


def _reason(path: Path) -> str:
    kind = path.suffix.lower().removeprefix(".")
    # A locked xlsx file is an OLE container instead of a zip archive.
    return (
        translatable("it needs a password")
        if is_ole(path) and kind != "xls"
        else _UNREADABLE.format(kind=kind)
    )


def cells_of(path: Path) -> int:
    """Return how many cells the largest sheet of an xlsx file spans; 0 for other types.

    Its `<dimension>` is not used, as it can be wrong or missing.
    """
    try:
        with ZipFile(path) as archive:
            names = [
                name for name in archive.namelist() if name.startswith(_SHEETS) and name.endswith(".xml")
            ]
            return max((_span(_blocks(archive, name)) for name in names), default=0)
    except (BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError):
        return 0  # not an archive, or damaged or locked: its loader reports which


def _blocks(archive: ZipFile, name: str) -> Iterator[bytes]:
    with archive.open(name) as sheet:
        while block := sheet.read(_BLOCK_BYTES):
            yield block


def _span(blocks: Iterator[bytes]) -> int:
    columns: set[bytes] = set()
    first, last = 1 << 30, 0
    end = b""
    for block in blocks:
        found = _CELL.findall(end + block)
        end = block[-_LONGEST_NAME:]
        if not found:
            continue
        columns.update(column for column, _ in found)
        rows = [int(row) for _, row in found]
        first, last = min(first, *rows), max(last, *rows)
    indexes = [_index(column) for column in columns]
    return (last - first + 1) * (max(indexes) - min(indexes) + 1) if indexes else 0


def _index(column: bytes) -> int:
    index = 0
    for letter in column:
        index = index * _LETTERS + letter - ord("A") + 1
    return index
