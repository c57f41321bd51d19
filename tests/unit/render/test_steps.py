"""The steps of an answer lead to their record once they are done."""

from desktop.domain.messages import Step, StepKind, StepStatus
from desktop.render.labels import EN, ZH_CN
from desktop.render.steps import steps_html

DONE = Step(1, StepKind.SEARCH, "tides", StepStatus.DONE, 3)


def test_finished_steps_lead_to_their_record_in_both_languages():
    for labels, words in ((EN, ">Details<"), (ZH_CN, ">详情<")):
        html = steps_html((DONE,), labels, is_live=False)
        assert 'data-action="details"' in html
        assert words in html


def test_a_running_check_is_no_step_as_it_is_told_of_below_the_answer():
    running = Step(2, StepKind.CHECK)
    assert steps_html((DONE, running), EN, is_live=True) == steps_html((DONE,), EN, is_live=True)
    assert steps_html((running,), EN, is_live=True) == ""


def test_running_steps_and_no_steps_lead_nowhere():
    assert "data-action" not in steps_html((DONE,), EN, is_live=True)
    assert steps_html((), EN, is_live=False) == ""
