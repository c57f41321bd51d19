"""Hostile text in every place of the page: nothing runs, nothing leaves, nothing moves.

The request interceptor is taken away here, so that what is proven is proven of the page alone; the
other walls have their own tests.
"""

import json
import os
from dataclasses import replace
from functools import cache
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QUrl
from PySide6.QtWebEngineCore import QWebEngineUrlRequestInterceptor

from desktop.domain.messages import MessageStatus, Step, StepKind, StepStatus
from desktop.domain.sources import Locator, Source, SourceKind
from desktop.render.labels import labels_of
from desktop.render.page.operations import PatchText, SetMessage
from desktop.render.page.source_cards import card_html
from desktop.render.page.streamed_answer import FIRST_MESSAGES
from desktop.render.stream import StreamRenderer
from desktop.ui.transcript.asset_scheme import PAGE
from tests.ui.canary_server import running_canary
from tests.ui.hostile.payloads import PAYLOADS, payloads_for
from tests.ui.transcript.test_transcript_view import NOW, answer, driver, page_loop, question, shown_page

__all__ = ["driver", "page_loop", "shown_page"]

DATA = Path(os.environ.get("FOOTNOTE_TEST_DATA", "nowhere"))
BATCH = 250

WATCH = """(() => {
  window.hits = [];
  window.hit = () => window.hits.push("hit");
  for (const name of ["alert", "confirm", "prompt", "print", "open"]) window[name] = () => void window.hits.push(name);
  return 1;
})()"""

PROVOKE = """(() => {
  for (const element of document.querySelectorAll("details")) element.open = true;
  const names = ["mouseover", "mouseenter", "pointerenter", "focus", "click", "toggle", "error", "load", "input"];
  for (const element of document.querySelectorAll("main *"))
    if (!element.closest("button"))
      for (const name of names) element.dispatchEvent(new Event(name, { bubbles: false, cancelable: true }));
  return 1;
})()"""

INSPECT = r"""(() => {
  const isOurIcon = (e) => (e.matches("img.favicon") && /^footnote-page:\/\/icon\/[\w.-]*$/.test(e.getAttribute("src")))
    || (e.matches(".drawing > img") && /^footnote-page:\/\/drawings\/[0-9a-f]{64}$/.test(e.getAttribute("src")));
  const all = [...document.querySelectorAll("main *")].filter((e) => !isOurIcon(e));
  const ours = new Set([
    "class", "id", "href", "title", "dir", "style", "start", "type", "checked", "disabled", "aria-label",
    "aria-hidden", "aria-describedby", "role", "tabindex", "lang", "alt", "rel", "value", "colspan", "align",
    "datetime", "open",
  ]);
  return {
    hits: window.hits,
    title: document.title,
    strangers: all.map((e) => e.localName).filter((name) => [
      "script", "img", "image", "iframe", "frame", "object", "embed", "video", "audio", "source", "track", "style",
      "link", "meta", "base", "form", "template", "portal", "use", "animate", "set", "foreignObject", "area",
    ].includes(name)),
    handlers: [...new Set(all.flatMap((e) => e.getAttributeNames()))].filter((name) => name.startsWith("on")),
    styled: all.filter((e) => /url|image|expression|@|\\/i.test(e.getAttribute("style") ?? "")).length,
    protocols: [...new Set([...document.querySelectorAll("main [href]")].map((e) => e.protocol ?? "none"))],
    sources: all.filter((e) => e.hasAttribute("src") || e.hasAttribute("srcset") || e.hasAttribute("ping")).length,
    requests: performance.getEntriesByType("resource").map((e) => e.name).filter((n) => !n.startsWith("footnote-page:")),
    globals: [typeof footnote.update, typeof qt.webChannelTransport],
  };
})()"""


class Recorder(QWebEngineUrlRequestInterceptor):
    """Lets everything pass and writes it down."""

    def __init__(self):
        super().__init__()
        self.addresses = []

    def interceptRequest(self, info):  # noqa: N802 - the name is Qt's
        self.addresses.append(info.requestUrl())


@pytest.fixture
def watched(driver):
    """The page without its interceptor, a server that must stay unvisited, and signals that must stay silent."""
    recorder, escapes = Recorder(), []
    profile = driver.page.web_page.profile()
    kept = profile.findChild(QWebEngineUrlRequestInterceptor)
    profile.setUrlRequestInterceptor(recorder)
    driver.page.web_page.urlChanged.connect(escapes.append)
    with running_canary() as canary:
        driver.js(WATCH)
        driver.canary = canary
        yield driver
        outcome = driver.js(INSPECT)
        assert outcome["hits"] == []
        assert canary.visits == []
    driver.page.web_page.urlChanged.disconnect(escapes.append)
    profile.setUrlRequestInterceptor(kept)
    assert [url.toString() for url in recorder.addresses if url.scheme() != "footnote-page"] == []
    assert escapes == []


def assert_tame(driver):
    driver.js(PROVOKE)
    outcome = driver.js(INSPECT)
    assert set(outcome.pop("protocols")) <= {"http:", "https:", "mailto:", "footnote-page:", ":"}
    assert outcome == {
        "hits": [],
        "title": "Footnote",
        "strangers": [],
        "handlers": [],
        "styled": 0,
        "sources": 0,
        "requests": [],
        "globals": ["function", "object"],
    }
    assert driver.page.web_page.url() == QUrl(PAGE)


def source_of(number, text):
    return Source(
        number=number,
        kind=(SourceKind.WEB, SourceKind.FILE, SourceKind.MEMORY)[number % 3],
        key=text,
        title=text,
        url=f"https://example.org/{text}" if number % 2 else text,
        host=text,
        locator=Locator(number, text),
        text=f"{text}. Heat pumps work. {text}",
        text_hash=text,
        read_at=NOW,
        published=text,
    )


def everywhere(texts):
    """Return messages that show each text in every place of a message, and the sources that they cite."""
    sources = tuple(source_of(number, text) for number, text in enumerate(texts, 1))
    messages = []
    for number, text in enumerate(texts, 1):
        step = Step(1, StepKind.READ, text, StepStatus.FAILED, 1, text)
        asked = replace(question(text), id=f"q{number}", attachments=(f"/tmp/{text}", text))
        said = answer(f"{text}\n\nHeat pumps work [{number}].", offered=(number,))
        fields = {"reasoning": text, "steps": (step,), "model": text, "error": text}
        messages += [asked, replace(said, id=f"a{number}", status=MessageStatus.FAILED, **fields)]
    return messages, sources


def show_cards(driver, sources):
    """Put the cards of all sources into the page, in the way in which it takes any HTML."""
    labels = labels_of("en")
    cards = "".join(card_html(source, labels, "Heat pumps work.") for source in sources)
    operation = SetMessage("cards", f'<article id="message-cards" data-message="cards">{cards}</article>')
    run(driver, [operation])
    driver.until(f"document.querySelectorAll('#message-cards .passage').length === {len(sources)}")


def run(driver, operations):
    driver.page.web_page.runJavaScript(f"footnote.update({json.dumps(msgspec.to_builtins(operations))})")


def stream(driver, texts, pieces_of):
    """Write each text as an answer, piece by piece, through the pipeline that live answers take."""
    driver.open(*(replace(answer(), id=f"s{index}") for index in range(len(texts))))
    for index, text in enumerate(texts):
        renderer = StreamRenderer({1: text})
        patches = [*map(renderer.feed, pieces_of(f"{text} [1]\n\nEnd.")), renderer.finish()]
        run(driver, [PatchText(f"s{index}", part) for part in patches if part])
    driver.until("[...document.querySelectorAll('.text')].every(e => e.textContent.includes('End.'))")


@cache
def known_payloads():
    """Every line of the lists that lie beside the project, each once."""
    lines = {}
    for path in sorted((DATA / "xss").rglob("*.txt")):
        lines.update(dict.fromkeys(path.read_text(encoding="utf-8", errors="replace").splitlines()))
    return [line for line in lines if line.strip()]


KNOWN = [known_payloads()[start : start + BATCH] for start in range(0, len(known_payloads()), BATCH)]
needs_lists = pytest.mark.skipif(not KNOWN, reason="FOOTNOTE_TEST_DATA names no folder with xss/")


def assert_harmless_whole(driver, texts):
    messages, sources = everywhere(texts)
    assert len(messages) > FIRST_MESSAGES
    driver.open(*messages, sources=sources)
    show_cards(driver, sources)
    assert_tame(driver)


def assert_harmless_streamed(driver, texts):
    stream(driver, texts, list)
    assert_tame(driver)


def test_there_are_enough_forms():
    assert len(set(PAYLOADS)) >= 250


def test_no_payload_does_anything_in_any_place(watched):
    assert_harmless_whole(watched, payloads_for(watched.canary.host))


def test_no_payload_does_anything_letter_by_letter(watched):
    assert_harmless_streamed(watched, payloads_for(watched.canary.host))


@needs_lists
@pytest.mark.parametrize("batch", KNOWN, ids=range(len(KNOWN)))
def test_no_known_payload_does_anything_in_any_place(watched, batch):
    assert_harmless_whole(watched, batch)


@needs_lists
@pytest.mark.parametrize("batch", KNOWN, ids=range(len(KNOWN)))
def test_no_known_payload_does_anything_letter_by_letter(watched, batch):
    assert_harmless_streamed(watched, batch)
