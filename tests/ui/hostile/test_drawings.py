"""Hostile code in blocks that are drawn: nothing runs, nothing is requested, and what is saved is harmless elsewhere as well."""

from dataclasses import asdict
from itertools import product

import pytest
from PySide6.QtGui import QPalette

from desktop.ui.transcript.drawings import DrawingColors, DrawingEngine, DrawingJob
from tests.ui.canary_server import running_canary
from tests.ui.hostile.payloads import payloads_for
from tests.ui.hostile.test_text import INSPECT, WATCH
from tests.ui.open_page import HITS, count_hits_elsewhere
from tests.ui.transcript.test_transcript_view import answer, driver, page_loop, question, shown_page

__all__ = ["driver", "page_loop", "shown_page"]

_TAGS = (
    "img",
    "svg",
    "image",
    "use",
    "animate",
    "a",
    "div",
    "style",
    "foreignObject",
    "iframe",
    "video",
    "object",
)
_ATTRIBUTES = (
    "onload={hit} onerror={hit} src=x href=x",
    "href=javascript:{hit} xlink:href=javascript:{hit} src=javascript:{hit}",
    "srcset='http://{host}/a 1x' src=http://{host}/b href=http://{host}/c xlink:href=http://{host}/d",
    "style='background:url(http://{host}/e);content:image-set(\"http://{host}/f\" 1x)'",
    "attributeName=href values=javascript:{hit} onbegin={hit} begin=0s dur=1s",
)
_CALLS = ("hit()", "&#104;it()", "\\u0068it()", "hit&lpar;&rpar;")
_MERMAID = (
    'flowchart TD\n A["{payload}"] --> B\n click A href "javascript:hit()" "x"\n click B call hit()',
    'flowchart TD\n A@{{ img: "http://{host}/a.png", label: "x", w: 60, h: 60 }} --> B["x"]',
    (
        '%%{{init: {{"securityLevel": "loose", "htmlLabels": true, "flowchart": {{"htmlLabels": true}}}}}}%%\n'
        'flowchart TD\n A["{payload}"] --> B'
    ),
    (
        "---\nconfig:\n  securityLevel: loose\n  themeCSS: '* {{ background: url(http://{host}/b) }}'\n"
        "---\nflowchart TD\n A --> B"
    ),
    (
        '%%{{init: {{"themeVariables": {{"fontFamily": "x; }} @import url(http://{host}/c); * {{ a: b"}}}}}}%%\n'
        "flowchart TD\n A --> B"
    ),
    (
        "sequenceDiagram\n participant A as {payload}\n A->>B: {payload}\n"
        ' links A: {{"x": "javascript:hit()"}}\n Note over A: {payload}'
    ),
    'classDiagram\n class A\n click A href "javascript:hit()"\n A : {payload}',
    "flowchart TD\n A --> B\n style A fill:url(http://{host}/d)\n classDef x background:url(http://{host}/e)\n class B x",
    "gantt\n title {payload}\n section {payload}\n {payload} :a, 2026-01-01, 1d\n click a call hit()",
    'mindmap\n root(({payload}))\n  ::icon(fa fa-x" onload="hit())\n  {payload}',
)
_XML = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink" xml:base="http://{host}/">'
    '<image x:href="http://{host}/a"/><a x:href="javascript:hit()"><text>x</text></a>'
    "<style>text {{ fill: u\\rl(http://{host}/b) }} @\\import 'http://{host}/c';</style>"
    '<rect style="fill: u\\rl(http://{host}/d)"/></svg>'
)
"""What only a reader of XML loads, or only one that knows the escapes of style sheets."""


def make_drawings(host):
    """Return markup made of tags, attributes and ways to write a call."""
    texts = []
    for tag, attributes, call in product(_TAGS, _ATTRIBUTES, _CALLS):
        inner = (
            f"@import 'http://{host}/g'; * {{ background: u\\72l(http://{host}/h) }}"
            if tag == "style"
            else "x"
        )
        texts.append(f"<{tag} {attributes.format(hit=call, host=host)}>{inner}</{tag}>")
    return [*texts, *(text for text in payloads_for(host) if "<" in text and "<!--" not in text)]


def codes(host):
    """Return code by language, the markup in few blocks that are drawn as a whole."""
    texts = make_drawings(host)
    pieces = [text.replace("\0", "").encode(errors="replace").decode() for text in texts]
    batches = ["".join(pieces[start :: len(_BATCHES)]) for start in _BATCHES]
    alone = [
        text for text in pieces if text.startswith(("<body", "<frameset", "<noscript", "<textarea", "<style"))
    ]
    html = [*batches, *alone]
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="hit()">{each}</svg>'
        for each in html
    ]
    svg.append(_XML.format(host=host))
    labels = (
        "<img src=x onerror=hit()>",
        f"<img src=http://{host}/i>",
        "<b onclick=hit()>b</b><svg onload=hit()>",
    )
    mermaid = [text.format(payload=label, host=host) for text, label in product(_MERMAID, labels)]
    return {"html": html, "svg": svg, "mermaid": mermaid}


_BATCHES = range(6)


@pytest.fixture
def drawn(qapp, qtbot):
    """Draw all of it in a hidden page that tells what ran; return the results by language."""
    engine = DrawingEngine(qapp)
    colors = asdict(DrawingColors.of(QPalette()))
    ready = []
    engine.add(DrawingJob({"kind": "html", "code": "<p>x"}, ready.append))
    qtbot.waitUntil(lambda: bool(ready))
    engine._page.run(HITS)
    with running_canary() as canary:
        results = {}
        for language, texts in codes(canary.host).items():
            drawn = results[language] = []
            for text in texts:
                order = {"kind": language, "code": text, "colors": colors}
                engine.add(DrawingJob(order, drawn.append))
            qtbot.waitUntil(lambda drawn=drawn, texts=texts: len(drawn) == len(texts), timeout=120_000)
        hits = []
        engine._page.ask("JSON.stringify(window.hits ?? 'gone')", hits.append)
        qtbot.waitUntil(lambda: bool(hits))
        yield results, canary
        assert hits == ["[]"]
        assert canary.visits == []
    engine._close()
    engine.deleteLater()


def test_nothing_runs_or_is_requested_while_it_is_drawn_or_where_it_is_saved(drawn):
    results, canary = drawn
    pictures = [result["svg"] for each in results.values() for result in each if result and "svg" in result]
    assert [result["problem"] for result in results["html"] if "svg" not in result] == []
    assert sum("svg" in result for result in results["mermaid"]) > 15
    assert canary.host not in results["svg"][-1]["svg"]
    assert "javascript" not in results["svg"][-1]["svg"]
    # A browser without any of our walls, and the picture in the page itself.
    assert count_hits_elsewhere("<body>" + "".join(f"<div>{each}</div>" for each in pictures)) == 0
    assert canary.visits == []


def test_the_page_shows_them_as_images_alone(driver):
    with running_canary() as canary:
        driver.js(WATCH)
        texts = codes(canary.host)
        blocks = [(name, text) for name, each in texts.items() for text in each[:4]]
        driver.open(question(), answer("\n\n".join(f"~~~~~{name}\n{text}\n~~~~~" for name, text in blocks)))
        driver.js(
            "document.querySelectorAll('pre[data-drawing]').forEach(e => e.querySelector('.show-drawing').click()), 1"
        )
        driver.until(
            "[...document.querySelectorAll('pre[data-drawing]')].every(e => e.querySelector('.drawing, .drawing-problem'))"
        )
        assert driver.js("document.querySelectorAll('.drawing img').length") >= 6
        outcome = driver.js(INSPECT)
        assert outcome["hits"] == []
        assert outcome["strangers"] == []
        assert outcome["handlers"] == []
        assert outcome["requests"] == []
        assert canary.visits == []
