"""Hostile text on the page: ten thousand forms that try to run, a thousand that try to tell somebody something."""

import random
import re

from tests.ui.hostile.payloads import CANARY, PAYLOADS, payloads_for
from tests.ui.hostile.test_text import assert_harmless_streamed, assert_harmless_whole, watched
from tests.ui.transcript.test_transcript_view import driver, page_loop, shown_page

__all__ = ["driver", "page_loop", "shown_page", "watched"]

BATCH = 200
"""So many are shown at once, each in every place of a message."""

_ATTRIBUTE = re.compile(r"(?<=[ /\t])(on\w+|src|href|style|action)=", re.IGNORECASE)
_SPACE = (" ", "\t", "\n", "\x0c", "/", " / ")
_AROUND = (
    "{}", "> {}", "- {}", "1. {}", "| a |\n|---|\n| {} |", "**{}**", "*{}*", "~~{}~~", "# {}", "[{}](https://a.example)",
    "![{}](https://a.example/x.png)", "[a](https://a.example '{}')", "`{}`", "```\n{}\n```", "$ {} $", "[^1]: {}",
    "<p>{}</p>", "<!-- {} -->", "[x]: <{}>", "text {} text", "{}\n\n{}", "[1] {} [1]", "“{}”", "（{}）", "&lt;{}&gt;",
)  # fmt: skip
_PLACES = (
    "![x](ADDRESS)", "![x][r]\n\n[r]: ADDRESS", "![x](<ADDRESS> 'title')", "[![x](ADDRESS)](ADDRESS)",
    "<img src=ADDRESS>", "<img srcset='ADDRESS 1x'>", "<picture><source srcset=ADDRESS><img></picture>",
    "<p style=\"background:url('ADDRESS')\">x</p>", "<style>@import 'ADDRESS';</style>", "<link rel=stylesheet href=ADDRESS>",
    "<link rel=prefetch href=ADDRESS>", "<link rel=preconnect href=ADDRESS>", "<link rel=dns-prefetch href=ADDRESS>",
    "<svg><image href=ADDRESS></image></svg>", "<svg><use href='ADDRESS#x'/></svg>", "<svg><feImage href=ADDRESS></svg>",
    "<iframe src=ADDRESS></iframe>", "<object data=ADDRESS></object>", "<embed src=ADDRESS>", "<video poster=ADDRESS>",
    "<audio src=ADDRESS autoplay>", "<track src=ADDRESS>", "<input type=image src=ADDRESS>", "<body background=ADDRESS>",
    "<table background=ADDRESS><tr><td>x</table>", "<a href=https://a.example ping=ADDRESS>x</a>", "<base href=ADDRESS>",
    "<meta http-equiv=refresh content='0;url=ADDRESS'>", "<form action=ADDRESS><button autofocus>x</button></form>",
    "<script src=ADDRESS></script>", "$\\includegraphics{ADDRESS}$", "```mermaid\nimage ADDRESS\n```", "[^a]: ![x](ADDRESS)",
    "<math><mglyph src=ADDRESS></math>", "| ![x](ADDRESS) |\n|---|", "ADDRESS", "<ADDRESS>", "[x](ADDRESS)",
)  # fmt: skip
_SCHEMES = (
    "http://",
    "https://",
    "//",
    "HTTP://",
    "ws://",
    "ftp://",
    "data:text/html,//",
    "blob:http://",
    "file://",
)
_CARRIED = ("/q?{}", "/{}.png", "/#{}", "/{}/pixel", "?a={}&b=1", "/%7B{}%7D", ":80/{}", "/a b{}")


def mutate(count: int, seed: int, canary: str) -> list[str]:
    """Return so many different forms: what is known, then what comes of it by case, space, entities and place."""
    chance = random.Random(seed)
    known = list(payloads_for(canary))
    forms = dict.fromkeys(known)
    while len(forms) < count:
        form = chance.choice(known)
        for _ in range(chance.randint(1, 3)):
            form = chance.choice((_recased, _respaced, _encoded, _placed, _cut))(form, chance)
        forms[form] = None
    return list(forms)[:count]


def _recased(form: str, chance: random.Random) -> str:
    return "".join(chance.choice((letter.upper(), letter.lower())) for letter in form).replace(
        "HIT()", "hit()"
    )


def _respaced(form: str, chance: random.Random) -> str:
    return _ATTRIBUTE.sub(lambda found: chance.choice(_SPACE) + found[0], form)


def _encoded(form: str, chance: random.Random) -> str:
    place = chance.randrange(len(form))
    letter = form[place]
    code = ord(letter)
    return (
        form[:place]
        + chance.choice((f"&#{code};", f"&#x{code:x}", f"%{code:02x}", f"\\u{code:04x}", f"\x00{letter}"))
        + form[place + 1 :]
    )


def _placed(form: str, chance: random.Random) -> str:
    return chance.choice(_AROUND).replace("{}", form)


def _cut(form: str, chance: random.Random) -> str:
    return (
        form[: chance.randrange(1, len(form) + 1)]
        + chance.choice(("", ">", '"', "'", "`", "]", ")", "\n\n", "<"))
        + form
    )


def leaking(count: int, seed: int, canary: str) -> list[str]:
    """Return so many different forms of telling a server something by being shown."""
    chance = random.Random(seed)
    forms: dict[str, None] = {}
    while len(forms) < count:
        carried = chance.choice(_CARRIED).replace("{}", f"secret{len(forms)}")
        address = chance.choice(_SCHEMES) + canary + carried
        form = chance.choice(_PLACES).replace("ADDRESS", address)
        forms[chance.choice(_AROUND).replace("{}", form) if chance.random() < 0.5 else form] = None
    return list(forms)


def batches(forms: list[str]) -> list[list[str]]:
    return [forms[start : start + BATCH] for start in range(0, len(forms), BATCH)]


def test_no_form_runs(watched, times, told):
    count = times(BATCH, 10_000)
    for number, batch in enumerate(batches(mutate(count, 8, watched.canary.host))):
        (assert_harmless_streamed if number % 2 else assert_harmless_whole)(watched, batch)
    told(
        "Hostile texts in every place of the page, whole and letter by letter",
        count,
        "0 ran, 0 requests, 0 navigations",
    )


def test_no_form_tells_anybody_anything(watched, times, told):
    count = times(BATCH, 1_000)
    for number, batch in enumerate(batches(leaking(count, 9, watched.canary.host))):
        (assert_harmless_whole if number % 2 else assert_harmless_streamed)(watched, batch)
    told("Ways to send something by being shown", count, "0 connections without a click")


def test_the_forms_are_many():
    assert len(set(mutate(1_000, 1, "a"))) == 1_000
    assert len(set(leaking(1_000, 1, "a"))) == 1_000
    assert any(CANARY in payload for payload in PAYLOADS)
