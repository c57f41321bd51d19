"""Plain text in any encoding, and source code: one part per top-level definition, with its name as the section."""

import re
from pathlib import Path

from desktop.errors import ReadingFailed, UnsupportedFile
from desktop.knowledge.loaders.document import Document, DocumentPart, LoaderContext, document_of, first_of
from desktop.phrases import translatable
from desktop.text.decode import decode

MAX_BYTES = 64 * 1024 * 1024
_SNIFFED_BYTES = 8_192
_SNIFFED_CHARS = 65_536
_GARBAGE_SHARE = 0.05
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f\ufffd\ufdd0-\ufdef\ufffe\uffff]")
"""Characters that are not typed. Escape (0x1b) colours logs; 0x85 ends lines on mainframes."""
_TOO_LARGE = translatable("it is longer than {size} MB of text")
_UTF16_OR_32_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a text file.

    Raises:
        ReadingFailed: the file exceeds the maximum size of texts.
    """
    if path.stat().st_size > MAX_BYTES:
        raise ReadingFailed(name=path.name, detail=_TOO_LARGE.format(size=MAX_BYTES // 2**20))
    return path.read_bytes()


def read_text(path: Path) -> tuple[str, bool]:
    """Return the decoded text of a file, and whether it was cut off.

    Raises:
        UnsupportedFile: it is not text.
        ReadingFailed: it exceeds the maximum size of texts.
    """
    text = decode(read_bytes(path))
    if _is_garbage(text):
        raise UnsupportedFile(name=path.name, detail=translatable("it contains data, not text"))
    return first_of(text)


def load_plain(path: Path, _context: LoaderContext) -> Document:
    """Load a text file unchanged."""
    text, is_cut = read_text(path)
    return document_of("", [DocumentPart(text)], is_cut=is_cut)


def _is_garbage(text: str) -> bool:
    """Say whether decoded text is binary data, such as a picture, a program or an archive."""
    sample = text[:_SNIFFED_CHARS]
    return len(_NO_TEXT.findall(sample)) > _GARBAGE_SHARE * len(sample)


def looks_like_text(path: Path) -> bool:
    """Say whether a file of unknown type starts with text."""
    with path.open("rb") as file:
        head = file.read(_SNIFFED_BYTES)
    return head.startswith(_UTF16_OR_32_MARKS) or b"\x00" not in head


_NAME = r"(?P<name>~?[^\W\d][\w$]*(?:(?:::~?|\.)[\w$]+)*)"
_MODIFIERS = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|sealed|open|override|"
    r"virtual|inline|extern|unsafe|const|pub(?:\([^)]*\))?|data|case|partial|local|declare|readonly)\s+)*"
)
_KINDS = (
    r"class|interface|trait|struct|enum|record|object|protocol|namespace|module|mod|impl(?:<[^>]*>)?|"
    r"extension|contract|def|fn|func|fun|function\*?|sub|proc|procedure|macro_rules!|type|actor|service|message|"
    r"defmodule|defp?|(?:create|alter)\s+(?:or\s+replace\s+)?(?:table|view|function|procedure|trigger|index)"
)
_DEFINITION = re.compile(rf"^{_MODIFIERS}(?:{_KINDS})\s+(?:\([^)]*\)\s*)?{_NAME}", re.IGNORECASE)
_BOUND = re.compile(
    rf"^{_MODIFIERS}(?:const|let|var|val)\s+{_NAME}\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\(|\w+\s*=>)"
)
_C_FUNCTION = re.compile(rf"^[A-Za-z_][\w\s*&<>:,~]*?[\s*&]{_NAME}\s*\([^;]*$")
_TABLE = re.compile(r"^\[\[?(?P<name>[^\]\n]+)\]\]?\s*(?:[#;].*)?$")
_NOT_C = re.compile(
    r"^(?:return|else|if|for|while|switch|case|throw|new|delete|using|typedef|import|from|print)\b"
)
_LEADING = re.compile(
    r"^(?:@|#\[|//|/\*|\s?\*|#(?!include|define|if|endif|pragma)|--|;|\"\"\"|template\b|\[\w)"
)
"""Lines that belong to the following definition: decorators, attributes and comments."""
_MAX_LINE = 400


def load_code(path: Path, _context: LoaderContext) -> Document:
    """Load source code; the section of each part is the name of its definition."""
    text, is_cut = read_text(path)
    return document_of("", code_parts(text), is_cut=is_cut)


def code_parts(text: str) -> list[DocumentPart]:
    """Split source code before each definition that is not indented, including the comments above it."""
    lines = text.splitlines(keepends=True)
    parts: list[DocumentPart] = []
    begin, name = 0, ""
    for index, line in enumerate(lines):
        found = _find_definition(line)
        if not found:
            continue
        start = _start_of(lines, begin, index)
        parts.append(DocumentPart("".join(lines[begin:start]), section=name))
        begin, name = start, found
    parts.append(DocumentPart("".join(lines[begin:]), section=name))
    return parts


def _find_definition(line: str) -> str:
    if not line or line[0] in " \t\r\n})" or len(line) > _MAX_LINE or _NOT_C.match(line):
        return ""
    line = line.rstrip()
    if line.endswith((";", ",")):  # a declaration of something defined elsewhere
        return ""
    found = _DEFINITION.match(line) or _BOUND.match(line) or _C_FUNCTION.match(line) or _TABLE.match(line)
    return found["name"] if found else ""


def _start_of(lines: list[str], begin: int, index: int) -> int:
    while index > begin and _LEADING.match(lines[index - 1]):
        index -= 1
    return index
