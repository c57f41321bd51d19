"""`footnote search` without a network: saved pages, and the user's help where engines are blocked."""

import asyncio

from desktop.cli.search import _parse, _show_blocked
from desktop.domain.search import Obstacle, SearchOutcome, SearchStatus

RESULTS = "".join(
    f"<div><h3><a href='https://s{n}.example/'>Title number {n}</a></h3><p>What is told about it, at length.</p></div>"
    for n in range(5)
)


def write_page(tmp_path, html: str):
    path = tmp_path / "page.html"
    path.write_text(f"<html><body>{html}</body></html>", "utf-8")
    return path


def test_an_unknown_engine_is_said_where_its_page_cannot_be_read(tmp_path):
    outcome = _parse("5", write_page(tmp_path, "<p>Nothing that could be a list of results</p>" * 30))
    assert not outcome.results
    assert outcome.error.startswith("There is no search engine “5”. Available: duckduckgo,")


def test_a_page_of_an_unknown_engine_is_read_and_that_is_said(tmp_path):
    outcome = _parse("altavista", write_page(tmp_path, RESULTS))
    assert len(outcome.results) == 5
    assert "no search engine “altavista”" in outcome.notes[-1]


def test_known_engines_templates_and_no_engine_need_no_note(tmp_path):
    for engine in ("", "bing", "https://find.example/?q=%s"):
        assert not any(
            "no search engine" in note for note in _parse(engine, write_page(tmp_path, RESULTS)).notes
        )


def blocked(engine: str, obstacle: Obstacle) -> SearchOutcome:
    return SearchOutcome(SearchStatus.BLOCKED, engine, "moth", error="…", obstacle=obstacle)


class Web:
    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def name(self, engine: str) -> str:
        return engine.title()

    async def show(self, engine: str, query: str) -> SearchOutcome:
        self.asked.append((engine, query))
        return SearchOutcome(SearchStatus.RESULTS, engine, query)


def test_only_what_a_person_can_pass_is_shown_and_only_if_nothing_was_found(capsys):
    limited, captcha = blocked("google", Obstacle.RATE_LIMIT), blocked("bing", Obstacle.CAPTCHA)
    for outcomes, shown in (
        ((limited, captcha), [("bing", "moth")]),
        ((limited,), []),
        ((captcha, SearchOutcome(SearchStatus.RESULTS, "brave", "moth")), []),
    ):
        web = Web()
        more = asyncio.run(_show_blocked(web, outcomes))
        assert (web.asked, len(more)) == (shown, len(shown))
    assert "The page of Bing opens" in capsys.readouterr().err
