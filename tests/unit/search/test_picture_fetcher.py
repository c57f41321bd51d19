"""Pictures of answers: fetched through the guard, known by their bytes, refused with a reason."""

import asyncio
import io
import struct
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from desktop.domain.pictures import icon_id
from desktop.errors import PictureUnavailable
from desktop.render.message import picture_address
from desktop.search.fetcher import Fetcher
from desktop.search.icon_store import FRESH_S, MAX_BYTES, MAX_ICONS, MAX_SIDE, IconStore, raster_type
from desktop.search.picture_fetcher import ICON_LIMITS, PICTURE_LIMITS, IconCollector, PictureFetcher
from desktop.search.reader.parse import icon_links
from desktop.search.reader.reader import PageReader
from desktop.search.ssrf_guard import SsrfGuard
from tests.cases import cases
from tests.unit.search.page_server import PageServer


def picture(kind="PNG", side=2000):
    data = io.BytesIO()
    Image.new("RGB", (side, 2), "teal").save(data, kind)
    return data.getvalue()


def fetch(body, status=200, allowed=("127.0.0.1",), redirect=False):
    async def run():
        async with PageServer() as server, Fetcher(SsrfGuard(allowed), PICTURE_LIMITS) as fetcher:
            address = server.page("/picture", body, status)
            if redirect:
                address = server.redirect("/moved", address)
            return await PictureFetcher(fetcher).fetch(address)

    return asyncio.run(run())


@cases("kind, media_type", [("PNG", "image/png"), ("JPEG", "image/jpeg")])
def test_a_picture_is_what_its_bytes_say(kind, media_type):
    found = fetch(picture(kind), redirect=True)
    assert found.media_type == media_type
    assert found.data == picture(kind)


@cases(
    "body, status, allowed, reason",
    [
        (picture(), 404, ("127.0.0.1",), "The server returned 404."),
        (
            b"<svg xmlns='http://www.w3.org/2000/svg'/>",
            200,
            ("127.0.0.1",),
            "not an image in a supported format",
        ),
        (b"<html>", 200, ("127.0.0.1",), "not an image in a supported format"),
        (picture(side=12_001), 200, ("127.0.0.1",), "not an image in a supported format"),
        (picture(), 200, (), "127.0.0.1"),
    ],
)
def test_what_is_no_picture_or_not_public_is_refused_with_a_reason(body, status, allowed, reason):
    with pytest.raises(PictureUnavailable, match=reason):
        fetch(body, status, allowed)


@cases(
    "text, index, address",
    [
        ("![a](https://a.example/x.png) `![b](https://b.example/)`", 0, "https://a.example/x.png"),
        ("![a](https://a.example/x.png) `![b](https://b.example/)`", 1, ""),
        ("| ![a](https://a.example/1) |\n| - |\n| ![b](https://a.example/2) |", 1, "https://a.example/2"),
        ("![a](ftp://a.example/x.png)", 0, ""),
        ("not a picture", -1, ""),
    ],
)
def test_the_address_of_a_picture_is_found_by_its_place(text, index, address):
    assert picture_address(text, index) == address


SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
TEXT = "<p>" + "A paragraph of an article that is long enough to be one. " * 8 + "</p>"


def icon_bytes(kind, side=32, **options):
    data = io.BytesIO()
    Image.new("RGB", (side, side), "teal").save(data, kind, **options)
    return data.getvalue()


PNG = icon_bytes("PNG")
KINDS = {
    "image/png": PNG,
    "image/jpeg": icon_bytes("JPEG"),
    "image/gif": icon_bytes("GIF"),
    "image/webp": icon_bytes("WEBP", lossless=True),
    "image/x-icon": icon_bytes("ICO", 48, sizes=[(16, 16), (48, 48)], bitmap_format="bmp"),
}


@cases("kind, data", KINDS.items())
def test_pictures_are_known_by_their_bytes(kind, data):
    assert raster_type(data) == kind
    assert raster_type(data[:5]) == ""


@cases(
    "options, kind",
    [({"lossless": False}, "WEBP"), ({"progressive": True}, "JPEG"), ({"bitmap_format": "png"}, "ICO")],
)
def test_other_ways_to_write_them_are_known_too(options, kind):
    assert raster_type(icon_bytes(kind, 32, **options))


@cases(
    "data",
    [
        b"",
        SVG,
        b"<?xml version='1.0'?>" + SVG,
        b"<!doctype html><title>Not found</title>",
        b"RIFF\x00\x00\x00\x00WAVEfmt ",
        b"\x00\x00\x01\x00\xff\xff",
        b"\x00\x00\x01\x00\x00\x00",
        PNG[:16] + struct.pack(">II", MAX_SIDE + 1, 16) + PNG[24:],
        PNG[:16] + struct.pack(">II", 0, 16) + PNG[24:],
        KINDS["image/gif"][:6] + struct.pack("<HH", 60_000, 60_000),
        b"\xff\xd8\xff",
        b"\xff\xd8\xff\xe0\x00\x00" + b"\xff" * 64,
    ],
)
def test_everything_else_is_no_picture(data):
    assert raster_type(data) == ""


def test_an_icon_may_not_claim_to_be_larger_inside():
    small = icon_bytes("ICO", 32, bitmap_format="png")
    at = small.index(b"IHDR") + 4
    assert raster_type(small[:at] + struct.pack(">II", 50_000, 50_000) + small[at + 8 :]) == ""


@given(st.sampled_from([b"", *(data[:8] for data in KINDS.values())]), st.binary(max_size=200))
def test_no_bytes_are_too_strange(head, rest):
    assert raster_type(head + rest) in {"", *KINDS}


URL = "https://example.org/a/b.html"


@cases(
    "head, best",
    [
        ("", "https://example.org/favicon.ico"),
        ('<link rel="icon" href="../i.png">', "https://example.org/i.png"),
        ('<LINK REL="Shortcut Icon" HREF="//cdn.example.net/i.ico">', "https://cdn.example.net/i.ico"),
        ('<base href="https://other.example/x/"><link rel=icon href=i.png>', "https://other.example/x/i.png"),
        (
            '<link rel=icon sizes=16x16 href=16.png><link rel=icon sizes="32x32 48x48" href=32.png>',
            "https://example.org/a/32.png",
        ),
        (
            '<link rel=icon type="image/svg+xml" href=i><link rel="apple-touch-icon" href=/touch.png>',
            "https://example.org/touch.png",
        ),
        ('<link rel=icon href="data:image/png;base64,AAAA">', "https://example.org/favicon.ico"),
        ('<link rel=icon href="/j.svg?v=2">', "https://example.org/favicon.ico"),
        ('<link rel=icon href="file:///etc/passwd">', "https://example.org/favicon.ico"),
        ('<link rel=icon href="http://[">', "https://example.org/favicon.ico"),
        ('<link rel="mask-icon stylesheet" href=x.css>', "https://example.org/favicon.ico"),
    ],
)  # fmt: skip
def test_the_page_says_where_its_icon_is(head, best):
    links = icon_links(f"<html><head>{head}</head><body>{TEXT}</body></html>", URL)
    assert links[0] == best
    assert links[-1] == "https://example.org/favicon.ico"


@given(st.text())
def test_no_page_is_too_strange(source):
    assert icon_links(source, URL)[-1] == "https://example.org/favicon.ico"


@cases(
    "one, other, same",
    [
        ("https://www.example.org/a?b", "http://example.org:80/c#d", True),
        ("https://example.org/", "https://example.org:8443/", False),
        ("https://example.org/", "https://sub.example.org/", False),
    ],
)
def test_a_site_is_a_host_with_its_port(one, other, same):
    assert (icon_id(one) == icon_id(other)) == same
    assert "example" not in icon_id(one)


@cases("address", ["", "file:///etc/passwd", "javascript:alert(1)", "http://[", "https:///x"])
def test_what_is_no_site_has_no_icon(address):
    assert icon_id(address) == ""


SITE = icon_id("https://example.org/")


def test_icons_are_kept_and_forgotten(tmp_path):
    store = IconStore(tmp_path / "icons")

    async def run():
        assert await store.find(SITE) is None
        assert not await store.is_fresh(SITE)
        for data in (SVG, b"", PNG + b"x" * MAX_BYTES):
            assert not await store.put(SITE, data)
        assert await store.put(SITE, PNG)
        assert await store.is_fresh(SITE)
        icon = await store.find(SITE)
        assert (icon.media_type, icon.data) == ("image/png", PNG)
        await store.clear()
        assert await store.find(SITE) is None

    asyncio.run(run())
    assert list((tmp_path / "icons").iterdir()) == []


@cases("name", ["../secret", "..", "", "/etc/passwd", "A" * 32, f"{SITE}/x"])
def test_only_ids_name_icons(tmp_path, name):
    (tmp_path / "secret").write_bytes(PNG)
    store = IconStore(tmp_path / "icons")
    (tmp_path / "icons").mkdir()
    assert asyncio.run(store.find(name)) is None
    assert not asyncio.run(store.put(name, PNG))


def test_what_was_put_in_the_place_of_an_icon_is_not_shown(tmp_path):
    (tmp_path / SITE).write_bytes(SVG)
    assert asyncio.run(IconStore(tmp_path).find(SITE)) is None


def test_old_icons_are_asked_for_again_and_too_many_make_room(tmp_path):
    now = [1_000_000.0]
    store = IconStore(tmp_path, lambda: now[0])

    async def run():
        await store.put(SITE, PNG)
        now[0] += FRESH_S + 1
        assert not await store.is_fresh(SITE)
        assert await store.find(SITE)
        for number in range(MAX_ICONS):
            (tmp_path / f"{number:032x}").write_bytes(PNG)
        await store.put(icon_id("https://other.example/"), PNG)

    asyncio.run(run())
    assert len(list(tmp_path.iterdir())) == MAX_ICONS
    assert not (tmp_path / SITE).exists()


def test_a_folder_that_cannot_be_written_costs_only_the_icons(tmp_path):
    (tmp_path / "icons").write_text("a file stands here")
    store = IconStore(tmp_path / "icons")

    async def run():
        await store.put(SITE, PNG)
        await store.clear()
        return await store.find(SITE)

    assert asyncio.run(run()) is None


def learned(tmp_path, prepare, *, times=1, allowed=("127.0.0.1",)):
    """Read a page `times` times, let the icons settle, and return the page, its icon and the server."""

    async def run():
        store = IconStore(tmp_path)
        async with (
            PageServer() as server,
            Fetcher(SsrfGuard(("127.0.0.1",))) as pages,
            Fetcher(SsrfGuard(allowed), ICON_LIMITS) as icons,
        ):
            collector = IconCollector(icons, store)
            async with aclosing(PageReader(pages, icons=collector)) as reader:
                url = prepare(server)
                for _ in range(times):
                    page = await reader.read(url)
            await collector.settle()
            await collector.aclose()
            return page, await store.find(icon_id(url)), server

    return asyncio.run(run())


def html_page(server, head=""):
    return server.page(
        "/a",
        f"<html><head><title>T</title>{head}</head><body><article>{TEXT}</article></body></html>",
        Content_Type="text/html",
        Cache_Control="no-cache",
    )


def test_the_icon_of_a_page_is_learned_from_its_site(tmp_path):
    def prepare(server):
        server.page("/i.png", PNG, Content_Type="text/plain")
        return html_page(server, "<link rel=icon href=/i.png>")

    page, icon, server = learned(tmp_path, prepare, times=2)
    assert page.text
    assert icon.data == PNG
    assert [request.path for request in server.requests].count("/i.png") == 1


def test_the_usual_place_is_tried_where_the_named_one_has_no_picture(tmp_path):
    def prepare(server):
        server.page("/i.png", SVG, Content_Type="image/png")
        server.page("/favicon.ico", KINDS["image/x-icon"])
        return html_page(server, "<link rel=icon href=/i.png>")

    _, icon, _ = learned(tmp_path, prepare)
    assert icon.media_type == "image/x-icon"


@cases("body", [PNG + b"\0" * MAX_BYTES, b"", SVG])
def test_what_is_too_large_or_no_picture_is_not_kept(tmp_path, body):
    def prepare(server):
        server.page("/favicon.ico", body)
        return html_page(server)

    page, icon, _ = learned(tmp_path, prepare)
    assert page.text
    assert icon is None


def test_a_page_cannot_send_us_into_the_own_network(tmp_path):
    def prepare(server):
        server.page("/favicon.ico", PNG)
        return html_page(server, "<link rel=icon href=http://127.0.0.1:1/i.png>")

    page, icon, server = learned(tmp_path, prepare, allowed=())
    assert page.text
    assert icon is None
    assert [request.path for request in server.requests] == ["/a"]


def test_reading_does_not_wait_for_an_icon_that_never_comes(tmp_path):
    async def run():
        async with (
            PageServer() as server,
            Fetcher(SsrfGuard(("127.0.0.1",))) as pages,
            Fetcher(SsrfGuard(("127.0.0.1",)), ICON_LIMITS) as icons,
        ):
            asked, gone = asyncio.Event(), asyncio.Event()

            async def silent(_, writer):
                asked.set()
                try:
                    await asyncio.sleep(60)
                finally:
                    gone.set()

            server.on("/favicon.ico", silent)
            collector = IconCollector(icons, IconStore(tmp_path))
            async with aclosing(PageReader(pages, icons=collector)) as reader:
                page = await reader.read(html_page(server))
            await asyncio.wait_for(asked.wait(), 20)
            await collector.aclose()
            return page

    assert asyncio.run(run()).text
