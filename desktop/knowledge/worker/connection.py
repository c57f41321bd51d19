"""The program's connection to one worker process: numbered calls, replies, and pictures to describe.

Several programs on one data folder share a worker: the others, its guests, reach it at an address on loopback.
"""

import asyncio
import hmac
import itertools
import logging
import secrets
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import msgspec

from desktop.domain.knowledge import Description
from desktop.errors import AppError, IndexDamaged, IndexUnavailable, plain_reason
from desktop.installation import module_command, own_environment
from desktop.knowledge import protocol as wire
from desktop.knowledge.index.disk_errors import disk_refused
from desktop.phrases import translatable
from desktop.settings import egress
from desktop.settings.atomic_files import write_whole
from desktop.text.child_server import encode_frame, next_frame
from desktop.text.message_codec import decode_msgpack, encode_msgpack, error_fields, error_of

if TYPE_CHECKING:  # it imports the index
    from desktop.knowledge.worker.service import WorkerService

ADDRESS_FILE = "worker-address.json"
HOST = "127.0.0.1"
_NONCE_BYTES = 32
_DIGEST_BYTES = 32
_TOKEN_BYTES = 32
_HANDSHAKE_TIMEOUT_S = 5.0
_log = logging.getLogger(__name__)


class WorkerAddress(msgspec.Struct, frozen=True):
    """Where a worker takes guests, and the token that both sides know."""

    port: int
    token: str

    def __repr__(self) -> str:
        """Return a representation that is safe to log."""
        return f"WorkerAddress({self.port})"


def publish_address(folder: Path, port: int) -> WorkerAddress:
    """Write the address of this worker, with a new token, into the folder of the bases."""
    address = WorkerAddress(port, secrets.token_hex(_TOKEN_BYTES))
    write_whole(folder / ADDRESS_FILE, msgspec.json.encode(address))
    return address


def withdraw_address(folder: Path) -> None:
    """Delete the address of this worker."""
    with suppress(OSError):
        (folder / ADDRESS_FILE).unlink(missing_ok=True)


async def visit_worker(folder: Path) -> tuple[StreamReader, StreamWriter] | None:
    """Return a connection to the worker that another program has started; None if there is none."""
    try:
        found = await asyncio.to_thread((folder / ADDRESS_FILE).read_bytes)
        address = msgspec.json.decode(found, type=WorkerAddress)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    try:
        async with asyncio.timeout(_HANDSHAKE_TIMEOUT_S):
            reader, writer = await asyncio.open_connection(HOST, address.port)
    except (OSError, OverflowError, TimeoutError):
        return None  # an address of a worker that was killed
    try:
        async with asyncio.timeout(_HANDSHAKE_TIMEOUT_S):
            ours = secrets.token_bytes(_NONCE_BYTES)
            writer.write(ours)
            theirs = await reader.readexactly(_NONCE_BYTES)
            proof = await reader.readexactly(_DIGEST_BYTES)
            if hmac.compare_digest(proof, _proof(address, b"worker", ours, theirs)):
                writer.write(_proof(address, b"guest", ours, theirs))
                return reader, writer
    except (OSError, EOFError, TimeoutError):
        pass
    writer.close()
    return None


async def admit_guest(reader: StreamReader, writer: StreamWriter, address: WorkerAddress) -> bool:
    """Say whether a program that has connected knows the token, and prove to it that this worker does."""
    try:
        async with asyncio.timeout(_HANDSHAKE_TIMEOUT_S):
            theirs = await reader.readexactly(_NONCE_BYTES)
            ours = secrets.token_bytes(_NONCE_BYTES)
            writer.write(ours + _proof(address, b"worker", theirs, ours))
            proof = await reader.readexactly(_DIGEST_BYTES)
    except (OSError, EOFError, TimeoutError):
        return False
    is_known = hmac.compare_digest(proof, _proof(address, b"guest", theirs, ours))
    if not is_known:
        _log.warning("A program without the token was turned away")
    return is_known


def _proof(address: WorkerAddress, side: bytes, guest_nonce: bytes, worker_nonce: bytes) -> bytes:
    return hmac.digest(address.token.encode(), side + guest_nonce + worker_nonce, "sha256")


_T = TypeVar("_T")

WorkerCall = Callable[["WorkerService"], object]
"""Calls a handler with its arguments, such as `lambda worker: worker.create(name)`. Here the worker is another
process: what is called is recorded and sent to it."""

NO_MODEL_CHOSEN = translatable("no model for images is chosen in Settings > Knowledge.")

Describe = Callable[[bytes], Awaitable[Description]]
"""Describes a JPEG; failures are reported in the result."""
_STOP_TIMEOUT_S = 1.0
_PROCESS_ENDED = translatable("its process ended (status {status}).")
_OTHER_ENDED = translatable(
    "the Footnote window or command that was using the knowledge bases has ended. Try again."
)
_RUBBISH = translatable("its process sent data that can’t be read ({detail}).")


async def describe_nothing(_jpeg: bytes) -> Description:
    """Describe no picture."""
    return Description(problem=NO_MODEL_CHOSEN)


class _CallRecorder:
    """Takes the place of the worker in a `WorkerCall`."""

    def __getattr__(self, method: str) -> Callable[..., None]:
        def note(*arguments: object) -> None:
            self.method, self.arguments = method, arguments

        return note


class PictureRequests:
    """The pictures that one worker has asked to describe; `tell` sends it a call."""

    def __init__(self, describe: Describe, tell: Callable[[WorkerCall], None]) -> None:
        self._describe = describe
        self._tell = tell
        self._tasks: dict[int, asyncio.Task[None]] = {}

    def take(self, reply: wire.ShowPicture | wire.HidePicture) -> None:
        """Start the description of a picture, or cancel it."""
        if isinstance(reply, wire.ShowPicture):
            task = asyncio.create_task(self._answer(reply))
            self._tasks[reply.id] = task
            task.add_done_callback(lambda _: self._tasks.pop(reply.id))
        elif reply.id in self._tasks:
            self._tasks[reply.id].cancel()

    async def aclose(self) -> None:
        """Cancel all descriptions."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _answer(self, shown: wire.ShowPicture) -> None:
        description = await self._describe(shown.jpeg)
        with suppress(AppError):  # a worker that has ended will ask again after its restart
            self._tell(lambda worker: worker.put_description(shown.id, description))


Tell = Callable[[AppError], None]
"""Receives messages for the user."""


def tell_nothing(_notice: AppError) -> None:
    """Discard the message."""


class WorkerConnection:
    """A connection to one worker process: one that this program has started, or else that of another program."""

    def __init__(
        self,
        process: asyncio.subprocess.Process | None,
        describe: Describe = describe_nothing,
        tell_user: Tell = tell_nothing,
        *,
        streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None,
    ) -> None:
        self.found_damage = False
        self._tell_user = tell_user
        self._process = process
        self._reader, self._writer = streams or _pipes(process)
        self._picture_requests = PictureRequests(describe, self.tell)
        self._numbers = itertools.count(wire.NO_REQUEST + 1)
        self._waiting: dict[int, asyncio.Queue[wire.Reply]] = {}
        self._egress_contexts: dict[int, egress.EgressContext] = {}
        self._failure: AppError | None = None
        self._listener = asyncio.create_task(self._listen(), context=egress.make_detached_context())

    @classmethod
    async def start(
        cls, data_dir: Path, describe: Describe = describe_nothing, tell_user: Tell = tell_nothing
    ) -> "WorkerConnection":
        """Start the worker of a data folder.

        `describe` is called for the pictures that it sends, `tell_user` for its messages to the user.

        Raises:
            IndexUnavailable: the folder cannot be written to.
        """
        try:
            log = _open_log(data_dir / "knowledge" / "worker.log")
        except OSError as error:
            raise disk_refused(error, data_dir) from error
        with log:  # the process has its own duplicate
            process = await asyncio.create_subprocess_exec(
                *module_command("desktop.knowledge.worker.main", "--data-dir", str(data_dir)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=own_environment(),
            )
        return cls(process, describe, tell_user)

    @classmethod
    async def visit(cls, data_dir: Path) -> "WorkerConnection | None":
        """Connect to the worker that another program has started; None if there is none."""
        streams = await visit_worker(data_dir / "knowledge")
        return None if streams is None else cls(None, streams=streams)

    @property
    def is_guest(self) -> bool:
        """Say whether the worker is that of another program."""
        return self._process is None

    @property
    def is_dead(self) -> bool:
        """Say whether the process has ended."""
        return self._failure is not None

    async def ask(self, call: WorkerCall) -> bytes:
        """Return the encoded result of a call; cancelling it cancels the call in the worker too."""
        return await self._result(*self._send(call))

    async def _result(self, number: int, replies: asyncio.Queue[wire.Reply]) -> bytes:
        try:
            reply = await replies.get()
        except asyncio.CancelledError:
            with suppress(AppError):  # a worker that is dead has stopped
                self._forget(self._cancel(number)[0])
            raise
        finally:
            self._forget(number)
        if isinstance(reply, wire.Failed):
            raise error_of(reply.error, reply.fields)
        assert isinstance(reply, wire.Done)
        return bytes(reply.result)

    def tell(self, call: WorkerCall) -> None:
        """Send a call and ignore its result; it is processed before calls that are sent later."""
        number, _ = self._send(call)
        self._forget(number)

    async def follow(
        self, call: WorkerCall, kind: type[_T], known: Collection[str] = ()
    ) -> AsyncGenerator[_T]:
        """Yield what the handler of a call yields; closing cancels the call and the items in `known`."""
        number, replies = self._send(call)
        is_over = False
        try:
            while True:
                reply = await replies.get()
                is_over = isinstance(reply, wire.Done | wire.Failed)
                if isinstance(reply, wire.Failed):
                    raise error_of(reply.error, reply.fields)
                if isinstance(reply, wire.Done):
                    return
                assert isinstance(reply, wire.CallProgress)
                yield decode_msgpack(reply.step, kind)
        finally:
            self._forget(number)
            if not is_over:
                with suppress(AppError):  # a worker that is dead has stopped
                    await self._result(*self._cancel(number, tuple(known)))

    def _cancel(self, number: int, item_ids: tuple[str, ...] = ()) -> tuple[int, asyncio.Queue[wire.Reply]]:
        return self._send_request(wire.CANCEL, (number, item_ids))

    def _send(self, call: WorkerCall) -> tuple[int, asyncio.Queue[wire.Reply]]:
        recorder: Any = _CallRecorder()
        call(recorder)
        return self._send_request(recorder.method, recorder.arguments)

    def _send_request(
        self, method: str, arguments: tuple[object, ...]
    ) -> tuple[int, asyncio.Queue[wire.Reply]]:
        if self._failure is not None:
            raise self._failure
        number = next(self._numbers)
        egress_context = egress.current()
        encoded = msgspec.Raw(encode_msgpack(arguments))
        request = wire.Request(number, method, encoded, egress_context.stays_here)
        replies: asyncio.Queue[wire.Reply] = asyncio.Queue()
        self._waiting[number] = replies
        self._egress_contexts[number] = egress_context
        self._writer.write(encode_frame(msgspec.msgpack.encode(request)))
        return number, replies

    def _forget(self, number: int) -> None:
        del self._waiting[number], self._egress_contexts[number]

    def _note(self, reply: wire.Crossed) -> None:
        if egress_context := self._egress_contexts.get(reply.id):
            egress_context.note(reply.egress_event)

    async def _listen(self) -> None:
        failure: AppError | None = None
        try:
            while (payload := await next_frame(self._reader)) is not None:
                reply: wire.Reply = msgspec.msgpack.decode(payload, type=wire.Reply)
                if reply.id == wire.NO_REQUEST and isinstance(reply, wire.Failed):
                    self.found_damage |= reply.error == IndexDamaged.__name__
                    failure = error_of(reply.error, reply.fields)
                else:
                    self._take(reply)
        except Exception as error:  # noqa: BLE001 - every waiting caller must get an answer
            failure = IndexUnavailable(detail=_RUBBISH.format(detail=plain_reason(error)))
            await self._kill()
        if self._process is None:
            self._failure = failure or IndexUnavailable(detail=_OTHER_ENDED)
        else:
            status = await self._process.wait()
            self._failure = failure or IndexUnavailable(detail=_PROCESS_ENDED.format(status=status))
        for number, replies in self._waiting.items():
            name, fields = type(self._failure).__name__, error_fields(self._failure)
            replies.put_nowait(wire.Failed(number, name, fields))

    def _take(self, reply: wire.Reply) -> None:
        if isinstance(reply, wire.Failed):
            self.found_damage |= reply.error == IndexDamaged.__name__
        if isinstance(reply, wire.Noticed):
            self._tell_user(error_of(reply.error, reply.fields))
        elif isinstance(reply, wire.Crossed):
            self._note(reply)
        elif isinstance(reply, wire.ShowPicture | wire.HidePicture):
            self._picture_requests.take(reply)
        elif reply.id in self._waiting:
            self._waiting[reply.id].put_nowait(reply)

    async def _kill(self) -> None:
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.communicate()  # wait() alone leaves the pipe open while it holds unread bytes

    async def aclose(self) -> None:
        """Let the process end by itself, or kill it; that of another program is left alone."""
        self._writer.close()
        if self._process is not None:
            try:
                async with asyncio.timeout(_STOP_TIMEOUT_S):
                    await self._process.wait()
            except TimeoutError:
                with suppress(ProcessLookupError):
                    self._process.kill()
        await self._listener
        await self._picture_requests.aclose()


def _pipes(
    process: asyncio.subprocess.Process | None,
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    assert process is not None
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdout, process.stdin


def _open_log(path: Path) -> IO[bytes]:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path.open("wb")
