"""What servers and networks say, in the words of the house."""

import inspect
import ssl
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import anthropic
import httpx2
import openai
import pytest

from desktop.errors.servers import (
    AuthFailed,
    ContextTooLong,
    ModelNotFound,
    ProviderDown,
    ProviderError,
    ProviderFailing,
    ProviderGarbage,
    ProviderNotRunning,
    ProviderTimedOut,
    QuotaExceeded,
    RateLimited,
    RequestRejected,
    ServiceOverloaded,
    StreamBroken,
    ToolsRefused,
)
from desktop.providers import anthropic as anthropic_messages
from desktop.providers import openai_server
from desktop.providers.errors import ErrorMapper
from desktop.providers.openai_chat import StreamError
from tests.cases import cases
from tests.unit.providers.requests import KEY

FAILURES = ErrorMapper("Test", KEY)


def of(status, body, **headers):
    return FAILURES.of_answer(
        status, body, {name.replace("_", "-"): value for name, value in headers.items()}
    )


@cases(
    "status, kind",
    [
        (301, ModelNotFound),
        (400, RequestRejected),
        (401, AuthFailed),
        (402, QuotaExceeded),
        (403, AuthFailed),
        (404, ModelNotFound),
        (405, ModelNotFound),
        (408, ProviderTimedOut),
        (409, RequestRejected),
        (413, ContextTooLong),
        (418, RequestRejected),
        (422, RequestRejected),
        (429, RateLimited),
        (499, RequestRejected),
        (500, ProviderFailing),
        (502, ProviderFailing),
        (503, ProviderFailing),
        (504, ProviderFailing),
        (529, ServiceOverloaded),
        (599, ProviderFailing),
    ],
)
def test_every_status_has_its_error(status, kind):
    assert type(of(status, {"error": {"message": "Something."}})) is kind


@cases(
    "status, said",
    [
        (
            400,
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        ),
        (400, "prompt is too long: 200001 tokens > 200000 maximum"),
        (400, "input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000"),
        (400, "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."),
        (400, "request (9031 tokens) exceeds the available context size (4096 tokens), try increasing it"),
        (400, "Range of input length should be [1, 30720]"),
        (400, "length of prompt_tokens (9000) must be less than max_seq_len (8192)."),
        (400, "Your request exceeded model token limit: 8192"),
        (400, "Please reduce the length of the messages or completion."),
        (400, "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"),
        (400, "This model's maximum prompt length is 131072 but the request contains 140000 tokens."),
        (400, "Input is too long for requested model."),
        (422, "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000"),
        (400, "Trying to keep the first 5000 tokens when context the overflows."),
        (400, "输入内容超过最大长度限制，上下文超长"),
        (
            413,
            "Request too large for model on tokens per minute (TPM): Limit 6000, please reduce your message size",
        ),
        (500, "the input exceeds the context window"),
    ],
)
def test_too_long_has_many_wordings(status, said):
    assert type(of(status, {"error": {"message": said}})) is ContextTooLong


@cases(
    "status, body",
    [
        (429, {"error": {"message": "You exceeded your current quota.", "code": "insufficient_quota"}}),
        (429, {"error": {"message": "Suspended.", "type": "exceeded_current_quota_error"}}),
        (402, {"error": {"message": "Insufficient Balance"}}),
        (400, {"error": {"message": "Your credit balance is too low to access the API."}}),
        (403, {"code": 30001, "message": "Sorry, your account balance is insufficient"}),
        (429, {"error": {"code": "1113", "message": "您的账户已欠费，请充值后重试。余额不足"}}),
        (400, {"code": "Arrearage", "message": "Access denied, make sure your account is in good standing."}),
        (403, {"error": "Your team doesn't have any credits yet."}),
    ],
)
def test_an_empty_account_is_told_from_a_limit_that_passes(status, body):
    assert type(of(status, body)) is QuotaExceeded


@cases(
    "status, body, kind",
    [
        (400, {"error": {"message": "API key not valid. Please pass a valid API key."}}, AuthFailed),
        (400, {"error": "Incorrect API key provided: xx. You can obtain an API key from x.ai"}, AuthFailed),
        (400, {"error": {"message": "foo/bar is not a valid model ID"}}, ModelNotFound),
        (400, {"code": 20012, "message": "Model does not exist. Please check it carefully."}, ModelNotFound),
        (400, {"message": "Invalid model: foo", "type": "invalid_model"}, ModelNotFound),
        (400, {"error": {"code": "1211", "message": "模型不存在，请检查模型代码。"}}, ModelNotFound),
        (404, {"error": {"message": 'model "x" not found, try pulling it first'}}, ModelNotFound),
        (200, {"error": "Unexpected endpoint or method. (POST /chat/completions)"}, ModelNotFound),
        (403, {"error": {"code": "unsupported_country_region_territory", "message": "No."}}, RequestRejected),
        (
            429,
            {"error": {"message": "You exceeded your current quota", "status": "RESOURCE_EXHAUSTED"}},
            RateLimited,
        ),
        (400, {"error": {"message": "temperature must be between 0 and 2"}}, RequestRejected),
        (401, {"error": {"message": "the model does not exist, or too many tokens"}}, AuthFailed),
        (503, {"error": {"message": "The model is overloaded."}}, ProviderFailing),
    ],
)
def test_vague_statuses_are_read_by_their_words(status, body, kind):
    assert type(of(status, body)) is kind


@cases(
    "body, kind",
    [
        ({"error": {"type": "overloaded_error", "message": "Overloaded"}}, ServiceOverloaded),
        ({"type": "rate_limit_error", "message": "Slowly"}, RateLimited),
        ({"code": 502, "message": "Upstream"}, ProviderFailing),
        ({"code": "429", "message": "Slowly"}, RateLimited),
        ({"message": "No credit", "code": "insufficient_quota"}, QuotaExceeded),
        ({"type": "authentication_error", "message": "x"}, AuthFailed),
        ({"type": "invalid_request_error", "message": "x"}, RequestRejected),
        ({"message": "who knows"}, ProviderFailing),
        ("just text", ProviderFailing),
        ([{"error": {"code": 400, "message": "In a list"}}], RequestRejected),
        (None, ProviderFailing),
    ],
)
def test_errors_inside_a_stream_are_read_by_their_type(body, kind):
    assert type(of(200, body)) is kind


def test_what_the_server_said_is_passed_on_once_and_short():
    assert "Model gone. (HTTP 404)" in str(of(404, {"error": {"message": "Model\n  gone."}}))
    assert len(str(of(400, {"error": {"message": "long " * 500}}))) < 450
    assert "<" not in str(of(502, "<html><head><title>502 Bad &amp; Gateway</title></head>"))
    assert "502 Bad & Gateway" in str(of(502, "<html><head><title>502 Bad &amp; Gateway</title></head>"))
    assert "https://elsewhere.example/v1" in str(of(308, "", location="https://elsewhere.example/v1"))


@cases("page", ["<title>" * 20_000, "<title" * 20_000, "<title >" * 20_000])
def test_a_hostile_page_in_the_place_of_an_answer_is_read_in_linear_time(page):
    started = time.process_time()
    assert "sent a web page" in str(of(502, page))
    assert time.process_time() - started < 2  # the square takes some twelve seconds


@cases(
    "headers, said, seconds",
    [
        ({"retry_after": "7"}, "", 7.0),
        ({"retry_after": "1.5"}, "", 1.5),
        ({"retry_after_ms": "250", "retry_after": "9"}, "", 0.25),
        ({"retry_after": "soon"}, "", None),
        ({"retry_after": "9" * 5_000, "retry_after_ms": "9" * 5_000}, "", None),
        ({"retry_after": "-5"}, "", None),
        ({}, "Please try again in 20s.", 20.0),
        ({}, "Please retry in 34.07s.", 34.07),
        ({}, "Please try again in 350ms.", 0.35),
        ({}, "Please try again in 2m5.5s.", 125.5),
        ({}, "Try again later.", None),
    ],
)
def test_the_wait_is_taken_from_where_the_server_says_it(headers, said, seconds):
    error = of(429, {"error": {"message": said}}, **headers)

    assert isinstance(error, RateLimited)
    assert error.retry_after_s == seconds
    assert error.is_transient


def test_the_wait_may_be_a_date():
    later = datetime.now(UTC) + timedelta(seconds=90)
    in_time = of(429, "", retry_after=format_datetime(later, usegmt=True))
    past = of(429, "", retry_after="Wed, 21 Oct 2015 07:28:00 GMT")
    without_zone = of(429, "", retry_after="Wed, 21 Oct 2015 07:28:00")

    assert in_time.retry_after_s == pytest.approx(90, abs=3)
    assert past.retry_after_s == without_zone.retry_after_s == 0


def test_no_error_shows_the_key():
    for error in (
        of(401, {"error": {"message": f"Incorrect API key provided: {KEY}."}}),
        of(429, f"<title>{KEY}</title>"),
        of(302, "", location=f"https://x.example/?key={KEY}"),
        FAILURES.of_network(httpx2.ConnectError(f"no route for {KEY}"), has_begun=False),
        FAILURES.garbage(KEY),
    ):
        assert KEY not in str(error)
        assert KEY not in repr(error)
        assert KEY not in repr(error.fields)


@cases(
    "error, before, within",
    [
        (httpx2.ConnectError("refused"), ProviderDown, StreamBroken),
        (httpx2.ReadError("reset"), ProviderDown, StreamBroken),
        (httpx2.RemoteProtocolError("hung up"), ProviderDown, StreamBroken),
        (httpx2.ProxyError("403"), ProviderDown, StreamBroken),
        (ssl.SSLError("bad record"), ProviderDown, StreamBroken),
        (ConnectionResetError(), ProviderDown, StreamBroken),
        (httpx2.ReadTimeout("late"), ProviderTimedOut, ProviderTimedOut),
        (httpx2.ConnectTimeout("late"), ProviderTimedOut, ProviderTimedOut),
        (httpx2.PoolTimeout("late"), ProviderTimedOut, ProviderTimedOut),
        (TimeoutError(), ProviderTimedOut, ProviderTimedOut),
        (httpx2.UnsupportedProtocol("no scheme"), ModelNotFound, ModelNotFound),
        (httpx2.InvalidURL("bad port"), ModelNotFound, ModelNotFound),
        (httpx2.DecodingError("gzip"), ProviderGarbage, ProviderGarbage),
        (ValueError("not JSON"), ProviderGarbage, ProviderGarbage),
        (RecursionError("deep"), ProviderGarbage, ProviderGarbage),
        (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates"), RequestRejected, RequestRejected),
    ],
)
def test_networks_fail_before_or_within_an_answer(error, before, within):
    assert type(FAILURES.of_network(error, has_begun=False)) is before
    assert type(FAILURES.of_network(error, has_begun=True)) is within


def test_the_words_of_the_system_come_through_the_layers():
    outer = httpx2.ConnectError("All attempts failed")
    outer.__cause__ = ConnectionRefusedError(111, "Connection refused")

    assert "Connection refused" in str(FAILURES.of_network(outer, has_begun=False))


@cases(
    "cause, kind",
    [(ConnectionRefusedError(), ProviderNotRunning), (ssl.SSLError("wrong version"), ProviderDown)],
)
def test_a_server_on_this_computer_that_refuses_the_connection_is_not_running(cause, kind):
    refused = httpx2.ConnectError("no")
    refused.__cause__ = cause

    assert type(ErrorMapper("Ollama", is_here=True).of_network(refused, has_begun=False)) is kind


def exceptions_of(package):
    """All exception classes that a package has, public ones and those below them."""
    found = {
        value
        for value in list(vars(package).values())
        if inspect.isclass(value)
        and issubclass(value, Exception)
        and value.__module__.startswith(package.__name__)
    }
    pending = list(found)
    while pending:
        found.update(deeper := set(pending.pop().__subclasses__()) - found)
        pending += deeper
    return sorted(found, key=lambda kind: kind.__qualname__)


REQUEST = httpx2.Request("POST", "http://test/v1", headers={"Authorization": f"Bearer {KEY}"})


def make_error(kind):
    """Make an exception of any SDK class, whatever its constructor asks for."""
    status = vars(kind).get("status_code", 418)
    body = {"error": {"message": "said"}}
    response = httpx2.Response(status, request=REQUEST, json=body)
    error = kind.__new__(kind)
    error.args = ("said",)
    parts = {
        "message": "said",
        "request": REQUEST,
        "response": response,
        "status_code": status,
        "body": body,
        "request_id": None,
    }
    for name, value in parts.items():
        setattr(error, name, value)
    return error


@cases(
    "adapter, package",
    [(openai_server, openai), (anthropic_messages, anthropic)],
    ids=["openai", "anthropic"],
)
def test_every_exception_of_an_sdk_is_caught_and_translated(adapter, package):
    kinds = exceptions_of(package)
    assert len(kinds) > 15

    for kind in kinds:
        assert issubclass(kind, adapter._FOREIGN), kind
        for has_begun in (False, True):
            assert isinstance(
                adapter.translate_error(make_error(kind), FAILURES, has_begun=has_begun), ProviderError
            )


@cases("adapter", [openai_server, anthropic_messages])
def test_every_exception_of_the_http_client_is_caught_and_translated(adapter):
    kinds = [kind for kind in exceptions_of(httpx2) if not issubclass(kind, Warning)]
    assert len(kinds) > 20

    for kind in kinds:
        if kind.__module__.startswith("httpx2.websockets") or kind is httpx2.CookieConflict:
            continue  # of things that are not used here
        error = kind.__new__(kind)
        assert isinstance(error, adapter._FOREIGN), kind
        assert isinstance(adapter.translate_error(error, FAILURES, has_begun=True), ProviderError)


def test_statuses_of_the_sdks_keep_their_meaning():
    pairs = [
        (openai_server, openai.AuthenticationError, AuthFailed),
        (openai_server, openai.NotFoundError, ModelNotFound),
        (openai_server, openai.RateLimitError, RateLimited),
        (openai_server, openai.APITimeoutError, ProviderTimedOut),
        (openai_server, openai.APIConnectionError, ProviderDown),
        (openai_server, openai.APIResponseValidationError, ProviderGarbage),
        (anthropic_messages, anthropic.AuthenticationError, AuthFailed),
        (anthropic_messages, anthropic.OverloadedError, ServiceOverloaded),
        (anthropic_messages, anthropic.APITimeoutError, ProviderTimedOut),
        (anthropic_messages, anthropic.APIConnectionError, ProviderDown),
    ]
    for adapter, foreign, own in pairs:
        assert type(adapter.translate_error(make_error(foreign), FAILURES, has_begun=False)) is own, foreign


def test_an_error_without_a_body_is_told_by_what_it_is():
    bare = openai.APIError("said", REQUEST, body=None)

    assert isinstance(openai_server.translate_error(bare, FAILURES, has_begun=True), ProviderGarbage)
    assert isinstance(
        openai_server.translate_error(StreamError({"code": 429}), FAILURES, has_begun=True),
        RateLimited,
    )


@cases(
    "status, said",
    [
        (400, "registry.ollama.ai/library/gemma3:4b does not support tools"),
        (404, "No endpoints found that support tool use. To learn more about provider routing, visit: …"),
        (400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
        (500, "tools param requires --jinja flag"),
        (400, "Function calling is not enabled for models/gemma-3-1b-it"),
        (400, "This model doesn't support function calling"),
        (400, "tools is not supported in this model"),
        (400, "`tool calling` is not supported with this model"),
        (400, "该模型不支持工具调用"),
        (400, "当前模型不支持 function call"),
    ],
)
def test_a_model_without_tools_is_told_from_a_request_that_is_wrong(status, said):
    assert type(of(status, {"error": {"message": said}})) is ToolsRefused


@cases(
    "said",
    [
        "Invalid schema for function 'web_search': In context=(), object schema missing properties",
        "tools[0].function.name: string does not match pattern",
        "An assistant message with 'tool_calls' must be followed by tool messages",
        "Unsupported value: 'temperature' does not support 0.0 with this model.",
    ],
)
def test_a_request_that_is_wrong_is_no_model_without_tools(said):
    assert type(of(400, {"error": {"message": said}})) is RequestRejected
