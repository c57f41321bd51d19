"""Main text of real pages, ours and trafilatura's best side by side: F1 and CPU time.

    python -m benchmarks.extraction [--data ARCHIVE]

The pages are those of ../shared/data/extraction.tar.xz with the truth that came with them. F1 is that of
mean precision and recall over runs of four words, of characters where a language writes without spaces.
Ends with status 1 where ours is worse or slower.
"""

import argparse
import gzip
import json
import re
import statistics
import sys
import tarfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lxml import html

from desktop.text.html_article import main_text

ARCHIVE = Path(__file__).resolve().parents[2] / "shared" / "data" / "extraction.tar.xz"
PAIRS = "readability"
SETS = {"scrapinghub": False, "gne_zh": True, PAIRS: False}
"""Whether text is compared by character."""
_OPTIONS: tuple[dict[str, bool], ...] = ({"fast": True, "favor_recall": True}, {"fast": True}, {})
_WORD = re.compile(r"\w+")
_RUN = 4

Page = tuple[bytes, str, str]
Extract = Callable[[bytes, str], str]


@dataclass(frozen=True)
class Score:
    """F1, and the CPU time of all pages together."""

    f1: float
    seconds: float


def pages(folder: str, archive: Path = ARCHIVE) -> Iterator[Page]:
    """Yield page, address and true text."""
    if folder == PAIRS:
        yield from _pairs(archive)
        return
    held = _contents(folder, archive)
    for name, true in json.loads(held["ground-truth.json"]).items():
        kinds = (f"html/{name}.html.gz", f"html/{name}.html", f"html/{name}")
        path = next((path for path in kinds if path in held), None)
        if path is not None:
            body = gzip.decompress(held[path]) if path.endswith("gz") else held[path]
            yield body, true.get("url", ""), true["articleBody"]


def _pairs(archive: Path) -> Iterator[Page]:
    """Yield the pages of Readability's own tests with the text of what it expects of each."""
    held = _contents(PAIRS, archive)
    for name in sorted(held):
        folder = name.removesuffix("expected.html")
        if name != folder and (text := held[name].decode()).strip():
            yield held[f"{folder}source.html"], "", " ".join(html.fromstring(text).itertext())


def _contents(folder: str, archive: Path) -> dict[str, bytes]:
    """Read the files of a folder by name, in the order of the archive: going back unpacks it from its start."""
    held = {}
    with tarfile.open(archive) as opened:
        for member in opened:
            if f"{folder}/" in member.name and (file := opened.extractfile(member)) is not None:
                held[member.name.split(f"{folder}/", 1)[1]] = file.read()
    return held


def ours(page: bytes, url: str) -> str:
    """Return the text as Footnote reads it."""
    return main_text(page, url).text


def score(extract: Extract, held: Sequence[Page], *, by_character: bool) -> Score:
    """Return how close `extract` comes to the truth, and what it takes."""
    precisions, recalls = [], []
    spent = 0.0
    for page, url, true in held:
        started = time.process_time()
        text = extract(page, url)
        spent += time.process_time() - started
        wanted, got = _runs(true, by_character=by_character), _runs(text, by_character=by_character)
        shared = (wanted & got).total()
        precisions.append(shared / max(1, got.total()))
        recalls.append(shared / max(1, wanted.total()))
    precision, recall = statistics.mean(precisions), statistics.mean(recalls)
    return Score(2 * precision * recall / (precision + recall), spent)


def best_of_trafilatura(held: Sequence[Page], *, by_character: bool) -> Score:
    """Return the score of the settings of trafilatura that come closest to the truth."""
    scores = [score(_theirs(options), held, by_character=by_character) for options in _OPTIONS]
    return max(scores, key=lambda found: found.f1)


def _theirs(options: dict[str, bool]) -> Extract:
    import trafilatura

    def extract(page: bytes, url: str) -> str:
        found = trafilatura.bare_extraction(page, url, include_comments=False, with_metadata=True, **options)
        return (found.text or "") if found else ""

    return extract


def _runs(text: str, *, by_character: bool) -> Counter[tuple[str, ...]]:
    units = list("".join(text.split())) if by_character else _WORD.findall(text)
    return Counter(tuple(units[start : start + _RUN]) for start in range(max(1, len(units) - _RUN + 1)))


def main() -> int:
    """Print the scores; 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=ARCHIVE)
    archive: Path = parser.parse_args().data
    is_met = True
    for folder, by_character in SETS.items():
        held = list(pages(folder, archive))
        ours(*held[0][:2])  # what is loaded once is not part of any page
        own = score(ours, held, by_character=by_character)
        best = best_of_trafilatura(held, by_character=by_character)
        is_met = is_met and own.f1 >= best.f1 and own.seconds <= best.seconds
        print(f"{folder}: {len(held)} pages")
        print(f"  ours          F1 {own.f1:.4f} in {own.seconds:.2f} s")
        print(
            f"  trafilatura   F1 {best.f1:.4f} in {best.seconds:.2f} s   time ratio {own.seconds / best.seconds:.2f}"
        )
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
