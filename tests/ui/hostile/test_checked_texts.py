"""Thousands of scripts in a checked text: none runs on its board, in its report, on a shared page or in a picture.

The pages are opened together in another process without their policies, so that what is proven is proven of the HTML
alone; then their elements are looked at, because not every handler is called when a page is opened. With
`FOOTNOTE_TEST_DATA`, the folder of the unpacked archives, there are more than 9,000, and Chromium asks for nothing.
"""

import html
import os
import re
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from itertools import chain, cycle, islice, product
from pathlib import Path

import pytest
from playwright.async_api import async_playwright
from selectolax.lexbor import LexborHTMLParser

from desktop.chat.checking.texts import prepare_text, write_marks
from desktop.domain.citation_check import CheckedMark, SupportLevel
from desktop.domain.messages import Conversation, ConversationInfo, Message, Speaker
from desktop.domain.procedures import EvidencePlace, Phase, TextCheck
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.render.export import shared_page_of
from desktop.render.export.picture import picture_page_of
from desktop.render.labels import EN
from desktop.render.page.procedure_panels import procedure_html
from desktop.search.browser.discovery import find_browser
from tests.ui.hostile.payloads import payloads_for
from tests.ui.open_page import count_hits_elsewhere

DATA = Path(os.environ.get("FOOTNOTE_TEST_DATA", "nowhere"))
NOW = datetime(2026, 1, 2, tzinfo=UTC)
CLAIMS, IN_CLAIM = 300, 8
RUN = "alert(1)"
TAGS = (
    "img src=x", "svg", "body", "details open", "input autofocus", "video src=x", "audio src=x", "object data=x", "iframe src=x",
    "style", "marquee", "a href=x", "p tabindex=0 autofocus", "math", "x-y style=animation:a", "link rel=stylesheet href=x",
)  # fmt: skip
HANDLERS = (
    "onerror",
    "onload",
    "onfocus",
    "ontoggle",
    "onanimationstart",
    "onpointerenter",
    "onclick",
    "onstart",
)
RARE_HANDLERS = ("onmouseover", "onfocusin", "onbeforetoggle", "oncontentvisibilityautostatechange")
"""Tried with the lists only."""
ENCODINGS = (
    lambda tag, handler: f"<{tag} {handler}={RUN}>",
    lambda tag, handler: f"<{tag.upper()} {handler.title()}='{RUN}'>",
    lambda tag, handler: f'<{tag.replace(" ", "/")}/{handler}="{RUN}"//',
    lambda tag, handler: f"<{tag}\t{handler}={''.join(f'&#{ord(each)};' for each in RUN)}>",
    lambda tag, handler: f"<{tag} {handler}={''.join(f'&#x{ord(each):x};' for each in RUN)}>",
    lambda tag, handler: f"<{tag} {handler}=\\u0061lert(1)>",
    lambda tag, handler: html.escape(f"<{tag} {handler}={RUN}>"),
    lambda tag, handler: f'"><{tag} {handler}={RUN}>',
    lambda tag, handler: f"'--></style></script></title></textarea><{tag} {handler}={RUN}>",
    lambda tag, handler: f'[x](https://e.example "\\"><{tag} {handler}={RUN}>")',
    lambda tag, handler: f"[<{tag} {handler}={RUN}>](javascript:{RUN})",
    lambda tag, handler: f"`<{tag} {handler}={RUN}>",
    lambda tag, handler: f"$<{tag} {handler}={RUN}>$",
    lambda tag, handler: f"![<{tag} {handler}={RUN}>](data:text/html,<{tag}>)",
    lambda tag, handler: f"<{tag} {handler}\x00={RUN}>",
    lambda tag, handler: f"＜{tag} {handler}={RUN}＞<{tag[0]}\u200b{tag[1:]} {handler}={RUN}>",
    lambda tag, handler: f"<script>{RUN}</script><{tag}><{handler}>",
    lambda tag, handler: f"<{tag}\x0c{handler}\x0b=\"{RUN}\"<!--",
)  # fmt: skip
PROVOKE = """
for (const element of document.querySelectorAll("main *, header *, footer *"))
  for (const name of ["mouseover", "pointerenter", "focus", "focusin", "toggle", "error", "load"])
    element.dispatchEvent(new Event(name));
"""
POLICY = re.compile(r"<meta http-equiv=[^>]*>|<script>.*?</script>", re.DOTALL)
"""What of a page is ours and would stop or run scripts."""
FORBIDDEN = "script, iframe, object, embed, base, link, form, svg, video, audio, img, input:not([type=checkbox]), style"
ADDRESS = re.compile(r"https?:|mailto:|#", re.IGNORECASE)


def make_forms(handlers=HANDLERS):
    forms = product(TAGS, handlers, ENCODINGS)
    return [encode(tag, handler) for tag, handler, encode in forms]


@cache
def more():
    """Every line of the lists that lie beside the project, and what is generated only with them, each once."""
    paths = sorted((DATA / "xss").rglob("*.txt"))
    lines = chain.from_iterable(
        path.read_text(encoding="utf-8", errors="replace").splitlines() for path in paths
    )
    known = [line for line in lines if line.strip()]
    texts = dict.fromkeys(
        [*known, *payloads_for("canary.example"), *make_forms(RARE_HANDLERS)] if known else ()
    )
    return [text for text in texts if text not in {*make_forms()}]


def checked(payloads):
    """Return a conversation with a checked text, whose claims, sources and verdicts are made of payloads."""
    more = cycle(payloads)
    ledger = Ledger()
    groups = [payloads[start : start + IN_CLAIM] for start in range(0, len(payloads), IN_CLAIM)]
    ledger.register(
        Passage(
            SourceKind.WEB,
            next(more),
            f"The lamp of the tower. {next(more)}",
            f"https://e.example/{next(more)}{n}",
        )
        for n in range(len(groups))
    )
    text = "\n\n".join(
        f"The lamp {n} of the tower {' and '.join(group)} reaches 42 kilometres ([{next(more)}](https://e.example/{n}))."
        for n, group in enumerate(groups)
    )
    prepared = prepare_text(text, ledger)
    levels = cycle(SupportLevel)
    claims = [
        replace(
            claim,
            judged=tuple(
                CheckedMark(number, 0, next(levels), claim.text, next(more), (next(more),))
                for number in claim.cited[:1]
            ),
            place=EvidencePlace.CITED,
            is_checked=True,
        )
        for claim in prepared.claims
    ]
    titles = {source.number: source.title for source in ledger.sources}
    marked, check = write_marks(prepared.text, claims, titles)
    state = TextCheck(
        next(more), text=prepared.text, claims=tuple(claims), notes=tuple(islice(more, 3)), phase=Phase.DONE
    )
    message = Message(
        "m", "c", Speaker.MODEL, marked, NOW, procedure=state, check=check, offered=tuple(titles), error=next(more)
    )  # fmt: skip
    return Conversation(ConversationInfo("c", next(more), NOW, NOW), (message,), ledger.sources)


def assert_nothing_runs(payloads):
    said = checked(payloads)
    (message,) = said.messages
    assert len(message.procedure.claims) >= min(250, len(payloads) // IN_CLAIM // 2)
    pages = [shared_page_of(said, EN).decode(), picture_page_of(said, EN).decode()]
    bodies = [POLICY.sub("", page) for page in pages]
    assert [page.count("<script>") for page in pages] == [1, 0]
    bodies.append(procedure_html(message, {source.number for source in said.sources}, EN))
    for body in bodies:
        tree = LexborHTMLParser(body)
        page = tree.body
        assert [node.html[:200] for node in page.css(FORBIDDEN)] == []
        for node in page.css("*"):
            assert not [name for name in node.attributes if name.startswith("on")], node.html[:200]
            for name in ("href", "src", "action", "xlink:href"):
                address = node.attributes.get(name)
                assert address is None or ADDRESS.match(address), node.html[:200]
    assert count_hits_elsewhere("".join(bodies)) == 0


def test_none_of_thousands_of_scripts_in_a_checked_text_runs():
    payloads = make_forms()
    assert len(set(payloads)) > 2000
    assert_nothing_runs(payloads)


BATCH = CLAIMS * IN_CLAIM
BATCHES = [more()[start : start + BATCH] for start in range(0, len(more()), BATCH)]
needs_lists = pytest.mark.skipif(not BATCHES, reason="FOOTNOTE_TEST_DATA names no folder with xss/")


@needs_lists
@pytest.mark.parametrize("batch", BATCHES, ids=range(len(BATCHES)))
def test_none_of_the_known_scripts_in_a_checked_text_runs(batch):
    assert_nothing_runs(batch)


@needs_lists
@pytest.mark.anyio
async def test_shared_pages_with_all_of_them_ask_for_nothing_and_run_nothing_in_chromium(tmp_path):
    payloads = [*make_forms(), *more()]
    assert len(set(payloads)) > 9000
    places = []
    for start in range(0, len(payloads), BATCH):
        shared = shared_page_of(checked(payloads[start : start + BATCH]), EN).decode()
        bare, policies = re.subn(r"<meta http-equiv=[^>]*>", "", shared)
        assert policies == 1
        for name, text in (("shared", shared), ("bare", bare)):
            place = tmp_path / f"{name}-{start}.html"
            place.write_text(text, encoding="utf-8", errors="replace")
            places.append(place)
    async with async_playwright() as playwright:
        program = find_browser("", playwright.chromium.executable_path)
        browser = await playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            context = await browser.new_context(offline=True)
            await context.add_init_script(
                "window.hits = 0; window.hit = window.alert = window.print = window.prompt = () => hits++;"
            )
            page = await context.new_page()
            asked = []
            page.on("request", lambda request: asked.append(request.url))
            for place in places:
                await page.goto(place.as_uri())
                await page.evaluate(PROVOKE)
                assert await page.evaluate("hits") == 0, place.name
        finally:
            await browser.close()
    assert asked == [place.as_uri() for place in places]
