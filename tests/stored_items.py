"""Items written into the database of the knowledge bases, as if a worker had read them."""

from collections.abc import Sequence

from desktop.domain.knowledge import ItemInfo, ItemState
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.items import ItemStore
from desktop.knowledge.reader.protocol import Chunk, IndexEntry, ParsedFile


def put_item(database: IndexDatabase, item: ItemInfo, texts: Sequence[str] = ()) -> None:
    """Write an item and the texts of its passages; without `texts`, each is the name of the item."""
    store, connection = ItemStore(database), database.connection
    connection.execute(
        "INSERT INTO items (id, base_id, kind, name, path, state) VALUES (?, ?, ?, ?, ?, 'reading')",
        (item.id, item.base_id, item.kind, item.name, item.path),
    )
    if item.document:
        entries, start = [], 0
        for text in texts or (item.name,) * item.passages:
            entries.append(IndexEntry(Chunk(text, start, start + len(text)), "", text.lower()))
            start += len(text) + 1
        text = "\n".join(entry.chunk.text for entry in entries)
        store.put(item.id, item.document, ParsedFile(item.name, item.pages, text, tuple(entries)))
        connection.execute(
            "UPDATE documents SET is_embedded = ? WHERE sha256 = ?",
            (item.state is ItemState.READY, item.document),
        )
    connection.execute(
        "UPDATE items SET state = ?, error = ? WHERE id = ?", (item.state, item.error, item.id)
    )
    store.tag([item.id], item.tags)
