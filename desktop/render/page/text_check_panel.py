"""The panel of the check of a text: its claims with their verdicts, the worst first."""

import re
from collections.abc import Iterable

from desktop.domain.citation_check import DOUBTED, SupportLevel
from desktop.domain.procedures import CLAIM_RANK, Phase, TextCheck, TextClaim
from desktop.phrases import pluralize
from desktop.render.labels import Labels
from desktop.render.page.buttons import button
from desktop.render.page.procedure_panel import (
    PanelKind,
    PanelView,
    hold_piece,
    marks,
    notes_piece,
    piece,
    progress_piece,
)
from desktop.render.procedure_labels import TextCheckLabels, text_check_labels
from desktop.text.html.element import EMPTY, Html, element, fragment

_MOST_MISSING = 6


_TextCheckView = PanelView[TextCheck, TextCheckLabels]


def _head(view: _TextCheckView) -> str:
    state, words = view.state, view.words
    name = words.name.format(name=state.name or "…")
    done = len(state.checked)
    if state.phase is Phase.DONE:
        told = f"{pluralize(words.claims, done)} · {verdict_counts(state, view.labels)}"
    elif not view.is_live:
        told = words.broken_off
    else:
        count = len(state.claims)
        told = words.phases.get(state.phase, "").format(place=min(done + 1, count), count=count)
    return f"{name} · {told}"


def verdict_counts(state: TextCheck, labels: Labels) -> str:
    """Return how many claims have each verdict, the worst first."""
    words = text_check_labels(labels)
    found = [claim.verdict.support for claim in state.checked]
    counts = (f"{words.verdicts[level]}: {found.count(level)}" for level in CLAIM_RANK if level in found)
    return labels.comma.join(counts)


def _pieces(view: _TextCheckView) -> Iterable[Html]:
    state, words = view.state, view.words
    if state.claims and state.phase is not Phase.DONE:
        done, count = len(state.checked), len(state.claims)
        text = words.of.format(done=done, count=count)
        yield progress_piece(words.progress, done, count, text)
    if state.claims:
        yield from hold_piece(view, Phase.CHECKING)
        rows = (_row(claim, view) for claim in state.checked)
        heading = element("h3", words.worst_first)
        yield piece("claims", fragment(heading, element("ol", *rows, class_="claims")))
    yield from notes_piece((*state.notes, state.ended_by), view.labels)


def _row(claim: TextClaim, view: _TextCheckView) -> Html:
    verdict = claim.verdict
    told = " ".join(claim_reasons(claim, view.labels))
    passage = element("blockquote", verdict.words, dir="auto")
    return element(
        "li",
        element("strong", view.words.verdicts[verdict.support], class_="claim-verdict"),
        " ",
        element("span", _with_missing(claim), class_="claim-text", dir="auto"),
        marks(claim.numbers, view.known, view.labels),
        element("p", told, " ", _way_to_text(view), class_="claim-note"),
        element("details", element("summary", view.words.closest), passage) if verdict.words else None,
        class_=f"claim {verdict.support.value}",
    )


def _way_to_text(view: _TextCheckView) -> Html:
    if view.is_live:  # the text comes when all claims are checked
        return EMPTY
    return button(view.words.show_in_text, class_="way find-claim")


def claim_reasons(claim: TextClaim, labels: Labels) -> Iterable[str]:
    """Yield the reasons for a verdict, as sentences: where it is from, how sure it is, and what differs."""
    words, verdict = text_check_labels(labels), claim.verdict
    if verdict.unread is not None:
        yield labels.unread_notes[verdict.unread]
        return
    if not claim.judged:
        yield words.nothing
        return
    if verdict.support is SupportLevel.UNCOMPARED:
        yield words.uncompared
        return
    place = words.places[claim.place] if claim.place and verdict.number else ""
    sure = words.likelihood.format(percent=round(100 * verdict.score))
    told = " · ".join(filter(None, (place, sure)))
    yield f"{told[:1].upper()}{told[1:]}{words.full_stop}"
    if verdict.missing and verdict.support in DOUBTED:
        yield words.differs.format(missing=labels.comma.join(verdict.missing[:_MOST_MISSING]))


def _with_missing(claim: TextClaim) -> Html:
    """Return a claim with the numbers and names marked that the source does not have."""
    verdict = claim.verdict
    wanted = {*verdict.missing[:_MOST_MISSING]} - {""} if verdict.support in DOUBTED else set()
    if not wanted:
        return fragment(claim.text)
    parts: list[str] = []
    for piece_of_text in re.split(
        f"({'|'.join(map(re.escape, sorted(wanted, key=len, reverse=True)))})", claim.text
    ):
        is_first = piece_of_text in wanted
        wanted.discard(piece_of_text)
        parts.append(element("mark", piece_of_text) if is_first else piece_of_text)
    return fragment(*parts)


TEXT_CHECK_PANEL = PanelKind(text_check_labels, _head, _pieces, over=frozenset({Phase.DONE}), is_result=True)
