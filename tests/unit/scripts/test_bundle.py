"""The packages: what goes into the tree, what a desktop is told, and the launcher."""

import importlib
import os
import re
import subprocess
import sys
from importlib.metadata import Distribution

import pytest

from desktop.cli.parser import build_parser
from tests.unit.scripts.test_lock import ROOT


@pytest.fixture(scope="module")
def dist():
    """Import the modules of scripts/bundle, which find each other beside themselves."""
    folder = str(ROOT / "scripts" / "bundle")
    names = ("project", "slim", "tree", "desktop_files", "deb", "appimage")
    sys.path.insert(0, folder)
    try:
        yield {name: importlib.import_module(name) for name in names}
    finally:
        sys.path.remove(folder)
        for name in names:
            sys.modules.pop(name, None)


class Package(Distribution):
    """A package of which only the requirements are known."""

    def __init__(self, *requires):
        self.requirements = list(requires)

    requires = property(lambda self: self.requirements)

    def read_text(self, filename):
        return None

    def locate_file(self, path):
        return path


def test_what_only_builds_need_is_left_out(dist):
    found = {
        "footnote": Package("httpx[socks]", "winonly; sys_platform == 'win32'", "torch; extra == 'models'"),
        "httpx": Package("h11", "socksio; extra == 'socks'", "h2; extra == 'http2'"),
        **{name: Package() for name in ("h11", "socksio", "h2", "torch", "winonly", "hatchling")},
    }
    needed = dist["tree"].needed_names
    assert needed("footnote", found, ()) == {"footnote", "httpx", "h11", "socksio"}
    assert "torch" in needed("footnote", found, ("models",))


def test_the_modules_of_qt_that_stay_are_those_that_are_imported(dist):
    modules = dist["slim"].imported_qt_modules(ROOT / "desktop")
    assert {"QtCore", "QtWidgets", "QtWebEngineCore", "QtPdf"} <= modules
    assert "QtBluetooth" not in modules


def test_a_library_of_an_unknown_package_stops_the_build(dist):
    assert dist["deb"].needed_packages({"libnss3.so", "libnssutil3.so", "libc.so.6"}) == ["libc6", "libnss3"]
    with pytest.raises(SystemExit, match=r"libnew\.so\.1"):
        dist["deb"].needed_packages({"libnew.so.1"})


def test_the_manual_page_has_every_option_of_the_parser(dist):
    page = dist["desktop_files"].render_man_page().replace("\\-", "-")
    commands = re.findall(r"^\.SS (.+)$", page, re.MULTILINE)
    assert {"footnote ask", "footnote kb add"} < set(commands)
    for option in build_parser()._actions:
        for name in option.option_strings:
            assert f"\\fB{name}\\fR" in page


def test_the_menu_entry_opens_files_and_links(dist):
    entry = (ROOT / "packaging" / "linux" / "footnote.desktop").read_text("utf-8")
    assert "Exec=footnote open %U" in entry
    assert "x-scheme-handler/footnote" in dist["desktop_files"].MIME_TYPES


def test_the_metadata_lists_this_version_first(dist):
    releases = re.findall(r'<release version="([^"]+)"', dist["desktop_files"].render_metainfo())
    assert releases[0] == dist["project"].read_version()


def test_update_information_lies_where_updaters_read_it(dist, tmp_path):
    program = tmp_path / "runtime"
    source = '__attribute__((section(".upd_info"), used)) static const char room[64] = {1}; int main(void) { return 0; }'
    (tmp_path / "runtime.c").write_text(source)
    done = subprocess.run(("cc", "-o", program, tmp_path / "runtime.c"), check=False, capture_output=True)
    if done.returncode:
        pytest.skip("there is no C compiler")
    changed = dist["appimage"].with_update_information(
        program.read_bytes(), program, "zsync|https://example.org/a"
    )
    assert len(changed) == program.stat().st_size
    assert b"zsync|https://example.org/a\0\0\0" in changed


def test_the_launcher_finds_python_beside_itself_and_keeps_the_users_settings(dist, tmp_path):
    home = tmp_path / "a folder" / "footnote"
    interpreter = home / "python" / "bin" / "python3.11"
    interpreter.parent.mkdir(parents=True)
    interpreter.write_text(
        '#!/bin/sh\nif [ "$1" = -c ]; then echo /certificates; else env; echo "arguments: $*"; fi\n'
    )
    interpreter.chmod(0o755)
    dist["tree"].write_launcher(home, interpreter)
    link = tmp_path / "link"
    link.symlink_to(home / "footnote")
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": "/theirs", "PYTHONHOME": ""}
    done = subprocess.run(
        (link, "ask", "two words"), env=environment, check=True, capture_output=True, text=True
    )
    lines = done.stdout.splitlines()
    assert f"FOOTNOTE_LAUNCHER={home / 'footnote'}" in lines
    assert "FOOTNOTE_ORIGINAL_PYTHONPATH=/theirs" in lines
    assert "PYTHONNOUSERSITE=1" in lines
    assert not [line for line in lines if line.startswith(("PYTHONPATH=", "PYTHONHOME="))]
    assert lines[-1] == "arguments: -P -m desktop ask two words"
