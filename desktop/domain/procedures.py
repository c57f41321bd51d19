"""Procedures that replace an ordinary answer: research, summary of a long document, draft from bases, check of a text.

The state of a procedure is part of the message, so that it can be resumed.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from desktop.domain.citation_check import CheckedMark, SupportLevel
from desktop.domain.search import WEB_AUTO, WEB_OFF

MOST_PLANNED = 8
"""The maximum number of queries in a plan that the user has edited."""

QUERY_CHARS = 300
REMARK_CHARS = 2_000

MOST_CHAPTERS = 20
TITLE_CHARS = 200
NOT_WRITTEN = -1
"""The origin of a heading whose chapter is still to be written."""


class Depth(StrEnum):
    """How much effort a research may take."""

    QUICK = "quick"
    BALANCED = "balanced"
    THOROUGH = "thorough"


@dataclass(frozen=True)
class Budget:
    """Limits of a research; the first one reached ends the searching."""

    rounds: int
    pages: int
    tokens: int
    minutes: float


BUDGETS = {
    Depth.QUICK: Budget(rounds=2, pages=8, tokens=40_000, minutes=3),
    Depth.BALANCED: Budget(rounds=4, pages=20, tokens=120_000, minutes=8),
    Depth.THOROUGH: Budget(rounds=8, pages=50, tokens=400_000, minutes=20),
}


class SearchTarget(StrEnum):
    """Where a query is searched."""

    WEB = "web"
    WIKIPEDIA = "wikipedia"
    FILES = "files"


@dataclass(frozen=True)
class Query:
    """One short query for one search target."""

    text: str
    place: SearchTarget = SearchTarget.WEB


@dataclass(frozen=True)
class Plan:
    """What has to be found out, and the first queries."""

    needs: tuple[str, ...] = ()
    queries: tuple[Query, ...] = ()


@dataclass(frozen=True)
class Finding:
    """A piece of information with the numbers of the sources that support it."""

    text: str
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class QualityVerdict:
    """A model's opinion of all findings. `problem` says why there is no such verdict."""

    is_enough: bool = False
    missing: str = ""
    queries: tuple[Query, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class Round:
    """One round: its queries, the sources found, the findings in them, and what is still missing.

    Unless it `is_searched`, some of its search targets have not answered.
    """

    queries: tuple[Query, ...]
    sources: tuple[int, ...] = ()
    findings: tuple[Finding, ...] = ()
    verdict: QualityVerdict = QualityVerdict()
    is_searched: bool = True


@dataclass(frozen=True)
class ResearchCost:
    """The cost of a research so far."""

    rounds: int = 0
    pages: int = 0
    tokens: int = 0
    seconds: float = 0.0


class Phase(StrEnum):
    """The phase of a procedure; not every procedure has all of them."""

    PLANNING = "planning"
    PLANNED = "planned"
    SEARCHING = "searching"
    READING = "reading"
    PAUSED = "paused"
    WRITING = "writing"
    CHECKING = "checking"
    DONE = "done"


@dataclass(frozen=True)
class Research:
    """The state of a research. `asides` are the user's remarks while it ran.

    `web` is off, auto or an engine's id, `bases` are ids of bases: they limit the search. `places` are the
    available search targets, `remembered` the numbers of memories relevant to the question. With `confirms` the
    plan runs only once the user has started it.
    """

    question: str
    depth: Depth
    web: str = WEB_AUTO
    bases: tuple[str, ...] = ()
    phase: Phase = Phase.PLANNING
    plan: Plan = Plan()
    rounds: tuple[Round, ...] = ()
    spent: ResearchCost = ResearchCost()
    asides: tuple[str, ...] = ()
    places: tuple[SearchTarget, ...] = ()
    remembered: tuple[int, ...] = ()
    confirms: bool = False
    ended_by: str = ""
    """Why the searching ended, in words for the user."""

    @property
    def budget(self) -> Budget:
        """The limits of the research."""
        return BUDGETS[self.depth]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings, in order."""
        return tuple(finding for done in self.rounds for finding in done.findings)


@dataclass(frozen=True)
class StartPlan:
    """Start a planned research, with the plan as edited by the user."""

    plan: Plan


@dataclass(frozen=True)
class Pause:
    """Pause at the end of the current round."""


@dataclass(frozen=True)
class Resume:
    """Continue after a pause."""


@dataclass(frozen=True)
class AnswerNow:
    """Stop searching and answer with the present findings. Ends a pause."""


@dataclass(frozen=True)
class UserNote:
    """A remark that the rest of the research takes into account."""

    text: str


ResearchWish = StartPlan | Pause | Resume | AnswerNow | UserNote
"""A command of the user to a running research."""


@dataclass(frozen=True)
class Chapter:
    """A chapter: `text` is Markdown without its heading, `numbers` are the sources that it was given.

    A chapter to be rewritten is not `is_written` and keeps its text until the new one is complete.
    """

    title: str
    text: str = ""
    numbers: tuple[int, ...] = ()
    is_written: bool = False

    @property
    def is_shown(self) -> bool:
        """Return whether the user sees text for it."""
        return self.is_written or bool(self.text)


@dataclass(frozen=True)
class OutlineHeading:
    """A line of an outline that the user has edited.

    `origin` is the index of the chapter whose text stays under it, or `NOT_WRITTEN`. With `is_anew` that text
    is kept only until another is written.
    """

    title: str
    origin: int = NOT_WRITTEN
    is_anew: bool = False


@dataclass(frozen=True)
class StartOutline:
    """Write a text following the outline as edited by the user."""

    headings: tuple[OutlineHeading, ...]


@dataclass(frozen=True)
class DraftState:
    """The state of a draft. `bases` are the keys of the scopes to search; with `confirms` the user starts it."""

    topic: str
    bases: tuple[str, ...] = ()
    phase: Phase = Phase.PLANNING
    chapters: tuple[Chapter, ...] = ()
    confirms: bool = True
    language: str = ""
    ended_by: str = ""

    @property
    def text(self) -> str:
        """The chapters that have text, as one Markdown text."""
        return "".join(f"{head(chapter)}{chapter.text}\n\n" for chapter in self.chapters if chapter.is_shown)

    @property
    def written_count(self) -> int:
        """The number of chapters written."""
        return sum(chapter.is_written for chapter in self.chapters)

    @property
    def current(self) -> int | None:
        """The index of the next chapter to write."""
        places = (place for place, chapter in enumerate(self.chapters) if not chapter.is_written)
        return next(places, None)


def head(chapter: Chapter) -> str:
    """Return the heading of a chapter as Markdown."""
    return f"## {chapter.title}\n\n"


def with_outline(writing: DraftState, headings: tuple[OutlineHeading, ...]) -> DraftState:
    """Return a draft with another outline; chapters that a heading refers to keep their text."""
    headings = tuple(heading for heading in headings if heading.title.strip())
    chapters = tuple(_chapter(heading, writing.chapters) for heading in headings[:MOST_CHAPTERS])
    return replace(writing, chapters=chapters or writing.chapters)


def _chapter(heading: OutlineHeading, known: tuple[Chapter, ...]) -> Chapter:
    if not 0 <= heading.origin < len(known):
        return Chapter(heading.title)
    kept = replace(known[heading.origin], title=heading.title)
    return replace(kept, is_written=False) if heading.is_anew else kept


class NoteKind(StrEnum):
    """The subject of a note."""

    GIST = "gist"
    """A one-sentence summary of the whole section."""
    POINT = "point"
    NEW = "new"
    CLAIM = "claim"
    EVIDENCE = "evidence"
    ANSWER = "answer"
    """Something relevant to the user's own question."""


@dataclass(frozen=True)
class KeyPoint:
    """A statement of a document, with the numbers of the passages that support it."""

    kind: NoteKind
    text: str
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class DocumentSection:
    """A section of a document that is read at once: `text[start:end]`, from `first_page` to `last_page`.

    The title is built from its headings and empty if it has none.
    """

    title: str
    start: int
    end: int
    first_page: int | None = None
    last_page: int | None = None
    notes: tuple[KeyPoint, ...] = ()
    is_read: bool = False
    problem: str = ""
    """Why a model's notes are missing, in words for the user."""


@dataclass(frozen=True)
class ReadDocument:
    """The document; `sha256` is the hash of its bytes, to which the offsets of the sections refer.

    Several texts that are read as one, or a web page, have no `item_id`; `urls` are the addresses of the pages.
    """

    item_id: str
    name: str
    sha256: str
    pages: int | None = None
    urls: tuple[str, ...] = ()


@dataclass(frozen=True)
class SummaryState:
    """The state of a summary. `question` is what the user wants to know beside the usual content of a summary.

    `bases` are the keys of the scopes that may be searched: the document is there, or was attached to the
    question.
    """

    question: str
    bases: tuple[str, ...] = ()
    document: ReadDocument | None = None
    phase: Phase = Phase.PLANNING
    sections: tuple[DocumentSection, ...] = ()
    digest: tuple[DocumentSection, ...] = ()
    """Sections with condensed notes, if the notes of all sections are too many for one request."""
    language: str = ""
    """The language of the summary: an ISO 639-1 code, that of the question, else that of the document."""
    ended_by: str = ""
    """Why part of the document was not read, in words for the user."""

    @property
    def notes(self) -> tuple[KeyPoint, ...]:
        """All notes, in the order of the document."""
        return tuple(note for section in self.sections for note in section.notes)

    @property
    def read_count(self) -> int:
        """The number of sections that have been read."""
        return sum(section.is_read for section in self.sections)


class EvidencePlace(StrEnum):
    """Where the evidence for the verdict on a claim is from, in the order in which they are asked."""

    CITED = "cited"
    BASES = "bases"
    WEB = "web"


CLAIM_RANK = (
    SupportLevel.CONTRADICTED,
    SupportLevel.NOT_FOUND,
    SupportLevel.UNREAD,
    SupportLevel.WEAK,
    SupportLevel.UNCOMPARED,
    SupportLevel.SUPPORTED,
)
"""Levels of support of a claim, the worst first."""


@dataclass(frozen=True)
class TextClaim:
    """A claim of a text that is checked.

    `end` is its end in the text, with its marks; `context` is text that names its subject; `cited` are the numbers
    of the sources that it cites. `judged` are the verdicts by source, the one that counts first; a number of 0 is no
    source, but the closest passage that was found.
    """

    text: str
    end: int
    cited: tuple[int, ...] = ()
    context: str = ""
    judged: tuple[CheckedMark, ...] = ()
    place: EvidencePlace | None = None
    is_checked: bool = False

    @property
    def verdict(self) -> CheckedMark:
        """The verdict that counts; "not found" if there was nothing to compare it with."""
        return next(iter(self.judged), CheckedMark(0, 0, SupportLevel.NOT_FOUND, self.text))

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the sources with a verdict like the one that counts."""
        support = self.verdict.support
        return tuple(mark.number for mark in self.judged if mark.number and mark.support is support)


@dataclass(frozen=True)
class TextCheck:
    """The state of the check of a text from elsewhere.

    `text` is its Markdown, in which references are marks; `bases` are the keys of the scopes to search, and `web` is
    off, auto or an engine's id. `notes` tell what was left out.
    """

    name: str = ""
    bases: tuple[str, ...] = ()
    web: str = WEB_OFF
    phase: Phase = Phase.PLANNING
    text: str = ""
    claims: tuple[TextClaim, ...] = ()
    notes: tuple[str, ...] = ()
    ended_by: str = ""
    """Why some claims were not checked, in words for the user."""

    @property
    def checked(self) -> tuple[TextClaim, ...]:
        """The claims checked so far, the worst first."""
        done = [claim for claim in self.claims if claim.is_checked]
        return tuple(
            sorted(done, key=lambda claim: (CLAIM_RANK.index(claim.verdict.support), claim.verdict.score))
        )


Procedure = Research | SummaryState | DraftState | TextCheck


class DocumentTask(StrEnum):
    """A procedure over the user's own documents."""

    READ = "read"
    WRITE = "write"
    CHECK = "check"


AnswerMode = Depth | DocumentTask
"""What the user chooses instead of an ordinary answer: a research of some depth, or a document task."""

ProcedureCommand = ResearchWish | StartOutline
"""A command of the user to a running procedure."""

Start = StartPlan | StartOutline
"""The commands for which a procedure that shows its plan waits."""
