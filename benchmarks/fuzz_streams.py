"""The way of a model's stream under a coverage-guided fuzzer: bytes, SSE decoder of the SDKs, readers, limits.

    python benchmarks/fuzz_streams.py [FOLDER] [libFuzzer options such as -max_total_time=600]

Needs `atheris` (https://github.com/google/atheris), which nothing else of the project does: install it in an
environment of its own, with the project's packages on PYTHONPATH. The first byte of an input picks the
protocol, the second how the rest is cut into pieces, the third whether it is packed with gzip. Every input has
to end with a whole answer or with one `ProviderError`; anything else, and any input that takes longer than
the time of `-timeout`, is a finding. FOLDER keeps the inputs that reached new code.
"""

import asyncio
import gzip
import sys
from contextlib import aclosing

import atheris
import httpx2
from anthropic import _streaming as anthropic_streaming
from openai import _streaming as openai_streaming

for _module in (openai_streaming, anthropic_streaming):
    for _decoder in (_module.SSEDecoder, getattr(_module, "_SSELineDecoder", None)):
        for _name in ("decode", "_decode_lines", "aiter_bytes", "_aiter_chunks", "feed", "finish"):
            if hasattr(_decoder, _name):
                atheris.instrument_func(getattr(_decoder, _name))

with atheris.instrument_imports(include=["desktop.providers", "desktop.text"]):
    from desktop.domain.models import ModelRequest, PromptMessage, StreamEnded, ToolCallDelta
    from desktop.errors.servers import ProviderError
    from desktop.providers import transport
    from desktop.providers.answer_limits import MAX_CALLS
    from desktop.providers.anthropic import AnthropicMessages
    from desktop.providers.openai_responses import RESPONSES
    from desktop.providers.openai_server import CHAT, OpenAIServer
    from desktop.settings.model import ProviderSettings
    from desktop.text.stream_limits import StreamLimits, StreamMeter, Unpacker

_REQUEST = ModelRequest("m", (PromptMessage("user", "Hello"),))
_LIMITS = StreamLimits(burst_lines=2_000, burst_bytes=1_000_000, total_bytes=2_000_000)
_MOST_PIECE_BYTES = 64


class _Pieces(httpx2.AsyncByteStream):
    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces

    async def __aiter__(self):
        for piece in self._pieces:
            yield piece


class _Bytes(httpx2.AsyncBaseTransport):
    """Answers every request with the bytes under test, behind the limits of the real transport."""

    def __init__(self) -> None:
        self.data = b""
        self.size = 1
        self.is_packed = False
        self.content_type = ""

    async def handle_async_request(self, _request: httpx2.Request) -> httpx2.Response:
        data = gzip.compress(self.data, 1) if self.is_packed else self.data
        pieces = [data[at : at + self.size] for at in range(0, len(data), self.size)]
        meter = StreamMeter(_LIMITS)
        unpacker = Unpacker("gzip" if self.is_packed else "")
        stream = transport._PatientStream(_Pieces(pieces), transport.PATIENCE, unpacker, meter)
        headers = {"content-type": self.content_type}
        return httpx2.Response(200, headers=headers, stream=stream, extensions={transport.METER: meter})


_LOOP = asyncio.new_event_loop()
_SERVER = _Bytes()
_CLIENT = httpx2.AsyncClient(transport=_SERVER)
_PROVIDERS = (
    OpenAIServer(
        ProviderSettings("a", "A", "openai", "http://127.0.0.1:1/v1"), "key-1234", CHAT, http_client=_CLIENT
    ),
    OpenAIServer(
        ProviderSettings("b", "B", "openai-responses", "http://127.0.0.1:1/v1"),
        "key-1234",
        RESPONSES,
        http_client=_CLIENT,
    ),
    AnthropicMessages(
        ProviderSettings("c", "C", "anthropic", "http://127.0.0.1:1"), "key-1234", http_client=_CLIENT
    ),
)


async def _read(provider) -> None:
    ended = 0
    try:
        async with aclosing(provider.stream(_REQUEST)) as events:
            async for event in events:
                assert not ended, "something follows the end"
                ended += isinstance(event, StreamEnded)
                if isinstance(event, ToolCallDelta):
                    assert 0 <= event.index < MAX_CALLS
    except ProviderError as error:
        assert "key-1234" not in str(error)  # noqa: PT017 (the fuzzer is no test)
    else:
        assert ended == 1


def try_one(data: bytes) -> None:
    """Let one input be read."""
    if len(data) < 4:
        return
    _SERVER.size = 1 + data[1] % _MOST_PIECE_BYTES
    _SERVER.is_packed = data[2] % 4 == 0
    _SERVER.content_type = "application/json" if data[2] % 4 == 1 else "text/event-stream"
    _SERVER.data = data[3:]
    _LOOP.run_until_complete(_read(_PROVIDERS[data[0] % len(_PROVIDERS)]))


def main() -> None:
    """Fuzz until libFuzzer's options say to stop."""
    atheris.Setup(sys.argv, try_one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
