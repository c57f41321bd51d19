"""What the doctor finds."""

from dataclasses import dataclass
from enum import StrEnum


class CheckStatus(StrEnum):
    """How a check ended. A WARNING is something that Footnote can live without."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True)
class Check:
    """One finding; `advice` says what to do and is empty when nothing is to be done."""

    name: str
    status: CheckStatus
    detail: str
    advice: str = ""
