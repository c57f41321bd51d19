"""Source code: one part per top-level definition, with its name as the section."""

import re
from pathlib import Path

from desktop.knowledge.loaders.document import Document, DocumentPart, LoaderContext, document_of
from desktop.knowledge.loaders.plain import read_text

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
        found = _defined(line)
        if not found:
            continue
        start = _start_of(lines, begin, index)
        parts.append(DocumentPart("".join(lines[begin:start]), section=name))
        begin, name = start, found
    parts.append(DocumentPart("".join(lines[begin:]), section=name))
    return parts


def _defined(line: str) -> str:
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
