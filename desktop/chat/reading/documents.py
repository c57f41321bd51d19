"""Which document is to be read, and what is known of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from desktop.chat.attachments import Bases, attachment_base
from desktop.chat.lookup import GatherRequest
from desktop.domain.knowledge import ItemInfo, ItemKind, ItemState, PassageInfo, scope_of
from desktop.domain.paths import path_of
from desktop.domain.reading import ReadDocument, Reading
from desktop.domain.sources import Locator, Passage, SourceKind
from desktop.errors import DocumentGone, DocumentUnreadable, NoDocumentChosen

_SEARCHABLE = frozenset({ItemState.KEYWORD_READY, ItemState.READY})


class Documents(Bases, Protocol):
    """The knowledge room, as far as reading needs it."""

    async def items(self, base_id: str) -> tuple[ItemInfo, ...]:
        """Return the items of a base."""
        ...

    async def passages(self, item_id: str) -> tuple[PassageInfo, ...]:
        """Return all passages of an item, in the order of its text."""
        ...


@dataclass(frozen=True)
class OpenDocument:
    """A document and its passages, in the order of its text."""

    info: ReadDocument
    url: str
    passages: tuple[PassageInfo, ...]

    def passage(self, info: PassageInfo) -> Passage:
        """Return one of the passages as the ledger takes it: the same as a retrieval gives."""
        return Passage(
            kind=SourceKind.FILE,
            title=self.info.name,
            text=info.text,
            url=self.url,
            document=self.info.sha256,
            locator=Locator(info.page, info.section, info.start, info.end),
        )


async def document_of(state: Reading, request: GatherRequest, documents: Documents) -> OpenDocument:
    """Return the document that a reading is of, or that a question means.

    That is the file that came with it, an item in its scope, what came with an earlier question, or the only
    item of a base.

    Raises:
        NoDocumentChosen: nothing says which one.
        DocumentUnreadable: it was not taken in.
        DocumentGone: a reading had begun with another content.
    """
    item = await _item(request, documents)
    known = state.document
    if known is not None and (item is None or item.document != known.sha256):
        raise DocumentGone(name=known.name)
    if item is None:
        raise NoDocumentChosen
    if item.state not in _SEARCHABLE:
        raise DocumentUnreadable(name=item.name, detail=item.error)
    passages = await documents.passages(item.id)
    info = ReadDocument(item.id, item.name, item.document, item.pages)
    return OpenDocument(info, _url(item), passages)


async def _item(request: GatherRequest, documents: Documents) -> ItemInfo | None:
    question = request.question
    if question.files:
        return await _attached(question.conversation_id, question.files[0], documents)
    scopes = [scope_of(key) for key in question.bases]
    for scope in scopes:
        if scope.item_id:
            items = await documents.items(scope.base_id)
            return next((item for item in items if item.id == scope.item_id), None)
    earlier = [path for message in request.history for path in message.files]
    if earlier:
        return await _attached(question.conversation_id, earlier[-1], documents)
    for scope in scopes:
        whole = _tagged(await documents.items(scope.base_id), scope.tag)
        if len(whole) == 1:
            return whole[0]
    return None


async def _attached(conversation_id: str, path: Path, documents: Documents) -> ItemInfo | None:
    base = await attachment_base(documents, conversation_id)
    return next((item for item in await documents.items(base.id) if item.path == str(path)), None)


def _tagged(items: Sequence[ItemInfo], tag: str) -> list[ItemInfo]:
    return [item for item in items if item.state in _SEARCHABLE and (not tag or tag in item.tags)]


def _url(item: ItemInfo) -> str:
    return path_of(item.path).as_uri() if item.kind is ItemKind.FILE else item.path
