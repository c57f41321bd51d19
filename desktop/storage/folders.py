"""The user's organisation of conversations: folders, pins, colours, archive."""

import sqlite3
import uuid
from collections.abc import Iterable, Mapping
from functools import partial

from desktop.domain.messages import Folder, LabelColor, Placement, PlacementChange
from desktop.sqlite import translate_read_errors
from desktop.storage.db.database import Database
from desktop.storage.db.row_checksums import readable, unsound
from desktop.storage.db.rows import (
    FOLDER_COLUMNS,
    FOLDER_PLACES,
    PLACE_COLUMNS,
    PLACE_PLACES,
    encode_text,
    folder_of,
    folder_values,
    place_of,
    place_values,
)

# ruff: noqa: S608 - statements are composed from the constants above, never from data

_FOLDER_NAMES = FOLDER_COLUMNS.split(", ")
_FOLDERS = f"SELECT {FOLDER_COLUMNS}, {unsound('folders')} FROM folders"
_ADD_FOLDER = f"INSERT OR IGNORE INTO folders ({FOLDER_COLUMNS}) VALUES ({FOLDER_PLACES})"
_CHANGE_FOLDER = f"UPDATE folders SET ({FOLDER_COLUMNS}) = ({FOLDER_PLACES}) WHERE id = ?"
_PLACE_FOLDER = "UPDATE folders SET position = ? WHERE id = CAST(? AS TEXT)"
_INSIDE = "SELECT id FROM conversations WHERE folder = ?"
_PLACE = f"SELECT {PLACE_COLUMNS} FROM conversations WHERE id = ?"
_PUT = f"UPDATE conversations SET ({PLACE_COLUMNS}) = ({PLACE_PLACES}) WHERE id = ?"
_FILE = "UPDATE conversations SET folder = ? WHERE id = ? AND folder IS NULL"


class FolderStore:
    """See `desktop.chat.api.conversations.Filing`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def folders(self) -> tuple[Folder, ...]:
        """Return all folders, in no particular order."""
        with translate_read_errors(self._database.path):
            return await self._database.read(read_folders)

    async def create_folder(self, name: str, tint: LabelColor = LabelColor.NONE) -> Folder:
        """Create an empty folder."""
        folder = Folder(uuid.uuid4().hex, name, tint)
        await self.restore_folder(folder, ())
        return folder

    async def change_folder(self, folder: Folder) -> None:
        """Change the name, colour or open state of the folder with this id."""
        values = (*folder_values(folder), folder.id)
        await self._database.execute(_CHANGE_FOLDER, values)

    async def place_folders(self, positions: Mapping[str, int]) -> None:
        """Set the positions of folders, by id, all or none."""
        rows = [(position, encode_text(folder_id)) for folder_id, position in positions.items()]
        await self._database.execute_many(_PLACE_FOLDER, rows)

    async def delete_folder(self, folder_id: str) -> tuple[str, ...]:
        """Delete a folder and move its conversations out of it; returns their ids."""
        return await self._database.write(partial(_delete_folder, folder_id))

    async def restore_folder(self, folder: Folder, conversation_ids: Iterable[str]) -> None:
        """Undo `delete_folder`."""
        inside = [(folder.id, conversation_id) for conversation_id in conversation_ids]

        def restore(connection: sqlite3.Connection) -> None:
            connection.execute(_ADD_FOLDER, folder_values(folder))
            connection.executemany(_FILE, inside)

        await self._database.write(restore)

    async def arrange(self, conversation_ids: Iterable[str], change: PlacementChange) -> dict[str, Placement]:
        """Move conversations; returns their previous placement, for `put_back`."""
        return await self._database.write(partial(_arrange, tuple(conversation_ids), change))

    async def put_back(self, places: Mapping[str, Placement]) -> None:
        """Restore the placement of conversations."""
        await self._database.write(partial(_put, dict(places)))


def read_folders(connection: sqlite3.Connection) -> tuple[Folder, ...]:
    """Return all folders; raises ValueError if one is invalid."""
    rows = connection.execute(_FOLDERS)
    return tuple(folder_of(readable("folders", _FOLDER_NAMES, row)) for row in rows)


def _delete_folder(folder_id: str, connection: sqlite3.Connection) -> tuple[str, ...]:
    inside = tuple(conversation_id for (conversation_id,) in connection.execute(_INSIDE, (folder_id,)))
    connection.execute("DELETE FROM folders WHERE id = ?", (folder_id,))
    return inside


def _arrange(
    ids: tuple[str, ...], change: PlacementChange, connection: sqlite3.Connection
) -> dict[str, Placement]:
    rows = ((each, connection.execute(_PLACE, (each,)).fetchone()) for each in ids)
    before = {each: place_of(row) for each, row in rows if row is not None}
    _put({each: change.of(place) for each, place in before.items()}, connection)
    return before


def _put(places: Mapping[str, Placement], connection: sqlite3.Connection) -> None:
    connection.executemany(_PUT, [(*place_values(place), each) for each, place in places.items()])
