"""What the loaders of Footnote find in files, against libraries that read the same formats.

`python -m benchmarks.loaders FOLDER --libraries PYTHON`: FOLDER is walked for files of the suffixes below. PYTHON is an
interpreter that has `markitdown[docx,pptx,xlsx,xls,outlook]` (it reads with mammoth, python-pptx, pandas, openpyxl and
olefile), `extract-msg` and `python-docx`; kreuzberg comes with Footnote, antiword with the system. Every reader gets the files one after the other
in a process of its own, which is ended after `--seconds` for one file or at 3 GB.

Recall is over the distinct words (in Chinese: characters) of a file that at least two readers found, so a word that one of
them invents counts for none. `--hostile` adds damaged and malicious copies of the first files of each suffix: cut short,
with changed bytes, entities that unfold, 100,000 nested elements, 300 MB of one letter. A crash is a process that died or
had to be ended; an error that the reader raises is none.
"""

import argparse
import json
import random
import re
import resource
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FORMATS = {
    "docx": (".docx", ".docm"),
    "doc": (".doc",),
    "pptx": (".pptx",),
    "workbook": (".xlsx", ".xls", ".ods"),
    "mail": (".eml", ".msg"),
    "csv": (".csv", ".tsv"),
    "html": (".html", ".htm"),
    "markdown": (".md",),
    "code": (".py", ".js", ".ts", ".c", ".go", ".java", ".rs", ".sh"),
    "json": (".json", ".jsonl", ".ndjson", ".ipynb"),
    "xml": (".xml", ".rss"),
}
_MAX_BYTES = 3 * 1024**3
_SEED = 20_261_126
_COPIES = 8
"""Copies with changed bytes for each file that is damaged."""
_DAMAGED_FILES = 3
_NESTED = 100_000
_BOMB_BYTES = 300 * 1024**2
_ADDRESS = re.compile(r"(?<=\])\([^)\s]*[^)]*\)|https?://\S+|<!--.*?-->", re.DOTALL)
"""Targets of links and names of pictures in Markdown, which Footnote leaves out on purpose."""
_WORD = re.compile(r"[一-鿿぀-ヿ]|[^\W_]{2,}")
_MAIN_PARTS = {
    ".docx": "word/document.xml",
    ".pptx": "ppt/slides/slide1.xml",
    ".xlsx": "xl/worksheets/sheet1.xml",
}

_LOOP = """
import json, sys, time, warnings, logging
warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
{prepare}
for line in sys.stdin:
    path = line.rstrip("\\n")
    started = time.process_time()
    try:
        text, error = read(path), ""
    except Exception as problem:
        text, error = "", type(problem).__name__
    print(json.dumps([time.process_time() - started, text, error]), file=sys.__stdout__, flush=True)
"""
_FOOTNOTE = """
from pathlib import Path
from desktop.knowledge.loaders.document import LoaderContext
from desktop.knowledge.loaders.registry import load
def read(path):
    found = load(Path(path), LoaderContext(read_picture=lambda *picture: ""))
    return "\\n".join([found.title, *(f"{part.section}\\n{part.text}" for part in found.parts)])
"""
_KREUZBERG = """
from kreuzberg import ExtractionConfig, extract_file_sync
config = ExtractionConfig(use_cache=False, disable_ocr=True, output_format="markdown")
def read(path):
    return extract_file_sync(path, config=config).content
"""
_MARKITDOWN = """
from markitdown import MarkItDown
converter = MarkItDown()
def read(path):
    return converter.convert(path).text_content
"""
_PYTHON_DOCX = """
from docx import Document
def read(path):
    found = Document(path)
    cells = [cell.text for table in found.tables for row in table.rows for cell in row.cells]
    return "\\n".join([*(paragraph.text for paragraph in found.paragraphs), *cells])
"""
_ANTIWORD = """
import subprocess
def read(path):
    command = ["antiword", "-w", "0", "-m", "UTF-8.txt", path]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout
"""
_EXTRACT_MSG = """
import extract_msg
def read(path):
    found = extract_msg.openMsg(path)
    return "\\n".join(str(each or "") for each in (found.subject, found.sender, found.to, found.body))
"""


@dataclass(frozen=True)
class Reader:
    """A reader; `is_ours` runs in this interpreter, the others in that of the libraries."""

    name: str
    prepare: str
    suffixes: frozenset[str] = frozenset()
    is_ours: bool = False


READERS = (
    Reader("Footnote", _FOOTNOTE, is_ours=True),
    Reader("kreuzberg", _KREUZBERG, is_ours=True),
    Reader("markitdown", _MARKITDOWN),
    Reader("python-docx", _PYTHON_DOCX, frozenset({".docx"})),
    Reader("antiword", _ANTIWORD, frozenset({".doc"})),
    Reader("extract-msg", _EXTRACT_MSG, frozenset({".msg"})),
)


@dataclass
class Found:
    """What one reader found in files of one format."""

    seconds: float = 0.0
    errors: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)
    words: dict[Path, set[str]] = field(default_factory=dict)


def read_all(reader: Reader, python: str, files: list[Path], seconds: float) -> Found:
    """Read files with one reader, and go on in a new process after one that died."""
    found = Found()
    waiting = list(files)
    while waiting:
        process = subprocess.Popen(
            [python, "-c", _LOOP.format(prepare=reader.prepare)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            preexec_fn=_limit_memory,  # noqa: PLW1509 - this process has no other thread when it starts one
        )
        with process:
            while waiting:
                path = waiting.pop(0)
                line = _ask(process, path, seconds)
                if not line:
                    found.crashes.append(path.name)
                    process.kill()
                    break
                spent, text, error = json.loads(line)
                found.seconds += spent
                if error:
                    found.errors.append(f"{path.name}: {error}")
                found.words[path] = set(_WORD.findall(_ADDRESS.sub(" ", text.lower())))
            if process.stdin and process.poll() is None:
                process.stdin.close()
    return found


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (_MAX_BYTES, _MAX_BYTES))


def _ask(process: subprocess.Popen[str], path: Path, seconds: float) -> str:
    """Return the line for one file; empty if the process died or took too long."""
    if process.stdin is None or process.stdout is None:
        return ""
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    try:
        process.stdin.write(f"{path}\n")
        process.stdin.flush()
        return process.stdout.readline()
    except BrokenPipeError:
        return ""
    finally:
        timer.cancel()
        timer.join()


def damaged(path: Path, folder: Path) -> Iterator[Path]:
    """Write damaged and malicious copies of a file and yield them."""
    chance = random.Random(f"{_SEED}{path.name}")
    content = path.read_bytes()
    versions = {"cut": content[: len(content) // 2]}
    for number in range(_COPIES):
        changed = bytearray(content)
        for _ in range(max(4, len(content) // 2_000)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
        versions[f"bytes{number}"] = bytes(changed)
    for name, data in versions.items():
        copy = folder / f"{path.stem}-{name}{path.suffix}"
        copy.write_bytes(data)
        yield copy
    part = _MAIN_PARTS.get(path.suffix.lower())
    if part is None or not zipfile.is_zipfile(path):
        return
    entities = "".join(f'<!ENTITY e{level} "{f"&e{level - 1};" * 10}">' for level in range(1, 10))
    parts = {
        "entities": f'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY e0 "laugh">{entities}]><d>&e9;</d>'.encode(),
        "nested": b"<d>" * _NESTED + b"text" + b"</d>" * _NESTED,
        "bomb": b"<d>" + b"a" * _BOMB_BYTES + b"</d>",
    }
    for name, data in parts.items():
        copy = folder / f"{path.stem}-{name}{path.suffix}"
        with (
            zipfile.ZipFile(path) as archive,
            zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED) as changed_archive,
        ):
            for member in archive.namelist():
                changed_archive.writestr(member, data if member == part else archive.read(member))
        yield copy


def files_by_format(folder: Path, names: list[str]) -> dict[str, list[Path]]:
    """Return the files of a folder that belong to the named formats."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(folder.rglob("*")):
        for name in names:
            if path.suffix.lower() in FORMATS[name] and path.is_file():
                found[name].append(path)
    return found


def report(name: str, files: list[Path], found: dict[str, Found]) -> None:
    """Print one line for each reader of a format."""
    shared: dict[Path, set[str]] = {}
    for path in files:
        counts = Counter(word for each in found.values() for word in each.words.get(path, ()))
        shared[path] = {word for word, readers in counts.items() if readers > 1}
    total = sum(map(len, shared.values()))
    for reader, each in found.items():
        hits = sum(len(shared[path] & each.words.get(path, set())) for path in files)
        recall = f"{hits / total:.3f}" if total else "–"
        print(
            f"| {name} | {len(files)} | {reader} | {recall} | {each.seconds:.2f} "
            f"| {len(each.errors)} | {len(each.crashes)} |"
        )


def main() -> None:
    """Print a table of all formats and readers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--libraries", required=True, metavar="PYTHON")
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--only", nargs="*", default=list(FORMATS))
    arguments = parser.parse_args()
    by_format = files_by_format(arguments.folder, arguments.only)
    print(
        "| format | files | reader | recall | processor seconds | errors | crashes |\n| - | -: | - | -: | -: | -: | -: |"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, files in by_format.items():
            sets = {name: files}
            if arguments.hostile:
                chosen = [path for path in files if path.stat().st_size][:_DAMAGED_FILES]
                sets[f"{name}, hostile"] = [copy for path in chosen for copy in damaged(path, Path(folder))]
            for title, these in sets.items():
                found = {}
                for reader in READERS:
                    readable = [
                        path
                        for path in these
                        if not reader.suffixes or path.suffix.lower() in reader.suffixes
                    ]
                    if readable:
                        python = sys.executable if reader.is_ours else arguments.libraries
                        found[reader.name] = read_all(reader, python, readable, arguments.seconds)
                report(title, these, found)
                for reader_name, each in found.items():
                    for line in [*each.errors[:5], *(f"crash: {crash}" for crash in each.crashes)]:
                        print(f"  {reader_name}: {line}", file=sys.stderr)


if __name__ == "__main__":
    main()
