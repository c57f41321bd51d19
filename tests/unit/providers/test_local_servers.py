"""Finding model servers on this machine."""

import asyncio

import pytest

from desktop.providers.presets import find_local_servers
from tests.unit.providers.wire import answering, serving, stalling

pytestmark = pytest.mark.anyio

MODELS = answering(200, {"object": "list", "data": [{"id": "qwen3:8b", "object": "model"}]})
NOBODY = 1


async def test_servers_with_models_are_found_where_they_listen():
    async with serving(MODELS) as ollama, serving(MODELS) as llama:
        found = await find_local_servers({"ollama": ollama.port, "lmstudio": NOBODY, "llamacpp": llama.port})

    assert [(server.id, server.base_url) for server in found] == [
        ("ollama", ollama.base_url),
        ("llamacpp", llama.base_url),
    ]
    assert not any(server.needs_key for server in found)
    assert ollama.requests[0].path == "/v1/models"


async def test_other_programs_on_these_ports_are_no_model_servers():
    page = answering(200, "<html>My web site</html>")
    missing = answering(404, {"error": "not found"})
    other = answering(200, {"data": "something else"})
    async with serving(page) as one, serving(missing) as two, serving(other) as three:
        ports = {"ollama": one.port, "lmstudio": two.port, "llamacpp": three.port}
        assert await find_local_servers(ports) == ()


async def test_programs_that_do_not_answer_are_not_waited_for():
    async with serving(stalling()) as one, serving(stalling()) as two, serving(MODELS) as three:
        ports = {"ollama": one.port, "lmstudio": two.port, "llamacpp": three.port}
        async with asyncio.timeout(20):
            found = await find_local_servers(ports)
    assert [server.id for server in found] == ["llamacpp"]


async def test_nobody_at_home():
    assert await find_local_servers({"ollama": NOBODY, "lmstudio": NOBODY, "llamacpp": NOBODY}) == ()
