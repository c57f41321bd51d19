"""The report of a checked text: its claims, the worst first, before the text with its marks."""

from collections import Counter
from dataclasses import replace

from desktop.domain.citation_check import CheckedMark, CitationCheck
from desktop.domain.messages import Conversation, Message
from desktop.domain.procedures import TextCheck, TextClaim
from desktop.render.export.common_parts import markdown_line, one_line
from desktop.render.labels import Labels
from desktop.render.page.text_check_panel import claim_reasons, verdict_counts
from desktop.render.procedure_labels import text_check_labels

_PASSAGE_CHARS = 300


def with_claims(conversation: Conversation, labels: Labels) -> Conversation:
    """Return a conversation in which every checked text begins with its claims; others are not changed."""
    return replace(
        conversation, messages=tuple(_with_claims(message, labels) for message in conversation.messages)
    )


def _with_claims(message: Message, labels: Labels) -> Message:
    state = message.procedure
    if not isinstance(state, TextCheck) or not state.checked:
        return message
    words = text_check_labels(labels)
    counted: Counter[int] = Counter()
    judged: list[CheckedMark] = []
    rows: list[str] = []
    for claim in state.checked:
        rows.append(_row(claim, labels))
        verdicts = {mark.number: mark for mark in claim.judged}
        for number in claim.numbers:
            judged.append(replace(verdicts[number], occurrence=counted[number], claim=claim.text))
            counted[number] += 1
    check = message.check or CitationCheck()
    later = (replace(mark, occurrence=mark.occurrence + counted[mark.number]) for mark in check.marks)
    listed = "\n".join(rows)
    text = (
        f"## {words.worst_first}\n\n{verdict_counts(state, labels)}\n\n{listed}\n\n"
        f"## {words.checked_text}\n\n{message.text}"
    )
    return replace(message, text=text, check=replace(check, marks=(*judged, *later)))


def _row(claim: TextClaim, labels: Labels) -> str:
    words, verdict = text_check_labels(labels), claim.verdict
    marks = "".join(f"[{number}]" for number in claim.numbers)
    told = markdown_line(one_line(" ".join(claim_reasons(claim, labels))))
    closest = one_line(verdict.words)[:_PASSAGE_CHARS]
    passage = f"\n  - {words.closest} *{markdown_line(closest)}*" if closest else ""
    name = words.verdicts[verdict.support]
    claimed = f"{markdown_line(one_line(claim.text))} {marks}".rstrip()
    return f"- **{name}:** {claimed}\n  - {told}{passage}"
