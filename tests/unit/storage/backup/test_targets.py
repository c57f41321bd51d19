"""Shelves for copies: a folder, a real WebDAV server and a real S3 server, all alike."""

import asyncio
import socketserver
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

import httpx
import pytest

from desktop.errors import BackupFailed
from desktop.services.backups import target_for
from desktop.settings.model import BackupDestination
from desktop.storage import backup_targets
from desktop.storage.backup_targets import Credentials, sign_headers
from tests.cases import cases
from tests.serving import serve_requests
from tests.unit.storage.backup import servers

KINDS = ("folder", "webdav", "s3")


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Destinations by kind."""
    root = tmp_path_factory.mktemp("places")
    (root / "disk").mkdir()
    with servers.webdav(root / "webdav") as webdav, servers.s3(root / "s3") as s3:
        yield {
            "folder": BackupDestination("f", "Stick", "folder", str(root / "disk")),
            "webdav": BackupDestination("w", "Cloud", "webdav", webdav, servers.NAME),
            "s3": BackupDestination("s", "Bucket", "s3", s3, servers.NAME, servers.BUCKET),
        }


def with_shelf(destination, work, secret=servers.SECRET):
    async def run():
        async with httpx.AsyncClient(timeout=30) as client:
            return await work(target_for(destination, secret, lambda: client))

    return asyncio.run(run())


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_put_there_comes_back_and_can_be_listed_and_deleted(places, kind):
    async def work(backup_target):
        assert await backup_target.names("pieces") == frozenset()
        await backup_target.put("pieces/one", b"\0\xff" * 70_000)
        await backup_target.put("pieces/two", b"")
        await backup_target.put("copies/20260301T120000Z.json", b"{}")
        assert await backup_target.names("pieces") == {"one", "two"}
        assert await backup_target.names("copies") == {"20260301T120000Z.json"}
        assert await backup_target.get("pieces/one") == b"\0\xff" * 70_000
        assert await backup_target.get("pieces/two") == b""
        await backup_target.put("pieces/two", b"anew")
        assert await backup_target.get("pieces/two") == b"anew"
        for name in ("pieces/one", "pieces/two", "pieces/two", "copies/20260301T120000Z.json"):
            await backup_target.delete(name)
        assert await backup_target.names("pieces") == frozenset()
        with pytest.raises(BackupFailed, match="pieces/one"):
            await backup_target.get("pieces/one")

    with_shelf(places[kind], work)


@pytest.mark.parametrize("kind", ["webdav", "s3"])
def test_a_wrong_secret_is_said(places, kind):
    async def work(backup_target):
        for attempt in (backup_target.get("x"), backup_target.put("a/x", b"x"), backup_target.names("a")):
            with pytest.raises(BackupFailed, match="did not accept the user name or key"):
                await attempt

    with_shelf(places[kind], work, "another secret")


@cases("kind", ["webdav", "s3"])
def test_a_server_that_is_gone_is_said(kind):
    nobody = BackupDestination("n", "Nobody", kind, "http://127.0.0.1:9", bucket="b")

    async def work(backup_target):
        for attempt in (
            backup_target.get("x"),
            backup_target.put("a/x", b"x"),
            backup_target.names("a"),
            backup_target.delete("x"),
        ):
            with pytest.raises(BackupFailed, match=r"Nobody.*can’t be reached"):
                await attempt

    with_shelf(nobody, work)


@cases("kind", ["webdav", "s3"])
def test_an_address_that_is_none_is_said(kind):
    bad = BackupDestination("n", "Bad", kind, "http://exa mple:99999999", bucket="b")

    async def work(backup_target):
        with pytest.raises(BackupFailed, match="Bad"):
            await backup_target.get("x")

    with_shelf(bad, work)


def test_a_folder_that_is_gone_is_not_made(tmp_path):
    away = BackupDestination("f", "Stick", "folder", str(tmp_path / "away"))

    async def work(backup_target):
        for attempt in (backup_target.put("pieces/x", b"x"), backup_target.names("pieces")):
            with pytest.raises(BackupFailed, match="Check that the disk is connected"):
                await attempt

    with_shelf(away, work)
    assert not (tmp_path / "away").exists()


class Garbled(httpx.AsyncBaseTransport):
    """Answers everything with one answer."""

    def __init__(self, status, body):
        self.answer = status, body

    async def handle_async_request(self, request):
        status, body = self.answer
        return httpx.Response(status, stream=httpx.ByteStream(body))


@cases(
    "status, body, words",
    [
        (200, b"<html>Sign in<br></html>", "did not send a list of files|returned 200"),
        (207, b"no XML", "did not send a list of files|returned 207"),
        (500, b"", "returned 500"),
        (507, b"", "no space left"),
        (302, b"", "returned 302"),
    ],
)
@cases("kind", ["webdav", "s3"])
def test_servers_that_answer_with_something_else_are_told_apart(kind, status, body, words):
    place = BackupDestination("n", "Odd", kind, "http://127.0.0.1:9", bucket="b")

    async def run():
        async with httpx.AsyncClient(transport=Garbled(status, body)) as client:
            with pytest.raises(BackupFailed, match=words):
                await target_for(place, "", lambda: client).names("pieces")

    asyncio.run(run())


def test_lists_with_entities_in_them_read_no_file():
    xml = (
        b'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
        b'<multistatus xmlns="DAV:"><response><href>/dav/footnote/pieces/&x;a</href></response></multistatus>'
    )
    place = BackupDestination("n", "Odd", "webdav", "http://127.0.0.1:9/dav")

    async def run():
        async with httpx.AsyncClient(transport=Garbled(207, xml)) as client:
            return await target_for(place, "", lambda: client).names("pieces")

    assert asyncio.run(run()) <= {"a", ""}


@cases(
    "query, signature",
    [
        ({"lifecycle": ""}, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        (
            {"max-keys": "2", "prefix": "J"},
            "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
        ),
    ],
)
def test_requests_are_signed_as_in_the_examples_of_the_specification(query, signature):
    who = Credentials("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1")
    headers = sign_headers(
        "GET",
        "https://examplebucket.s3.amazonaws.com/",
        query,
        b"",
        who=who,
        now=datetime(2013, 5, 24, tzinfo=UTC),
    )
    assert headers["authorization"].endswith(f"Signature={signature}")
    assert who.secret not in repr(who)


def test_a_list_without_an_end_is_given_up(monkeypatch):
    monkeypatch.setattr(backup_targets, "MOST_PAGES", 3)
    asked = []

    async def answer(request):
        asked.append(request.url)
        xml = "<ListBucketResult><NextContinuationToken>more</NextContinuationToken></ListBucketResult>"
        return httpx.Response(200, stream=httpx.ByteStream(xml.encode()))

    place = BackupDestination("n", "Long", "s3", "http://127.0.0.1:9", bucket="b")

    async def run():
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
            with pytest.raises(BackupFailed, match="did not send a list of files"):
                await target_for(place, "", lambda: client).names("pieces")

    asyncio.run(run())
    assert len(asked) == 3


def test_long_lists_come_page_by_page():
    async def answer(request):
        page = "2" if request.url.params.get("continuation-token") == "a b/+" else "1"
        more = "<NextContinuationToken>a b/+</NextContinuationToken>" if page == "1" else ""
        keys = f"<Contents><Key>footnote/pieces/{page}</Key></Contents>"
        xml = f'<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{keys}{more}</ListBucketResult>'
        return httpx.Response(200, stream=httpx.ByteStream(xml.encode()))

    place = BackupDestination("n", "Long", "s3", "http://127.0.0.1:9", bucket="b")

    async def run():
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as client:
            return await target_for(place, "", lambda: client).names("pieces")

    assert asyncio.run(run()) == {"1", "2"}


NAMES = b"""<multistatus xmlns="DAV:"><response><href>http://[::1</href></response>
    <response><href>/x/../../etc/passwd</href></response><response><href>/dav/footnote/copies/a.json</href></response>
    </multistatus>"""


@contextmanager
def answering(answer):
    """Run a server that answers everything alike, and then waits for its caller to go."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self):
            while self.rfile.readline().strip():
                pass
            with suppress(ConnectionError):
                self.wfile.write(answer)
                self.rfile.read()

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    with serve_requests(server):
        yield f"http://127.0.0.1:{server.server_address[1]}/dav"


def test_names_that_are_no_addresses_are_passed_over():
    async def work(backup_target):
        assert await backup_target.names("copies") == {"passwd", "a.json"}

    head = b"HTTP/1.1 207 Multi-Status\r\nContent-Length: %d\r\n\r\n" % len(NAMES)
    with answering(head + NAMES) as address:
        with_shelf(BackupDestination("w", "Cloud", "webdav", address), work)


@cases("kind", ["webdav", "s3"])
def test_a_server_that_never_comes_to_an_end_is_waited_for_so_long(kind, monkeypatch):
    monkeypatch.setattr(backup_targets, "LONGEST_S", 0.2)

    async def work(backup_target):
        with pytest.raises(BackupFailed, match="can’t be reached"):
            await backup_target.names("copies")

    with answering(b"HTTP/1.1 207 Multi-Status\r\nContent-Length: 100\r\n\r\n<") as address:
        with_shelf(BackupDestination("w", "Cloud", kind, address, bucket="b"), work)
