"""The models that come with the installation, run by onnxruntime: two embedding models and a network that judges pairs of texts.

`scripts/embedding_models.py` builds their files into resources/models when Footnote is installed. As a process, this
module runs them for `bundled_client`: texts in, vectors and judgements out.
"""

import hashlib
import importlib
import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn, Protocol
from weakref import WeakValueDictionary

import msgspec

from desktop.domain.knowledge import BUILT_IN_MODEL, MINILM_MODEL
from desktop.errors import AppError, ModelUnusable
from desktop.phrases import translatable
from desktop.resources import resources_dir
from desktop.text.child_server import Send, serve
from desktop.text.decode import strip_surrogates
from desktop.text.message_codec import error_fields

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from sentencepiece import SentencePieceProcessor

# Processes that read files need the tokenizer of MiniLM alone.
# ruff: noqa: PLC0415

BUNDLED = (BUILT_IN_MODEL, MINILM_MODEL)
E5_TOKENS = 512
MINILM_TOKENS = 256
PAIR_TOKENS = 256

_MANIFEST = "manifest.json"
_E5_GRAPH, _E5_VOCABULARY = "multilingual-e5-small.onnx", "multilingual-e5-small.model"
_E5_WORDS = "multilingual-e5-small.words"
"""The embeddings of words, which the graphs of E5 and of the network for pairs share."""
_PAIRS_GRAPH = "entailment.onnx"
_MINILM_GRAPH, _MINILM_TOKENIZER = "all-MiniLM-L6-v2.onnx", "all-MiniLM-L6-v2.tokenizer.json"
_START, _END = 0, 2
"""Token ids that E5 expects before and after a text."""
_MOST_THREADS = 4
_ABSENT = translatable(
    "“{name}” is missing or damaged. Install Footnote again, or run “make setup” in a checkout"
)

Tokenize = Callable[[str], Sequence[int]]


class PairJudgement(NamedTuple):
    """Judgement of a pair of texts, each 0…1.

    `entailed` and `contradicted`: how likely the second text says, or denies, the claim that is the first one.
    `answers`, `holds_answer`: how likely a passage, or a single sentence, answers the question that is the first one.
    """

    entailed: float
    contradicted: float
    answers: float
    holds_answer: float


class _Session(Protocol):
    """The part of the interface of `onnxruntime.InferenceSession` that is used here."""

    def run(self, output_names: None, inputs: "dict[str, NDArray[np.int64]]") -> "list[NDArray[np.float32]]":
        """Return the outputs of the graph."""
        ...


class BundledEncoder:
    """A loaded model. Texts are processed one at a time.

    This is fastest on a CPU, and makes the vector of a text independent of the other texts.
    """

    def __init__(self, session: "_Session", tokenize: Tokenize) -> None:
        self._session = session
        self._tokenize = tokenize

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        """Return unit vectors of 32-bit floats in the order of `texts`."""
        return [self._vector(text).tobytes() for text in texts]

    def _vector(self, text: str) -> "NDArray[np.float32]":
        import numpy as np

        ids = np.array([self._tokenize(strip_surrogates(text))], np.int64)
        (vectors,) = self._session.run(None, {"input_ids": ids})
        found: NDArray[np.float32] = vectors[0]
        return found


class BundledPairModel:
    """The loaded network that judges pairs of texts, one at a time; trained by `benchmarks/entailment_training.py`."""

    def __init__(self, session: "_Session", encode: Callable[[str], list[int]]) -> None:
        self._session = session
        self._encode = encode

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[PairJudgement]:
        """Judge (claim or question, passage) pairs; what is too long is cut from the passage."""
        return [self._judge(*pair) for pair in pairs]

    def _judge(self, first: str, second: str) -> PairJudgement:
        import numpy as np

        one = self._encode(strip_surrogates(first))[: PAIR_TOKENS // 2]
        other = self._encode(strip_surrogates(second))[: PAIR_TOKENS - len(one) - 4]
        ids = np.array([[_START, *one, _END, _END, *other, _END]], np.int64)
        (logits,) = self._session.run(None, {"input_ids": ids})
        likely = np.exp(logits[0, :3] - logits[0, :3].max())
        likely /= likely.sum()
        yes = 1 / (1 + np.exp(-logits[0, 3:]))
        return PairJudgement(float(likely[0]), float(likely[2]), float(yes[0]), float(yes[1]))


def load_pair_model() -> BundledPairModel:
    """Load the bundled network that judges pairs of texts; takes about half a second.

    Raises:
        ModelUnusable: its files are missing or damaged.
    """
    vocabulary = _load_vocabulary(_check_file(_E5_VOCABULARY))
    _check_file(_E5_WORDS)
    return BundledPairModel(_session(_check_file(_PAIRS_GRAPH)), vocabulary.encode)


def load_bundled(model_id: str) -> BundledEncoder:
    """Load a bundled model; takes about half a second.

    Raises:
        ModelUnusable: its files are missing or damaged.
    """
    return _load_e5() if model_id == BUILT_IN_MODEL else _load_minilm()


def minilm_tokenizer() -> Path:
    """Return the path of MiniLM's `tokenizer.json`."""
    return _models_folder() / _MINILM_TOKENIZER


def _load_e5() -> BundledEncoder:
    vocabulary = _load_vocabulary(_check_file(_E5_VOCABULARY))

    def tokenize(text: str) -> list[int]:
        return [_START, *vocabulary.encode(text)[: E5_TOKENS - 2], _END]

    _check_file(_E5_WORDS)
    return BundledEncoder(_session(_check_file(_E5_GRAPH)), tokenize)


_vocabularies: "WeakValueDictionary[str, SentencePieceProcessor]" = WeakValueDictionary()
"""E5 and the network for pairs share one: a second takes 0.3 s and some 20 MB."""


def _load_vocabulary(path: str) -> "SentencePieceProcessor":
    from sentencepiece import SentencePieceProcessor

    vocabulary = _vocabularies.get(path)
    if vocabulary is None:
        vocabulary = _vocabularies[path] = SentencePieceProcessor(model_file=path)
    return vocabulary


def _load_minilm() -> BundledEncoder:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(_check_file(_MINILM_TOKENIZER))
    tokenizer.enable_truncation(MINILM_TOKENS)
    tokenizer.no_padding()
    return BundledEncoder(_session(_check_file(_MINILM_GRAPH)), lambda text: tokenizer.encode(text).ids)


def _check_file(name: str) -> str:
    """Return the path of a file in resources/models; raises ModelUnusable if its checksum does not match."""
    path = _models_folder() / name
    absent = ModelUnusable(model=path.stem, detail=_ABSENT.format(name=path))
    try:
        manifest = msgspec.json.decode((path.parent / _MANIFEST).read_bytes(), type=_Manifest)
        with path.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
    except (OSError, msgspec.DecodeError) as error:
        raise absent from error
    if digest != manifest.files.get(name):
        raise absent
    return str(path)


def _models_folder() -> Path:
    return resources_dir() / "models"


class _Manifest(msgspec.Struct):
    """The SHA-256 of each file by name."""

    files: dict[str, str]


def _session(graph: str) -> "_Session":
    onnxruntime = importlib.import_module("onnxruntime")  # it has no type hints
    options = onnxruntime.SessionOptions()
    # Leave half of the CPU cores to the window and other programs.
    options.intra_op_num_threads = max(1, min(_MOST_THREADS, (os.cpu_count() or 2) // 2))
    options.inter_op_num_threads = 1
    session: _Session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    return session


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
