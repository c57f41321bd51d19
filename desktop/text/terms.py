"""Index terms of texts, and the parts of questions, in Chinese, Japanese and English; stop words."""

import re
import threading
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import import_module
from typing import Protocol

from desktop.text.chinese_words import cut_for_search

_ENGLISH = """
a about above after again against all also am an and any are as at be because been before being below
between both but by can cannot could did do does doing done down during each either else ever every few
for from further get gets got had has have having he her here hers herself him himself his how i if in
into is it its itself just let like made make many may me might more most much must my myself neither no
nor not now of off often on once only or other our ours out over own per please quite rather same shall
she should since so some such tell than that the their theirs them then there these they this those
though through thus to too under until up upon us very was we were what when where whether which while
who whom whose why will with within without would yet you your yours don't doesn't isn't it's
"""
_CHINESE = """
的 了 和 是 在 就 都 而 及 与 着 或 之 于 以 为 也 又 还 但 并 并且 但是 而且 因为 所以 如果 虽然 然而 不过
一 一个 一些 一种 这 那 这个 那个 这些 那些 这样 那样 这里 那里 此 其 其中 它 他 她 它们 他们 她们 我 我们 你 你们
您 自己 什么 怎么 怎样 怎么样 如何 为什么 为何 哪 哪个 哪些 哪里 哪儿 谁 多少 几 吗 呢 吧 啊 呀 嘛 哦 把 被 让 给
对 对于 关于 由 由于 从 到 向 往 跟 同 比 按 按照 根据 通过 有 没有 没 不 不是 会 能 能够 可 可以 可能 应该 要 将
已 已经 曾 曾经 正在 很 更 最 太 非常 比较 只 只是 才 再 又 上 下 中 里 内 外 前 后 时 时候 等 等等 个 们 地 得 过
来 去 说 请 请问 告诉 一下 是否 有没有 是不是 以及 或者 还是 即 则 若 各 每 该 所 者 呢 啦
的 了 嗎 為 與 對 個 們 來 過 時 後 這 這個 那個 這些 什麼 怎麼 為什麼 誰 幾 還 會 沒有 沒 讓 給 從 請 請問 說
"""
_JAPANESE = "は が を に の と で も へ や か から まで より です ます する した して いる ある この その あの どの これ それ"

STOP_WORDS = frozenset(f"{_ENGLISH} {_CHINESE} {_JAPANESE}".split())


_HAN = r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA = r"\u3041-\u309f"
_KATAKANA = r"\u30a1-\u30fa\u30fc-\u30ff"
_HANGUL = r"\uac00-\ud7af\u1100-\u11ff\u3130-\u318f"
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese and Khmer, which are written without spaces between words."""
_INDIC = r"\u0900-\u0dff"
r"""Indic scripts, whose vowel signs are not matched by `\w`."""
_LETTER = rf"(?:[^\W_{_HAN}{_HIRAGANA}{_KATAKANA}{_HANGUL}{_UNSPACED}]|[{_INDIC}])"
_KINDS = {
    "han": rf"[{_HAN}]+",
    "hiragana": rf"[{_HIRAGANA}]+",
    "katakana": rf"[{_KATAKANA}]+",
    "hangul": rf"[{_HANGUL}]+",
    "unspaced": rf"[{_UNSPACED}]+",
    "number": rf"\d+(?:,\d{{3}})*(?:\.\d+)?(?![.\-_@]?{_LETTER})",
    "word": rf"{_LETTER}+(?:[.\-_@'’+&]+{_LETTER}+)*(?:\+\+|#)?",
}
_TOKEN = re.compile("|".join(_KINDS.values()))
_KIND = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _KINDS.items()))
_APOSTROPHE = re.compile(r"['’]\w*")
_PART = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]{2,}")
_VERSION = re.compile(r"v?(\d+(?:\.\d+)+)")
_GRAM = 2
_BEGINNING_CHARS = 3
_HAN_WORD_CHARS = 4
"""Longer runs of Chinese characters count as sentences."""
_MAX_TERM_CHARS = 64
"""Longer terms are digests and encoded data; a search uses their beginning at most."""

_stemmer_lock = threading.Lock()


def terms(text: str) -> list[str]:
    """Return the index terms of `text` in order; a compound yields itself and its parts.

    Terms are in lower case and NFKC. English words are stemmed, accents dropped, Chinese is segmented into
    words and the words inside them. Numbers, versions, identifiers and addresses are also kept whole.
    """
    return terms_line(text).split()


def terms_line(text: str) -> str:
    """Return `terms` separated by spaces; whole folders are indexed this way, almost without Python code."""
    return " ".join(map(_terms_of, _tokens(text)))


def content_terms(text: str) -> list[str]:
    """Return `terms` without Chinese and English stop words."""
    return [term for token in _tokens(text) for term in _content_terms_of(token)]


def findable_line(text: str) -> str:
    """Return `terms` and the original words without duplicates, so that half-typed words are found as well."""
    return " ".join(dict.fromkeys(" ".join(map(_findable, set(_tokens(text)))).split()))


def build_term_query(text: str, *, is_half_typed: bool = False) -> list[tuple[str, str]]:
    """Return the query for `text` on a `findable_line`: for each word a term, or a prefix of words.

    If the last word `is_half_typed` it may be the beginning of a longer one; all others are whole and have an
    empty second part.
    """
    tokens = _tokens(text)
    wanted = [(term, "") for token in tokens for term in _whole_terms(token)]
    if is_half_typed and tokens and (beginning := _beginning(tokens[-1])):
        wanted[-1] = (wanted[-1][0], beginning)
    return list(dict.fromkeys(wanted))


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(unicodedata.normalize("NFKC", text))


@lru_cache(maxsize=100_000)
def _terms_of(token: str) -> str:
    """Return the terms of a token separated by spaces; cached because texts repeat few tokens many times."""
    return " ".join([term for _, term in _surfaces_and_terms(token)])


@lru_cache(maxsize=20_000)
def _findable(token: str) -> str:
    """Return a token's terms, its unstemmed words, and each Chinese character by itself."""
    match = _KIND.fullmatch(token)
    assert match is not None  # it was found by the same patterns
    pairs = list(_surfaces_and_terms(token))
    if match.lastgroup == "han":
        pairs += [(character, character) for character in token]
    surfaces = (without_accents(surface)[:_MAX_TERM_CHARS] for surface, _ in pairs)
    return " ".join(dict.fromkeys([*(term for _, term in pairs), *surfaces]))


def _whole_terms(token: str) -> list[str]:
    """Return the terms that represent a whole token, without its parts, which are found with the whole."""
    match = _KIND.fullmatch(token)
    assert match is not None  # it was found by the same patterns
    if match.lastgroup in {"word", "number"}:
        return [term for _, term in _surfaces_and_terms(token)][:1]
    if match.lastgroup == "han" and len(token) > _HAN_WORD_CHARS:
        # A sentence is searched by its words; a word by its pairs, however the dictionary would split it.
        return [word for word in cut_for_search(token) if len(word) >= _GRAM] or [token[:_GRAM]]
    return list(_grams(token, keeps_whole=False))


def _beginning(token: str) -> str:
    """Return the prefix of a half-typed word; empty if it would be redundant or too short.

    Text without spaces is found by its characters and pairs of them, at the beginning of any word.
    """
    is_letters = token.isascii() or unicodedata.category(token[0]) in {"Ll", "Lu"}
    if not is_letters or len(token) < _BEGINNING_CHARS:
        return ""
    return without_accents(token.lower())[:_MAX_TERM_CHARS]


@lru_cache(maxsize=100_000)
def _content_terms_of(token: str) -> tuple[str, ...]:
    return tuple(term for surface, term in _surfaces_and_terms(token) if surface not in STOP_WORDS)


def _surfaces_and_terms(token: str) -> Iterable[tuple[str, str]]:
    match = _KIND.fullmatch(token)
    assert match is not None  # it was found by the same patterns
    kind = match.lastgroup
    if kind == "word":
        return _word_terms(token)
    if kind == "number":
        plain = token.replace(",", "")[:_MAX_TERM_CHARS]
        return [(plain, plain)]
    if kind == "han":
        return [(word, word) for word in _segment(token)]
    keeps_whole = kind in {"katakana", "hangul"}
    return [(gram, gram) for gram in _grams(token, keeps_whole=keeps_whole)]


def _segment(run: str) -> list[str]:
    """Return words and the pairs across them, because the Chinese dictionary splits some names."""
    words = cut_for_search(run)
    known = set(words)
    return words + [gram for gram in _grams(run, keeps_whole=False) if gram not in known]


def _grams(run: str, *, keeps_whole: bool) -> Iterator[str]:
    """Yield pairs of characters, which find words in scripts without a dictionary here."""
    if len(run) <= _GRAM:
        yield run
        return
    if keeps_whole:
        yield run[:_MAX_TERM_CHARS]
    yield from (run[index : index + _GRAM] for index in range(len(run) - _GRAM + 1))


def _word_terms(token: str) -> Iterable[tuple[str, str]]:
    lowered = token.lower().replace("’", "'").removesuffix("'s")
    if lowered.isalpha() and (token[1:].islower() or len(token) == 1 or token.isupper()):
        return [(lowered, _stem(lowered))]
    whole = without_accents(lowered)[:_MAX_TERM_CHARS]
    forms = dict.fromkeys([whole, *_version_forms(whole)])
    if "-" in whole:
        forms[whole.replace("-", "")] = None
    surfaces = {form: form for form in forms}
    for part in _parts(token):
        surfaces.setdefault(_stem(part), part)
    return [(surface, term) for term, surface in surfaces.items()]


def _version_forms(whole: str) -> Iterator[str]:
    """Yield `3.11.4`, `3.11` for `v3.11.4`, because users search for the beginning of a version."""
    match = _VERSION.fullmatch(whole)
    if match:
        numbers = match.group(1).split(".")
        yield from (".".join(numbers[:count]) for count in range(len(numbers), 1, -1))


def _parts(token: str) -> Iterator[str]:
    if _VERSION.fullmatch(token.lower()):
        return
    for piece in _PART.findall(_APOSTROPHE.sub("", token)):
        for word in dict.fromkeys([piece, *_HUMP.findall(piece)]):
            if len(word) > 1 or word.isdigit():
                yield word.lower()[:_MAX_TERM_CHARS]


def without_accents(word: str) -> str:
    """Return a word with its letters but without their accents: “resume” for “résumé”."""
    if word.isascii():
        return word
    decomposed = unicodedata.normalize("NFD", word)
    return "".join(char for char in decomposed if not "\u0300" <= char <= "\u036f")


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - its own spelling


@lru_cache(maxsize=1)
def _stemmer() -> _Stemmer:
    stemmer: _Stemmer = import_module("snowballstemmer").stemmer("english")
    return stemmer


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    plain = without_accents(word)[:_MAX_TERM_CHARS]
    if not plain.isascii() or not plain.isalpha():
        return plain
    with _stemmer_lock:  # the stemmer stores the current word in itself
        return _stemmer().stemWord(plain)


_MAX_PARTS = 4
_ASKING_WORD = (
    r"(?:(?:in|at|on|by|from|to|of|for|with|since|until|about) )?"
    r"(?:what|when|where|who|whom|whose|why|which|how|is|are|was|were|does|do|did|can|will|should|tell me)\b"
)
_ENGLISH_BREAK = re.compile(
    rf"(?<=[.?!;])\s+|\s*(?:,\s*)?\b(?:and|or|but)\s+(?:also\s+)?(?={_ASKING_WORD})",
    re.IGNORECASE,
)
_CHINESE_BREAK = re.compile(
    r"(?<=[。！？?；;])\s*|[，,、\s]*(?:以及|还有|并且|而且|同时|另外|此外)[，,\s]*|[，,]\s*"
)
_CHINESE_ASKS = re.compile(
    r"什么|哪|谁|多少|几[^乎]|何[时处地人为]|为何|怎么|怎样|如何|是否|能否|多[大高长远久深重快]"
)
_ENGLISH_ASKS = re.compile(rf"^\W*{_ASKING_WORD}", re.IGNORECASE)
_HAN_CHARACTER = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_BINDING = "是有在被由的叫"
_EDGE = " \t\n,，;；、"
_POINTER = re.compile(
    r"\b(?:it|its|they|them|their|he|him|his|she|her|this|that|these|those|there)\b|[它他她]|[这那其]",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[\w,;:'’\"] )[A-Z][\w'’-]*|\b(?=\w*\d)\w+|\b[A-Z][A-Z\d]+\b")
_THING = re.compile(r"\b(?:the|my|our|your)\s+[a-z][\w'’-]*", re.IGNORECASE)


def parts_of_question(question: str) -> tuple[str, ...]:
    """Return the questions in `question`, in order; the whole of it if there is only one.

    A part that is not a question (an introduction, a further item of a list) stays with its neighbour.
    """
    is_chinese = _HAN_CHARACTER.search(question) is not None
    breaks, asks = (_CHINESE_BREAK, _CHINESE_ASKS) if is_chinese else (_ENGLISH_BREAK, _ENGLISH_ASKS)
    parts: list[str] = []
    has_asked = False
    for piece in filter(None, (piece.strip(_EDGE) for piece in breaks.split(question))):
        does_ask = asks.search(piece) is not None and bool(content_terms(piece))
        if parts and not (does_ask and has_asked):
            parts[-1] = f"{parts[-1]} {piece}"
            has_asked |= does_ask
        else:
            parts.append(piece)
            has_asked = does_ask
    return tuple(parts[:_MAX_PARTS]) if len(parts) > 1 else (question,)


def add_subject(part: str, first: str) -> str:
    """Return a later part with the subject of the first one if it has none of its own."""
    if _HAN_CHARACTER.search(part):
        subject = _before_asking(part)
        has_own = bool(content_terms(subject)) and not _POINTER.search(subject)
        return part if has_own else f"{_before_asking(first)}{part}"
    has_own = len(set(content_terms(part))) > 1 and not _POINTER.search(part)
    subject = " ".join(_NAME.findall(first) or _THING.findall(first)) or first
    return part if has_own else f"{subject} {part}"


def _before_asking(part: str) -> str:
    """Return the part of a Chinese question before the interrogative; the subject comes first."""
    asks = _CHINESE_ASKS.search(part)
    return part[: asks.start()].rstrip(_BINDING) if asks else part
