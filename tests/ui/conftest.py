"""The asyncio thread and services of which parts are scripted, for tests of the window."""

from dataclasses import replace

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QLocale, QObject, Qt

from desktop.app.bootstrap import run_gc_on_gui_thread
from desktop.background import BackgroundLoop
from desktop.errors import AppError
from desktop.ui.i18n import Translations, locale_of
from desktop.ui.settings.rows import SettingsContext
from desktop.ui.stores.catalogue import CatalogueStore, EmbedderStore, LocalModelStore
from desktop.ui.stores.global_shortcut import GlobalShortcut
from desktop.ui.stores.knowledge_store import KnowledgeStore
from desktop.ui.stores.memory_store import MemoryStore
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.window.workspace import Workspace
from tests.stopping import has_stopped
from tests.ui.fakes.services import ScriptedServices

# QtWebEngine wants this said before there is an application.
QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)


@pytest.fixture(autouse=True)
def english():
    """Write dates and numbers in English, wherever the tests run and whatever the one before has spoken."""
    QLocale.setDefault(locale_of("en"))


@pytest.fixture
def loop(qapp):
    """A running loop; what nobody expected fails the test."""
    problems = []
    background = BackgroundLoop(problems.append, AppError)
    owner = QObject()
    run_gc_on_gui_thread(owner)  # its thread must not destroy what tests leave
    background.start()
    yield background
    assert has_stopped(background)
    qapp.processEvents()
    assert problems == []


@pytest.fixture
def translations(qapp):
    """The languages of the window; it speaks English again afterwards."""
    owner = QObject()
    translations = Translations(qapp, owner)
    yield translations
    translations.use("en")
    shiboken6.delete(owner)


@pytest.fixture
def in_english(translations):
    """Count in the plural forms of English: the texts in the code have only one form, as in “item(s)”."""
    translations.use("en")


@pytest.fixture
def engine(loop, tmp_path_factory):
    """Services without conversations, in a folder that is none of the test's."""
    engine = ScriptedServices(loop, tmp_path_factory.mktemp("services"))
    yield engine
    engine.close()


@pytest.fixture
def searched(engine, monkeypatch):
    """The searches of the history so far."""
    queries, search = [], engine.history.search

    async def record(query, rest=None):
        queries.append(query)
        return await search(query, rest)

    monkeypatch.setattr(engine.history, "search", record)
    return queries


@pytest.fixture
def context(engine, loop, qtbot):
    """What pages of settings work with; models and engines have been listed."""
    port = engine.port
    store = SettingsStore(port.preferences, loop)
    catalogue = CatalogueStore(port.catalogue, loop)
    with qtbot.wait_signals([catalogue.models_listed, catalogue.engines_listed]):
        catalogue.refresh()
    knowledge_store = KnowledgeStore(port.knowledge, loop)
    embedders = EmbedderStore(port.embedders, loop, store)
    local_models = LocalModelStore(port.local_models, loop, store)
    quick_key = GlobalShortcut(port.surroundings, loop, store, store)
    yield SettingsContext(
        port,
        loop,
        store,
        catalogue,
        MemoryStore(port.memories, loop, store),
        knowledge_store,
        embedders,
        local_models,
        quick_key,
    )
    quick_key.stop()
    knowledge_store.deleteLater()
    embedders.deleteLater()
    local_models.deleteLater()
    catalogue.deleteLater()
    store.deleteLater()


@pytest.fixture
def open_window(engine, loop, qtbot, qapp):
    """Open the window on `engine` as it is by then, and wait for its page."""
    windows = []
    font = qapp.font()

    def opened() -> Workspace:
        settings = engine.preferences.settings
        language = settings.window.language or "en"
        engine.preferences.settings = replace(settings, window=replace(settings.window, language=language))
        window = Workspace(engine.port, loop, qapp)
        windows.append(window)
        with qtbot.wait_signal(window.furnished):
            window.show()
        qtbot.wait_until(lambda: len(window.catalogue.models) > 0)
        return window

    yield opened
    for window in windows:
        window.cancel_all()
        window.close()
        window.looks.translations.use("en")
        window.deleteLater()
        QCoreApplication.sendPostedEvents(window, QEvent.Type.DeferredDelete)
    qapp.setFont(font)  # a window takes the font that it finds for that of the system


@pytest.fixture
def window(open_window):
    """An open window."""
    return open_window()
