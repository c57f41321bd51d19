"""Starts the window: the frame, after its first paint the page, then the rest of the program."""

import gc
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QApplication

from desktop import __version__
from desktop.app.preload import AFTER_PAGE, BEFORE_PAGE, ModulePreloader
from desktop.app.process import AlreadyOpen, LaunchRequest, force_exit_if_hanging, is_free, take_lock
from desktop.errors import AppError, PortableFolderUnusable
from desktop.settings.folders import AppFolders, folders_for
from desktop.ui.transcript.start_page import StartPage
from desktop.ui.window.main_window import MainWindow

if TYPE_CHECKING:
    from desktop.app.application import Application
    from desktop.app.bootstrap import Bootstrap
    from desktop.ui.transcript.web_page import PreloadedPage

PAGE_FIRST_MS: Final = 400
"""How long the import waits for the page of the last session, in milliseconds."""

_UNHEARD = "Footnote is running already, but does not answer. End it and start Footnote again."
"""In English, because no translation is loaded yet and there is no window."""


class Launcher(QObject):
    """Builds the program in steps: the window, after its first paint the page in it, then the rest."""

    def __init__(
        self, application: QApplication, folders: AppFolders, request: LaunchRequest | None = None
    ) -> None:
        super().__init__()
        gc.disable()  # a tenth of all imports; `Bootstrap` collects once they are done
        self._application = application
        self._folders = folders
        self._request = request or LaunchRequest()
        self.program: Application | None = None
        self._bare: PreloadedPage | None = None
        self._import: ModulePreloader | None = None
        self._ground: Bootstrap | None = None
        self.frame = MainWindow(folders.data)
        self.frame.painted.connect(self._prepare)
        if self._request.is_hidden or self._request.is_quick:
            QTimer.singleShot(0, self, self._fill)
        else:
            self.frame.show()

    def close(self) -> None:
        """Close the program, once."""
        if self._import is not None:
            self._import.wait()
        if self.program is not None:
            self.program.close()
        elif self._ground is not None:
            self._ground.close()
        self.frame.place.flush()

    @Slot()
    def _prepare(self) -> None:
        """Let the web engine start in this thread while another one imports the program."""
        if self.program is not None:
            return
        from desktop.ui.transcript.web_page import PreloadedPage  # noqa: PLC0415 - loads QtWebEngine, which must not delay the first paint

        self._bare = PreloadedPage(self.frame, StartPage.read(self._folders.cache, self.frame.look))
        self.frame.show_bare(self._bare)
        if self._bare.has_start:  # the import would take processor time from the page, which does not need it
            self._bare.loaded.connect(self._import_before_page)
            QTimer.singleShot(PAGE_FIRST_MS, self, self._import_before_page)
        else:
            self._import_before_page()

    @Slot()
    def _import_before_page(self) -> None:
        if self._import is None:
            self._begin_import(BEFORE_PAGE, self._draw)

    def _begin_import(self, modules: Sequence[str], go_on: Callable[[], None]) -> None:
        self._import = ModulePreloader(modules, self)
        self._import.finished.connect(go_on)
        self._import.start()

    @Slot()
    def _draw(self) -> None:
        """Draw the page while the rest of the program is imported."""
        assert self._bare is not None
        self._lay_ground().front.draw(self._bare)
        self._begin_import(AFTER_PAGE, self._fill)

    def _lay_ground(self) -> "Bootstrap":
        if self._ground is None:
            from desktop.app.bootstrap import Bootstrap  # noqa: PLC0415 - loads the page: not before the first paint

            self._ground = Bootstrap(self._application, self._folders, self.frame)
        return self._ground

    @Slot()
    def _fill(self) -> None:
        if self.program is not None:
            return
        from desktop.app.application import Application  # noqa: PLC0415 - loads everything: not before the first paint

        self.program = Application(self._application, self._folders, self.frame, self._lay_ground())
        self.program.session.run(self._request)


def run_window(data_dir: Path | None, request: LaunchRequest) -> int:
    """Open the window and run until it is closed; if one is already open, forward the request to it."""
    try:
        folders = folders_for(data_dir)
    except PortableFolderUnusable as error:
        return _refuse(error)
    try:
        lock = take_lock(folders.data)
    except AlreadyOpen:
        from desktop.app.single_instance import forward_to_running  # noqa: PLC0415 - not before the first paint

        if forward_to_running(folders.data, request, is_gone=partial(is_free, folders.data)):
            return 0
        try:
            lock = take_lock(folders.data)
        except AlreadyOpen:
            print(_UNHEARD, file=sys.stderr)  # noqa: T201 - there is no window
            return 1
    application = make_application()
    application.setQuitOnLastWindowClosed(False)  # it may run without a window, for example in the tray
    start = Launcher(application, folders, request)
    start.frame.closed.connect(application.quit)
    status = application.exec()
    start.close()
    if lock is not None:
        lock.close()
    force_exit_if_hanging(status)
    return status


def _refuse(error: AppError) -> int:
    """Say on the screen and on stderr why the program cannot start, and return its exit status."""
    from PySide6.QtCore import QLocale  # noqa: PLC0415 - hardly ever needed
    from PySide6.QtWidgets import QMessageBox  # noqa: PLC0415 - same

    from desktop.phrases import localize  # noqa: PLC0415 - same
    from desktop.ui.i18n import Translations  # noqa: PLC0415 - same

    application = make_application()
    translations = Translations(application, application)
    translations.use("")
    print(error, file=sys.stderr)  # noqa: T201 - there may be a terminal
    box = QMessageBox(QMessageBox.Icon.Critical, "Footnote", localize(str(error), QLocale().name()))
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.exec()
    return 1


def make_application() -> QApplication:
    """Return the application, prepared for QtWebEngine, which is loaded after the first paint."""
    _allow_root()
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    application = QApplication(sys.argv[:1])
    application.setApplicationName("Footnote")
    application.setApplicationVersion(__version__)
    application.setDesktopFileName("footnote")
    return application


def _allow_root() -> None:
    """Disable QtWebEngine's sandbox for root only, because Chromium refuses to start with it as root."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        os.environ.setdefault("QTWEBENGINE_DISABLE_SANDBOX", "1")
