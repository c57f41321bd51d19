"""The full-text index over the messages of all conversations.

It is a file beside the conversations, built from them and never the only place of any data: a damaged index,
one of another version or of other conversations is deleted and rebuilt. The conversations keep a log of
changes; `follow` processes it, `go_back` indexes older messages, both in bounded steps. The key of a message
grows with its time, so that results come newest first.

`HistoryReader` searches: it returns pages of messages, newest first, each within a bounded time.
"""

import hashlib
import random
import re
import secrets
import sqlite3
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Any, Final

from desktop.domain.history import HistoryExcerpt, HistoryPage, HistoryQuery, Hit
from desktop.domain.messages import Speaker
from desktop.errors import DatabaseDamaged
from desktop.phrases import translatable
from desktop.sqlite import transaction, translate_errors
from desktop.storage.db.row_checksums import columns, install, unsound
from desktop.storage.db.rows import decode_text, moment
from desktop.text.markdown import tables_in_words
from desktop.text.terms import build_term_query, findable_line, terms

# ruff: noqa: S608 - statements are composed from constants, never from data


FILE_NAME = "history.db"

_MAKE = 4
"""Version of the index; increased when the tables, the terms or the embedding model change, to rebuild it."""


_BUSY_S = 5.0
_CACHE_KB = 32_768
_CHECK_CACHE_KB = 2_048
"""While the whole index is checked, which reads every page once; the allocator would keep what a larger cache takes."""
KEYS_A_SECOND: Final = 16
"""Keys per second; so many are enough for a question and its answer."""
_MICROS = 1_000_000
_MERGED_PAGES = 200
_CHECKED_BYTES = 64 * 1024 * 1024
"""A larger index is not checked when it is opened: the check takes about 20 ms per megabyte."""

LINES: Final = """CREATE VIRTUAL TABLE lines USING fts5 (
    line, detail = none, columnsize = 0, prefix = '3', tokenize = "ascii tokenchars '-_.@''+#&'"
)"""
"""One line of terms for each message. They are ready-made; the tokenizer must only not cut them again.
Beginnings of three letters have lists of their own, or they would join half of the others; shorter ones are
not asked for, see `text.terms`."""

_TABLES = (
    LINES,
    # `key` is the moment of the message, in 16ths of a second since 1970.
    """CREATE TABLE entries (
        key INTEGER PRIMARY KEY, position INTEGER NOT NULL UNIQUE, is_embedded INTEGER NOT NULL DEFAULT 0
    ) STRICT""",
    "CREATE INDEX entries_to_embed ON entries (key) WHERE NOT is_embedded",
    # Embeddings of the pieces of messages, from the first semantic search on; see `history_store`.
    """CREATE TABLE meanings (
        key INTEGER NOT NULL, piece INTEGER NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (key, piece)
    ) STRICT, WITHOUT ROWID""",
    # `below`: messages from this position on are listed. `is_untidy`: what is gone can still be read in
    # the file. `stamp` and `stamp_before` are what the conversations should know of this index.
    """CREATE TABLE state (
        below INTEGER NOT NULL, is_untidy INTEGER NOT NULL, stamp TEXT NOT NULL, stamp_before TEXT NOT NULL
    ) STRICT""",
)

TEXT = """m.text || coalesce((SELECT group_concat(j.text, '') FROM (
        SELECT text FROM truth.journal WHERE message_id = m.id ORDER BY start
    ) AS j), '')"""
"""The text of a message, including the end in the journal if its writing was interrupted."""

_MESSAGE = f"""SELECT m.speaker, m.created_at, c.assistant, {TEXT}
    FROM truth.messages AS m JOIN truth.conversations AS c ON c.id = m.conversation_id
    WHERE m.position = ?"""
_DAMAGE = f"SELECT {unsound('messages', 'm', 'truth')} FROM truth.messages AS m WHERE m.id = ?"
_DAMAGE_OF_PIECES = (
    f"SELECT {unsound('journal', 'j', 'truth')} FROM truth.journal AS j WHERE j.message_id = ?"
)
_WITH_JOURNAL = """SELECT DISTINCT position FROM truth.journal
    JOIN truth.messages ON truth.messages.id = message_id"""

EXCERPT_CHARS: Final = 240
_BEFORE_CHARS: Final = 60
_MAX_TERMS: Final = 48
"""Maximum number of terms: only the beginning of a long query is used; SQLite limits the depth of expressions."""
_MAX_QUERY_CHARS: Final = 2_000
_MAX_MARKS: Final = 20

_QUOTED = re.compile(r'["“”„«»「」『』]([^"“”„«»「」『』]*)["“”„«»「」『』]')
_SPACE = re.compile(r"\s+")
_SIGNS = re.compile(r"\*\*|__|`+|^#{1,6} |^> ?", re.MULTILINE)
_SIGN = re.compile(r"[*_`#>]")
_WORD = re.compile(r"[^\W_]+(?:[.\-_@'’+&]+[^\W_]+)*(?:\+\+|#)?")
_LEAST_STEM: Final = 3

PAGE: Final = 30
LIMIT_S: Final = 0.04
"""Time limit of one page in seconds: a phrase of common words may require checking every message."""
MOST_TITLES: Final = 3

_ALL_KEYS: Final = 2**63 - 1
_LOOK_EVERY: Final = 32

# CROSS JOIN fixes the join order: the index streams its keys, and each is looked up in turn.
_FIND = f"""SELECT lines.rowid, m.id, m.conversation_id, m.speaker, m.model, {TEXT}, m.created_at,
        c.title, c.assistant, c.is_archived
    FROM lines
    CROSS JOIN entries ON entries.key = lines.rowid
    CROSS JOIN truth.messages AS m ON m.position = entries.position
    CROSS JOIN truth.conversations AS c ON c.id = m.conversation_id
    WHERE lines MATCH ? AND lines.rowid < ? AND lines.rowid >= ? AND c.deleted_at IS NULL AND m.deleted_at IS NULL
    ORDER BY lines.rowid DESC"""
_TITLED = """SELECT id, title, updated_at, assistant, is_archived FROM truth.conversations
    WHERE deleted_at IS NULL AND {words} ORDER BY updated_at DESC LIMIT ?"""


@dataclass(frozen=True)
class IndexPosition:
    """How far the log has been processed: up to `turn`; the conversations have to store `stamp`."""

    turn: int
    stamp: str


class HistoryIndex:
    """Writes the index. Belongs to one thread; `path` is that of the conversations, which are only read."""

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(FILE_NAME)
        self._truth = path
        self.connection = self._open_existing() or self._create()
        self._unlisted = [position for (position,) in self.connection.execute(_WITH_JOURNAL)]

    def close(self) -> None:
        """Close the files."""
        self.connection.close()

    def follow(self, count: int) -> IndexPosition | None:
        """Index at most `count` changed messages; None if there are none.

        The caller then removes the processed entries from the log. Repeating a step is harmless.

        Raises:
            DatabaseDamaged: the conversations were replaced; this index is unusable.
        """
        db = self.connection
        if not _is_ours(db):
            raise DatabaseDamaged(path=self.path, detail=translatable("it belongs to other chats"))
        with transaction(db):
            due = db.execute(
                "SELECT turn, position FROM truth.history_due ORDER BY turn LIMIT ?", (count,)
            ).fetchall()
            positions = {position for _, position in due} | set(self._unlisted)
            if not positions:
                return None
            self._list(positions)
            (stamp,) = db.execute("SELECT stamp FROM truth.history_stamp").fetchone()
            fresh = secrets.token_hex(8)
            db.execute("UPDATE state SET stamp_before = ?, stamp = ?", (stamp, fresh))
        self._unlisted = []
        return IndexPosition(max((turn for turn, _ in due), default=0), fresh)

    def go_back(self, count: int) -> bool:
        """Index `count` more older messages, newest first; return whether there are more."""
        db = self.connection
        (below,) = db.execute("SELECT below FROM state").fetchone()
        if not below:
            return False
        with transaction(db):
            older = "SELECT position FROM truth.messages WHERE position < ? ORDER BY position DESC LIMIT ?"
            positions = [position for (position,) in db.execute(older, (below, count))]
            self._list(positions)
            below = positions[-1] if positions else 0
            db.execute("UPDATE state SET below = ?", (below,))
        return below > 0

    def release(self) -> None:
        """Release the memory used for a long indexing run, or for the check of the whole index when it is opened."""
        self.connection.execute("PRAGMA shrink_memory")

    @property
    def reach(self) -> float:
        """The indexed share of all messages, from 0 to 1."""
        return catch_up(self.connection)

    def erase_deleted(self) -> None:
        """Rewrite the whole index without deleted text."""
        db = self.connection
        db.execute("INSERT INTO lines (lines) VALUES ('optimize')")
        db.execute("VACUUM main")
        db.execute("PRAGMA main.wal_checkpoint(TRUNCATE)")

    def remove_leftovers(self) -> bool:
        """Rewrite part of the index without deleted text; return whether there is more to do."""
        db = self.connection
        (is_untidy,) = db.execute("SELECT is_untidy FROM state").fetchone()
        if not is_untidy:
            return False
        before = db.total_changes
        db.execute("INSERT INTO lines (lines, rank) VALUES ('merge', ?)", (-_MERGED_PAGES,))
        if db.total_changes - before > 1:  # SQLite reports a change if something was merged
            return True
        db.execute("UPDATE state SET is_untidy = 0")
        db.execute("PRAGMA main.wal_checkpoint(TRUNCATE)")
        return False

    def _list(self, positions: Iterable[int]) -> None:
        db = self.connection
        for position in positions:
            entry = db.execute("SELECT key FROM entries WHERE position = ?", (position,)).fetchone()
            row = db.execute(_MESSAGE, (position,)).fetchone()
            if entry is not None:
                db.execute("DELETE FROM lines WHERE rowid = ?", entry)
                db.execute("DELETE FROM entries WHERE key = ?", entry)
                db.execute("DELETE FROM meanings WHERE key = ?", entry)
            if row is None:
                if entry is not None:
                    db.execute("UPDATE state SET is_untidy = 1 WHERE NOT is_untidy")
                continue
            speaker, created_at, assistant, text = row
            key = self._free_key(created_at * KEYS_A_SECOND // _MICROS)
            line = f"{findable_line(text)} {mark_of(speaker)} {assistant_mark(assistant)}"
            db.execute("INSERT INTO entries (key, position) VALUES (?, ?)", (key, position))
            # Lone surrogates are no letters: there are none in a line.
            db.execute("INSERT INTO lines (rowid, line) VALUES (?, ?)", (key, line))

    def _free_key(self, key: int) -> int:
        """Return `key`, or a free one soon after it; if thousands have the same time, the range is widened."""
        span = KEYS_A_SECOND
        taken = "SELECT 1 FROM entries WHERE key = ?"
        free = key
        while self.connection.execute(taken, (free,)).fetchone():
            free = key + random.randrange(span)  # noqa: S311 - no cryptographic use
            span += span // 2
        return free

    def _open_existing(self) -> sqlite3.Connection | None:
        """Open the existing index; None if it is damaged, of another version, or of other conversations.

        Raises:
            StorageError: it cannot be opened now; it may be sound.
        """
        try:
            with translate_errors(self.path):
                connection = connect_index(self.path, self._truth)
                try:
                    is_ours = _is_ours(connection)
                    if is_ours:
                        _check(connection, self.path)
                except BaseException:
                    connection.close()
                    raise
        except (DatabaseDamaged, sqlite3.Error):  # of those that mean nothing else: tables that are not there
            return None
        if is_ours:
            return connection
        connection.close()
        return None

    def _create(self) -> sqlite3.Connection:
        delete_index(self.path)
        connection = connect_index(self.path, self._truth)
        try:
            with transaction(connection):
                _make(connection)
        except BaseException:
            connection.close()
            raise
        return connection


def _check(connection: sqlite3.Connection, path: Path) -> None:
    """Check the consistency of the index: SQLite has no checksums, and a flipped bit would only hide messages.

    Raises:
        DatabaseDamaged: tables and word lists do not match.
    """
    if path.stat().st_size > _CHECKED_BYTES:
        return
    connection.execute(f"PRAGMA cache_size = -{_CHECK_CACHE_KB}")
    findings = [str(finding) for (finding,) in connection.execute("PRAGMA main.integrity_check(1)")]
    if findings != ["ok"]:
        raise DatabaseDamaged(path=path, detail=findings[0])
    connection.execute("INSERT INTO lines (lines) VALUES ('integrity-check')")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")


def _make(connection: sqlite3.Connection) -> None:
    for statement in _TABLES:
        connection.execute(statement)
    (newest,) = connection.execute("SELECT max(position) FROM truth.messages").fetchone()
    (stamp,) = connection.execute("SELECT stamp FROM truth.history_stamp").fetchone()
    connection.execute("INSERT INTO state VALUES (?, 0, ?, ?)", ((newest or 0) + 1, stamp, stamp))
    connection.execute(f"PRAGMA user_version = {_MAKE}")


def delete_index(path: Path) -> None:
    """Delete an index that is not open."""
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(name).unlink(missing_ok=True)


def connect_index(path: Path, truth: Path, *, is_reader: bool = False) -> sqlite3.Connection:
    """Open the index, with the conversations attached read-only as `truth`."""
    address = f"{path.absolute().as_uri()}?mode={'ro' if is_reader else 'rwc'}"
    connection = sqlite3.connect(
        address, uri=True, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
    )
    try:
        connection.text_factory = decode_text
        install(connection)
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        if not is_reader:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(
                "PRAGMA synchronous = NORMAL"
            )  # changes lost in a power failure are indexed again
            connection.execute("PRAGMA secure_delete = ON")
        connection.execute("ATTACH ? AS truth", (f"{truth.absolute().as_uri()}?mode=ro",))
    except BaseException:
        connection.close()
        raise
    return connection


def catch_up(connection: sqlite3.Connection) -> float:
    """Return the indexed share of all messages, from 0 to 1."""
    (below,) = connection.execute("SELECT below FROM state").fetchone()
    (newest,) = connection.execute("SELECT max(position) FROM truth.messages").fetchone()
    (due,) = connection.execute("SELECT count(*) FROM truth.history_due").fetchone()
    left = max(0, below - 1) + due
    return 1.0 if not left or not newest else max(0.0, 1 - left / newest)


def is_right(connection: sqlite3.Connection, message_id: str) -> bool:
    """Say whether the text of a message is undamaged; no excerpt is shown of a damaged one."""
    row = connection.execute(_DAMAGE, (message_id,)).fetchone()
    if row is None or "text" in columns("messages", row[0]):
        return False
    pieces = connection.execute(_DAMAGE_OF_PIECES, (message_id,))
    return not any("text" in columns("journal", bits) for (bits,) in pieces)


def key_of(moment: datetime) -> int:
    """Return the lowest key of messages at or after a time."""
    return int(moment.timestamp() * KEYS_A_SECOND)


def mark_of(speaker: str) -> str:
    """Return the term for the speaker of a message; no text contains such a term."""
    return f"\ue000{speaker}"


def assistant_mark(assistant: str) -> str:
    """Return the term for the assistant of a conversation."""
    return f"\ue001{hashlib.sha256(assistant.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _is_ours(connection: sqlite3.Connection) -> bool:
    """Say whether an index has this version and belongs to the current conversations."""
    (make,) = connection.execute("PRAGMA user_version").fetchone()
    if make != _MAKE:
        return False
    known = connection.execute("SELECT stamp, stamp_before FROM state").fetchone()
    (stamp,) = connection.execute("SELECT stamp FROM truth.history_stamp").fetchone()
    return known is not None and stamp in known


@dataclass(frozen=True)
class CompiledQuery:
    """A compiled query: an FTS5 expression, and the phrases that a match must really contain.

    `phrases` are normalized (see `normalize_text`); `pattern` matches the text to highlight.
    """

    expression: str
    phrases: tuple[str, ...]
    pattern: re.Pattern[str] | None

    def holds(self, text: str) -> bool:
        """Say whether a message contains every phrase literally."""
        if not self.phrases:
            return True
        plain = normalize_text(text)
        return all(phrase in plain for phrase in self.phrases)


def compile_query(query: HistoryQuery) -> CompiledQuery | None:
    """Return the compiled query; None if it contains nothing to search for."""
    words = query.words[:_MAX_QUERY_CHARS]
    if not words.strip():
        return None
    quoted = [phrase for phrase in map(str.strip, _QUOTED.findall(words)) if phrase]
    loose = _QUOTED.sub(" ", words)
    is_half_typed = bool(loose) and not loose[-1].isspace()
    asked = [term for phrase in quoted for term in build_term_query(phrase)]
    asked += build_term_query(loose, is_half_typed=is_half_typed)
    if not asked and not quoted:  # punctuation alone makes no terms: it is matched literally
        quoted = [loose.strip()]
    groups = [_alternatives(term, beginning) for term, beginning in dict.fromkeys(asked[:_MAX_TERMS])]
    groups += _narrowing(query)
    if not groups:
        groups = [" OR ".join(map(_quote, map(mark_of, Speaker)))]
    expression = " AND ".join(f"({group})" for group in groups)
    return CompiledQuery(expression, tuple(map(normalize_text, quoted)), _pattern(quoted, loose))


def normalize_text(text: str) -> str:
    """Return text normalized for comparison: case, width, spaces and Markdown markup are ignored."""
    # Phrases of common words are checked in thousands of messages: skip patterns that cannot match the text.
    if _SIGN.search(text):
        text = _SIGNS.sub("", text)
    if not text.isascii() and not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.casefold().split())


def _without_signs(text: str) -> str:
    return _SPACE.sub(" ", _SIGNS.sub("", text)).strip()


def excerpt_of(text: str, pattern: re.Pattern[str] | None) -> HistoryExcerpt:
    """Return the excerpt of a message around the match, on one line and without Markdown markup."""
    plain = _without_signs(tables_in_words(text))
    first = next(_places(plain, pattern), None)
    if first is None and pattern is not None:  # it may stand in the address of a link
        plain = _without_signs(text)
        first = next(_places(plain, pattern), None)
    start = 0
    if first is not None and first[0] > _BEFORE_CHARS:
        start = first[0] - _BEFORE_CHARS
        space = plain.find(" ", start, first[0])
        start = space + 1 if space >= 0 else start
    shown = plain[start : start + EXCERPT_CHARS]
    head = "…" if start else ""
    tail = "…" if start + EXCERPT_CHARS < len(plain) else ""
    marks = []
    for place in _places(shown, pattern):
        marks.append((place[0] + len(head), place[1] + len(head)))
        if len(marks) == _MAX_MARKS:
            break
    return HistoryExcerpt(head + shown + tail, tuple(marks))


def hit_of(row: Sequence[Any], excerpt: HistoryExcerpt) -> Hit:
    """Return a hit from a row: id, conversation, speaker, model, text, time, title, assistant, archived or not."""
    message_id, conversation_id, speaker, model, _, created_at, title, assistant, is_archived = row
    return Hit(
        conversation_id=conversation_id,
        title=title,
        message_id=message_id,
        speaker=Speaker(speaker),
        created_at=moment(created_at),
        excerpt=excerpt,
        assistant=assistant,
        model=model,
        is_archived=bool(is_archived),
    )


def _places(text: str, pattern: re.Pattern[str] | None) -> Iterator[tuple[int, int]]:
    return (match.span() for match in pattern.finditer(text)) if pattern is not None else iter(())


def _narrowing(query: HistoryQuery) -> list[str]:
    marks = []
    if query.speaker is not None:
        marks.append(_quote(mark_of(query.speaker)))
    if query.assistant is not None:
        marks.append(_quote(assistant_mark(query.assistant)))
    return marks


def _pattern(quoted: Iterable[str], loose: str) -> re.Pattern[str] | None:
    """Return a pattern for literal phrases, words with any ending, and the words of a Chinese sentence."""
    whole = [r"\s+".join(map(re.escape, phrase.split())) for phrase in quoted]
    words = [_word_pattern(word) for word in _WORD.findall(loose)]
    alternatives = sorted({*whole, *(word for word in words if word)}, key=len, reverse=True)
    return re.compile("|".join(alternatives), re.IGNORECASE) if alternatives else None


def _word_pattern(word: str) -> str:
    if not word.isascii():
        runs = [word, *(term for term, _ in build_term_query(word))]
        return "|".join(dict.fromkeys(map(re.escape, runs)))
    stems = [stem for stem in terms(word)[:1] if len(stem) >= _LEAST_STEM and word.lower().startswith(stem)]
    beginnings = "|".join(map(re.escape, [word, *stems]))
    return rf"(?<![^\W_])(?:{beginnings})\w*"


def _alternatives(term: str, beginning: str) -> str:
    return f"{_quote(term)} OR {_quote(beginning)}*" if beginning else _quote(term)


def _quote(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


class HistoryReader:
    """Reads the index. Belongs to one thread; `path` is that of the conversations."""

    def __init__(self, path: Path) -> None:
        self.connection = connect_index(path.with_name(FILE_NAME), path, is_reader=True)

    def release(self) -> None:
        """Release the memory used for searches."""
        self.connection.execute("PRAGMA shrink_memory")

    def close(self) -> None:
        """Close the files."""
        self.connection.close()

    def page(self, query: HistoryQuery, rest: int | None) -> HistoryPage:
        """Return a page of results from `rest` on, which the previous page returned."""
        wanted = compile_query(query)
        share = catch_up(self.connection)
        if wanted is None:
            return HistoryPage(reach=share)
        titles = self._find_titles(query, wanted) if rest is None else []
        hits, rest = self._find_messages(query, wanted, rest)
        return HistoryPage((*titles, *hits), rest, share)

    def _find_messages(
        self, query: HistoryQuery, wanted: CompiledQuery, rest: int | None
    ) -> tuple[list[Hit], int | None]:
        newest = _ALL_KEYS if query.until is None else key_of(query.until)
        oldest = -_ALL_KEYS if query.since is None else key_of(query.since)
        newest = newest if rest is None else min(newest, rest)
        until = monotonic() + LIMIT_S
        hits: list[Hit] = []
        with closing(self.connection.execute(_FIND, (wanted.expression, newest, oldest))) as rows:
            for count, (key, *row) in enumerate(rows, start=1):
                if wanted.holds(row[4]) and is_right(self.connection, row[0]):
                    hits.append(hit_of(row, excerpt_of(row[4], wanted.pattern)))
                if len(hits) == PAGE or (count % _LOOK_EVERY == 0 and monotonic() > until):
                    return hits, key
        return hits, None

    def _find_titles(self, query: HistoryQuery, wanted: CompiledQuery) -> list[Hit]:
        """Return conversations with the words in their title; there are few enough to read them all."""
        words = query.words.replace('"', " ").split()
        if query.speaker is not None or query.since or query.until or not words:
            return []
        conditions = " AND ".join(["title LIKE ? ESCAPE '\\'"] * len(words))
        values: list[object] = [f"%{_literally(word)}%" for word in words]
        if query.assistant is not None:
            conditions += " AND assistant = ?"
            values.append(query.assistant)
        found = self.connection.execute(_TITLED.format(words=conditions), (*values, MOST_TITLES))
        return [
            Hit(
                conversation_id=identity,
                title=title,
                message_id="",
                speaker=Speaker.USER,
                created_at=moment(updated),
                excerpt=_mark(title, wanted),
                assistant=assistant,
                is_archived=bool(is_archived),
            )
            for identity, title, updated, assistant, is_archived in found
        ]


def _mark(title: str, wanted: CompiledQuery) -> HistoryExcerpt:
    return excerpt_of(title, wanted.pattern)


def _literally(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
