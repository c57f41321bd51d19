"""Passages, sources with their kept pages, and the ledger that gives each source one number for the whole conversation."""

import hashlib
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from itertools import chain
from typing import Final
from urllib.parse import quote, urlsplit, urlunsplit

TEXT_JOIN = "\n\n[…]\n\n"
"""Separates two parts of a source that are not adjacent in the original."""

SECTION_JOIN = " › "
"""Separates the headings in the path of a section."""

DESCRIPTION = "Description by "
"""Prefix, before the name of a model, of the section for a picture description by that model."""

_TRACKING = re.compile(
    r"^(utm_\w+|fbclid|gclid|gclsrc|dclid|msclkid|yclid|mc_[ce]id|igshid|_hs(enc|mi)|spm|ref_src|srsltid)$"
)
_DEFAULT_PORTS = {80, 443}
_WWW = re.compile(r"^(www\.)+")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SAFE = "%/?:@!$&'()*+,;=~"
"""Characters of an address that are left as they are; escaping may change their meaning."""

_KNOWN_ADDRESSES = 512
"""The size of the cache: a search brings each of its addresses into this form about twenty times."""

_TOLD_ADDRESS_CHARS = 300
"""Maximum length of an address shown to the model.

A longer one would use up the tokens of a passage; its page can be read by the number of its source.
"""


MAX_TEXT_CHARS: Final = 1_000_000
"""Maximum length of the main text of one kept page."""

MAX_FILE_BYTES: Final = 3 * 2**20
"""Maximum size of the file of one kept page, compressed; a larger one is not kept, only its text."""

MAX_TEXTS_BYTES: Final = 100 * 2**20
"""Maximum size of all kept texts, compressed: they are in every copy of the database."""

MAX_FILES_BYTES: Final = 1024 * 2**20
"""Maximum size of the files of all kept pages, compressed."""


class SourceKind(StrEnum):
    """The origin of a source; the values are also in their order within one turn."""

    WEB = "web"
    FILE = "file"
    MEMORY = "memory"
    ANSWER = "answer"
    """An answer of another conversation that the user refers to."""


@dataclass(frozen=True)
class Locator:
    """The position of a passage in its document.

    `page` counts from 1; `section` is a path of headings, or the cells of a sheet; `start` and `end` are
    character offsets into the document's extracted text.
    """

    page: int | None = None
    section: str = ""
    start: int | None = None
    end: int | None = None

    @property
    def heading(self) -> str:
        """The innermost heading of the section."""
        return self.section.rpartition(SECTION_JOIN)[2]

    def __str__(self) -> str:
        page = f"p. {self.page}" if self.page is not None else ""
        return " · ".join(part for part in (page, self.section) if part)


@dataclass(frozen=True)
class Passage:
    """A piece of text that may be shown to a model, not yet numbered.

    `url` is the address as found: http(s) for web pages, `file:` for files, empty for memories. `document`
    identifies the content independently of its address: the SHA-256 of a file, the id of a memory, conversation
    and message of an answer. For a web page it is empty, unless the page was read in parts: then it is the
    SHA-256 of its text, and each part is a source of its own. `score` is comparable within one retrieval only.
    `core` is the range of `text` that matched, if that is not all of it; the rest is context. `read_at` is set if
    the text was read before it was found: a page in a base.
    """

    kind: SourceKind
    title: str
    text: str
    url: str = ""
    document: str = ""
    locator: Locator = Locator()
    score: float = 0.0
    published: str = ""
    core: tuple[int, int] | None = None
    read_at: datetime | None = None


def core_of(passage: Passage) -> Passage:
    """Return a passage without the context around the match."""
    if passage.core is None:
        return passage
    start, end = passage.core
    return cut(replace(passage, core=None), start, end)


def cut(passage: Passage, start: int, end: int) -> Passage:
    """Return `passage.text[start:end]` as a passage with its own position."""
    where, base = passage.locator, passage.locator.start
    if base is not None:
        where = replace(where, start=base + start, end=base + end)
    return replace(passage, text=passage.text[start:end], locator=where)


class PageState(StrEnum):
    """What reading a cited page again showed."""

    SAME = "same"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"
    """The page (404, 410) or its host (no such name) does not exist any more."""
    UNREACHED = "unreached"
    """It could not be read now; that says nothing about the page."""


@dataclass(frozen=True)
class PageCheck:
    """The result of reading a cited page again.

    `address` is where a moved page is now. `changes` counts the differences between the main texts, and
    `has_passage` says whether the cited passage is unchanged. `detail` is a message for the user: why it was not
    reached, or is gone.
    """

    state: PageState
    checked_at: datetime
    address: str = ""
    changes: int = 0
    has_passage: bool = True
    detail: str = ""
    removed: tuple[str, ...] = ()
    """What changes took out of the cited passage; an addition to it is an empty one."""

    @property
    def is_warning(self) -> bool:
        """Whether a mark that cites the page has to say so."""
        return self.state in {PageState.MOVED, PageState.CHANGED, PageState.GONE}


@dataclass(frozen=True)
class KeptPage:
    """A kept page of a source, without its text.

    `address` was read, `final_address` is where redirects led. `file_bytes` is the size of the compressed file, 0 if
    only the main text is kept.
    """

    number: int
    address: str
    final_address: str
    title: str
    read_at: datetime
    text_hash: str
    file: str = ""
    file_bytes: int = 0
    media_type: str = ""
    newer_hash: str = ""
    check: PageCheck | None = None


@dataclass(frozen=True)
class PageTexts:
    """A kept page with its main text, and the text that it had when it was read again; empty if that is the same."""

    page: KeptPage
    text: str
    newer: str = ""


@dataclass(frozen=True)
class TextChange:
    """A difference between two texts; one of the two is empty if text was only removed or added.

    `is_in_passage` says that it touches the cited passage.
    """

    removed: str
    added: str
    is_in_passage: bool = False


@dataclass(frozen=True)
class PageTotals:
    """How many pages are kept, each counted once, and their sizes on disk."""

    pages: int
    text_bytes: int
    file_bytes: int


@dataclass(frozen=True)
class PagesChecked:
    """Sources of a conversation were read again; the results are on disk. Also the progress of a check."""

    checks: Mapping[int, PageCheck]
    done: int
    total: int


@dataclass(frozen=True)
class Source:
    """A numbered source: the passage as it was given to the model, frozen with its date."""

    number: int
    kind: SourceKind
    key: str
    title: str
    url: str
    host: str
    locator: Locator
    text: str
    text_hash: str
    read_at: datetime
    published: str = ""
    is_damaged: bool = False
    """Whether part of it was damaged on the disk and is in no backup; `text` holds what is left."""
    page_check: PageCheck | None = None
    """What reading its page again showed."""

    @property
    def passages(self) -> tuple[str, ...]:
        """The parts of the text that are not adjacent in the original."""
        return tuple(part for part in self.text.split(TEXT_JOIN) if part.strip())


def with_page_checks(sources: Iterable[Source], checks: Mapping[int, PageCheck]) -> Iterator[Source]:
    """Yield sources with the results of reading their pages again."""
    for source in sources:
        check = checks.get(source.number)
        yield source if check is None else replace(source, page_check=check)


@lru_cache(_KNOWN_ADDRESSES)
def canonical_url(url: str) -> str:
    """Return the canonical form of an address, which is equal for two links to the same page.

    Scheme and host in lower case and ASCII, http as https, no default port, fragment, `www.` or tracking
    parameters, no slash at the end, uniform escaping (RFC 3986, 6.2.2). Escapes are never decoded to
    characters, so that addresses in GBK or Big5 stay distinct. Not meant to be opened: `Source.url` keeps the
    address as it was found.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = _canonical_host(parts.hostname or ""), parts.port
    except ValueError:  # a malformed port or IPv6 literal: the text itself is the best available key
        return url.strip()
    if not host:
        return url.strip()
    scheme = "https" if parts.scheme == "http" else parts.scheme
    place = f"[{host}]" if ":" in host else host
    if port is not None and not (scheme == "https" and port in _DEFAULT_PORTS):
        place += f":{port}"
    query = "&".join(
        _escape_part(part.replace("+", "%20"))
        for part in parts.query.split("&")
        if part and not _TRACKING.match(part.partition("=")[0].lower())
    )
    # Only these fragments identify a page of their own: the routes of pages made by scripts.
    fragment = _escape_part(parts.fragment) if parts.fragment.startswith(("!", "/")) else ""
    return urlunsplit((scheme, place, _escape_part(parts.path).rstrip("/"), query, fragment))


def _canonical_host(host: str) -> str:
    """Return a host in the form used for lookup, or an empty text for an invalid one."""
    if any(character.isspace() for character in host):
        return ""
    try:
        name = host.rstrip(".").encode("idna").decode("ascii")
    except UnicodeError:  # not a valid DNS name, but still usable as a key
        name = host
    name = name.lower().rstrip(".")
    return _WWW.sub("", name) or name


def _escape_part(text: str) -> str:
    """Return a part of an address in which exactly the characters that must be escaped are escaped."""
    escaped = quote(_STRAY_PERCENT.sub("%25", text), safe=_SAFE, errors="surrogatepass")
    return _ESCAPE.sub(_shortest, escaped)


def _shortest(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED else escape[0].upper()


def source_key(passage: Passage) -> str:
    """Return the key that is equal for passages of the same source."""
    if passage.kind is SourceKind.WEB:
        page, where = canonical_url(passage.url), passage.locator
        return f"{page}#{passage.document}:{where.start}-{where.end}" if passage.document else page
    if passage.kind is SourceKind.MEMORY:
        return f"memory:{passage.document}"
    if passage.kind is SourceKind.ANSWER:
        return f"answer:{passage.document}"
    where = passage.locator
    span = f"{where.start}-{where.end}" if where.start is not None else _digest(passage.text)
    return f"file:{passage.document}:{span}"


NumberRanges = tuple[tuple[int, int], ...]
"""Numbers of sources as ranges (first, last), both inclusive, ascending and not adjacent."""


def ranges_of(numbers: Iterable[int]) -> NumberRanges:
    """Return numbers as ranges."""
    ranges: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    return tuple(ranges)


def numbers_in(ranges: NumberRanges) -> Iterable[int]:
    """Return the numbers of ranges, in ascending order."""
    return chain.from_iterable(range(first, last + 1) for first, last in ranges)


def document_of(source: Source) -> str:
    """Return the SHA-256 of the file that a source is from; empty if it is not a file."""
    return source.key.partition(":")[2].partition(":")[0] if source.kind is SourceKind.FILE else ""


def is_page(source: Source) -> bool:
    """Say whether a source is a web page: found on the web, or kept in a base with its address."""
    return source.kind is SourceKind.WEB or (
        source.kind is SourceKind.FILE and source.url.startswith(("http://", "https://"))
    )


def message_of(source: Source) -> tuple[str, str]:
    """Return the ids of the conversation and the message that a source is from; empty if it is not an answer."""
    if source.kind is not SourceKind.ANSWER:
        return "", ""
    conversation_id, _, message_id = source.key.removeprefix("answer:").partition("/")
    return conversation_id, message_id


def address_for_model(kind: SourceKind, url: str) -> str:
    """Return the address that a model is shown: that of a web page, unless it is too long."""
    return url if kind is SourceKind.WEB and len(url) <= _TOLD_ADDRESS_CHARS else ""


def host_of(url: str) -> str:
    """Return the host of an http(s) address without `www.`, or an empty text."""
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


@dataclass
class Ledger:
    """Numbers the sources of one conversation, protected by one lock.

    A number is never reused or changed. Registering a known source again returns its old number; new text is
    appended to it, so that offsets into the old text stay valid. One that had no text, such as a link, takes the title and
    the dates of what is read of it.
    """

    _sources: dict[str, Source] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @classmethod
    def of(cls, sources: Iterable[Source]) -> "Ledger":
        """Return the ledger in the state in which `sources` were saved."""
        return cls({source.key: source for source in sorted(sources, key=lambda item: item.number)})

    def register(self, passages: Iterable[Passage]) -> tuple[int, ...]:
        """Return one number per passage, in their order; equal passages share one."""
        with self._lock:
            return tuple(self._register(passage) for passage in passages)

    def _register(self, passage: Passage) -> int:
        key = source_key(passage)
        known = self._sources.get(key)
        if known is None:
            number = 1 + max((source.number for source in self._sources.values()), default=0)
            self._sources[key] = _freeze(passage, key, number)
            return number
        if passage.text and passage.text not in known.text:
            text = f"{known.text}{TEXT_JOIN}{passage.text}" if known.text else passage.text
            digest = _digest(text)
            is_damaged = known.is_damaged and digest != known.text_hash  # or the same text was read again
            if not known.text:
                read = _freeze(passage, key, known.number)
                known = replace(
                    read, title=read.title or known.title, published=read.published or known.published
                )
            self._sources[key] = replace(known, text=text, text_hash=digest, is_damaged=is_damaged)
        return known.number

    @property
    def sources(self) -> tuple[Source, ...]:
        """All sources, by number."""
        with self._lock:
            return tuple(self._sources.values())

    def get(self, number: int) -> Source | None:
        """Return the source with this number."""
        return next((source for source in self.sources if source.number == number), None)

    @property
    def numbers(self) -> frozenset[int]:
        """The numbers assigned so far."""
        return frozenset(source.number for source in self.sources)


def _freeze(passage: Passage, key: str, number: int) -> Source:
    return Source(
        number=number,
        kind=passage.kind,
        key=key,
        title=passage.title,
        url=passage.url,
        host=host_of(passage.url) if passage.kind is SourceKind.WEB else "",
        locator=passage.locator,
        text=passage.text,
        text_hash=_digest(passage.text),
        read_at=passage.read_at or datetime.now(UTC),
        published=passage.published,
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
