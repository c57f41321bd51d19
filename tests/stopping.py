"""Ending the background loop on a machine that has other things to do."""

from desktop.background import BackgroundLoop

_TRIES = 20


def has_stopped(loop: BackgroundLoop) -> bool:
    """Say whether the thread ends; a busy machine may not get round to it in the time of one `stop`."""
    return any(loop.stop() for _ in range(_TRIES))
