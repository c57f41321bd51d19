"""Pictures of answers: nothing is asked for before a click, and then only what was clicked."""

import base64

import pytest

from desktop.domain.pictures import Picture
from desktop.errors import PictureUnavailable
from tests.ui.transcript.test_transcript_view import answer, driver, page_loop, question, shown_page

__all__ = ["driver", "page_loop", "shown_page"]

RED_PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)
TEXT = (
    "![a](https://one.example/a.png) and ![c](https://two.example/c.png?x=1&y=2)\n\n"
    "Note[^n].\n\n[^n]: ![d](http://three.example/d.png)\n"
)
SHOWN = "[...document.querySelectorAll('.picture.shown img')].map(e => [e.alt, e.naturalWidth])"


class KnownPictures:
    """Gives one red pixel for addresses that are known."""

    def __init__(self):
        self.known, self.asked = set(), []

    async def fetch(self, address, conversation_id=""):
        self.asked.append(address)
        if address not in self.known:
            raise PictureUnavailable(detail="The server returned 404.")
        return Picture("image/png", RED_PIXEL)


@pytest.fixture
def pictures(driver):
    pictures = KnownPictures()
    driver.page.serve_pictures(pictures)
    driver.open(question(), answer(TEXT))
    return pictures


def test_a_picture_names_its_host_and_is_not_asked_for(driver, pictures):
    names = driver.js("[...document.querySelectorAll('.picture')].map(e => e.title)")
    assert names == [
        "Load image from one.example",
        "Load image from two.example",
        "Load image from three.example",
    ]
    assert driver.js("document.querySelectorAll('.text img').length") == 0
    assert pictures.asked == []


@pytest.mark.parametrize(
    ("index", "name", "address"),
    [
        (1, "c", "https://two.example/c.png?x=1&y=2"),
        (2, "d", "http://three.example/d.png"),
    ],
)
def test_a_click_loads_this_picture_and_no_other(driver, pictures, index, name, address):
    pictures.known.add(address)
    driver.js(f"document.querySelectorAll('.picture')[{index}].click()")
    driver.until(f"{SHOWN}.length === 1")
    assert driver.js(SHOWN) == [[name, 1]]
    assert pictures.asked == [address]
    assert driver.js(
        "performance.getEntriesByType('resource').every(e => e.name.startsWith('footnote-page:'))"
    )


def test_the_keyboard_loads_a_picture(driver, pictures):
    pictures.known.add("https://one.example/a.png")
    driver.js(
        "(() => { const e = document.querySelector('.picture'); e.focus();"
        " e.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true, cancelable: true})) })()"
    )
    driver.until(f"{SHOWN}.length === 1")


def test_a_picture_that_cannot_be_had_says_so_and_can_be_asked_for_again(driver, pictures, qtbot):
    for _ in range(2):
        with qtbot.waitSignal(driver.page.picture_failed) as failed:
            driver.js("document.querySelector('.picture').click()")
        assert isinstance(failed.args[0], PictureUnavailable)
        driver.until("!!document.querySelector('.picture.failed')")
        driver.js("document.querySelector('.picture').classList.remove('failed')")
    assert driver.js("document.querySelectorAll('.text img').length") == 0


def test_only_addresses_of_the_web_can_be_asked_for(driver, pictures):
    driver.open(
        question(), answer("![x](footnote-page://pictures/a1/0) ![y](file:///etc/passwd) ![z](/z.png)")
    )
    assert driver.js("document.querySelectorAll('.picture[role=button], .text img').length") == 0
