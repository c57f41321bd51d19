"""Builds the request for a model: instructions, history, numbered sources, question, within a token budget.

Models that accept images get those of messages, and rendered pages of sources.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from html import escape
from pathlib import Path, PurePath

from desktop.chat.api.engine import Question
from desktop.domain.knowledge import PagePicture
from desktop.domain.messages import Message, Speaker
from desktop.domain.models import Image, PromptMessage
from desktop.domain.pictures import WEB_PICTURES, picture_type
from desktop.domain.search import WEB_OFF, SearchStatus
from desktop.domain.sources import Source, SourceKind, address_for_model, document_of
from desktop.domain.trace import Trace
from desktop.errors import KnowledgeError
from desktop.phrases import translatable
from desktop.resources import fill_resource, resource_text
from desktop.text.decode import strip_surrogates
from desktop.text.tokens import (
    beginning_within,
    cost_of_source,
    estimate_tokens,
    label_tokens,
    take_within_budget,
)

PICTURE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp"})
MAX_PICTURE_BYTES = 5 * 1024 * 1024
"""Size that every server accepts; the window scales larger pictures down before."""

MOST_EARLIER = 6
"""How many pictures of earlier questions are sent again."""

_NOT_SEEN = translatable(
    "This model does not support images: {names}. Choose one that does, or mark this one as able "
    "to in Settings > Models."
)
_TOO_LARGE = translatable("{name} is larger than {size} MB and was not shown to the model.")
_NO_PICTURE = translatable("{name} was not shown to the model: it isn’t a PNG, JPEG, GIF or WebP image.")
_GONE = translatable("{name} couldn’t be opened and was not shown to the model.")

_ONLY_FILES = "Say briefly what is in the attached files ({names}), in the language of the conversation or of the files."

OF_QUESTION = ""
"""Key of the current question where pictures are stored by message id."""

Pictures = Mapping[str, tuple[Image, ...]]


@dataclass(frozen=True)
class MessageImages:
    """`pictures` by message; `files` of the question still to be read as text; `problems` as messages."""

    pictures: Pictures = field(default_factory=dict)
    files: tuple[Path, ...] = ()
    problems: tuple[str, ...] = ()


async def load_message_images(question: Question, history: Sequence[Message]) -> MessageImages:
    """Return the pictures for a question to a model with vision."""
    own = [path for path in question.files if is_picture(path)]
    return await asyncio.to_thread(_open_images, question.files, own, history)


def list_unseen_images(question: Question) -> MessageImages:
    """Return no pictures, for a model without vision, and say which it does not see."""
    names = ", ".join(path.name for path in question.files if is_picture(path))
    return MessageImages(files=question.files, problems=(_NOT_SEEN.format(names=names),) if names else ())


def is_picture(path: Path) -> bool:
    """Say whether a file name is that of a picture."""
    return path.suffix.lower() in PICTURE_SUFFIXES


def with_default_text(question: Question, asked: Message) -> Question:
    """Return a question with text, as files can be sent alone. The default text is not searched for on the web."""
    if question.text.strip() or not asked.attachments:
        return question
    return replace(question, text=words_for(asked), web=WEB_OFF)


def words_for(asked: Message) -> str:
    """Return the default text for a message with files and no text."""
    return _ONLY_FILES.format(names=", ".join(PurePath(path).name for path in asked.attachments))


def _open_images(files: Sequence[Path], own: Sequence[Path], history: Sequence[Message]) -> MessageImages:
    problems: list[str] = []
    shown = tuple(image for path in own if (image := _read(path, problems)))
    pictures = {OF_QUESTION: shown} if shown else {}
    budget = MOST_EARLIER
    for message in reversed(history):
        paths = [path for path in message.files if is_picture(path)][:budget]
        earlier = tuple(image for path in paths if (image := _read(path, [])))
        if earlier:
            pictures[message.id] = earlier
            budget -= len(earlier)
    rest = tuple(path for path in files if path not in own)
    return MessageImages(pictures, rest, tuple(problems))


def _read(path: Path, problems: list[str]) -> Image | None:
    """Return the picture in a file; if there is none, the reason is added to `problems`."""
    try:
        if path.stat().st_size > MAX_PICTURE_BYTES:
            problems.append(_TOO_LARGE.format(name=path.name, size=MAX_PICTURE_BYTES // 1024**2))
            return None
        data = path.read_bytes()
    except OSError:
        problems.append(_GONE.format(name=path.name))
        return None
    kind = picture_type(data)
    if kind not in WEB_PICTURES:
        problems.append(_NO_PICTURE.format(name=path.name))
        return None
    return Image(kind, data)


MOST_PAGES = 4
MOST_BYTES = 3 * 1024 * 1024
"""Size of four pages at maximum resolution: servers accept tens of megabytes in one request."""

_TEXT_ALONE = translatable("The model gets only the text of scanned pages, not their images. {reason}")
_LABEL = "The page that source {numbers} was read from:"

DrawPage = Callable[[str, int | None], Awaitable[PagePicture]]
"""Renders a page of the file with a SHA-256."""


_Place = tuple[str, int | None]
"""The SHA-256 of a file and a page of it."""


@dataclass(frozen=True)
class PageWithSources:
    """A page image and the numbers of the sources that were read from it."""

    place: _Place
    numbers: tuple[int, ...]
    image: Image


@dataclass(frozen=True)
class PageImages:
    """The page images to show, most important first; `problems` says which cannot be shown."""

    shown: tuple[PageWithSources, ...] = ()
    problems: tuple[str, ...] = ()


NO_PAGES = PageImages()


async def draw_nothing(_sha256: str, _page: int | None) -> PagePicture:
    """Return no picture; for knowledge services without pictures."""
    return PagePicture()


class PageImageLoader:
    """Loads the pages that sources were read from for a model, or nothing if it does not `see`.

    A problem is reported only once.
    """

    def __init__(self, draw: DrawPage, *, see: bool) -> None:
        self._draw = draw
        self._see = see
        self._shown: set[_Place] = set()
        self._left = MOST_PAGES
        self._told: set[str] = set()

    async def pages_of(self, sources: Sequence[Source]) -> PageImages:
        """Return the pages for a separate request."""
        return await self._pages(_places(sources), MOST_PAGES)

    async def more_pages_of(self, sources: Sequence[Source]) -> PageImages:
        """Return further pages for a continued exchange: only new ones, within the limit for all of them."""
        new = {place: numbers for place, numbers in _places(sources).items() if place not in self._shown}
        pages = await self._pages(new, self._left)
        self._left -= len(pages.shown)
        return pages

    async def _pages(self, places: Mapping[_Place, Sequence[int]], most: int) -> PageImages:
        if not self._see:
            return NO_PAGES
        pages = await _draw_pages(places, self._draw, most)
        self._shown.update(page.place for page in pages.shown)
        new = tuple(problem for problem in pages.problems if problem not in self._told)
        self._told.update(new)
        return replace(pages, problems=new)


NO_PAGE_IMAGES = PageImageLoader(draw_nothing, see=False)


def _places(sources: Sequence[Source]) -> dict[_Place, list[int]]:
    """Return the pages of sources, with the source numbers."""
    numbers: dict[_Place, list[int]] = {}
    for source in sources:
        if source.kind is SourceKind.FILE:
            numbers.setdefault((document_of(source), source.locator.page), []).append(source.number)
    return numbers


async def _draw_pages(places: Mapping[_Place, Sequence[int]], draw: DrawPage, most: int) -> PageImages:
    """Return the pages that were read from pictures, as many as can be sent."""
    shown: list[PageWithSources] = []
    problems: dict[str, None] = {}
    budget = MOST_BYTES
    for (sha256, page), numbers in places.items():
        if len(shown) == most:
            break
        try:
            picture = await draw(sha256, page)
        except KnowledgeError as error:
            picture = PagePicture(problem=str(error))
        if picture.problem:
            problems[_TEXT_ALONE.format(reason=picture.problem)] = None
        elif picture.jpeg and len(picture.jpeg) <= budget:
            budget -= len(picture.jpeg)
            shown.append(PageWithSources((sha256, page), tuple(numbers), Image("image/jpeg", picture.jpeg)))
    return PageImages(tuple(shown), tuple(problems))


def label_page_images(
    pages: Sequence[PageWithSources], kept: Collection[int], most: int
) -> tuple[Image, ...]:
    """Return at most the given number of page images for the kept sources, each with its source numbers."""
    images = []
    for page in pages:
        numbers = [number for number in page.numbers if number in kept]
        if numbers:
            label = _LABEL.format(numbers=", ".join(f"[{number}]" for number in numbers))
            images.append(replace(page.image, label=label))
    return tuple(images[:most])


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
            *(_format_message(message, pictures) for message in kept_history),
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


def with_page_images(
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
    return f"<source {written}>\n{escape_fence(_text_with_note(source))}\n</source>"


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
        fitting = source if cost_of_source(source) <= budget else _shorten(source, budget)
        if fitting is not None:
            kept.append(fitting)
            budget -= cost_of_source(fitting)
    return kept


def _shorten(source: Source, budget: int) -> Source | None:
    """Return a source cut after a sentence so that it fits, or None if too little would remain."""
    tokens_left = budget - label_tokens(source) - estimate_tokens(f"\n\n{CUT}")
    text = beginning_within(source.text, tokens_left).rstrip() if tokens_left >= _LEAST_TOKENS else ""
    return replace(source, text=f"{text}\n\n{CUT}") if text else None


def _format_message(message: Message, pictures: Pictures) -> PromptMessage:
    images = pictures.get(message.id, ())
    return PromptMessage(message.speaker.value, strip_surrogates(_words(message)), images=images)


def _text_with_note(said: Message | Source) -> str:
    """Return the text of a message or a source, with a note where text was lost."""
    return "\n\n".join(filter(None, (said.text, LOST))) if said.is_damaged else said.text


def _words(message: Message) -> str:
    if message.text or message.is_damaged or message.speaker is Speaker.MODEL or not message.attachments:
        return _text_with_note(message)
    return words_for(message)


def _cost(images: Sequence[Image]) -> int:
    return PICTURE_TOKENS * len(images)


def _latest(history: Sequence[Message], budget: int, pictures: Pictures) -> list[Message]:
    def cost(message: Message) -> int:
        return estimate_tokens(_words(message)) + _cost(pictures.get(message.id, ()))

    kept = take_within_budget(filter(_words, reversed(history)), cost, budget)[::-1]
    while kept and kept[0].speaker is not Speaker.USER:
        kept.pop(0)
    return kept
