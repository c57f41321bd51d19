"""From a claim on the board of a checked text to its sentence in the text, and back."""

from desktop.domain.citation_check import CheckedMark, CitationCheck, SupportLevel
from desktop.domain.procedures import EvidencePlace, Phase, TextCheck, TextClaim
from tests.ui.transcript.test_transcript_view import SOURCES, answer, driver, page_loop, shown_page

__all__ = ["driver", "page_loop", "shown_page"]

FILLER = "\n\n".join(f"Nothing of note happened in the year {year}." for year in range(1700, 1760))
TEXT = (
    f"The lamp reaches **42** kilometres [1]. Nothing else.\n\n{FILLER}\n\n灯塔建于 1873 年 [1][2]。它很高。"
)
SHOWN = "[...CSS.highlights.get('claim')].map(String).join('|')"


def claim(text, number, support):
    mark = CheckedMark(number, 0, support, text, "words")
    return TextClaim(text, 0, (number,), judged=(mark,), place=EvidencePlace.CITED, is_checked=True)


CLAIMS = (
    claim("The lamp reaches 42 kilometres", 1, SupportLevel.SUPPORTED),
    claim("灯塔建于 1873 年", 2, SupportLevel.CONTRADICTED),
)


def open_checked_text(driver, text=TEXT):
    state = TextCheck("a.md", text=text, claims=CLAIMS, phase=Phase.DONE)
    marks = tuple(mark for each in CLAIMS for mark in each.judged)
    driver.open(answer(text, offered=(1, 2), procedure=state, check=CitationCheck(marks)), sources=SOURCES)
    driver.until("document.querySelectorAll('.find-claim').length === 2")


def click_on(driver, words):
    """Click in the middle of the first text node that has the words."""
    driver.js(f"""(() => {{
      const walker = document.createTreeWalker(document.querySelector(".text"), NodeFilter.SHOW_TEXT);
      while (walker.nextNode() && !walker.currentNode.data.includes("{words}"));
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      walker.currentNode.parentElement.scrollIntoView({{ block: "center" }});
      const box = range.getClientRects()[0];
      const at = {{ clientX: box.left + 20, clientY: (box.top + box.bottom) / 2, bubbles: true }};
      walker.currentNode.parentElement.dispatchEvent(new MouseEvent("click", at));
    }})()""")


def test_a_claim_leads_to_its_sentence_and_escape_and_a_click_on_it_lead_back(driver):
    open_checked_text(driver)
    for index, words, number in ((0, "灯塔建于 1873 年", "1"), (1, "The lamp reaches 42 kilometres", "1")):
        driver.js(f"document.querySelectorAll('.find-claim')[{index}].click()")
        assert driver.js(SHOWN) == words
        assert driver.js("document.activeElement.dataset.source") == number
        assert driver.js(
            "(() => { const box = [...CSS.highlights.get('claim')][0].getBoundingClientRect();"
            "return box.top >= 0 && box.bottom <= innerHeight; })()"
        )
        driver.js("document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))")
        assert (
            driver.js("[...document.querySelectorAll('.find-claim')].indexOf(document.activeElement)")
            == index
        )
    driver.js("document.activeElement.blur()")
    click_on(driver, "灯塔建于")
    assert driver.js("[...document.querySelectorAll('.find-claim')].indexOf(document.activeElement)") == 0
    driver.js("document.activeElement.blur()")
    click_on(driver, "in the year 1750")
    assert driver.js("document.activeElement === document.body")


def test_below_a_short_text_the_claims_cover_nothing(driver):
    driver.page.resize(1200, 400)
    open_checked_text(driver, "The lamp reaches 42 kilometres [1]. 灯塔建于 1873 年 [2]。")
    driver.until("innerWidth > 1000")
    driver.js("scrollTo(0, document.body.scrollHeight)")
    assert (
        driver.js("""(() => {
      const boxOf = (name) => document.querySelector(`.answer > ${name}`).getBoundingClientRect();
      const claims = boxOf(".research");
      return [".text", ".support", ".sources", ".actions"].filter((name) => boxOf(name).right > claims.left);
    })()""")
        == []
    )
