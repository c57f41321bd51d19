"""The process that runs the bundled models for `bundled_client`: texts in, vectors and judgements out."""

from functools import lru_cache
from typing import NoReturn

import msgspec

from desktop.domain.knowledge import BUILT_IN_MODEL
from desktop.errors import AppError
from desktop.knowledge.bundled_models import (
    BundledEncoder,
    BundledPairModel,
    PairJudgement,
    load_bundled,
    load_pair_model,
)
from desktop.text.child_server import Send, serve
from desktop.text.message_codec import error_fields

LIMIT_S = 30.0
_MAX_MEMORY_BYTES = 1024 * 1024 * 1024


class EmbedTexts(msgspec.Struct, tag=True):
    """Asks for the vectors of texts by the built-in embedding model; without texts it is only loaded."""

    texts: tuple[str, ...]


class JudgePairs(msgspec.Struct, tag=True):
    """Asks for judgements of pairs by the bundled network; without pairs it is only loaded."""

    pairs: tuple[tuple[str, str], ...]


class TextVectors(msgspec.Struct, tag=True):
    """The vectors, as 32-bit floats."""

    vectors: tuple[bytes, ...]


class PairJudgements(msgspec.Struct, tag=True):
    """The judgements."""

    judgements: tuple[PairJudgement, ...]


class ModelCallFailed(msgspec.Struct, tag=True):
    """The name and the fields of the error."""

    error: str
    fields: dict[str, str]


ModelCall = EmbedTexts | JudgePairs
ModelReply = TextVectors | PairJudgements | ModelCallFailed


def main() -> NoReturn:
    """Serve until the parent process ends."""
    serve(_answer, timeout_s=LIMIT_S, max_memory_bytes=_MAX_MEMORY_BYTES)


def _answer(payload: bytes, send: Send) -> None:
    call: ModelCall = msgspec.msgpack.decode(payload, type=ModelCall)
    try:
        reply = _reply_to(call)
    except AppError as error:
        reply = ModelCallFailed(type(error).__name__, error_fields(error))
    send(msgspec.msgpack.encode(reply))


def _reply_to(call: ModelCall) -> ModelReply:
    if isinstance(call, EmbedTexts):
        return TextVectors(tuple(_encoder().encode(call.texts)))
    return PairJudgements(tuple(_pair_model().judge(call.pairs)))


@lru_cache(maxsize=1)
def _encoder() -> BundledEncoder:
    return load_bundled(BUILT_IN_MODEL)


@lru_cache(maxsize=1)
def _pair_model() -> BundledPairModel:
    return load_pair_model()


if __name__ == "__main__":
    main()
