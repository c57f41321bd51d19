"""Backup targets behind one interface, `BackupTarget`: a folder, a WebDAV server, an S3 bucket.

WebDAV is RFC 4918, as in Nextcloud. S3 is also supported by MinIO, Garage, R2 and B2; requests are signed as
described in https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html (seen 2026-11). The
HTTP client is imported with the first server destination.
"""

import asyncio
import hashlib
import hmac
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import quote, unquote, urlsplit

from desktop.domain.addresses import leads_to_a_server
from desktop.errors import BackupFailed, BackupServerDown, plain_reason
from desktop.phrases import translatable
from desktop.settings.atomic_files import write_whole

# HTTP and XML are imported with the first destination on a server.
# ruff: noqa: PLC0415

if TYPE_CHECKING:
    import httpx
    from lxml import etree

_REFUSED: Final = translatable("The server did not accept the user name or key.")
_MISSING: Final = translatable("The file {name} does not exist.")
_DISK_FULL: Final = translatable("There is no space left.")
_STATUS: Final = translatable("The server returned {status}.")

_TOO_LARGE: Final = translatable("The file {name} is too large to be a file of Footnote.")

_NO_FOLDER = translatable("The folder {path} does not exist. Check that the disk is connected.")

_NOT_AN_ADDRESS: Final = translatable(
    "The address must begin with https:// or http:// and contain a host name."
)
MOST_BYTES: Final = 64 * 2**20
"""Maximum size of a backup file."""

LONGEST_S: Final = 600.0
"""Maximum duration of one request, however slowly data arrives: the other destinations wait for it."""

_ALGORITHM = "AWS4-HMAC-SHA256"

MOST_PAGES: Final = 10_000
"""Maximum number of pages of a list, with a thousand names each; a longer list is assumed to be endless."""

_OK, _CREATED, _NO_CONTENT, _MULTI, _NOT_FOUND = 200, 201, 204, 207, 404
_GARBLED: Final = translatable("The server did not send a list of files.")


class BackupTarget(Protocol):
    """Stores small files by name, such as `copies/20260301T120000Z.json`; folders have one level.

    Every method raises `BackupFailed` and can be cancelled.
    """

    async def names(self, folder: str) -> frozenset[str]:
        """Return the names in a folder, relative to it; none if the folder does not exist."""
        ...

    async def get(self, name: str) -> bytes:
        """Return a file."""
        ...

    async def put(self, name: str, data: bytes) -> None:
        """Write a file; after the return it is complete."""
        ...

    async def delete(self, name: str) -> None:
        """Delete a file; a missing file is no error."""
        ...


def no_answer(place: str, detail: str = "") -> BackupFailed:
    """Return the error for a request without a response."""
    return BackupServerDown(place=place, detail=detail)


def missing(place: str, name: str) -> BackupFailed:
    """Return the error for a missing file."""
    return BackupFailed(place=place, detail=_MISSING.format(name=name))


def too_large(place: str, name: str) -> BackupFailed:
    """Return the error for a file that is too large for a backup of Footnote."""
    return BackupFailed(place=place, detail=_TOO_LARGE.format(name=name))


def bad_status(place: str, status: int, name: str) -> BackupFailed:
    """Return the error for a response with an error status."""
    match status:
        case 401 | 403:
            return BackupFailed(place=place, detail=_REFUSED)
        case 404:
            return missing(place, name)
        case 507 | 413:
            return BackupFailed(place=place, detail=_DISK_FULL)
    return BackupFailed(place=place, detail=_STATUS.format(status=status))


class FolderTarget:
    """See `BackupTarget`. The folder itself is never created: a missing disk must not be replaced by a local folder."""

    def __init__(self, place: str, root: Path, prefix: str = "") -> None:
        self._place = place
        self._root = root
        self._folder = root / prefix if prefix else root

    async def names(self, folder: str) -> frozenset[str]:
        """Return the names in a folder."""
        return await asyncio.to_thread(self._names, folder)

    async def get(self, name: str) -> bytes:
        """Return a file."""
        return await asyncio.to_thread(self._get, name)

    async def put(self, name: str, data: bytes) -> None:
        """Write a file."""
        await asyncio.to_thread(self._put, name, data)

    async def delete(self, name: str) -> None:
        """Delete a file."""
        await asyncio.to_thread(self._delete, name)

    def _names(self, folder: str) -> frozenset[str]:
        self._check_root()
        try:
            return frozenset(path.name for path in (self._folder / folder).iterdir() if path.is_file())
        except FileNotFoundError:
            return frozenset()
        except OSError as error:
            raise self._make_error(error) from error

    def _get(self, name: str) -> bytes:
        path = self._folder / name
        try:
            if path.stat().st_size > MOST_BYTES:
                raise too_large(self._place, name)
            return path.read_bytes()
        except FileNotFoundError as error:
            raise missing(self._place, name) from error
        except OSError as error:
            raise self._make_error(error) from error

    def _put(self, name: str, data: bytes) -> None:
        self._check_root()
        try:
            write_whole(self._folder / name, data)
        except OSError as error:
            raise self._make_error(error) from error

    def _delete(self, name: str) -> None:
        try:
            (self._folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise self._make_error(error) from error

    def _check_root(self) -> None:
        if not self._root.is_dir():
            raise BackupFailed(place=self._place, detail=_NO_FOLDER.format(path=self._root))

    def _make_error(self, error: OSError) -> BackupFailed:
        return BackupFailed(place=self._place, detail=plain_reason(error))


async def ask(
    client: "httpx.AsyncClient",
    place: str,
    request: "httpx.Request",
    name: str,
    *,
    accepted: Collection[int],
    auth: "httpx.Auth | None" = None,
) -> tuple[int, bytes]:
    """Send a request and return the status of the response, one of `accepted`, and its body.

    Raises:
        BackupFailed: there is no response, one with another status, or one that is too long.
    """
    import httpx

    try:
        async with asyncio.timeout(LONGEST_S):
            response = await client.send(request, stream=True, auth=auth)
            try:
                body = bytearray()
                async for piece in response.aiter_raw():
                    body += piece
                    if len(body) > MOST_BYTES:
                        raise too_large(place, name)
            finally:
                await response.aclose()
    except TimeoutError as error:
        raise no_answer(place) from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise no_answer(place, plain_reason(error)) from error
    if response.status_code not in accepted:
        raise bad_status(place, response.status_code, name)
    return response.status_code, bytes(body)


def check_address(place: str, url: str) -> None:
    """Check that a request to an address can be sent; raises BackupFailed."""
    if not leads_to_a_server(url):
        raise BackupFailed(place=place, detail=_NOT_AN_ADDRESS)


def build(
    client: "httpx.AsyncClient",
    place: str,
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    content: bytes = b"",
) -> "httpx.Request":
    """Return a request that asks for an uncompressed response, so that the bytes are those that were stored.

    Raises:
        BackupFailed: the address is invalid.
    """
    import httpx

    check_address(place, url)
    try:
        return client.build_request(
            method, url, headers={"accept-encoding": "identity", **(headers or {})}, content=content
        )
    except (httpx.InvalidURL, ValueError) as error:
        raise BackupFailed(place=place, detail=plain_reason(error)) from error


@dataclass(frozen=True)
class Credentials:
    """Access key, secret key and region."""

    key_id: str
    secret: str = field(repr=False)
    region: str


def sign_headers(
    method: str, url: str, query: Mapping[str, str], body: bytes, *, who: Credentials, now: datetime
) -> dict[str, str]:
    """Return the headers of a signed request for `url`, whose path is escaped and which has no query itself."""
    parts = urlsplit(url)
    stamp = now.strftime("%Y%m%dT%H%M%SZ")
    digest = hashlib.sha256(body).hexdigest()
    headers = {"host": parts.netloc, "x-amz-content-sha256": digest, "x-amz-date": stamp}
    names = ";".join(sorted(headers))
    lines = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    request = "\n".join((method, parts.path or "/", query_text(query), lines, names, digest))
    scope = f"{stamp[:8]}/{who.region}/s3/aws4_request"
    hashed = hashlib.sha256(request.encode()).hexdigest()
    key = f"AWS4{who.secret}".encode()
    for part in (*scope.split("/"), "\n".join((_ALGORITHM, stamp, scope, hashed))):
        key = hmac.digest(key, part.encode(), "sha256")
    credential = f"Credential={who.key_id}/{scope}"
    headers["authorization"] = f"{_ALGORITHM} {credential}, SignedHeaders={names}, Signature={key.hex()}"
    return headers


def query_text(query: Mapping[str, str]) -> str:
    """Return a query in the canonical form that is signed and must be sent."""
    return "&".join(f"{quote(name, safe='-_.~')}={quote(query[name], safe='-_.~')}" for name in sorted(query))


class S3Target:
    """See `BackupTarget`. The bucket has to exist; keys begin with a prefix. Path-style addresses are used."""

    def __init__(
        self, place: str, client: "httpx.AsyncClient", bucket: str, *, prefix: str, who: Credentials
    ) -> None:
        """`bucket` is its full address, such as https://s3.example.org/backups."""
        self._place = place
        self._client = client
        self._bucket = bucket.rstrip("/")
        self._prefix = "".join(f"{part}/" for part in prefix.split("/") if part)
        self._who = who

    async def names(self, folder: str) -> frozenset[str]:
        """Return the names in a folder, page by page."""
        start = f"{self._prefix}{folder}/"
        query = {"list-type": "2", "prefix": start, "delimiter": "/"}
        names: set[str] = set()
        for _ in range(MOST_PAGES):
            _, body = await self._ask("GET", self._bucket, folder, (_OK,), query=query)
            keys, more = self._parse_list(body)
            names.update(key.removeprefix(start) for key in keys if key != start)
            if not more:
                return frozenset(names)
            query = {**query, "continuation-token": more}
        raise BackupFailed(place=self._place, detail=_GARBLED)

    async def get(self, name: str) -> bytes:
        """Return a file."""
        _, body = await self._ask("GET", self._url(name), name, (_OK,))
        return body

    async def put(self, name: str, data: bytes) -> None:
        """Write a file."""
        await self._ask("PUT", self._url(name), name, (_OK,), body=data)

    async def delete(self, name: str) -> None:
        """Delete a file."""
        await self._ask("DELETE", self._url(name), name, (_OK, _NO_CONTENT))

    def _url(self, name: str) -> str:
        return f"{self._bucket}/{quote(self._prefix + name, safe='/-_.~')}"

    async def _ask(
        self,
        method: str,
        url: str,
        name: str,
        accepted: tuple[int, ...],
        *,
        query: dict[str, str] | None = None,
        body: bytes = b"",
    ) -> tuple[int, bytes]:
        query = query or {}
        check_address(self._place, url)  # before it is parsed
        headers = sign_headers(method, url, query, body, who=self._who, now=datetime.now(UTC))
        address = f"{url}?{query_text(query)}" if query else url
        request = build(self._client, self._place, method, address, headers=headers, content=body)
        return await ask(self._client, self._place, request, name, accepted=accepted)

    def _parse_list(self, body: bytes) -> tuple[list[str], str]:
        """Return the keys on a page of a list, and the token of the next page."""
        root = _parse_xml(body, self._place)
        keys = [key.text or "" for key in root.iterfind("{*}Contents/{*}Key")]
        return keys, root.findtext("{*}NextContinuationToken") or ""


_PROPFIND: Final = b'<?xml version="1.0"?><propfind xmlns="DAV:"><prop><resourcetype/></prop></propfind>'
_EXISTS: Final = 405


class WebDavTarget:
    """See `BackupTarget`. The folders are created with the first file."""

    def __init__(
        self, place: str, client: "httpx.AsyncClient", url: str, *, prefix: str, login: tuple[str, str]
    ) -> None:
        """`url` is an existing folder; `prefix` a folder in it that may be created."""
        self._place = place
        self._client = client
        self._base = url.rstrip("/")
        self._prefix = [part for part in prefix.split("/") if part]
        self._login = login
        self._made: set[str] = set()

    async def names(self, folder: str) -> frozenset[str]:
        """Return the names in a folder."""
        url = f"{self._url(folder)}/"
        headers = {"depth": "1", "content-type": "application/xml"}
        status, body = await self._ask(
            "PROPFIND", url, folder, (_MULTI, _NOT_FOUND), headers=headers, content=_PROPFIND
        )
        return frozenset() if status == _NOT_FOUND else self._parse_list(body, urlsplit(url).path)

    async def get(self, name: str) -> bytes:
        """Return a file."""
        _, body = await self._ask("GET", self._url(name), name, (_OK,))
        return body

    async def put(self, name: str, data: bytes) -> None:
        """Write a file, creating its folder if necessary."""
        await self._make_folder(name.rpartition("/")[0])
        await self._ask("PUT", self._url(name), name, (_OK, _CREATED, _NO_CONTENT), content=data)

    async def delete(self, name: str) -> None:
        """Delete a file."""
        await self._ask("DELETE", self._url(name), name, (_OK, _NO_CONTENT, _NOT_FOUND))

    async def _make_folder(self, folder: str) -> None:
        parts: list[str] = []
        for part in [*self._prefix, *(each for each in folder.split("/") if each)]:
            parts.append(part)
            path = "/".join(map(quote, parts))
            if path not in self._made:
                await self._ask("MKCOL", f"{self._base}/{path}/", path, (_OK, _CREATED, _EXISTS))
                self._made.add(path)

    async def _ask(
        self,
        method: str,
        url: str,
        name: str,
        accepted: tuple[int, ...],
        *,
        headers: dict[str, str] | None = None,
        content: bytes = b"",
    ) -> tuple[int, bytes]:
        import httpx

        request = build(self._client, self._place, method, url, headers=headers, content=content)
        auth = httpx.BasicAuth(*self._login) if any(self._login) else None
        return await ask(self._client, self._place, request, name, accepted=accepted, auth=auth)

    def _url(self, name: str) -> str:
        return "/".join([self._base, *map(quote, [*self._prefix, *name.split("/")])])

    def _parse_list(self, body: bytes, path: str) -> frozenset[str]:
        """Return the file names in a PROPFIND response: the last part of each path."""
        root = _parse_xml(body, self._place)
        names = set()
        for response in root.iter("{DAV:}response"):
            try:
                href = unquote(urlsplit(response.findtext("{DAV:}href") or "").path)
            except ValueError:  # an invalid address is not that of a file
                continue
            if response.find(".//{DAV:}collection") is None and href != unquote(path):
                names.add(href.rstrip("/").rpartition("/")[2])
        return frozenset(names)


def _parse_xml(body: bytes, place: str) -> "etree._Element":
    """Return the root of a server's answer, which may be hostile."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        return etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:
        raise BackupFailed(place=place, detail=_GARBLED) from error
