import asyncio

import httpx

from desktop.domain.search import SearchResult
from desktop.search.web_search import resolve_links
from tests.cases import cases

OPAQUE = "http://www.baidu.com/link?url=abc"
TARGET = "https://target.example/page?a=1"


def resolve(url: str, answer) -> tuple[str, list[str]]:
    asked: list[str] = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def run():
        async with httpx.AsyncClient(transport=httpx.MockTransport(handle)) as client:
            return await resolve_links([SearchResult("T", url, "S")], client)

    (result,) = asyncio.run(run())
    assert (result.title, result.snippet) == ("T", "S")
    return result.url, asked


@cases(
    "answer",
    [
        httpx.Response(302, headers={"location": TARGET}),
        httpx.Response(200, text=f'<script>window.location.replace("{TARGET}")</script>'),
        httpx.Response(200, text=f'<meta http-equiv="refresh" content="0;URL=\'{TARGET}\'">'),
    ],
)
def test_only_the_engine_is_asked_where_its_link_leads(answer):
    assert resolve(OPAQUE, answer) == (TARGET, [OPAQUE])


@cases(
    "answer",
    [
        httpx.Response(404),
        httpx.Response(302, headers={"location": "javascript:alert(1)"}),
        httpx.Response(200, text="<p>nothing of use</p>" * 10_000),
        httpx.ConnectError("down"),
        httpx.ReadTimeout("slow"),
    ],
)
def test_a_link_that_cannot_be_followed_stays(answer):
    assert resolve(OPAQUE, answer)[0] == OPAQUE


def test_ordinary_links_are_not_asked_for():
    assert resolve(TARGET, httpx.Response(500)) == (TARGET, [])
