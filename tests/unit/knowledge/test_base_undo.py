"""A deleted base can be brought back for a day, also by another run of the program."""

import time

from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import Database


def test_a_base_is_forgotten_a_day_after_it_was_deleted(tmp_path):
    database = Database(tmp_path / "knowledge.db")
    bases = Bases(database)
    old, new = bases.create("old"), bases.create("new")
    bases.delete(old.id)
    bases.delete(new.id)
    assert bases.deleted() == []
    yesterday = time.time() - 25 * 3600
    database.connection.execute("UPDATE bases SET deleted_at = ? WHERE id = ?", (yesterday, old.id))
    assert bases.deleted() == [old.id]
    assert bases.restore(new.id).name == "new"
    database.close()
