"""The items of which one may have ended the program while it was read."""

from desktop.knowledge.index.database import Database
from desktop.knowledge.index.library import STATE_BEFORE


def recover(database: Database, reason: str) -> set[str]:
    """Let items wait again that were being read when the program was killed; return all suspects.

    Only one that is killed over again is given up for `reason`: others were read beside it, or the
    program ended for reasons of its own.
    """
    with database.transaction() as connection:
        connection.execute(
            f"""
            UPDATE items SET is_suspect = NOT is_suspect, error = iif(is_suspect, ?, ''),
                state = iif(is_suspect, {STATE_BEFORE}, 'waiting') WHERE state = 'reading'
            """,  # noqa: S608 - a constant
            (reason,),
        )
        return {row["id"] for row in connection.execute("SELECT id FROM items WHERE is_suspect")}
