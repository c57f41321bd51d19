"""What the header of a model's file tells, and files that are damaged."""

import struct
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.errors.servers import LocalModelUnusable
from desktop.providers.gguf import GgufHeader, read_gguf
from tests.cases import cases

UINT32, FLOAT, TEXT, ARRAY = 4, 6, 8, 9
HEADS = "llama.attention.head_count_kv"


def text_bytes(text):
    return struct.pack("<Q", len(text.encode())) + text.encode()


def array(kind, items, length=None):
    packed = b"".join(text_bytes(item) if kind == TEXT else struct.pack("<I", item) for item in items)
    return ARRAY, struct.pack("<IQ", kind, len(items) if length is None else length) + packed


def number(value):
    return UINT32, struct.pack("<I", value)


def string(value):
    return TEXT, text_bytes(value)


def gguf(changed=(), *, version=3, tensors=1, offset=0, size=64, entries=None):
    """Return the file of a small model; `changed` replaces values, which are (kind, bytes), and None leaves one out."""
    values = {
        "general.architecture": string("llama"),
        "general.name": string("Little"),
        "llama.context_length": number(4_096),
        "llama.block_count": number(3),
        "llama.embedding_length": number(64),
        "llama.attention.head_count": number(8),
        HEADS: number(2),
        "tokenizer.ggml.tokens": array(TEXT, ["a", "b", "c"]),
        "tokenizer.chat_template": string("{{ tools }}"),
    } | dict(changed)
    kept = {key: value for key, value in values.items() if value is not None}
    head = b"GGUF" + struct.pack("<IQQ", version, tensors, len(kept) if entries is None else entries)
    body = b"".join(text_bytes(key) + struct.pack("<I", kind) + data for key, (kind, data) in kept.items())
    tensor = text_bytes("weight") + struct.pack("<IQIQ", 1, 8, 0, offset)
    file = head + body + tensor * tensors
    return file + bytes(-len(file) % 32 + size)


LITTLE = GgufHeader("llama", "Little", 4_096, 3 * 2 * 16 * 2, 3, "{{ tools }}")


@cases(
    "changed, token_bytes, vocabulary",
    [
        ({}, LITTLE.token_bytes, 3),
        ({HEADS: array(UINT32, [1, 2, 0])}, 3 * 16 * 2, 3),  # a number for each layer
        ({HEADS: None}, 3 * 8 * 16 * 2, 3),
        ({HEADS: string("many")}, 0, 3),
        ({"llama.attention.key_length": number(4), "llama.attention.value_length": number(12)}, 3 * 2 * 16 * 2, 3),
        ({"tokenizer.ggml.tokens": string("a")}, LITTLE.token_bytes, 0),
        ({"tokenizer.ggml.tokens": array(UINT32, range(2_000))}, LITTLE.token_bytes, 2_000),
        ({"tokenizer.ggml.tokens": array(UINT32, [1, 2])}, LITTLE.token_bytes, 0),
    ],
)  # fmt: skip
def test_a_header_tells_what_a_model_needs(tmp_path, changed, token_bytes, vocabulary):
    path = tmp_path / "little.gguf"
    path.write_bytes(gguf(changed))
    header = read_gguf(path)
    assert (header.token_bytes, header.vocabulary) == (token_bytes, vocabulary)
    assert (header.name, header.context_tokens, header.has_tools) == ("Little", 4_096, True)


@cases(
    "content, reason",
    [
        (b"", "not a GGUF file"),
        (b"GGUF", "incomplete"),
        (gguf(version=1), "incomplete"),
        (gguf(entries=2**40), "incomplete"),
        (gguf(tensors=0), "incomplete"),
        (gguf(size=0), "incomplete"),
        (gguf(offset=2**40), "incomplete"),
        (gguf({"x": (99, b"")}), "incomplete"),
        (gguf({"x": (TEXT, struct.pack("<Q", 2**40))}), "incomplete"),
        (gguf({"x": (TEXT, struct.pack("<Q", 2) + b"\xff\xfe")}), "incomplete"),
        (gguf({"x": array(TEXT, [], 2**40)}), "incomplete"),
        (gguf({"x": array(99, [], 1)}), "incomplete"),
        (gguf({"x": array(UINT32, [], 2**62)}), "incomplete"),
        (gguf({"llama.block_count": None}), "not a chat model"),
        (gguf({"llama.block_count": string("three")}), "not a chat model"),
        (gguf({"llama.context_length": (FLOAT, struct.pack("<f", 1.5))}), "not a chat model"),
        (gguf({"llama.pooling_type": number(1)}), "not a chat model"),
        (gguf({"general.architecture": number(1)}), "not a chat model"),
    ],
)
def test_a_damaged_file_is_refused_with_the_reason(tmp_path, content, reason):
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(LocalModelUnusable, match=reason):
        read_gguf(path)


@given(st.data())
def test_any_damage_is_a_refusal_or_still_a_header(tmp_path_factory, data):
    content = bytearray(gguf())
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=8)):
        content[place] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / f"damaged-{next(NUMBERS)}.gguf"
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    try:
        header = read_gguf(path)
    except LocalModelUnusable:
        return
    finally:
        path.unlink()
    assert header.context_tokens > 0
    assert header.token_bytes >= 0


NUMBERS = count()
"""Of the files: headers of one path are remembered by size and time."""
