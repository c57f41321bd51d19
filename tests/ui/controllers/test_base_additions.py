"""What an answer is based on goes into a base: from the card, the list of sources, the panel and a selection."""

import asyncio
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication, QInputDialog

from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.errors import ReadingFailed
from desktop.ui.viewer.window import SourcePanel
from tests.ui.accessible import remove_access_key
from tests.ui.fakes.scripts import record_calls, script_steps
from tests.ui.on_page import script, wait_for_text

CARD = "document.querySelector('#card .card-bases')?.textContent ?? ''"


@pytest.fixture
def answered(open_window, engine, qtbot, in_english):
    """A wide window with an answer that cites two of the three pages that it was given; one of them is bad."""
    engine.worker.put("Animals")
    engine.worker.put("Tides")
    ledger = Ledger()
    ledger.register(
        Passage(SourceKind.WEB, title, f"{title}: the tide rises.", f"https://{name}.example/a")
        for title, name in (("Tides", "tides"), ("Moon", "moon"), ("bad page", "bad"))
    )
    chat = engine.put(
        "Tides", texts=("What?", "The tide rises [1]. The moon draws it [2]."), sources=ledger.sources
    )
    window = open_window()
    window.resize(1200, 700)
    window.sessions.open(chat)
    qtbot.wait_until(lambda: len(window.sessions.shown.messages) == 2)
    wait_for_text(window, qtbot, "The moon draws it")
    qtbot.wait_until(lambda: len(window.knowledge_store.bases) == 2)
    return window


def pick(qtbot, *names):
    """Choose an entry of the open menu, and of the menus in it."""
    qtbot.wait_until(lambda: QApplication.activePopupWidget() is not None)
    menu = QApplication.activePopupWidget()
    top = menu
    for name in names:
        action = next(each for each in menu.actions() if remove_access_key(each.text()).startswith(name))
        menu = action.menu() or menu
    top.close()
    action.trigger()


def items(engine, name):
    return [item.path for item in engine.loop.call(engine.knowledge.items(engine.worker.base(name).id))]


def test_a_click_on_the_card_adds_its_page_and_the_mark_says_where_it_is(answered, engine, qtbot):
    hover = (
        "document.querySelector('a.citation').dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))"
    )
    script(answered, qtbot, hover)
    qtbot.wait_until(lambda: script(answered, qtbot, "!document.getElementById('card').hidden"))
    assert script(answered, qtbot, CARD) == ""
    script(answered, qtbot, "document.querySelector('#card .add-source').click()")
    pick(qtbot, "This page", "Tides")
    qtbot.wait_until(lambda: answered.notices.text == "1 source added to “Tides”.")
    assert items(engine, "Tides") == ["https://tides.example/a"]
    qtbot.wait_until(lambda: script(answered, qtbot, CARD) == "In the knowledge base “Tides”.")
    assert script(answered, qtbot, "document.querySelector('#card .card-number').textContent") == "1"

    answered.notices.undo()
    qtbot.wait_until(lambda: items(engine, "Tides") == [])
    qtbot.wait_until(lambda: script(answered, qtbot, CARD) == "")


def test_the_list_adds_what_was_cited_and_what_was_read_without_doubles(answered, engine, qtbot):
    button = "document.querySelector('.source-list [data-action=add_sources]').click()"
    script(answered, qtbot, button)
    pick(qtbot, "All that are cited", "Animals")
    qtbot.wait_until(lambda: answered.notices.text == "2 sources added to “Animals”.")
    script(answered, qtbot, button)
    menu = answered.chat.adding.menu_for(answered.sessions.shown.last_answer)
    first = menu.actions()[0].menu().actions()[0]
    assert remove_access_key(first.text()) == "Animals"  # the one used last comes first
    pick(qtbot, "All that were read", "Animals")
    said = "2 already in “Animals”. 1 couldn’t be added: bad page: The page has no text."
    qtbot.wait_until(lambda: answered.notices.text == said)
    assert items(engine, "Animals") == ["https://tides.example/a", "https://moon.example/a"]


def test_what_is_still_read_into_the_base_is_not_called_added_yet(answered, engine, qtbot):
    shown = answered.sessions.shown
    moon, broken = shown.sources[2], replace(shown.sources[3], url="https://broken.example/a")
    animals, tides = (engine.worker.base(name) for name in ("Animals", "Tides"))
    add, notices, reader = answered.chat.adding.add, answered.notices, engine.worker.reader
    read = reader.read

    async def read_slowly(path, *rest):
        await is_read.wait()
        if "broken" in path.read_text():
            raise ReadingFailed(name=path.name, detail="its reader crashed")
        return await read(path, *rest)

    is_read = asyncio.Event()
    reader.read = read_slowly
    add([moon], animals)
    qtbot.wait_until(lambda: notices.text == "Adding 1 source to “Animals”…")
    notices.undo()
    qtbot.wait_until(lambda: items(engine, "Animals") == [])
    add([moon, broken], tides)
    qtbot.wait_until(lambda: notices.text == "Adding 2 sources to “Tides”…")
    engine.release(is_read)
    qtbot.wait_until(
        lambda: (
            notices.text.startswith("1 source added to “Tides”. 1 couldn’t be added: a: “")
            and "its reader crashed" in notices.text
        )
    )
    notices.undo()
    qtbot.wait_until(lambda: items(engine, "Tides") == [])
    # A later notice is not replaced by one that all is well.
    is_read.clear()
    add([moon], animals)
    qtbot.wait_until(lambda: notices.text == "Adding 1 source to “Animals”…")
    notices.dismiss()
    engine.release(is_read)
    qtbot.wait_until(lambda: engine.loop.call(engine.knowledge.items(animals.id))[0].state.value != "reading")
    assert notices.text == ""


def test_a_viewer_adds_what_it_shows_also_once_another_chat_is_open(answered, engine, qtbot):
    adding, chat = answered.chat.adding, answered.sessions.current
    source = answered.sessions.shown.sources[1]
    additions = record_calls(engine.knowledge, "add_sources")
    adding.offer_in_viewer(chat, source)
    pick(qtbot, "All that are cited", "Animals")
    qtbot.wait_until(lambda: answered.notices.text == "2 sources added to “Animals”.")

    other = engine.put("Other", texts=("Where?", "Here."))
    answered.sessions.open(other)
    qtbot.wait_until(lambda: answered.sessions.current == other and not answered.sessions.shown.sources)
    adding.offer_in_viewer(chat, source)
    menu = QApplication.activePopupWidget()
    assert [remove_access_key(each.text()) for each in menu.actions()] == ["This page"]
    pick(qtbot, "This page", "Tides")
    qtbot.wait_until(lambda: answered.notices.text == "1 source added to “Tides”.")
    assert [conversation for _base, _sources, conversation in additions] == [chat, chat]


def test_one_addition_runs_at_a_time(answered, engine, qtbot):
    adding, animals, tides = answered.chat.adding, engine.worker.base("Animals"), engine.worker.base("Tides")
    engine.worker.gate.clear()
    adding.add(answered.sessions.shown.sources.values(), tides)
    adding.add_note("A note [1].", animals)
    assert answered.notices.text == "Wait until the earlier pages are added, or cancel them."
    adding.stop()
    engine.release(engine.worker.gate)
    qtbot.wait_until(lambda: answered.notices.text == "Canceled. Nothing was added.")
    assert items(engine, "Animals") == []


def test_cancel_leaves_nothing_behind_not_even_a_new_base(answered, engine, qtbot):
    additions = script_steps(engine.knowledge, "add_sources", asyncio.Event())
    answered.shortcuts["citation_after"].trigger()
    panel = answered.findChild(SourcePanel)
    qtbot.wait_until(lambda: panel.viewer is not None and panel.viewer.pane is not None)
    panel.viewer.add.click()
    pick(qtbot, "All that were read", "New knowledge base")
    dialog = answered.findChild(QInputDialog)
    dialog.setTextValue("Moon")
    dialog.accept()
    qtbot.wait_until(lambda: answered.notices.text == "Adding to “Moon”: 0 of 3")
    qtbot.wait_until(lambda: len(additions) == 1)
    answered.notices.action.click()
    qtbot.wait_until(lambda: answered.notices.text == "Canceled. Nothing was added.")
    qtbot.wait_until(lambda: engine.worker.base("Moon") is None)
    assert additions.cancelled == 1


def test_a_selection_becomes_a_note_with_its_sources(answered, engine, loop, qtbot):
    whole = "getSelection().selectAllChildren(document.querySelector('a.citation').closest('.text'))"
    script(answered, qtbot, whole)
    answered.transcripts.page._act_on_selection("add_note")
    pick(qtbot, "Tides")
    qtbot.wait_until(lambda: answered.notices.text == "Note added to “Tides”.")
    (item,) = engine.loop.call(engine.knowledge.items(engine.worker.base("Tides").id))
    assert item.name == "The tide rises. The moon draws it."
    note = loop.call(engine.knowledge.note(item.id))
    assert note.startswith("The tide rises[1]. The moon draws it[2].\n\n## Sources\n\n- [1] Tides")
    assert note.rstrip().endswith("https://moon.example/a")
    answered.notices.undo()
    qtbot.wait_until(lambda: items(engine, "Tides") == [])
