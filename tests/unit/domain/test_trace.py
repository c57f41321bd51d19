"""What the record of an answer says as a whole."""

from desktop.domain.search import SearchStatus
from desktop.domain.sources import SourceKind
from desktop.domain.trace import EngineTrace, SourceTrace, Trace
from tests.cases import cases


@cases(
    "statuses, web",
    [
        ((), None),
        ((SearchStatus.OFFLINE, SearchStatus.OFFLINE), SearchStatus.OFFLINE),
        ((SearchStatus.OFFLINE, SearchStatus.BLOCKED), SearchStatus.BLOCKED),
        ((SearchStatus.BLOCKED, SearchStatus.NOTHING_FOUND), SearchStatus.NOTHING_FOUND),
        ((SearchStatus.TIMED_OUT, SearchStatus.RESULTS), SearchStatus.RESULTS),
    ],
)
def test_several_searches_come_to_what_the_best_of_them_came_to(statuses, web):
    assert Trace(searches=tuple(EngineTrace("q", "e", status) for status in statuses)).web == web


def test_every_status_has_its_rank():
    for status in SearchStatus:
        assert Trace(searches=(EngineTrace("q", "e", status),)).web is status


def test_queries_and_tokens_are_told_together():
    sources = tuple(
        SourceTrace(SourceKind.WEB, name, name, tokens=size) for name, size in (("a", 3), ("b", 4))
    )
    trace = Trace(("x", "y"), ("y", "z"), sources=sources)
    assert trace.asked == ("x", "y", "z")
    assert trace.tokens == 7
