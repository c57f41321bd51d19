from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from hypothesis import given
from hypothesis import strategies as st

from desktop.text.stream_limits import retry_after_s
from tests.cases import cases


@cases(
    "header, seconds",
    [
        ("7", 7.0),
        (" 1.5 ", 1.5),
        ("0", 0.0),
        ("", None),
        ("-5", None),
        ("soon", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("Wed, 21 Oct 2015 07:28:00", 0.0),
        ("9" * 5_000, None),
        ("Wed, 21 Oct 2015 07:28:00 +" + "9" * 40, None),
    ],
)
def test_seconds_and_dates_are_read(header, seconds):
    assert retry_after_s(header) == seconds


def test_a_date_to_come_is_waited_for():
    later = datetime.now(UTC) + timedelta(hours=1)
    assert 0 < retry_after_s(format_datetime(later, usegmt=True)) <= 3_600


@given(st.text() | st.from_regex(r"\w{3}, \d{1,3} \w{3} \d{1,7} \d\d:\d\d:\d\d ([+-]\d{1,30}|[A-Z]{1,4})"))
def test_whatever_a_server_sends_is_read_or_left(header):
    seconds = retry_after_s(header)
    assert seconds is None or seconds >= 0
