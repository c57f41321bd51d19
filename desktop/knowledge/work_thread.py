"""A thread that runs one function after another and maps their errors to `desktop.errors`."""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from desktop.errors import AppError, IndexDamaged, IndexUnavailable, plain_reason
from desktop.knowledge.index.database import DATABASE
from desktop.knowledge.index.disk_errors import is_damage
from desktop.phrases import translatable

_log = logging.getLogger(__name__)
_T = TypeVar("_T")
_FAILED = translatable("vectors failed ({detail}).")


class WorkThread:
    """Runs work in the order in which it is submitted; callers should submit long work in pieces."""

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)

    def run(self, work: Callable[[], _T]) -> asyncio.Future[_T]:
        """Run `work` after everything submitted before it.

        Raises:
            AppError: raised unchanged; any other exception is raised as IndexUnavailable with the original as
                its cause.
        """
        return asyncio.get_running_loop().run_in_executor(self._thread, _guard, work)

    def close(self, *, waits: bool = True) -> None:
        """Accept no more work; finish what is running, or abandon it if it may never end."""
        self._thread.shutdown(wait=waits, cancel_futures=True)


def _guard(work: Callable[[], _T]) -> _T:
    try:
        return work()
    except AppError:
        raise
    except Exception as error:
        _log.exception("vectors failed")
        if is_damage(error):
            raise IndexDamaged(path=DATABASE, detail=plain_reason(error)) from error
        raise IndexUnavailable(
            detail=_FAILED.format(detail=f"{type(error).__name__}: {plain_reason(error)}")
        ) from error
