"""Images for models that accept them: those of messages, and rendered pages of sources."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from desktop.chat.api.engine import Question
from desktop.domain.icons import ICO, picture_type
from desktop.domain.knowledge import PagePicture
from desktop.domain.messages import Message
from desktop.domain.models import Image
from desktop.domain.search import WEB_OFF
from desktop.domain.sources import Source, SourceKind, document_of
from desktop.errors import KnowledgeError
from desktop.phrases import translatable

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
    return await asyncio.to_thread(_opened, question.files, own, history)


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


def _opened(files: Sequence[Path], own: Sequence[Path], history: Sequence[Message]) -> MessageImages:
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
    if kind in {"", ICO}:  # models do not accept icons
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
        pages = await _drawn(places, self._draw, most)
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


async def _drawn(places: Mapping[_Place, Sequence[int]], draw: DrawPage, most: int) -> PageImages:
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
