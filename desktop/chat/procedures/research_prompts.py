"""The requests of a research: prompts, parsing of the replies, and selection of content that fits."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date
from html import escape

from desktop.chat.procedures.context import (
    NOTHING,
    FinalRequest,
    ProcedureContext,
    count_tokens_of,
    fill_templates,
    format_list,
    parse_source_numbers,
    without_echoes,
)
from desktop.chat.prompt import (
    OF_MEMORIES,
    BuiltPrompt,
    PageWithSources,
    build_continuation,
    build_prompt,
    format_source,
    in_manner,
    reference_budget,
)
from desktop.chat.source_lookup import TokenWindow
from desktop.chat.tools.results import cut
from desktop.domain.messages import Message, Speaker
from desktop.domain.models import QUOTES_MODEL, ModelRequest, PromptMessage
from desktop.domain.procedures import (
    QUERY_CHARS,
    Finding,
    Plan,
    QualityVerdict,
    Query,
    Research,
    SearchTarget,
)
from desktop.domain.sources import Source, SourceKind
from desktop.phrases import pluralize, translatable
from desktop.search.keywords import title_query
from desktop.text.almost_xml import Element, elements
from desktop.text.tokens import estimate_tokens, take_within_budget

MOST_QUERIES = 4
"""Maximum number of queries in one round."""

UNREADABLE = translatable("The model’s assessment couldn’t be read.")

_MOST_NEEDS = 5
_MOST_FINDINGS = 40
_FINDING_CHARS = 2_000
_HISTORY_MESSAGES = 6
_HISTORY_CHARS = 700
_LINE_TOKENS = 3
_ENOUGH = re.compile(r"\b(?:enough|sufficient|complete)\b|足够|充分|够了", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|in|isn't)\b|不", re.IGNORECASE)
_PLACES = {
    SearchTarget.WEB: "web (the whole web)",
    SearchTarget.WIKIPEDIA: "wikipedia (its articles; a title or keywords)",
    SearchTarget.FILES: "files (the user's own documents; whole sentences)",
}


def plan_messages(
    question: str, history: Sequence[Message], places: Sequence[SearchTarget], today: date
) -> tuple[PromptMessage, ...]:
    """Return the request for a plan."""
    fields = {
        "today": today.isoformat(),
        "queries": str(MOST_QUERIES),
        "places": _list_places(places),
        "history": _format_history(history),
        "question": escape(question, quote=False),
    }
    return fill_templates("research_plan", fields)


def read_plan(written: str, question: str, places: Sequence[SearchTarget]) -> Plan:
    """Return the plan from a model's reply; without a usable query, the question itself is searched everywhere."""
    found = without_echoes(elements(written, ("need", "query")), "research_plan", question)
    needs = (element.text for element in found if element.name == "need" and element.text)
    queries = _queries(found, places, ())
    if not queries:
        queries = tuple(Query(_adapt_query(question[:QUERY_CHARS], place), place) for place in places)
    return Plan(tuple(dict.fromkeys(needs))[:_MOST_NEEDS], queries)


def reading_messages(
    research: Research,
    known: Sequence[Finding],
    sources: Sequence[Source],
    places: Sequence[SearchTarget],
    today: date,
) -> tuple[PromptMessage, ...]:
    """Return the request to read new sources, given what is `known` already."""
    fields = {
        "today": today.isoformat(),
        "queries": str(MOST_QUERIES),
        "places": _list_places(places),
        "question": escape(research.question, quote=False),
        "needs": format_list(research.plan.needs),
        "asides": format_list(research.asides),
        "asked": format_list(query.text for query in list_past_queries(research)),
        "known": format_list(map(_finding_line, known)),
        "sources": "\n\n".join(map(format_source, sources)) or NOTHING,
    }
    return fill_templates("research_read", fields)


def read_reading(
    written: str, research: Research, numbers: Collection[int], places: Sequence[SearchTarget]
) -> tuple[tuple[Finding, ...], QualityVerdict]:
    """Return what a model found in the sources with these `numbers`, and its verdict.

    A finding that names none of the sources is not evidence and is dropped.
    """
    written_down = elements(written, ("information", "verdict", "missing", "query"))
    found = without_echoes(written_down, "research_read", research.question)
    findings = [
        Finding(element.text[:_FINDING_CHARS], named)
        for element in found
        if element.name == "information"
        and element.text
        and (named := parse_source_numbers(element, numbers))
    ]
    queries = _queries(found, places, [query.text for query in list_past_queries(research)])
    missing = next((element.text for element in found if element.name == "missing" and element.text), "")
    verdict = next((element.text for element in found if element.name == "verdict"), "")
    is_enough = bool(_ENOUGH.search(verdict)) and not _NOT.search(verdict) and not queries
    problem = "" if verdict or missing or queries else UNREADABLE
    return tuple(findings[:_MOST_FINDINGS]), QualityVerdict(is_enough, missing, queries, problem)


def answer_messages(
    research: Research, findings: Sequence[Finding], today: date
) -> tuple[PromptMessage, ...]:
    """Return the request for the answer: only the question and `findings`."""
    last = research.rounds[-1].verdict if research.rounds else QualityVerdict()
    fields = {
        "today": today.isoformat(),
        "findings": "\n".join(f"- {_finding_line(finding)}" for finding in findings) or NOTHING,
        "missing": last.missing or NOTHING,
        "asides": "\n".join(f"- {aside}" for aside in research.asides) or NOTHING,
        "question": research.question,
    }
    return fill_templates("research_answer", fields)


def list_past_queries(research: Research) -> list[Query]:
    """Return every query so far."""
    return [query for done in research.rounds for query in done.queries]


def _list_places(places: Sequence[SearchTarget]) -> str:
    return ", ".join(_PLACES[place] for place in places)


def _finding_line(finding: Finding) -> str:
    return finding.text + "".join(f" [{number}]" for number in finding.numbers)


def finding_tokens(finding: Finding) -> int:
    """Return the approximate number of tokens of a finding."""
    return estimate_tokens(_finding_line(finding)) + _LINE_TOKENS


def _queries(
    found: Sequence[Element], places: Sequence[SearchTarget], known: Collection[str]
) -> tuple[Query, ...]:
    """Return the new queries; a place that is not available is replaced by the first available one."""
    seen = {text.casefold() for text in known}
    queries: list[Query] = []
    for element in found:
        text = element.text[:QUERY_CHARS].strip()
        if element.name != "query" or not text or text.casefold() in seen:
            continue
        seen.add(text.casefold())
        named = element.attributes.get("place", "").lower()
        place = next((place for place in places if place == named), places[0])
        queries.append(Query(_adapt_query(text, place), place))
    return tuple(dict.fromkeys(queries))[:MOST_QUERIES]


def _adapt_query(text: str, place: SearchTarget) -> str:
    """Return a query adapted to its place: an encyclopaedia is searched by titles and keywords."""
    return title_query(text) if place is SearchTarget.WIKIPEDIA else text


def _format_history(history: Sequence[Message]) -> str:
    said = [
        f"{'Person' if message.speaker is Speaker.USER else 'Assistant'}: {message.text[:_HISTORY_CHARS]}"
        for message in history[-_HISTORY_MESSAGES:]
        if message.text
    ]
    return format_list(said)


def affordable(sources: Sequence[Source], tokens: int) -> tuple[Source, ...]:
    """Return the first of `sources` that can be read with `tokens`; at least one."""
    return tuple(take_within_budget(sources, count_tokens_of, tokens, least=1))


def latest(findings: Sequence[Finding], budget: int) -> tuple[Finding, ...]:
    """Return as many of the last findings as fit into `budget` tokens, in order."""
    return tuple(reversed(take_within_budget(reversed(findings), finding_tokens, budget)))


def fit_findings(findings: Sequence[Finding], budget: int) -> tuple[Finding, ...]:
    """Return the findings that fit into `budget` tokens, earlier ones preferred, in order."""
    return tuple(take_within_budget(findings, finding_tokens, budget, skips=True))


_BESIDE_TEXT_TOKENS = 200
"""Upper limit for the title and markup of a source."""
_LEAST_TOKENS = 100

_FROM_SOURCES = translatable(
    "Nothing was extracted from the sources, so the answer uses the best sources directly."
)
_FINDINGS_LEFT_OUT = (
    translatable("{count} finding left out for lack of space."),
    translatable("{count} findings left out for lack of space."),
)
_SOURCES_LEFT_OUT = (translatable("{count} source left out."), translatable("{count} sources left out."))


def final_request(
    research: Research,
    sources: Sequence[Source],
    pages: Sequence[PageWithSources],
    context: ProcedureContext,
    window: TokenWindow,
) -> FinalRequest:
    """Return the request for the answer.

    It contains the findings and the memories. Without findings, it is built like that of an ordinary answer:
    from as many of the `sources`, best first, as fit, with their `pages`.
    """
    if research.findings:
        prompt, notes = _from_findings(research, sources, context, window)
    else:
        prompt, notes = _from_sources(research, sources, pages, context, window)
    messages = build_continuation(prompt, context.answer_so_far) if context.answer_so_far else prompt.messages
    request = ModelRequest(
        model=context.picked.name,
        messages=messages,
        max_output_tokens=window.answer_tokens,
        effort=context.effort,
        question=research.question,
        references=prompt.sources,
        answer_so_far=context.answer_so_far,
    )
    return FinalRequest(request, notes)


def _from_findings(
    research: Research, sources: Sequence[Source], context: ProcedureContext, window: TokenWindow
) -> tuple[BuiltPrompt, tuple[str, ...]]:
    remembered = [_as_finding(source) for source in sources if source.kind is SourceKind.MEMORY]
    findings = (*remembered, *research.findings)
    bare = in_manner(answer_messages(research, (), context.today), context.manner)
    taken = sum(estimate_tokens(message.text) for message in bare) + estimate_tokens(context.answer_so_far)
    kept = fit_findings(findings, window.context_tokens - window.answer_tokens - taken)
    left_out = len(findings) - len(kept)
    notes = (pluralize(_FINDINGS_LEFT_OUT, left_out),) if left_out else ()
    return BuiltPrompt(in_manner(answer_messages(research, kept, context.today), context.manner), ()), notes


def _as_finding(memory: Source) -> Finding:
    return Finding(f"{OF_MEMORIES}: {memory.text}", (memory.number,))


def _from_sources(
    research: Research,
    sources: Sequence[Source],
    pages: Sequence[PageWithSources],
    context: ProcedureContext,
    window: TokenWindow,
) -> tuple[BuiltPrompt, tuple[str, ...]]:
    question = "\n\n".join((research.question, *research.asides))
    budget = (
        reference_budget(question, window.context_tokens, window.answer_tokens, context.manner)
        - _BESIDE_TEXT_TOKENS
    )
    prompt = build_prompt(
        question,
        context.history,
        [replace(source, text=cut(source.text, max(budget, _LEAST_TOKENS))) for source in sources],
        context_tokens=window.context_tokens,
        answer_tokens=window.answer_tokens,
        today=context.today,
        manner=context.manner,
        pages=pages,
    )
    notes: tuple[str, ...] = (_FROM_SOURCES,) if prompt.sources and context.picked.id != QUOTES_MODEL else ()
    if prompt.dropped_sources:
        notes += (pluralize(_SOURCES_LEFT_OUT, len(prompt.dropped_sources)),)
    return prompt, notes
