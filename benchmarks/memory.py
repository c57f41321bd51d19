"""Memory of a process and all its children, on Linux, for the benchmarks that report it."""

from pathlib import Path


def tree_of(root: int, without: frozenset[int] = frozenset()) -> list[int]:
    """Return `root` and all that descends from it, except the processes `without` and theirs."""
    parents: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name of a program may hold spaces and brackets; what follows the last one may not.
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        parents.setdefault(int(fields[1]), []).append(int(status.parent.name))
    found, waiting = [], [root]
    while waiting:
        pid = waiting.pop()
        if pid not in without:
            found.append(pid)
            waiting.extend(parents.get(pid, []))
    return found


def megabytes(root: int, without: frozenset[int] = frozenset(), field: str = "Pss") -> float:
    """Return the proportional set size of a tree: pages that several share are counted once among them.

    With `field` Pss_Anon only what is in no file is counted, which other programs with the same libraries do not change.
    """
    return sum(_kilobytes(pid, field) for pid in tree_of(root, without)) / 1024


def _kilobytes(pid: int, field: str) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{field}:")), 0)
