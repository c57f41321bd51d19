"""Tables of cases that run as one test: every case is tried, and all that fail are reported together."""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest


def cases(names: str, rows: Iterable[Any], ids: Sequence[str] | Callable[[Any], str] | None = None) -> Any:
    """Call a test once for every row, as `pytest.mark.parametrize` does, within one test.

    Every row has its own folder as `tmp_path`, and what it changes by `monkeypatch` is undone after it. The
    rows share all other fixtures.
    `ids` says what a failed row is called in the report; without it that is the row itself.
    """
    keys = [name.strip() for name in names.split(",")]
    table = [_read(row, len(keys)) for row in rows]
    if not table:
        raise ValueError("a table without cases tests nothing")

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(*arguments: Any, **fixtures: Any) -> None:
            failures: list[BaseException] = []
            skipped = []
            for place, (values, label) in enumerate(table):
                try:
                    with _separate(fixtures, place) as own_fixtures:
                        test(*arguments, **own_fixtures, **dict(zip(keys, values, strict=True)))
                except pytest.skip.Exception as reason:
                    skipped.append(str(reason))
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - all are raised below
                    error.add_note(f"in the case {_name(ids, place, values, label)}")
                    failures.append(error)
            if len(failures) == 1:
                raise failures[0]
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(table)} cases failed", failures)
            if len(skipped) == len(table):
                pytest.skip(skipped[0])

        signature = inspect.signature(test)
        kept = [value for name, value in signature.parameters.items() if name not in keys]
        run.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        del run.__wrapped__  # pytest would look for the fixtures of the test itself
        return run

    return decorate


@contextmanager
def _separate(fixtures: dict[str, Any], place: int) -> Iterator[dict[str, Any]]:
    own = dict(fixtures)
    if "tmp_path" in own:
        own["tmp_path"] = fixtures["tmp_path"] / f"case-{place}"
        own["tmp_path"].mkdir()
    if "monkeypatch" not in own:
        yield own
        return
    with pytest.MonkeyPatch.context() as own["monkeypatch"]:
        yield own


def _read(row: Any, width: int) -> tuple[tuple[Any, ...], str | None]:
    own = None
    if hasattr(row, "values") and hasattr(row, "marks"):  # pytest.param
        if row.marks:
            raise ValueError("a row with marks needs pytest.mark.parametrize")
        row, own = row.values, row.id
        return tuple(row), own
    return (tuple(row) if width > 1 else (row,)), own


def _name(ids: Any, place: int, values: tuple[Any, ...], own: str | None) -> str:
    if own is not None:
        return own
    if callable(ids):
        return ", ".join(str(ids(value)) for value in values)
    if ids is not None:
        return str(list(ids)[place])
    return ", ".join(f"{value!r:.300}" for value in values)
