"""The models of this computer as a provider: one process at a time, started for the request that needs it, ended when idle."""

import asyncio
import re
import secrets
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from desktop.domain.models import LOCAL_PROVIDER, Ability, ModelEvent, ModelFacts, ModelInfo, ModelRequest
from desktop.errors.servers import (
    LocalEngineMissing,
    LocalModelError,
    LocalModelStopped,
    LocalModelUnusable,
    ProviderError,
)
from desktop.installation import Installation, InstallForm, installation, module_command, own_environment
from desktop.phrases import translatable
from desktop.providers.gguf import (
    BATCH_TOKENS,
    Machine,
    RunPlan,
    measure_machine,
    plan_run,
    read_gguf,
)
from desktop.providers.llama_cpp_process import ENGINE, StartServer
from desktop.settings import egress
from desktop.settings.model import NO_PROXY, ProviderSettings
from desktop.settings.proxies import ProxyChoice

if TYPE_CHECKING:  # it loads an SDK, which listing models does not need
    from desktop.providers.openai_server import OpenAIServer

_TOKEN_BYTES = 24
_LAST_LINES = 40
_KILLED_STATUS = -9
_DEATH_TIMEOUT_S = 2.0
"""How long to wait for the status of a process whose connection broke."""

_LOAD_ERROR = re.compile(r"error loading model(?: \w+)?: (.+)")
_NO_MEMORY = re.compile(
    r"bad_alloc|out of memory|(?:unable|failed) to allocate|cannot allocate", re.IGNORECASE
)

_FULL = translatable("This computer ran out of memory.")
_KILLED = translatable("The system ended its process, probably because memory ran out.")
_ENDED = translatable("Its process ended ({status}).")
_SOURCE = translatable("Run “make run” again to install it.")
_COMMAND = translatable("Install it with “{command}”.")
_REINSTALL = translatable("Reinstall Footnote to get it.")


@dataclass(frozen=True)
class ModelFile:
    """A model that can be run: its id in requests, its file, and its name for the user."""

    id: str
    path: Path
    name: str


@dataclass(eq=False)
class RunningServer:
    """A process that serves a model at `address`, to callers that have the token."""

    model: ModelFile
    plan: RunPlan
    process: asyncio.subprocess.Process
    address: str = ""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(_TOKEN_BYTES), repr=False)
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=_LAST_LINES))
    """The end of what llama.cpp reported."""
    size_bytes: int = 0
    """Size of the model's file, which may have been deleted since."""
    was_ended: bool = False
    """Whether Footnote itself ended the process, or is about to."""
    reader: asyncio.Task[None] | None = None
    """Collects `lines` until the process has ended."""

    @property
    def is_alive(self) -> bool:
        """Whether the process has not ended."""
        return self.process.returncode is None

    async def error(self) -> LocalModelError:
        """Return why the process ended."""
        status, said = await self.process.wait(), "\n".join(self.lines)
        name = self.model.name
        if _NO_MEMORY.search(said):
            return LocalModelStopped(model=name, detail=_FULL)
        if not self.address and (found := _LOAD_ERROR.search(said)):
            return LocalModelUnusable(model=name, detail=found[1].strip().rstrip("."))
        if status == _KILLED_STATUS and not self.was_ended:
            return LocalModelStopped(model=name, detail=_KILLED)
        return LocalModelStopped(model=name, detail=_ENDED.format(status=status))


def engine_problem(model: str) -> LocalEngineMissing | None:
    """Return what is missing to run models, with what to do in this form of installation; None if nothing is."""
    if find_spec(ENGINE) is not None:
        return None
    return LocalEngineMissing(model=model, advice=_advice(installation()))


def _advice(installed: Installation) -> str:
    if installed.form is InstallForm.SOURCE:
        return _SOURCE
    command = installed.package_command(ENGINE)
    return _COMMAND.format(command=command) if command else _REINSTALL


class LlamaRunner:
    """Runs at most one model. A request for another one waits until the running one has answered.

    Requests for the running model do not wait for such a one: a caller that needs a second answer before it has taken
    all of the first would wait for itself.

    `idle_s` is how many seconds a process is kept that answers nothing.
    """

    def __init__(self, idle_s: Callable[[], float], measure: Callable[[], Machine] = measure_machine) -> None:
        self._idle_s = idle_s
        self._measure = measure
        self._changing = asyncio.Lock()
        self._unused = asyncio.Event()
        self._unused.set()
        self._users = 0
        self._server: RunningServer | None = None
        self._idle: asyncio.Task[None] | None = None

    @property
    def running(self) -> RunningServer | None:
        """The process that is running, and is not being ended."""
        server = self._server
        return server if server is not None and server.is_alive and not server.was_ended else None

    def is_running(self, model_id: str) -> bool:
        """Say whether the process of a model is running."""
        return (running := self.running) is not None and running.model.id == model_id

    async def plan(self, model: ModelFile) -> RunPlan:
        """Return how a model runs, or would run now.

        Raises:
            LocalModelError: it cannot run.
        """
        running = self.running
        if running is not None and running.model == model:
            return running.plan
        if (problem := engine_problem(model.name)) is not None:
            raise problem
        header = await asyncio.to_thread(read_gguf, model.path)
        machine = self._measure()
        if running is not None:  # its memory becomes free first
            machine = Machine(machine.free_bytes + running.size_bytes, machine.cores)
        return plan_run(header, model.path.stat().st_size, machine)

    @asynccontextmanager
    async def lease(self, model: ModelFile) -> AsyncIterator[RunningServer]:
        """Keep a model running during the block, started first if need be.

        Raises:
            LocalModelError: it cannot run.
        """
        while (server := await self._take(model)) is None:
            await self._unused.wait()
        try:
            yield server
        finally:
            self._users -= 1
            if not self._users:
                self._unused.set()
                self._idle = asyncio.create_task(
                    self._end_when_idle(), context=egress.make_detached_context()
                )

    async def explain(self, server: RunningServer, error: ProviderError) -> ProviderError:
        """Return the reason for an error of a request: the end of the process, or else the error itself."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_DEATH_TIMEOUT_S if error.may_retry or error.is_transient else 0):
                await server.process.wait()
        return error if server.is_alive else await server.error()

    async def end(self, model_id: str = "") -> None:
        """End the process, or that of one model, whatever it is doing."""
        if (server := self._server) is not None and model_id in {"", server.model.id}:
            await self._end()

    async def aclose(self) -> None:
        """End the process."""
        if self._idle is not None:
            self._idle.cancel()
        await self._end()

    async def _take(self, model: ModelFile) -> RunningServer | None:
        """Return a process that runs a model, which has a user more now; None while another model is in use."""
        async with self._changing:
            server = self.running
            if server is None or server.model != model:
                if self._users:
                    return None
                server = await self._switch_to(model)
            # Not before: where the switch fails, the process that runs still has to end when it is idle.
            if self._idle is not None:
                self._idle.cancel()
            self._users += 1
            self._unused.clear()
            return server

    async def _switch_to(self, model: ModelFile) -> RunningServer:
        if self.running is None:  # the memory of one that is being ended becomes free first
            await self._end()
        plan = await self.plan(model)
        await self._end()
        return await self._start(model, plan)

    async def _start(self, model: ModelFile, plan: RunPlan) -> RunningServer:
        size_bytes = model.path.stat().st_size
        process = await asyncio.create_subprocess_exec(
            *module_command("desktop.providers.llama_cpp_process"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=own_environment(),
        )
        # Known from now on, so that it can be ended while it loads.
        server = self._server = RunningServer(model, plan, process, size_bytes=size_bytes)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            server.reader = asyncio.create_task(_read_report(server), context=egress.make_detached_context())
            request = StartServer(
                str(model.path), model.id, server.token, plan.context_tokens, BATCH_TOKENS, plan.threads
            )
            process.stdin.write(msgspec.json.encode(request) + b"\n")
            address = (await process.stdout.readline()).decode().strip()
        except BaseException:
            await _kill(process)
            raise
        if not address:
            await asyncio.wait({server.reader})
            raise await server.error()
        server.address = address
        return server

    async def _end_when_idle(self) -> None:
        await asyncio.sleep(self._idle_s())
        async with self._changing:
            if not self._users:
                await self._end()

    async def _end(self) -> None:
        if (server := self._server) is None:
            return
        server.was_ended = True
        await _kill(server.process)
        if server.reader is not None:  # not cancelled where this is: another caller may wait for the same end
            await asyncio.wait({server.reader})
        if self._server is server:
            self._server = None


async def _read_report(server: RunningServer) -> None:
    assert server.process.stderr is not None
    while True:
        try:
            line = await server.process.stderr.readline()
        except ValueError:  # more than 64 KiB; read on, or a full pipe would stop the process
            continue
        if not line:
            return
        server.lines.append(line.decode(errors="replace").rstrip())


async def _kill(process: asyncio.subprocess.Process) -> None:
    """End a process at once: it holds nothing that could be lost."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
    if process.stdin is not None:
        process.stdin.close()
    await process.wait()


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
                async with aclosing((await self._connect(server)).stream(request)) as events:
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

    async def _connect(self, server: RunningServer) -> "OpenAIServer":
        from desktop.providers.openai_server import CHAT, OpenAIServer  # noqa: PLC0415 - see above
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
