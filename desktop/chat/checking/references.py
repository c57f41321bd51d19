"""Finds the references of a text from elsewhere, and rewrites it so that each one is a mark of Footnote.

Recognized are links behind words, `([site](address))`, bare addresses, `[1]` with a list at the end, `[^1]` with its
footnote, and links with a label that is defined elsewhere. A mark for a link behind words in the middle of a
sentence stands at the end of the sentence, because the page supports all of it. Addresses of pictures and other
embedded media are no references.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from desktop.domain.sources import host_of
from desktop.render.markdown.citations import groups_in
from desktop.text.sentences import split_sentences

MAX_CHARS: Final = 1_000_000
"""Longer texts are checked up to here."""
MAX_REFERENCES: Final = 500
"""Further addresses of a text are not references."""
_TITLE_CHARS = 200
_HEADING_CHARS = 60
_SITE_CHARS = 100
_ADDRESS_CHARS = 2_000

# Repetitions are possessive: a text that ends within a link must not be tried in every other way.
_URL = r"https?://(?:[^\s()<>\[\]\ue000-\ue003\"“”‘’，。；、（）《》]++|\([^\s()<>]{0,200}+\))++"
_ADDRESS = re.compile(_URL, re.IGNORECASE)
_DOI = re.compile(r"\b(?:doi:\s?|doi\.org/)(10\.\d{4,9}/[^\s\"<>]{1,200})", re.IGNORECASE)
_URL_END = ".,;:!?*_'’"
_TITLE = r"(?:\s++[\"'(][^\n)]{0,300}+)?+"
_LINK = rf"\[(?P<words>(?:[^\[\]\n]++|\[[^\[\]\n]*+\])*+)\]\(<?+(?P<url>{_URL})>?+{_TITLE}\)"
_PROSE = re.compile(
    r"(?P<image>!\[[^\]\n]*+\](?:\([^)\n]*+\)|\[[^\]\n]*+\])"
    r"|<(?:img|picture|source|video|audio|track|iframe|embed|object|svg|image)\b[^<>]*+>)"
    rf"|[(（]\s*+(?P<aside>(?:\[[^\[\]\n]*+\]\(<?+{_URL}>?+{_TITLE}\)[\s,;，；、和]*+)++)[)）]"
    rf"|{_LINK}"
    r"|\[(?P<defined>[^\[\]\n]{1,200})\]\[(?P<label>[^\[\]\n]{0,60})\]"
    r"|\[(?P<note>\^[^\[\]\s]{1,60})\]"
    rf"|(?P<bare>[(（]\s*+(?:{_URL})\s*+[)）]|<(?:{_URL})>|(?:{_URL}))",
    re.IGNORECASE,
)
_INNER_LINK = re.compile(_LINK, re.IGNORECASE)
_CODE = re.compile(
    r"^(?P<fence>```+|~~~+)[^\n]*\n.*?(?:^(?P=fence)[^\n]*$|\Z)|`[^`\n]+`", re.DOTALL | re.MULTILINE
)
_DEFINITION = re.compile(r"\s{0,3}(?:[-*+]\s+)?\[(?P<label>\^?[^\[\]\n]{1,60})\]:\s*(?P<text>\S.*)")
_ENTRY = re.compile(
    r"\s*(?:[-*+]\s+)?(?:[\[【［](?P<label>\d{1,4})[\]】］][:.]?|(?P<number>\d{1,4})[.)、．])\s*(?P<text>\S.*)"
)
_NEXT_ENTRY = re.compile(r"\s[\[【［](?P<label>\d{1,4})[\]】］][:.]?\s+(?=\S)")
_LINE_LABEL = re.compile(r"^[ \t]*[\[【［](\d{1,4})[\]】］]", re.MULTILINE)
_LIST_HEADING = re.compile(
    r"\s*(?:#{1,6}\s*)?(?:\*\*|__)?\s*(?:references?|bibliography|sources?|footnotes|endnotes|notes|works cited"
    r"|literature|citations|links|参考文献|参考资料|参考来源|引用来源|引用|资料来源|来源|注释|脚注|尾注)\s*[:：]?\s*(?:\*\*|__)?\s*[:：]?\s*",
    re.IGNORECASE,
)
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_NAMES_A_SITE = re.compile(
    r"\W*(?:\d{1,4}|(?:[\w-]+\.)+[a-z]{2,}(?:/\S*)?|sources?|links?|here|read more|via|see|more|来源|链接|原文|出处|这里|详情|更多)\W*",
    re.IGNORECASE,
)
"""Words of a link that only name the page, and say nothing."""
_MARKUP = re.compile(r"[*_`]{1,3}|\[|\]\([^)]*\)|\]")
_AT_ENDS = " \t-–—:;,.，。；：|()（）<>[]\"'“”"
_OPEN, _CLOSE, _LATER, _LATER_END = "\ue000", "\ue001", "\ue002", "\ue003"
_PRIVATE = re.compile("[\ue000-\ue003]")
_LATER_MARK = re.compile(f"\\s?{_LATER}(\\d+){_LATER_END}")
_OUR_MARK = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
_ENDING = re.compile(r"[\s.!?。！？…*_]*(?:[\"”’」』)）]\s*)*\Z")
_ESCAPES = {
    "[": "&#91;",
    "]": "&#93;",
    "【": "&#12304;",
    "】": "&#12305;",
    "［": "&#65339;",
    "］": "&#65341;",
}

NumberOf = Callable[[str, str], int]
"""Returns the number of the source with an address and a title."""


@dataclass(frozen=True)
class ReferencedText:
    """A text whose references are marks; `unopenable` counts those without an address."""

    text: str
    unopenable: int = 0
    is_cut: bool = False


@dataclass(frozen=True)
class _Entry:
    address: str
    title: str


def mark_references(text: str, number_of: NumberOf) -> ReferencedText:
    """Return a Markdown text in which each reference with an address is a mark `[n]`.

    Lists and definitions of references are removed. Other numbers in brackets are escaped: they are no marks.
    """
    is_cut = len(text) > MAX_CHARS
    whole = _PRIVATE.sub("", text[:MAX_CHARS].replace("\r\n", "\n").replace("\r", "\n"))
    body, entries = _split_off_references(whole)
    writer = _Marker(entries, number_of)
    pieces: list[str] = []
    at = 0
    for code in _CODE.finditer(body):
        pieces += [writer.write(body[at : code.start()]), code[0]]
        at = code.end()
    pieces.append(writer.write(body[at:]))
    marked = _OUR_MARK.sub(r"[\1]", _move_to_sentence_ends("".join(pieces)))
    return ReferencedText(marked.strip("\n"), len(writer.unopenable), is_cut)


class _Marker:
    def __init__(self, entries: Mapping[str, _Entry], number_of: NumberOf) -> None:
        self._entries = entries
        self._number_of = number_of
        self._numbers: dict[str, int] = {}
        self.unopenable: set[str] = set()

    def write(self, prose: str) -> str:
        """Return prose with marks; those that belong to a whole sentence are moved later."""
        linked = _PROSE.sub(self._replace, prose)
        pieces: list[str] = []
        at = 0
        for group in groups_in(linked):
            pieces += [linked[at : group.start()], self._group(group[0])]
            at = group.end()
        return "".join([*pieces, linked[at:]])

    def _replace(self, match: re.Match[str]) -> str:
        if match["image"]:  # one whose address is in a list would be a mark
            return "" if match[0].endswith("]") else match[0]
        if match["aside"]:
            links = _INNER_LINK.finditer(match["aside"])
            return "".join(self._mark(link["url"], _plain_title(link["words"])) for link in links) or match[0]
        if match["url"]:
            return self._link(match["words"], match["url"], match["words"])
        if match["defined"]:
            entry = self._entries.get((match["label"] or match["defined"]).lower())
            return (
                self._link(match["defined"], entry.address, entry.title)
                if entry and entry.address
                else match[0]
            )
        if match["note"]:
            return self._resolve_label(match["note"].lower(), match[0])
        address = _ADDRESS.search(match["bare"])
        assert address is not None
        url = address[0].rstrip(_URL_END)
        rest = "" if match["bare"][0] in "(（<" else address[0][len(url) :]
        return f"{self._mark(url, '')}{rest}"

    def _link(self, words: str, address: str, title: str) -> str:
        mark = self._mark(address, _plain_title(title))
        if not mark:
            return words
        if not words.strip() or _names_a_site(words):
            return mark
        return f"{words}{_LATER}{mark[1:-1]}{_LATER_END}"

    def _group(self, group: str) -> str:
        """Return the marks of `[1, 3]`; a number that no list explains stays text."""
        marks = [self._resolve_label(label, "") for label in _labels_in(group)]
        return "".join(marks) or _escape(group)

    def _resolve_label(self, label: str, otherwise: str) -> str:
        entry = self._entries.get(label)
        if entry is None:
            return _escape(otherwise)
        if not entry.address:
            self.unopenable.add(label)
            return _escape(otherwise)
        return self._mark(entry.address, entry.title)

    def _mark(self, address: str, title: str) -> str:
        address = address.rstrip(_URL_END)[:_ADDRESS_CHARS]
        if address not in self._numbers:
            if len(self._numbers) == MAX_REFERENCES:
                return ""
            named = "" if _names_a_site(title) else title
            self._numbers[address] = self._number_of(address, named or host_of(address) or address)
        return f"{_OPEN}{self._numbers[address]}{_CLOSE}"


def _names_a_site(words: str) -> bool:
    return len(words) <= _SITE_CHARS and _NAMES_A_SITE.fullmatch(words) is not None


def _labels_in(group: str) -> Iterator[str]:
    """Yield the labels of a group in brackets: `[1, 3-5]`."""
    for item in re.split(r"[,，、;；]", group[1:-1]):
        bounds = [int(part) for part in re.findall(r"\d{1,9}", item)]
        match bounds:
            case [first, last] if first <= last <= first + MAX_REFERENCES:
                yield from map(str, range(first, last + 1))
            case _:
                yield from map(str, bounds)


def _escape(text: str) -> str:
    return "".join(_ESCAPES.get(char, char) for char in text)


def _split_off_references(text: str) -> tuple[str, dict[str, _Entry]]:
    """Return the text without its lists and definitions of references, and these by their label."""
    fenced = [code.span() for code in _CODE.finditer(text) if "\n" in code[0]]
    entries: dict[str, _Entry] = {}
    with_lines = frozenset(_LINE_LABEL.findall(text))
    body: list[str] = []
    in_list = False
    last = ""
    at = 0
    lines = text.split("\n")
    for index, line in enumerate(lines):
        start, at = at, at + len(line) + 1
        within = bisect_right(fenced, (start, len(text))) - 1
        if within >= 0 and start < fenced[within][1]:
            body.append(line)
            continue
        if _is_list_heading(line) and _has_entries(lines[index + 1 : index + 4]):
            in_list, last = True, ""
            continue
        if in_list and _HEADING.match(line):
            in_list = False
        label, words = _entry_in(line, in_list=in_list)
        if label:
            last = _put_entries(entries, label, words, with_lines)
        elif in_list and line.strip() and last and not entries[last].address:
            entries[last] = _entry(f"{entries[last].title} {line.strip()}")
        elif last and line.startswith(("    ", "\t")) and line.strip():  # goes on with a footnote
            entries[last] = (
                entries[last] if entries[last].address else _entry(f"{entries[last].title} {line.strip()}")
            )
        elif in_list:
            last = last if line.strip() else ""
            if line.strip() and not _ADDRESS.search(line):
                body.append(line)
        else:
            last = ""
            body.append(line)
    return "\n".join(body), entries


def _is_list_heading(line: str) -> bool:
    bare = " ".join(line.split())  # many spaces would take many steps
    return len(bare) <= _HEADING_CHARS and _LIST_HEADING.fullmatch(bare) is not None


def _has_entries(lines: list[str]) -> bool:
    return any(_ENTRY.match(line) or _DEFINITION.match(line) or _ADDRESS.search(line) for line in lines)


def _entry_in(line: str, *, in_list: bool) -> tuple[str, str]:
    """Return label and text of a reference that a line defines; empty for other lines."""
    if found := _DEFINITION.fullmatch(line):
        return found["label"].lower(), found["text"]
    entry = _ENTRY.fullmatch(line)
    if entry is None or not (in_list or (entry["label"] and _ADDRESS.search(line))):
        return "", ""
    return (entry["label"] or entry["number"]), entry["text"]


def _put_entries(entries: dict[str, _Entry], label: str, words: str, with_lines: Collection[str]) -> str:
    """Add the entries of a line and return the label of the last one.

    The text of a PDF may have several in one line, whose numbers follow each other. A number that begins a line of its own,
    which is `with_lines`, is only mentioned in another one: “[1] A reply to [2]”.
    """
    at = 0
    for found in _NEXT_ENTRY.finditer(words):
        is_next = label.isdecimal() and int(found["label"]) == int(label) + 1
        if is_next and found["label"] not in with_lines:
            entries.setdefault(label, _entry(words[at : found.start()]))
            label, at = found["label"], found.end()
    entries.setdefault(label, _entry(words[at:]))
    return label


def _entry(text: str) -> _Entry:
    found = _ADDRESS.search(text)
    if found is not None:
        address = found[0].rstrip(_URL_END)
        title = f"{text[: found.start()]} {text[found.end() :]}"
    else:
        doi = _DOI.search(text)
        address = f"https://doi.org/{doi[1].rstrip(_URL_END)}" if doi else ""
        title = text[: doi.start()] if doi else text
    return _Entry(address[:_ADDRESS_CHARS], _plain_title(title))


def _plain_title(text: str) -> str:
    return " ".join(_MARKUP.sub("", text).split()).strip(_AT_ENDS)[:_TITLE_CHARS]


def _move_to_sentence_ends(text: str) -> str:
    """Move the marks of links behind words to the end of their sentence, before its full stop."""
    if _LATER not in text:
        return text
    pieces: list[str] = []
    at = 0
    for span in split_sentences(text):
        sentence = text[span.start : span.end]
        pieces.append(text[at : span.start])
        at = span.end
        numbers = list(dict.fromkeys(_LATER_MARK.findall(sentence)))
        if numbers:
            bare = _LATER_MARK.sub("", sentence)
            ending = _ENDING.search(bare)
            end = ending.start() if ending else len(bare)
            marks = "".join(f"{_OPEN}{number}{_CLOSE}" for number in numbers)
            sentence = f"{bare[:end]} {marks}{bare[end:]}"
        pieces.append(sentence)
    return _LATER_MARK.sub("", "".join([*pieces, text[at:]]))
