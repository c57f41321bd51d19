"""Connects the window to the running program: the tray, further starts, the state of the last run."""

import logging
import os
import sys
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication

from desktop.app.bootstrap import Bootstrap
from desktop.app.process import LaunchRequest
from desktop.domain.drafts import Draft
from desktop.errors import AppError
from desktop.phrases import translatable
from desktop.services.window import window_services
from desktop.settings.folders import AppFolders
from desktop.ui.widgets.icons import app_icon
from desktop.ui.window.main_window import MainWindow
from desktop.ui.window.workspace import Workspace

if TYPE_CHECKING:
    from desktop.app.single_instance import SingleInstanceServer
    from desktop.ui.window.notifications import Tray

_UNEXPECTED = translatable("An unexpected error occurred ({detail}). See the log for details.")
_log = logging.getLogger(__name__)


class WindowSession(QObject):
    """Connects the frame to its content; created with the content, because the visible part comes first."""

    def __init__(self, folders: AppFolders, frame: MainWindow, window: Workspace) -> None:
        super().__init__(frame)
        self._folders = folders
        self._frame = frame
        self._window = window
        self._single_instance: SingleInstanceServer | None = None
        self._tray: Tray | None = None
        window.keep_state(frame.place)
        window.fit(frame.width())
        frame.resized.connect(window.fit)
        window.began.connect(self._begin)
        window.store.changed.connect(self._choose_to_stay)
        window.called.connect(frame.come_forward)
        window.quit_asked.connect(frame.end)
        window.quick_left.connect(self._on_quick_left)

    @Slot(object)
    def run(self, request: LaunchRequest) -> None:
        """Handle a launch request, of this process or of another one that found this one running."""
        window = self._window
        if request.activation:  # Wayland raises a window only with the activation token of the user's click
            os.environ["XDG_ACTIVATION_TOKEN"] = request.activation
        if request.is_quick:
            window.quick_asked.emit()
            return
        if request.is_hidden:
            window.begin()
        if not (request.is_hidden and self._is_in_tray):
            window.called.emit()
        if request.conversation_id:
            window.sessions.open(request.conversation_id)
        elif request.files or request.question or request.is_new:
            window.start_new()
        if request.files or request.question:
            window.composer.put(Draft(request.question, request.paths))

    def close(self) -> None:
        """Stop listening for further starts."""
        if self._single_instance is not None:
            self._single_instance.close()

    @property
    def _is_in_tray(self) -> bool:
        return self._tray is not None and self._tray.icon.isVisible()

    @Slot()
    def _begin(self) -> None:
        from desktop.app.single_instance import SingleInstanceServer  # noqa: PLC0415 - loads QtNetwork, which is not needed earlier
        from desktop.ui.window.notifications import Tray  # noqa: PLC0415 - asks the desktop

        self._single_instance = SingleInstanceServer(self._folders.data, self)
        self._single_instance.arrived.connect(self.run)
        self._tray = tray = Tray(self._window.store, self._window)
        tray.present.connect(self._choose_to_stay)
        tray.called.connect(self._window.called)
        tray.new_asked.connect(self._window.call_with_new)
        tray.quick_asked.connect(self._window.quick_asked)
        tray.quit_asked.connect(self._window.quit_asked)
        self._choose_to_stay()

    @Slot()
    def _choose_to_stay(self) -> None:
        self._frame.set_stays(self._window.store.settings.program.stays_in_tray and self._is_in_tray)

    @Slot()
    def _on_quick_left(self) -> None:
        """End a program that was started only for a quick question and cannot be reopened."""
        if not (self._frame.isVisible() or self._is_in_tray):
            self._frame.end()


class Application(QObject):
    """The parts of a running program and the order in which they close."""

    def __init__(
        self, application: QApplication, folders: AppFolders, frame: MainWindow, ground: Bootstrap
    ) -> None:
        super().__init__()
        self.frame = frame
        self._ground = ground
        self.services, self.loop = ground.services, ground.loop
        ground.stumbled.connect(self._on_bug)
        self.window = Workspace(window_services(self.services), self.loop, application, frame, ground.front)
        frame.fill(self.window)
        self.window.show()  # now, for a window that is active already focuses only what is visible
        self.window.composer.setFocus()
        self.window.composer.text.insertPlainText(frame.take_typed())
        application.setWindowIcon(app_icon())
        self.session = WindowSession(folders, frame, self.window)
        self.window.began.connect(self._on_began)
        self._is_closed = False
        application.aboutToQuit.connect(self.close)
        sys.excepthook = self._on_uncaught
        if self.services.preferences.settings_problem:
            self.window.say_failed(AppError(detail=self.services.preferences.settings_problem))

    @Slot()
    def _on_began(self) -> None:
        """Start work that can wait until the page is on the screen."""
        self.loop.submit(self.services.keeping.begin())
        self._ground.keep_start_page()

    @Slot()
    def close(self) -> None:
        """Cancel all work, then close the services it uses; once."""
        if self._is_closed:
            return
        self._is_closed = True
        self.session.close()
        self.window.cancel_all()
        try:
            self._ground.close()
        finally:
            sys.excepthook = sys.__excepthook__  # there is no window left to show an error

    def _on_uncaught(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        _log.error("Unhandled exception", exc_info=(kind, error, trace))
        self._on_bug(error)

    @Slot(object)
    def _on_bug(self, error: BaseException) -> None:
        """Report an unexpected error to the user; the log has the details."""
        if self._is_closed:  # work for services that are already closed; there is no window to report it in
            _log.warning("While the program ended: %r", error)
            return
        self.window.say_failed(AppError(detail=_UNEXPECTED.format(detail=repr(error))))
