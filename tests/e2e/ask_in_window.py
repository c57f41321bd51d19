"""Asks a question in a window, says when the first words are on disk, and waits to be killed."""

import os
import sys
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"

from desktop.app import make_application
from tests.e2e.window import running_window


def main() -> None:
    """Ask, report, stay."""
    application = make_application()
    with running_window(application, Path(sys.argv[1])) as driver:
        driver.type_question(sys.argv[2])
        driver.wait_for_page("document.querySelector('#conversation').innerText.includes('first half')")

        async def is_on_disk() -> bool:
            store = driver.program.services.store
            conversation = (await store.recent())[0].id
            rows = await store.database.read(
                lambda connection: connection.execute(
                    "SELECT count(*) FROM journal JOIN messages ON messages.id = message_id WHERE conversation_id = ?",
                    (conversation,),
                ).fetchone()
            )
            return bool(rows[0])

        driver.wait_for(lambda: driver.program.loop.call(is_on_disk(), 60), "the journal has the words")
        print("on disk", flush=True)
        application.exec()


if __name__ == "__main__":
    main()
