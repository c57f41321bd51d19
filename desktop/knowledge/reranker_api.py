"""A reranker API in the format of Jina, Cohere and SiliconFlow, which most self-hosted servers support too."""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import httpx
import msgspec

from desktop.domain.addresses import leads_to_a_server
from desktop.domain.privacy import Channel
from desktop.errors import ProxyUnusable, RerankerFailed, StaysHere
from desktop.knowledge.reranking import Pair, normalize_scores
from desktop.phrases import IN_SETTINGS, translatable
from desktop.settings import egress
from desktop.settings.proxies import ProxyChoice
from desktop.text.stream_limits import retry_after_s

_MOST_BYTES = 16 * 2**20
_LIMITS = httpx.Limits(max_connections=4)
_TIMEOUT_S = 12.0
_PATIENCE_S = 3.0
"""Maximum wait for a rate limit, in seconds, because the user is waiting for the answer."""
_MOST_CHARS = 8_000
_TOO_MANY = 429
_KEY_REFUSED = frozenset({401, 403})
_DETAIL_CHARS = 200

_BAD_KEY = translatable("{name} did not accept the API key. Check it {in_settings}.")
_LIMITED = translatable("{name} is not accepting more requests right now.")
_REFUSED = translatable("{name} refused the request (HTTP {code}). {detail}")
_SLOW = translatable("{name} did not respond in time.")
_UNREACHABLE = translatable("{name} can’t be reached. Check its address and your connection.")
_GARBAGE = translatable("{name} sent a reply that Footnote can’t read. Check its address {in_settings}.")
_INCOMPLETE = translatable("{name} ranked {done} of {total} passages.")


class _Judged(msgspec.Struct):
    """A result: Jina, Cohere and SiliconFlow use `relevance_score`, some servers `score`."""

    index: int
    relevance_score: float | None = None
    score: float | None = None

    @property
    def value(self) -> float | None:
        return self.score if self.relevance_score is None else self.relevance_score


class _RerankResponse(msgspec.Struct):
    """A response: Jina, Cohere and SiliconFlow use `results`, Voyage `data`; other fields are ignored."""

    results: list[_Judged] | None = None
    data: list[_Judged] | None = None


@dataclass(frozen=True)
class ApiReranker:
    """A client of the API at `url`; `/rerank` is appended if it is missing.

    https://jina.ai/reranker, https://docs.cohere.com/v2/reference/rerank,
    https://docs.siliconflow.cn/en/api-reference/rerank/create-rerank
    """

    name: str
    url: str
    model: str
    key: str = field(default="", repr=False)
    proxy: ProxyChoice = field(default_factory=ProxyChoice)
    timeout_s: float = _TIMEOUT_S

    async def scores(self, pairs: Sequence[Pair]) -> list[float]:
        """Send one request per query, all of them in parallel."""
        places: dict[str, list[int]] = {}
        for place, (query, _) in enumerate(pairs):
            places.setdefault(query, []).append(place)
        async with self._client() as client:
            judge = partial(self._judge, client)
            asked = (judge(query, [pairs[place][1] for place in mine]) for query, mine in places.items())
            # ensure that all requests have ended before the client is closed, even after a failure
            answers = await asyncio.gather(*asked, return_exceptions=True)
        found = [0.0] * len(pairs)
        for mine, judged in zip(places.values(), answers, strict=True):
            if isinstance(judged, BaseException):
                raise judged
            for place, score in zip(mine, judged, strict=True):
                found[place] = score
        return normalize_scores(found)

    async def _judge(self, client: httpx.AsyncClient, query: str, texts: Sequence[str]) -> list[float]:
        body: dict[str, object] = {
            "model": self.model,
            "query": query,
            "documents": [text[:_MOST_CHARS] for text in texts],
            "top_n": len(texts),
        }
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            answer, content = await self._post(client, body, headers)
            if answer.status_code == _TOO_MANY and (wait := _wait_of(answer)) <= _PATIENCE_S:
                await asyncio.sleep(wait)
                answer, content = await self._post(client, body, headers)
        except httpx.TimeoutException as error:
            raise RerankerFailed(detail=_SLOW.format(name=self.name)) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise RerankerFailed(detail=_UNREACHABLE.format(name=self.name)) from error
        if not answer.is_success:
            raise RerankerFailed(detail=self._refusal(answer, content))
        return self._read(content, len(texts))

    async def _post(
        self, client: httpx.AsyncClient, body: dict[str, object], headers: dict[str, str]
    ) -> tuple[httpx.Response, bytes]:
        """Return a response and its content, up to the maximum size."""
        payload = msgspec.json.encode(body)
        try:
            egress.require_egress(self._address, Channel.RERANKING, len(payload))
        except StaysHere as error:
            raise RerankerFailed(detail=str(error)) from error
        content = bytearray()
        headers = {**headers, "Content-Type": "application/json"}
        async with client.stream("POST", self._address, content=payload, headers=headers) as answer:
            async for piece in answer.aiter_bytes():
                content += piece
                if len(content) > _MOST_BYTES:
                    raise RerankerFailed(detail=_GARBAGE.format(name=self.name, **IN_SETTINGS))
        return answer, bytes(content)

    def _client(self) -> httpx.AsyncClient:
        if not leads_to_a_server(self._address):
            raise RerankerFailed(detail=_UNREACHABLE.format(name=self.name))
        try:
            proxy = self.proxy.proxy_for(self._address)
        except ProxyUnusable as error:
            raise RerankerFailed(detail=str(error)) from error
        return httpx.AsyncClient(
            proxy=proxy.url if proxy else None, timeout=self.timeout_s, trust_env=False, limits=_LIMITS
        )

    @property
    def _address(self) -> str:
        url = self.url.rstrip("/")
        return url if url.endswith("/rerank") else f"{url}/rerank"

    def _refusal(self, answer: httpx.Response, content: bytes) -> str:
        if answer.status_code in _KEY_REFUSED:
            return _BAD_KEY.format(name=self.name, **IN_SETTINGS)
        if answer.status_code == _TOO_MANY:
            return _LIMITED.format(name=self.name)
        detail = " ".join(content.decode(errors="replace").split())[:_DETAIL_CHARS]
        if self.key:
            detail = detail.replace(self.key, "…")
        return _REFUSED.format(name=self.name, code=answer.status_code, detail=detail)

    def _read(self, content: bytes, total: int) -> list[float]:
        try:
            judged = _judgements(content)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise RerankerFailed(detail=_GARBAGE.format(name=self.name, **IN_SETTINGS)) from error
        scores = {each.index: each.value for each in judged if 0 <= each.index < total}
        known = [score for place in range(total) if (score := scores.get(place)) is not None]
        if len(known) < total:
            raise RerankerFailed(detail=_INCOMPLETE.format(name=self.name, done=len(known), total=total))
        return known


def _judgements(content: bytes) -> list[_Judged]:
    """Return the results of a response; some servers send a bare list."""
    answer = msgspec.json.decode(content, type=_RerankResponse | list[_Judged])
    if isinstance(answer, _RerankResponse):
        answer = answer.results if answer.results is not None else answer.data or []
    return answer


def _wait_of(answer: httpx.Response) -> float:
    """Return how many seconds a server's rate limit lasts; infinity if it does not say."""
    waiting_s = retry_after_s(answer.headers.get("retry-after", ""))
    return math.inf if waiting_s is None else waiting_s
