"""The site: its generated pages say all that the program has, its links lead somewhere, it loads nothing from elsewhere."""

import os
import re
import subprocess
import sys

import pytest

from desktop.cli.parser import build_parser
from tests.cases import cases
from tests.unit.scripts.test_lock import ROOT, load_script

pages = load_script("site_pages")
COMMANDS = pages.render_commands()


def test_every_argument_of_the_command_line_has_a_meaning():
    rows = [line for line in COMMANDS.splitlines() if line.startswith("| `")]
    assert len(rows) > 200
    assert [row for row in rows if re.search(r"\|\s*\|$", row)] == []


def test_every_subcommand_has_its_part():
    names = [name for name, _words, _parser in pages.walk_subcommands(build_parser(), "footnote")]
    assert re.findall(r"^## (footnote .+)$", COMMANDS, re.MULTILINE) == names
    assert {"footnote ask", "footnote kb add", "footnote doctor"} < set(names)


def test_the_hand_written_page_names_only_what_the_parser_knows():
    written = (ROOT / "docs" / "cli.md").read_text("utf-8")
    assert pages.COMMANDS in written
    known = {*re.findall(r"--[a-z][a-z-]*", COMMANDS), "--help"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", written)) <= known


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", ("## Models", "| Maximum answer length | 4000 tokens |", "| Read scans | on |")),
        ("zh_CN", ("## 模型", "| 回答的最大长度 | 4000 词元 |", "| 关 |")),
    ],
)
def test_the_settings_have_the_words_of_the_window_and_every_field_of_the_model(qapp, language, words):
    text = pages.render_settings(language)
    assert [each for each in words if each not in text] == []
    names = [name for name, _value, _meaning in pages.model_fields()]
    assert len(names) > 60
    assert [name for name in names if f"`{name}`" not in text] == []


def test_meanings_come_from_the_settings_model():
    meanings = {name: (value, meaning) for name, value, meaning in pages.model_fields()}
    assert meanings["window.zoom"] == (1.0, "Zoom factor of the conversation.")


@cases(
    "page, target, expected",
    [
        ("ARCHITECTURE.md", "docs/search.md", "search.md"),
        ("guide/privacy.md", "../../SECURITY.md", "../SECURITY.md"),
        ("guide/privacy.md", "../SECURITY.md", "../SECURITY.md"),
        ("ARCHITECTURE.md", "docs/decisions", "decisions/0001-asyncio-thread.md"),
        ("decisions/0001-asyncio-thread.md", "../knowledge.md", "../knowledge.md"),
        ("cli.md", "../README.md", "index.md"),
    ],
)
def test_links_lead_to_the_place_in_the_site(page, target, expected):
    assert pages.site_target(page, target) == expected


@cases(
    "html, found",
    [
        ('<script src="https://unpkg.com/x.js"></script>', ["https://unpkg.com/x.js"]),
        ("<link rel=stylesheet href=//fonts.example/css>", ["//fonts.example/css"]),
        ('<link rel="canonical" href="https://footnote.example/">', []),
        ('<a href="https://docs.astral.sh/uv/">uv</a><img src="../welcome.png">', []),
    ],
)
def test_what_a_page_loads_from_elsewhere_is_found(html, found):
    assert pages.find_foreign(html) == found


def test_the_site_is_built_without_a_broken_link(tmp_path):
    built = subprocess.run(
        (sys.executable, ROOT / "scripts" / "site_pages.py", tmp_path / "site"),
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
        text=True,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    for name in ("index", "guide/install", "guide/settings", "cli", "ARCHITECTURE"):
        assert (tmp_path / "site" / f"{name}.html").is_file()
    for name in (
        "index",
        "guide/install",
        "guide/first-question",
        "guide/files",
        "guide/models",
        "guide/settings",
    ):
        text = (tmp_path / "site" / "zh" / f"{name}.html").read_text("utf-8")
        assert len(re.findall(r"[\u4e00-\u9fff]", text)) > 300, name
