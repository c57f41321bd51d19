"""A base as one file: whole, the same bytes for the same base, and harmless whoever made it."""

import json
import os
import sqlite3
import zipfile
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from desktop.domain.knowledge import BaseOptions, ItemKind, ItemState
from desktop.errors import BaseIncomplete, BundleUnreadable, IndexDamaged, UnknownBase
from desktop.knowledge.bundle_archive import (
    DOCUMENTS,
    ITEMS,
    MANIFEST,
    MEMBERS,
    PASSAGES,
    VECTORS,
    BundledDocument,
    read_bundle,
    write_bundle,
)
from desktop.knowledge.bundle_transfers import Import
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.items import ItemStore
from desktop.knowledge.index.items import StoredContent as Kept
from desktop.knowledge.index.keyword_search import best_by_keyword, holders_of, query_terms
from desktop.knowledge.index.passages import Passages
from desktop.knowledge.index.vector_rows import VectorRows
from desktop.knowledge.loaders.document import DocumentPart, document_of
from desktop.knowledge.reader.protocol import reading_of
from tests.cases import cases

VECTOR = (np.arange(8) / np.linalg.norm(np.arange(8))).astype(np.float32).tobytes()


class Index:
    """The truth in SQLite, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "knowledge.db"
        self.database = IndexDatabase(self.path)
        self.bases = Bases(self.database)
        self.library = ItemStore(self.database)
        self.passages = Passages(self.database)
        self.rows = VectorRows(self.database)

    def read(self, item_id, *texts):
        parts = [DocumentPart(text, page, "章 › Part") for page, text in enumerate(texts, 1)]
        document = document_of("Title 标题", parts, len(parts), is_cut=len(parts) > 1)
        self.library.put(item_id, sha256(repr(texts).encode()).hexdigest(), reading_of(document, "name"))

    def embed(self):
        pending = self.passages.pending(100)
        self.passages.put_vectors("multilingual-e5-small", [(passage.id, VECTOR) for passage in pending])
        self.passages.finish_documents()

    def export(self, base_id, target):
        write_bundle(self.path, base_id, target, lambda _done, _total: None)
        return target

    def import_(self, path, *, keeps_vectors=True):
        parts = read_bundle(path)
        coming = Import(self.database, next(parts), has_model=keeps_vectors, keeps_vectors=keeps_vectors)
        for part in parts:
            if isinstance(part, BundledDocument):
                list(coming.put(part))
            else:
                coming.put_item(part)
        return coming.show()


@pytest.fixture
def make_index(tmp_path):
    made = []

    def make(name):
        made.append(Index(tmp_path / name))
        return made[-1]

    yield make
    for index in made:
        index.database.close()


@pytest.fixture
def index(make_index):
    return make_index("one")


@pytest.fixture
def base(index):
    base = index.bases.create("水 Water")
    base = index.bases.update(
        replace(base, icon="💧", options=BaseOptions(passage_tokens=90, threshold=0.5, place="team"))
    )
    first, second, twin, missing = index.library.enqueue(
        base.id, [Path("/d/heron.txt"), Path("/d/鹭.pdf"), Path("/d/twin.txt"), Path("/d/missing")]
    )
    index.read(first, "The heron eats fish.", "It stands in water.")
    index.read(second, "鹭鸟站在水里。")
    assert index.library.link_known(twin, sha256(repr(("鹭鸟站在水里。",)).encode()).hexdigest()) == []
    index.library.fail(missing, "“missing” can’t be opened: it does not exist.")
    index.library.tag([first, twin], ["birds", "鸟"])
    note = index.library.put_note(base.id, "Thought", "# Ideas\n\nOtters hold hands.")
    index.read(note, "Otters hold hands.")
    index.embed()
    link = index.library.put_link(base.id, "https://example.org/pike")
    index.library.put_fetched(link, "The pike", Kept(".txt", b"The pike eats fish."))
    index.read(link, "The pike eats fish.")
    index.library.put_link(base.id, "https://example.org/unread")
    return base


def texts(index, base, query):
    connection = index.database.connection
    found = best_by_keyword(connection, holders_of(connection, query_terms(query)), [base.id], 10)
    return {passage.text for passage in index.passages.load(list(found))}


def test_a_base_comes_back_as_it_was_and_gives_the_same_bytes(index, base, make_index, tmp_path):
    once = index.export(base.id, tmp_path / "once")
    other = make_index("two")
    back = other.import_(once)
    assert (back.name, back.icon, back.options) == (
        "水 Water",
        "💧",
        BaseOptions(passage_tokens=90, threshold=0.5),
    )
    assert back.tags == ("birds", "鸟")
    before, after = index.library.items(base.id), other.library.items(back.id)
    same = {"id": "", "base_id": "", "error": "", "state": ItemState.READY}
    assert [replace(item, **same) for item in before] == [replace(item, **same) for item in after]
    assert [item.is_cut for item in after[:2]] == [True, False]
    assert [item.state for item in after] == [
        ItemState.READY,
        ItemState.READY,
        ItemState.READY,
        ItemState.FAILED,
        ItemState.READY,
        ItemState.KEYWORD_READY,
        ItemState.FAILED,
    ]
    for query, count in (("fish", 2), ("鹭鸟", 1), ("otters", 1)):
        assert texts(other, back, query) == texts(index, base, query)
        assert len(texts(other, back, query)) == count
    note = next(item for item in after if item.kind is ItemKind.NOTE)
    assert other.library.content(note.id).body == b"# Ideas\n\nOtters hold hands."
    held = dict(other.rows.of(back.model, sorted(other.rows.list_held(back.id, back.model))))
    assert list(held.values()) == [VECTOR] * 4
    twice = other.export(back.id, tmp_path / "twice")
    assert twice.read_bytes() == once.read_bytes()


def test_a_text_that_repeats_itself_comes_back_as_well(index, make_index, tmp_path):
    base = index.bases.create("log")
    (item,) = index.library.enqueue(base.id, [Path("/d/log.txt")])
    index.read(item, "All is well. " * 90_000)
    exported = index.export(base.id, tmp_path / "log")
    with zipfile.ZipFile(exported) as archive:
        assert archive.getinfo(DOCUMENTS).compress_size * 200 < 13 * 90_000
    assert make_index("elsewhere").import_(exported, keeps_vectors=False).items == 1


def test_nothing_is_overwritten_and_names_stay_apart(index, base, tmp_path):
    exported = index.export(base.id, tmp_path / "file")
    assert index.import_(exported).name == "水 Water 2"
    assert index.import_(exported).name == "水 Water 3"
    assert len(texts(index, base, "heron")) == 1
    with pytest.raises(UnknownBase):
        index.export("nowhere", tmp_path / "nothing")


def test_vectors_of_a_model_that_is_not_here_are_made_anew(index, base, make_index, tmp_path):
    exported = index.export(base.id, tmp_path / "file")
    other = make_index("two")
    back = other.import_(exported, keeps_vectors=False)
    assert other.passages.count_pending() == back.passages == 5
    assert other.library.items(back.id)[0].state is ItemState.KEYWORD_READY


def test_an_import_that_breaks_off_leaves_nothing(index, base, make_index, tmp_path):
    exported = index.export(base.id, tmp_path / "file")
    other = make_index("two")
    parts = read_bundle(exported)
    coming = Import(other.database, next(parts), has_model=True, keeps_vectors=True)
    list(coming.put(next(parts)))
    parts.close()
    assert other.bases.all() == ()
    assert other.bases.list_deleted() == [coming.base_id]
    assert list(other.bases.forget(coming.base_id))
    assert other.bases.ids() == []


def rewrite(source, target, change):
    """Write an archive anew; `change` gets the members and may do anything to them."""
    with zipfile.ZipFile(source) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members = change(members) or members
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members.items():
            archive.writestr(name, body)
    return target


def edit(member, line, **fields):
    def change(members):
        lines = members[member].splitlines() if member != MANIFEST else [members[member]]
        lines[line] = json.dumps(json.loads(lines[line]) | fields).encode()
        members[member] = b"\n".join(lines) + b"\n"

    return change


def with_member(name, body):
    return lambda members: {**members, name: body}


HOSTILE = {
    "another member": with_member("../../evil.sh", b"rm"),
    "no members": lambda _: {"readme.txt": b"hello"},
    "other order": lambda members: dict(reversed(members.items())),
    "no manifest": with_member(MANIFEST, b""),
    "manifest no JSON": with_member(MANIFEST, b"{"),
    "deep JSON": with_member(MANIFEST, b'{"format":' + b"[" * 100_000),
    "other format": edit(MANIFEST, 0, format="other"),
    "newer": edit(MANIFEST, 0, version=2),
    "negative count": edit(MANIFEST, 0, passages=-1),
    "endless count": edit(MANIFEST, 0, passages=10**12),
    "wrong count": edit(MANIFEST, 0, items=2),
    "hidden name": edit(MANIFEST, 0, name="\x1fhidden"),
    "long name": edit(MANIFEST, 0, name="n" * 5_000),
    "huge vectors": edit(MANIFEST, 0, dimensions=10**9),
    "no dimensions": edit(MANIFEST, 0, dimensions=0),
    "bad digest": edit(DOCUMENTS, 0, sha256="../etc"),
    "text no text": edit(DOCUMENTS, 0, text=5),
    "half a surrogate": lambda members: {
        **members,
        DOCUMENTS: members[DOCUMENTS].replace(b'"text":"', b'"text":"\\ud800', 1),
    },
    "too many passages": edit(DOCUMENTS, 0, passages=99),
    "too few passages": edit(DOCUMENTS, 0, passages=1),
    "beyond the text": edit(PASSAGES, 0, end=10**6),
    "backwards": edit(PASSAGES, 0, start=5, end=2),
    "huge page": edit(PASSAGES, 0, page=2**62),
    "vector missing": lambda members: {**members, VECTORS: members[VECTORS][:-4]},
    "vector too much": lambda members: {**members, VECTORS: members[VECTORS] + b"1234"},
    "vectors that outdo all others": lambda members: {
        **members,
        VECTORS: (np.frombuffer(members[VECTORS], np.float32) * 1e9).tobytes(),
    },
    "endless passages of a document": edit(DOCUMENTS, 0, passages=10**6),
    "vector no number": lambda members: {**members, VECTORS: b"\xff" * len(members[VECTORS])},
    "unknown kind": edit(ITEMS, 0, kind="program"),
    "unknown document": edit(ITEMS, 0, document=99),
    "relative path": edit(ITEMS, 0, path="../../etc/passwd"),
    "file to be read": edit(ITEMS, 0, path="/etc/passwd", document=None),
    "script": edit(ITEMS, 5, path="javascript:alert(1)"),
    "twice the same": edit(ITEMS, 0, path="/d/鹭.pdf"),
    "empty tag": edit(ITEMS, 0, tags=[""]),
    "bomb": lambda members: {**members, DOCUMENTS: b" " * 40_000_000},
}


@cases("name", HOSTILE)
def test_a_file_made_to_do_harm_is_refused(index, base, tmp_path, name):
    exported = index.export(base.id, tmp_path / "file")
    bad = rewrite(exported, tmp_path / "bad", HOSTILE[name])
    with pytest.raises(BundleUnreadable, match="bad"):
        list(read_bundle(bad))


def test_an_import_names_no_server_and_no_other_model_of_this_machine(index, base, tmp_path):
    exported = index.export(base.id, tmp_path / "file")
    options = {"model": "/somewhere/else", "place": "team", "passage_tokens": 90}
    bad = rewrite(exported, tmp_path / "bad", edit(MANIFEST, 0, options=options))
    assert index.import_(bad).options == BaseOptions(passage_tokens=90)
    options = {"model": "multilingual-e5-small", "place": ""}
    good = rewrite(exported, tmp_path / "good", edit(MANIFEST, 0, options=options))
    assert index.import_(good).options == BaseOptions(model="multilingual-e5-small")


def test_what_is_no_archive_is_refused_and_what_was_one_is_called_damaged(index, base, tmp_path):
    exported = index.export(base.id, tmp_path / "file").read_bytes()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "cut").write_bytes(exported[: len(exported) // 2])
    (tmp_path / "text").write_text("hello")
    with zipfile.ZipFile(tmp_path / "archive", "w") as archive:
        archive.writestr("readme.txt", "hello")
    vectors = bytearray(exported)
    vectors[exported.index(VECTOR)] ^= 0x01
    (tmp_path / "vectors").write_bytes(vectors)
    begin = exported.index(PASSAGES.encode()) + len(PASSAGES) + 40
    passages = (
        exported[:begin] + bytes(byte ^ 0xFF for byte in exported[begin : begin + 8]) + exported[begin + 8 :]
    )
    (tmp_path / "passages").write_bytes(passages)
    for name in ("pipe", "text", "archive", "missing"):
        with pytest.raises(BundleUnreadable, match="it is not a knowledge base file"):
            list(read_bundle(tmp_path / name))
    for name in ("cut", "vectors", "passages"):
        with pytest.raises(BundleUnreadable, match="it is damaged or incomplete; copy or download it again"):
            list(read_bundle(tmp_path / name))


def damage(index, text, other):
    """Change the text of a passage without its checksum, as a failing disk does."""
    with closing(sqlite3.connect(index.path)) as connection:
        connection.create_function("row_checksum", -1, lambda *_values: None, deterministic=True)
        connection.execute("UPDATE passages SET text = replace(text, ?, ?)", (text, other))
        connection.commit()


def test_a_base_with_damaged_passages_is_not_exported_until_they_have_been_read_again(index, base, tmp_path):
    damage(index, "eats fish", "eats fist")
    with pytest.raises(IndexDamaged):
        index.export(base.id, tmp_path / "file")
    assert index.library.read_damaged_again() == ["heron.txt", "The pike"]
    with pytest.raises(
        BaseIncomplete, match=r"“水 Water” can’t be exported: .* of “heron\.txt”, “The pike” is"
    ):
        index.export(base.id, tmp_path / "file")
    assert not (tmp_path / "file").exists()
    heron, *_, pike, _unread = index.library.items(base.id)
    index.library.fail(heron.id, "“heron.txt” can’t be opened: it does not exist.", keeps_text=True)
    index.library.fail(pike.id, "“The pike” can’t be opened.", keeps_text=True)
    heron, *_, pike, _unread = index.library.items(base.id)
    assert (heron.state, heron.passages) == (ItemState.READY, 1)
    assert "does not exist. Damaged passages of it are missing: 1 of 2." in heron.error
    assert (pike.state, pike.passages) == (ItemState.FAILED, 0)
    copy, *_ = index.library.enqueue(base.id, [Path("/d/copy.txt")])
    assert index.library.link_known(copy, heron.document) is None
    with pytest.raises(BaseIncomplete, match=r"of “heron\.txt” is missing"):
        index.export(base.id, tmp_path / "file")
    index.read(copy, "The heron eats fish.", "It stands in water.")
    heron, *_ = index.library.items(base.id)
    assert (heron.passages, heron.error) == (2, "")
    index.embed()
    back = index.import_(index.export(base.id, tmp_path / "file"))
    assert back.passages == index.bases.find(base.id).passages


def test_every_member_is_where_the_layout_says(index, base, tmp_path):
    with zipfile.ZipFile(index.export(base.id, tmp_path / "file")) as archive:
        assert tuple(archive.namelist()) == MEMBERS
        assert {member.date_time[0] for member in archive.infolist()} == {1980}
