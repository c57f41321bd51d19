"""The program with a window: shows the frame at once and loads everything else after the first paint."""

from desktop.app.import_sources import leave_sources_alone

leave_sources_alone()

from desktop.app.launcher import Launcher, make_application, run_window  # noqa: E402 - PySide would read its source

__all__ = ["Launcher", "make_application", "run_window"]
