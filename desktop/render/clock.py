"""How dates and times are written on pages and in exported text."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True)
class Clock:
    """Formats times in the local time zone; each function takes any aware datetime.

    `time` formats the time of day, `day` a calendar day, `moment` both.
    """

    time: Callable[[datetime], str]
    day: Callable[[date], str]
    moment: Callable[[datetime], str]

    def day_of(self, moment: datetime) -> str:
        """Return the calendar day of `moment` in the local time zone."""
        return self.day(moment.astimezone().date())

    def format_published(self, written: str) -> str:
        """Return the publication date of a page: full dates in the local format, anything else unchanged."""
        try:
            day = date.fromisoformat(written)
        except ValueError:
            return written
        return self.day(day) if day.isoformat() == written else written


ISO_CLOCK = Clock(
    lambda moment: f"{moment.astimezone():%H:%M}",
    date.isoformat,
    lambda moment: f"{moment.astimezone():%Y-%m-%d %H:%M}",
)
"""For exported text: the same for all readers."""
