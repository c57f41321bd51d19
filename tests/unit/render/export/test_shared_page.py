"""An answer that is handed on: its size, what it leaves out, and what it does in a real browser without a network.

The same browser says what the page of the window is for screen readers and with the colors of the system.
"""

import base64
import hashlib
import re
from dataclasses import replace
from html import unescape

import pytest
from playwright.async_api import async_playwright

from desktop.domain.citation_check import CheckedMark, CitationCheck, SupportLevel
from desktop.domain.sources import Ledger, Locator, Passage, SourceKind
from desktop.domain.transcript import Transcript
from desktop.render.export import private_sources, shared_page_of
from desktop.render.labels import labels_of
from desktop.render.page.operations import write_script
from desktop.render.page.page_model import PageModel
from desktop.resources import resource_text, resources_dir
from desktop.search.browser.discovery import find_browser
from tests.cases import cases
from tests.ui.hostile.payloads import PAYLOADS, payloads_for
from tests.unit.render.export.samples import SOURCES, answer, conversation, question

EN = labels_of("en")
CHECK = CitationCheck(
    (
        CheckedMark(1, 0, SupportLevel.SUPPORTED, "The moon causes tides.", "t"),
        CheckedMark(2, 0, SupportLevel.CONTRADICTED, "The rent is 5.", "The rent is 4."),
    )
)
SAID = conversation(
    answer("The moon causes tides [1]. The rent is 5 [2]. In Köln [3]. Again [1].", check=CHECK)
)


def long_answer(language: str):
    """Return an answer of 60 marks with 20 sources of 6,000 characters."""
    text = (
        "潮汐由月球引力引起。" * 600 if language == "zh" else "The moon causes the tides, twice a day. " * 150
    )
    ledger = Ledger()
    ledger.register(
        [Passage(SourceKind.WEB, f"T{n}", text + str(n), f"https://a.example/{n}") for n in range(20)]
    )
    said = "".join(f"月球引起潮汐 The moon causes tides {n} [{n % 20 + 1}].\n\n" for n in range(60))
    return conversation(answer(said, offered=tuple(range(1, 21))), sources=ledger.sources)


@cases("language", ["en", "zh"])
def test_an_answer_with_twenty_sources_takes_at_most_300_kb(language):
    page = shared_page_of(long_answer(language), labels_of(language))
    assert page.count(b'role="tooltip"') == 60
    assert len(page) <= 300_000


@cases("language", ["en", "zh"])
def test_formulas_bring_a_font_and_the_page_stays_small(language):
    shown = long_answer(language)
    (message,) = shown.messages
    message = replace(message, text=f"{message.text}\n\nSo $\\sqrt{{x^2}} = \\frac{{a}}{{b}}$.")
    page = shared_page_of(replace(shown, messages=(message,)), labels_of(language))
    assert b"<math" in page
    assert b"data:font/woff2;base64,d09GMg" in page or b"data:font/woff2;base64,d09GMk" in page
    assert page.count(b'role="tooltip"') == 60
    assert len(page) <= 300_000


def test_private_sources_are_named_and_nothing_of_one_that_is_left_out_remains():
    assert [source.number for source in private_sources(SAID)] == [2, 3]
    whole = shared_page_of(SAID, EN).decode()
    assert "Miet*vertrag*" in whole
    assert "Lives in Köln" in whole
    kept = shared_page_of(SAID, EN, {2, 3}).decode()
    for private in ("Miet", "Vertrag", "§ 3", "Lives", "You said", "home/me", "The rent is 4"):
        assert private not in kept
    assert kept.count("Its passage is not part of this file.") == 4
    assert "Never read by" not in whole  # what is not cited is not part of it


def test_a_card_tells_passage_date_address_and_check():
    page = shared_page_of(SAID, EN).decode()
    (card,) = re.findall(r'<div class="card" id="card-1-1".*?</blockquote></div>', page, re.DOTALL)
    for told in (
        "Tides &lt;explained&gt;",
        "https://www.example.org/a(1)",
        "2024-05-06",
        "card-support supported",
    ):
        assert told in card
    assert 'aria-describedby="card-2-1" data-support="contradicted"' in page


def test_the_policy_allows_exactly_the_style_and_the_script_of_the_page():
    page = shared_page_of(SAID, EN).decode()
    policy = unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1])
    assert policy.startswith("default-src 'none';")
    for name in ("style", "script"):
        (inline,) = re.findall(rf"<{name}>(.*?)</{name}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy


def hostile():
    """Return an answer that has every hostile text in its words, titles, addresses, sections and passages."""
    texts = payloads_for("canary.example")
    ledger = Ledger()
    ledger.register(
        [
            Passage(SourceKind.WEB, text, f"{text} Heat pumps work.", f"https://a.example/{n}?{text}", locator=Locator(1, text), published=text)
            for n, text in enumerate(texts)
        ]
    )  # fmt: skip
    said = "\n\n".join(f"{text}\n\nHeat pumps work [{number}]." for number, text in enumerate(texts, 1))
    marks = tuple(
        CheckedMark(n, 0, SupportLevel.WEAK, text, text, (text,)) for n, text in enumerate(texts, 1)
    )
    message = answer(
        said, offered=tuple(range(1, len(texts) + 1)), check=CitationCheck(marks, problem=texts[0])
    )
    return conversation(message, title=" ".join(texts), sources=ledger.sources)


SPY = "window.hits = 0; window.hit = () => hits++; window.alert = window.print = window.prompt = hit;"


@pytest.mark.anyio
async def test_in_a_browser_it_asks_for_nothing_runs_nothing_and_shows_its_cards(tmp_path):
    bad = shared_page_of(hostile(), EN).decode()
    bare, policies = re.subn(r"<meta http-equiv=[^>]*>", "", bad)
    assert policies == 1
    wide = f"|{'measurement|' * 9}\n|{'-|' * 9}\n|{'4.25 [2]|' * 9}\n\n$$ {'a + ' * 90} b $$"
    pages = {"said": shared_page_of(SAID, EN).decode(), "bad": bad, "bare": bare}
    pages["wide"] = shared_page_of(conversation(answer(wide)), EN).decode()
    for name, text in pages.items():
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
    async with async_playwright() as playwright:
        program = find_browser("", playwright.chromium.executable_path)
        browser = await playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            asked: list[str] = []
            context = await browser.new_context(offline=True, has_touch=True)
            await context.add_init_script(SPY)
            page = await context.new_page()
            page.on("request", lambda request: asked.append(request.url))
            for name in ("bare", "bad"):
                await page.goto((tmp_path / f"{name}.html").as_uri())
                assert await page.evaluate("hits") == 0, name
                assert await page.locator(".card").count() >= len(PAYLOADS) * 0.9
            await page.goto((tmp_path / "said.html").as_uri())
            card = page.locator("#card-2-1")
            mark = page.locator("#mark-2-1")
            assert not await card.is_visible()
            await mark.hover()
            assert await card.is_visible()
            assert "seems to say otherwise" in await card.inner_text()
            await page.keyboard.press("Escape")
            assert not await card.is_visible()
            await page.mouse.move(0, 0)
            await page.keyboard.press("Tab")
            assert await page.locator("#card-1-1").is_visible()
            await page.keyboard.press("Tab")
            assert await card.is_visible()
            await page.locator("h1").tap()  # the click comes once Chromium has taken the touch for one
            await card.wait_for(state="hidden")
            await mark.tap()  # shows the card; the second touch follows
            await card.wait_for()
            assert "#" not in page.url
            await mark.tap()
            await page.wait_for_url("**#source-2")
            await page.emulate_media(media="print")
            assert not await card.is_visible()
            assert await page.locator("#source-2 .frozen-passage").is_visible()
            assert [url for url in asked if not url.startswith(tmp_path.as_uri())] == []
            assert len(asked) == 3
            await page.emulate_media(media="screen")
            await page.set_viewport_size({"width": 390, "height": 800})
            await page.goto((tmp_path / "wide.html").as_uri())
            content = page.get_by_role("main")
            assert await content.evaluate("document.documentElement.scrollWidth") == 390
            assert await content.get_by_role("columnheader").count() == 9
            assert await content.get_by_role("heading", level=1).count() == 1
            await page.emulate_media(media="print")
            assert await content.evaluate("document.querySelector('.text table').offsetWidth") <= 390
            await page.emulate_media(media="screen")
            await page.locator("#mark-2-1").focus()
            await page.keyboard.press("Tab")
            assert "Miet*vertrag*" in await page.get_by_role("tooltip").inner_text()
            await check_chat_page(await browser.new_context(offline=True), tmp_path / "chat.html")
        finally:
            await browser.close()


SHOWN = r"""## Tides

The moon causes tides [1], $\sqrt{2x+1}$ high.

| part | height |
| - | - |
| tower | 42 m [2] |
"""
STYLES = """names => names.map(([selector, property]) => getComputedStyle(document.querySelector(selector))[property])"""


async def check_chat_page(context, path):
    """Open the page of the window in this browser: what it is for screen readers, and with the colors of the system."""
    html = resource_text("page/chat.html").replace(
        "footnote-page://page", (resources_dir() / "page").as_uri()
    )
    path.write_text(html.replace("Content-Security-Policy", ""), encoding="utf-8")
    await context.add_init_script(
        "window.qt = {}; const bridge = new Proxy({}, {get: () => () => {}});"
        "window.QWebChannel = function (_, then) { then({objects: {bridge}}) }"
    )
    page = await context.new_page()
    await page.goto(path.as_uri())
    model = PageModel(EN)
    shown = Transcript.of((question("Why?"), answer(SHOWN, offered=(1, 2))), SOURCES)
    for operations in (model.show_again(), model.show(shown), model.write(["q1", "a1"])):
        await page.evaluate(write_script(operations))
    await page.get_by_role("heading", name="Tides").wait_for()  # drawn with the next frame
    session = await context.new_cdp_session(page)
    nodes = (await session.send("Accessibility.getFullAXTree"))["nodes"]
    told = [
        (
            node["role"]["value"],
            node.get("name", {}).get("value"),
            {each["name"]: each["value"].get("value") for each in node.get("properties", ())},
        )
        for node in nodes
    ]
    headings = [(name, properties["level"]) for role, name, properties in told if role == "heading"]
    assert headings == [("You", 2), ("Answer", 2), ("Tides", 3)]
    assert [name for role, name, _ in told if role == "columnheader"] == ["part", "height"]
    assert [name for role, name, _ in told if role == "MathMLMath"] == [r"\sqrt{2x+1}"]
    assert [role for role, _, _ in told if role in {"main", "log", "toolbar"}] == [
        "main",
        "log",
        "toolbar",
        "toolbar",
    ]
    await page.emulate_media(forced_colors="active")
    assert await page.evaluate("matchMedia('(forced-colors: active)').matches")
    bounded = [".bubble", ".text a.citation", ".source.chip"]
    edges = [[name, f"border{side}Style"] for name in bounded for side in ("Top", "Left")]
    assert set(await page.evaluate(STYLES, edges)) == {"solid"}
    await page.locator(".text a.citation").first.focus()
    await page.keyboard.press("ArrowRight")
    system = "(name => { const probe = document.createElement('i'); probe.style.color = name; document.body.append(probe);"
    highlight = await page.evaluate(f"{system} return getComputedStyle(probe).color }})('Highlight')")
    outlines = [
        ["a.citation:focus", "outlineColor"],
        ["a.citation:focus", "outlineStyle"],
        [".message", "outlineStyle"],
    ]
    assert await page.evaluate(STYLES, outlines) == [highlight, "solid", "none"]


def test_words_of_the_reader_language_stand_in_it():
    assert "私有来源" in shared_page_of(SAID, labels_of("zh_CN"), {2}).decode()
    assert shared_page_of(replace(SAID, messages=(answer("No mark."),)), EN).count(b'class="card"') == 0
