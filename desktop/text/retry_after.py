"""For how long a server wants no requests."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_SECONDS = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


def retry_after_s(header: str) -> float | None:
    """Return what Retry-After says, in seconds or as a date (RFC 9110, 10.2.3); None where it says nothing."""
    written = header.strip()
    if _SECONDS.fullmatch(written):
        return float(written)
    try:
        until = parsedate_to_datetime(written)
    except (ValueError, OverflowError):
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - datetime.now(UTC)).total_seconds())
