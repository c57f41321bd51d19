"""A conversation as a tree, and the path through it that is shown.

    question ┬ answer ─ question ─ answer      two variants of an answer; the one aside keeps all
             └ answer ─ question               that followed it until the user turns to it again

Answers that stand beside each other belong to one variant. A deleted message keeps its place for as long as it
can be restored: its successors are shown behind its predecessor.

This module reads and writes the rows, also those of single answers that a question of another conversation
cites.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from desktop.domain.history import PastAnswer
from desktop.domain.messages import (
    AnswerRole,
    ConversationInfo,
    Message,
    MessageStatus,
    Speaker,
    with_known_numbers,
)
from desktop.domain.sources import Source, with_page_checks
from desktop.errors import UnknownConversation
from desktop.storage.cited_pages import load_checks
from desktop.storage.db.row_checksums import readable, unsound
from desktop.storage.db.rows import (
    CONVERSATION_COLUMNS,
    CONVERSATION_PLACES,
    MESSAGE_COLUMNS,
    MESSAGE_PLACES,
    SOURCE_COLUMNS,
    Row,
    conversation_of,
    conversation_values,
    encode_text,
    message_of,
    message_values,
    micros,
    moment,
    source_of,
    trace_of,
)

# ruff: noqa: S608 - statements are composed from constants, never from data


NODE_COLUMNS = "id, coalesce(parent_id, ''), variant, is_aside, deleted_at IS NOT NULL, speaker, standing"
NODE_NAMES = ("id", "parent_id", "variant", "is_aside", "deleted_at", "speaker", "standing")

_NODES = f"SELECT {NODE_COLUMNS} FROM messages WHERE conversation_id = ? ORDER BY position"
_CONVERSATION_OF = "SELECT conversation_id FROM messages WHERE id = ?"
_SET_ASIDE = "UPDATE messages SET is_aside = ? WHERE id = ?"
_LEAVE_COMPARED = "UPDATE messages SET standing = 'left' WHERE id = ? AND standing = 'compared'"
_STAND = "UPDATE messages SET standing = ? WHERE id = ?"
_FOLLOW = "UPDATE messages SET parent_id = ? WHERE parent_id = ?"
_DELETE = "UPDATE messages SET deleted_at = ? WHERE id = ?"
_RESTORE = "UPDATE messages SET deleted_at = NULL WHERE id = ?"
_DELETED_LONG_AGO = "SELECT DISTINCT conversation_id FROM messages WHERE deleted_at <= ?"
_DELETED_THERE = "SELECT id FROM messages WHERE conversation_id = ? AND deleted_at <= ?"
_PURGE = "DELETE FROM messages WHERE id = ?"

_CONVERSATION = f"SELECT {CONVERSATION_COLUMNS}, {unsound('conversations')} FROM conversations WHERE id = ?"
# In one pass: rows are long, and the columns of the tree are at their end.
_MESSAGES = f"""SELECT {NODE_COLUMNS}, {MESSAGE_COLUMNS}, {unsound("messages")}
    FROM messages WHERE conversation_id = ? ORDER BY position"""
_ALL = f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE conversation_id = ?"
_TRACES = "SELECT trace FROM traces WHERE message_id IN (SELECT id FROM messages WHERE conversation_id = ?)"
_SOURCES = f"""SELECT {SOURCE_COLUMNS}, is_pinned, {unsound("sources")}
    FROM sources WHERE conversation_id = ? ORDER BY number"""
_JOURNAL = f"""SELECT message_id, journal.text, journal.reasoning, 0, 0, {unsound("journal")}
    FROM journal JOIN messages ON messages.id = message_id WHERE conversation_id = ? ORDER BY message_id, start"""
_CONVERSATION_NAMES, _SOURCE_NAMES = (
    CONVERSATION_COLUMNS.split(", "),
    (*SOURCE_COLUMNS.split(", "), "is_pinned"),
)
_MESSAGE_NAMES = (*NODE_NAMES, *MESSAGE_COLUMNS.split(", "))
_JOURNAL_NAMES = ("message_id", "text", "reasoning", "is_damaged", "is_reasoning_damaged")
_ADD_MESSAGE = f"INSERT INTO messages ({MESSAGE_COLUMNS}, parent_id, variant) VALUES ({MESSAGE_PLACES}, ?, ?)"

_NAMES = ("conversation_id", "id", "title of the conversation", "text", "created_at", "offered", "is_damaged")
_ANSWER = f"""SELECT m.conversation_id, m.id, c.title, m.text, m.created_at, m.offered, m.is_damaged,
        {unsound("messages", "m")}
    FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id
    WHERE m.id = CAST(? AS TEXT) AND m.deleted_at IS NULL AND c.deleted_at IS NULL"""


@dataclass(frozen=True)
class InsertPoint:
    """Where a message is inserted into its conversation; without any id, at the end of what is shown.

    It comes `after` a message, whose other successors are put aside, or replaces the message that it is
    `instead_of`, or stands `beside` one.
    """

    after: str = ""
    instead_of: str = ""
    beside: str = ""


AT_END = InsertPoint()


@dataclass(frozen=True)
class Node:
    """The columns of a message that determine its place; `parent` is empty for a first message."""

    id: str
    parent: str
    variant: int
    is_aside: bool
    is_deleted: bool
    speaker: Speaker
    standing: AnswerRole


@dataclass(frozen=True)
class VisibleMessage:
    """A message that is shown: its role among the answers beside it, and its variants.

    `variants` are ids, one for each variant in the order of creation; empty if it is the only one.
    """

    id: str
    standing: AnswerRole
    variants: tuple[str, ...] = ()


class Tree:
    """The messages of one conversation."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        # A message without an id would follow itself: a first message has an empty parent.
        self.nodes = {node.id: node for node in nodes if node.id}
        self._following: defaultdict[str, list[Node]] = defaultdict(list)
        for node in self.nodes.values():
            self._following[node.parent].append(node)

    @classmethod
    def read(cls, conversation_id: str, connection: sqlite3.Connection) -> "Tree":
        """Read the tree of a conversation."""
        return cls(map(node_of, connection.execute(_NODES, (conversation_id,))))

    @classmethod
    def around(cls, message_id: str, connection: sqlite3.Connection) -> "Tree":
        """Read the tree that contains a message.

        Raises:
            UnknownConversation: the message does not exist.
        """
        found = connection.execute(_CONVERSATION_OF, (message_id,)).fetchone()
        if found is None:
            raise UnknownConversation
        return cls.read(found[0], connection)

    def list_shown(self) -> list[VisibleMessage]:
        """Return the messages that are shown, in order."""
        return [one for variants, group in self._way() for one in _list_shown(variants, group)]

    def following(self, parent: str) -> list[Node]:
        """Return all successors of a message, in all variants."""
        return self._following[parent]

    def beside(self, node: Node) -> list[Node]:
        """Return a message and those that stand beside it."""
        return [other for other in self._following[node.parent] if other.variant == node.variant]

    def below(self, message_id: str) -> list[str]:
        """Return a message and all its descendants, shown or not."""
        found = dict.fromkeys([message_id])
        waiting = [message_id]
        for one in waiting:  # it grows while it is walked
            new = [node.id for node in self._following[one] if node.id not in found]
            found.update(dict.fromkeys(new))
            waiting += new
        return waiting

    def above(self, message_id: str) -> Iterator[Node]:
        """Yield a message and its ancestors, the first message last."""
        node = self.nodes.get(message_id)
        seen: set[str] = set()
        while node is not None and node.id not in seen:  # a damaged tree may contain a cycle
            seen.add(node.id)
            yield node
            node = self.nodes.get(node.parent)

    def place(self, joint: InsertPoint, speaker: Speaker) -> tuple[str, int]:
        """Return the parent and the variant of a new message."""
        if joint.beside:
            return self.nodes[joint.beside].parent, self.nodes[joint.beside].variant
        if joint.after or joint.instead_of:
            parent = joint.after or self.nodes[joint.instead_of].parent
            return parent, 1 + max((node.variant for node in self._following[parent]), default=-1)
        parent = self._end(speaker)
        variants = self._variants([parent])
        return parent, _choose(variants)[0].variant if variants else 0

    def is_reachable(self, node: Node) -> bool:
        """Say whether the successors of a deleted message are shown, or would be if the user switched to it."""
        variants = self._variants([node.parent])
        return not _without_deleted(variants) and node in _choose(variants)

    def _end(self, speaker: Speaker) -> str:
        """Return the parent of a message at the end.

        For an answer it is the last question, for a question the usual answer.
        """
        for _, group in reversed(list(self._way())):
            for node in reversed(group):
                is_usual_answer = node.standing is AnswerRole.USUAL and speaker is Speaker.USER
                if node.speaker is Speaker.USER or is_usual_answer:
                    return node.id
        return ""

    def _way(self) -> Iterator[tuple[dict[int, list[Node]], list[Node]]]:
        """Yield all variants and the one to continue with, from the first message on."""
        variants = self._variants([""])
        while variants:
            group = _choose(variants)
            yield variants, group
            variants = self._variants(node.id for node in group)

    def _variants(self, parents: Iterable[str]) -> dict[int, list[Node]]:
        nodes = [node for parent in parents for node in self._following.get(parent, ())]
        if len(nodes) == 1:  # as nearly all are, in conversations that may be long
            return {nodes[0].variant: nodes}
        variants: defaultdict[int, list[Node]] = defaultdict(list)
        for node in nodes:
            variants[node.variant].append(node)
        return dict(sorted(variants.items()))


def node_of(row: Sequence[Any]) -> Node:
    """Read NODE_COLUMNS."""
    return Node(row[0], row[1], row[2], bool(row[3]), bool(row[4]), Speaker(row[5]), AnswerRole(row[6]))


def shift_following(
    conversation_id: str, joint: InsertPoint, speaker: Speaker, connection: sqlite3.Connection
) -> tuple[str, int]:
    """Put aside what a new message replaces, and return its parent and its variant."""
    tree = Tree.read(conversation_id, connection)
    parent, variant = tree.place(joint, speaker)
    if joint.after or joint.instead_of:
        connection.executemany(_SET_ASIDE, [(True, node.id) for node in tree.following(parent)])
    if speaker is Speaker.USER and parent:
        # The conversation continues without the compared answers.
        connection.executemany(_LEAVE_COMPARED, [(node.id,) for node in tree.beside(tree.nodes[parent])])
    return parent, variant


def show(message_id: str, connection: sqlite3.Connection) -> None:
    """Switch to the variant that contains a message, and to those that lead to it."""
    tree = Tree.around(message_id, connection)
    turned = [
        (other.variant != node.variant, other.id)
        for node in tree.above(message_id)
        for other in tree.following(node.parent)
    ]
    connection.executemany(_SET_ASIDE, turned)


def choose(message_id: str, connection: sqlite3.Connection) -> None:
    """Continue the conversation with one of several answers that stand beside each other."""
    tree = Tree.around(message_id, connection)
    for node in tree.beside(tree.nodes[message_id]):
        standing = AnswerRole.USUAL if node.id == message_id else AnswerRole.LEFT
        connection.execute(_STAND, (standing.value, node.id))
        connection.execute(_FOLLOW, (message_id, node.id))


def delete(
    message_id: str, moment: int, connection: sqlite3.Connection, *, with_rest: bool
) -> tuple[str, ...]:
    """Delete an answer, or a question with its answers, or either with everything after it; return their ids."""
    tree = Tree.around(message_id, connection)
    node = tree.nodes[message_id]
    answers = [other.id for other in tree.following(message_id) if node.speaker is Speaker.USER]
    wanted = tree.below(message_id) if with_rest else [message_id, *answers]
    gone = tuple(each for each in wanted if not tree.nodes[each].is_deleted)
    connection.executemany(_DELETE, [(moment, each) for each in gone])
    return gone


def restore(message_ids: Iterable[str], connection: sqlite3.Connection) -> None:
    """Undo `delete`."""
    connection.executemany(_RESTORE, [(each,) for each in message_ids])


def purge(before: int, connection: sqlite3.Connection) -> int:
    """Permanently delete what was deleted by then; successors move up. Returns how many messages."""
    count = 0
    for (conversation_id,) in connection.execute(_DELETED_LONG_AGO, (before,)).fetchall():
        for (message_id,) in connection.execute(_DELETED_THERE, (conversation_id, before)).fetchall():
            # Read again: its ancestors may just have been deleted.
            tree = Tree.read(conversation_id, connection)
            if message_id not in tree.nodes:
                continue
            node = tree.nodes[message_id]
            if tree.is_reachable(node):
                connection.execute(_FOLLOW, (node.parent or None, message_id))
                gone = [message_id]
            else:  # its successors could not be reached any more
                gone = tree.below(message_id)
            count += connection.executemany(_PURGE, [(each,) for each in gone]).rowcount
    return count


def _list_shown(variants: dict[int, list[Node]], group: list[Node]) -> Iterator[VisibleMessage]:
    live = [node for node in group if not node.is_deleted]
    if len(variants) == 1 and len(live) == 1:
        yield VisibleMessage(live[0].id, AnswerRole.USUAL)
        return
    firsts = tuple(_usual(members).id for members in _without_deleted(variants).values())
    usual = _usual(live) if live else None
    for node in live:
        if node is usual:
            yield VisibleMessage(node.id, AnswerRole.USUAL, firsts if len(firsts) > 1 else ())
        else:
            yield VisibleMessage(node.id, node.standing)


def _usual(members: list[Node]) -> Node:
    """Return the message of a variant with which the conversation continues: if that was deleted, the next one."""
    live = [node for node in members if not node.is_deleted]
    return next((node for node in live if node.standing is AnswerRole.USUAL), live[0])


def _without_deleted(variants: dict[int, list[Node]]) -> dict[int, list[Node]]:
    return {number: group for number, group in variants.items() if any(not node.is_deleted for node in group)}


def _choose(variants: dict[int, list[Node]]) -> list[Node]:
    """Return the active variant among those not deleted: the last one if several are not aside."""
    if len(variants) == 1:
        return next(iter(variants.values()))
    among = _without_deleted(variants) or variants
    numbers = [number for number, group in among.items() if any(not node.is_aside for node in group)]
    return among[max(numbers or among)]


@dataclass(frozen=True)
class Unsaved:
    """A conversation without a message, which is not on disk yet."""

    info: ConversationInfo
    is_title_given: bool = False


class JournalPiece(NamedTuple):
    """Text written for a message since its row was written."""

    text: str
    reasoning: str
    is_damaged: int
    is_reasoning_damaged: int


@dataclass(frozen=True)
class StoredConversation:
    """A conversation as stored, with the messages that are shown; `journal` has the ends of interrupted messages."""

    info: ConversationInfo
    messages: Sequence[Message]
    sources: tuple[Source, ...]
    pinned: tuple[int, ...]
    journal: dict[str, list[JournalPiece]]

    def recover(self, message: Message) -> Message:
        """Return an interrupted message with all text that had been shown."""
        if message.status is not MessageStatus.STREAMING:
            return message
        pieces = self.journal.get(message.id, ())
        return replace(
            message,
            text=message.text + "".join(piece.text for piece in pieces),
            reasoning=message.reasoning + "".join(piece.reasoning for piece in pieces),
            status=MessageStatus.INTERRUPTED,
            is_damaged=message.is_damaged or any(piece.is_damaged for piece in pieces),
            is_reasoning_damaged=message.is_reasoning_damaged
            or any(piece.is_reasoning_damaged for piece in pieces),
        )


def load(conversation_id: str, connection: sqlite3.Connection) -> StoredConversation:
    """Read a conversation.

    Raises:
        UnknownConversation: it does not exist.
    """

    def rows(select: str, table: str, names: Sequence[str]) -> list[Row]:
        found = connection.execute(select, (conversation_id,))
        return [readable(table, names, row) for row in found]

    found = rows(_CONVERSATION, "conversations", _CONVERSATION_NAMES)
    if not found:
        raise UnknownConversation
    told = rows(_MESSAGES, "messages", _MESSAGE_NAMES)
    width = len(NODE_NAMES)
    tree = Tree(_attach_orphans([node_of(row[:width]) for row in told]))
    messages = {row[0]: row[width:] for row in told}
    sources = rows(_SOURCES, "sources", _SOURCE_NAMES)
    checks = load_checks(connection, conversation_id)
    journal: dict[str, list[JournalPiece]] = {}
    for message_id, *piece in rows(_JOURNAL, "journal", _JOURNAL_NAMES):
        journal.setdefault(message_id, []).append(JournalPiece(*piece))
    return StoredConversation(
        conversation_of(found[0]),
        with_known_numbers([_as_shown(message_of(messages[shown.id]), shown) for shown in tree.list_shown()]),
        tuple(with_page_checks(map(source_of, sources), checks)),
        tuple(number for number, *_, is_pinned in sources if is_pinned),
        journal,
    )


def check_unseen(conversation_id: str, connection: sqlite3.Connection) -> None:
    """Read what `load` does not: messages that are not shown now, and the records of answers.

    Raises:
        ValueError, TypeError, KeyError: a row is invalid.
    """
    for row in connection.execute(_ALL, (conversation_id,)):
        message_of(row)
    for (trace,) in connection.execute(_TRACES, (conversation_id,)):
        trace_of(trace)


def _attach_orphans(nodes: list[Node]) -> list[Node]:
    """Attach messages whose parent is missing, because its id was damaged, to the message before them."""
    known = {"", *(node.id for node in nodes)}
    if all(node.parent in known for node in nodes):
        return nodes
    before = ["", *(node.id for node in nodes)]
    return [
        node if node.parent in known else replace(node, parent=previous)
        for node, previous in zip(nodes, before, strict=False)
    ]


def _as_shown(message: Message, shown: VisibleMessage) -> Message:
    if message.standing is shown.standing and not shown.variants:
        return message  # as nearly all of two thousand are
    return replace(message, standing=shown.standing, variants=shown.variants)


def add(
    message: Message, joint: InsertPoint, unsaved: Unsaved | None, connection: sqlite3.Connection
) -> Message:
    """Add a message to its conversation, which is stored with its first message; return it with its variants.

    Raises:
        UnknownConversation: the conversation was permanently deleted.
    """
    if unsaved is not None:
        connection.execute(
            f"INSERT INTO conversations ({CONVERSATION_COLUMNS}, is_title_given) VALUES ({CONVERSATION_PLACES}, ?)",
            (*conversation_values(unsaved.info), unsaved.is_title_given),
        )
    now = micros(datetime.now(UTC))
    touched = connection.execute(
        "UPDATE conversations SET updated_at = max(updated_at, ?) WHERE id = ?",
        (now, message.conversation_id),
    )
    if not touched.rowcount:
        raise UnknownConversation
    parent, variant = shift_following(message.conversation_id, joint, message.speaker, connection)
    connection.execute(_ADD_MESSAGE, (*message_values(message), parent or None, variant))
    if not variant:
        return message
    shown = Tree.read(message.conversation_id, connection).list_shown()
    return replace(message, variants=next(one.variants for one in shown if one.id == message.id))


def add_all(
    placed: Sequence[tuple[Message, InsertPoint]],
    title: str,
    unsaved: Unsaved | None,
    connection: sqlite3.Connection,
) -> tuple[Message, ...]:
    """Add messages to one conversation, and give it a title unless it is empty or the user has set one."""
    added: list[Message] = []
    for message, joint in placed:
        added.append(add(message, joint, None if added else unsaved, connection))
    if title:
        put_title(placed[0][0].conversation_id, title, False, connection)
    return tuple(added)


def put_title(conversation_id: str, title: str, is_given: bool, connection: sqlite3.Connection) -> None:
    """Set the title of a conversation; one that is not given by the user does not replace one that is."""
    connection.execute(
        "UPDATE conversations SET title = CAST(? AS TEXT), is_title_given = ? WHERE id = ?"
        " AND (? OR NOT is_title_given)",
        (encode_text(title), is_given, conversation_id, is_given),
    )


def past_answer(message_id: str | bytes, connection: sqlite3.Connection) -> PastAnswer | None:
    """Return an answer; None if it or its conversation was deleted. One that lost text is marked as gone."""
    row = connection.execute(_ANSWER, (message_id,)).fetchone()
    if row is None:
        return None
    conversation_id, identity, title, text, created_at, offered, is_damaged = readable(
        "messages", _NAMES, row
    )
    numbers = tuple(map(int, json.loads(offered)))
    return PastAnswer(
        conversation_id, identity, title, text, moment(created_at), numbers, is_gone=bool(is_damaged)
    )
