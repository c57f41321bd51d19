"""How many tokens a text is worth, near enough for budgets; no tokenizer is downloaded."""

import re

from desktop.text.sentences import split_sentences

SOURCE_MARKUP_TOKENS = 40
"""What one source costs beside its text and title: tags and attributes."""

_PIECE = re.compile(
    r"(?P<wide>[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef])"
    r"|(?P<latin>[A-Za-z]+)"
    r"|(?P<digits>[0-9]+)"
    r"|(?P<letters>[^\W\d_]+)"
    r"|(?P<mark>\S)"
    r"|(?P<lines>\n+)"
)
_CHARS_PER_TOKEN = {"wide": 1.0, "latin": 6.0, "digits": 3.0, "letters": 2.0, "mark": 1.0}


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a language model counts for `text`, rather too many than too few.

    One per Chinese character or punctuation mark, one per six Latin letters or part of them, one per
    three digits, one per two letters of other scripts.
    """
    return sum(map(_cost, _PIECE.finditer(text)))


def within_tokens(text: str, limit: int) -> str:
    """Return the longest beginning of `text` that is worth at most `limit` tokens."""
    left = limit
    for match in _PIECE.finditer(text):
        cost = _cost(match)
        if cost > left:
            per_token = int(_CHARS_PER_TOKEN.get(match.lastgroup or "mark", 0))
            return text[: match.start() + left * per_token]
        left -= cost
    return text


def whole_sentences(text: str, limit: int) -> str:
    """Return the sentences that `text` begins with and that are worth at most `limit` tokens together."""
    end = 0
    for span in split_sentences(text):
        limit -= estimate_tokens(text[end : span.end])
        if limit < 0:
            break
        end = span.end
    return text[:end]


def source_tokens(title: str, text: str) -> int:
    """Return about how many tokens a source is worth as a model is given it."""
    return estimate_tokens(text) + estimate_tokens(title) + SOURCE_MARKUP_TOKENS


def _cost(match: re.Match[str]) -> int:
    kind = match.lastgroup or "mark"
    return 1 if kind == "lines" else -int(-len(match.group()) // _CHARS_PER_TOKEN[kind])
