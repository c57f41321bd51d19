"""Pages become text; every obstacle has a name; the browser is asked only where it can help."""

import asyncio
import gzip
import io
from contextlib import aclosing
from dataclasses import dataclass, field

from reportlab.pdfgen.canvas import Canvas

from desktop.domain.search import PageStatus, WebPage
from desktop.errors import BrowserMissing
from desktop.search.browser.requests import Rendered, RenderStatus
from desktop.search.fetcher import Fetcher, Limits
from desktop.search.reader.reader import PageCache, PageReader, read_file
from desktop.search.ssrf_guard import SsrfGuard
from tests.cases import cases
from tests.unit.search.page_server import PageServer, article, send_head

LONG = "The river carries more water in spring, when the snow of the mountains melts. " * 6
ZH = "春天山上的雪融化，河水上涨，两岸的村庄每年都要加固堤坝，以防洪水。" * 12
SHELL = "<html><head><title>App</title></head><body><div id=root></div><script src=/app.js></script></body></html>"


@dataclass
class Browser:
    """A browser that shows one page whatever it is asked for."""

    shows: Rendered | BrowserMissing
    asked: list[str] = field(default_factory=list)

    async def fetch(self, url: str, *, timeout_s: float = 20.0) -> Rendered:
        self.asked.append(url)
        if isinstance(self.shows, BrowserMissing):
            raise self.shows
        return self.shows


def read(prepare, browser=None, times=1, cache=None, limits=None):
    """Return the last page read from a server that `prepare` set up, and the server."""

    async def run():
        async with (
            PageServer() as server,
            Fetcher(SsrfGuard(("127.0.0.1",)), limits) as fetcher,
            aclosing(PageReader(fetcher, browser, cache or PageCache())) as reader,
        ):
            url = prepare(server)
            for _ in range(times):
                page = await reader.read(url)
            return page, server

    return asyncio.run(run())


def test_an_article_is_reduced_to_its_text():
    html = article("Rivers in spring", LONG, "Second paragraph. " * 12)
    page, server = read(lambda site: site.page("/a", html, Content_Type="text/html"))
    assert page.status is PageStatus.READ
    assert page.title == "Rivers in spring"
    assert "snow of the mountains melts" in page.text
    assert "<p>" not in page.text
    assert page.url == server.url("/a")
    assert not page.error


@cases("charset", ["gb18030", "gbk", "utf-8", "utf-16", "big5hkscs"])
@cases("label", ["right", "none", "wrong"])
def test_chinese_pages_are_read_whatever_their_label_says(charset, label):
    text = ZH.translate(str.maketrans("融堤坝", "化土石")) if charset == "big5hkscs" else ZH
    if charset == "big5hkscs":
        text = "春天山上的雪化了，河水上漲，兩岸的村莊每年都要加固土石，以防洪水。" * 12
    data = article("河流", text).encode(charset)
    named = {"right": f"; charset={charset}", "none": "", "wrong": "; charset=iso-8859-1"}[label]
    page, _ = read(lambda site: site.page("/a", data, Content_Type=f"text/html{named}"))
    assert page.status is PageStatus.READ
    assert text[:20] in page.text


def pdf(*pages, title=""):
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    canvas.setTitle(title)
    for text in pages:
        canvas.drawString(72, 700, text)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


@cases("label", ["application/pdf", "application/octet-stream", "text/html", ""])
def test_pdfs_are_read_whatever_their_label_says(label):
    body = pdf("Snow melts in spring", "Second page", title="On rivers")
    page, _ = read(lambda site: site.page("/paper.pdf", body, Content_Type=label))
    assert page.status is PageStatus.READ
    assert page.title == "On rivers"
    assert "Snow melts in spring" in page.text
    assert "Second page" in page.text


def test_a_pdf_without_a_title_is_called_by_its_file():
    page, _ = read(lambda site: site.page("/my%20paper.pdf", pdf("words", title="untitled")))
    assert page.title == "my paper.pdf"


@cases("body", [b"%PDF-1.7\nbroken", pdf("whole")[:200], b"%PDF-" + bytes(5000)])
def test_a_damaged_pdf_says_so(body):
    page, _ = read(lambda site: site.page("/a", body, Content_Type="application/pdf"))
    assert page.status is PageStatus.UNSUPPORTED
    assert "damaged" in page.error


def test_a_pdf_of_pictures_is_empty():
    page, _ = read(lambda site: site.page("/a", pdf(""), Content_Type="application/pdf"))
    assert page.status is PageStatus.EMPTY
    assert "only images" in page.error


@cases(
    "label, body, expected",
    [
        ("text/plain; charset=utf-8", "just words", "just words"),
        ("text/plain", "中文纯文本，没有标签。".encode("gb18030"), "中文纯文本，没有标签。"),
        ("application/json", '{"a": 1}', '{"a": 1}'),
        ("text/markdown", "# Title", "# Title"),
        ("", "no label at all", "no label at all"),
    ],
)
def test_plain_text_is_read(label, body, expected):
    page, _ = read(lambda site: site.page("/notes.txt", body, Content_Type=label))
    assert (page.status, page.text, page.title) == (PageStatus.READ, expected, "notes.txt")


def test_html_under_a_plain_label_is_read_as_html():
    page, _ = read(
        lambda site: site.page("/a", f"<!DOCTYPE html>{article('T', LONG)}", Content_Type="text/plain")
    )
    assert "<p>" not in page.text


@cases("label", ["image/png", "video/mp4", "application/zip", "application/octet-stream"])
def test_what_holds_no_text_is_unsupported(label):
    page, _ = read(lambda site: site.page("/a", b"\x89PNG\x00\x01\x02\x00", Content_Type=label))
    assert page.status is PageStatus.UNSUPPORTED
    assert page.error


WALLS = {
    "cloudflare": "<html><head><title>Just a moment...</title></head><body>Checking your browser<script></script></body></html>",
    "captcha": "<html><body><h1>Are you a robot?</h1><div class='g-recaptcha'></div></body></html>",
    "denied": "<html><head><title>Access Denied</title></head><body>Access to this page has been denied.</body></html>",
    "login": "<html><body><p>Please sign in to continue</p><form><input type='password' name=p></form></body></html>",
    "zh captcha": "<html><head><title>百度安全验证</title></head><body>网络不给力，请稍后重试。请完成安全验证</body></html>",
    "zh wechat": "<html><body><p>当前环境异常，完成验证后即可继续访问。</p><a>去验证</a></body></html>",
    "zh login": "<html><body><p>请先登录后查看全部内容</p></body></html>",
    "zh denied": "<html><body>您的访问被拒绝</body></html>",
}


@cases("name", WALLS)
@cases("status", [200, 403])
def test_walls_are_recognised(name, status):
    page, _ = read(lambda site: site.page("/a", WALLS[name], status, Content_Type="text/html; charset=utf-8"))
    assert page.status is PageStatus.BLOCKED
    assert page.error


@cases(
    "status, expected",
    [
        (401, PageStatus.BLOCKED), (402, PageStatus.BLOCKED), (403, PageStatus.BLOCKED), (429, PageStatus.BLOCKED),
        (451, PageStatus.BLOCKED), (404, PageStatus.NOT_FOUND), (410, PageStatus.NOT_FOUND),
        (400, PageStatus.FAILED), (500, PageStatus.FAILED), (503, PageStatus.FAILED),
    ],
)  # fmt: skip
def test_a_status_of_failure_is_never_an_article(status, expected):
    page, _ = read(lambda site: site.page("/a", article("Sorry", "Nothing here."), status))
    assert page.status is expected
    assert page.error


def test_an_article_about_captchas_is_no_captcha():
    html = article(
        "How captchas work", "Are you a robot? asks every captcha. Just a moment, please sign in. " * 30
    )
    page, _ = read(lambda site: site.page("/a", html, Content_Type="text/html"))
    assert page.status is PageStatus.READ


def test_a_page_that_needs_scripts_is_read_in_the_browser():
    browser = Browser(Rendered(RenderStatus.LOADED, "http://app.example/", article("App", LONG), 200))
    page, server = read(lambda site: site.page("/a", SHELL, Content_Type="text/html"), browser)
    assert page.status is PageStatus.READ
    assert "snow of the mountains" in page.text
    assert browser.asked == [server.url("/a")]


def test_the_browser_loads_few_pages_of_a_host_at_once():
    class Slow(Browser):
        now = most = 0

        def __init__(self, rendered: Rendered) -> None:
            super().__init__(rendered)
            self.two = asyncio.Event()

        async def fetch(self, url: str, *, timeout_s: float = 20.0) -> Rendered:
            self.now += 1
            self.most = max(self.most, self.now)
            if self.now > 1:
                self.two.set()
            await asyncio.wait_for(self.two.wait(), 60)
            for _ in range(50):  # as long as any other page could come in beside it
                await asyncio.sleep(0)
            self.now -= 1
            return await super().fetch(url, timeout_s=timeout_s)

    async def run():
        browser = Slow(Rendered(RenderStatus.LOADED, "http://app.example/", article("App", LONG), 200))
        async with (
            PageServer() as server,
            Fetcher(SsrfGuard(("127.0.0.1",))) as fetcher,
            aclosing(PageReader(fetcher, browser)) as reader,
        ):
            urls = [server.page(f"/{number}", SHELL, Content_Type="text/html") for number in range(8)]
            pages = [page async for _, page in reader.read_many(urls)]
        return browser, pages

    browser, pages = asyncio.run(run())
    assert [page.status for page in pages] == [PageStatus.READ] * 8
    assert (len(browser.asked), browser.most) == (8, 2)


def test_a_page_that_plain_http_can_read_never_reaches_the_browser():
    browser = Browser(Rendered(RenderStatus.LOADED, "x", "", 200))
    read(lambda site: site.page("/a", article("T", LONG), Content_Type="text/html"), browser)
    assert not browser.asked


@cases("body", [WALLS["login"], article("Gone", "x")])
def test_logins_and_missing_pages_are_not_tried_again_in_the_browser(body):
    browser = Browser(Rendered(RenderStatus.LOADED, "x", article("T", LONG), 200))
    status = 200 if body is WALLS["login"] else 404
    read(lambda site: site.page("/a", body, status, Content_Type="text/html"), browser)
    assert not browser.asked


@cases("body", [bytes(60_000_000), b"<html><script></script>" + b"<div>" * 10_000_000], ids=["zeros", "tags"])
def test_a_bomb_is_not_opened_again_in_the_browser(body):
    browser = Browser(Rendered(RenderStatus.LOADED, "x", article("T", LONG), 200))
    bomb = gzip.compress(body, 9)
    page, _ = read(
        lambda site: site.page("/a", bomb, Content_Type="text/html", Content_Encoding="gzip"), browser
    )
    assert page.status is not PageStatus.READ
    assert page.error
    assert not browser.asked


def test_a_page_beyond_the_size_limit_is_not_opened_again_in_the_browser():
    browser = Browser(Rendered(RenderStatus.LOADED, "x", article("T", LONG), 200))
    body = SHELL + " " * 300_000
    page, _ = read(
        lambda site: site.page("/a", body, Content_Type="text/html"),
        browser,
        limits=Limits(max_bytes=200_000),
    )
    assert page.status is PageStatus.EMPTY
    assert not browser.asked


def test_a_wall_that_stands_in_the_browser_too_is_reported():
    browser = Browser(Rendered(RenderStatus.LOADED, "http://x.example/", WALLS["cloudflare"], 403))
    page, _ = read(lambda site: site.page("/a", WALLS["denied"], 403, Content_Type="text/html"), browser)
    assert page.status is PageStatus.BLOCKED
    assert "captcha" in page.error


def test_without_a_browser_the_page_says_what_it_needs():
    page, _ = read(lambda site: site.page("/a", SHELL, Content_Type="text/html"))
    assert page.status is PageStatus.EMPTY
    assert "JavaScript" in page.error


def test_a_missing_browser_is_named_beside_the_obstacle():
    browser = Browser(BrowserMissing(advice="Install one."))
    page, _ = read(lambda site: site.page("/a", SHELL, Content_Type="text/html"), browser)
    assert page.status is PageStatus.EMPTY
    assert "JavaScript" in page.error
    assert "Install one." in page.error


@cases(
    "status, expected",
    [
        (RenderStatus.TIMED_OUT, PageStatus.TIMED_OUT),
        (RenderStatus.OFFLINE, PageStatus.OFFLINE),
        (RenderStatus.REFUSED, PageStatus.REFUSED),
        (RenderStatus.FAILED, PageStatus.FAILED),
    ],
)
def test_what_goes_wrong_in_the_browser_is_the_pages_outcome(status, expected):
    browser = Browser(Rendered(status, "http://x.example/", error="The browser says why."))
    page, _ = read(lambda site: site.page("/a", SHELL, Content_Type="text/html"), browser)
    assert (page.status, page.error) == (expected, "The browser says why.")


def test_a_server_that_breaks_off_is_asked_by_the_browser():
    async def broken(_, writer):
        writer.write(b"")

    browser = Browser(Rendered(RenderStatus.LOADED, "http://x.example/", article("T", LONG), 200))
    page, _ = read(lambda site: site.on("/a", broken), browser)
    assert page.status is PageStatus.READ


def test_an_address_in_the_own_network_never_reaches_the_browser():
    browser = Browser(Rendered(RenderStatus.LOADED, "x", article("T", LONG), 200))
    page, server = read(lambda _: "http://192.168.0.1/", browser)
    assert page.status is PageStatus.REFUSED
    assert not browser.asked
    assert not server.connections


def test_an_empty_page_is_empty():
    page, _ = read(lambda site: site.page("/a", "", Content_Type="text/html"))
    assert page.status is PageStatus.EMPTY


def test_a_long_page_says_that_it_was_cut():
    html = article("Long", *[f"Paragraph {number}. {LONG}" for number in range(2000)])
    page, _ = read(
        lambda site: site.page("/a", html, Content_Type="text/html"), limits=Limits(max_bytes=300_000)
    )
    assert page.status is PageStatus.READ
    assert any("first" in note for note in page.notes)


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_a_fresh_page_is_not_fetched_again():
    _, server = read(lambda site: site.page("/a", article("T", LONG), Content_Type="text/html"), times=3)
    assert len(server.requests) == 1


@cases("control", ["no-store", "no-cache", "max-age=0"])
def test_a_page_whose_server_forbids_keeping_is_fetched_again(control):
    html = article("T", LONG)
    _, server = read(
        lambda site: site.page("/a", html, Content_Type="text/html", Cache_Control=control), times=2
    )
    assert len(server.requests) == 2


def test_a_stale_page_is_asked_for_changes_only():
    async def versioned(request, writer):
        if request.headers.get("if-none-match") == '"v1"':
            send_head(writer, 304, {"ETag": '"v1"'})
        else:
            data = article("T", LONG).encode()
            head = {"ETag": '"v1"', "Cache-Control": "max-age=0", "Content-Length": str(len(data))}
            send_head(writer, 200, {"Content-Type": "text/html", **head})
            writer.write(data)

    page, server = read(lambda site: site.on("/a", versioned), times=2)
    assert page.status is PageStatus.READ
    assert "snow" in page.text
    assert len(server.requests) == 2


@cases("status", [404, 403, 500])
def test_failures_are_never_kept(status):
    _, server = read(lambda site: site.page("/a", "no", status, Content_Type="text/html"), times=2)
    assert len(server.requests) == 2


def test_an_age_ends():
    clock = Clock()
    cache = PageCache(clock)
    page = WebPage(PageStatus.READ, "http://x/", text="words")
    cache.put("http://x/", page, validators=_none(), headers={"cache-control": "max-age=60"})
    kept = cache.get("http://x/")
    assert kept is not None
    assert cache.is_fresh(kept)
    clock.now = 61
    assert not cache.is_fresh(kept)


def test_a_page_whose_time_is_ended_is_asked_for_again_however_long_it_should_hold():
    cache = PageCache(Clock())
    cache.put("http://x/", WebPage(PageStatus.READ, "http://x/", text="words"), _none(), {})
    cache.expire()
    kept = cache.get("http://x/")
    assert kept.page.text == "words"
    assert not cache.is_fresh(kept)


NOON, LATER = "Sat, 21 Nov 2026 12:00:00 GMT", "Sat, 21 Nov 2026 12:01:40 GMT"


@cases(
    "headers, fresh_s",
    [
        ({}, 600),
        ({"cache-control": "Public, Max-Age=60"}, 60),
        ({"cache-control": "max-age=60", "age": "45"}, 15),
        ({"cache-control": "max-age=60", "age": "soon"}, 60),
        ({"cache-control": "max-age=60", "age": "90"}, 0),
        ({"cache-control": "max-age=99999999"}, 3600),
        ({"expires": LATER, "date": NOON}, 100),
        ({"expires": LATER, "date": NOON, "age": "30"}, 70),
        ({"expires": LATER, "date": NOON, "cache-control": "max-age=60"}, 60),
        ({"expires": NOON, "date": LATER}, 0),
        ({"expires": "0", "date": NOON}, 0),
        ({"expires": LATER[:-4], "date": NOON}, 0),
        ({"expires": "Sat, 01 Jan 2000 00:00:00 GMT"}, 0),
    ],
)
def test_a_page_holds_as_long_as_its_server_says(headers, fresh_s):
    clock = Clock()
    cache = PageCache(clock)
    cache.put("http://x/", WebPage(PageStatus.READ, "http://x/", text="words"), _none(), headers)
    kept = cache.get("http://x/")
    clock.now = max(0, fresh_s - 1)
    assert cache.is_fresh(kept) == (fresh_s > 0)
    clock.now = fresh_s
    assert not cache.is_fresh(kept)


def test_the_cache_stays_small():
    cache = PageCache(Clock())
    for number in range(500):
        page = WebPage(PageStatus.READ, f"http://x/{number}", text="x" * 100_000)
        cache.put(page.url, page, _none(), {})
    kept = [number for number in range(500) if cache.get(f"http://x/{number}")]
    assert kept == list(range(300, 500))


def _none():
    from desktop.search.fetcher import Validators

    return Validators()


def test_many_pages_come_as_they_are_ready():
    async def run():
        async with PageServer() as server, Fetcher(SsrfGuard(("127.0.0.1",))) as fetcher:
            fast_done = asyncio.Event()

            async def slow(_, writer):
                await fast_done.wait()
                send_head(writer, 404, {})

            urls = [
                server.on("/slow", slow),
                server.page("/fast", article("T", LONG), Content_Type="text/html"),
            ]
            order = []
            async for url, page in PageReader(fetcher).read_many([*urls, urls[0]]):
                order.append((url, page.status))
                fast_done.set()
            return order, urls

    order, urls = asyncio.run(run())
    assert order == [(urls[1], PageStatus.READ), (urls[0], PageStatus.NOT_FOUND)]


def test_leaving_early_cancels_the_other_pages():
    async def run():
        async with PageServer() as server, Fetcher(SsrfGuard(("127.0.0.1",))) as fetcher:
            gone = asyncio.Event()

            async def endless(_, writer):
                try:
                    await asyncio.sleep(60)
                finally:
                    gone.set()

            urls = [
                server.on("/slow", endless),
                server.page("/fast", article("T", LONG), Content_Type="text/html"),
            ]
            pages = PageReader(fetcher).read_many(urls)
            async for _ in pages:
                break
            await pages.aclose()
            return len([task for task in asyncio.all_tasks() if task is not asyncio.current_task()])

    assert asyncio.run(run()) <= 1  # the server's own


def test_a_page_that_takes_too_long_in_all_is_timed_out():
    async def run():
        async with PageServer() as server, Fetcher(SsrfGuard(("127.0.0.1",))) as fetcher:

            async def silent(_, writer):
                await asyncio.sleep(60)

            return await PageReader(fetcher, limit_s=0.2).read(server.on("/a", silent))

    assert asyncio.run(run()).status is PageStatus.TIMED_OUT


def test_saved_pages_are_read(tmp_path):
    saved = tmp_path / "页面.html"
    saved.write_bytes(article("河流", ZH).encode("gb18030"))
    page = asyncio.run(read_file(saved))
    assert (page.status, page.title) == (PageStatus.READ, "河流")
    assert page.url == saved.as_uri()
    assert asyncio.run(read_file(saved, "https://example.com/a")).url == "https://example.com/a"


def test_a_file_that_is_not_there_is_a_failure(tmp_path):
    page = asyncio.run(read_file(tmp_path / "none.html"))
    assert page.status is PageStatus.FAILED
    assert "none.html" in page.error


@cases("body", [b"", b"\x00" * 5000, b"<" * 50_000, b"\xff\xfe\xff", b"<html>" * 20_000])
def test_a_hostile_file_is_only_a_status(tmp_path, body):
    hostile = tmp_path / "hostile.html"
    hostile.write_bytes(body)
    assert isinstance(asyncio.run(read_file(hostile)).status, PageStatus)
