"""Vectors from a server on this machine that speaks OpenAI's embeddings protocol."""

import asyncio
import base64
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import numpy as np
import openai
import pytest

from desktop.errors.servers import EmbedderDown, EmbedderRefused
from desktop.knowledge.embedding import remote as served_encoder
from desktop.knowledge.embedding.remote import RemoteEncoder, failure
from desktop.settings.model import NO_PROXY, OwnEmbedder
from desktop.settings.proxies import ProxyChoice
from tests.cases import cases
from tests.llama_server import MODEL, llama_server, weights
from tests.serving import serve_requests

DIRECT = ProxyChoice(NO_PROXY)


def meaning(text):
    """A vector that tells texts apart by their length."""
    return [3.0, float(len(text)), 4.0]


class Server:
    def __init__(self):
        self.requests = []
        self.keys = []
        self.refusals = []
        self.most_texts = 1_000
        self.shape = lambda rows: rows
        self.address = ""


@pytest.fixture
def server():
    with serve() as server:
        yield server


@contextmanager
def serve():
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.requests.append(body)
            state.keys.append(self.headers["Authorization"])
            if state.refusals:
                return self.reply(*state.refusals.pop(0))
            if len(body["input"]) > state.most_texts:
                return self.reply(413, {"error": {"message": "too many inputs"}})
            rows = [
                {"object": "embedding", "index": place, "embedding": meaning(text)}
                for place, text in enumerate(body["input"])
            ]
            self.reply(
                200,
                {
                    "object": "list",
                    "data": state.shape(rows),
                    "model": body["model"],
                    "usage": {"prompt_tokens": 1, "total_tokens": 1},
                },
            )
            return None

        def reply(self, status, body, headers=()):
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            for name, value in headers:
                self.send_header(name, value)
            try:
                self.end_headers()
                self.wfile.write(content)
            except OSError:
                self.close_connection = True  # the client has given up meanwhile

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads = True
    state.address = f"http://127.0.0.1:{running.server_port}/v1"
    with serve_requests(running):
        yield state


def encode(server, texts, key="secret", **options):
    async def scenario():
        encoder = RemoteEncoder(
            OwnEmbedder("own", "My server", server.address, "a-model", **options), key, DIRECT
        )
        try:
            return [np.frombuffer(vector, np.float32) for vector in await encoder.encode(texts)]
        finally:
            await encoder.aclose()

    return asyncio.run(scenario())


def lengths(vectors):
    return [round(float(vector[1] / vector[0] * 3)) for vector in vectors]


def test_vectors_are_of_unit_length_and_in_the_order_of_the_texts(server):
    server.shape = lambda rows: rows[::-1]
    vectors = encode(server, ["a", "bbb", "cc"])
    assert lengths(vectors) == [1, 3, 2]
    assert all(abs(float(np.linalg.norm(vector)) - 1) < 1e-6 for vector in vectors)
    assert server.keys == ["Bearer secret"]
    assert server.requests[0]["model"] == "a-model"
    assert "dimensions" not in server.requests[0]


def test_vectors_of_huge_numbers_are_of_unit_length_too(server):
    server.shape = lambda rows: [row | {"embedding": [1e38] * 8} for row in rows]
    (vector,) = encode(server, ["a"])
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)


def test_an_answer_that_never_ends_is_given_up(server, monkeypatch):
    monkeypatch.setattr(served_encoder, "_LONGEST_S", 0.2)
    release = threading.Event()
    server.shape = lambda rows: rows[: release.wait(30)]
    try:
        with pytest.raises(EmbedderDown, match="too long"):
            encode(server, ["a"])
    finally:
        release.set()


def test_a_server_that_takes_fewer_texts_gets_fewer(server):
    server.most_texts = 10
    assert lengths(encode(server, ["x" * n for n in range(1, 41)])) == list(range(1, 41))
    assert max(len(request["input"]) for request in server.requests[-3:]) <= 10


def test_a_busy_server_is_asked_again(server):
    server.refusals = [(429, {"error": {"message": "slow down"}}, [("Retry-After", "0")]), (503, {})]
    assert lengths(encode(server, ["abc"])) == [3]
    assert len(server.requests) == 3


def test_dimensions_are_asked_for_and_held_to(server):
    assert len(encode(server, ["abc"], dimensions=3)[0]) == 3
    assert server.requests[0]["dimensions"] == 3
    with pytest.raises(EmbedderRefused, match="3 numbers instead of 2"):
        encode(server, ["abc"], dimensions=2)


def test_base64_is_understood_from_servers_that_know_nothing_else(server):
    def packed(rows):
        return [
            row | {"embedding": base64.b64encode(np.array(row["embedding"], "<f4").tobytes()).decode()}
            for row in rows
        ]

    server.shape = packed
    assert lengths(encode(server, ["ab", "abc"])) == [2, 3]


@cases(
    "shape, words",
    [
        (lambda rows: rows[:1], "1 vectors for 2 texts"),
        (lambda rows: [row | {"embedding": []} for row in rows], "did not send vectors"),
        (lambda rows: [row | {"embedding": [0, 0]} for row in rows], "did not send vectors"),
        (lambda rows: [row | {"embedding": ["a", "b"]} for row in rows], "did not send vectors"),
        (lambda rows: [rows[0], rows[1] | {"embedding": [1.0]}], "did not send vectors"),
        (lambda rows: [row | {"embedding": None} for row in rows], "did not send vectors"),
    ],
)
def test_what_is_no_vector_is_refused(server, shape, words):
    server.shape = shape
    with pytest.raises(EmbedderRefused, match=words):
        encode(server, ["a", "b"])


@cases(
    "status, body, kind, words",
    [
        (401, {"error": {"message": "bad key"}}, EmbedderRefused, "did not accept the key"),
        (403, {}, EmbedderRefused, "did not accept the key"),
        (404, {}, EmbedderRefused, "does not recognize the model"),
        (402, {}, EmbedderRefused, "out of credit"),
        (400, {"error": {"message": "nonsense"}}, EmbedderRefused, "nonsense"),
        (200, b"<html>", EmbedderRefused, "did not send vectors"),
        (200, b"[]", EmbedderRefused, "0 vectors for 1"),
    ],
)
def test_a_refusal_is_told_in_words_and_never_with_the_key(server, status, body, kind, words):
    server.refusals = [(status, body)] * 8
    with pytest.raises(kind, match=words) as caught:
        encode(server, ["a"])
    assert "My server" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert not caught.value.is_transient


def test_a_server_that_is_not_there_may_be_later():
    gone = Server()
    gone.address = "http://127.0.0.1:9/v1"

    async def scenario():
        encoder = RemoteEncoder(OwnEmbedder("own", "Gone", gone.address, "m"), "", DIRECT, tries=0)
        try:
            await encoder.encode(["a"])
        finally:
            await encoder.aclose()

    with pytest.raises(EmbedderDown, match="Check the address") as caught:
        asyncio.run(scenario())
    assert caught.value.is_transient


def test_a_key_that_the_server_repeats_is_not_told(server):
    server.refusals.append((400, {"error": {"message": "not with Bearer secret"}}))
    with pytest.raises(EmbedderRefused, match="not with Bearer …"):
        encode(server, ["a"])


def test_an_answer_without_end_or_bottom_is_refused(server, monkeypatch):
    server.refusals.append((200, b"[" * 200_000))
    with pytest.raises(EmbedderRefused, match="did not send vectors"):
        encode(server, ["a"])
    server.refusals.append((200, b"", [("Content-Encoding", "gzip")]))
    with pytest.raises(EmbedderRefused, match="did not send vectors"):
        encode(server, ["a"])
    monkeypatch.setattr(served_encoder, "_MOST_BYTES", 1_000)
    with pytest.raises(EmbedderRefused, match="did not send vectors"):
        encode(server, ["a"] * 50)


def test_vectors_keep_their_length(server, monkeypatch):
    monkeypatch.setattr(served_encoder, "BATCH", 1)
    server.shape = lambda rows: [{**row, "embedding": [1.0] * (2 + len(server.requests))} for row in rows]
    with pytest.raises(EmbedderRefused, match="4 numbers instead of 3"):
        encode(server, ["a", "b"])


def test_every_error_of_the_sdk_has_words():
    request = httpx2.Request("POST", "http://x")
    made = [
        openai.APIConnectionError(request=request),
        openai.APITimeoutError(request),
        openai.OpenAIError("x"),
    ]
    for status in (400, 401, 403, 404, 409, 422, 429, 500, 503):
        response = httpx2.Response(status, request=request)
        made.append(openai.APIStatusError("said", response=response, body=None))
    for error in made:
        told = failure("S", error)
        assert isinstance(told, EmbedderRefused | EmbedderDown)
        assert told.fields["detail"]


@pytest.mark.skipif(weights() is None, reason="the small model and xllamacpp are development packages")
def test_a_real_llama_server_embeds():
    with llama_server(embeds=True) as address:
        own = Server()
        own.address = f"{address}/v1"

        async def scenario():
            encoder = RemoteEncoder(OwnEmbedder("own", "llama.cpp", own.address, MODEL), "", DIRECT)
            try:
                return await encoder.encode(["A heron eats fish.", "都江堰", "A heron eats fish."])
            finally:
                await encoder.aclose()

        heron, dam, again = (np.frombuffer(vector, np.float32) for vector in asyncio.run(scenario()))
    assert float(heron @ again) > 0.999
    assert float(heron @ dam) < 0.999
