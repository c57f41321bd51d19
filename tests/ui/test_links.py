"""Which links are opened, where, and text fragments as a browser reads them."""

from dataclasses import replace
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QDesktopServices

from desktop.domain.sources import TEXT_JOIN, SourceKind
from desktop.ui.links import (
    DIRECTIVE,
    open_file,
    open_link,
    open_source,
    show_in_folder,
    text_fragment,
    web_address,
)
from tests.cases import cases
from tests.ui.fakes.turns import SOURCE

LONG = (
    "The lighthouse stands on a basalt cliff at the northern end of the island, where the ferry passes. "
    "Its lamp reaches 42 kilometres and has been electric since 1931."
)
CHINESE = (
    "维尔莫拉灯塔位于岛屿北端的玄武岩悬崖上，是当地最著名的建筑。" * 3
    + "灯塔的光照距离为42公里，1931年改为电力照明。"
)


def directives(address):
    """Return prefix, start, end and suffix of each directive, as in the grammar of the specification."""
    encoded = address.toEncoded().data().decode()
    parsed = []
    for directive in encoded.partition(":~:")[2].split("&"):
        name, _, value = directive.partition("=")
        assert name == "text"
        parts = value.split(",")
        prefix = parts.pop(0).removesuffix("-") if parts[0].endswith("-") else ""
        suffix = parts.pop().removeprefix("-") if parts[-1].startswith("-") else ""
        assert 1 <= len(parts) <= 2
        assert all("-" not in part for part in (*parts, prefix, suffix))
        parsed.append(
            [unquote(part) for part in (prefix, parts[0], parts[1] if len(parts) == 2 else "", suffix)]
        )
    return parsed


def of(text, words=""):
    address = web_address(replace(SOURCE, text=text), words)
    return directives(address)


def start_of(text, words=""):
    return of(text, words)[0][1]


@cases(
    "text, start",
    [
        ("Tides follow the moon.", "Tides follow the moon."),
        ("  first line \t of all ", "first line of all"),
        ("a & b, c; d = 100%", "a & b, c; d = 100%"),
        (
            "潮汐是海水在月球和太阳引力作用下的周期性涨落现象",
            "潮汐是海水在月球和太阳引力作用下的周期性涨落现象",
        ),
        (f"first part{TEXT_JOIN}second part", "first part"),
        ("x-y", "x"),
        ("state-of-the-art methods are used", "art methods are used"),
        ("- an item of a list", "an item of a list"),
    ],
)
def test_short_words_are_sent_as_they_are_without_any_dash(text, start):
    assert start_of(text) == start


def test_long_passages_go_from_their_beginning_to_their_end_and_may_fall_back_to_the_beginning():
    ranged, fallback = of(LONG)
    assert ranged[1] == "The lighthouse stands on a basalt cliff at the"
    assert ranged[2] == "42 kilometres and has been electric since 1931."
    assert fallback[1:3] == [ranged[1], ""]


def test_chinese_is_cut_where_no_word_is():
    ranged, fallback = of(CHINESE)
    assert ranged[1] == "维尔莫拉灯塔位于岛屿北端的玄武岩悬崖上，是当地最著名的建筑"
    assert ranged[2] == "是当地最著名的建筑。灯塔的光照距离为42公里，1931年改为电力照明。"
    assert fallback[1] == ranged[1]


def test_paragraphs_are_joined_by_a_range():
    ranged, _ = of("The first paragraph begins here.\nAnother one\nThe last paragraph ends here.")
    assert ranged[1:3] == ["The first paragraph begins here.", "The last paragraph ends here."]


def test_words_that_stand_there_twice_are_told_apart_by_what_is_before():
    text = "In winter the pump works well. In deep summer the pump works well."
    assert of(text, "the pump works well")[0][:2] == ["In winter", "the pump works well"]
    assert of(text, "summer the pump works well")[0][:2] == ["", "summer the pump works well"]


@cases("text", ["", " \n ", "—— … --", "-\n-"])
def test_without_words_there_is_no_fragment(text):
    assert text_fragment(text) == ""
    assert web_address(replace(SOURCE, text=text)).toString() == SOURCE.url


@given(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Co", "Cn"])),
    st.sampled_from(["", "a#b", "#x-y"]),
)
def test_any_text_makes_a_directive_whose_words_stand_in_it_in_their_order(text, fragment):
    address = web_address(replace(SOURCE, text=text, url=f"https://example.org/?a=b&c=d{fragment}"))
    if DIRECTIVE not in address.toString():
        assert not any(map(str.isalnum, text.replace(TEXT_JOIN, "")))
        return
    plain = " ".join(text.split())
    for prefix, start, end, _ in directives(address):
        assert " ".join(start.split()) in plain
        assert " ".join(prefix.split()) in plain
        if end:
            assert plain.find(" ".join(end.split()), plain.find(" ".join(start.split())) + len(start)) >= 0


@cases("text", ["字" * 50_000, "x" * 50_000, "一 " + "字" * 50_000 + " 二", "a-" * 50_000])
def test_no_address_grows_with_its_passage(text):
    address = web_address(replace(SOURCE, text=text))
    assert len(address.toEncoded().data()) < 6_000
    assert directives(address)


@pytest.fixture
def opened(monkeypatch):
    """Addresses given to the system; nothing is really opened."""
    addresses = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: addresses.append(url) or True)
    return addresses


def test_a_web_source_opens_at_its_passage(opened):
    assert open_source(SOURCE) == ""
    assert opened[0].toEncoded().data().decode() == (
        "https://example.org/tides#:~:text=Tides%20follow%20the%20moon%20and%2C%20less%2C%20the%20sun."
    )


def test_an_address_with_a_fragment_keeps_it():
    address = web_address(replace(SOURCE, url="https://example.org/tides#spring"))
    assert address.fragment().startswith("spring:~:text=Tides follow")
    marked = replace(SOURCE, url="https://example.org/tides#:~:text=moon")
    assert web_address(marked).toString() == marked.url


def test_a_mark_leads_to_the_words_behind_it(opened):
    assert open_source(SOURCE, "less, the sun") == ""
    assert opened[0].toEncoded().data().endswith(b"#:~:text=less%2C%20the%20sun")


def test_other_schemes_are_not_opened(opened):
    assert "can’t be opened" in open_source(replace(SOURCE, url="javascript:alert(1)"))
    assert "can’t be opened" in open_source(replace(SOURCE, url="https://bank.example@evil.example/"))
    assert not open_link("file:///etc/passwd")
    assert open_link("mailto:a@example.org")
    assert [url.scheme() for url in opened] == ["mailto"]


def test_a_file_is_opened_and_a_missing_one_is_said(opened, tmp_path):
    path = tmp_path / "潮汐.txt"
    path.write_text("x")
    assert open_file(path) == ""
    assert opened[0].toLocalFile() == str(path)
    path.unlink()
    problem = open_file(path)
    assert "潮汐.txt" in problem
    assert "no longer" in problem


def test_a_pdf_opens_at_its_page_where_a_viewer_can(opened, tmp_path, monkeypatch, qtbot):
    pdf, viewer, seen = tmp_path / "paper.pdf", tmp_path / "bin" / "evince", tmp_path / "seen"
    pdf.write_bytes(b"%PDF")
    viewer.parent.mkdir()
    viewer.write_text(f'#!/bin/sh\necho "$@" > {seen}.part && mv {seen}.part {seen}\n')
    viewer.chmod(0o755)
    monkeypatch.setenv("PATH", f"{viewer.parent}:/usr/bin:/bin")
    assert open_file(pdf, 12) == ""
    qtbot.wait_until(seen.exists)
    assert seen.read_text() == f"--page-index=12 {pdf}\n"
    assert opened == []
    monkeypatch.setenv("PATH", str(tmp_path))
    assert open_file(pdf, 12) == ""
    assert opened[0].toLocalFile() == str(pdf)


def test_a_system_without_a_browser_is_said(monkeypatch):
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _url: False)
    assert "example.org" in open_source(SOURCE)


def test_a_file_is_shown_in_its_folder(opened, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    assert show_in_folder(tmp_path / "gone.txt") == ""
    assert opened[0].toLocalFile() == str(tmp_path)
    assert "Couldn’t open the folder" in show_in_folder(tmp_path / "no" / "such" / "file")


def test_what_is_no_page_is_not_followed(opened):
    assert open_source(replace(SOURCE, kind=SourceKind.MEMORY, url="")) == ""
    assert opened == []


def test_what_the_system_would_run_is_not_opened(opened, tmp_path):
    path = tmp_path / "notes.desktop"
    path.write_text("[Desktop Entry]")
    assert "would run it" in open_file(path)
    assert [url.toLocalFile() for url in opened] == [str(tmp_path)]
