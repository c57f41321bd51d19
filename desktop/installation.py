"""How this program was installed, the command that starts it, and the environment of its children.

The form decides what the user is told about updates and missing packages, what starts Footnote at login, and
where a portable data folder may lie. Packages bring their own Python and a launcher, which sets FOOTNOTE_LAUNCHER
to its own path; a file `INSTALLED_BY` beside it names the package. An AppImage sets APPIMAGE and APPDIR.

Only this module names the interpreter: every other one starts its children with `module_command`.
"""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

PROGRAM: Final = "footnote"
LAUNCHER_VARIABLE: Final = "FOOTNOTE_LAUNCHER"
ORIGINAL_PREFIX: Final = "FOOTNOTE_ORIGINAL_"
"""A launcher that changes a variable first saves its value under this prefix and the name of the variable."""

PORTABLE_FOLDER: Final = "Footnote-data"
"""A data folder of this name beside the program is used; see `portable_folder`."""

_PACKAGE = Path(__file__).resolve().parent
_MARKER = "INSTALLED_BY"
_FLATPAK_INFO = Path("/.flatpak-info")
_APPIMAGE_VARIABLES = ("APPIMAGE", "APPDIR", "ARGV0", "OWD")
_PATH_LISTS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONPATH", "PATH", "XDG_DATA_DIRS")
_LOCATIONS = (
    "LD_PRELOAD",
    "PYTHONHOME",
    "PYTHONEXECUTABLE",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "FONTCONFIG_FILE",
)
_QT_PREFIXES = ("QT_", "QTWEBENGINE", "QML")


class InstallForm(StrEnum):
    """The ways in which Footnote can be installed."""

    SOURCE = "source"
    """A checkout of the project."""
    PIP = "pip"
    UV = "uv"
    """`uv pip install` into an environment of the user's."""
    UV_TOOL = "uv-tool"
    PIPX = "pipx"
    DEB = "deb"
    APPIMAGE = "appimage"
    WINDOWS = "windows"
    MACOS = "macos"
    FLATPAK = "flatpak"
    FOLDER = "folder"
    """A program with its own Python that no package manager knows of, such as an unpacked archive."""


_BY_MARKER: Final = {
    "deb": InstallForm.DEB,
    "appimage": InstallForm.APPIMAGE,
    "inno": InstallForm.WINDOWS,
    "dmg": InstallForm.MACOS,
    "flatpak": InstallForm.FLATPAK,
}
_PORTABLE_FORMS: Final = frozenset(
    {InstallForm.APPIMAGE, InstallForm.WINDOWS, InstallForm.MACOS, InstallForm.FOLDER}
)
"""A .deb is shared by all users of a computer, and the folders of the others belong to package managers."""


_UPDATE_COMMANDS: Final = {
    InstallForm.SOURCE: "git pull && make run",
    InstallForm.PIP: f"pip install --upgrade {PROGRAM}",
    InstallForm.UV: f"uv pip install --upgrade {PROGRAM}",
    InstallForm.UV_TOOL: f"uv tool upgrade {PROGRAM}",
    InstallForm.PIPX: f"pipx upgrade {PROGRAM}",
    InstallForm.DEB: f"sudo apt update && sudo apt install --only-upgrade {PROGRAM}",
}
_PACKAGE_COMMANDS: Final = {
    InstallForm.PIP: "pip install {package}",
    InstallForm.UV: "uv pip install {package}",
    InstallForm.UV_TOOL: f"uv tool install {PROGRAM} --with {{package}}",
    InstallForm.PIPX: f"pipx inject {PROGRAM} {{package}}",
}


@dataclass(frozen=True)
class Installation:
    """A form, the words of the command that starts the window, and the file that the user sees as the program.

    `program` is None where an interpreter starts it. `tree` is the folder of the files of an AppImage: where it is
    mounted, or an unpacked copy.
    """

    form: InstallForm
    command: tuple[str, ...]
    program: Path | None = None
    tree: Path | None = None

    @property
    def shown_command(self) -> str:
        """The command as the user can type it in a terminal."""
        if self.form is InstallForm.DEB:
            return PROGRAM
        if self.program is not None or self.form is InstallForm.FLATPAK:
            return shlex.join(self.command)
        script = Path(self.command[0]).parent / PROGRAM
        on_path = shutil.which(PROGRAM)
        if on_path is not None and script.is_file() and not Path(on_path).samefile(script):
            is_link_to_it = self.form in {InstallForm.UV_TOOL, InstallForm.PIPX}
            return PROGRAM if is_link_to_it else shlex.quote(str(script))
        return PROGRAM if on_path is not None or not script.is_file() else shlex.quote(str(script))

    @property
    def client_command(self) -> tuple[str, ...]:
        """The words with which another program, in any folder, can start this one."""
        if self.program is not None or self.form is InstallForm.FLATPAK:
            return self.command
        script = Path(self.command[0]).parent / (f"{PROGRAM}.exe" if os.name == "nt" else PROGRAM)
        return (str(script),) if script.is_file() else self.command

    @property
    def portable_folder(self) -> Path | None:
        """The place of a portable data folder, whether or not it exists; None where this form has none."""
        if self.program is None or self.form not in _PORTABLE_FORMS:
            return None
        bundle = next((each for each in self.program.parents if each.suffix == ".app"), self.program)
        return bundle.parent / PORTABLE_FOLDER

    @property
    def update_command(self) -> str:
        """The command that replaces this version by the newest; empty where a new file is downloaded instead."""
        if self.form is InstallForm.APPIMAGE:
            return shlex.join(("appimageupdatetool", *self.command))
        if self.form is InstallForm.FLATPAK:
            return shlex.join(("flatpak", "update", self.command[-1]))
        return _UPDATE_COMMANDS.get(self.form, "")

    def packages_command(self, packages: Sequence[str], index: str = "") -> tuple[str, ...]:
        """Return the words of the command that adds Python packages; empty where nothing can be added.

        `index` is the address of a package index beside the usual one.
        """
        beside = ("--extra-index-url", index) if index else ()
        if self.form in {InstallForm.PIP, InstallForm.SOURCE}:
            return (sys.executable, "-m", "pip", "install", *beside, *packages)
        if self.form in {InstallForm.UV, InstallForm.UV_TOOL}:
            return ("uv", "pip", "install", "--python", sys.executable, *beside, *packages)
        if self.form is InstallForm.PIPX:
            return (
                "pipx",
                "inject",
                *((f"--pip-args={' '.join(beside)}",) if beside else ()),
                PROGRAM,
                *packages,
            )
        return ()

    def package_command(self, package: str) -> str:
        """Return the command that adds a Python package; empty where Footnote brings all of them itself."""
        command = _PACKAGE_COMMANDS.get(self.form, "")
        return command.format(package=package)


def find_installation(environment: Mapping[str, str], package: Path | None = None) -> Installation:
    """Return the installation of `package`, by default of this one, that an environment belongs to.

    Variables of another program count for nothing: a terminal that is an AppImage passes its own on to what is
    started in it.
    """
    package = package or _PACKAGE
    image, mounted = environment.get("APPIMAGE", ""), environment.get("APPDIR", "")
    if image and mounted and package.is_relative_to(Path(mounted).resolve()):
        return Installation(InstallForm.APPIMAGE, (image,), Path(image), Path(mounted))
    flatpak = environment.get("FLATPAK_ID", "")
    if flatpak and _FLATPAK_INFO.is_file():
        return Installation(InstallForm.FLATPAK, ("flatpak", "run", flatpak))
    launcher = environment.get(LAUNCHER_VARIABLE, "")
    if launcher and _is_beside(Path(launcher), package):
        return Installation(_read_form(Path(launcher)), (launcher,), Path(launcher))
    return Installation(_environment_form(package), (sys.executable, "-m", "desktop"))


def _is_beside(launcher: Path, package: Path) -> bool:
    """Say whether a launcher starts `package`: both are in the same folder, or in the same bundle of macOS."""
    return any(package.is_relative_to(root) for root in _roots(launcher))


def _roots(launcher: Path) -> tuple[Path, ...]:
    home = launcher.resolve().parent
    return (home, *(each for each in home.parents if each.suffix == ".app"))


def _read_form(launcher: Path) -> InstallForm:
    try:
        marker = (launcher.resolve().parent / _MARKER).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        marker = ""
    return _BY_MARKER.get(marker, InstallForm.FOLDER)


def _environment_form(package: Path) -> InstallForm:
    if (package.parent / "pyproject.toml").is_file():
        return InstallForm.SOURCE
    prefix = Path(sys.prefix)
    if (prefix / "uv-receipt.toml").is_file():
        return InstallForm.UV_TOOL
    if (prefix / "pipx_metadata.json").is_file():
        return InstallForm.PIPX
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 - loads the e-mail package, which the first paint does not need

    try:
        installer = distribution(PROGRAM).read_text("INSTALLER") or ""
    except PackageNotFoundError:
        installer = ""
    return InstallForm.UV if installer.strip() == "uv" else InstallForm.PIP


@cache
def installation() -> Installation:
    """Return how this program was installed."""
    return find_installation(_started_with if _started_with is not None else os.environ)


def module_command(module: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs one of our modules in a process of its own; start it with `own_environment`.

    Except in a checkout the current folder is no place to import from: a file of the user's called `json.py`
    would be run in the place of Python's.
    """
    safely = () if installation().form is InstallForm.SOURCE else ("-P",)
    return (sys.executable, *safely, "-m", module, *arguments)


def script_command(script: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that runs a file which uses only the standard library, without site packages."""
    return (sys.executable, "-I", "-S", script, *arguments)


def restart_command() -> tuple[str, ...]:
    """Return the command with which this process was started."""
    return (sys.executable, *sys.orig_argv[1:])


_started_with: dict[str, str] | None = None
"""The environment with which the launcher started this process, once `use_user_environment` has cleaned it.

Global, because a process has only one environment.
"""


def use_user_environment(environment: MutableMapping[str, str] = os.environ) -> None:
    """Restore in this process what the launcher or the AppImage has changed for its own Python and Qt.

    Browsers, viewers, tool servers and editors inherit the environment and must not load our libraries. What
    we need is kept for `own_environment`. Call it once, after the program has been started for the last time.
    """
    global _started_with  # noqa: PLW0603 - see above
    _started_with = dict(environment)
    wanted = user_environment(_started_with)
    for name in [name for name in environment if name not in wanted]:
        del environment[name]
    environment.update(wanted)


def user_environment(environment: Mapping[str, str], package: Path | None = None) -> dict[str, str]:
    """Return an environment as it was before our launcher or AppImage changed it.

    A variable that the launcher saved gets its value back. Of the others those go that point into our own
    tree; without a launcher or an AppImage nothing changes.
    """
    trees = _own_trees(environment, package)
    if not trees:
        return dict(environment)
    kept: dict[str, str] = {}
    own_names = {LAUNCHER_VARIABLE, *_APPIMAGE_VARIABLES}
    for name, value in environment.items():
        if name in own_names or name.startswith(ORIGINAL_PREFIX):
            continue
        original = environment.get(ORIGINAL_PREFIX + name)
        cleaned = _without(trees, name, value) if original is None else original
        if cleaned or not value:
            kept[name] = cleaned
    for name, value in environment.items():  # a variable that the launcher removed
        if name.startswith(ORIGINAL_PREFIX) and value:
            kept[name.removeprefix(ORIGINAL_PREFIX)] = value
    return kept


def _own_trees(environment: Mapping[str, str], package: Path | None) -> tuple[Path, ...]:
    """Return the folders that belong to the program; none if Python was installed by others."""
    found = find_installation(environment, package)
    if found.form is InstallForm.APPIMAGE and environment.get("APPDIR"):
        return tuple({Path(environment["APPDIR"]), Path(environment["APPDIR"]).resolve()})
    return () if found.program is None else _roots(found.program)


def _without(trees: tuple[Path, ...], name: str, value: str) -> str:
    """Return the value of a variable without what lies in our trees; empty if nothing is left."""
    if name in _PATH_LISTS:  # a tree itself may be in the user's PATH
        places = value.split(os.pathsep)
        return os.pathsep.join(place for place in places if not set(trees) & set(Path(place).parents))
    is_location = name in _LOCATIONS or name.startswith(_QT_PREFIXES)
    is_ours = any(Path(value).is_relative_to(tree) for tree in trees)
    return "" if is_location and is_ours else value


def own_environment() -> dict[str, str]:
    """Return the environment for a process of our own: that of this process, with what the launcher had set."""
    environment = dict(os.environ)
    if _started_with is None:
        return environment
    cleaned = user_environment(_started_with)
    changed = {name: value for name, value in _started_with.items() if cleaned.get(name) != value}
    removed = cleaned.keys() - _started_with.keys()  # such as PYTHONHOME, which is for the user's own Python
    kept = {name: value for name, value in environment.items() if name not in removed}
    return kept | changed
