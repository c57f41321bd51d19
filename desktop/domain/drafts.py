"""What a person has begun to write."""

from dataclasses import dataclass
from pathlib import Path

from desktop.domain.history import PastAnswer


@dataclass(frozen=True)
class Draft:
    """What was written, attached and to be cited, but not sent, and the models that were to answer beside the usual one.

    Those alone make no draft.
    """

    text: str = ""
    files: tuple[Path, ...] = ()
    past: tuple[PastAnswer, ...] = ()
    also: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text or self.files or self.past)
