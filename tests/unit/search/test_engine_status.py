import asyncio

import pytest

from desktop.domain.search import Obstacle, SearchOutcome, SearchStatus
from desktop.search.engine_status import EngineHealthStore, RequestSpacing, fingerprint
from tests.cases import cases


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


def outcome(status: SearchStatus) -> SearchOutcome:
    return SearchOutcome(status, "bing", "moth", error="" if status is SearchStatus.RESULTS else "why")


def test_a_blocked_engine_is_left_alone_at_once_and_longer_each_time(clock):
    book = EngineHealthStore(clock)
    pauses = []
    for _ in range(6):
        book.note(outcome(SearchStatus.BLOCKED), 1.0)
        pauses.append(book.pause_s("bing"))
    assert pauses == [60, 120, 240, 480, 600, 600]


def test_a_pause_ends(clock):
    book = EngineHealthStore(clock)
    book.note(outcome(SearchStatus.BLOCKED), 1.0)
    clock.now += 59
    assert book.pause_s("bing") == 1
    clock.now += 2
    assert book.pause_s("bing") == 0


@cases("status, forgiven", [(SearchStatus.TIMED_OUT, 1), (SearchStatus.OFFLINE, 2)])
def test_what_may_be_the_networks_fault_is_forgiven_at_first(clock, status, forgiven):
    book = EngineHealthStore(clock)
    for _ in range(forgiven):
        book.note(outcome(status), 1.0)
        assert book.pause_s("bing") == 0
    book.note(outcome(status), 1.0)
    assert book.pause_s("bing") > 0


@cases("status", [SearchStatus.RESULTS, SearchStatus.NOTHING_FOUND])
def test_an_answer_makes_up_for_all_failures(clock, status):
    book = EngineHealthStore(clock)
    book.note(outcome(SearchStatus.BLOCKED), 1.0)
    book.note(outcome(status), 2.0)
    health = book.of("bing", "Bing")
    assert (health.failures, health.paused_s, health.last) == (0, 0, status)


def test_health_can_be_read(clock):
    book = EngineHealthStore(clock)
    assert book.of("bing", "Bing").last is None
    for took in (1.0, 9.0, 2.0):
        book.note(outcome(SearchStatus.RESULTS), took)
    book.note(outcome(SearchStatus.BLOCKED), 5.0)
    health = book.of("bing", "Bing")
    assert (health.engine, health.name, health.failures, health.error) == ("bing", "Bing", 1, "why")
    assert health.typical_s == 2.0


def test_an_engine_can_be_forgiven(clock):
    book = EngineHealthStore(clock)
    book.note(outcome(SearchStatus.BLOCKED), 1.0)
    book.forgive("bing")
    assert book.pause_s("bing") == 0


def test_searches_of_one_host_are_kept_apart_and_others_are_not(monkeypatch, clock):
    waits: list[float] = []

    async def noted(seconds: float) -> None:
        waits.append(seconds)

    async def run() -> None:
        pace = RequestSpacing(1.0, clock, burst=2)
        for host in ("a", "b", "a", "a", "a"):
            await pace.wait(host)
        clock.now += 10
        await pace.wait("a")
        await pace.wait("a")

    monkeypatch.setattr(asyncio, "sleep", noted)
    asyncio.run(run())
    assert waits == [1.0, 2.0]


def test_the_book_is_kept_between_runs(clock, tmp_path):
    file = tmp_path / "cache" / "engines.json"
    book = EngineHealthStore(clock, file)
    book.note(outcome(SearchStatus.RESULTS), 2.0)
    blocked = SearchOutcome(SearchStatus.BLOCKED, "bing", "moth", error="why", obstacle=Obstacle.CAPTCHA)
    book.note(blocked, 1.0)
    book.save()
    clock.now += 20
    health = EngineHealthStore(clock, file).of("bing", "Bing")
    assert (health.last, health.error, health.paused_s) == (SearchStatus.BLOCKED, "why", 40)
    assert (health.typical_s, health.obstacle, health.query) == (2.0, Obstacle.CAPTCHA, "moth")
    assert health.can_be_shown


@cases("content", ["", "{", "[]", '{"bing": 5}', '{"bing": {"last": "jubilant"}}'])
def test_a_damaged_book_is_as_good_as_none(clock, tmp_path, content):
    file = tmp_path / "engines.json"
    file.write_text(content, "utf-8")
    assert EngineHealthStore(clock, file).of("bing", "Bing").last is None


def test_a_book_that_cannot_be_kept_is_no_failure(clock, tmp_path):
    (tmp_path / "taken").write_text("a file, no folder", "utf-8")
    book = EngineHealthStore(clock, tmp_path / "taken" / "engines.json")
    book.note(outcome(SearchStatus.BLOCKED), 1.0)
    book.save()
    assert book.pause_s("bing") > 0


def test_a_clock_set_back_prolongs_no_pause_beyond_the_longest(clock):
    book = EngineHealthStore(clock)
    book.note(outcome(SearchStatus.BLOCKED), 1.0)
    clock.now -= 1_000_000
    assert book.pause_s("bing") == 600


def test_another_key_or_address_is_another_engine(clock, tmp_path):
    file = tmp_path / "engines.json"
    old, new = fingerprint("wrong key", ""), fingerprint("right key", "")
    book = EngineHealthStore(clock, file)
    assert not book.forget_if_changed("bing", old)
    book.note(outcome(SearchStatus.BLOCKED), 1.0, old)
    book.save()
    assert "wrong" not in file.read_text("utf-8")
    for same in (book, EngineHealthStore(clock, file)):
        assert not same.forget_if_changed("bing", old)
        assert same.pause_s("bing") == 60
        assert same.forget_if_changed("bing", new)
        assert same.pause_s("bing") == 0
        same.note(outcome(SearchStatus.BLOCKED), 1.0, old)  # it was under way when the key was corrected
        assert same.pause_s("bing") == 0


def test_a_book_of_an_earlier_version_is_gone_on_with(clock):
    book = EngineHealthStore(clock)
    book.note(outcome(SearchStatus.BLOCKED), 1.0)
    assert not book.forget_if_changed("bing", fingerprint("key", ""))
    assert book.pause_s("bing") == 60
