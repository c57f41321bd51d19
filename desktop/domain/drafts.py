"""What a person has begun to write."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Draft:
    """What was written and attached but not sent."""

    text: str = ""
    files: tuple[Path, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text or self.files)
