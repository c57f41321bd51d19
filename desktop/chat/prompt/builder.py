"""Builds the request for a model: instructions, history, numbered sources, question, within a token budget."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from html import escape

from desktop.chat.prompt.images import (
    OF_QUESTION,
    PageWithSources,
    Pictures,
    label_page_images,
    words_for,
)
from desktop.domain.messages import Message, Speaker
from desktop.domain.models import Image, PromptMessage
from desktop.domain.search import SearchStatus
from desktop.domain.sources import Source, SourceKind, address_for_model
from desktop.domain.trace import Trace
from desktop.resources import fill_resource, resource_text
from desktop.text.decode import strip_surrogates
from desktop.text.tokens import beginning_within, cost_of_source, estimate_tokens, label_tokens, take_fitting

_REFERENCE_SHARE = 0.6
"""Share of the tokens left over by question and instructions that sources can fill; history gets the rest."""

_PAGES_SHARE = 0.5
"""Share of the tokens left over by the text of the sources that their pictures can fill."""

PICTURE_TOKENS = 1_000
"""Approximate cost of a picture, for any model."""

NO_PICTURES: Pictures = {}

_FENCE = re.compile(r"<(?=[\s/]*source)", re.IGNORECASE)
"""Text that a model could take for the end of a source or the start of another one."""

OF_MEMORIES = "What the user asked to remember, in an earlier conversation"
"""Replaces the title for the model, which would take “You said” in the user's title for its own words."""

CUT = "[… the rest of this source had no room]"
"""Tells the model that the end of a source was cut."""

_LEAST_TOKENS = 40
"""Shorter beginnings of a source are useless."""


_MOST_OUTCOMES = 20
_OUTCOMES = {
    SearchStatus.RESULTS: "it gave results, but none of their pages could be used",
    SearchStatus.NOTHING_FOUND: "it found nothing",
    SearchStatus.BLOCKED: "it refused to answer",
    SearchStatus.LAYOUT_CHANGED: "its answer could not be read",
    SearchStatus.TIMED_OUT: "it did not respond in time",
    SearchStatus.OFFLINE: "it could not be reached",
}

LOST = "[Words that stood here were damaged on the user's disk. They cannot be read any more.]"
"""Tells the model that text of a message or a source is lost."""


@dataclass(frozen=True)
class BuiltPrompt:
    """Messages ready to send, and what had to be left out."""

    messages: tuple[PromptMessage, ...]
    sources: tuple[Source, ...]
    dropped_sources: tuple[int, ...] = ()
    cut_sources: tuple[int, ...] = ()
    dropped_turns: int = 0
    pages_shown: int = 0


def reference_budget(question: str, context_tokens: int, answer_tokens: int, manner: str = "") -> int:
    """Return how many tokens of sources fit beside `question` and an assistant's prompt."""
    return int(_budget(question, context_tokens, answer_tokens, manner) * _REFERENCE_SHARE)


def search_note(trace: Trace, sources: Sequence[Source]) -> str:
    """Return the note for the model that searching the web or files found no source; empty otherwise.

    The text is fixed: messages of external services must not get into the instructions.
    """
    return "\n\n".join(filter(None, (_web_note(trace, sources), _files_note(trace, sources))))


def _files_note(trace: Trace, sources: Sequence[Source]) -> str:
    if not trace.has_unanswering_files or any(source.kind is SourceKind.FILE for source in sources):
        return ""
    return resource_text("prompts/files_unanswered.txt").strip()


def _web_note(trace: Trace, sources: Sequence[Source]) -> str:
    if not trace.queries or any(source.kind is SourceKind.WEB for source in sources):
        return ""
    told = dict.fromkeys(f"- {search.engine}: {_OUTCOMES[search.status]}" for search in trace.searches)
    outcomes = "\n".join([*told][:_MOST_OUTCOMES]) or "- No search engine could be asked."
    return fill_resource("prompts/search_failed.txt", {"outcomes": outcomes})


def in_manner(messages: tuple[PromptMessage, ...], manner: str) -> tuple[PromptMessage, ...]:
    """Return a request with an assistant's prompt before the rules in its first message, the system message."""
    rules, *others = messages
    return (replace(rules, text=strip_surrogates(_with_manner(manner, rules.text))), *others)


def build_prompt(
    question: str,
    history: Sequence[Message],
    sources: Sequence[Source],
    *,
    context_tokens: int,
    answer_tokens: int,
    today: date,
    manner: str = "",
    pictures: Pictures = NO_PICTURES,
    pages: Sequence[PageWithSources] = (),
    search_note: str = "",
) -> BuiltPrompt:
    """Return the prompt for `question`; neither the question nor `manner`, an assistant's prompt, is ever cut.

    `sources` come in order of importance: the last ones are left out first; one that is too long is cut after a
    sentence. Of `history` the oldest messages are left out first; the remaining part always begins with a
    message of the user. `pictures` are sent with their messages, `pages` with the question if they fit beside
    the text of the sources. `search_note` tells the model what the web search found.
    """
    asked = "\n\n".join(filter(None, (search_note, question)))
    tokens_left = _budget(asked, context_tokens, answer_tokens, manner) - _cost(pictures.get(OF_QUESTION, ()))
    kept_sources = _fitting(sources, max(0, int(tokens_left * _REFERENCE_SHARE)))
    tokens_left -= sum(map(cost_of_source, kept_sources))
    told = sorted(kept_sources, key=lambda source: source.number)
    whole = {source.number: source for source in sources}
    kept = {source.number for source in told}
    shown = label_page_images(pages, kept, max(0, int(tokens_left * _PAGES_SHARE)) // PICTURE_TOKENS)
    kept_history = _latest(history, tokens_left - _cost(shown), pictures)
    return BuiltPrompt(
        messages=(
            PromptMessage("system", strip_surrogates(_instructions(today, manner))),
            *(_told(message, pictures) for message in kept_history),
            PromptMessage(
                "user",
                strip_surrogates(_with_sources(asked, told)),
                images=(*pictures.get(OF_QUESTION, ()), *shown),
            ),
        ),
        sources=tuple(whole[source.number] for source in told),
        dropped_sources=tuple(source.number for source in sources if source.number not in kept),
        cut_sources=tuple(source.number for source in told if source != whole[source.number]),
        dropped_turns=sum(message.speaker is Speaker.USER for message in history)
        - sum(message.speaker is Speaker.USER for message in kept_history),
        pages_shown=len(shown),
    )


def showing(
    messages: tuple[PromptMessage, ...],
    pages: Sequence[PageWithSources],
    sources: Sequence[Source],
    tokens_left: int,
) -> tuple[PromptMessage, ...]:
    """Return a request with page images of its `sources` in the last message, as many as fit `tokens_left`."""
    *before, last = messages
    shown = label_page_images(
        pages, {source.number for source in sources}, max(0, tokens_left) // PICTURE_TOKENS
    )
    return (*before, replace(last, images=(*last.images, *shown)))


def build_continuation(prompt: BuiltPrompt, answer_so_far: str) -> tuple[PromptMessage, ...]:
    """Return the messages that make a model continue an interrupted answer."""
    return (
        *prompt.messages,
        PromptMessage("assistant", strip_surrogates(answer_so_far)),
        PromptMessage("user", resource_text("prompts/continue.txt").strip()),
    )


def format_source(source: Source) -> str:
    """Return one source as the model reads it: fenced, labelled, with its text escaped."""
    address = address_for_model(source.kind, source.url)
    attributes = {
        "number": str(source.number),
        "kind": source.kind.value,
        "title": OF_MEMORIES if source.kind is SourceKind.MEMORY else source.title,
        "from": "" if address else source.host,
        "url": address,
        "where": str(source.locator),
        "published": source.published,
    }
    written = " ".join(f'{name}="{escape(value)}"' for name, value in attributes.items() if value)
    return f"<source {written}>\n{escape_fence(_left(source))}\n</source>"


def escape_fence(text: str) -> str:
    """Return a text with escaped fence tags, so that it can neither close its fence nor open another one."""
    return _FENCE.sub("<\u200b", text)


def _with_manner(manner: str, rules: str) -> str:
    if not manner:
        return rules
    return fill_resource("prompts/assistant.txt", {"manner": manner}) + "\n\n" + rules


def _instructions(today: date, manner: str) -> str:
    return _with_manner(manner, fill_resource("prompts/answer.txt", {"today": today.isoformat()}))


def _with_sources(question: str, sources: Sequence[Source]) -> str:
    if not sources:
        return question
    written = "\n\n".join(map(format_source, sources))
    return fill_resource("prompts/sources.txt", {"sources": written, "question": question})


def _budget(question: str, context_tokens: int, answer_tokens: int, manner: str) -> int:
    template = estimate_tokens(resource_text("prompts/sources.txt"))
    taken = estimate_tokens(_instructions(date.min, manner)) + estimate_tokens(question) + template
    return max(0, context_tokens - answer_tokens - taken)


def _fitting(sources: Sequence[Source], budget: int) -> list[Source]:
    """Return the sources that fit; those that are too long are cut."""
    kept = []
    for source in sources:
        fitting = source if cost_of_source(source) <= budget else _shortened(source, budget)
        if fitting is not None:
            kept.append(fitting)
            budget -= cost_of_source(fitting)
    return kept


def _shortened(source: Source, budget: int) -> Source | None:
    """Return a source cut after a sentence so that it fits, or None if too little would remain."""
    tokens_left = budget - label_tokens(source) - estimate_tokens(f"\n\n{CUT}")
    text = beginning_within(source.text, tokens_left).rstrip() if tokens_left >= _LEAST_TOKENS else ""
    return replace(source, text=f"{text}\n\n{CUT}") if text else None


def _told(message: Message, pictures: Pictures) -> PromptMessage:
    images = pictures.get(message.id, ())
    return PromptMessage(message.speaker.value, strip_surrogates(_words(message)), images=images)


def _left(said: Message | Source) -> str:
    """Return the text of a message or a source, with a note where text was lost."""
    return "\n\n".join(filter(None, (said.text, LOST))) if said.is_damaged else said.text


def _words(message: Message) -> str:
    if message.text or message.is_damaged or message.speaker is Speaker.MODEL or not message.attachments:
        return _left(message)
    return words_for(message)


def _cost(images: Sequence[Image]) -> int:
    return PICTURE_TOKENS * len(images)


def _latest(history: Sequence[Message], budget: int, pictures: Pictures) -> list[Message]:
    def cost(message: Message) -> int:
        return estimate_tokens(_words(message)) + _cost(pictures.get(message.id, ()))

    kept = take_fitting(filter(_words, reversed(history)), cost, budget)[::-1]
    while kept and kept[0].speaker is not Speaker.USER:
        kept.pop(0)
    return kept
