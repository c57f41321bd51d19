"""A .doc as Word 97 would write it: an OLE container with text, styles and pieces."""

import struct
from dataclasses import dataclass

SECTOR = 512
END, FREE, FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
TEXT_AT, STYLES_AT = 0x600, 0x800
IN_TABLE, ROW_END = 0x2416, 0x2417


@dataclass(frozen=True)
class Paragraph:
    """Text with the mark that ends it, the number of its style, and a property that is set."""

    text: str
    style: int = 0
    sprm: int = 0


def make_doc(path, paragraphs, *, flags=0):
    """Write a .doc whose text is one piece of two bytes a character."""
    text = "".join(paragraph.text for paragraph in paragraphs)
    word = bytearray(STYLES_AT + SECTOR)
    struct.pack_into("<HH", word, 0, 0xA5EC, 0xC1)
    struct.pack_into("<H", word, 0x0A, 0x0200 | flags)
    struct.pack_into("<i", word, 0x4C, len(text))
    encoded = text.encode("utf-16-le")
    assert len(encoded) <= STYLES_AT - TEXT_AT
    word[TEXT_AT : TEXT_AT + len(encoded)] = encoded
    word[STYLES_AT:] = _style_page(paragraphs)
    pieces = struct.pack("<II", 0, len(text)) + struct.pack("<HIH", 0, TEXT_AT, 0)
    clx = b"\x02" + struct.pack("<I", len(pieces)) + pieces
    styles = struct.pack("<III", TEXT_AT, TEXT_AT + len(encoded), STYLES_AT // SECTOR)
    struct.pack_into("<II", word, 0x1A2, 0, len(clx))
    struct.pack_into("<II", word, 0x102, len(clx), len(styles))
    return make_ole(path, {"WordDocument": bytes(word), "1Table": clx + styles})


def _style_page(paragraphs):
    page = bytearray(SECTOR)
    count = len(paragraphs)
    begin, end = TEXT_AT, SECTOR - 2
    for index, paragraph in enumerate(paragraphs):
        struct.pack_into("<I", page, 4 * index, begin)
        begin += 2 * len(paragraph.text)
        end -= 6
        page[end : end + 6] = struct.pack("<BHHB", 3, paragraph.style, paragraph.sprm, 1)
        page[4 * (count + 1) + 13 * index] = end // 2
    struct.pack_into("<I", page, 4 * count, begin)
    page[SECTOR - 1] = count
    return page


def make_ole(path, streams):
    """Write a compound file ([MS-CFB]) with these streams, each long enough to have sectors of its own."""
    contents = [content.ljust(4096, b"\0") for content in streams.values()]
    contents = [content.ljust(-(-len(content) // SECTOR) * SECTOR, b"\0") for content in contents]
    fat, entries, sector = [FAT, END], [_entry("Root Entry", 5, child=1, start=END)], 2
    for number, (name, content) in enumerate(zip(streams, contents, strict=True), start=1):
        sectors = len(content) // SECTOR
        fat += [*range(sector + 1, sector + sectors), END]
        right = number + 1 if number < len(streams) else FREE
        entries.append(_entry(name, 2, right=right, start=sector, size=len(content)))
        sector += sectors
    fat += [FREE] * (SECTOR // 4 - len(fat))
    head = struct.pack("<8s16xHHHHH6xIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6,
                       0, 1, 1, 0, 4096, END, 0, END, 0)  # fmt: skip
    head += struct.pack("<109I", 0, *[FREE] * 108)
    table = struct.pack(f"<{len(fat)}I", *fat)
    path.write_bytes(head + table + b"".join(entries).ljust(SECTOR, b"\0") + b"".join(contents))
    return path


def _entry(name, kind, *, child=FREE, right=FREE, start=0, size=0):
    encoded = name.encode("utf-16-le")
    return struct.pack("<64sHBBIII36xIQ", encoded, len(encoded) + 2, kind, 1, FREE, right, child, start, size)
