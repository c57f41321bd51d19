"""What starts with the session is what was asked for, whatever is in the names of its folders."""

import asyncio
import configparser
import plistlib
import sys

import pytest

from desktop.errors import LoginStartFailed
from desktop.installation import Installation, InstallForm
from desktop.services import desktop
from desktop.services.desktop import DesktopService, quote_argument
from desktop.settings.folders import AppFolders, folders_for
from tests.cases import cases

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps it in the registry")


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path / "config"


@pytest.fixture
def surroundings(tmp_path, config):
    data = tmp_path / "my data"
    return DesktopService(AppFolders(data, data / "cache", data / "logs"))


def test_it_is_put_there_and_taken_away(surroundings, config, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    assert not asyncio.run(surroundings.starts_at_login())
    asyncio.run(surroundings.start_at_login(True))
    assert asyncio.run(surroundings.starts_at_login())
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str
    entry.read(config / "autostart" / "footnote.desktop")
    command = entry["Desktop Entry"]["Exec"]
    assert command.endswith(f'"-m" "desktop" "--data-dir" "{tmp_path}/my data" "--hidden"')
    asyncio.run(surroundings.start_at_login(False))
    assert not asyncio.run(surroundings.starts_at_login())


def test_a_package_starts_by_its_launcher_and_not_by_its_interpreter(config, tmp_path, monkeypatch):
    program = tmp_path / "my apps" / "Footnote.AppImage"
    installed = Installation(InstallForm.APPIMAGE, (str(program),), program)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(desktop, "installation", lambda: installed)
    monkeypatch.delenv("FOOTNOTE_DATA_DIR", raising=False)
    asyncio.run(DesktopService(folders_for()).start_at_login(True))
    entry = (config / "autostart" / "footnote.desktop").read_text()
    assert f'Exec="{program}" "--hidden"' in entry


def test_a_mac_has_an_agent(surroundings, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    asyncio.run(surroundings.start_at_login(True))
    agent = plistlib.loads((tmp_path / "Library/LaunchAgents/app.footnote.plist").read_bytes())
    assert agent["RunAtLoad"]
    assert agent["ProgramArguments"][-1] == "--hidden"


@cases(
    "argument, written",
    [("a b", '"a b"'), ("100%", '"100%%"'), ('a"b', r'"a\\"b"'), ("$x", r'"\\$x"'), ("\\", r'"\\\\"')],
)
def test_arguments_are_quoted_as_desktop_entries_have_it(argument, written):
    assert quote_argument(argument) == written


def test_a_folder_that_cannot_be_written_is_said(surroundings, config):
    config.write_text("not a folder")
    with pytest.raises(LoginStartFailed):
        asyncio.run(surroundings.start_at_login(True))
