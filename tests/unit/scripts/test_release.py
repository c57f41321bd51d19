"""A release: the version stands everywhere, the changelog moves, and what programs read about it is right."""

import json
import shutil
import subprocess
import sys

import pytest

from tests.unit.scripts.test_lock import ROOT, load_script

release = load_script("release")
CHANGELOG = """# Changelog

What the user notices.

## Unreleased

### Chat

- New.

### Data

- Copies.

## 0.1.0 - 2026-11-23

The first version.

### Chat

- Old.

## 0.0.9 - 2026-01-01

- Oldest.
"""


def test_all_pages_name_the_version_of_the_program():
    assert release.find_other_versions(ROOT) == []


def test_unreleased_entries_get_the_version_and_leave_room_for_new_ones():
    moved = release.move_unreleased(CHANGELOG, "0.2.0", "2026-12-24")
    assert moved.partition("## Unreleased\n")[2].startswith("\n## 0.2.0 - 2026-12-24\n\n### Chat\n\n- New.\n")
    assert moved.endswith(CHANGELOG[CHANGELOG.index("\n## 0.1.0") :])
    assert release.section_of(moved, "0.2.0") == "### Chat\n\n- New.\n\n### Data\n\n- Copies."


def test_a_version_that_was_never_published_gets_the_entries_into_its_section():
    moved = release.move_unreleased(CHANGELOG, "0.1.0", "2026-12-24")
    assert moved.count("## 0.1.0") == 1
    section = release.section_of(moved, "0.1.0")
    assert section == "The first version.\n\n### Chat\n\n- New.\n- Old.\n\n### Data\n\n- Copies."
    assert release.section_of(moved, "0.0.9") == "- Oldest."


@pytest.fixture
def checkout(tmp_path):
    """Copy what a release changes."""
    for name in (
        "desktop/__init__.py",
        "README.md",
        "CHANGELOG.md",
        "resources/translations/changelog_zh_CN.md",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "docs" / "guide", tmp_path / "docs" / "guide")
    return tmp_path


def test_the_edit_changes_the_version_in_its_place_and_on_all_pages(checkout):
    release.edit(checkout, "0.2.0", "2026-12-24")
    assert release.read_version(checkout) == "0.2.0"
    assert release.find_other_versions(checkout) == []
    assert "footnote_0.2.0_amd64.deb" in (checkout / "docs/guide/install.md").read_text("utf-8")


def test_a_page_with_the_file_of_another_version_is_named(checkout):
    page = checkout / "docs" / "guide" / "install.zh.md"
    page.write_text(page.read_text("utf-8") + "\n`Footnote-0.0.7-x86_64.AppImage`\n", "utf-8")
    assert release.find_other_versions(checkout) == [
        "docs/guide/install.zh.md: Footnote-0.0.7-x86_64.AppImage"
    ]


def test_the_announcement_is_what_the_program_reads(checkout):
    from desktop.services.updates import parse_release

    release.edit(checkout, "0.2.0", "2026-12-24")
    written = release.announcement(checkout, "0.2.0", "2026-12-24", "https://example.org/releases")
    found = parse_release(json.dumps(written).encode())
    assert (found.version, found.day, found.address) == (
        "0.2.0",
        "2026-12-24",
        "https://example.org/releases",
    )
    assert "### " in dict(found.notes)["en"]


def test_options_of_the_build_are_not_taken_for_its_own():
    command = (sys.executable, "scripts/release.py", "0.0.1", "--dry-run", "--", "--level", "3")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, f"0.0.1 is older than {release.read_version(ROOT)}.\n")
