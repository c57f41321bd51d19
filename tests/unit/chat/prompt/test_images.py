"""Pages that sources are from: which are drawn, how many, and what they are called beside the text."""

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from desktop.chat.api.engine import Question
from desktop.chat.prompt import (
    MAX_PICTURE_BYTES,
    MOST_BYTES,
    MOST_EARLIER,
    MOST_PAGES,
    NO_PAGES,
    OF_QUESTION,
    PICTURE_TOKENS,
    PageImageLoader,
    build_prompt,
    list_unseen_images,
    load_message_images,
    with_default_text,
)
from desktop.domain.knowledge import PagePicture
from desktop.domain.messages import Message, Speaker
from desktop.domain.models import Image
from desktop.domain.pictures import ICO, picture_type
from desktop.domain.search import WEB_OFF
from desktop.domain.sources import Ledger, Locator, Passage, SourceKind
from desktop.errors import IndexUnavailable
from tests.cases import cases

PNG = b"\x89PNG\r\n\x1a\n" + b"picture"
NOW = datetime(2026, 11, 21, tzinfo=UTC)


def files(folder: Path, **contents: bytes) -> tuple[Path, ...]:
    paths = []
    for name, data in contents.items():
        path = folder / name.replace("_", ".")
        path.write_bytes(data)
        paths.append(path)
    return tuple(paths)


def said(id_: str, text: str, *attachments: Path, speaker=Speaker.USER) -> Message:
    return Message(id_, "c", speaker, text, NOW, attachments=tuple(map(str, attachments)))


@cases(
    "data, kind",
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"RIFF\x00\x00\x00\x00WAVE", ""),
        (b"\x00\x00\x01\x00", ICO),
        (b"<svg/>", ""),
        (b"", ""),
    ],
)
def test_a_picture_is_what_its_bytes_say(data, kind):
    assert picture_type(data) == kind


async def test_pictures_are_shown_and_other_files_are_read(tmp_path):
    shot, notes = files(tmp_path, shot_PNG=PNG, notes_txt=b"words")
    message_images = await load_message_images(Question("What?", "c", files=(shot, notes)), ())
    assert message_images.pictures == {OF_QUESTION: (Image("image/png", PNG),)}
    assert (message_images.files, message_images.problems) == ((notes,), ())


async def test_a_model_that_does_not_see_is_said_not_to(tmp_path):
    shot, notes = files(tmp_path, shot_png=PNG, notes_txt=b"words")
    message_images = list_unseen_images(Question("What?", "c", files=(shot, notes)))
    assert not message_images.pictures
    assert message_images.files == (shot, notes)
    assert "shot.png" in message_images.problems[0]
    assert not list_unseen_images(Question("What?", "c", files=(notes,))).problems


async def test_what_cannot_be_shown_is_said_and_the_rest_is_shown(tmp_path):
    fine, large, other = files(
        tmp_path, fine_png=PNG, large_png=PNG + bytes(MAX_PICTURE_BYTES), other_png=b"%PDF-"
    )
    gone = tmp_path / "gone.png"
    message_images = await load_message_images(Question("?", "c", files=(fine, large, other, gone)), ())
    assert len(message_images.pictures[OF_QUESTION]) == 1
    assert [words.split()[0] for words in message_images.problems] == ["large.png", "other.png", "gone.png"]


async def test_the_newest_earlier_pictures_are_shown_again(tmp_path):
    (shot,) = files(tmp_path, shot_png=PNG)
    history = [said(str(number), "Look", shot) for number in range(MOST_EARLIER + 3)]
    message_images = await load_message_images(Question("And now?", "c"), history)
    assert set(message_images.pictures) == {str(number) for number in range(3, MOST_EARLIER + 3)}
    gone = await load_message_images(Question("?", "c"), [said("1", "Look", tmp_path / "gone.png")])
    assert (gone.pictures, gone.problems) == ({}, ())


def prompt(history, pictures, context_tokens=8_000):
    return build_prompt(
        "What?",
        history,
        (),
        context_tokens=context_tokens,
        answer_tokens=500,
        today=date(2026, 11, 21),
        pictures=pictures,
    )


def test_pictures_go_with_the_messages_that_they_came_with(tmp_path):
    image = Image("image/png", PNG)
    history = [said("1", "Look"), said("2", "Nice", speaker=Speaker.MODEL)]
    built = prompt(history, {"1": (image,), OF_QUESTION: (image, image)})
    assert [len(message.images) for message in built.messages] == [0, 1, 0, 2]


def test_pictures_take_room_from_the_history():
    image = Image("image/png", PNG)
    history = [said(str(number), "Look") for number in range(6)]
    pictures = {message.id: (image,) for message in history}
    kept = prompt(history, pictures, 500 + 3 * PICTURE_TOKENS + 700).messages
    assert [len(message.images) for message in kept] == [0, 1, 1, 1, 0]


def test_files_alone_are_asked_about_and_no_web_is_searched(tmp_path):
    asked = said("1", "  ", Path("a.pdf"), Path("b.png"))
    question = with_default_text(Question("  ", "c", files=asked.files), asked)
    assert "a.pdf, b.png" in question.text
    assert question.web == WEB_OFF
    assert with_default_text(replace(question, text="Why?"), asked).text == "Why?"
    built = prompt([said("1", "", Path("/x/a.pdf")), said("2", "It is.", speaker=Speaker.MODEL)], {})
    assert "a.pdf" in built.messages[1].text


pytestmark = pytest.mark.anyio


def sources(*places, kind=SourceKind.FILE):
    """Return a source for each (document, page, start)."""
    ledger = Ledger()
    ledger.register(
        Passage(
            kind, document, f"text {start}", document=document, locator=Locator(page, "", start, start + 5)
        )
        for document, page, start in places
    )
    return ledger.sources


class Drawn:
    """Draws pages of `size` bytes, and keeps which."""

    def __init__(self, size=10):
        self.size = size
        self.pages = []

    async def __call__(self, sha256, page):
        self.pages.append((sha256, page))
        return PagePicture(bytes(self.size))


def asked(found, pages, context_tokens=8_000):
    built = build_prompt(
        "Who?",
        (),
        found,
        context_tokens=context_tokens,
        answer_tokens=500,
        today=date(2026, 11, 21),
        pages=pages.shown,
    )
    return built, [image.label for image in built.messages[-1].images]


async def test_a_page_of_several_sources_is_sent_once_under_all_their_numbers():
    draw = Drawn()
    found = sources(("a", 1, 0), ("a", 1, 50), ("a", 2, 90))
    built, labels = asked(found, await PageImageLoader(draw, see=True).pages_of(found))
    assert draw.pages == [("a", 1), ("a", 2)]
    assert ["[1], [2]" in labels[0], "[3]" in labels[1]] == [True, True]
    assert built.pages_shown == 2


async def test_only_so_many_pages_are_drawn():
    draw = Drawn()
    found = sources(*(("a", page, page) for page in range(1, 9)))
    assert len((await PageImageLoader(draw, see=True).pages_of(found)).shown) == len(draw.pages) == MOST_PAGES


async def test_pages_beyond_the_bytes_of_a_request_are_left_out():
    found = sources(("a", 1, 0), ("a", 2, 10), ("a", 3, 20))
    pages = await PageImageLoader(Drawn(MOST_BYTES // 2), see=True).pages_of(found)
    assert [page.numbers for page in pages.shown] == [(1,), (2,)]


async def test_web_pages_and_memories_are_never_drawn():
    draw = Drawn()
    for kind in (SourceKind.WEB, SourceKind.MEMORY):
        assert not (await PageImageLoader(draw, see=True).pages_of(sources(("a", None, 0), kind=kind))).shown
    assert draw.pages == []


async def test_a_worker_that_cannot_be_asked_is_said_once():
    async def fails(_sha256, _page):
        raise IndexUnavailable(detail="it is gone")

    pages = await PageImageLoader(fails, see=True).pages_of(sources(("a", 1, 0), ("a", 2, 10)))
    assert not pages.shown
    (problem,) = pages.problems
    assert "it is gone" in problem


async def test_text_goes_before_pictures_where_the_window_is_small():
    found = sources(("a", 1, 0), ("a", 2, 10))
    pages = await PageImageLoader(Drawn(), see=True).pages_of(found)
    built, labels = asked(found, pages, context_tokens=1_500)
    assert (len(built.sources), labels) == (2, [])
    _, labels = asked(found, pages, context_tokens=1_500 + 3 * PICTURE_TOKENS)
    assert len(labels) == 1


async def test_a_source_that_does_not_fit_is_not_shown_either():
    found = sources(("a", 1, 0), ("b", 1, 0))
    pages = await PageImageLoader(Drawn(), see=True).pages_of(found)
    _, labels = asked(found[:1], pages)
    assert len(labels) == 1
    assert "[1]" in labels[0]


async def test_a_talk_that_goes_on_shows_no_page_twice_and_says_no_problem_twice():
    page_images = PageImageLoader(Drawn(), see=True)
    await page_images.pages_of(sources(("a", 1, 0)))
    more = [await page_images.more_pages_of(sources(("a", page, 0), ("b", page, 0))) for page in (1, 2, 3)]
    assert [[page.place for page in pages.shown] for pages in more] == [
        [("b", 1)],
        [("a", 2), ("b", 2)],
        [("a", 3)],
    ]

    async def fails(_sha256, _page):
        raise IndexUnavailable(detail="it is gone")

    broken = PageImageLoader(fails, see=True)
    assert [len((await broken.pages_of(sources(("a", 1, 0)))).problems) for _ in range(2)] == [1, 0]


async def test_a_model_that_does_not_see_has_nothing_drawn():
    draw = Drawn()
    assert await PageImageLoader(draw, see=False).pages_of(sources(("a", 1, 0))) == NO_PAGES
    assert draw.pages == []
