"""The text that every renderer gets: an answer such as models write, made up here, and cut into deltas."""

import random
from collections.abc import Sequence
from typing import NamedTuple

WARM_UP_CHARS = 4_000
WINDOWS = 20
WINDOW_DELTAS = 40

_SENTENCE = (
    "heat pump moves energy from outdoor air into the house and needs little power while winters stay mild "
    "because its compressor works against small differences of temperature so measured efficiency depends on "
    "flow settings insulation and the size of radiators more than on brands"
)
_WORDS = _SENTENCE.split()
_CHINESE = "热泵把室外空气中的热量搬进屋里，耗电很少；气温越低，效率越低。"


class Piece(NamedTuple):
    """A delta; only some count, so that slow renderers reach the end of a long text as well."""

    text: str
    counts: bool


def answer(chars: int) -> str:
    """Return about `chars` characters with headings, lists, tables, code, quotes and marks of sources."""
    rng = random.Random(7)
    sections: list[str] = []
    length = 0
    while length < chars:
        section = _section(rng, len(sections))
        sections.append(section)
        length += len(section)
    return "".join(sections)[:chars]


def pieces(text: str, delta: int) -> Sequence[Piece]:
    """Cut `text`: a beginning that warms up, then windows of counted deltas, evenly spread, and what lies between."""
    cut = [Piece(text[at : at + delta], counts=False) for at in range(0, WARM_UP_CHARS, delta)]
    at = len(cut) * delta
    stride = (len(text) - at) // WINDOWS
    window = min(stride // delta, WINDOW_DELTAS)
    for end in range(at + stride, len(text) + 1, stride):
        start = end - window * delta
        if start > at:
            cut.append(Piece(text[at:start], counts=False))
        cut += [Piece(text[at : at + delta], counts=True) for at in range(start, end, delta)]
        at = end
    if at < len(text):
        cut.append(Piece(text[at:], counts=False))
    return cut


def _section(rng: random.Random, number: int) -> str:
    body = _KINDS[number % len(_KINDS)](rng)
    return f"## {number + 1}. {_phrase(rng, 4).capitalize()}\n\n{_paragraph(rng)}\n\n{body}\n\n"


def _phrase(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(_WORDS) for _ in range(words))


def _sentence(rng: random.Random) -> str:
    plain = _phrase(rng, rng.randint(6, 14)).capitalize()
    marked = rng.choice(["**{}**", "*{}*", "`{}`", "[{}](https://example.org/a)", "{}", "{}"])
    return f"{plain} {marked.format(_phrase(rng, 2))} {_phrase(rng, 3)} [{rng.randint(1, 9)}]."


def _paragraph(rng: random.Random) -> str:
    return " ".join(_sentence(rng) for _ in range(rng.randint(2, 5)))


def _list(rng: random.Random) -> str:
    return "\n".join(f"- {_sentence(rng)}\n  - {_phrase(rng, 5)}" for _ in range(4))


def _numbered(rng: random.Random) -> str:
    return "\n".join(f"{index}. {_sentence(rng)}" for index in range(1, 6))


def _table(rng: random.Random) -> str:
    rows = (f"| {_phrase(rng, 2)} | {rng.randint(1, 99)} | {_phrase(rng, 3)} |" for _ in range(6))
    return "\n".join(["| Name | Value | Note |", "| --- | ---: | --- |", *rows])


def _code(rng: random.Random) -> str:
    lines = (f"{rng.choice(_WORDS)}_{index} = read({index}) + {rng.random():.3f}" for index in range(8))
    return "\n".join(["```", *lines, "```"])


def _quote(rng: random.Random) -> str:
    return f"> {_sentence(rng)}\n> {_sentence(rng)}"


def _chinese(rng: random.Random) -> str:
    return f"{_CHINESE * rng.randint(1, 3)}[{rng.randint(1, 9)}]"


_KINDS = (_list, _table, _code, _quote, _numbered, _chinese)
