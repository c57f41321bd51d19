"""How often the check of a text is wrong when its claims are looked up in a base, and what it costs.

    python -m benchmarks.text_check [--data FOLDER] [--claims N] [--pages FOLDER] [--seed N]

FOLDER is as for `benchmarks.support`. All documents that ALCE's demonstration answers come with become one base. One
text has the claims of the answers and summaries (`right`), others those with one number or name made another one
(`number`, `name`): none of these should be supported. `absent` are right claims, looked up in a base that has only the
documents of other questions. Claims have no references, so that each one is looked up. `together` are the first hundred of all and come first, so that
the models of the check are loaded in their time; processor time is that of all processes of the program.

With `--pages`, a folder as for `benchmarks.disagreements`, the claims are instead sentences of pages in English and in
Chinese, put in other words by script (`right`), and the same with one fact changed: a number, a date, a name, or the
sentence denied (`negation`). All pages of a language are one base; another seed chooses other pages and changes.
"""

import argparse
import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path

import psutil

from benchmarks.disagreements import SEED, claims_about
from benchmarks.support import FOLDER, Pair, pairs_of
from desktop.chat.checking.texts import MOST_CLAIMS, TextChecker, prepare_text
from desktop.domain.citation_check import VERDICTS
from desktop.domain.sources import Ledger
from desktop.services.container import ServiceContainer, running_services
from desktop.settings.folders import folders_for

AT_ONCE = 8
TIMED = 100
"""How many claims are checked at most for the time that they take."""
VERDICT_NAMES = ("supported", "partly", "contradicted", "not_found")


async def measure(folder: Path, most: int) -> None:
    pairs = [pair for pair in pairs_of(folder) if pair.collection in {"alce", "summaries"}]
    questions = sorted({pair.question for pair in pairs})
    one_half = set(questions[::2])
    with tempfile.TemporaryDirectory() as made:
        async with running_services(folders_for(Path(made, "data"))) as services:
            kept = [pair for pair in pairs if pair.kind != "other"]
            base = await _base(kept, Path(made, "all"), services)
            half = await _base(
                [pair for pair in kept if pair.question in one_half], Path(made, "half"), services
            )
            print(f"{len({pair.document for pair in kept})} documents\n")
            _print_head()
            kinds = {
                kind: list(dict.fromkeys(pair.claim for pair in pairs if pair.kind == kind))[:most]
                for kind in ("cited", "number", "name")
            }
            together = [claim for claims in kinds.values() for claim in claims]
            await _report("together", together, services, base, TIMED)
            for kind, claims in kinds.items():
                await _report("right" if kind == "cited" else kind, claims, services, base)
            away = [pair.claim for pair in pairs if pair.kind == "cited" and pair.question not in one_half]
            await _report("absent", list(dict.fromkeys(away))[:most], services, half)


async def measure_pages(folder: Path, most: int, seed: int) -> None:
    with tempfile.TemporaryDirectory() as made:
        async with running_services(folders_for(Path(made, "data"))) as services:
            for language in ("en", "zh"):
                pages, claims = claims_about(folder, language, most, seed)
                base = await services.knowledge.create(language)
                joint = " " if language == "en" else ""
                files = [
                    _write(Path(made, f"{language}-{number}.md"), page.title, joint.join(page.sentences))
                    for number, page in enumerate(pages)
                ]
                async for _ in services.knowledge.add(base.id, files):
                    pass
                print(f"\n{language}: {len(pages)} pages\n")
                _print_head()
                for kind, texts in claims.items():
                    await _report(kind, texts[:most], services, base.id)


def _print_head() -> None:
    print(f"| claims | count | {' | '.join(VERDICT_NAMES)} | wall s | processor s |")
    print(f"| - |{' -: |' * (len(VERDICT_NAMES) + 3)}")


def _write(path: Path, title: str, text: str) -> Path:
    path.write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
    return path


async def _base(pairs: Sequence[Pair], folder: Path, services: ServiceContainer) -> str:
    base = await services.knowledge.create(folder.name)
    async for _ in services.knowledge.add(base.id, _written(pairs, folder)):
        pass
    return base.id


def _written(pairs: Sequence[Pair], folder: Path) -> list[Path]:
    folder.mkdir()
    documents = list(dict.fromkeys(pair.document for pair in pairs))
    paths = [folder / f"{number}.md" for number in range(len(documents))]
    return [
        _write(path, document.title, document.text) for path, document in zip(paths, documents, strict=True)
    ]


async def _report(
    name: str, claims: Sequence[str], services: ServiceContainer, base: str, most: int = MOST_CLAIMS
) -> None:
    began, spent = time.monotonic(), _processor_s()
    ledger = Ledger()
    prepared = prepare_text(
        "\n\n".join(claim if claim[-1] in "。！？" else f"{claim.rstrip('.')}." for claim in claims),
        ledger,
        most,
    )
    found: Counter[str] = Counter()
    places = services.evidence.places((base,), "off", opens_pages=False)
    async with aclosing(TextChecker(places, ledger)) as checker:
        for start in range(0, len(prepared.claims), AT_ONCE):
            checked = await checker.check(prepared.claims[start : start + AT_ONCE])
            found.update(VERDICTS[claim.verdict.support] for claim in checked)
    shares = " | ".join(f"{found[each] / max(1, found.total()):.0%}" for each in VERDICT_NAMES)
    print(
        f"| {name} | {found.total()} | {shares} | {time.monotonic() - began:.1f} | {_processor_s() - spent:.1f} |"
    )


def _processor_s() -> float:
    """Return the processor time of this process and of all that it started and that still run."""
    own = psutil.Process()
    times = [process.cpu_times() for process in (own, *own.children(recursive=True))]
    return sum(each.user + each.system for each in times)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=FOLDER)
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--claims", type=int, default=100)
    parser.add_argument("--seed", type=int, default=SEED)
    chosen = parser.parse_args()
    if chosen.pages:
        asyncio.run(measure_pages(chosen.pages, chosen.claims, chosen.seed))
    else:
        asyncio.run(measure(chosen.data, chosen.claims))
