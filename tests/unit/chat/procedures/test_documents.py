"""Which document a question means, and that a reading goes on with the same one only."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from desktop.chat.api.engine import Question
from desktop.chat.procedures.documents import document_of
from desktop.chat.source_lookup import GatherRequest, attachment_base, find_attached_scope
from desktop.domain.knowledge import BaseInfo, BaseOptions, ItemInfo, ItemKind, ItemState, PassageInfo, Scope
from desktop.domain.messages import Message, Speaker
from desktop.domain.procedures import ReadDocument, SummaryState
from desktop.errors import DocumentGone, DocumentUnreadable, NoDocumentChosen

pytestmark = pytest.mark.anyio

PASSAGE = PassageInfo(0, "So it is.", 3, "A", 10, 19, is_embedded=True)


class Shelf:
    """Bases in memory; every item has one passage."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.held: dict[str, list[ItemInfo]] = {}
        self.options: dict[str, BaseOptions] = {}

    def put(self, base_id: str, path: str, **fields) -> ItemInfo:
        items = self.held.setdefault(base_id, [])
        values = {
            "name": Path(path).name,
            "path": path,
            "state": ItemState.READY,
            "document": f"sha of {path}",
        }
        items.append(ItemInfo(id=f"{base_id}-{len(items)}", base_id=base_id, **(values | fields)))
        return items[-1]

    async def all_bases(self):
        return tuple(
            BaseInfo(base_id, name, options=self.options.get(base_id, BaseOptions()))
            for base_id, name in self.names.items()
        )

    async def create(self, name):
        self.names["attached"] = name.strip()
        return BaseInfo("attached", name.strip())

    async def update(self, base):
        self.options[base.id] = base.options
        return base

    async def items(self, base_id):
        return tuple(self.held.get(base_id, ()))

    async def passages(self, item_id):
        return (PASSAGE,) if item_id else ()


async def opened(shelf, *, history=(), state=SummaryState(""), **fields):
    question = Question("Why?", "c", **fields)
    return await document_of(state, GatherRequest(question, history, None, 0), shelf)


@pytest.fixture
def shelf():
    return Shelf()


def message_with(path):
    return Message("q", "c", Speaker.USER, "", datetime(2026, 1, 1, tzinfo=UTC), attachments=(path,))


async def test_the_base_of_a_conversation_is_found_again_under_its_name(shelf):
    base = await attachment_base(shelf, "c")
    assert base.owner == "c"
    assert await attachment_base(shelf, "c") == base
    assert base.options.floor == 0.0  # a question that comes with a file is about it


async def test_a_file_that_only_another_version_of_the_question_has_is_not_searched(shelf):
    await attachment_base(shelf, "c")
    kept, _removed = shelf.put("attached", "/kept.pdf"), shelf.put("attached", "/removed.pdf")
    in_folder = shelf.put("attached", "/folder/part/in.md")
    question = Question("Why?", "c", files=(Path("/kept.pdf"),))

    async def scope(history=()):
        return await find_attached_scope(shelf, ("attached",), GatherRequest(question, history, None, 0))

    assert await scope() == (f"attached/{kept.id}",)
    assert await scope((message_with("/folder"),)) == (f"attached/{kept.id}", f"attached/{in_folder.id}")
    assert await scope((message_with("/folder"), message_with("/removed.pdf"))) == ("attached",)
    shelf.held["attached"] = [replace(kept, path="/elsewhere/kept.pdf")]
    assert await scope() == ("attached",)


async def test_a_file_that_comes_with_the_question_is_meant_before_all_others(shelf):
    await attachment_base(shelf, "c")
    shelf.put("attached", "/old.pdf")
    new = shelf.put("attached", "/new.pdf", pages=80)
    item = shelf.put("base", "/item.pdf")
    document = await opened(shelf, files=(Path("/new.pdf"),), bases=(Scope("base", item.id).key,))
    assert document.info == ReadDocument(new.id, "new.pdf", new.document, 80)
    passage = document.passage(PASSAGE)
    assert (passage.url, passage.document, passage.text) == ("file:///new.pdf", new.document, "So it is.")
    assert (passage.locator.page, passage.locator.start, passage.locator.end) == (3, 10, 19)


async def test_an_item_in_the_scope_what_came_before_and_the_only_one_of_a_base_are_meant(shelf):
    await attachment_base(shelf, "c")
    shelf.put("attached", "/old.pdf")
    only = shelf.put("single", "/only.pdf")
    shelf.put("base", "/a.pdf", tags=("law",))
    b = shelf.put("base", "https://example.org/b", kind=ItemKind.LINK, name="b")
    found = await opened(
        shelf, bases=("single", Scope("base", b.id).key), history=(message_with("/old.pdf"),)
    )
    assert found.info.item_id == b.id
    assert found.passage(PASSAGE).url == "https://example.org/b"
    found = await opened(shelf, bases=("base",), history=(message_with("/old.pdf"),))
    assert found.info.name == "old.pdf"
    assert (await opened(shelf, bases=("base", "single"))).info.item_id == only.id
    assert (await opened(shelf, bases=(Scope("base", tag="law").key,))).info.name == "a.pdf"


async def test_without_a_document_it_is_said_what_to_do(shelf):
    shelf.put("base", "/a.pdf")
    shelf.put("base", "/b.pdf")
    for fields in ({}, {"bases": ("base",)}, {"bases": ("base/gone",)}):
        with pytest.raises(NoDocumentChosen, match="attach a file, or select one"):
            await opened(shelf, **fields)


async def test_a_document_that_was_not_taken_in_says_why(shelf):
    item = shelf.put("base", "/a.pdf", state=ItemState.FAILED, error="It is locked.")
    with pytest.raises(DocumentUnreadable, match="It is locked"):
        await opened(shelf, bases=(Scope("base", item.id).key,))


async def test_a_reading_goes_on_with_the_same_document_only(shelf):
    item = shelf.put("base", "/a.pdf")
    key = Scope("base", item.id).key
    begun = SummaryState("", (key,), (await opened(shelf, bases=(key,))).info)
    assert (await opened(shelf, bases=(key,), state=begun)).info == begun.document
    shelf.held["base"][0] = replace(item, document="another")
    with pytest.raises(DocumentGone, match=r"a\.pdf"):
        await opened(shelf, bases=(key,), state=begun)
    shelf.held["base"].clear()
    with pytest.raises(DocumentGone):
        await opened(shelf, bases=(key,), state=begun)
