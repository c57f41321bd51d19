"""Findings of a research as an appendix: only where there are any, with marks that are counted as cited."""

from desktop.domain.procedures import Depth, Finding, Phase, Research, Round
from desktop.render.export import Format, export_conversation
from desktop.render.export.common_parts import has_findings, with_findings
from desktop.render.labels import EN, ZH_CN
from tests.cases import cases
from tests.unit.render.export.samples import answer, conversation, question

FOUND = Research(
    "How?",
    Depth.QUICK,
    phase=Phase.DONE,
    rounds=(
        Round((), (1,), (Finding("They work <i>at</i> *minus*\n15.", (1,)), Finding("No more.", (99,)))),
    ),
)
PLAIN = conversation(question("How?"), answer("They do [1]."))
RESEARCHED = conversation(question("How?"), answer("They do [1].", procedure=FOUND))


def test_the_appendix_is_off_unless_it_is_wanted():
    assert "Findings" not in export_conversation(RESEARCHED, Format.MARKDOWN, EN).decode()


@cases("labels, heading", [(EN, "Findings"), (ZH_CN, "研究发现")])
def test_findings_follow_their_answer(labels, heading):
    text = export_conversation(with_findings(RESEARCHED, labels), Format.MARKDOWN, labels).decode()
    assert f"## {heading}\n" in text
    assert "They work" in text
    assert "[^1]" in text
    page = export_conversation(with_findings(RESEARCHED, labels), Format.HTML, labels).decode()
    assert "They work &lt;i&gt;at&lt;/i&gt; *minus* 15." in page


def test_answers_without_a_research_stay_as_they_are():
    assert with_findings(PLAIN, EN) == PLAIN
    assert not any(map(has_findings, PLAIN.messages))
    assert any(map(has_findings, RESEARCHED.messages))
