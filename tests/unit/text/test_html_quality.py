"""Main text of real pages: not below trafilatura at its best on the same pages, in less time than it takes."""

import gzip
import io
import json
import re
import statistics
import tarfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from desktop.text.html import main_text

ARCHIVE = Path(__file__).resolve().parents[4] / "shared" / "data" / "extraction.tar.xz"
WORD = re.compile(r"\w+")
RUN = 4

pytestmark = pytest.mark.skipif(not ARCHIVE.is_file(), reason="the pages are not part of the project")


def pages(folder: str) -> Iterator[tuple[bytes, str, str]]:
    """Yield page, address and true text."""
    with tarfile.open(ARCHIVE) as archive:
        held = {
            member.name.split(f"{folder}/", 1)[1]: member
            for member in archive.getmembers()
            if member.isfile() and f"{folder}/" in member.name
        }
        truth = json.load(io.TextIOWrapper(archive.extractfile(held["ground-truth.json"]), "utf-8"))
        for name, true in truth.items():
            for path in (f"html/{name}.html.gz", f"html/{name}.html", f"html/{name}"):
                if path in held:
                    data = archive.extractfile(held[path]).read()
                    yield (
                        gzip.decompress(data) if path.endswith("gz") else data,
                        true.get("url", ""),
                        true["articleBody"],
                    )
                    break


def runs(text: str, *, by_character: bool) -> Counter[tuple[str, ...]]:
    units = list("".join(text.split())) if by_character else WORD.findall(text)
    return Counter(tuple(units[start : start + RUN]) for start in range(max(1, len(units) - RUN + 1)))


def measured(
    extract: Callable[[bytes, str], str], held: list[tuple[bytes, str, str]], *, by_character: bool
) -> tuple[float, float]:
    """Return F1 of mean precision and recall over runs of four, and the CPU time."""
    precisions, recalls = [], []
    spent = 0.0
    for page, url, true in held:
        started = time.process_time()
        text = extract(page, url)
        spent += time.process_time() - started
        wanted, got = runs(true, by_character=by_character), runs(text, by_character=by_character)
        shared = (wanted & got).total()
        precisions.append(shared / max(1, got.total()))
        recalls.append(shared / max(1, wanted.total()))
    precision, recall = statistics.mean(precisions), statistics.mean(recalls)
    return 2 * precision * recall / (precision + recall), spent


@pytest.mark.parametrize(("folder", "floor"), [("scrapinghub", 0.965), ("gne_zh", 0.92)])
def test_real_pages(folder, floor):
    import trafilatura

    def theirs(**options):
        def extract(page: bytes, url: str) -> str:
            found = trafilatura.bare_extraction(
                page, url, include_comments=False, with_metadata=True, **options
            )
            return found.text or "" if found else ""

        return extract

    held = list(pages(folder))
    by_character = folder == "gne_zh"
    main_text(held[0][0])
    own_f1, own_s = measured(lambda page, url: main_text(page, url).text, held, by_character=by_character)
    best_f1, best_s = max(
        measured(theirs(**options), held, by_character=by_character)
        for options in ({"fast": True, "favor_recall": True}, {"fast": True}, {})
    )
    print(f"{folder}: F1 {own_f1:.4f} in {own_s:.2f} s, trafilatura's best {best_f1:.4f} in {best_s:.2f} s")
    assert own_f1 >= floor
    assert own_f1 >= best_f1
    assert own_s <= best_s
