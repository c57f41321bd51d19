"""The global keyboard shortcut that opens the quick window."""

from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from desktop.background import BackgroundLoop, Job
from desktop.chat.api.system import DesktopIntegration, KeyNews
from desktop.settings.model import Settings
from desktop.ui.stores.settings_store import SettingsStore


class GlobalShortcut(QObject):
    """Listens to the shortcut from the settings after `start`.

    Signals:
        pressed: the shortcut was pressed.
        state_changed: `is_held` or `error` has changed.
    """

    pressed = Signal()
    state_changed = Signal()

    def __init__(
        self, surroundings: DesktopIntegration, loop: BackgroundLoop, store: SettingsStore, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._surroundings = surroundings
        self._loop = loop
        self._store = store
        self._keys = ""
        self._listening: Job | None = None
        self._is_started = False
        store.changed.connect(self._follow)
        self.is_held = False
        self.error: Exception | None = None

    @Slot()
    def start(self) -> None:
        """Start listening, and follow later changes of the settings."""
        self._is_started = True
        self._follow(self._store.settings)

    @Slot()
    def stop(self) -> None:
        """Release the shortcut."""
        self._is_started = False
        self._release()

    def _release(self) -> None:
        if self._listening is not None:
            self._listening.cancel()
        self._listening, self._keys = None, ""

    @Slot(object)
    def _follow(self, settings: Settings) -> None:
        keys = settings.program.quick_keys
        if keys == self._keys or not self._is_started:
            return
        self._release()
        self._keys = keys
        self._say(is_held=False, error=None)
        if keys:
            job = self._listening = self._loop.run(self, partial(self._surroundings.listen_to_key, keys))
            job.progressed.connect(partial(self._on_news, job))
            job.failed.connect(partial(self._on_failed, job))

    def _say(self, *, is_held: bool, error: Exception | None) -> None:
        self.is_held, self.error = is_held, error
        self.state_changed.emit()

    def _on_news(self, job: Job, news: KeyNews) -> None:
        if job is not self._listening:
            return
        if news is KeyNews.PRESSED:
            self.pressed.emit()
        else:
            self._say(is_held=True, error=None)

    def _on_failed(self, job: Job, error: Exception) -> None:
        if job is self._listening:
            self._say(is_held=False, error=error)
