"""The table of formats and the loaders that it names."""

import sys
from collections import Counter
from types import ModuleType

from desktop.domain import file_formats
from desktop.domain.file_formats import FORMATS, FileFamily, FileFormat, format_named
from desktop.knowledge.loaders.document import Document, DocumentPart
from desktop.knowledge.loaders.registry import _import_named, load
from desktop.search.fetcher import FetchedResponse
from desktop.services.web.links import is_document


def test_every_suffix_stands_once_and_every_loader_and_drawer_exists():
    suffixes = Counter(suffix for each in FORMATS for suffix in each.suffixes.split())
    assert [suffix for suffix, count in suffixes.items() if count > 1 or not suffix.startswith(".")] == []
    assert all(
        callable(_import_named(name)) for each in FORMATS for name in (each.loader, each.drawer) if name
    )


def test_the_name_of_a_file_says_its_format_whatever_its_case():
    assert format_named("Report.XLSB").family is FileFamily.SHEET
    assert format_named("no suffix").loader == ""
    assert format_named(".pdf").loader == ""


def test_a_format_is_an_entry_and_a_loader(tmp_path, monkeypatch):
    loader = ModuleType("desktop.knowledge.loaders.recipe")
    loader.load_recipe = lambda path, _context: Document(path.stem, (DocumentPart(path.read_text()),))
    monkeypatch.setitem(sys.modules, loader.__name__, loader)
    entry = FileFormat(".recipe", "recipe:load_recipe", FileFamily.BOOK, is_prose=True, is_document=True)
    monkeypatch.setattr(file_formats, "_BY_SUFFIX", {**file_formats._BY_SUFFIX, ".recipe": entry})
    path = tmp_path / "Soup.RECIPE"
    path.write_text("Boil water.")
    assert load(path).parts[0].text == "Boil water."
    assert format_named(path).family is FileFamily.BOOK
    assert is_document(FetchedResponse("https://a.example/soup.recipe", 200, b"", "application/octet-stream"))
