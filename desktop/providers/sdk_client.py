"""What the SDK-based providers share: client, errors, key masking, refused options, ends of answers."""

import re
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
)
from contextlib import aclosing, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import httpx2

from desktop.domain.models import (
    FinishReason,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    ReasoningDelta,
    StreamEnded,
    TextDelta,
    ToolCallDelta,
    WishesLeftOut,
)
from desktop.errors.servers import ModelNotFound, ProviderError
from desktop.phrases import translatable
from desktop.providers.answer_limits import AnswerLimits
from desktop.providers.errors import ErrorMapper
from desktop.providers.local_servers import local_facts
from desktop.providers.model_listing import add_named_models, models_in, owners_in, with_facts
from desktop.providers.transport import METER, LimitedResponse
from desktop.settings import egress
from desktop.settings.model import ProviderSettings
from desktop.settings.redaction import Redactor, StreamRedactor

_OTHER_NAME = {"max_tokens": "max_completion_tokens"}
"""OpenAI's reasoning models know the limit only by the second name, most other servers only by the first."""

_SAID_AS = {"include": r"\binclude\b|(?i:encrypted content)"}
"""Patterns for options that servers call by other names."""

_REFUSES = re.compile(
    r"support|recogni[sz]|unknown|unexpected|extra|permitted|allowed|deprecated|instead|additional|forbidden|cannot both|invalid (?:param|field|argument|option)|不支持|未知",
    re.IGNORECASE,
)
_OUT_OF_RANGE = re.compile(
    r"at most|at least|maximum|minimum|between|range|less than|greater than|too (?:large|small|high|low)|[<>]",
    re.IGNORECASE,
)


def find_refused_option(arguments: Mapping[str, Any], said: str, optional: Collection[str]) -> str | None:
    """Return the option in `arguments` that an error message names, if it can be left out.

    `optional` are the names of the options that can be left out, as can everything in `extra_body`. If only
    the value is refused, the error is shown to the user: leaving out the option would change the request.
    """
    if not _REFUSES.search(said) or _OUT_OF_RANGE.search(said):
        return None
    sent = [name for name in optional if name in arguments]
    names = (*sent, *arguments.get("extra_body", ()))
    return next((name for name in names if re.search(_SAID_AS.get(name, _alone(name)), said)), None)


def _alone(name: str) -> str:
    return rf"(?<!\w){re.escape(name)}(?!\w)"


def without_options(arguments: Mapping[str, Any], options: Iterable[str]) -> dict[str, Any]:
    """Return `arguments` without empty ones and `options`, or with their alternative names where these exist."""
    left = {name: value for name, value in arguments.items() if value not in (None, [], {}, "")}
    extra = dict(left.pop("extra_body", {}))
    for option in options:
        extra.pop(option, None)
        if option in left and option in _OTHER_NAME:
            left[_OTHER_NAME[option]] = left[option]
        left.pop(option, None)
    return left | {"extra_body": extra} if extra else left


def find_dropped_fields(request: ModelRequest, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the options of a request that are missing from its `arguments`."""
    wishes = [name for name in ("temperature", "top_p") if getattr(request, name) is not None]
    sent = {*arguments, *arguments.get("extra_body", ())}
    return tuple(name for name in (*wishes, *request.fields) if name not in sent)


_LEAST_CHARS = 8
_TOKEN_CHARS = 12
"""Shorter keys may be part of words in an answer: they are masked only as separate words."""
_PLACEHOLDERS = frozenset(
    {
        *("anything", "api-key", "api_key", "changeme", "dummy-key", "fake-key", "lm-studio", "my-api-key"),
        *(
            "no-key-needed",
            "not-needed",
            "not_needed",
            "placeholder",
            "sk-no-key-required",
            "test-key",
            "whatever",
        ),
    }
)
"""Keys suggested by the manuals of local servers: they are not secret, and answers may contain them."""


class KeyMask:
    """Masks the key in text, reasoning and arguments of calls.

    Text that may be the beginning of the key is held back until the next event, or until the stream ends or
    fails.
    """

    def __init__(self, key: str) -> None:
        self._is_on = len(key) >= _LEAST_CHARS and key.casefold() not in _PLACEHOLDERS
        self._redactor = StreamRedactor(Redactor((key,), token_chars=_TOKEN_CHARS))
        self._last: TextDelta | ReasoningDelta | ToolCallDelta | None = None

    def take(self, event: ModelEvent) -> Iterator[ModelEvent]:
        """Yield what is certain after an event; consecutive events of one kind are masked together."""
        if not self._is_on:
            yield event
            return
        if not isinstance(event, TextDelta | ReasoningDelta | ToolCallDelta):
            yield from self.rest()
            yield event
            return
        if self._kind(event) != self._kind(self._last):
            yield from self.rest()
        self._last = event
        if isinstance(event, ToolCallDelta):
            yield replace(event, arguments=self._redactor.feed(event.arguments))
        elif text := self._redactor.feed(event.text):
            yield replace(event, text=text)

    def rest(self) -> Iterator[ModelEvent]:
        """Yield the text that was held back."""
        held, last = self._redactor.finish(), self._last
        if not held or last is None:
            return
        if isinstance(last, ToolCallDelta):
            yield ToolCallDelta(last.index, arguments=held)
        else:
            yield replace(last, text=held)

    def _kind(self, event: object) -> tuple[type, int]:
        return type(event), event.index if isinstance(event, ToolCallDelta) else 0


NO_KEY = "none"
"""A placeholder, as the SDKs require a key; the header that would contain it is left out."""


class Opened(Protocol):
    """A response that an SDK has opened; it is iterated with `anext`, which creates no further generator."""

    response: httpx2.Response

    async def __anext__(self) -> object:
        """Return the next chunk."""
        ...

    async def close(self) -> None:
        """Close the connection."""
        ...


_Stream = TypeVar("_Stream", bound=Opened)


@asynccontextmanager
async def _close_in_order(stream: Opened) -> AsyncIterator[None]:
    """Close a response at the end of the block, then the generators with which the SDK reads it.

    An SDK's generators do not close each other. If they are dropped, the event loop closes them one by one at
    any time, so that one may be closed while it waits for another. Reading past the end finishes them.
    """
    try:
        yield
    finally:
        await stream.close()
        with suppress(Exception):  # the answer is complete: errors in what follows do not matter
            while await anext(stream, None) is not None:
                pass
        if isinstance(
            stream.response, LimitedResponse
        ):  # clients from tests and examples may have no such response
            await stream.response.close_readers()


class ErrorTranslator(Protocol):
    """Converts an SDK's error to a `ProviderError`."""

    def __call__(self, error: Exception, failures: ErrorMapper, *, has_begun: bool) -> ProviderError:
        """Return the `ProviderError`; `has_begun` says whether the answer had started."""
        ...


class StreamReader(Protocol):
    """The state of an answer that is being read."""

    reason: FinishReason | None
    """Why the answer ended; None until the server says so."""
    has_answer: bool
    """Whether any valid chunk has arrived."""


@dataclass(frozen=True)
class SdkClient:
    """A client for a server, based on an SDK.

    `foreign` are the error types that the SDK may raise.
    """

    settings: ProviderSettings
    failures: ErrorMapper
    http: httpx2.AsyncClient
    is_own_client: bool
    foreign: tuple[type[Exception], ...]
    translated: ErrorTranslator

    async def models(self, fetch: Callable[[], Awaitable[object]]) -> tuple[ModelInfo, ...]:
        """Return the chat models: those in the list that `fetch` returns, then those that the user named."""
        egress.check_egress(self.settings.base_url)
        try:
            with self.translating(has_begun=False):
                body = await fetch()
                listed = models_in(body, self.settings)
            told = await local_facts(self.http, self.settings.base_url, owners_in(body), self.settings.id)
            listed = with_facts(listed, told, self.settings)
        except ModelNotFound:
            if not self.settings.models:
                raise
            listed = ()  # a server without a list: only the models that the user named are available
        return add_named_models(listed, self.settings)

    async def stream(
        self,
        opened: Callable[[], Awaitable[tuple[_Stream, tuple[str, ...]]]],
        events: Callable[[_Stream], AsyncGenerator[ModelEvent, None]],
    ) -> AsyncGenerator[ModelEvent, None]:
        """Yield the events of an answer, and always close it.

        `opened` sends the request; it returns the response and the options that could not be sent.

        Raises:
            ProviderError: the server failed.
            StaysHere: the server is another machine, and the conversation must not leave this one.
        """
        egress.check_egress(self.settings.base_url)
        with self.translating(has_begun=False):
            stream, left_out = await opened()
        limits, mask = AnswerLimits(stream.response.extensions.get(METER)), KeyMask(self.failures.key)
        async with _close_in_order(stream):
            if left_out:
                yield WishesLeftOut(left_out)
            with self.translating(has_begun=True):
                async with aclosing(events(stream)) as received:
                    is_open = True
                    while is_open:
                        try:
                            masked = mask.take(await anext(received))
                        except StopAsyncIteration:
                            is_open, masked = False, mask.rest()
                        except Exception:
                            for event in mask.rest():
                                yield event
                            raise
                        for event in masked:
                            limits.take(event)
                            yield event

    def is_streamed(self, content_type: str) -> bool:
        """Say whether a response is streamed: some servers do not stream, some send errors with status 200.

        Raises:
            ProviderError: the response is a web page.
        """
        if "text/html" in content_type:
            raise self.failures.garbage(translatable("It sent a web page."))
        return "application/json" not in content_type

    def ending(self, answer: StreamReader) -> StreamEnded:
        """Return the end event of an answer that has been read completely.

        Raises:
            ProviderError: the answer has no end, or there is no answer.
        """
        if answer.reason is not None:
            return StreamEnded(answer.reason)
        if answer.has_answer:
            raise self.failures.broken(translatable("It ended without giving a reason."))
        raise self.failures.garbage(translatable("The answer is empty."))

    async def aclose(self) -> None:
        """Close all connections, unless the caller owns the client."""
        if self.is_own_client:
            await self.http.aclose()

    @contextmanager
    def translating(self, *, has_begun: bool) -> Iterator[None]:
        """Convert the SDK's errors inside the block.

        Raises:
            ProviderError: in place of the SDK's error.
        """
        try:
            self.failures.check_key()
            yield
        except self.foreign as error:
            # without the cause, which contains the request and with it the key
            raise self.translated(error, self.failures, has_begun=has_begun) from None
