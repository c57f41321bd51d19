"""Embeddings from a server with the OpenAI embeddings API."""

import asyncio
import base64
from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx2
import numpy as np
import openai
from numpy.typing import NDArray

from desktop.domain.addresses import leads_to_a_server
from desktop.domain.privacy import Channel
from desktop.errors import KnowledgeError, ProxyUnusable, plain_reason
from desktop.errors.servers import EmbedderDown, EmbedderRefused
from desktop.phrases import IN_KNOWLEDGE, translatable
from desktop.settings import egress
from desktop.settings.model import OwnEmbedder
from desktop.settings.proxies import ProxyChoice

BATCH = 64
"""Texts per request; reduced automatically for servers that accept fewer."""
_PATIENCE = httpx2.Timeout(60.0, connect=10.0)
_LONGEST_S = 600.0
"""Timeout for a batch with all retries, as a server might send data slowly forever."""
_TRIES = 4
"""The SDK waits between attempts, as long as the server requests, up to a minute."""
_MOST_BYTES = 64 * 2**20
"""Maximum size of a response: three times the size of the longest vectors of a batch as text."""
_TOO_MANY = frozenset({400, 413, 422})
_NO_KEY = "none"
"""Placeholder for servers without a key, as the SDK requires one."""

_KEY = translatable("It did not accept the key. Check it {in_settings}.").format(**IN_KNOWLEDGE)
_UNKNOWN = translatable("It does not recognize the model or address. Check both {in_settings}.").format(
    **IN_KNOWLEDGE
)
_BUSY = translatable("It is receiving too many requests.")
_NO_CREDIT = translatable("Your account there is out of credit.")
_REJECTED = translatable("It rejected the request ({detail}).")
_FAILING = translatable("It has an error ({detail}).")
_UNREACHABLE = translatable("Check the address and your connection.")
_SILENT = translatable("It took too long.")
_NOT_AN_ADDRESS = translatable("The address must begin with https:// or http:// and contain a host name.")
_GARBAGE = translatable("It did not send vectors. Check the address.")
_COUNT = translatable("It sent {found} vectors for {wanted} texts.")
_LENGTH = translatable("It sent vectors of {found} numbers instead of {wanted}.")
_WORDS = {401: _KEY, 403: _KEY, 404: _UNKNOWN, 402: _NO_CREDIT, 429: _NO_CREDIT}
"""Meanings of status codes for which a retry is pointless."""
_TOO_MANY_REQUESTS = 429
_SERVER_ERRORS = 500
_MAX_DETAIL_CHARS = 200


class RemoteEncoder:
    """A client for one server. It sends no text before the first `encode`."""

    def __init__(self, own: OwnEmbedder, key: str, proxy: ProxyChoice, tries: int = _TRIES) -> None:
        self._own = own
        self._key = key
        self._batch = BATCH
        self._length = own.dimensions
        self._client = _client(own, key, proxy).with_options(max_retries=tries)

    async def aclose(self) -> None:
        """Close its connections."""
        await self._client.close()

    async def encode(self, texts: Sequence[str]) -> list[bytes]:
        """Return unit vectors of 32-bit floats in the order of `texts`.

        Raises:
            EmbedderRefused: permanent; a retry is pointless.
            EmbedderDown: temporary; retry later.
        """
        vectors: list[bytes] = []
        while len(vectors) < len(texts):
            batch = texts[len(vectors) : len(vectors) + self._batch]
            try:
                async with asyncio.timeout(_LONGEST_S):
                    vectors += await self._ask(batch)
            except openai.APIStatusError as error:
                if error.status_code not in _TOO_MANY or len(batch) == 1:
                    raise failure(self._own.name, error, self._key) from error
                self._batch = max(1, len(batch) // 2)  # the number of texts may have been the reason
            except (openai.OpenAIError, httpx2.HTTPError, OSError, ValueError, RecursionError) as error:
                raise failure(self._own.name, error, self._key) from error
        return vectors

    async def _ask(self, texts: Sequence[str]) -> list[bytes]:
        egress.require_egress(
            self._own.base_url, Channel.EMBEDDING, sum(len(text.encode()) for text in texts)
        )
        answer = await self._client.embeddings.create(
            input=list(texts),
            model=self._own.model,
            dimensions=self._own.dimensions or openai.omit,
            encoding_format="float",  # some servers support no other format
        )
        found = sorted(getattr(answer, "data", None) or [], key=lambda entry: entry.index or 0)
        if len(found) != len(texts):
            detail = _COUNT.format(found=len(found), wanted=len(texts))
            raise EmbedderRefused(server=self._own.name, detail=detail)
        matrix = _matrix([entry.embedding for entry in found])
        if matrix is None:
            raise EmbedderRefused(server=self._own.name, detail=_GARBAGE)
        self._length = self._length or matrix.shape[1]
        if matrix.shape[1] != self._length:
            detail = _LENGTH.format(found=matrix.shape[1], wanted=self._length)
            raise EmbedderRefused(server=self._own.name, detail=detail)
        return [row.tobytes() for row in await asyncio.to_thread(_units, matrix)]


def _client(own: OwnEmbedder, key: str, proxy: ProxyChoice) -> openai.AsyncOpenAI:
    if not leads_to_a_server(own.base_url):
        raise EmbedderRefused(server=own.name, detail=_NOT_AN_ADDRESS)
    try:
        found = proxy.proxy_for(own.base_url)
        http = httpx2.AsyncClient(
            trust_env=False,
            proxy=found.url if found else None,
            timeout=_PATIENCE,
            headers={"Accept-Encoding": "identity"},
            event_hooks={"response": [_limit_size]},
            follow_redirects=False,  # a redirect would send the key to another host
        )
        return openai.AsyncOpenAI(api_key=key or _NO_KEY, base_url=own.base_url, http_client=http)
    except (ProxyUnusable, ValueError, httpx2.InvalidURL) as error:
        raise EmbedderRefused(server=own.name, detail=plain_reason(error)) from error


class _Bounded(httpx2.AsyncByteStream):
    """A response stream that raises an error when it exceeds the maximum size."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        done = 0
        async for piece in self._stream:
            done += len(piece)
            if done > _MOST_BYTES:
                raise ValueError(_GARBAGE)
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _limit_size(response: httpx2.Response) -> None:
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    if (
        response.headers.get("content-encoding", "identity") != "identity"
    ):  # a small compressed response could expand to a huge size
        raise ValueError(_GARBAGE)
    response.stream = _Bounded(response.stream)


def _matrix(rows: Sequence[Any]) -> NDArray[np.float32] | None:
    """Return the vectors as a matrix, or None if their lengths differ."""
    decoded = [_floats(row) for row in rows]
    if any(row is None or row.ndim != 1 or not row.size for row in decoded):
        return None
    sound = [row for row in decoded if row is not None]
    if len({row.size for row in sound}) != 1:
        return None
    matrix = np.stack(sound)
    return matrix if bool(np.isfinite(matrix).all()) and bool(matrix.any(axis=1).all()) else None


def _floats(row: Any) -> NDArray[np.float32] | None:
    try:
        if isinstance(row, str):  # some servers send base64 although floats were requested
            return np.frombuffer(base64.b64decode(row, validate=True), "<f4")
        return np.asarray(row, np.float32)
    except (TypeError, ValueError):
        return None


def _units(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    exact = matrix.astype(np.float64)  # the squares of large numbers would overflow 32-bit floats
    units: NDArray[np.float64] = exact / np.linalg.norm(exact, axis=1, keepdims=True)
    return units.astype(np.float32)


def failure(server: str, error: Exception, key: str = "") -> KnowledgeError:
    """Convert an exception of the SDK or the network to the error to show."""
    if isinstance(error, openai.APIStatusError):
        return _status_failure(server, error, key)
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException | TimeoutError):
        return EmbedderDown(server=server, detail=_SILENT)
    if isinstance(error, openai.APIConnectionError | httpx2.HTTPError | OSError):
        return EmbedderDown(server=server, detail=_UNREACHABLE)
    return EmbedderRefused(server=server, detail=_GARBAGE)


def _status_failure(server: str, error: openai.APIStatusError, key: str) -> KnowledgeError:
    status = error.status_code
    if status == _TOO_MANY_REQUESTS and error.code != "insufficient_quota":
        return EmbedderDown(server=server, detail=_BUSY)
    if status >= _SERVER_ERRORS:
        return EmbedderDown(server=server, detail=_FAILING.format(detail=status))
    detail = _WORDS.get(status) or _REJECTED.format(detail=_brief(error, key))
    return EmbedderRefused(server=server, detail=detail)


def _brief(error: openai.APIStatusError, key: str) -> str:
    message = " ".join(str(error.message).split())
    told = message.replace(key, "…") if key else message  # some servers echo the request in error messages
    return f"{error.status_code}: {told[:_MAX_DETAIL_CHARS]}"
