"""What all export formats share: headings, status, used sources, findings, and Markdown and BibTeX escaping."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePath

from desktop.domain.citation_check import CheckedMark, CitationCheck
from desktop.domain.messages import Conversation, Message, MessageStatus, Speaker
from desktop.domain.procedures import Finding, Research, TextCheck, TextClaim
from desktop.domain.sources import Source
from desktop.render.labels import Labels
from desktop.render.markdown.tree import Cleaner
from desktop.render.page.procedure_panels import claim_reasons, verdict_counts
from desktop.render.procedure_labels import research_labels, text_check_labels

_PASSAGE_CHARS = 300
_MARKDOWN = re.compile(r"[\\`*_<>~$&|]")
_ADDRESS = re.compile(r"https?://[!-;=?-~]*[#-&+\-/0-9=@-Z_a-z~]", re.IGNORECASE)
_ALMOST_ADDRESS = re.compile(r":(?=//)|(?<=www)\.|(?<=\w)@(?=\w)", re.IGNORECASE)
"""Text that some programs turn into links; an escape in it would become part of the address."""

_BRACKETS = re.compile(r"[\[\]]|[【［](?=\s?\^?\s?\d)")
"""Brackets that must not be escaped: many programs, including ours, read `\\[` as the start of a formula."""

_LINE_START = re.compile(r"^([ \t]*)(?:([#+=:-])|(\d{1,9})([.)]))")
_INDENT = re.compile(r"^[ \t]+")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_PLAIN_ADDRESS = re.compile(r"[^\s()<>\\]+")
_IN_ADDRESS = {"<": "%3C", ">": "%3E", "\\": "%5C", " ": "%20", "\n": "%0A", "\t": "%09"}
_BIBTEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
} | {char: f"\\{char}" for char in "{}$&#%_"}


def clean(text: str) -> str:
    """Return text that every export format can contain."""
    return Cleaner().clean(text)


def one_line(text: str) -> str:
    """Return text with each run of white space replaced by one space."""
    return " ".join(clean(text).split())


def markdown_line(text: str) -> str:
    """Return a line of plain text escaped as Markdown, for any position in a line."""
    pieces, at = [], 0
    for address in _ADDRESS.finditer(text):
        pieces += [_escape(text[at : address.start()]), f"<{address[0]}>"]
        at = address.end()
    return "".join(pieces) + _escape(text[at:])


def _escape(text: str) -> str:
    return _ALMOST_ADDRESS.sub(_entity, _BRACKETS.sub(_entity, _MARKDOWN.sub(r"\\\g<0>", text)))


def _entity(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"


def markdown_text(text: str) -> str:
    """Return plain text as Markdown paragraphs that keep its line breaks."""
    lines = [_at_line_start(markdown_line(line.rstrip())) for line in clean(text).strip("\n").split("\n")]
    followers = [*lines[1:], ""]
    return "\n".join(
        f"{line}\\" if line and after else line for line, after in zip(lines, followers, strict=True)
    )


def _at_line_start(line: str) -> str:
    line = _LINE_START.sub(_escape_start, line)
    return _INDENT.sub(lambda space: "&nbsp;" * len(space[0].expandtabs(4)), line)


def _escape_start(match: re.Match[str]) -> str:
    indent, sign, number, end = match.groups()
    return f"{indent}\\{sign}" if sign else f"{indent}{number}\\{end}"


def markdown_address(address: str) -> str:
    """Return an address as the destination of a Markdown link."""
    address = _ENTITY.sub("&amp;", address)
    if _PLAIN_ADDRESS.fullmatch(address):
        return address
    return f"<{''.join(_IN_ADDRESS.get(char, char) for char in address)}>"


def bibtex_text(text: str) -> str:
    """Return a line of plain text as the value of a BibTeX field, in LaTeX."""
    return "".join(_BIBTEX.get(char, char) for char in text)


class UsedSources:
    """The sources of an export; writers `note` the numbers that they write as citation marks."""

    def __init__(self, conversation: Conversation) -> None:
        self.sources = conversation.sources
        self._offered = frozenset(number for message in conversation.messages for number in message.offered)
        self._noted: set[int] = set()

    def note(self, numbers: Iterable[int]) -> None:
        """Record numbers as cited."""
        self._noted.update(numbers)

    @property
    def cited(self) -> tuple[Source, ...]:
        """The sources cited so far, by number."""
        return self._choose(self._noted)

    @property
    def read(self) -> tuple[Source, ...]:
        """The sources that answers received but have not cited so far, by number."""
        return self._choose(self._offered - self._noted)

    def _choose(self, numbers: Iterable[int]) -> tuple[Source, ...]:
        wanted = frozenset(numbers)
        chosen = (source for source in self.sources if source.number in wanted)
        return tuple(sorted(chosen, key=lambda source: source.number))


def heading_of(message: Message, labels: Labels) -> str:
    """Return the heading that says who wrote a message."""
    if message.speaker is Speaker.USER:
        return labels.you
    model = one_line(message.model.rsplit("/", 1)[-1])
    return f"{labels.answer} · {model}" if model else labels.answer


def format_status(message: Message, labels: Labels) -> str:
    """Return the status of a message that is incomplete or damaged; empty for any other."""
    is_unfinished = message.speaker is Speaker.MODEL and message.status is not MessageStatus.COMPLETE
    status = labels.statuses.get(message.status, labels.writing) if is_unfinished else ""
    return labels.sentence_gap.join(filter(None, (labels.damaged if message.is_damaged else "", status)))


def attachment_names(message: Message) -> tuple[str, ...]:
    """Return the names of a message's attached files, without their folders."""
    return tuple(one_line(PurePath(path).name) for path in message.attachments)


def with_findings(conversation: Conversation, labels: Labels) -> Conversation:
    """Return a conversation in which every research answer ends with its cited findings."""
    heading = f"## {research_labels(labels).appendix}"
    messages = (_with_findings(message, heading) for message in conversation.messages)
    return replace(conversation, messages=tuple(messages))


def has_findings(message: Message) -> bool:
    """Say whether a message has research findings."""
    return bool(_findings(message))


def _findings(message: Message) -> tuple[Finding, ...]:
    return message.procedure.findings if isinstance(message.procedure, Research) else ()


def _with_findings(message: Message, heading: str) -> Message:
    if not has_findings(message):
        return message
    rows = "\n".join(map(_row, _findings(message)))
    return replace(message, text="\n\n".join(filter(None, (message.text.rstrip(), heading, rows))))


def _row(finding: Finding) -> str:
    marks = "".join(f"[{number}]" for number in finding.numbers)
    return f"- {markdown_line(one_line(finding.text))} {marks}"


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
        rows.append(_claim_row(claim, labels))
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


def _claim_row(claim: TextClaim, labels: Labels) -> str:
    words, verdict = text_check_labels(labels), claim.verdict
    marks = "".join(f"[{number}]" for number in claim.numbers)
    told = markdown_line(one_line(" ".join(claim_reasons(claim, labels))))
    closest = one_line(verdict.words)[:_PASSAGE_CHARS]
    passage = f"\n  - {words.closest} *{markdown_line(closest)}*" if closest else ""
    name = words.verdicts[verdict.support]
    claimed = f"{markdown_line(one_line(claim.text))} {marks}".rstrip()
    return f"- **{name}:** {claimed}\n  - {told}{passage}"
