"""Links that open Footnote can show something, and nothing else."""

import pytest

from desktop.cli.parser import build_parser
from desktop.text.launch_links import MAX_CHARS, LaunchLink, is_launch_link, parse_launch_link
from tests.cases import cases

ID = "0123456789abcdef" * 2


@cases(
    "link, expected",
    [
        ("footnote://ask?question=What%20pulls%20the%20sea%3F", LaunchLink("What pulls the sea?")),
        ("footnote://ask/?question=a+b%0Ac", LaunchLink("a b\nc")),
        ("footnote://ask?question=%E6%BD%AE%E6%B1%90", LaunchLink("潮汐")),
        ("footnote://ask", LaunchLink()),
        ("FOOTNOTE://ask?other=1", LaunchLink()),
        ("footnote://ask?question=a%00%1b%5B31m%E2%80%AEb", LaunchLink("a[31mb")),
        (f"footnote://conversation/{ID}", LaunchLink(conversation_id=ID)),
    ],
)
def test_what_a_link_asks_for(link, expected):
    assert is_launch_link(link)
    assert parse_launch_link(link) == expected


@cases(
    "link",
    [
        "footnote:",
        "footnote://",
        "footnote://settings",
        "footnote://ask/file?question=a",
        "footnote://conversation/",
        "footnote://conversation/../../etc",
        f"footnote://conversation/{ID}0",
        f"footnote://conversation/{ID.upper()}",
        "footnote://[ask",
        f"footnote://ask?question={'a' * MAX_CHARS}",
    ],
)
def test_other_links_are_refused_by_the_command_line_too(link, capsys):
    with pytest.raises(ValueError, match=r"link|URL"):
        parse_launch_link(link)
    with pytest.raises(SystemExit, match="2"):
        build_parser().parse_args(["open", link])
    assert "footnote open: error: argument FILE|LINK" in capsys.readouterr().err


def test_files_are_no_links():
    assert not any(map(is_launch_link, ("a.pdf", "footnote.pdf", "https://example.org", "file:///a", "")))
