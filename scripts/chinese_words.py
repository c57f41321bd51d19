"""Writes resources/words/chinese.bin, the dictionary of `desktop.text.chinese_words`, from jieba's dictionary as rjieba has it.

    python scripts/chinese_words.py dict.txt

`dict.txt` is that of jieba-rs (src/data/dict.txt, MIT licence) of the version that rjieba is built with: a word, its frequency and its part of
speech on each line. `tests/unit/text/test_chinese_words.py` fails where the two do not agree.
"""

import itertools
import struct
import sys
from array import array
from pathlib import Path

TARGET = Path(__file__).parent.parent / "resources" / "words" / "chinese.bin"


def build(lines: list[str]) -> bytes:
    """Return the file for lines without repeated words; `WordTable` describes its format."""
    by_key = sorted((int.from_bytes(line.split()[0][:2].encode("utf-16-be")), line) for line in lines)
    keys, ends, texts = array("I"), array("I", [0]), []
    for key, group in itertools.groupby(by_key, key=lambda entry: entry[0]):
        text = "".join(f"{line}\n" for _, line in group).encode()
        texts.append(text)
        keys.append(key)
        ends.append(ends[-1] + len(text))
    if sys.byteorder == "big":
        keys.byteswap()
        ends.byteswap()
    total = sum(int(line.split()[1]) for line in lines)
    return b"".join((struct.pack("<II", len(keys), total), keys.tobytes(), ends.tobytes(), *texts))


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_bytes(build(Path(sys.argv[1]).read_text("utf-8").splitlines()))
