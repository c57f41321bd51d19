"""What the log holds."""

import logging
from dataclasses import dataclass


@dataclass(frozen=True)
class LogEntry:
    """Something that happened. `level` is one of `logging`; `time` is as it was written, by the clock of this machine.

    `text` may have several lines, such as those of a traceback.
    """

    time: str
    level: int
    origin: str
    text: str

    @property
    def level_name(self) -> str:
        """Name of the level as the log has it, such as WARNING."""
        return logging.getLevelName(self.level)
