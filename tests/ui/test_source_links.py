from dataclasses import replace
from urllib.parse import unquote

import pytest
from PySide6.QtGui import QDesktopServices

from desktop.domain.sources import TEXT_JOIN, SourceKind
from desktop.ui.source_links import follow_link, follow_source, open_file, show_in_folder, text_fragment, web_address
from tests.ui.engine_fake import SOURCE


@pytest.fixture
def opened(monkeypatch):
    """Addresses given to the system; nothing is really opened."""
    addresses = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: addresses.append(url) or True)
    return addresses


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("Tides follow the moon.", "Tides follow the moon."),
        ("one two three four five six seven eight nine ten", "one two three four five six seven eight"),
        ("  first line \nsecond line", "first line"),
        ("a - b, c & d", "a - b, c & d"),
        (
            "潮汐是海水在月球和太阳引力作用下的周期性涨落现象",
            "潮汐是海水在月球和太阳引力作用下的周期性涨落现象",
        ),
        (f"first part{TEXT_JOIN}second part", "first part"),
    ],
)
def test_the_fragment_is_the_beginning_of_the_passage(text, fragment):
    directive = text_fragment(text)
    assert directive.startswith(":~:text=")
    value = directive.removeprefix(":~:text=")
    assert unquote(value) == fragment
    assert not set(value) & set("-,& ")


def test_without_text_there_is_no_fragment():
    assert text_fragment(" \n ") == ""


def test_a_web_source_opens_at_its_passage(opened):
    assert follow_source(SOURCE) == ""
    assert opened[0].toEncoded().data().decode() == (
        "https://example.org/tides#:~:text=Tides%20follow%20the%20moon%20and%2C%20less%2C%20the%20sun."
    )


def test_an_address_with_a_fragment_keeps_it():
    address = web_address(replace(SOURCE, url="https://example.org/tides#spring"))
    assert address.fragment() == "spring"


def test_other_schemes_are_not_opened(opened):
    assert "no program" in follow_source(replace(SOURCE, url="javascript:alert(1)"))
    assert not follow_link("file:///etc/passwd")
    assert follow_link("mailto:a@example.org")
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
    assert "example.org" in follow_source(SOURCE)


def test_a_file_is_shown_in_its_folder(opened, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    assert show_in_folder(tmp_path / "gone.txt") == ""
    assert opened[0].toLocalFile() == str(tmp_path)
    assert "cannot be shown" in show_in_folder(tmp_path / "no" / "such" / "file")


def test_what_is_no_page_is_not_followed(opened):
    assert follow_source(replace(SOURCE, kind=SourceKind.MEMORY, url="")) == ""
    assert opened == []
