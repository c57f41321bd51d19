"""Tables of cases that run as one test: every case is tried, and all that fail are reported together."""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest


def cases(names: str, rows: Iterable[Any], ids: Sequence[str] | Callable[[Any], str] | None = None) -> Any:
    """Call a test, or await it, once for every row, as `pytest.mark.parametrize` does, within one test.

    Every row has its own folder as `tmp_path`, and what it changes by `monkeypatch` is undone after it. The
    rows share all other fixtures.
    `ids` says what a failed row is called in the report; without it that is the row itself.
    """
    keys = [name.strip() for name in names.split(",")]
    table = [_read(row, len(keys)) for row in rows]
    if not table:
        raise ValueError("a table without cases tests nothing")

    def decorate(test: Callable[..., Any]) -> Any:
        def separate_rows(fixtures: dict[str, Any], report: _Report) -> Iterator[Any]:
            for place, (values, label) in enumerate(table):
                given = dict(zip(keys, values, strict=True))
                yield _tried(report, fixtures, given, place, _name(ids, place, values, label))
            report.tell(len(table))

        @functools.wraps(test)
        def run(*arguments: Any, **fixtures: Any) -> None:
            for row in separate_rows(fixtures, _Report()):
                with row as given:
                    test(*arguments, **given)

        @functools.wraps(test)
        async def run_async(*arguments: Any, **fixtures: Any) -> None:
            for row in separate_rows(fixtures, _Report()):
                with row as given:
                    await test(*arguments, **given)

        wrapped: Any = run_async if inspect.iscoroutinefunction(test) else run
        signature = inspect.signature(test)
        kept = [value for name, value in signature.parameters.items() if name not in keys]
        wrapped.__signature__ = signature.replace(parameters=kept)
        del wrapped.__wrapped__  # pytest would look for the fixtures of the test itself
        return wrapped

    return decorate


class _Report:
    """What came of the rows of a table."""

    def __init__(self) -> None:
        self.failures: list[BaseException] = []
        self.skipped: list[str] = []

    def tell(self, count: int) -> None:
        if len(self.failures) == 1:
            raise self.failures[0]
        if self.failures:
            raise BaseExceptionGroup(f"{len(self.failures)} of {count} cases failed", self.failures)
        if len(self.skipped) == count:
            pytest.skip(self.skipped[0])


@contextmanager
def _tried(
    report: _Report, fixtures: dict[str, Any], given: dict[str, Any], place: int, name: str
) -> Iterator[dict[str, Any]]:
    try:
        with _separate(fixtures, place) as own_fixtures:
            yield own_fixtures | given
    except pytest.skip.Exception as reason:
        report.skipped.append(str(reason))
    except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - all are raised at the end
        error.add_note(f"in the case {name}")
        report.failures.append(error)


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
