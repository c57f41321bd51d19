"""Asks a language model whether sources say what claims say."""

import re
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from html import escape

from desktop.chat.retrieval.source_lookup import SelectedModel
from desktop.domain.citation_check import Disagreement, SupportLevel
from desktop.domain.models import ModelRequest, PromptMessage, TextDelta
from desktop.domain.sources import Source
from desktop.errors import AppError
from desktop.phrases import translatable
from desktop.render.page.cited_sentence import excerpt_of
from desktop.resources import fill_resource, resource_text
from desktop.text.almost_xml import elements
from desktop.text.tokens import estimate_tokens, take_fitting

MOST_CLAIMS_ASKED = 60
"""How many claims one request contains; the others keep the verdict from the word comparison."""

_CONTRADICTED = re.compile(r"\b(?:contradict\w*|false|refut\w*)\b|矛盾|相反", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|no|un\w+)\b|不|无|未|没有", re.IGNORECASE)
_PARTLY = re.compile(r"\b(?:part\w*|weak\w*|some\w*)\b|部分", re.IGNORECASE)
_FULLY = re.compile(r"\b(?:support\w*|yes|full\w*|true)\b|支持|是", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,9}")

_VERDICT_TOKENS = 1_500
_PAIR = 2
NO_MODEL = translatable("The model couldn’t be asked to check the citations. {detail}")


@dataclass(frozen=True)
class JudgeModel:
    """A model with the final decision; `budget_tokens` limits what it is sent."""

    picked: SelectedModel
    budget_tokens: int


@dataclass(frozen=True)
class AskedClaim:
    """A claim and the closest part of its source; its context shows what a clause refers to."""

    claim: str
    excerpt: str
    context: str = ""


def select_fitting(cases: Sequence[AskedClaim], budget_tokens: int) -> tuple[AskedClaim, ...]:
    """Return the first cases, as many as fit into one request."""
    return tuple(take_fitting(cases[:MOST_CLAIMS_ASKED], _case_tokens, budget_tokens))


def build_request(cases: Sequence[AskedClaim]) -> tuple[PromptMessage, ...]:
    """Return the single request about all cases."""
    claims = "\n\n".join(_written(number, case) for number, case in enumerate(cases, 1))
    message = fill_resource("prompts/check_message.txt", {"claims": claims})
    return (
        PromptMessage("system", resource_text("prompts/check.txt").strip()),
        PromptMessage("user", message),
    )


def read_verdicts(written: str, count: int) -> dict[int, SupportLevel]:
    """Return the verdicts by case index; unreadable ones are left out."""
    found: dict[int, SupportLevel] = {}
    for order, element in enumerate(elements(written, ("verdict",))):
        named = _NUMBER.search(element.attributes.get("id", ""))
        index = int(named[0]) - 1 if named else order
        support = _support(element.text)
        if 0 <= index < count and support is not None:
            found.setdefault(index, support)
    return found


async def ask_verdicts(cases: Sequence[AskedClaim], picked: SelectedModel) -> dict[int, SupportLevel]:
    """Ask a model about all cases at once; return the verdicts that could be read, by case index; raises AppError."""
    request = ModelRequest(
        picked.name, build_request(cases), temperature=0.0, max_output_tokens=_VERDICT_TOKENS, thinks=False
    )
    async with aclosing(picked.model.stream(request)) as events:
        written = "".join([event.text async for event in events if isinstance(event, TextDelta)])
    return read_verdicts(written, len(cases))


async def confirm_disagreements(
    found: Sequence[Disagreement], sources: Sequence[Source], examiner: JudgeModel
) -> tuple[tuple[Disagreement, ...], str]:
    """Return the disagreements without those where a model finds that the second source says what the first does.

    Those of more than two values are kept. If the model failed, all are kept and the error message says so.
    """
    by_number = {source.number: source for source in sources}
    pairs = [each for each in found if len(each.values) == _PAIR and each.sources[1][0] in by_number]
    asked = select_fitting([_difference_case(each, by_number) for each in pairs], examiner.budget_tokens)
    if not asked:
        return tuple(found), ""
    try:
        verdicts = await ask_verdicts(asked, examiner.picked)
    except AppError as error:
        return tuple(found), NO_MODEL.format(detail=error)
    agreeing = [each for index, each in enumerate(pairs) if verdicts.get(index) is SupportLevel.SUPPORTED]
    return tuple(each for each in found if each not in agreeing), ""


def _difference_case(found: Disagreement, by_number: Mapping[int, Source]) -> AskedClaim:
    said = found.passage_of(0)
    return AskedClaim(said, "".join(excerpt_of(by_number[found.sources[1][0]].text, said)))


def _case_tokens(case: AskedClaim) -> int:
    return estimate_tokens(_written(1, case))


def _written(number: int, case: AskedClaim) -> str:
    claim, source, context = (escape(text, quote=False) for text in (case.claim, case.excerpt, case.context))
    before = f'<before id="{number}">{context}</before>\n' if context else ""
    return f'{before}<claim id="{number}">{claim}</claim>\n<source id="{number}">{source}</source>'


def _support(text: str) -> SupportLevel | None:
    if _PARTLY.search(text):
        return SupportLevel.WEAK
    if _CONTRADICTED.search(text) and not _NOT.search(text):
        return SupportLevel.CONTRADICTED
    if _NOT.search(text):
        return SupportLevel.NOT_FOUND
    return SupportLevel.SUPPORTED if _FULLY.search(text) else None
