"""The formats of files: how each is loaded, shown, drawn and named. A new format is an entry here and its loader."""

from dataclasses import dataclass
from enum import Enum, auto
from pathlib import PurePath
from typing import Final

from desktop.phrases import translatable


class FileFamily(Enum):
    """Formats that look much the same to the user."""

    PDF = auto()
    TEXT = auto()
    SHEET = auto()
    SLIDES = auto()
    MAIL = auto()
    PICTURE = auto()
    PAGE = auto()
    BOOK = auto()
    CODE = auto()
    NOTE = auto()


@dataclass(frozen=True)
class FileFormat:
    """Formats that are treated alike, by their lower-case suffixes.

    `loader` and `drawer` name functions of the modules of `desktop.knowledge.loaders`; without a loader, `instead`
    tells the user what to do. `is_prose` shows the text in paragraphs instead of lines. At an address,
    `is_document` is read as a file, with its pages, and anything else as a web page.
    """

    suffixes: str
    loader: str = ""
    family: FileFamily = FileFamily.CODE
    is_prose: bool = False
    is_document: bool = False
    drawer: str = ""
    instead: str = "{suffix}"


PLAIN: Final = FileFormat(".txt .text", "plain:load_plain", FileFamily.TEXT, is_prose=True)
PDF: Final = FileFormat(
    ".pdf", "pdf:load_pdf", FileFamily.PDF, is_prose=True, is_document=True, drawer="pdf:draw_page"
)
PICTURE: Final = FileFormat(
    ".png .jpg .jpeg .webp .tif .tiff .bmp .gif",
    "picture:load_picture",
    FileFamily.PICTURE,
    drawer="picture:draw_frame",
)
_CODE = (
    ".py .pyi .pyx .js .mjs .cjs .jsx .ts .tsx .java .kt .kts .scala .groovy .gradle .go .rs .c .h .cc .cpp .cxx .hpp "
    ".hh .m .mm .cs .fs .vb .swift .dart .php .rb .pl .pm .lua .r .jl .sh .bash .zsh .fish .ps1 .bat .cmd .sql .hs "
    ".ml .mli .ex .exs .erl .hrl .clj .cljs .lisp .el .scm .nim .zig .v .sv .vhd .vhdl .f .f90 .f95 .pas .d .asm .s "
    ".proto .thrift .graphql .vue .svelte .css .scss .sass .less .cmake .mk .tf .sol .cu .glsl .toml .yaml .yml .ini "
    ".cfg .conf .properties .env .dockerfile .make .tcl .awk .qml .vim .nix .bzl"
)
_OFFICE = "kreuzberg:load_office"

FORMATS: Final = (
    PLAIN,
    PDF,
    PICTURE,
    FileFormat(_CODE, "plain:load_code"),
    FileFormat(".log .rst .tex .org", "plain:load_plain"),
    FileFormat(".srt .vtt", "plain:load_plain", is_prose=True),
    FileFormat(".md .markdown .mdown .mkd", "markdown:load_markdown", FileFamily.TEXT, is_prose=True),
    FileFormat(".json .jsonl .ndjson .ipynb .geojson", "json:load_json"),
    FileFormat(".xml .rss .atom", "markup:load_xml"),
    FileFormat(".html .htm .xhtml", "markup:load_html", FileFamily.PAGE, is_prose=True),
    FileFormat(".mhtml .mht", "markup:load_mhtml", FileFamily.PAGE, is_prose=True),
    FileFormat(".csv .tsv", "csv:load_table", FileFamily.SHEET),
    FileFormat(".xlsx .xlsm .xlsb .xls .ods", "workbook:load_workbook", FileFamily.SHEET, is_document=True),
    FileFormat(".docx .docm", "docx:load_word", FileFamily.TEXT, is_prose=True, is_document=True),
    FileFormat(".doc .dot", "doc:load_word_binary", FileFamily.TEXT, is_prose=True, is_document=True),
    FileFormat(
        ".pptx .pptm .ppsx",
        "pptx:load_slides",
        FileFamily.SLIDES,
        is_prose=True,
        is_document=True,
        drawer="pptx:draw_slide",
    ),
    FileFormat(".ppt", _OFFICE, FileFamily.SLIDES, is_prose=True, is_document=True),
    FileFormat(".odt .rtf", _OFFICE, FileFamily.TEXT, is_prose=True, is_document=True),
    FileFormat(".epub", _OFFICE, FileFamily.BOOK, is_prose=True, is_document=True),
    FileFormat(".eml", "mail:load_mail", FileFamily.MAIL, is_prose=True, is_document=True),
    FileFormat(".msg", "mail:load_outlook", FileFamily.MAIL, is_prose=True, is_document=True),
    FileFormat(".odp", family=FileFamily.SLIDES),
    FileFormat(".url", family=FileFamily.PAGE),
    FileFormat(".heic .heif .avif", instead=translatable("{suffix}: save it as JPEG or PNG")),
    FileFormat(".pages .numbers .key .djvu .xps", instead=translatable("{suffix}: save it as PDF")),
    FileFormat(".wps .et .dps", instead=translatable("{suffix}: save it as docx, xlsx or pptx")),
    FileFormat(".mobi .azw .azw3", instead=translatable("{suffix}: save it as EPUB")),
    FileFormat(".zip .rar .7z .tar .gz .tgz", instead=translatable("{suffix}: unpack it first")),
)
_UNKNOWN: Final = FileFormat("")
_BY_SUFFIX: Final = {suffix: each for each in FORMATS for suffix in each.suffixes.split()}


def format_named(name: str | PurePath) -> FileFormat:
    """Return the format that the name of a file says it has; an unknown one has no loader."""
    return _BY_SUFFIX.get(PurePath(name).suffix.lower(), _UNKNOWN)
