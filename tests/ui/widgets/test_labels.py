"""Dates and times: written in one way, wherever they stand."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale

import desktop.ui
from desktop.domain.messages import ConversationInfo
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.render.labels import EN
from desktop.render.page.source_cards import dates_of
from desktop.ui.dialogs.history_results import when
from desktop.ui.sidebar.conversation_groups import tip_of
from desktop.ui.widgets.labels import LOCAL_CLOCK, format_date, format_datetime, format_time

EVENING = datetime(2026, 3, 1, 20, 9).astimezone()


@pytest.fixture
def locale():
    before = QLocale()
    yield QLocale.setDefault
    QLocale.setDefault(before)


@pytest.mark.parametrize(
    ("name", "time", "day"),
    [("en_US", "8:09 PM", "3/1/26"), ("en_GB", "20:09", "01/03/2026"), ("zh_CN", "20:09", "2026/3/1")],
)
def test_the_locale_says_how_time_and_day_are_written(locale, name, time, day):
    locale(QLocale(name))
    assert format_time(EVENING).replace("\u202f", " ") == time
    assert format_date(EVENING) == format_date(date(2026, 3, 1)) == day
    assert re.sub(r"[\s,]+", " ", format_datetime(EVENING)) == f"{day} {time}"


@pytest.mark.parametrize("name", ["en_US", "zh_CN"])
def test_list_page_and_search_write_the_same(locale, name):
    locale(QLocale(name))
    info = ConversationInfo("c", "Title", EVENING, EVENING)
    assert format_datetime(EVENING) in tip_of(info, ())
    assert when(EVENING) == LOCAL_CLOCK.day(EVENING.date())
    now = datetime.now(UTC)
    assert when(now) in {format_time(now), format_date(now)}
    assert LOCAL_CLOCK.time(EVENING) == format_time(EVENING)


def test_cards_write_days_as_the_window_does_and_leave_what_is_no_whole_day(locale):
    locale(QLocale("en_GB"))
    ledger = Ledger()
    passage = Passage(SourceKind.WEB, "Title", "https://a.example/", "Words.", published="2026-02-03")
    ledger.register((passage,))
    source = replace(ledger.sources[0], read_at=EVENING)
    assert dates_of(source, replace(EN, clock=LOCAL_CLOCK)) == ("published 03/02/2026", "read 01/03/2026")
    assert dates_of(source, EN) == ("published 2026-02-03", "read 2026-03-01")
    for written in ("2026", "2026-02", "20260203", "spring"):
        assert LOCAL_CLOCK.format_published(written) == written


def test_no_other_place_of_the_window_decides_how():
    folder = Path(desktop.ui.__file__).parent
    deciding = re.compile(r"ShortFormat|LongFormat|%H|%M\b|(?<!from)isoformat\(")
    found = {path.name for path in folder.rglob("*.py") if deciding.search(path.read_text(encoding="utf-8"))}
    assert found == {"labels.py"}
