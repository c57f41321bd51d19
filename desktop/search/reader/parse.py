"""Parses data from a server or the browser: HTML, PDF or text, its icons, and any barrier on the page; also as a process."""

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any, Final, NoReturn
from urllib.parse import unquote, urljoin, urlsplit

import msgspec
from selectolax.lexbor import LexborHTMLParser

from desktop.domain.search import PageStatus, WebPage
from desktop.errors import plain_reason
from desktop.phrases import translatable
from desktop.text.child_server import Send, serve
from desktop.text.decode import decode, decode_html
from desktop.text.message_codec import encode_msgpack

MAX_PAGES = 120

_LOCKED = translatable("This PDF is password-protected.")
_DAMAGED = translatable("This PDF is damaged.")


class PdfUnreadable(Exception):
    """The file is damaged or locked; `str()` is fit for the user."""


@dataclass(frozen=True)
class Pdf:
    """The text of a PDF; `pages_read` is less than `pages` if a limit was reached."""

    title: str
    text: str
    pages: int
    pages_read: int


def read_pdf(body: bytes) -> Pdf:
    """Return the text of a PDF within limits, pages separated by blank lines. Not thread-safe.

    Raises:
        PdfUnreadable: it cannot be opened.
    """
    pdfium = import_module("pypdfium2")  # takes 50 ms to load, and few pages are PDFs
    try:
        document = pdfium.PdfDocument(body)
        try:
            return _read(document)
        finally:
            document.close()
    except pdfium.PdfiumError as error:
        is_locked = "password" in plain_reason(error).lower()
        raise PdfUnreadable(_LOCKED if is_locked else _DAMAGED) from error


def _read(document: Any) -> Pdf:
    pages = len(document)
    texts: list[str] = []
    budget = MAX_TEXT_CHARS
    for index in range(min(pages, MAX_PAGES)):
        if budget <= 0:
            break
        texts.append(_page_text(document[index])[:budget])
        budget -= len(texts[-1])
    title = " ".join(str(document.get_metadata_dict().get("Title") or "").split())
    return Pdf(title, "\n\n".join(filter(None, texts)), pages, len(texts))


def _page_text(page: Any) -> str:
    textpage = page.get_textpage()
    try:
        text: str = textpage.get_text_bounded()
    finally:
        textpage.close()
        page.close()
    return text.replace("\r\n", "\n").replace("\x00", "").strip()


MAX_TEXT_CHARS = 1_000_000

_PDF_MARK = b"%PDF-"
_PDF_MARK_REACH = 1_024
_HTML_MARK = re.compile(
    rb"^\s*(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|title|meta)\b",
    re.IGNORECASE | re.DOTALL,
)
_MARK_REACH = 2_048
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_TEXT_TYPES = frozenset(
    {
        "application/json", "application/ld+json", "application/javascript", "application/x-yaml",
        "application/yaml", "application/toml", "application/x-sh", "application/sql", "application/rtf+text",
    }
)  # fmt: skip
_EMPTY_TITLES = frozenset({"", "untitled", "anonymous", "unknown", "none", "document"})
_UNLABELLED = frozenset({"", "application/octet-stream", "binary/octet-stream", "text/plain"})

_NO_TEXT = translatable("The page has no text.")
_UNREADABLE = translatable("Footnote can’t read this kind of content ({kind}).")
_BINARY = translatable("Footnote can’t read this kind of content (binary data).")
_VERY_LONG = translatable("Only the beginning was read: the text is very long.")
_PICTURES = translatable("This PDF has only images and no text.")
_SOME_PAGES = translatable("Only {read} of {total} pages were read.")


def is_html(body: bytes, media_type: str) -> bool:
    """Say whether `body` is a web page, whatever its media type."""
    if media_type in _HTML_TYPES:
        return not _is_pdf(body)
    return media_type in _UNLABELLED and _HTML_MARK.match(body[:_MARK_REACH]) is not None


def html_of(body: bytes, charset: str) -> str:
    """Return the source of a web page as text."""
    return decode_html(body, declared=charset)


def page_from_html(source: str, url: str) -> WebPage:
    """Extract the main text of a web page; the status is EMPTY if there is none."""
    from desktop.text.html_article import main_text  # noqa: PLC0415 - trafilatura takes 0.3 s to load

    article = main_text(source, url)
    notes = (_VERY_LONG,) if article.is_cut else ()
    page = WebPage(
        PageStatus.READ, url, article.title, article.text, article.author, article.published, notes=notes
    )
    return page if article.text else replace(page, status=PageStatus.EMPTY, error=_NO_TEXT)


def page_from_bytes(body: bytes, url: str, *, media_type: str = "", charset: str = "") -> WebPage:
    """Parse a body of any kind. Never fails: the status reports errors."""
    if is_html(body, media_type):
        return page_from_html(html_of(body, charset), url)
    if _is_pdf(body):
        return _page_from_pdf(body, url)
    if media_type.endswith("xml") or body.lstrip()[:5] == b"<?xml":
        return page_from_html(html_of(body, charset), url)
    if media_type in _TEXT_TYPES or media_type.startswith("text/") or media_type in _UNLABELLED:
        return _page_from_text(body, url, charset)
    return WebPage(PageStatus.UNSUPPORTED, url, error=_UNREADABLE.format(kind=media_type))


def _is_pdf(body: bytes) -> bool:
    return _PDF_MARK in body[:_PDF_MARK_REACH]


def _page_from_text(body: bytes, url: str, charset: str) -> WebPage:
    text = decode(body, declared=charset)
    if "\x00" in text:
        return WebPage(PageStatus.UNSUPPORTED, url, error=_BINARY)
    kept = text[:MAX_TEXT_CHARS].strip()
    if not kept:
        return WebPage(PageStatus.EMPTY, url, error=_NO_TEXT)
    notes = (_VERY_LONG,) if len(text) > MAX_TEXT_CHARS else ()
    return WebPage(PageStatus.READ, url, _file_name(url), kept, notes=notes)


def _page_from_pdf(body: bytes, url: str) -> WebPage:
    try:
        pdf = read_pdf(body)
    except PdfUnreadable as error:
        return WebPage(PageStatus.UNSUPPORTED, url, _file_name(url), error=str(error))
    title = _file_name(url) if pdf.title.lower().strip("()") in _EMPTY_TITLES else pdf.title
    if not pdf.text:
        return WebPage(PageStatus.EMPTY, url, title, error=_PICTURES)
    notes = (_SOME_PAGES.format(read=pdf.pages_read, total=pdf.pages),) if pdf.pages_read < pdf.pages else ()
    return WebPage(PageStatus.READ, url, title, pdf.text, notes=notes)


def _file_name(url: str) -> str:
    return unquote(PurePosixPath(urlsplit(url).path).name) or url


_THIN_TEXT_CHARS = 200
"""A shorter text is not an article."""
_WALL_TEXT_CHARS = 1_500
"""A longer text is not a barrier page."""
_SCANNED_CHARS = 300_000


class Barrier(StrEnum):
    """The reason why a page cannot be read."""

    CAPTCHA = "captcha"
    LOGIN = "login"
    REFUSED = "refused"
    SCRIPT = "script"


BARRIER_MESSAGES: Final = {
    Barrier.CAPTCHA: translatable("The site requires human verification (captcha)."),
    Barrier.LOGIN: translatable("The site requires you to sign in to see this page."),
    Barrier.REFUSED: translatable("The site blocks programs from reading this page."),
    Barrier.SCRIPT: translatable("The page shows its text only in a browser with JavaScript."),
}

_CAPTCHA_MARKS = re.compile(
    r"challenges\.cloudflare\.com|/cdn-cgi/challenge-platform|cf-browser-verification|cf_chl_opt|g-recaptcha"
    r"|h-captcha|hcaptcha\.com/1/api|geetest|captcha-delivery\.com|_Incapsula_Resource|px-captcha"
    r"|awsWafCookieDomainList|gokuProps|TencentCaptcha|wappass\.baidu\.com|id=[\"']captcha",
    re.IGNORECASE,
)
_CAPTCHA_WORDS = re.compile(
    r"just a moment|checking (your browser|if the site connection)|verify(ing)? (that )?you are (a )?human"
    r"|are you a (robot|human)|not a robot|unusual traffic|complete the security check|attention required"
    r"|enable javascript and cookies to continue|press (&|and) hold|security verification|ddos protection by"
    r"|安全验证|人机验证|请完成.{0,6}验证|异常流量|访问异常|环境异常|滑动.{0,6}验证|拖动.{0,8}滑块|請完成.{0,6}驗證",
    re.IGNORECASE,
)
_REFUSAL_WORDS = re.compile(
    r"access (to this page )?(has been |is )?denied|you have been blocked|request blocked"
    r"|error 1020|\b403 forbidden|not available in your (country|region)|pardon our interruption"
    r"|访问被(拒绝|禁止)|您的访问.{0,10}(拦截|阻断)|请求被(拦截|拒绝)",
    re.IGNORECASE,
)
_LOGIN_WORDS = re.compile(
    r"(log|sign) ?in to (continue|view|read|see)|(please|must|need to) (log|sign) ?in|you must be logged in"
    r"|(请|需要?|須)(先)?(登录|登入)|登录(后|之后)(查看|可见|阅读)|扫码登录|会员登录",
    re.IGNORECASE,
)
_LOGIN_FORM = re.compile(r"<input[^>]{0,300}type\s*=\s*[\"']?password", re.IGNORECASE)
_LOGIN_PATH = re.compile(r"/(log-?in|sign-?in|sso|passport|accounts?/login|auth)\b", re.IGNORECASE)
_SCRIPT_WORDS = re.compile(
    r"(enable|turn on|requires?|needs?|without) javascript|javascript (is |seems )?(to be )?(disabled|required)"
    r"|(启用|開啟|开启|打开|支持).{0,4}javascript",
    re.IGNORECASE,
)
_SCRIPT = re.compile(r"<script\b", re.IGNORECASE)
_REFUSING_STATUS = {
    401: Barrier.LOGIN,
    402: Barrier.LOGIN,
    403: Barrier.REFUSED,
    429: Barrier.REFUSED,
    451: Barrier.REFUSED,
}


def barrier_on(status: int, headers: Mapping[str, str], source: str, text: str, url: str) -> Barrier | None:
    """Return the barrier of a page, or None. `text` is the text that was extracted from `source`."""
    if headers.get("cf-mitigated") == "challenge":
        return Barrier.CAPTCHA
    by_status = _REFUSING_STATUS.get(status)
    if len(text) > _WALL_TEXT_CHARS:  # some sites send the whole article with a 403
        return None if by_status is Barrier.REFUSED else by_status
    scanned = source[:_SCANNED_CHARS]
    is_thin = len(text) < _THIN_TEXT_CHARS
    if _CAPTCHA_WORDS.search(text) or (is_thin and _is_captcha(scanned)):
        return Barrier.CAPTCHA
    if by_status is None and _REFUSAL_WORDS.search(text[:_THIN_TEXT_CHARS]):
        return Barrier.REFUSED
    return by_status or _login_or_script(scanned, text, url, is_thin=is_thin)


def _login_or_script(source: str, text: str, url: str, *, is_thin: bool) -> Barrier | None:
    asks_for_password = _LOGIN_FORM.search(source) is not None
    asks_to_sign_in = _LOGIN_WORDS.search(text) is not None
    if (asks_for_password and (is_thin or asks_to_sign_in or _LOGIN_PATH.search(url))) or (
        is_thin and asks_to_sign_in
    ):
        return Barrier.LOGIN
    needs_script = is_thin and (_SCRIPT.search(source) or _SCRIPT_WORDS.search(source))
    return Barrier.SCRIPT if needs_script else None


def _is_captcha(source: str) -> bool:
    return bool(_CAPTCHA_MARKS.search(source) or _CAPTCHA_WORDS.search(source))


WANTED_SIDE: Final = 32
"""In pixels; tiles are half as large, but screens may use two pixels for one."""

_HEAD_CHARS: Final = 200_000
_MAX_LINKS: Final = 64
_SIDE: Final = re.compile(r"(\d{1,4})x\d{1,4}", re.IGNORECASE)
_UNSAID: Final = 16


def icon_links(source: str, url: str) -> tuple[str, ...]:
    """Return candidate addresses for the icon of the page `source` at `url`, best first."""
    tree = LexborHTMLParser(source[:_HEAD_CHARS])
    base_node = tree.css_first("base[href]")
    base = urljoin(url, (base_node.attributes.get("href") or "") if base_node else "")
    named: list[tuple[int, str]] = []
    for link in tree.css("link[rel][href]")[:_MAX_LINKS]:
        words = (link.attributes.get("rel") or "").lower().split()
        address = _address(base, link.attributes.get("href") or "")
        kind = (link.attributes.get("type") or "").lower()
        if not address or "svg" in kind or address.partition("?")[0].lower().endswith(".svg"):
            continue
        if "icon" in words:
            named.append((_distance(link.attributes.get("sizes") or ""), address))
        elif "apple-touch-icon" in words:
            named.append((WANTED_SIDE**2, address))
    best = min(named, default=(0, ""))[1]
    return tuple(dict.fromkeys(filter(None, (best, _address(url, "/favicon.ico")))))


def _address(base: str, href: str) -> str:
    try:
        address = urljoin(base, href.strip())
    except ValueError:
        return ""
    return address if address.startswith(("http://", "https://")) else ""


def _distance(sizes: str) -> int:
    """Return how far an icon is from the wanted size; too small is worse than too large."""
    sides = [int(side) for side in _SIDE.findall(sizes)] or [_UNSAID]
    return min(side - WANTED_SIDE if side >= WANTED_SIDE else 4 * (WANTED_SIDE - side) for side in sides)


_OK = range(200, 300)
_GONE = frozenset({404, 410})
_CUT = translatable("Only the first {size} MB were read.")
_SITE_FAILED = translatable("The site returned an error ({code}).")
_NO_SUCH_PAGE = translatable("The page does not exist.")


@dataclass(frozen=True)
class RawResponse:
    """A received response. `url` is the address after redirects; header names are in lower case.

    If `is_rendered`, it comes from the browser, and `status` is 0 if there was no response.
    """

    url: str
    body: bytes = field(repr=False)
    status: int = 200
    media_type: str = ""
    charset: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    is_truncated: bool = False
    is_rendered: bool = False


@dataclass(frozen=True)
class ParsedPage:
    """A parsed page, and its barrier if it has one. `icons` are candidate addresses for the site's icon."""

    page: WebPage
    wall: Barrier | None = None
    icons: tuple[str, ...] = ()


def reading_of(received: RawResponse) -> ParsedPage:
    """Parse a response; takes milliseconds of CPU, but a hostile page can take arbitrarily long."""
    page, source = _page_and_source(received)
    if received.is_truncated:
        page = replace(page, notes=(*page.notes, _CUT.format(size=len(received.body) >> 20)))
    if received.status in _GONE:
        return ParsedPage(replace(page, status=PageStatus.NOT_FOUND, error=_NO_SUCH_PAGE))
    wall = None
    if source or page.text:
        wall = barrier_on(received.status, received.headers, source, page.text, received.url)
    if wall is None and received.status not in _OK and not received.is_rendered:
        words = _SITE_FAILED.format(code=received.status)
        return ParsedPage(replace(page, status=PageStatus.FAILED, error=words))
    return ParsedPage(page, wall, icon_links(source, received.url) if wall is None else ())


def _page_and_source(received: RawResponse) -> tuple[WebPage, str]:
    """Return the page and, for HTML, its source."""
    body, kind = received.body, received.media_type
    if is_html(body, kind):
        source = html_of(body, received.charset)
        return page_from_html(source, received.url), source
    return page_from_bytes(body, received.url, media_type=kind, charset=received.charset), ""


MAX_MEMORY_BYTES = 1024 * 1024 * 1024
LIMIT_S = 10.0

_TOO_LARGE = translatable("Reading the page needs too much memory.")
_UNPARSED = translatable("The page couldn’t be read ({detail}).")

_log = logging.getLogger(__name__)


def main() -> NoReturn:
    """Serve until the parent process ends."""
    serve(_answer, timeout_s=LIMIT_S, max_memory_bytes=MAX_MEMORY_BYTES)


def _answer(payload: bytes, send: Send) -> None:
    received = msgspec.msgpack.decode(payload, type=RawResponse)
    try:
        reading = reading_of(received)
    except MemoryError:
        reading = ParsedPage(WebPage(PageStatus.FAILED, received.url, error=_TOO_LARGE))
    except Exception as error:  # noqa: BLE001 - parsers raise arbitrary exceptions for hostile pages
        _log.warning("cannot read %s", received.url, exc_info=True)
        words = _UNPARSED.format(detail=type(error).__name__)
        reading = ParsedPage(WebPage(PageStatus.FAILED, received.url, error=words))
    send(encode_msgpack(reading))


if __name__ == "__main__":
    main()
