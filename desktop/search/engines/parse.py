"""Parses a result page with the parser of its engine or a generic one, and resolves redirect links without network access."""

import base64
import binascii
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import parse_qs, unquote, urljoin, urlsplit

from selectolax.lexbor import LexborNode

from desktop.domain.search import Obstacle, SearchOutcome, SearchResult, SearchStatus
from desktop.domain.sources import host_of
from desktop.phrases import IN_SEARCH, translatable
from desktop.search.engines import engine_for
from desktop.search.engines.document import (
    WALL_TEXT_CHARS,
    WORDS,
    ResultDocument,
    ancestors,
    attribute,
    blocks_around,
    decode_page,
    is_garbled,
    is_too_deep,
    longest_text,
    matches_text,
    obstacle_on,
    text_of,
)
from desktop.search.engines.model import Layout, SerpEngine

_MOST_WRAPPINGS = 4
_HTTP = ("http://", "https://")


def _plain(value: str) -> str:
    return value


def _bing(value: str) -> str:
    """Decode base64url after a two-letter version mark: `a1aHR0cHM6Ly9…`."""
    body = value[2:] if re.match(r"a\d", value) else value
    try:
        return base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""


@dataclass(frozen=True)
class _Redirect:
    """A redirect address that contains its target in a parameter."""

    host: str
    path: str
    parameters: tuple[str, ...]
    decode: Callable[[str], str] = _plain


_CARRYING = (
    _Redirect(r"(\w+\.)*bing\.(com|cn)", r"/ck/a", ("u",), _bing),
    _Redirect(r"(\w+\.)*duckduckgo\.com", r"/l/?", ("uddg",)),
    _Redirect(r"(\w+\.)*google\.[a-z.]+", r"/(url|imgres|interstitial)", ("q", "url", "imgrefurl")),
    _Redirect(r"(\w+\.)*startpage\.com", r".*/(redirect|serp)", ("url",)),
    _Redirect(r"(\w+\.)*ecosia\.org", r"/(redirect|link)", ("url", "u")),
    _Redirect(r"(\w+\.)*qwant\.com", r"/redirect.*", ("url",)),
    _Redirect(r"(\w+\.)*yandex\.[a-z.]+", r"/(clck/jsredir|redir).*", ("url", "u")),
    _Redirect(r"(\w+\.)*so\.com", r"/link", ("url", "u")),
)
_YAHOO = re.compile(r"/RU=(?P<target>[^/]+)/")
_OPAQUE = re.compile(
    r"^https?://((www|m)\.baidu\.com/link\?|(www|m|wap)\.sogou\.com/(link|web/link)\?|(www|m)\.so\.com/link\?)"
)
_ADVERTISING = re.compile(
    r"^https?://("
    r"([\w.]+\.)?bing\.(com|cn)/(aclick|aclk)"
    r"|([\w.]+\.)?google\.[a-z.]+/(aclk|pagead/)"
    r"|([\w.]+\.)?(googleadservices|doubleclick)\.(com|net)/"
    r"|([\w.]+\.)?duckduckgo\.com/y\.js"
    r"|([\w.]+\.)?baidu\.com/(baidu\.php|other\.php|adrc\.php|cb\.php)"
    r"|e\.so\.com/|([\w.]+\.)?(mediav|haosou)\.com/s\?type"
    r"|([\w.]+\.)?sogou\.com/(bill_|tgw)"
    r"|yabs\.yandex\.|an\.yandex\."
    r"|search\.yahoo\.com/cbclk|r\.search\.yahoo\.com/cbclk"
    r")"
)


def target_of(href: str, page_url: str = "") -> str:
    """Return the http(s) target of `href` after resolving redirects; empty if there is none."""
    try:
        found = urljoin(page_url, href.strip())
    except ValueError:  # a malformed IPv6 literal
        return ""
    for _ in range(_MOST_WRAPPINGS):
        inner = _unwrap(found)
        if not inner:
            break
        found = inner
    return found if found.lower().startswith(_HTTP) and _can_be_split(found) else ""


def _can_be_split(url: str) -> bool:
    """Say whether an address can be split; malformed IPv6 literals and some letters in a host prevent it."""
    try:
        urlsplit(url)
    except ValueError:
        return False
    return True


def _unwrap(url: str) -> str:
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return ""
    if host.endswith("yahoo.com") and (match := _YAHOO.search(parts.path + "/")):
        return unquote(match["target"])
    for redirect in _CARRYING:
        if re.fullmatch(redirect.path, parts.path) and re.fullmatch(redirect.host, host):
            return _find_target(redirect, parts.query)
    return ""


def _find_target(redirect: _Redirect, query: str) -> str:
    try:
        values = parse_qs(query, max_num_fields=100)
    except ValueError:
        return ""
    for name in redirect.parameters:
        for value in values.get(name, ()):
            target = redirect.decode(value)
            if target.startswith(_HTTP):
                return target
    return ""


def is_opaque(url: str) -> bool:
    """Say whether only the engine's server knows the target of `url`."""
    return _OPAQUE.match(url) is not None


def is_advertising(url: str) -> bool:
    """Say whether `url` is the click counter of an advertisement."""
    return _ADVERTISING.match(url) is not None


_CHROME = "header, footer, nav, aside, form, [role=navigation], [role=banner], [role=contentinfo]"
_ADS = (
    "[data-text-ad], [data-testid='ad'], [class~='ad'], [class~='ads'], [class*='sponsor' i], [id*='sponsor' i],"
    " [aria-label*='sponsor' i], [aria-label='Ads'], [class*='advert' i]"
)
_HEADING_TAGS = frozenset({"h1", "h2", "h3", "h4"})
_FEWEST_BLOCKS = 3
_SHORTEST_TITLE_CHARS = 4
_SHORTEST_SNIPPET_CHARS = 30
_PATH_LENGTH = 4
_HEADING_WEIGHT = 2


@dataclass(frozen=True)
class _Candidate:
    """A link that could be the title of a result."""

    link: LexborNode
    title: str
    url: str
    has_heading: bool
    path: tuple[str, ...]


def parse_generic(document: ResultDocument, page_url: str, own_host: str = "") -> tuple[SearchResult, ...]:
    """Return everything that looks like a result; empty if the page does not look like a result page."""
    document.cut(f"{_CHROME}, {_ADS}")
    groups: dict[tuple[bool, tuple[str, ...]], list[_Candidate]] = defaultdict(list)
    for candidate in _candidates(document, page_url, own_host):
        groups[candidate.has_heading, candidate.path].append(candidate)
    found = {
        _weight(results) * (_HEADING_WEIGHT if has_heading else 1): results
        for (has_heading, _), group in groups.items()
        if len(group) >= _FEWEST_BLOCKS and _weight(results := _read_block(group)) >= _FEWEST_BLOCKS
    }
    return found[max(found)] if found else ()


def _weight(results: tuple[SearchResult, ...]) -> float:
    """Return a score that prefers many results with texts and different hosts to long lists of bare links."""
    told = sum(len(result.snippet) >= _SHORTEST_SNIPPET_CHARS for result in results)
    hosts = len({host_of(result.url) for result in results})
    return told * (0.5 + 0.5 * hosts / max(len(results), 1))


def _candidates(document: ResultDocument, page_url: str, own_host: str) -> Iterable[_Candidate]:
    seen: set[tuple[str, str]] = set()
    for link in document.css("a[href]"):
        raw = target_of(attribute(link, "href"), page_url)
        if not raw or is_advertising(raw) or (_is_own(raw, own_host) and not is_opaque(raw)):
            continue
        heading = _heading_of(link)
        title = text_of(heading or link)
        if len(title) < _SHORTEST_TITLE_CHARS or (title, raw) in seen:
            continue
        seen.add((title, raw))
        yield _Candidate(link, title, raw, heading is not None, _path(link, heading))


def _is_own(url: str, own_host: str) -> bool:
    return bool(own_host) and (host_of(url) == own_host or host_of(url).endswith(f".{own_host}"))


def _heading_of(link: LexborNode) -> LexborNode | None:
    """Return the heading around or inside a link."""
    inside = link.css_first("h1, h2, h3, h4, [role=heading]")
    if inside is not None:
        return inside
    for parent, _ in zip(ancestors(link), range(3), strict=False):
        if parent.tag in _HEADING_TAGS or attribute(parent, "role") == "heading":
            return link
    return None


def _path(link: LexborNode, heading: LexborNode | None) -> tuple[str, ...]:
    """Return the features that links of one kind share: tags, and for links without heading also the class."""
    tags = [parent.tag or "" for parent, _ in zip(ancestors(link), range(_PATH_LENGTH), strict=False)]
    if heading is not None:
        return tuple(tag for tag in tags if tag in _HEADING_TAGS)
    return (attribute(link, "class"), *tags)


def _read_block(group: list[_Candidate]) -> tuple[SearchResult, ...]:
    """Return the results of a group of links."""
    blocks = blocks_around([candidate.link for candidate in group])
    return tuple(
        SearchResult(candidate.title, candidate.url, longest_text(block, besides=candidate.title))
        for candidate, block in zip(group, blocks, strict=True)
    )


STRUCTURE_NOTE = translatable("The page of {engine} has changed; results were found by its structure.")
_GARBLED = translatable("{engine} sent a page that can’t be read.")
_CHANGED = translatable("The result page of {engine} has changed, so Footnote can no longer read it.")
_NO_RESULT_PAGE = translatable(
    "No results were found on the page of {engine}. Check its address {in_settings}. It must "
    "open a result page that needs no login."
)
_NOTHING = translatable("{engine} found nothing.")
_EMPTY_EVERYWHERE = (
    r"no (matching |web |search )?results?\b|did(n.t| not) (match|find) any|nothing (was )?found|not find any"
    r"|(没有|未)(找到|搜索到).{0,12}(结果|网页|内容)|找不到.{0,12}(結果|结果|網頁)|查無"
    r"|keine.{0,20}ergebnisse|aucun résultat|sin resultados|no se (han )?encontr|nenhum resultado|nessun risultato"
    r"|ничего не (найдено|нашлось|нашли)|一致する.{0,12}見つかりません|검색결과가 없습니다"
)
"""Common "no results" messages, for engines without known ones.

Checked last because other pages contain these words too.
"""


def parse_results(engine_id: str, html: str | bytes, url: str = "", query: str = "") -> SearchOutcome:
    """Return the outcome of a result page.

    Args:
        engine_id: a known engine; with any other id only the page structure is used.
        html: the page as served or rendered, in any state.
        url: its address, to resolve relative links and to recognize the engine's own links.
        query: passed on to the outcome.
    """
    return read_page(engine_for(engine_id), html, url, query)


def read_page(engine: SerpEngine, html: str | bytes, url: str = "", query: str = "") -> SearchOutcome:
    """Return the outcome of a result page by selectors, then obstacle patterns, then page structure."""
    text = decode_page(html)
    if is_garbled(text) or is_too_deep(text):
        return _fail(engine, query, SearchStatus.LAYOUT_CHANGED, _GARBLED)
    document, address = ResultDocument(text), url or engine.home
    document.cut(engine.cut)
    results = _by_layouts(engine, document, address)
    if results:
        return _outcome(engine, query, results)
    return _read_unknown(engine, document, address, query)


def _outcome(
    engine: SerpEngine, query: str, results: tuple[SearchResult, ...], notes: tuple[str, ...] = ()
) -> SearchOutcome:
    """Return the outcome for `results`; an engine limited to one site drops results of other hosts."""
    kept = tuple(result for result in results if _is_wanted(engine, result))
    if not kept:
        return _fail(engine, query, SearchStatus.NOTHING_FOUND, _NOTHING)
    return SearchOutcome(SearchStatus.RESULTS, engine.id, query, kept, notes=notes)


def _is_wanted(engine: SerpEngine, result: SearchResult) -> bool:
    host = host_of(result.url)
    return not engine.site or host == engine.site or host.endswith(f".{engine.site}")


def _read_unknown(engine: SerpEngine, document: ResultDocument, address: str, query: str) -> SearchOutcome:
    """Return the outcome of a page on which the selectors find nothing."""
    if _is_empty(engine, document):
        return _fail(engine, query, SearchStatus.NOTHING_FOUND, _NOTHING)
    obstacle = obstacle_on(document, engine.signs)
    is_wall = obstacle not in {None, Obstacle.SCRIPT} and len(document.visible_text) < WALL_TEXT_CHARS
    results = () if is_wall else parse_generic(document, address, host_of(address))
    if results:
        notes = (STRUCTURE_NOTE.format(engine=engine.name),) if engine.layouts else ()
        return _outcome(engine, query, results, notes)
    if not is_wall and matches_text(_EMPTY_EVERYWHERE, document.visible_text):
        return _fail(engine, query, SearchStatus.NOTHING_FOUND, _NOTHING)
    if obstacle is not None:
        return _fail(engine, query, SearchStatus.BLOCKED, WORDS[obstacle], obstacle)
    # An engine without layouts has no known page structure that could have changed.
    words = _CHANGED if engine.layouts else _NO_RESULT_PAGE
    return _fail(engine, query, SearchStatus.LAYOUT_CHANGED, words)


def _fail(
    engine: SerpEngine, query: str, status: SearchStatus, words: str, obstacle: Obstacle | None = None
) -> SearchOutcome:
    return SearchOutcome(
        status, engine.id, query, error=words.format(engine=engine.name, **IN_SEARCH), obstacle=obstacle
    )


def _is_empty(engine: SerpEngine, document: ResultDocument) -> bool:
    if document.has(engine.empty):
        return True
    return bool(engine.empty_text) and matches_text(engine.empty_text, document.visible_text)


def _by_layouts(engine: SerpEngine, document: ResultDocument, page_url: str) -> tuple[SearchResult, ...]:
    """Return the results of the layout that finds the most; of equal ones, the newer."""
    found = (tuple(_read(document, layout, page_url)) for layout in engine.layouts)
    return max(found, key=len, default=())


def _read(document: ResultDocument, layout: Layout, page_url: str) -> Iterable[SearchResult]:
    seen = set()
    for link, block in _links(document, layout):
        result = _result(link, block, layout, page_url)
        if result is not None and result not in seen:
            seen.add(result)
            yield result


def _links(document: ResultDocument, layout: Layout) -> Iterable[tuple[LexborNode, list[LexborNode]]]:
    """Yield every result's link with the elements that belong to it."""
    found = document.css(layout.result)
    if not layout.link:
        yield from zip(found, blocks_around(found), strict=True)
        return
    for block in found:
        link = block.css_first(layout.link)
        if link is not None:
            yield link, [block]


def _result(link: LexborNode, block: list[LexborNode], layout: Layout, page_url: str) -> SearchResult | None:
    scope = block[0] if layout.link else link
    heading = scope.css_first(layout.title) if layout.title else None
    title = text_of(heading or link)
    url = _address(scope, link, layout, page_url)
    if not title or not url or is_advertising(url) or _is_own_search(url, page_url):
        return None
    return SearchResult(title, url, _snippet(block, layout) or longest_text(block, besides=title))


def _address(block: LexborNode, link: LexborNode, layout: Layout, page_url: str) -> str:
    """Return the target from the first attribute that holds one, or else from the link itself."""
    for name in layout.address:
        for node in (link, block):
            value = attribute(node, name)
            if value.startswith(("http://", "https://")):
                return target_of(value)
    return target_of(attribute(link, "href"), page_url)


def _is_own_search(url: str, page_url: str) -> bool:
    """Say whether a link only repeats the search, in the same or another section of the engine."""
    own, found = urlsplit(page_url), urlsplit(url)
    return own.netloc == found.netloc and found.path.rstrip("/").endswith("/search")


def _snippet(block: list[LexborNode], layout: Layout) -> str:
    if not layout.snippet:
        return ""
    return max((text_of(node) for part in block for node in part.css(layout.snippet)), key=len, default="")
