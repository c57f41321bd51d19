"""The connection to one MCP server: its lists and results, as data of `desktop.domain`.

A separate task holds the connection open, because the SDK's scopes must be left by the task that entered
them. Calls may come from any task of the loop, and each runs in a separate task too: the SDK notifies the
server of a cancelled call, and the caller that cancelled it must not wait for an unresponsive server.
"""

import asyncio
import json
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

import httpx2
from anyio import ClosedResourceError
from mcp import Client, MCPError
from mcp.client._transport import Transport
from mcp.client.auth import OAuthFlowError
from mcp.client.streamable_http import streamable_http_client
from mcp.types import (
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED_PROTOCOL_VERSION,
    AudioContent,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    GetPromptResult,
    ImageContent,
    Implementation,
    Prompt,
    ReadResourceResult,
    Resource,
    ResourceLink,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    Tool,
)
from pydantic import ValidationError

from desktop.domain.models import Image
from desktop.domain.pictures import WEB_PICTURES
from desktop.domain.tools import Arguments, PromptArgument, ServerPrompt, ServerResource, ToolResult
from desktop.errors import plain_reason
from desktop.errors.servers import (
    McpError,
    ServerGone,
    ServerNotConnected,
    ServerNotStarted,
    ServerRefused,
    ServerWantsSignIn,
)
from desktop.mcp.stdio_transport import StderrBuffer, stdio_transport
from desktop.phrases import TranslatableMessage, sentences, translatable
from desktop.settings.model import McpServer

_MOST_IMAGES = 4
_MOST_IMAGE_BYTES = 5_000_000
_MOST_TEXT_CHARS = 1_000_000
"""Maximum length of a text that is passed to a model, whatever its context window."""

MOST = 200
"""Maximum number of items of one kind; a model could not choose among more anyway."""
_MOST_PAGES = 20
_MOST_CHARS = 2_000
_MOST_ARGUMENTS = 50
"""Maximum number of arguments of a prompt, as the user has to fill them in."""
START_LIMIT_S = 60.0
"""Timeout for starting a server; `npx` and `uvx` may have to download it first."""
LIST_LIMIT_S = 10.0
"""Timeout for the lists of a server."""
_GOODBYE_S = 0.3
"""How long a connection may take to close properly."""
_LAST_WORDS_S = 0.2
"""How long to wait for the last error output of a program."""
_BETWEEN_STREAMS_S = 1.0
_CLOSED = -32000
"""The SDK's error code for a closed connection."""
_NEW_ONLY = frozenset({UNSUPPORTED_PROTOCOL_VERSION, METHOD_NOT_FOUND})
"""Error codes with which a server that knows only the new protocol answers the old `initialize`."""
_UNAUTHORIZED = 401
_FIRST_BAD_STATUS = 400
_VERSION = "1"
_SAID_CHARS = 400
_T = TypeVar("_T")
_NO_ANSWER = translatable("It did not respond within {seconds} s.")
_NO_PROGRAM = translatable("The program “{program}” was not found.")
_NOT_THE_PROTOCOL = translatable("It does not use the protocol of tool servers (MCP).")
_BAD_STATUS = translatable("Its address returned {status}.")


def result_of(answer: CallToolResult) -> ToolResult:
    """Return the text and the images of a result; other content is only named."""
    texts = [_text(block) for block in answer.content]
    if not any(texts) and answer.structured_content is not None:
        texts = [json.dumps(answer.structured_content, ensure_ascii=False)]
    images = [image for block in answer.content if (image := _image(block)) is not None]
    text = "\n\n".join(filter(None, texts))[:_MOST_TEXT_CHARS]
    return ToolResult(text, images=tuple(images[:_MOST_IMAGES]), is_error=answer.is_error)


def _text(block: ContentBlock) -> str:
    match block:
        case TextContent(text=text):
            return text
        case EmbeddedResource(resource=TextResourceContents(uri=uri, text=text)):
            return f"{uri}\n{text}"
        case EmbeddedResource(resource=resource):
            return f"({resource.mime_type or 'file'}: {resource.uri})"
        case ResourceLink(uri=uri, name=name):
            return f"({name}: {uri})"
        case AudioContent(mime_type=kind):
            return f"(audio, {kind})"
        case _:
            return ""


def _image(block: ContentBlock) -> Image | None:
    if not isinstance(block, ImageContent) or block.mime_type not in WEB_PICTURES:
        return None
    try:
        data = b64decode(block.data, validate=True)
    except (NotBase64, ValueError):
        return None
    return Image(block.mime_type, data) if len(data) <= _MOST_IMAGE_BYTES else None


def text_of_resource(answer: ReadResourceResult) -> str:
    """Return the texts of a resource; content other than text is only named."""
    parts = (
        part.text if isinstance(part, TextResourceContents) else f"({part.mime_type or 'file'}: {part.uri})"
        for part in answer.contents
    )
    return "\n\n".join(parts)[:_MOST_TEXT_CHARS]


def text_of_prompt(answer: GetPromptResult) -> str:
    """Return the messages of a prompt as one text."""
    return "\n\n".join(filter(None, (_text(message.content) for message in answer.messages)))[
        :_MOST_TEXT_CHARS
    ]


class _ListPage(Protocol):
    @property
    def next_cursor(self) -> str | None: ...


_P = TypeVar("_P", bound=_ListPage)


async def tools_of(client: Client) -> tuple[Tool, ...]:
    """Return the current tools of a server."""
    return await _all(lambda cursor: client.list_tools(cursor=cursor), lambda page: page.tools)


async def resources_of(client: Client) -> tuple[ServerResource, ...]:
    """Return the resources of a server, single resources before templates."""
    if client.server_capabilities.resources is None:
        return ()
    single = await _all(lambda cursor: client.list_resources(cursor=cursor), lambda page: page.resources)
    many = await _all(
        lambda cursor: client.list_resource_templates(cursor=cursor), lambda page: page.resource_templates
    )
    found = (*map(_resource, single), *map(_template, many))
    return tuple(each for each in found if len(each.uri) <= _MOST_CHARS)


async def prompts_of(client: Client, server: McpServer) -> tuple[ServerPrompt, ...]:
    """Return the prompts of a server."""
    if client.server_capabilities.prompts is None:
        return ()
    found = await _all(lambda cursor: client.list_prompts(cursor=cursor), lambda page: page.prompts)
    return tuple(_prompt(prompt, server) for prompt in found if len(prompt.name) <= _MOST_CHARS)


async def _all(
    ask: Callable[[str | None], Awaitable[_P]], items: Callable[[_P], Sequence[_T]]
) -> tuple[_T, ...]:
    found: list[_T] = []
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        try:
            page = await ask(cursor)
        except MCPError as error:
            if error.code == METHOD_NOT_FOUND:
                break  # servers announce features that they lack, above all templates
            raise
        found.extend(items(page))
        cursor = page.next_cursor
        if not cursor or len(found) >= MOST:
            break
    return tuple(found[:MOST])


def _resource(resource: Resource) -> ServerResource:
    return ServerResource(
        str(resource.uri), _cut(resource.title or resource.name), _cut(resource.description)
    )


def _template(template: ResourceTemplate) -> ServerResource:
    return ServerResource(
        template.uri_template, _cut(template.title or template.name), _cut(template.description)
    )


def _prompt(prompt: Prompt, server: McpServer) -> ServerPrompt:
    arguments = (
        PromptArgument(each.name, _cut(each.description), bool(each.required))
        for each in (prompt.arguments or ())[:_MOST_ARGUMENTS]
    )
    return ServerPrompt(server.id, server.name, prompt.name, _cut(prompt.description), tuple(arguments))


def _cut(text: str | None) -> str:
    return (text or "")[:_MOST_CHARS]


@dataclass(frozen=True)
class ServerAccess:
    """How to reach a server: the environment of its program, or the client for its address."""

    environment: Mapping[str, str]
    client: Callable[[], httpx2.AsyncClient]


class ServerConnection:
    """A connection that `open` establishes, once; `close` ends everything that it started.

    All methods that query the server raise `McpError`s: it is gone, or it answered with a protocol error.
    """

    def __init__(self, server: McpServer, access: ServerAccess) -> None:
        self.server = server
        self._access = access
        self._complaints: StderrBuffer | None = None
        self._closing = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._client: Client | None = None
        self._calls: set[asyncio.Task[Any]] = set()
        self._bad_status = 0
        self._next_stream = 0.0

    @property
    def is_alive(self) -> bool:
        """Whether calls can be made."""
        return self._client is not None and self._task is not None and not self._task.done()

    @property
    def protocol(self) -> str:
        """The negotiated revision of the protocol."""
        return "" if self._client is None else self._client.protocol_version

    async def open(self, limit_s: float | None = None) -> None:
        """Start the program, or connect to the address, within `limit_s` or `START_LIMIT_S`.

        Raises:
            ServerNotStarted: it does not exist, ended at once, or did not answer `initialize` in time.
            ServerWantsSignIn: its address requires the user to sign in.
        """
        try:
            async with asyncio.timeout(START_LIMIT_S if limit_s is None else limit_s):
                self._client = await self._negotiate()
        except BaseException as error:
            await self.close()
            if isinstance(error, asyncio.CancelledError):
                raise
            raise self._not_started(error) from error

    async def tools(self) -> tuple[Tool, ...]:
        """Return the current tools of the server."""
        return await self._ask_list(tools_of)

    async def resources(self) -> tuple[ServerResource, ...]:
        """Return the resources of the server."""
        return await self._ask_list(resources_of)

    async def prompts(self) -> tuple[ServerPrompt, ...]:
        """Return the prompts of the server."""
        return await self._ask_list(lambda client: prompts_of(client, self.server))

    async def call(self, tool: str, arguments: Arguments) -> ToolResult:
        """Call a tool. Cancelling the task also cancels the call on the server."""
        async with self._asking() as client:
            return result_of(await self._apart(client.call_tool(tool, dict(arguments))))

    async def read(self, uri: str) -> str:
        """Return a resource as text; content other than text is only named."""
        async with self._asking() as client:
            return text_of_resource(await self._apart(client.read_resource(uri)))

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> str:
        """Return a prompt with its arguments filled in."""
        async with self._asking() as client:
            return text_of_prompt(await self._apart(client.get_prompt(name, dict(arguments))))

    async def close(self) -> None:
        """Close the connection, and end the program with its children."""
        self._client = None
        self._closing.set()
        if self._task is not None:
            await asyncio.wait({self._task}, timeout=_GOODBYE_S)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for call in tuple(self._calls):
            call.cancel()

    async def _ask_list(self, ask: Callable[[Client], Awaitable[_T]]) -> _T:
        async with self._asking() as client, asyncio.timeout(LIST_LIMIT_S):
            return await ask(client)

    async def _apart(self, work: Coroutine[Any, Any, _T]) -> _T:
        call = asyncio.create_task(work)
        self._calls.add(call)
        call.add_done_callback(self._forget)
        try:
            return await asyncio.shield(call)
        finally:
            call.cancel()

    def _forget(self, call: "asyncio.Task[Any]") -> None:
        self._calls.discard(call)
        if not call.cancelled():
            call.exception()  # marks the exception of an abandoned call as retrieved

    async def _negotiate(self) -> Client:
        """Negotiate a revision of the protocol with the server.

        Programs get the old `initialize` first: servers of 2025 exit if they receive a request of the new
        protocol before any `initialize`. Addresses at worst answer it with an error.
        """
        if self.server.url:
            return await self._begin("auto")
        try:
            return await self._begin("legacy")
        except MCPError as error:
            if error.code not in _NEW_ONLY:
                raise
        return await self._begin("auto")

    async def _begin(self, mode: Literal["legacy", "auto"]) -> Client:
        ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._hold(ready, mode), name=f"mcp-{self.server.id}")
        return await asyncio.shield(ready)

    async def _hold(self, ready: "asyncio.Future[Client]", mode: Literal["legacy", "auto"]) -> None:
        try:
            async with (
                self._transport() as transport,
                Client(transport, mode=mode, client_info=_us()) as client,
            ):
                ready.set_result(client)
                await self._closing.wait()
        except BaseException as error:
            if ready.done():
                raise
            if isinstance(error, asyncio.CancelledError):
                ready.cancel()
                raise
            ready.set_exception(_innermost(error))

    @asynccontextmanager
    async def _transport(self) -> AsyncIterator[Transport]:
        if self.server.url:
            async with self._access.client() as client:
                client.event_hooks["request"].append(self._wait_between_streams)
                client.event_hooks["response"].append(self._note_status)
                yield streamable_http_client(self.server.url, http_client=client)
            return
        self._complaints = StderrBuffer()
        try:
            yield stdio_transport(self.server.command, self._access.environment, self._complaints)
        finally:
            self._complaints.close()
            await asyncio.to_thread(self._complaints.wait, _LAST_WORDS_S)

    async def _wait_between_streams(self, request: httpx2.Request) -> None:
        """Wait so that a server's stream is opened at most once a second, even if the server asks for less."""
        if request.method != "GET" or request.url.path != httpx2.URL(self.server.url).path:
            return
        now = asyncio.get_running_loop().time()
        self._next_stream, until = max(now, self._next_stream) + _BETWEEN_STREAMS_S, self._next_stream
        await asyncio.sleep(until - now)

    async def _note_status(self, response: httpx2.Response) -> None:
        """Remember the HTTP status of an error response, which the SDK does not report."""
        if response.url.path == httpx2.URL(self.server.url).path:
            self._bad_status = response.status_code if response.status_code >= _FIRST_BAD_STATUS else 0

    @asynccontextmanager
    async def _asking(self) -> AsyncIterator[Client]:
        """Provide the client, and convert its errors to `McpError`s."""
        if self._client is None or not self.is_alive:
            raise self._report_gone(None)
        try:
            yield self._client
        except MCPError as error:
            if self._bad_status == _UNAUTHORIZED:
                raise self._wants_sign_in() from error
            if error.code != _CLOSED:
                raise ServerRefused(server=self.server.name, detail=_describe_error(error)) from error
            raise self._report_gone(None) from error
        except OAuthFlowError as error:
            raise self._wants_sign_in(plain_reason(error)) from error
        except ValidationError as error:
            raise ServerRefused(server=self.server.name, detail=_describe_error(error)) from error
        except TimeoutError as error:
            detail = _NO_ANSWER.format(seconds=round(LIST_LIMIT_S))
            raise ServerRefused(server=self.server.name, detail=detail) from error
        except (httpx2.HTTPError, ClosedResourceError, OSError, RuntimeError) as error:
            raise self._report_gone(error) from error

    def _not_started(self, error: BaseException) -> McpError:
        if self._bad_status == _UNAUTHORIZED or isinstance(error, OAuthFlowError):
            return self._wants_sign_in(str(error) if isinstance(error, OAuthFlowError) else "")
        failure = ServerNotConnected if self.server.url else ServerNotStarted
        return failure(server=self.server.name, detail=self._words(error))

    def _wants_sign_in(self, detail: str = "") -> ServerWantsSignIn:
        self._client = None
        return ServerWantsSignIn(server=self.server.name, detail=detail)

    def _report_gone(self, error: BaseException | None) -> ServerGone:
        self._client = None
        return ServerGone(server=self.server.name, detail=self._words(error and _innermost(error)))

    def _words(self, error: BaseException | None) -> str:
        if self._bad_status:
            return _BAD_STATUS.format(status=self._bad_status)
        complaint = self._complaints.last if self._complaints else ""
        is_silent = error is None or (isinstance(error, MCPError) and error.code == _CLOSED and complaint)
        said = "" if is_silent or error is None else _describe_error(error)
        return sentences((said, complaint))


def _innermost(error: BaseException) -> BaseException:
    """Return the first actual error in nested exception groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _describe_error(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return _NO_ANSWER.format(seconds=round(START_LIMIT_S))
    if isinstance(error, FileNotFoundError):
        return _NO_PROGRAM.format(program=error.filename or "")
    if isinstance(error, ValidationError) or (isinstance(error, MCPError) and error.code == PARSE_ERROR):
        return _NOT_THE_PROTOCOL
    said = error.message if isinstance(error, MCPError) else plain_reason(error)
    if isinstance(said, TranslatableMessage):
        return said
    return " ".join(said.split())[:_SAID_CHARS] or type(error).__name__


def _us() -> Implementation:
    return Implementation(name="Footnote", version=_VERSION)
