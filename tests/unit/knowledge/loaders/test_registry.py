"""The table of formats and the loaders that it names."""

from collections import Counter

from desktop.domain.file_formats import FORMATS, FileFamily, format_named
from desktop.knowledge.loaders.registry import _named


def test_every_suffix_stands_once_and_every_loader_and_drawer_exists():
    suffixes = Counter(suffix for each in FORMATS for suffix in each.suffixes.split())
    assert [suffix for suffix, count in suffixes.items() if count > 1 or not suffix.startswith(".")] == []
    assert all(callable(_named(name)) for each in FORMATS for name in (each.loader, each.drawer) if name)


def test_the_name_of_a_file_says_its_format_whatever_its_case():
    assert format_named("Report.XLSB").family is FileFamily.SHEET
    assert format_named("no suffix").loader == ""
    assert format_named(".pdf").loader == ""
