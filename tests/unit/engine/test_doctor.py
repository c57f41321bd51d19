"""What the doctor says of engines."""

import pytest

from desktop.domain.checks import CheckStatus
from desktop.domain.search import EngineHealth, Obstacle, SearchStatus
from desktop.engine.doctor import engine_check


def test_an_engine_that_answers_is_sound():
    check = engine_check(EngineHealth("bing", "Bing", SearchStatus.RESULTS, typical_s=0.84))
    assert (check.status, check.detail, check.advice) == (
        CheckStatus.OK,
        "answers, typically within 0.8 s",
        "",
    )


@pytest.mark.parametrize(
    ("obstacle", "advice"),
    [(Obstacle.CAPTCHA, "--show-captcha"), (Obstacle.RATE_LIMIT, "footnote search --engine bing Wikipedia")],
)
def test_an_engine_that_does_not_answer_comes_with_what_can_be_done(obstacle, advice):
    health = EngineHealth(
        "bing", "Bing", SearchStatus.BLOCKED, "Bing asks.", paused_s=42.0, obstacle=obstacle
    )
    check = engine_check(health)
    assert check.status is CheckStatus.WARNING
    assert check.detail == "Bing asks. Left alone for another 42 s."
    assert advice in check.advice
