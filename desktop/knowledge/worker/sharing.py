"""One worker for several programs on one data folder: the others, its guests, reach it at an address on loopback.

The worker writes its port and a token into a file of the data folder, which only the user can read. Guest and worker
both prove that they know the token before anything else is sent, so neither can be another program of this computer.
"""

import asyncio
import hmac
import logging
import secrets
from asyncio import StreamReader, StreamWriter
from contextlib import suppress
from pathlib import Path

import msgspec

from desktop.settings.atomic_files import write_whole

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
