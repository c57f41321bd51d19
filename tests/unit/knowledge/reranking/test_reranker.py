"""Second opinions: servers in the forms that are about, a real cross-encoder, and what is said when they fail."""

import asyncio
import json
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.knowledge import ItemKind
from desktop.errors import EntailmentFailed, IndexUnavailable, ModelMissing, RerankerFailed
from desktop.knowledge.embedding.model_store import ModelStore
from desktop.knowledge.index.passages import FoundPassage
from desktop.knowledge.protocol import WorkerConfig
from desktop.knowledge.reranker_api import ApiReranker
from desktop.knowledge.rerankers import (
    BATCH,
    LocalEntailmentModel,
    LocalReranker,
    judge_entailment,
    probe_entailment,
    probe_reranker,
    reranking_for,
)
from desktop.knowledge.reranking import JUDGED, Reranking, normalize_scores, rerank
from desktop.settings.model import KnowledgeSettings, OwnReranker
from desktop.text.likelihoods import logistic
from tests.cases import cases
from tests.unit.knowledge.embedding.tiny_model import MINILM

PAIRS = [("heron", "a bird"), ("heron", "a boat"), ("heron", "a fish")]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_scores_become_shares_and_keep_their_order(raw):
    told = normalize_scores(raw)
    assert all(0 <= score <= 1 for score in told)
    assert all(
        told[one] <= told[other]
        for one in range(len(raw))
        for other in range(len(raw))
        if raw[one] < raw[other]
    )


def test_probabilities_stay_as_they_are_and_logits_do_not():
    assert normalize_scores([0.2, 0.9]) == [0.2, 0.9]
    assert normalize_scores([-3.0, 0.0, 2.0]) == pytest.approx([logistic(-3), 0.5, logistic(2)])


@dataclass
class Server:
    """Answers with what it was told to, in turn, and keeps what it was asked."""

    answers: list[tuple[int, object, dict[str, str]]]
    asked: list[dict] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    url: str = ""
    gate: threading.Event = field(default_factory=threading.Event)


@pytest.fixture
def serve():
    servers = []

    def start(*answers, waits=False):
        server = Server(list(answers))
        if not waits:
            server.gate.set()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                server.asked.append(json.loads(body))
                server.keys.append(self.headers.get("Authorization", ""))
                server.paths.append(self.path)
                server.gate.wait(30)
                status, answer, headers = server.answers.pop(0)
                if callable(answer):
                    answer = answer(server.asked[-1])
                content = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                try:
                    self.end_headers()
                    self.wfile.write(content)
                except OSError:
                    self.close_connection = True  # the client has given up meanwhile

            def log_message(self, *_arguments):
                """Stay silent."""

        http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        http.daemon_threads = True
        threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
        server.url = f"http://127.0.0.1:{http.server_port}/v1"
        servers.append((http, server))
        return server

    yield start
    for http, server in servers:
        server.gate.set()
        http.shutdown()
        http.server_close()


def reranker(server, **changes):
    return replace(ApiReranker("Mine", server.url, "rerank-1", "secret-key"), **changes)


def asked(server, pairs=PAIRS, **changes):
    return asyncio.run(reranker(server, **changes).scores(pairs))


SCORES = [(0, 0.9), (2, 0.4), (1, 0.1)]
"""Best first, as all of them send it: places have to be put back in order."""
JINA = {
    "model": "jina-reranker-v2-base-multilingual",
    "usage": {"total_tokens": 12},
    "results": [{"index": place, "relevance_score": score} for place, score in SCORES],
}
COHERE = {
    "id": "07734bd2",
    "results": [{"index": place, "relevance_score": score} for place, score in SCORES],
    "meta": {"api_version": {"version": "2"}, "billed_units": {"search_units": 1}},
}
SILICONFLOW = {
    "id": "0199",
    "results": [
        {"document": {"text": "…"}, "index": place, "relevance_score": score} for place, score in SCORES
    ],
    "tokens": {"input_tokens": 12, "output_tokens": 0},
}
BARE = [{"index": place, "score": score} for place, score in SCORES]
VOYAGE = {"object": "list", "data": [{"index": place, "relevance_score": score} for place, score in SCORES]}


@cases(
    "answer",
    [JINA, COHERE, SILICONFLOW, BARE, VOYAGE],
    ids=["jina", "cohere", "siliconflow", "bare", "voyage"],
)
def test_the_forms_of_answers_that_are_about_are_read(serve, answer):
    server = serve((200, answer, {}))
    assert asked(server) == [0.9, 0.1, 0.4]
    assert server.asked == [
        {
            "model": "rerank-1",
            "query": "heron",
            "documents": ["a bird", "a boat", "a fish"],
            "top_n": 3,
        }
    ]
    assert (server.keys, server.paths) == (["Bearer secret-key"], ["/v1/rerank"])


def test_logits_of_a_server_of_ones_own_become_probabilities(serve):
    answer = {
        "results": [{"index": place, "relevance_score": score} for place, score in enumerate((5, -5, 0))]
    }
    assert asked(serve((200, answer, {}))) == pytest.approx([logistic(5), logistic(-5), 0.5])


def test_each_query_is_asked_with_its_own_passages(serve):
    def answer(body):
        scores = {"a bird": 0.9, "a boat": 0.2, "eine Ente": 0.7}
        return {
            "results": [
                {"index": place, "relevance_score": scores[text]}
                for place, text in enumerate(body["documents"])
            ]
        }

    server = serve((200, answer, {}), (200, answer, {}))
    pairs = [("heron", "a bird"), ("Ente", "eine Ente"), ("heron", "a boat")]
    assert asked(server, pairs) == [0.9, 0.7, 0.2]
    assert {body["query"]: len(body["documents"]) for body in server.asked} == {"heron": 2, "Ente": 1}


def test_an_address_may_name_the_call_and_a_server_may_want_no_key(serve):
    server = serve((200, JINA, {}))
    asked(server, url=f"{server.url}/rerank/", key="")
    assert (server.paths, server.keys) == (["/v1/rerank"], [""])


@cases(
    "answer, words",
    [
        ((401, {"detail": "bad key"}, {}), "did not accept the API key"),
        ((403, {}, {}), "did not accept the API key"),
        ((429, {}, {}), "not accepting more requests"),
        ((429, {}, {"Retry-After": "60"}), "not accepting more requests"),
        ((500, "it is broken for secret-key", {}), "HTTP 500"),
        ((302, "", {"Location": "http://127.0.0.1:1/"}), "HTTP 302"),
        ((200, "<html>", {}), "a reply that Footnote can’t read"),
        ((200, {"results": [{"index": "x"}]}, {}), "a reply that Footnote can’t read"),
        ((200, {"results": [{"index": 0, "relevance_score": 0.5}]}, {}), "ranked 1 of 3"),
        (
            (200, {"results": [{"index": place, "relevance_score": None} for place in range(3)]}, {}),
            "ranked 0 of 3",
        ),
        ((200, {"results": [{"index": -1, "relevance_score": 1}] * 3}, {}), "ranked 0 of 3"),
        ((200, {}, {}), "ranked 0 of 3"),
    ],
)
def test_every_failure_has_words_and_never_the_key(serve, answer, words):
    with pytest.raises(RerankerFailed) as failure:
        asked(serve(answer))
    assert words in str(failure.value)
    assert "secret-key" not in str(failure.value)
    assert "secret-key" not in repr(reranker(serve()))


def test_a_limit_that_is_over_soon_is_waited_for(serve):
    server = serve((429, {}, {"Retry-After": "0"}), (200, JINA, {}))
    assert asked(server) == [0.9, 0.1, 0.4]


def test_a_server_that_is_not_there_or_does_not_answer_is_said(serve):
    server = serve((200, JINA, {}), waits=True)
    with pytest.raises(RerankerFailed, match="did not respond in time"):
        asked(server, timeout_s=0.1)
    with pytest.raises(RerankerFailed, match="can’t be reached"):
        asked(server, url="http://127.0.0.1:1/v1")
    with pytest.raises(RerankerFailed, match="can’t be reached"):
        asked(server, url="nowhere")


# A real cross-encoder: small, with weights of chance, made here as none can be fetched.


@pytest.fixture(scope="module")
def encoder_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encoder")
    return make_encoder(folder, outputs=1)


def make_encoder(folder, outputs):
    import torch  # with transformers a third of all imports: only in the process that makes encoders
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    tokenizer = AutoTokenizer.from_pretrained(str(MINILM))
    config = BertConfig(
        vocab_size=tokenizer.vocab_size,
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        initializer_range=0.8,
        num_labels=outputs,
    )
    with torch.random.fork_rng():
        torch.manual_seed(1)
        BertForSequenceClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


class Thread:
    """What the room of models does, without models."""

    def __init__(self):
        self.pool = ThreadPoolExecutor(1)
        self.batches = 0

    def run(self, work):
        def guarded():
            self.batches += 1
            try:
                return work()
            except Exception as error:
                raise IndexUnavailable(detail=str(error)) from error

        return asyncio.get_running_loop().run_in_executor(self.pool, guarded)


@pytest.fixture
def thread():
    thread = Thread()
    yield thread
    thread.pool.shutdown()


def local(folder, thread):
    return LocalReranker(str(folder), ModelStore(folder.parent).find, thread.run)


def test_a_cross_encoder_judges_in_batches_and_in_the_order_asked(encoder_folder, thread):
    import torch
    from sentence_transformers import CrossEncoder

    texts = ["a heron stands in the water " * count for count in range(1, 21)]
    pairs = [("what is a heron", text) for text in texts]
    looked_for = []

    def find(model_id):
        looked_for.append(model_id)
        return ModelStore(encoder_folder.parent).find(model_id)

    told = asyncio.run(LocalReranker(str(encoder_folder), find, thread.run).scores(pairs))
    model = CrossEncoder(str(encoder_folder), device="cpu", local_files_only=True)
    wanted = model.predict(pairs, activation_fn=torch.nn.Sigmoid(), show_progress_bar=False)
    assert told == pytest.approx(wanted.tolist(), abs=1e-4)
    assert np.ptp(told) > 0.01, "chance tells these texts apart, or nothing is tested"
    assert thread.batches == math.ceil(len(pairs) / BATCH)
    assert looked_for == [str(encoder_folder)], "its folder is looked through once, not for every batch"


def test_one_with_two_outputs_gives_the_share_of_the_second(tmp_path, thread):
    from sentence_transformers import CrossEncoder

    folder = make_encoder(tmp_path / "two", outputs=2)
    (told,) = asyncio.run(local(folder, thread).scores(PAIRS[:1]))
    model = CrossEncoder(str(folder), device="cpu", local_files_only=True)
    ((_, yes),) = model.predict(PAIRS[:1], apply_softmax=True, show_progress_bar=False)
    assert told == pytest.approx(float(yes), abs=1e-4)


def test_another_kind_of_model_is_refused_rather_than_asked_for_chance(tmp_path, thread):
    with pytest.raises(RerankerFailed, match="not trained to judge"):
        asyncio.run(local(MINILM, thread).scores(PAIRS))
    classifier = make_encoder(tmp_path / "three", outputs=3)
    with pytest.raises(RerankerFailed, match="3 outputs"):
        asyncio.run(local(classifier, thread).scores(PAIRS))


def make_entailment_model(folder, names, sure_of):
    """Make a cross encoder whose outputs have these names, and that is always sure of one of them."""
    import torch
    from transformers import BertForSequenceClassification

    make_encoder(folder, outputs=len(names))
    model = BertForSequenceClassification.from_pretrained(folder)
    model.config.id2label = dict(enumerate(names))
    with torch.no_grad():
        model.classifier.bias[names.index(sure_of)] += 50.0
    model.save_pretrained(folder)
    return folder


@pytest.mark.parametrize(
    ("names", "sure_of", "likely"),
    [
        (("contradiction", "entailment", "neutral"), "entailment", (1.0, 0.0)),
        (("contradiction", "entailment", "neutral"), "contradiction", (0.0, 1.0)),
        (("entailment", "neutral", "contradiction"), "neutral", (0.0, 0.0)),
        (("entailment", "not_entailment"), "not_entailment", (0.0, 0.0)),
    ],
)
def test_an_entailment_model_is_read_by_the_names_of_its_outputs(tmp_path, thread, names, sure_of, likely):
    folder = make_entailment_model(tmp_path / "nli", names, sure_of)
    model = LocalEntailmentModel(str(folder), ModelStore(tmp_path).find, thread.run)
    found = asyncio.run(judge_entailment(model, PAIRS * 5))
    assert len(found) == 15
    assert found[0] == pytest.approx(likely, abs=1e-3)
    assert "It works" in asyncio.run(probe_entailment(model))


def test_a_model_that_does_not_name_its_outputs_judges_no_claims(tmp_path, thread):
    folder = make_encoder(tmp_path / "three", outputs=3)
    model = LocalEntailmentModel(str(folder), ModelStore(tmp_path).find, thread.run)
    with pytest.raises(EntailmentFailed, match="LABEL_0"):
        asyncio.run(model.judge(PAIRS))
    with pytest.raises(EntailmentFailed):
        asyncio.run(judge_entailment(None, PAIRS))


def test_an_entailment_model_that_is_not_here_is_said(tmp_path, thread):
    model = LocalEntailmentModel("cross-encoder/none", ModelStore(tmp_path).find, thread.run)
    with pytest.raises(EntailmentFailed) as failure:
        asyncio.run(model.judge(PAIRS))
    assert str(ModelMissing(model="cross-encoder/none")) in str(failure.value)


def test_one_that_is_not_here_is_said(tmp_path, thread):
    with pytest.raises(RerankerFailed) as failure:
        asyncio.run(
            LocalReranker("BAAI/bge-reranker-base", ModelStore(tmp_path).find, thread.run).scores(PAIRS)
        )
    assert str(ModelMissing(model="BAAI/bge-reranker-base")) in str(failure.value)
    assert thread.batches == 0


def found(key, text, section=""):
    return FoundPassage(key, 1, "b", "s", "a.txt", "/a.txt", ItemKind.FILE, key, 1, section, 0, 9, text)


@dataclass
class Judge:
    """Gives the scores it was told to, or waits for ever."""

    given: list[float] | None
    name: str = "The Judge"
    asked: list[tuple[str, str]] = field(default_factory=list)

    async def scores(self, pairs):
        self.asked = list(pairs)
        if self.given is None:
            await asyncio.Event().wait()
        return self.given


def judgement(judging, count=2):
    pool = [found(key, f"text {key}", section="A heading") for key in range(count)]
    return asyncio.run(rerank(judging, {key: f"query {key}" for key in range(count)}, pool))


def test_each_passage_is_judged_by_the_query_that_found_it_under_its_heading():
    judge = Judge([0.4, 0.6])
    assert judgement(Reranking(judge)) == ({0: 0.4, 1: 0.6}, "")
    assert judge.asked == [("query 0", "A heading\ntext 0"), ("query 1", "A heading\ntext 1")]


def test_only_the_first_of_a_large_pool_are_judged():
    verdicts, _ = judgement(Reranking(Judge([0.5] * JUDGED)), count=JUDGED + 30)
    assert list(verdicts) == list(range(JUDGED))


def test_a_slow_reranker_is_said_and_the_order_stays():
    verdicts, note = judgement(Reranking(Judge(None), limit_s=0.05))
    assert verdicts == {}
    assert "The Judge" in note
    assert "order in which they were found" in note


def test_a_failing_reranker_is_said_and_the_order_stays():
    verdicts, note = judgement(Reranking(ApiReranker("Mine", "http://127.0.0.1:1", "m")))
    assert verdicts == {}
    assert "Mine can’t be reached" in note
    assert "order in which they were found" in note


def test_without_a_reranker_nothing_is_said():
    assert judgement(Reranking()) == ({}, "")


NOBODY = Reranking()


def chosen(thread, store, settings, before=NOBODY, **secrets):
    return reranking_for(WorkerConfig(settings, secrets), store, thread.run, before)


def test_the_settings_name_the_reranker(tmp_path, thread):
    own = OwnReranker("r1", "Mine", "http://rerank.example/v1", "m")
    settings = KnowledgeSettings(reranker="r1", own_rerankers=(own,), threshold=0.6)
    judging = chosen(thread, ModelStore(tmp_path), settings, **{"rerank/r1": "k"})
    assert judging.reranker == ApiReranker("Mine", "http://rerank.example/v1", "m", "k")
    assert judging.threshold == 0.6
    assert chosen(thread, ModelStore(tmp_path), KnowledgeSettings()).reranker is None


def test_one_that_is_gone_from_the_settings_is_said(tmp_path, thread):
    verdicts, note = judgement(chosen(thread, ModelStore(tmp_path), KnowledgeSettings(reranker="gone")))
    assert verdicts == {}
    assert "no longer in the settings" in note


def test_weights_stay_loaded_while_other_settings_change(tmp_path, thread):
    local_one = KnowledgeSettings(reranker="local:BAAI/bge-reranker-base")
    store = ModelStore(tmp_path)
    before = chosen(thread, store, local_one)
    assert before.reranker.name == "bge-reranker-base"
    assert chosen(thread, store, replace(local_one, threshold=0.9), before).reranker is before.reranker
    other = replace(local_one, reranker="local:BAAI/bge-reranker-large")
    assert chosen(thread, store, other, before).reranker is not before.reranker


def test_trying_a_reranker_says_how_it_went(encoder_folder, thread):
    words = asyncio.run(probe_reranker(Reranking(local(encoder_folder, thread))))
    assert words.startswith("It works. A passage that answers scores 0.")
    with pytest.raises(RerankerFailed, match="None is chosen"):
        asyncio.run(probe_reranker(Reranking()))
