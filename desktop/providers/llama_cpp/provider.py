"""The models of this computer as a provider: each request starts the process that it needs."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from desktop.domain.models import LOCAL_PROVIDER, Ability, ModelEvent, ModelFacts, ModelInfo, ModelRequest
from desktop.errors.servers import LocalModelError, LocalModelUnusable, ProviderError
from desktop.phrases import translatable
from desktop.providers.llama_cpp.gguf import read_gguf
from desktop.providers.llama_cpp.runner import LlamaRunner, ModelFile, RunningServer
from desktop.settings.model import NO_PROXY, ProviderSettings
from desktop.settings.proxies import ProxyChoice

if TYPE_CHECKING:  # it loads an SDK, which listing models does not need
    from desktop.providers.openai.server import OpenAIServer

NAME = translatable("This computer")
PROVIDER = ProviderSettings(LOCAL_PROVIDER, str(NAME), "openai", "http://127.0.0.1", needs_key=False)

_FIRST_BYTE_S = 1_800.0
"""A long prompt takes a processor minutes."""

_NOT_HERE = translatable("it is not downloaded; download it in Settings > Models")


class LocalProvider:
    """See `desktop.providers.registry.Provider`. `files` returns the models that are here."""

    def __init__(self, files: Callable[[], Sequence[ModelFile]], runner: LlamaRunner) -> None:
        self.settings = PROVIDER
        self._files = files
        self._runner = runner
        self._open: tuple[RunningServer, OpenAIServer] | None = None

    async def models(self) -> tuple[ModelInfo, ...]:
        """Return the models whose files are here and can be read."""
        found = [await self.describe(file.id) for file in self._files()]
        return tuple(model for model in found if model is not None)

    async def describe(self, name: str) -> ModelInfo | None:
        """Return a model with the context that it gets on this machine; None if it is not here."""
        file = self._file(name)
        if file is None:
            return None
        try:
            header = await asyncio.to_thread(read_gguf, file.path)
        except LocalModelError:
            return None
        try:
            context = (await self._runner.plan(file)).context_tokens
        except LocalModelError:  # said when it is asked
            context = header.context_tokens
        tools = (Ability.TOOLS,) if header.has_tools else ()
        unable = (Ability.IMAGES, Ability.REASONING, Ability.SEARCH, *(() if tools else (Ability.TOOLS,)))
        facts = ModelFacts(context_tokens=context, has=tools, lacks=unable)
        return ModelInfo(f"{LOCAL_PROVIDER}/{name}", file.name, PROVIDER.name, facts)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Start the model if need be, and send the request to it."""
        file = self._file(request.model)
        if file is None:
            raise LocalModelUnusable(model=request.model, detail=_NOT_HERE)
        async with self._runner.lease(file) as server:
            try:
                async with aclosing((await self._opened(server)).stream(request)) as events:
                    async for event in events:
                        yield event
            except ProviderError as error:
                raise await self._runner.explain(server, error) from error

    async def aclose(self) -> None:
        """Close the connections; the process is ended by its runner."""
        opened, self._open = self._open, None
        if opened is not None:
            await opened[1].aclose()

    def _file(self, name: str) -> ModelFile | None:
        return next((file for file in self._files() if file.id == name), None)

    async def _opened(self, server: RunningServer) -> "OpenAIServer":
        from desktop.providers.openai.server import CHAT, OpenAIServer  # noqa: PLC0415 - see above
        from desktop.providers.transport import Timeouts  # noqa: PLC0415 - the same

        if self._open is not None and self._open[0] is server:
            return self._open[1]
        settings = replace(self.settings, base_url=f"{server.address}/v1")
        patience = Timeouts(first_byte_s=_FIRST_BYTE_S)
        client = OpenAIServer(settings, server.token, CHAT, timeouts=patience, proxy=ProxyChoice(NO_PROXY))
        # Kept before the wait, so that a second request does not open another one.
        replaced, self._open = self._open, (server, client)
        if replaced is not None:
            await replaced[1].aclose()
        return client
