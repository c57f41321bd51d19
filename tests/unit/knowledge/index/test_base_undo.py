"""A deleted base can be brought back for a day, also by another run of the program."""

import time

import pytest

from desktop.errors import UnknownBase
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase


def test_a_base_is_forgotten_a_day_after_it_was_deleted(tmp_path):
    database = IndexDatabase(tmp_path / "knowledge.db")
    bases = Bases(database)
    old, new = bases.create("old"), bases.create("new")
    bases.delete(old.id)
    bases.delete(new.id)
    assert bases.list_deleted() == []
    yesterday = time.time() - 25 * 3600
    database.connection.execute("UPDATE bases SET deleted_at = ? WHERE id = ?", (yesterday, old.id))
    assert bases.list_deleted() == [old.id]
    assert bases.restore(new.id).name == "new"
    database.close()


def test_a_name_brings_back_what_was_deleted_last_under_it(tmp_path):
    database = IndexDatabase(tmp_path / "knowledge.db")
    bases = Bases(database)
    ids = []
    for moment in (0.0, time.time() - 60, time.time() - 30):  # an import that broke off has the first one
        ids.append(bases.create("sea").id)
        bases.delete(ids[-1])
        database.connection.execute("UPDATE bases SET deleted_at = ? WHERE id = ?", (moment, ids[-1]))
    assert [bases.restore("sea").id for _ in range(2)] == [ids[2], ids[1]]
    assert [base.name for base in bases.all()] == ["sea", "sea 2"]
    with pytest.raises(UnknownBase):
        bases.restore("sea")
    database.close()
