"""Text too long for one layout: in pieces on the page, whole where it goes."""

from dataclasses import replace

from desktop.domain.events import TextDelta, TurnFinished, TurnStarted
from desktop.domain.messages import MessageStatus
from tests.ui.transcript.test_transcript_view import SOURCES, answer, driver, page_loop, question, shown_page

__all__ = ["driver", "page_loop", "shown_page"]

WORDS = "".join(f"word {number} " for number in range(20_000)).strip()
LINES = "".join(f"line_{number} = {number}\n" for number in range(5_000))


def test_a_giant_that_streams_in_lies_in_pieces_and_loses_no_letter(driver):
    running = answer("", status=MessageStatus.STREAMING)
    driver.page.open_conversation([], ())
    driver.page.apply(TurnStarted(question("How?"), running))
    for at in range(0, len(WORDS), 9_999):
        driver.page.apply(TextDelta(WORDS[at : at + 9_999]))
    driver.page.apply(TurnFinished(replace(running, text=WORDS, status=MessageStatus.COMPLETE)))
    driver.until("!!document.querySelector('.answer') && !document.querySelector('.streaming')")
    assert driver.js("document.querySelector('.answer .text').textContent").strip() == WORDS
    assert driver.js("document.querySelectorAll('.rest > .piece').length") > 10
    assert (
        driver.js("Math.max(...[...document.querySelectorAll('.piece')].map(p => p.textContent.length))")
        < 10_000
    )
    assert driver.js("document.querySelector('.cut-note').dataset.words").startswith(
        "This passage is very long"
    )


def test_long_code_and_long_questions_break_between_their_lines(driver):
    driver.page.open_conversation([question(LINES), answer(f"```\n{LINES}```")], SOURCES)
    driver.until(f"document.querySelector('pre > code')?.textContent.length === {len(LINES)}")
    for box in ("pre > code", ".bubble"):
        assert driver.js(f"document.querySelector('{box}').textContent") == LINES
        ends = driver.js(f"[...document.querySelectorAll('{box} > .piece')].map(p => p.textContent.at(-1))")
        assert set(ends) == {"\n"}


def test_the_pieces_of_code_are_copied_as_they_are(driver):
    driver.page.open_conversation([question("Q"), answer(f"```\n{LINES}```")], SOURCES)
    driver.until(f"document.querySelector('pre > code')?.textContent.length === {len(LINES)}")
    copied = driver.js(
        "(() => { const data = new DataTransfer(); const selection = getSelection();"
        " selection.selectAllChildren(document.querySelector('pre > code'));"
        " document.dispatchEvent(new ClipboardEvent('copy', {clipboardData: data, cancelable: true}));"
        " return data.getData('text/plain') })()"
    )
    assert copied == LINES
