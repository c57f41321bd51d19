"""Pictures of answers, which a person asked for one by one."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Picture:
    """A picture as its host gave it: PNG, JPEG, GIF or WebP, and nothing else."""

    media_type: str
    data: bytes = field(repr=False)
