"""Rooms are made when they are first used, and settings reach those that are made already."""

import asyncio
from dataclasses import replace

import pytest

from desktop.chat.api.engine import Question
from desktop.domain.events import TurnFinished
from desktop.domain.models import QUOTES_MODEL
from desktop.domain.search import WEB_OFF
from desktop.errors import StorageError
from desktop.services.container import running_services
from desktop.services.window import window_services
from desktop.settings.folders import folders_for

pytestmark = pytest.mark.anyio


async def test_making_the_services_opens_nothing(tmp_path):
    async with running_services(folders_for(tmp_path / "data")) as services:
        assert window_services(services).preferences is services.preferences
        assert not (tmp_path / "data").exists()


async def test_a_conversation_is_there_after_a_restart(tmp_path):
    folders = folders_for(tmp_path)
    async with running_services(folders) as services:
        created = await services.store.create()
        question = Question("Keep me", created.id, web="off")
        events = [event async for event in window_services(services).turns.ask(question)]
        assert events[-1].message.conversation_id == created.id
    async with running_services(folders) as services:
        (known,) = await services.store.recent()
        assert (await services.store.load(known.id)).messages[0].text == "Keep me"


async def test_an_allowed_host_counts_from_the_moment_it_is_saved(tmp_path):
    async with running_services(folders_for(tmp_path)) as services:
        url = "http://127.0.0.1:9/page"
        assert not await services.web_services.guard.may_request(url)
        before = services.web_services.pictures
        settings = services.preferences.settings
        search = replace(settings.search, allowed_hosts=("127.0.0.1:9",))
        await services.preferences.save(replace(settings, search=search))
        assert await services.web_services.guard.may_request(url)
        assert services.web_services.pictures is not before  # it asks the guard, too


async def test_a_browser_that_settings_replace_ends_once_its_pages_are_loaded(tmp_path):
    async with running_services(folders_for(tmp_path)) as services:
        old = services.web_services.browser
        await old.start()
        settings = services.preferences.settings
        search = replace(settings.search, language="de")
        await services.preferences.save(replace(settings, search=search))
        assert services.web_services.browser is not old
        await asyncio.gather(*services._leaving)
        assert not old.is_running


async def test_answers_under_way_are_known_still_where_settings_change_what_looks_things_up(tmp_path):
    async with running_services(folders_for(tmp_path)) as services:
        turns, reader = services.turns, services.web_services.reader
        settings = services.preferences.settings
        search = replace(settings.search, allowed_hosts=("127.0.0.1:9",))
        await services.preferences.save(replace(settings, search=search))
        assert services.web_services.reader is not reader
        assert services.turns is turns  # a tool that asks, and a plan to be approved, wait there for the user


async def test_a_question_alone_creates_no_reader_no_procedures_and_no_check(tmp_path):
    async with running_services(folders_for(tmp_path)) as services:
        created = await services.store.create()
        question = Question("How tall is the tower?", created.id, QUOTES_MODEL, web=WEB_OFF)
        last = [event async for event in window_services(services).turns.ask(question)][-1]
        assert isinstance(last, TurnFinished)
        created_here = vars(services).keys() | vars(services.web_services).keys()
        assert created_here.isdisjoint(("reader", "procedures", "evidence", "citation_checks"))


async def test_the_order_of_engines_counts_from_the_moment_it_is_saved(tmp_path):
    async with running_services(folders_for(tmp_path)) as services:
        assert (await window_services(services).catalogue.engines())[0].id == "duckduckgo"
        settings = services.preferences.settings
        search = replace(settings.search, engine_order=("bing", "duckduckgo"))
        await services.preferences.save(replace(settings, search=search))
        assert (await window_services(services).catalogue.engines())[0].id == "bing"


async def test_a_database_that_cannot_be_opened_is_tried_again(tmp_path):
    blocker = tmp_path / "conversations.db"
    blocker.mkdir()
    async with running_services(folders_for(tmp_path)) as services:
        with pytest.raises(StorageError):
            await services.store.recent()
        blocker.rmdir()
        assert await services.store.recent() == ()
