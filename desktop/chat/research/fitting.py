"""What of sources and findings fits into one request."""

from collections.abc import Sequence
from dataclasses import replace

from desktop.chat.prompt import format_source
from desktop.chat.research.dialogue import finding_tokens
from desktop.chat.tools.results import cut
from desktop.domain.research import Finding
from desktop.domain.sources import Source
from desktop.text.tokens import estimate_tokens


def next_part(sources: Sequence[Source], room: int) -> tuple[tuple[Source, ...], tuple[Source, ...]]:
    """Return the first of `sources`, as many as fit into `room` tokens, and the rest.

    One that fits into no request is cut. Without sources there is an empty part: the model still has to
    say what to try next.
    """
    part: list[Source] = []
    left = room
    for source in sources:
        whole = estimate_tokens(format_source(source))
        if min(whole, room) > left:
            break
        part.append(source if whole <= room else replace(source, text=cut(source.text, room)))
        left -= min(whole, room)
    return tuple(part), tuple(sources[len(part) :])


def affordable(sources: Sequence[Source], tokens: int) -> tuple[Source, ...]:
    """Return the first of `sources`, as many as can be read for `tokens`; one at least."""
    kept: list[Source] = []
    for source in sources:
        tokens -= estimate_tokens(format_source(source))
        if kept and tokens < 0:
            break
        kept.append(source)
    return tuple(kept)


def latest(findings: Sequence[Finding], room: int) -> tuple[Finding, ...]:
    """Return the last findings, as many as fit into `room` tokens, in their order."""
    kept: list[Finding] = []
    for finding in reversed(findings):
        room -= finding_tokens(finding)
        if room < 0:
            break
        kept.append(finding)
    return tuple(reversed(kept))


def fitting(findings: Sequence[Finding], room: int) -> tuple[Finding, ...]:
    """Return the findings that fit into `room` tokens, the earlier before the later, in their order."""
    kept: list[Finding] = []
    for finding in findings:
        cost = finding_tokens(finding)
        if cost <= room:
            kept.append(finding)
            room -= cost
    return tuple(kept)
