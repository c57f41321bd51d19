"""Streams recorded from real services, where they lie beside the checkout: what arrives is what was sent."""

import json
import re
import tarfile
from pathlib import Path

import pytest

from desktop.domain.models import CitedPage, UsageReported
from desktop.errors.servers import ProviderError
from tests.cases import cases
from tests.unit.providers.requests import Answer, ask, opened
from tests.unit.providers.wire import serving, streaming

ARCHIVE = Path(__file__).resolve().parents[4] / "shared" / "data" / "streams.tar.xz"
FOLDERS = {
    "openai": (
        "pydantic-ai/*_chat/*.sse",
        "vercel-ai/alibaba/*.chunks.txt",
        "vercel-ai/deepseek/chat/*.chunks.txt",
        "vercel-ai/groq/*.chunks.txt",
        "vercel-ai/mistral/*.chunks.txt",
        "vercel-ai/openai/chat/*.chunks.txt",
        "vercel-ai/perplexity/*.chunks.txt",
        "vercel-ai/xai/*.chunks.txt",
    ),
    "openai-responses": (
        "pydantic-ai/*_responses/*.sse",
        "vercel-ai/openai/responses/*.chunks.txt",
        "vercel-ai/open-responses/responses/*.chunks.txt",
        "vercel-ai/xai/responses/*.chunks.txt",
    ),
    "anthropic": ("pydantic-ai/anthropic_messages/*.sse", "vercel-ai/anthropic/*.chunks.txt"),
}
BYTEWISE_LIMIT = 6_000

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not ARCHIVE.exists(), reason="no recorded streams beside the checkout"),
]


@pytest.fixture(scope="module")
def recordings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("streams")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    return folder / "streams"


def wire_bytes(path, kind):
    """Return the recording as it went over the wire; some are kept as bare lines of JSON."""
    if path.suffix == ".sse":
        return path.read_bytes()
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    names = [f"event: {json.loads(line)['type']}\n" if kind != "openai" else "" for line in lines]
    return "".join(f"{name}data: {line}\n\n" for name, line in zip(names, lines, strict=True)).encode()


def events_in(data):
    found = re.findall(r"^data: ?(.+)$", data.decode(), re.MULTILINE)
    return [json.loads(line) for line in found if not line.startswith("[DONE]")]


def expected_of_openai(events):
    """Read a recording the plainest way, as a whole."""
    wanted = Answer()
    calls = {}
    for event in events:
        for choice in event.get("choices") or ():
            delta = choice.get("delta") or {}
            wanted.text += delta.get("content") or ""
            details = "".join(detail.get("text") or "" for detail in delta.get("reasoning_details") or ())
            wanted.reasoning += delta.get("reasoning_content") or delta.get("reasoning") or details
            for call in delta.get("tool_calls") or ():
                known = calls.setdefault(call["index"], ["", "", ""])
                known[0] = known[0] or call.get("id") or ""
                known[1] = known[1] or call["function"].get("name") or ""
                known[2] += call["function"].get("arguments") or ""
        if event.get("usage"):
            wanted.usage = (event["usage"]["prompt_tokens"], event["usage"]["completion_tokens"])
    thought = re.fullmatch(r"\s*<think>(.*?)</think>(.*)", wanted.text, re.DOTALL)
    if thought:
        wanted.reasoning, wanted.text = thought[1].strip(), thought[2].lstrip()
    return wanted, list(map(tuple, calls.values()))


def expected_of_anthropic(events):
    wanted = Answer()
    calls, places = {}, {}
    for event in events:
        block, delta = event.get("content_block") or {}, event.get("delta") or {}
        if block.get("type") == "tool_use":
            calls[event["index"]] = [block["id"], block["name"], ""]
        if delta.get("citation", {}).get("type") == "web_search_result_location":
            places.setdefault(event["index"], []).append(delta["citation"]["url"])
        if event["type"] == "content_block_stop":
            wanted.cited += [(len(wanted.text), url) for url in places.pop(event["index"], ())]
        if event["type"] == "content_block_delta":
            wanted.text += delta.get("text") or ""
            wanted.reasoning += delta.get("thinking") or ""
            if event["index"] in calls:
                calls[event["index"]][2] += delta.get("partial_json") or ""
        if event["type"] == "message_delta":
            wanted.usage = event["usage"]["output_tokens"]
    return wanted, [(id_, name, arguments or "{}") for id_, name, arguments in calls.values()]


def expected_of_responses(events):
    wanted = Answer()
    calls = {}
    for event in events:
        kind, item = event.get("type", ""), event.get("item") or {}
        if kind in {"response.output_text.delta", "response.refusal.delta"}:
            wanted.text += event["delta"]
        note = event.get("annotation") or {}
        if note.get("type") == "url_citation":
            start, end = note.get("start_index"), note.get("end_index")
            if start is not None:
                wanted.text = wanted.text[:start] + wanted.text[end:]
            wanted.cited.append((len(wanted.text), CitedPage(note["url"], note.get("title", ""))))
        if kind in {"response.reasoning_summary_text.delta", "response.reasoning_text.delta"}:
            wanted.reasoning += event["delta"]
        if kind == "response.output_item.done" and item["type"] == "function_call":
            calls[event["output_index"]] = (item["call_id"], item["name"], item["arguments"])
        usage = (event.get("response") or {}).get("usage")
        if usage:
            wanted.usage = (usage["input_tokens"], usage["output_tokens"])
    return wanted, [calls[place] for place in sorted(calls)]


EXPECTED = {
    "openai": expected_of_openai,
    "openai-responses": expected_of_responses,
    "anthropic": expected_of_anthropic,
}


def check(answer, data, kind):
    events = events_in(data)
    wanted, calls = EXPECTED[kind](events)
    assert answer.text == wanted.text
    if kind == "anthropic":
        answer.cited = [(place, page.url) for place, page in answer.cited]
        wanted.cited = list(dict.fromkeys(wanted.cited))
        answer.cited = list(dict.fromkeys(answer.cited))
    assert answer.cited == wanted.cited
    assert answer.reasoning.replace("\n\n", "") == wanted.reasoning.replace("\n\n", "")
    assert [(call.id, call.name, call.arguments) for call in answer.calls] == calls
    if any(event.get("error") for event in events):
        assert isinstance(answer.error, ProviderError)
        return
    assert answer.error is None
    assert answer.reason is not None
    if wanted.usage is not None:
        usage = answer.usage or UsageReported()
        seen = usage.output_tokens if kind == "anthropic" else (usage.input_tokens, usage.output_tokens)
        assert seen == wanted.usage


@cases("kind", FOLDERS)
@cases("largest", [1, 5, 300, 20_000])
async def test_what_arrives_is_what_was_recorded(recordings, kind, largest):
    files = sorted(path for pattern in FOLDERS[kind] for path in recordings.glob(pattern))
    assert len(files) > 20

    for number, path in enumerate(files):
        data = wire_bytes(path, kind)
        if (largest < 100 and len(data) > BYTEWISE_LIMIT) or data.count(b'"response.created"') > 1:
            continue  # too long to go byte by byte, or several answers kept in one file
        script = streaming(data, seed=number, largest=largest)
        async with serving(script) as wire, opened(wire.base_url, kind) as provider:
            answer = await ask(provider)
        try:
            check(answer, data, kind)
        except AssertionError as failed:
            raise AssertionError(f"{path.name}: {answer.error}\n{failed}") from failed
