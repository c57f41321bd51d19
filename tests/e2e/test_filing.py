"""A person puts a list in order by mouse and keys, closes the program, and finds it so again."""

import asyncio
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit

from desktop.domain.messages import Message, Speaker
from desktop.storage.conversation_store import ConversationStore
from tests.e2e.person import Person
from tests.e2e.site import running_site
from tests.e2e.window import configure, running_window
from tests.unit.storage.samples import NOW


async def write(data: Path, count: int) -> None:
    store = ConversationStore(data)
    for number in range(1, count + 1):
        info = await store.create()
        await store.add_message(Message(f"q{number}", info.id, Speaker.USER, "Why?", NOW))
        await store.add_message(Message(f"a{number}", info.id, Speaker.MODEL, f"Because of {number}.", NOW))
        await store.rename(info.id, f"Title {number}")
    await store.close()


def sees(person: Person, *expected: str) -> None:
    """Wait until the list shows this; but for the dates, as it may be midnight."""

    def rows() -> list[str]:
        return [text for text in person.listed if text not in {"# Today", "# Yesterday"}]

    person.driver.wait_for(lambda: rows() == list(expected), f"{expected} instead of {rows()}")


def test_a_list_is_put_in_order_and_stays_so(qapp, tmp_path):
    data = tmp_path / "data"
    with running_site() as site:
        configure(data, site, window={"language": "en"})
        asyncio.run(write(data, 5))
        with running_window(qapp, data) as driver:
            person, view = Person(driver), driver.window.sidebar.view
            sees(person, *(f"Title {number}" for number in (5, 4, 3, 2, 1)))
            person.choose("Title 2", at_dots=True)
            person.pick("Pin")
            sees(person, "# Pinned", "Title 2", "Title 5", "Title 4", "Title 3", "Title 1")
            driver.window.shortcuts["new_folder"].trigger()
            driver.wait_for(lambda: isinstance(QApplication.focusWidget(), QLineEdit), "a name to write")
            person.write("Moon")
            person.key(Qt.Key.Key_Return)
            driver.wait_for(lambda: "# Moon" in person.listed, "the folder by its name")
            person.choose("Title 5")
            person.choose("Title 3", Qt.KeyboardModifier.ShiftModifier)
            assert [info.title for info in view.infos] == ["Title 5", "Title 4", "Title 3"]
            model = driver.window.sidebar.model
            dragged = model.mimeData(view.selectedIndexes())
            folder = model.row_of_folder(model.folders[0].id)
            assert model.dropMimeData(dragged, Qt.DropAction.MoveAction, -1, -1, folder)
            moon = ("# Moon", "Title 5", "Title 4", "Title 3")
            sees(person, "# Pinned", "Title 2", *moon, "Title 1")
            person.choose("Title 1", at_dots=True)
            person.pick("Delete")
            sees(person, "# Pinned", "Title 2", *moon)
            person.click(driver.window.notices.action)
            sees(person, "# Pinned", "Title 2", *moon, "Title 1")
            person.choose("Title 1", at_dots=True)
            person.pick("Archive")
            sees(person, "# Pinned", "Title 2", *moon, "# Archive")
            person.choose("Moon")
            sees(person, "# Pinned", "Title 2", "# Moon", "# Archive")
        with running_window(qapp, data) as driver:
            person = Person(driver)
            sees(person, "# Pinned", "Title 2", "# Moon", "# Archive")
            driver.window.sidebar.filter.setText("title 1")
            sees(person, "# Archive", "Title 1")
            person.choose("Title 1")
            driver.wait_for_page("document.body.innerText.includes('Because of 1.')")
