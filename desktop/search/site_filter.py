"""Removes results of sites that the user blocks: rules, subscribed block lists, and the filter."""

import asyncio
import hashlib
import logging
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import regex

from desktop.domain.search import SearchOutcome, SearchResult, SearchStatus
from desktop.phrases import pluralize, sentences, translatable
from desktop.search.fetcher import FetchedResponse, FetchFailed, Validators
from desktop.settings.atomic_files import write_whole
from desktop.settings.model import SearchSettings
from desktop.text.decode import decode

MAX_RULES = 500_000
MAX_REGEXES = 500
_LONGEST_RULE_CHARS = 1_000
_LONGEST_HOST_CHARS = 253
_REGEX_S = 0.02
"""The time limit of one regular expression for one address; some backtrack endlessly."""
_JUDGING_S = 1.0

_HOSTS_LINE = re.compile(r"^(?:0\.0\.0\.0|127\.0\.0\.1|::1?|fe80::1%lo0)\s+(.+)$")
_HOST = re.compile(r"^[^\s/*:@]+\.[^\s/*:@]+$|^localhost$")
_MATCH_PATTERN = re.compile(r"^(\*|https?)://([^/]+)(/.*)$")
_REGEX = re.compile(r"^/(.+)/([iu]*)$")
_OWN_NAMES = frozenset({"localhost", "localhost.localdomain", "local", "broadcasthost", "0.0.0.0"})  # noqa: S104 - a name in hosts files


@dataclass(frozen=True)
class _Wildcard:
    """The parts of a wildcard rule for host and path; `with_subdomains` also matches subdomains of the host."""

    scheme: str
    host: tuple[str, ...]
    path: tuple[str, ...]
    with_subdomains: bool

    def fits(self, scheme: str, host: str, path: str) -> bool:
        hosts = _with_parents(host) if self.with_subdomains else (host,)
        return (
            self.scheme in {"*", scheme}
            and any(_fits(self.host, each) for each in hosts)
            and _fits(self.path, path)
        )


@dataclass(frozen=True)
class SiteRules:
    """Rules by kind. `unread` counts the lines that were not understood."""

    hosts: frozenset[str] = frozenset()
    wildcards: tuple[_Wildcard, ...] = ()
    regexes: tuple["regex.Pattern[str]", ...] = ()
    exceptions: "SiteRules | None" = None
    unread: int = 0
    _endless: set["regex.Pattern[str]"] = field(default_factory=set, compare=False, repr=False)

    @property
    def count(self) -> int:
        """The number of rules."""
        own = len(self.hosts) + len(self.wildcards) + len(self.regexes)
        return own + (self.exceptions.count if self.exceptions else 0)

    @property
    def endless(self) -> int:
        """The number of regular expressions that took too long for an address."""
        return len(self._endless) + (self.exceptions.endless if self.exceptions else 0)

    def matches(self, url: str) -> bool:
        """Say whether a rule matches `url`; a regular expression that took too long matches nothing from then on."""
        try:
            parts = urlsplit(url)
            host = (parts.hostname or "").rstrip(".")
        except ValueError:
            return False
        if len(host) > _LONGEST_HOST_CHARS:
            return False
        if not self._names(
            url, parts.scheme, host, f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
        ):
            return False
        return self.exceptions is None or not self.exceptions.matches(url)

    def _names(self, url: str, scheme: str, host: str, path: str) -> bool:
        if any(name in self.hosts for name in _with_parents(host)):
            return True
        if any(wildcard.fits(scheme, host, path) for wildcard in self.wildcards):
            return True
        deadline = time.monotonic() + _JUDGING_S
        return any(self._finds(pattern, url) for pattern in self.regexes if time.monotonic() < deadline)

    def _finds(self, pattern: "regex.Pattern[str]", url: str) -> bool:
        if pattern in self._endless:
            return False
        try:
            return pattern.search(url, timeout=_REGEX_S) is not None
        except TimeoutError:
            self._endless.add(pattern)
            return False


def rules_of(lines: Iterable[str]) -> SiteRules:
    """Parse the rules in `lines`; rules beyond the limits are counted as unread."""
    plain: list[str] = []
    taken_back: list[str] = []
    for line in _without_front_matter(lines):
        rule = line.strip()
        if rule and rule[0] not in "#!":
            (taken_back if rule.startswith("@@") else plain).append(rule.removeprefix("@@").strip())
    rules = _rules(plain)
    if not taken_back:
        return rules
    exceptions = _rules(taken_back)
    unread = rules.unread + exceptions.unread
    return SiteRules(rules.hosts, rules.wildcards, rules.regexes, exceptions, unread)


def _without_front_matter(lines: Iterable[str]) -> Iterable[str]:
    """Skip the YAML front matter that a list may begin with."""
    is_inside = False
    for number, line in enumerate(lines):
        if line.strip() == "---" and (number == 0 or is_inside):
            is_inside = not is_inside
        elif not is_inside:
            yield line


def _rules(lines: Iterable[str]) -> SiteRules:
    hosts: set[str] = set()
    wildcards: list[_Wildcard] = []
    regexes: list[regex.Pattern[str]] = []
    unread = 0
    for number, line in enumerate(lines):
        if number >= MAX_RULES or len(line) > _LONGEST_RULE_CHARS:
            unread += 1
        elif found := _REGEX.match(line):
            pattern = _compile(found[1]) if len(regexes) < MAX_REGEXES else None
            unread += pattern is None
            regexes += [pattern] if pattern is not None else []
        elif names := _hosts_in(line):
            hosts.update(names)
        elif (wildcard := _wildcard(line)) is not None:
            wildcards.append(wildcard)
        else:
            unread += 1
    return SiteRules(frozenset(hosts), tuple(wildcards), tuple(regexes), None, unread)


def _hosts_in(line: str) -> set[str]:
    """Return the hosts that a line blocks together with their subdomains."""
    line = line.partition(" #")[0].strip()
    if found := _HOSTS_LINE.match(line):
        return {name.lower().rstrip(".") for name in found[1].split()} - _OWN_NAMES
    name = line.removeprefix("||").rstrip("^").removeprefix("*://").removesuffix("/*").removesuffix("/")
    is_whole = name.startswith("*.") or not line.startswith("*://")
    name = name.removeprefix("*.").lower()
    return {_ascii(name)} if is_whole and _HOST.match(name) else set()


def _wildcard(line: str) -> _Wildcard | None:
    if found := _MATCH_PATTERN.match(line):
        scheme, host, path = found.groups()
        name = host.removeprefix("*.")
        return _Wildcard(scheme, _pieces(_ascii(name)), _pieces(path), name != host)
    if "://" in line or " " in line or not re.search(r"\w", line):
        return None
    host, slash, path = line.partition("/")
    if "." not in host and "*" not in host:
        return None
    return _Wildcard(
        "*", _pieces(_ascii(host.removeprefix("*."))), _pieces(f"/{path}*" if slash else "*"), True
    )


def _ascii(host: str) -> str:
    """Return a host in its ASCII form; an invalid one stays unchanged."""
    try:
        return host.lower() if host.isascii() or "*" in host else host.encode("idna").decode("ascii")
    except UnicodeError:
        return host.lower()


def _pieces(text: str) -> tuple[str, ...]:
    return tuple(re.sub(r"\*+", "*", text).split("*"))


def _fits(pieces: tuple[str, ...], text: str) -> bool:
    """Match a wildcard without backtracking: each piece at its first position after the previous one."""
    first, *middle = pieces
    if not middle:
        return text == first
    *middle, last = middle
    if not text.startswith(first) or not text.endswith(last) or len(first) + len(last) > len(text):
        return False
    at, end = len(first), len(text) - len(last)
    for piece in middle:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _with_parents(host: str) -> tuple[str, ...]:
    """Return `host` and its parent domains."""
    labels = host.split(".")
    return tuple(".".join(labels[start:]) for start in range(len(labels)))


def _compile(pattern: str) -> "regex.Pattern[str] | None":
    try:
        return regex.compile(pattern.replace("\\/", "/"), regex.IGNORECASE)
    except (regex.error, RecursionError, OverflowError):
        return None


Fetch = Callable[[str, Validators | None], Awaitable[FetchedResponse | FetchFailed]]

AGE_S = 86_400.0
RETRY_S = 3_600.0
"""The pause before another attempt to fetch a list that could not be fetched."""
PATIENCE_S = 3.0
"""How long a search waits for a list without a local copy."""
_NOT_MODIFIED = 304
_OK = 200

_ANSWERED = translatable("The site returned an error ({code}).")
_NO_RULES = translatable("This is not a list of sites.")
_PROBLEM = translatable("The list {url} couldn’t be downloaded: {detail}")
_KEPT_COPY = translatable("The list downloaded earlier is used.")

_log = logging.getLogger(__name__)


class _CachedList(msgspec.Struct, frozen=True):
    """A list as stored on disk."""

    text: str
    fetched_at: float
    validators: Validators


@dataclass(frozen=True)
class BlockList:
    """The current state of a list. `error` is the reason why the last fetch failed."""

    rules: SiteRules
    tried_at: float
    error: str = ""
    copy: _CachedList | None = None


class BlockLists:
    """The subscribed block lists of one event loop.

    `folder` may be emptied at any time; `clock` returns seconds since 1970.
    """

    def __init__(self, folder: Path, fetch: Fetch, clock: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._fetch = fetch
        self._clock = clock
        self._known: dict[str, BlockList] = {}
        self._fetching: dict[str, asyncio.Task[BlockList]] = {}

    async def lists(self, urls: Sequence[str]) -> tuple[BlockList, ...]:
        """Return the current state of the lists; lists that are a day old are fetched again while in use."""
        for url in urls:
            if url not in self._known:
                self._known[url] = await asyncio.to_thread(self._from_disk, url)
        stale = [url for url in urls if self._is_stale(self._known[url])]
        tasks = {url: self._fetching_of(url) for url in stale}
        missing = [task for url, task in tasks.items() if self._known[url].copy is None]
        if missing:
            await asyncio.wait(missing, timeout=PATIENCE_S)
        return tuple(self._known[url] for url in urls)

    async def fetch_now(self, url: str) -> BlockList:
        """Fetch a list, whatever the age of its copy."""
        if url not in self._known:
            self._known[url] = await asyncio.to_thread(self._from_disk, url)
        return await asyncio.shield(self._fetching_of(url))

    async def aclose(self) -> None:
        """Cancel all fetches."""
        tasks = tuple(self._fetching.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _is_stale(self, known: BlockList) -> bool:
        return self._clock() - known.tried_at > (RETRY_S if known.error else AGE_S)

    def _fetching_of(self, url: str) -> asyncio.Task[BlockList]:
        """Return the task that fetches a list; there is at most one per list."""
        if url not in self._fetching:
            self._fetching[url] = task = asyncio.create_task(self._fetch_list(url))
            task.add_done_callback(lambda _: self._fetching.pop(url, None))
        return self._fetching[url]

    async def _fetch_list(self, url: str) -> BlockList:
        copy = self._known[url].copy
        answer = await self._fetch(url, copy.validators if copy else None)
        self._known[url] = await asyncio.to_thread(self._judge, url, answer, self._known[url])
        return self._known[url]

    def _judge(self, url: str, answer: FetchedResponse | FetchFailed, known: BlockList) -> BlockList:
        now = self._clock()
        if isinstance(answer, FetchedResponse) and answer.status == _NOT_MODIFIED and known.copy is not None:
            copy = msgspec.structs.replace(known.copy, fetched_at=now)
            self._write(url, copy)
            return replace(known, tried_at=now, error="", copy=copy)
        error = answer.error if isinstance(answer, FetchFailed) else ""
        if isinstance(answer, FetchedResponse):
            if answer.status == _OK:
                text = decode(answer.body, declared=answer.charset)
                rules = rules_of(text.splitlines())
                if rules.count and not text.lstrip().startswith("<"):
                    copy = _CachedList(text, now, answer.validators)
                    self._write(url, copy)
                    return BlockList(rules, now, copy=copy)
            error = _NO_RULES if answer.status == _OK else _ANSWERED.format(code=answer.status)
        words: str = _PROBLEM.format(url=url, detail=error)
        if known.copy is not None:
            words = sentences((words, _KEPT_COPY))
        return replace(known, tried_at=now, error=words)

    def _from_disk(self, url: str) -> BlockList:
        try:
            copy = msgspec.msgpack.decode(self._file(url).read_bytes(), type=_CachedList)
        except (OSError, msgspec.DecodeError):
            return BlockList(SiteRules(), 0.0)
        return BlockList(rules_of(copy.text.splitlines()), copy.fetched_at, copy=copy)

    def _write(self, url: str, copy: _CachedList) -> None:
        try:
            write_whole(self._file(url), msgspec.msgpack.encode(copy))
        except OSError:
            _log.warning("the list %s cannot be kept", url, exc_info=True)

    def _file(self, url: str) -> Path:
        return self._folder / f"{hashlib.sha256(url.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.list"


_LEFT_OUT = (
    translatable("{count} result hidden by your lists."),
    translatable("{count} results hidden by your lists."),
)
_RULES = (translatable("{count} rule."), translatable("{count} rules."))
_UNREAD = (translatable("{count} line is not a rule."), translatable("{count} lines are not rules."))
_ENDLESS = (
    translatable("{count} rule of your lists took too long and is not used."),
    translatable("{count} rules of your lists took too long and are not used."),
)
_ALL_LEFT_OUT = (
    translatable("The only result was hidden by your lists."),
    translatable("All {count} results were hidden by your lists."),
)


@dataclass(frozen=True)
class SiteFilter:
    """Filters by the lists in the current settings and the lists they subscribe to."""

    settings: Callable[[], SearchSettings]
    lists: BlockLists

    async def filter_outcome(self, outcome: SearchOutcome) -> SearchOutcome:
        """Return `outcome` without blocked results."""
        settings = self.settings()
        if not (settings.include_sites or settings.exclude_sites or settings.block_lists):
            return outcome
        subscribed = await self.lists.lists(settings.block_lists)
        notes = (*outcome.notes, *(known.error for known in subscribed if known.error))
        unwanted = (_own(settings.exclude_sites), *(known.rules for known in subscribed))
        wanted = _own(settings.include_sites)
        # In a thread, because a regular expression may take long.
        kept = await asyncio.to_thread(_filter_results, outcome.results, wanted, unwanted)
        endless = sum(rules.endless for rules in (wanted, *unwanted))
        if endless:
            notes = (*notes, pluralize(_ENDLESS, endless))
        left_out = len(outcome.results) - len(kept)
        if not left_out:
            return replace(outcome, notes=notes)
        if not kept:
            words = pluralize(_ALL_LEFT_OUT, left_out)
            return replace(outcome, status=SearchStatus.NOTHING_FOUND, results=(), error=words, notes=notes)
        words = pluralize(_LEFT_OUT, left_out)
        return replace(outcome, results=kept, notes=(*notes, words))

    async def fetch_now(self) -> str:
        """Fetch the subscribed lists again; return the number of rules and any errors as text."""
        urls = self.settings().block_lists
        found = await asyncio.gather(*map(self.lists.fetch_now, urls))
        rules = sum(known.rules.count for known in found)
        unread = sum(known.rules.unread for known in found)
        words = [pluralize(_RULES, rules)]
        if unread:
            words.append(pluralize(_UNREAD, unread))
        return sentences([*words, *(known.error for known in found)])


@lru_cache(maxsize=8)
def _own(lines: tuple[str, ...]) -> SiteRules:
    return rules_of(lines)


def _filter_results(
    results: tuple[SearchResult, ...], wanted: SiteRules, unwanted: tuple[SiteRules, ...]
) -> tuple[SearchResult, ...]:
    return tuple(
        result
        for result in results
        if (not wanted.count or wanted.matches(result.url))
        and not any(rules.matches(result.url) for rules in unwanted)
    )
