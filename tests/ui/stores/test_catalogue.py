import asyncio

import pytest

from desktop.domain.models import ModelInfo
from desktop.ui.stores.catalogue import CatalogueStore


@pytest.fixture
def catalogue(engine, loop, qapp):
    catalogue = CatalogueStore(engine.port.catalogue, loop)
    yield catalogue
    catalogue.deleteLater()


def test_an_answer_that_a_later_one_has_overtaken_is_not_shown(catalogue, engine, loop, qtbot):
    slow, fast = ModelInfo("gone/model", "model", "Gone"), ModelInfo("here/model", "model", "Here")
    goes_on, has_ended = asyncio.Event(), asyncio.Event()

    async def slowly():
        await goes_on.wait()
        has_ended.set()
        return (slow,)

    async def at_once():
        return (fast,)

    async def end():
        goes_on.set()
        await has_ended.wait()

    shown = []
    catalogue.models_listed.connect(shown.append)
    engine.models.models = slowly
    catalogue.refresh()
    engine.models.models = at_once
    with qtbot.wait_signal(catalogue.models_listed):
        catalogue.refresh()
    loop.submit(end()).result(20)
    with qtbot.wait_signal(catalogue.engines_listed):  # what was under way has arrived before this
        catalogue.refresh()
    qtbot.wait_until(lambda: len(shown) == 2)
    assert shown == [(fast,), (fast,)]
