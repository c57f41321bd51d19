"""What the viewer and the cards ask for, through the real rooms: originals of files, icons of sites."""

import io
import os
from contextlib import aclosing
from dataclasses import replace

import pytest
from PIL import Image

from desktop.domain.knowledge import ItemState, OriginalState
from desktop.domain.pictures import icon_id
from desktop.domain.search import PageStatus
from desktop.domain.sources import Ledger, document_of
from desktop.services.container import running_services
from desktop.services.window import window_services
from desktop.settings.folders import folders_for
from tests.e2e.site import running_site

pytestmark = pytest.mark.anyio

WORDS = "The notice period is three months, and 通知期为三个月。"


async def test_what_was_read_of_a_file_is_there_with_what_became_of_it(tmp_path):
    path = tmp_path / "合同.md"
    path.write_text(f"# Contract\n\nSome words before.\n\n{WORDS}\n", encoding="utf-8")
    async with running_services(folders_for(tmp_path / "data")) as services:
        bases = services.knowledge
        base = await bases.create("Contracts")
        async with aclosing(bases.add(base.id, [path])) as steps:
            # Found by its words already; the vectors are not needed here.
            item = await anext(
                step.item async for step in steps if step.item.state is ItemState.KEYWORD_READY
            )
        ledger = Ledger()
        ledger.register((await services.knowledge.retrieve(["notice period"], [base.id], 1)).passages)
        (source,) = ledger.sources
        assert document_of(source) == item.document

        text = await bases.text_of(document_of(source))
        assert text[source.locator.start : source.locator.end] == source.text
        assert WORDS in text
        assert await bases.text_of("0" * 64) == ""

        assert await bases.state_of(path, document_of(source)) is OriginalState.UNCHANGED
        path.write_text("Something else.")
        assert await bases.state_of(path, document_of(source)) is OriginalState.CHANGED
        with path.open("wb") as sparse:  # its digest would take hours
            sparse.truncate(2**40)
        assert await bases.state_of(path, document_of(source)) is OriginalState.CHANGED
        path.unlink()
        assert await bases.state_of(path, document_of(source)) is OriginalState.GONE
        if hasattr(os, "mkfifo"):
            os.mkfifo(path)
            assert await bases.state_of(path, document_of(source)) is OriginalState.GONE


async def test_reading_a_page_brings_the_icon_of_its_site(tmp_path):
    picture = io.BytesIO()
    Image.new("RGB", (16, 16), "teal").save(picture, "PNG")
    async with running_services(folders_for(tmp_path)) as services:
        settings = services.preferences.settings
        search = replace(settings.search, allowed_hosts=("127.0.0.1",))
        await services.preferences.save(replace(settings, search=search))
        with running_site() as site:
            site.icon = picture.getvalue()
            url = site.origin + "/lighthouse"
            page = await services.web_services.reader.read(url)
            assert page.status is PageStatus.READ
            await services.web_services.icons.settle()
            icon = await window_services(services).icons.find(icon_id(url))
            assert icon is not None
            assert icon.data == picture.getvalue()
            assert len(site.asked("/favicon.ico")) == 1
        assert "127.0.0.1" not in " ".join(path.name for path in (tmp_path / "site-icons").iterdir())
        await window_services(services).icons.clear()
        assert await window_services(services).icons.find(icon_id(url)) is None
