"""Bases with items, texts and passages, made without the worker: that takes seconds to start."""

from contextlib import closing

from desktop.domain.knowledge import ItemInfo, ItemState
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from tests.stored_items import put_item

PASSAGES = [
    f"Number {number}: the lamp of the lighthouse is seen from {number} miles." for number in range(40)
]


def database_of(folder):
    return folder / "knowledge" / "knowledge.db"


def fill(folder, name):
    """Make a base that holds one file."""
    with closing(IndexDatabase(database_of(folder))) as database:
        base = Bases(database).create(name)
        item = ItemInfo(
            f"item of {name}",
            base.id,
            "lamps.txt",
            "/lamps.txt",
            ItemState.KEYWORD_READY,
            f"sha of {name}",
        )
        put_item(database, item, PASSAGES)


def names(folder):
    with closing(IndexDatabase(database_of(folder))) as database:
        return [base.name for base in Bases(database).all()]


def passages(folder):
    with closing(IndexDatabase(database_of(folder))) as database:
        rows = database.connection.execute("SELECT text FROM passages ORDER BY id")
        return [row["text"] for row in rows]
