"""The start of an installed program against the same from a checkout: processor and wall time, as ratios.

    python -m benchmarks.installed_start LAUNCHER [--rounds N]

LAUNCHER is /opt/footnote/footnote, an AppImage, or the launcher of an unpacked tree. Rounds alternate, so that both suffer
alike from what else the machine does; the median of each counts.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

COMMANDS = {
    "--help": ("--help",),
    "doctor": ("doctor", "--json"),
    "history": ("history", "nothing", "--json"),
}


def measure(command: tuple[str, ...], data: str) -> tuple[float, float]:
    """Return the processor and the wall time of a command, in seconds."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = os.environ | {"FOOTNOTE_DATA_DIR": data}
    subprocess.run(command, env=environment, capture_output=True, check=False)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def main() -> None:
    """Print one JSON document."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("launcher", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    forms = {"source": (sys.executable, "-m", "desktop"), "installed": (str(arguments.launcher),)}
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, words in COMMANDS.items():
            taken = {form: [] for form in forms}
            for number in range(arguments.rounds + 1):
                for form, start in forms.items():
                    found = measure((*start, *words), str(Path(folder) / form))
                    if number:  # the first round fills the caches
                        taken[form].append(found)
            medians = {
                form: [median(each[kind] for each in rows) for kind in (0, 1)] for form, rows in taken.items()
            }
            processor, wall = (medians["installed"][kind] / medians["source"][kind] for kind in (0, 1))
            results[name] = {"processor": round(processor, 2), "wall": round(wall, 2), "seconds": medians}
    print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
