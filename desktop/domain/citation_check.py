"""Results of a citation check: for every citation mark of an answer, whether its source supports the claim."""

from dataclasses import dataclass, replace
from enum import StrEnum

from desktop.phrases import sentences


class SupportLevel(StrEnum):
    """How well a source supports the text that cites it.

    `UNCOMPARED` is no verdict: the two are in different languages and no model was asked, or one of them has no
    words. `UNREAD` occurs only in texts from elsewhere: what they cite could not be opened.
    """

    SUPPORTED = "supported"
    WEAK = "weak"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not_found"
    UNCOMPARED = "uncompared"
    UNREAD = "unread"


class UnreadReason(StrEnum):
    """Why a page that a text cites was not read."""

    GONE = "gone"
    """The address leads nowhere any more."""
    FORBIDDEN = "forbidden"
    """Its site asks for payment, a sign-in or proof of a human reader."""
    REFUSED = "refused"
    """Footnote does not open it, such as an address of a private network."""
    UNREACHABLE = "unreachable"
    UNSUPPORTED = "unsupported"
    """It is no text, such as a video."""
    EMPTY = "empty"
    KEPT_BACK = "kept_back"
    """Nothing of the chat may leave this computer."""


VERDICTS = {
    SupportLevel.SUPPORTED: "supported",
    SupportLevel.WEAK: "partly",
    SupportLevel.CONTRADICTED: "contradicted",
    SupportLevel.NOT_FOUND: "not_found",
    SupportLevel.UNCOMPARED: "not_found",
    SupportLevel.UNREAD: "cannot_read",
}
"""How scripts and other programs are told a level of support."""

DOUBTED = frozenset(
    {SupportLevel.WEAK, SupportLevel.CONTRADICTED, SupportLevel.NOT_FOUND, SupportLevel.UNREAD}
)


class CheckMethod(StrEnum):
    """What gave a verdict: word comparison, an entailment model or a language model.

    `MEANING` occurs only in old checks.
    """

    WORDS = "words"
    MEANING = "meaning"
    ENTAILMENT = "entailment"
    MODEL = "model"


JUDGING = frozenset({CheckMethod.ENTAILMENT, CheckMethod.MODEL})
"""Methods that judge the meaning of a claim rather than its words."""


@dataclass(frozen=True)
class CheckedMark:
    """A citation mark of an answer: the `occurrence`th, from 0, of its number.

    `claim` is the text that it supports, `words` the closest text of the source, `missing` the numbers and
    names of the claim that occur in none of the sources cited with it.
    """

    number: int
    occurrence: int
    support: SupportLevel
    claim: str
    words: str = ""
    missing: tuple[str, ...] = ()
    judge: CheckMethod = CheckMethod.WORDS
    score: float = 0.0
    """How likely the claim is supported, 0…1, judged by the words and their order."""
    unread: UnreadReason | None = None
    """Why the source could not be read, if it is `UNREAD`."""


class DisagreementKind(StrEnum):
    """What differs between sources."""

    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    NEGATION = "negation"


@dataclass(frozen=True)
class Disagreement:
    """What sources say differently: `about` is a sentence with a gap, `sources` the numbers of those that say each value.

    The value that most of them say comes first.
    """

    kind: DisagreementKind
    about: str
    values: tuple[str, ...]
    sources: tuple[tuple[int, ...], ...]

    def passage_of(self, place: int) -> str:
        """Return what the sources of a value say."""
        value = self.values[place]
        return value if self.kind is DisagreementKind.NEGATION else self.about.replace("…", value, 1)


@dataclass(frozen=True)
class CitationCheck:
    """All marks in the order of the text, and the bracketed numbers that match no source.

    `problem` tells the user in words what could not be used for the check. `disagreements` are between the sources
    of the answer, by their numbers.
    """

    marks: tuple[CheckedMark, ...] = ()
    unknown: tuple[int, ...] = ()
    problem: str = ""
    disagreements: tuple[Disagreement, ...] = ()

    def with_problem(self, problem: str) -> "CitationCheck":
        """Return the check with another problem added."""
        return replace(self, problem=sentences((problem, self.problem)))

    def mark(self, number: int, occurrence: int) -> CheckedMark | None:
        """Return the result for a mark."""
        return next(
            (mark for mark in self.marks if (mark.number, mark.occurrence) == (number, occurrence)), None
        )

    def disputes(self, mark: CheckedMark) -> tuple[Disagreement, ...]:
        """Return the disagreements about what a mark supports: its source states one of the values, as its claim does."""
        claim = mark.claim.casefold()
        return tuple(
            each
            for each in self.disagreements
            for value, numbers in zip(each.values, each.sources, strict=True)
            if mark.number in numbers
            and (
                value.casefold() in claim or (each.kind is DisagreementKind.NEGATION and mark.words in value)
            )
        )

    def count(self, support: SupportLevel) -> int:
        """Return how many marks have this level of support."""
        return sum(mark.support is support for mark in self.marks)
