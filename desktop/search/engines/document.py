"""A result page as a tree, and the captchas, consent pages and refusals that are recognised in it, whatever the input."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

from selectolax.lexbor import LexborHTMLParser, LexborNode

from desktop.phrases import translatable
from desktop.search.engines.model import Obstacle, ObstaclePattern

_LONGEST_CHARS = 16_000_000
_UNSEEN = "script, style, noscript, template, svg, head, iframe, textarea, select"
_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w-]{2,20})", re.IGNORECASE)
_GARBAGE_RATIO = 0.02
_TAG = re.compile(
    r"<(/?)(?!(?:area|br|col|embed|hr|img|input|link|meta|path|source|wbr)\b)[a-z]", re.IGNORECASE
)
_DEEPEST = 5_000
"""HTML5 tree building is quadratic in depth: 5,000 levels take 30 ms, 200,000 take minutes."""
_LONGEST_SNIPPET_CHARS = 2_000
_TEXT_HOLDERS = "p, div, span, td, dd, li, section, blockquote"
_BLOCK_TAGS = "p, div, td, dd, li, section, blockquote"
_CORE_SHARE = 0.6
_SPACE = re.compile(r"[\s\u200b\u200e\u200f\u202a-\u202e\ue000-\uf8ff]+")


def decode_page(page: str | bytes) -> str:
    """Return the page as text, by BOM, declared charset, UTF-8 or GB18030, in this order."""
    if isinstance(page, str):
        return page[:_LONGEST_CHARS]
    declared = _CHARSET.search(page[:4096])
    names = ["utf-8-sig", declared[1].decode("ascii") if declared else "", "gb18030"]
    if page[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        names.insert(0, "utf-16")
    for name in filter(None, names):
        try:
            return page.decode(name)[:_LONGEST_CHARS]
        except (UnicodeDecodeError, LookupError):
            continue
    return page.decode("utf-8", "replace")[:_LONGEST_CHARS]


def is_garbled(html: str) -> bool:
    """Say whether `html` is not text at all, such as a compressed body."""
    sample = html[:200_000]
    strange = sum(1 for char in sample if char == "\ufffd" or (char < " " and char not in "\t\n\r\f"))
    return strange > _GARBAGE_RATIO * max(len(sample), 1)


def is_too_deep(html: str) -> bool:
    """Say whether `html` is nested so deeply that building its tree would take far too long."""
    depth = 0
    for tag in _TAG.finditer(html):
        depth = max(depth - 1, 0) if tag[1] else depth + 1
        if depth > _DEEPEST:
            return True
    return False


def text_of(node: LexborNode) -> str:
    """Return the text of a node on one line; private-use icons and invisible marks count as spaces."""
    return collapse_whitespace(node.text())


def collapse_whitespace(text: str) -> str:
    """Return `text` on one line."""
    return _SPACE.sub(" ", text).strip()


def longest_text(block: Sequence[LexborNode], *, besides: str) -> str:
    """Return the longest running text in a result's block other than its title."""
    best, longest = "", None
    for node in (node for part in block for node in part.css(_TEXT_HOLDERS)):
        text = text_of(node)
        if len(best) < len(text) <= _LONGEST_SNIPPET_CHARS and besides not in text:
            best, longest = text, node
    return best if longest is None else _core(longest, best)


def _core(node: LexborNode, text: str) -> str:
    """Return the text without small items around it, such as an address or date on its own line."""
    while True:
        parts = [part for part in node.css(_BLOCK_TAGS) if part.mem_id != node.mem_id]
        texts = {text_of(part): part for part in parts}
        inner = max(texts, key=len, default="")
        if len(inner) < _CORE_SHARE * len(text):
            return text
        node, text = texts[inner], inner


def attribute(node: LexborNode, name: str) -> str:
    """Return an attribute's value, or an empty string."""
    return node.attributes.get(name) or ""


def ancestors(node: LexborNode) -> Iterator[LexborNode]:
    """Yield the ancestors of `node`, innermost first."""
    parent = node.parent
    while parent is not None and parent.tag not in {"-document", None}:
        yield parent
        parent = parent.parent


def blocks_around(links: Sequence[LexborNode]) -> Iterator[list[LexborNode]]:
    """Yield for every link the elements that belong to it and to no other of `links`.

    These are the largest element with no other link in it, and its following siblings up to the next such
    element: in tables and definition lists a result consists of several sibling elements.
    """
    counts = Counter(parent.mem_id for link in links for parent in (link, *ancestors(link)))
    for link in links:
        block = link
        for parent in ancestors(link):
            if counts[parent.mem_id] > 1 or parent.tag in {"body", "html"}:
                break
            block = parent
        yield [block, *_followers(block, counts)]


def _followers(block: LexborNode, counts: Counter[int]) -> Iterator[LexborNode]:
    follower = block.next
    while follower is not None and not counts[follower.mem_id]:
        if follower.tag not in {"-text", "-comment"}:
            yield follower
        follower = follower.next


def _remove(nodes: list[LexborNode]) -> None:
    """Free every node once, inner ones first, because a freed node must not be accessed again."""
    unique = {node.mem_id: node for node in nodes}
    for node in reversed(unique.values()):
        node.decompose()


class ResultDocument:
    """A parsed page. Selectors come from the engine tables, so an invalid one is a bug and raises."""

    def __init__(self, html: str) -> None:
        """Parse `html`, which can be empty, truncated or full of NULs."""
        self._tree = LexborHTMLParser(html.replace("\x00", ""))
        self.html = html

    def css(self, selector: str) -> list[LexborNode]:
        """Return the matching nodes without duplicates, in document order for a selector without commas."""
        found = self._tree.css(selector) if selector else []
        return list({node.mem_id: node for node in found}.values())

    def has(self, selector: str) -> bool:
        """Say whether anything matches."""
        return bool(selector) and self._tree.css_first(selector) is not None

    def cut(self, selector: str) -> None:
        """Remove the matching elements with their content."""
        _remove(self.css(selector))

    @cached_property
    def title(self) -> str:
        """The page's title."""
        node = self._tree.css_first("title")
        return text_of(node) if node is not None else ""

    @cached_property
    def visible_text(self) -> str:
        """The visible text on one line. The page is parsed again for it because extraction changes the tree."""
        tree = LexborHTMLParser(self.html.replace("\x00", ""))
        _remove(tree.css(_UNSEEN))
        return collapse_whitespace(tree.body.text(separator=" ")) if tree.body is not None else ""


WORDS = {
    Obstacle.CAPTCHA: translatable("{engine} requires human verification (captcha)."),
    Obstacle.CONSENT: translatable("{engine} shows a consent page instead of results."),
    Obstacle.RATE_LIMIT: translatable(
        "{engine} has received too many requests from this network. Try again later."
    ),
    Obstacle.SCRIPT: translatable("The results of {engine} are shown only in a browser with JavaScript."),
    Obstacle.REFUSED: translatable("{engine} blocks this network or region."),
}

# Seen between 2023-05 and 2026-07 on Google, Bing, DuckDuckGo, Baidu, Yandex, Ecosia and SearXNG pages.
_COMMON = (
    ObstaclePattern(
        Obstacle.CAPTCHA,
        selector=(
            "form[action*='captcha' i], form#captcha-form, form#challenge-form, iframe[src*='captcha' i], "
            "iframe[src*='challenges.cloudflare.com'], script[src*='challenges.cloudflare.com'], "
            "script[src*='/cdn-cgi/challenge-platform'], div.g-recaptcha, div.h-captcha, div.cf-turnstile, "
            "#cf-challenge-running, #cf-turnstile, [class*='anomaly-modal'], [class*='SmartCaptcha' i], "
            "[id*='captcha' i]:not(script):not(style), script[src*='hcaptcha.com'], script[src*='recaptcha/api']"
        ),
    ),
    ObstaclePattern(
        Obstacle.CAPTCHA,
        text=(
            r"unusual (traffic|activity)|not a (ro)?bot\b|are (you )?a human|you('re| are) (a )?human"
            r"|verify(ing)? (that )?(you|your request|your browser|the user)|solve the (challenge|captcha|puzzle)"
            r"|complete the (following )?(challenge|captcha|security check)|checking (if the site|your browser)"
            r"|requests sent from your device are automated|\bcaptcha\b|smartcaptcha|security (check|verification)"
            r"|安全验证|人机验证|验证码|异常流量|访问异常|请完成.{0,6}验证|滑动.{0,6}验证|確認您不是機器人|异常访问请求"
            r"|запросы.{0,40}похожи на автоматические|подтвердите, что.{0,20}не робот|ungewöhnliche[nr]? datenverkehr"
            r"|trafic (exceptionnel|inhabituel)|tráfico inusual|tráfego incomum|通常と異なるトラフィック"
        ),
    ),
    ObstaclePattern(
        Obstacle.RATE_LIMIT,
        text=r"too many requests|rate.?limit(ed)?\b|\b429\b.{0,30}(error|requests)|请求过于频繁|访问过于频繁|操作太频繁",
    ),
    ObstaclePattern(
        Obstacle.CONSENT,
        selector="form[action*='consent.' i], form[action*='/consent' i], form[action*='consent.google'], #consent-page",
    ),
    ObstaclePattern(
        Obstacle.CONSENT,
        text=(
            r"before you continue to|bevor (sie|du) (zu|mit).{0,30}(weiter|fortf)|avant d.accéder à"
            r"|antes de (ir a|continuar)|prima di continuare|voordat je verdergaat|在您继续使用|繼續使用.{0,12}之前"
        ),
    ),
    ObstaclePattern(
        Obstacle.REFUSED,
        text=(
            r"not (yet )?available in your (country|region)|access (to this page )?(has been |is )?(denied|blocked)"
            r"|\b403\b.{0,10}forbidden|you have been blocked|your ip.{0,40}(blocked|banned)|访问被(拒绝|禁止)"
        ),
    ),
    ObstaclePattern(
        Obstacle.SCRIPT,
        selector="noscript meta[http-equiv='refresh' i], meta[http-equiv='refresh' i][content*='enablejs' i]",
    ),
    ObstaclePattern(
        Obstacle.SCRIPT,
        text=(
            r"(enable|turn on|requires?|needs?|without) javascript|javascript (is |seems )?(to be )?(disabled|required)"
            r"|having trouble accessing|(启用|開啟|开启|打开).{0,4}javascript"
        ),
    ),
)
WALL_TEXT_CHARS = 4_000
"""Barrier pages are short; a long text that mentions captchas is a page about them."""
_SHELL_TEXT_CHARS = 800
_SHELL_LINKS = 25
_LEADING_TEXT_CHARS = 6_000


def obstacle_on(document: ResultDocument, own: tuple[ObstaclePattern, ...]) -> Obstacle | None:
    """Return the obstacle on a page without results; the engine's own patterns are tried first."""
    text = document.visible_text
    for sign in own:
        if document.has(sign.selector) or (sign.text and matches_text(sign.text, text)):
            return sign.obstacle
    for sign in _COMMON:
        is_wall = len(text) < WALL_TEXT_CHARS or sign.selector
        if is_wall and (document.has(sign.selector) or (sign.text and matches_text(sign.text, text))):
            return sign.obstacle
    return Obstacle.SCRIPT if _is_shell(document, text) else None


def matches_text(pattern: str, text: str) -> bool:
    """Say whether the beginning of a page's text matches, ignoring case."""
    return re.search(pattern, text[:_LEADING_TEXT_CHARS], re.IGNORECASE) is not None


def _is_shell(document: ResultDocument, text: str) -> bool:
    """Say whether the page is an empty frame to be filled by scripts."""
    if len(text) > _SHELL_TEXT_CHARS or not document.has("script"):
        return False
    return len(document.css("body a[href]")) <= _SHELL_LINKS
