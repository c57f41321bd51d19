"""Presentations (pptx): slides in order of presentation, each with its notes.

Text, tables, charts and diagrams are converted to text. On slides with little text, pictures are read as well.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from desktop.knowledge.loaders.csv import markdown_table
from desktop.knowledge.loaders.document import (
    Document,
    DocumentPart,
    LoaderContext,
    Pixels,
    document_of,
    shows_something,
)
from desktop.knowledge.loaders.ooxml import (
    BROKEN,
    Relation,
    attribute,
    child,
    core_title,
    corrupt,
    forget,
    has,
    local,
    part_of,
    plain,
    relations,
    steps,
)
from desktop.knowledge.loaders.picture import draw_embedded

_FULL_TEXT = 120
"""A slide with more letters than this is described by its text; its pictures are not read."""
_MAX_PICTURES = 4
_MAX_PICTURE_BYTES = 64 * 1024 * 1024
_MAX_SLIDES = 10_000
_TITLES = frozenset({"title", "ctrTitle"})
_LEFT_OUT = frozenset({"sldNum", "ftr", "dt", "hdr", "sldImg"})
"""Placeholders that are the same on every slide."""
_FILE_NAME = re.compile(r".{1,200}\.[a-z]{3,4}", re.IGNORECASE)
_MAX_POINTS = 1_000
"""Maximum number of data points of a chart to include."""


@dataclass(frozen=True)
class Shape:
    """A shape on a slide: its text, and the part with its picture."""

    text: str = ""
    picture: str = ""
    is_title: bool = False


def load_slides(path: Path, context: LoaderContext) -> Document:
    """Load a pptx file.

    Raises:
        CorruptFile: it is not a pptx file, or a locked one.
        NeedsScan: as `LoaderContext.read_picture` does.
    """
    try:
        with ZipFile(path) as archive:
            return _Show(archive, context).document()
    except BROKEN as error:
        raise corrupt(path) from error


def draw_slide(path: Path, page: int | None) -> "Pixels | None":
    """Return the largest picture of a slide, or None if the slide has enough text.

    Raises:
        CorruptFile: it is not a pptx file.
    """
    try:
        with ZipFile(path) as archive:
            slide = _slides(archive)[(page or 1) - 1]
            pictures = _pictures(archive, list(shapes_of(archive, slide)))
            return max(pictures.values(), key=lambda picture: picture.size, default=None)
    except (*BROKEN, IndexError) as error:
        raise corrupt(path) from error


class _Show:
    """Reads one presentation slide by slide."""

    def __init__(self, archive: ZipFile, context: LoaderContext) -> None:
        self._archive = archive
        self._context = context
        self._seen: set[str] = set()
        """Pictures that were read already, as a background is repeated on every slide."""
        self._scanned = 0
        self._wordless: list[int | None] = []

    def document(self) -> Document:
        slides = _slides(self._archive)
        document = document_of(
            core_title(self._archive), self._parts(slides), len(slides), is_late=self._context.is_late
        )
        return replace(document, scanned=self._scanned, wordless=tuple(self._wordless))

    def _parts(self, slides: list[str]) -> Iterator[DocumentPart]:
        for number, slide in enumerate(slides, start=1):
            shapes = list(shapes_of(self._archive, slide))
            title = next((" ".join(shape.text.split()) for shape in shapes if shape.is_title), "")
            notes = part_of(self._archive, "notesSlide", slide)
            spoken = shapes_of(self._archive, notes) if notes and has(self._archive, notes) else ()
            said = (shape.text for shape in (*_title_first(shapes), *spoken))
            texts = [*said, *self._read_pictures(number, shapes)]
            yield DocumentPart("\n\n".join(filter(None, texts)), number, title)
            self._context.report(number, len(slides))

    def _read_pictures(self, number: int, shapes: list[Shape]) -> Iterator[str]:
        """Yield the text in the pictures of a slide."""
        if self._context.read_picture is None:
            return
        new = [shape for shape in shapes if shape.picture not in self._seen or not shape.picture]
        pictures = _pictures(self._archive, new)
        self._seen.update(pictures)
        texts = {name: self._context.read_picture(picture) for name, picture in pictures.items()}
        yield from texts.values()
        if any(texts.values()):
            self._scanned += 1
        elif self._context.describes and any(map(shows_something, pictures.values())):
            self._wordless.append(number)


def _slides(archive: ZipFile) -> list[str]:
    """Return the parts of the slides in order of presentation, which can differ from their names."""
    show = part_of(archive, "officeDocument") or "ppt/presentation.xml"
    parts = {found.id: found.part for found in relations(archive, show) if found.kind == "slide"}
    slides: list[str] = []
    for event, element in steps(archive, show, "sldId"):
        if event == "end":
            name = next((str(value) for key, value in element.attrib.items() if key.endswith("}id")), "")
            slides.append(parts.get(name, ""))
            forget(element)
    return [slide for slide in slides if has(archive, slide)][:_MAX_SLIDES]


def _title_first(shapes: list[Shape]) -> list[Shape]:
    return sorted(shapes, key=lambda shape: not shape.is_title)


def _pictures(archive: ZipFile, shapes: list[Shape]) -> dict[str, Pixels]:
    """Return the pictures of a slide to read, by part; none if it has enough text."""
    if sum(map(str.isalnum, "".join(shape.text for shape in shapes))) > _FULL_TEXT:
        return {}
    pictures: dict[str, Pixels] = {}
    for name in dict.fromkeys(shape.picture for shape in shapes):
        if has(archive, name) and archive.getinfo(name).file_size <= _MAX_PICTURE_BYTES:
            picture = draw_embedded(archive.read(name))
            if picture is not None:
                pictures[name] = picture
        if len(pictures) == _MAX_PICTURES:
            break
    return pictures


def shapes_of(archive: ZipFile, slide: str) -> Iterator[Shape]:
    """Yield the shapes of a slide or notes page in file order."""
    targets = {found.id: found for found in relations(archive, slide)}
    for event, element in steps(archive, slide, "sp", "graphicFrame", "pic"):
        if event == "start" or _is_repeated(element):
            continue
        match local(element):
            case "sp":
                yield _text_shape(element)
            case "pic":
                yield Shape(_caption(element), _target(element, "blipFill/blip", "embed", targets))
            case _:
                yield Shape(_read_frame(archive, element, targets))
        forget(element)


def _is_repeated(element: Any) -> bool:
    """Say whether an element is a fallback picture for programs that cannot show the object itself."""
    return any(local(above) in {"Fallback", "graphicFrame"} for above in element.iterancestors())


def _text_shape(element: Any) -> Shape:
    placeholder = child(element, "nvSpPr/nvPr/ph")
    kind = attribute(placeholder, "type") if placeholder is not None else ""
    body = child(element, "txBody")
    if body is None or kind in _LEFT_OUT:
        return Shape()
    lines = [" ".join(line.split()) for line in plain(body).split("\n")]
    return Shape("\n".join(filter(None, lines)), is_title=kind in _TITLES)


def _caption(picture: Any) -> str:
    """Return the alternative text of a picture, unless it is only a file name."""
    facts = child(picture, "nvPicPr/cNvPr")
    words = " ".join(attribute(facts, "descr").split()) if facts is not None else ""
    return "" if _FILE_NAME.fullmatch(words) else words


def _read_frame(archive: ZipFile, frame: Any, targets: Mapping[str, Relation]) -> str:
    """Return a table, a chart or a diagram as text."""
    rows = [
        [" ".join(plain(cell).split()) for cell in row.iterchildren("{*}tc")] for row in frame.iter("{*}tr")
    ]
    if rows:
        return markdown_table(rows) if any(map(any, rows)) else ""
    chart = _target(frame, "graphic/graphicData/chart", "id", targets)
    if chart and has(archive, chart):
        return _chart(archive, chart)
    diagram = _target(frame, "graphic/graphicData/relIds", "dm", targets)
    return _diagram(archive, diagram) if diagram and has(archive, diagram) else ""


def _target(element: Any, path: str, name: str, targets: Mapping[str, Relation]) -> str:
    found = child(element, path)
    relation = targets.get(attribute(found, name)) if found is not None else None
    return relation.part if relation is not None else ""


def _chart(archive: ZipFile, part: str) -> str:
    """Return the data of a chart as a table with one column per series."""
    title = ""
    categories: list[str] = []
    columns: list[list[str]] = []
    for event, element in steps(archive, part, "title", "ser"):
        if event == "start":
            continue
        if local(element) == "title":
            title = title or " ".join(plain(element).split())
            continue
        named = [_values(element, path) for path in ("cat", "xVal")]
        categories = max(categories, *named, key=len)
        values = max((_values(element, path) for path in ("val", "yVal")), key=len)
        columns.append([*(_values(element, "tx") or [""])[:1], *values])
        forget(element)
    rows = [
        [categories[row - 1] if 0 < row <= len(categories) else "", *(_at(column, row) for column in columns)]
        for row in range(max(map(len, columns), default=0))
    ]
    return "\n\n".join(filter(None, (title, markdown_table(rows))))


def _values(series: Any, path: str) -> list[str]:
    found = child(series, path)
    if found is None:
        return []
    return [" ".join((value.text or "").split()) for value in found.iter("{*}v")][:_MAX_POINTS]


def _at(column: list[str], row: int) -> str:
    return column[row] if row < len(column) else ""


def _diagram(archive: ZipFile, part: str) -> str:
    texts: list[str] = []
    for event, element in steps(archive, part, "pt"):
        if event == "end":
            texts.append(" ".join(plain(element).split()))
            forget(element)
    return "\n".join(filter(None, texts))
