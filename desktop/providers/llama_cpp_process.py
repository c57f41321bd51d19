"""The process that runs one model: llama.cpp's server with OpenAI's protocol, on loopback, with a token.

It reads a `StartServer` line, prints the address on which it listens, and ends with its parent: when standard
input closes. What llama.cpp reports goes to standard error.
"""

import os
import sys
import threading
from importlib import import_module
from typing import Any, Final

import msgspec

ENGINE: Final = "xllamacpp"
"""The package that contains llama.cpp; the extra `local` of Footnote."""

_NO_CACHE = 0


class StartServer(msgspec.Struct, frozen=True):
    """What to run. `alias` is the model's name in requests; `token` is expected from every caller."""

    path: str
    alias: str
    token: str
    context_tokens: int
    batch_tokens: int
    threads: int

    def __repr__(self) -> str:
        """Return a representation that is safe to log."""
        return f"StartServer({self.path!r}, {self.alias!r})"


def main() -> None:
    """Serve until the parent has ended."""
    request = msgspec.json.decode(sys.stdin.buffer.readline(), type=StartServer)
    answers = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing but the address may reach the parent
    threading.Thread(target=_end_with_parent, daemon=True).start()
    server = _start(request)  # where it fails, llama.cpp has written why
    os.write(answers, f"{server.listening_address}\n".encode())
    threading.Event().wait()  # its threads serve


def _start(request: StartServer) -> Any:
    xllamacpp = import_module(ENGINE)  # by name: it is an extra, and untyped
    params = xllamacpp.CommonParams()
    params.model.path = request.path
    params.model_alias = {request.alias}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [request.token]
    params.ui = False
    params.endpoint_slots = False
    params.n_ctx = request.context_tokens
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = request.batch_tokens
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = request.threads
    params.cache_ram_mib = _NO_CACHE  # the context itself remembers the last prompt
    # Thinking takes minutes on a processor.
    params.default_template_kwargs = {"enable_thinking": "false"}
    return xllamacpp.Server(params)


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    main()
