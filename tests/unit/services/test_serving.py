"""What other programs may do: arguments, permissions that the window changes, the queue, the log, configurations."""

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest

from desktop.domain.serving import Client, ServedRequest, ServedTool
from desktop.errors.servers import ArgumentsRejected, TooManyCalls
from desktop.installation import installation
from desktop.services.container import ServiceContainer
from desktop.services.preferences import merge_imported_settings
from desktop.services.serving import service as serving_service
from desktop.services.serving.schemas import TOOLS, Ask, arguments_schema_of, parse_arguments, schema_of
from desktop.services.serving.server import CallQueue, require_token
from desktop.settings.folders import folders_for
from desktop.settings.model import ServingSettings, Settings
from desktop.storage import served_log
from desktop.storage.served_log import ServedRequestLog
from tests.cases import cases

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@cases(
    "tool, arguments, told",
    [
        ("search_web", {}, "query"),
        ("search_web", {"query": "x" * 501}, "length"),
        ("search_web", {"query": "x", "engine": "bing"}, "engine"),
        ("search_web", {"query": 7}, "str"),
        ("read_page", {"address": "file:///etc/passwd"}, "regex"),
        ("read_page", {"address": "http://" + "x" * 4_000}, "length"),
        ("search_base", {"base": "sea", "query": "x", "count": 51}, "50"),
        ("ask", {"question": "x", "bases": ["sea"] * 21}, "length"),
        ("ask", {"question": "x", "web": "yes"}, "bool"),
        ("check_text", {"text": "x" * 100_001}, "length"),
    ],
)
def test_arguments_out_of_bounds_are_refused_with_the_reason(tool, arguments, told):
    with pytest.raises(ArgumentsRejected, match=told):
        parse_arguments(ServedTool(tool), arguments)


@cases("tool", list(ServedTool))
def test_the_schemas_are_json_schemas_of_objects(tool):
    for kind in TOOLS[tool]:
        schema = schema_of(kind)
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
    arguments = arguments_schema_of(TOOLS[tool][0])
    jsonschema.Draft202012Validator.check_schema(arguments)
    # Clients convert what is typed only where one plain type is named.
    assert all(isinstance(part["type"], str) for part in arguments["properties"].values())


def test_optional_arguments_may_be_null():
    expected = Ask("x")
    assert parse_arguments(ServedTool.ASK, {"question": "x", "bases": None, "web": None}) == expected


@pytest.mark.anyio
async def test_of_many_calls_few_run_some_wait_and_the_rest_is_refused_at_once():
    queue, is_over, running = CallQueue(at_once=2, most_waiting=3), asyncio.Event(), 0
    most = 0

    async def call() -> None:
        nonlocal running, most
        async with queue.place():
            running += 1
            most = max(most, running)
            await is_over.wait()
            running -= 1

    calls = [asyncio.create_task(call()) for _ in range(8)]
    refused, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_EXCEPTION)
    assert {type(each.exception()) for each in refused} == {TooManyCalls}
    calls[2].cancel()  # one that waits
    is_over.set()
    await asyncio.wait(calls)
    assert most == 2
    assert sum(not each.cancelled() and each.exception() is None for each in calls) == 4
    async with queue.place():  # the place of the cancelled one is free again
        pass


def test_the_log_keeps_the_newest_and_a_damaged_line_costs_only_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(served_log, "MAX_BYTES", 4_000)
    log, path = ServedRequestLog(tmp_path / "log.jsonl"), tmp_path / "log.jsonl"
    for number in range(200):
        log.add(ServedRequest(NOON, "Cursor 1", "ask", f"question {number}\n" + "x" * 5_000, ("a.example",)))
        assert path.stat().st_size <= 4_500
    with path.open("ab") as file:
        file.write(b'{"at": "\xff\n')
    assert path.stat().st_mode & 0o077 == 0
    kept = log.recent(100)
    assert [each.about.partition("x")[0].strip() for each in kept[:2]] == ["question 199", "question 198"]
    assert 3 < len(kept) < 20
    assert len(kept[0].about) == 300
    log.clear()
    assert log.recent(5) == ()


@pytest.mark.anyio
async def test_what_the_window_opens_or_closes_counts_at_once(tmp_path):
    window, served = ServiceContainer(folders_for(tmp_path)), ServiceContainer(folders_for(tmp_path))
    for serving in (ServingSettings((ServedTool.ASK,), ("b1",)), ServingSettings()):
        await window.preferences.save(replace(window.preferences.settings, serving=serving))
        await served.preferences.reload()
        assert served.preferences.settings.serving == serving
    await window.preferences.save(replace(Settings(), serving=ServingSettings((ServedTool.ASK,))))
    (tmp_path / "settings.json").write_text("{broken")
    await served.preferences.reload()
    assert served.preferences.settings.serving == ServingSettings()


@pytest.mark.anyio
async def test_imported_settings_open_nothing():
    async def holds(_name: str) -> bool:
        return False

    theirs = Settings(serving=ServingSettings(tuple(ServedTool), ("b1",)))
    taken, _ = await merge_imported_settings(theirs, Settings(), (), holds)
    assert taken.serving == ServingSettings()


class Vault(dict):
    async def secret(self, name: str) -> str:
        return self.get(name, "")

    async def set_secret(self, name: str, value: str) -> None:
        self[name] = value


@cases(
    "client, keys",
    [
        (Client.CLAUDE_DESKTOP, ("mcpServers", "footnote")),
        (Client.CURSOR, ("mcpServers", "footnote")),
        (Client.VS_CODE, ("servers", "footnote")),
        (Client.CHERRY_STUDIO, ("mcpServers", "footnote")),
    ],
)
def test_a_configuration_starts_this_program_with_this_data_folder(tmp_path, client, keys):
    service = serving_service.ServingService(folders_for(tmp_path / "my data"), Vault())
    document = json.loads(service.configuration(client))
    for key in keys:
        document = document[key]
    assert document["args"][-3:] == ["mcp", "--data-dir", str((tmp_path / "my data").resolve())]
    assert Path(document["command"]).is_absolute()
    assert (document["command"], *document["args"][:-3]) == installation().client_command


@pytest.mark.anyio
async def test_the_token_is_kept_until_a_new_one_is_wanted(tmp_path):
    service = serving_service.ServingService(folders_for(tmp_path), Vault())
    token = await service.token()
    assert len(token) > 40
    assert await service.token() == token
    assert await service.token(is_new=True) != token


@cases(
    "headers, is_passed",
    [
        ([], False),
        ([(b"authorization", b"Bearer ")], False),
        ([(b"authorization", b"Bearer secrets")], False),
        ([(b"authorization", b"bearer secret")], False),
        ([(b"authorization", b"Bearer \xff")], False),
        ([(b"authorization", b"Bearer secret"), (b"authorization", b"Bearer x")], False),
        ([(b"authorization", b"Bearer secret")], True),
    ],
)
def test_a_request_without_the_token_is_refused_before_its_body_is_read(headers, is_passed):
    passed, sent = [], []

    async def app(scope, receive, send):
        passed.append(scope)

    async def receive():
        raise AssertionError("the body was read")

    async def send(message):
        sent.append(message)

    asyncio.run(require_token(app, "secret")({"type": "http", "headers": headers}, receive, send))
    assert bool(passed) is is_passed
    assert [each["status"] for each in sent[:1]] == ([] if is_passed else [401])
