"""Decodes bytes in any encoding, even with a wrong label, and shows or removes characters that nobody can see."""

import codecs
import json
import re
import unicodedata
from collections.abc import Sequence

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins like the UTF-16 mark, so it is tried first
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"\x84\x31\x95\x33", "gb18030"),
)
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
"""The superset that browsers use for a label in practice (WHATWG Encoding, 4.2)."""
_ALIASES = {
    "x-sjis": "cp932",
    "x-gbk": "gb18030",
    "x-x-big5": "big5hkscs",
    "ks_c_5601-1987": "cp949",
    "x-euc-jp": "euc_jp",
    "x-mac-cyrillic": "mac_cyrillic",
    "windows-874": "cp874",
    "unicode": "utf-16",
    "dos-874": "cp874",
}
_MULTIBYTE = frozenset(
    {
        "utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be", "gb18030", "big5hkscs",
        "cp932", "cp949", "euc_jp", "johab", "hz", "iso2022_jp", "iso2022_kr", "shift_jisx0213", "euc_jisx0213",
    }
)  # fmt: skip
_SHIFTED = frozenset({"hz", "iso2022_jp", "iso2022_kr"})
_META_CHARSET = re.compile(
    rb"""<meta[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]{2,40})|<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:-]{2,40})""",
    re.IGNORECASE,
)
_META_BYTES = 8_192
_SAMPLE_BYTES = 200_000
_BROKEN_SHARE = 0.02
"""Up to this share of the non-ASCII characters may be broken in the right encoding."""
_PAIR = 2
_WIDE_SHARE = 0.1
_SURE_SEQUENCES = 4
"""This many UTF-8 sequences do not occur by accident in another multi-byte encoding."""
_ENOUGH_BYTES = 16
"""With this many non-ASCII bytes, statistics can distinguish scripts."""
_SURE_BYTES = 80
"""With this many, statistics override even a label whose encoding the bytes fit."""
_LABEL_CHARS = 40
_PROBE = b"a+AGE-\\u0041"
"""Text encodings leave ASCII unchanged; Python's `utf-7`, `idna` or `unicode_escape` do not."""
_NOT_ASCII = bytes(range(0x80, 0x100))
_UTF8_LEADS = bytes(range(0xC2, 0xF5))
_UTF8_LONG_LEADS = bytes(range(0xE0, 0xF5))


def decode(data: bytes, *, declared: str = "") -> str:
    """Return `data` as text. `declared` is a label, such as the charset of an HTTP header, and may be wrong.

    A byte order mark is used first; then UTF-8, if the bytes are valid; then the label, if the bytes fit it and
    statistics do not detect another script; then statistics. Invalid bytes become U+FFFD.
    """
    return _decode(data, (declared,))


def decode_html(data: bytes, *, declared: str = "") -> str:
    """Return an HTML page as text; its own `<meta charset>` is used as a second label."""
    found = _META_CHARSET.search(data[:_META_BYTES])
    own = (found[1] or found[2]).decode("ascii", "replace") if found else ""
    if own.lower().startswith(("utf-16", "utf16")):
        own = "utf-8"  # otherwise it could not have been read as ASCII (HTML, 13.2.3.2)
    return _decode(data, (declared, own))


def _decode(data: bytes, labels: Sequence[str]) -> str:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    if wide := _find_wide(data[:_SAMPLE_BYTES]):
        return data.decode(wide, "replace")
    is_shifted = b"\x1b$" in data or b"\x1b(" in data or b"~{" in data  # ISO-2022 and HZ look like ASCII
    known = [encoding for label in labels if (encoding := _encoding_of(label))]
    rivals = _MULTIBYTE.intersection(known) - {"utf-8"}
    if not is_shifted:
        text = _as_utf8(data, _SURE_SEQUENCES if rivals else 1)
        if text is not None:
            return text
    # Bytes seldom fit a multi-byte encoding by accident and always fit a single-byte one, so of two labels the
    # multi-byte one is more reliable, whichever comes first.
    known.sort(key=lambda encoding: encoding not in _MULTIBYTE)
    guess = _guess(data)
    if is_shifted and guess in _SHIFTED:
        return data.decode(guess, "replace")
    label = next((encoding for encoding in known if _fits(data, encoding)), guess)
    return data.decode(guess if _is_better(guess, label, data) else label, "replace")


def _find_wide(data: bytes) -> str:
    """Return the UTF-16 variant of text without a BOM, whose ASCII has a zero in every second byte."""
    first, second = data[::2].count(0), data[1::2].count(0)
    if max(first, second) * _PAIR < _WIDE_SHARE * len(data):
        return ""
    if min(first, second) > _BROKEN_SHARE * max(first, second):
        return ""
    return "utf-16-le" if second > first else "utf-16-be"


def _is_better(guess: str, label: str, data: bytes) -> bool:
    """Say whether to prefer statistics to a label whose encoding the bytes fit as well.

    Latin encodings differ in a few letters only, so there the label is more reliable, as it is for short texts.
    Otherwise a script that differs from the label's is significant.
    """
    if label == guess or not _fits(data, guess):
        return False
    counted = _count(data, _NOT_ASCII)
    if label in _MULTIBYTE:
        return counted >= _SURE_BYTES
    return counted >= _ENOUGH_BYTES and _script_of(guess) != _script_of(label)


def _encoding_of(label: str) -> str:
    """Return Python's name of the encoding that `label` means in practice, or an empty string."""
    name = label.strip().strip("\"'").lower()
    if not name or len(name) > _LABEL_CHARS:
        return ""
    try:
        encoding = codecs.lookup(_ALIASES.get(name, name)).name
        is_text = encoding in _MULTIBYTE or _PROBE.decode(encoding, "replace") == _PROBE.decode("ascii")
    except (LookupError, ValueError):  # unknown, or a codec that maps bytes to bytes
        return ""
    return _WIDER.get(encoding, encoding) if is_text else ""


def _as_utf8(data: bytes, least: int) -> str | None:
    """Return UTF-8 text with at most a few broken bytes and at least `least` multi-byte sequences, or None."""
    text = data.decode("utf-8", "replace")
    if data.isascii():
        return text
    sequences = _count(data, _UTF8_LEADS)
    if text.count("\ufffd") > _BROKEN_SHARE * sequences:
        return None
    is_sure = sequences >= least or _count(data, _UTF8_LONG_LEADS) > 0  # three bytes that fit are no accident
    return text if is_sure else None


def _fits(data: bytes, encoding: str) -> bool:
    """Say whether at most a few characters are broken when read as `encoding`."""
    text = data.decode(encoding, "replace")
    foreign = len(text) - len(text.encode("ascii", "ignore"))
    return text.count("\ufffd") <= 1 + _BROKEN_SHARE * foreign


def _count(data: bytes, wanted: bytes) -> int:
    return len(data) - len(data.translate(None, wanted))


def _guess(data: bytes) -> str:
    import chardet  # noqa: PLC0415 - its statistics take 40 ms to load and few texts need them

    era = chardet.EncodingEra.ALL & ~chardet.EncodingEra.MAINFRAME
    found = chardet.detect(data, max_bytes=_SAMPLE_BYTES, encoding_era=era)
    return _encoding_of(found["encoding"] or "") or "cp1252"


def _script_of(encoding: str) -> str:
    if encoding in _MULTIBYTE:
        return encoding
    sample = _NOT_ASCII.decode(encoding, "replace")
    if any("\u0400" <= char <= "\u04ff" for char in sample):
        return encoding  # Cyrillic encodings place the same letters differently
    for first, last, script in (("\u0370", "\u03ff", "greek"), ("\u0590", "\u05ff", "hebrew"),
                                ("\u0600", "\u06ff", "arabic"), ("\u0e00", "\u0e7f", "thai")):  # fmt: skip
        if any(first <= char <= last for char in sample):
            return script
    return "latin"


def strip_surrogates(text: str) -> str:
    """Return `text` without lone surrogates: pairs are joined, single ones become U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})


def pretty_json(text: str) -> str:
    """Return JSON on several lines, without invisible, bidirectional or terminal control characters.

    Invalid JSON stays unchanged; an empty text becomes an empty object.
    """
    try:
        pretty = json.dumps(json.loads(text or "{}"), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        pretty = text
    return printable(pretty)


def printable_line(text: str, most_chars: int) -> str:
    """Return the beginning of `text` as one line, without what cannot be seen or encoded."""
    seen = "".join(char if char.isprintable() else " " for char in text[: 4 * most_chars])
    return " ".join(seen.split())[:most_chars]


def printable(text: str) -> str:
    """Return `text` with every invisible character replaced by its code."""
    return "".join(map(_escape_unseen, text))


def _escape_unseen(char: str) -> str:
    is_unseen = unicodedata.category(char) in _UNSEEN and char not in "\n\t"
    return f"\\u{ord(char):04x}" if is_unseen else char
