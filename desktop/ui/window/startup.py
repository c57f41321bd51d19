"""The parts that exist before the rest of the window: its appearance and the conversation page."""

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication, QWidget

from desktop.background import BackgroundLoop
from desktop.domain.models import QUOTES_MODEL
from desktop.settings.model import Settings
from desktop.ui.i18n import Translations
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.transcript.start_page import StartPage
from desktop.ui.widgets.theme import ThemeManager, build_page_appearance

if TYPE_CHECKING:  # the page is drawn before it is needed
    from desktop.chat.api.system import Preferences
    from desktop.ui.chat.transcript_stack import TranscriptStack
    from desktop.ui.transcript.message_action import ActionRequest
    from desktop.ui.transcript.transcript_view import TranscriptView
    from desktop.ui.transcript.web_page import PreloadedPage


class AppearanceController(QObject):
    """Applies theme and language. Created before any widget, so that each starts with the right ones."""

    def __init__(self, app: QApplication, store: SettingsStore, parent: QObject) -> None:
        super().__init__(parent)
        self._store = store
        looks = store.settings.window
        self.translations = Translations(app, self)
        self.translations.use(looks.language)
        self._appearance = ThemeManager(app, looks)
        self._transcripts: TranscriptStack | None = None
        store.changed.connect(self._on_settings_changed)

    def dress(self, transcripts: "TranscriptStack") -> None:
        """Apply the appearance to `transcripts`, now and on later changes."""
        self._transcripts = transcripts
        self._on_settings_changed(self._store.settings)

    @Slot(object)
    def _on_settings_changed(self, settings: Settings) -> None:
        self._appearance.apply(settings.window)
        language = self.translations.use(settings.window.language)
        if self._transcripts is not None:
            self._transcripts.set_language(language)
            self._transcripts.set_looks(settings.window)


def has_model(settings: Settings) -> bool:
    """Return whether a model is chosen that writes answers."""
    return settings.chat.model != QUOTES_MODEL


class StartupPage(QObject):
    """Applies the appearance settings and shows the page early; the rest of the window may come much later."""

    def __init__(
        self, preferences: "Preferences", loop: BackgroundLoop, app: QApplication, window: QWidget
    ) -> None:
        super().__init__(window)
        self.store = SettingsStore(preferences, loop, self)
        self.looks = AppearanceController(app, self.store, self)
        self.page: TranscriptView | None = None
        self._asked: ActionRequest | None = None
        self._loop = loop
        self._window = window

    def draw(self, bare: "PreloadedPage") -> "TranscriptView":
        """Create the page of an empty conversation from `bare`, at the same position."""
        from desktop.domain.transcript import NOTHING_SHOWN  # noqa: PLC0415 - same as below
        from desktop.ui.transcript.transcript_view import TranscriptView  # noqa: PLC0415 - a window that is not to be seen yet needs no web engine

        wanted = self.store.settings.window
        place = bare.view.geometry()
        page = self.page = TranscriptView(self._loop, self._window, bare)
        page.setGeometry(place)
        page.action_requested.connect(self._on_action_requested)
        page.set_language(self.looks.translations.language, has_model=has_model(self.store.settings))
        page.set_zoom(wanted.zoom)
        page.set_appearance(replace(build_page_appearance(wanted), is_still=wanted.motion == "less"))
        page.show_transcript(NOTHING_SHOWN)
        page.show()
        return page

    def start_page(self, made_for: str) -> StartPage:
        """Return the welcome of `draw` as the next start can show it."""
        from desktop.render.page.article import welcome_html  # noqa: PLC0415 - the page is drawn before
        from desktop.ui.transcript.transcript_view import labels_for  # noqa: PLC0415 - same

        language, wanted = self.looks.translations.language, self.store.settings.window
        look = replace(build_page_appearance(wanted), is_still=wanted.motion == "less")
        appearance = look.to_script(self._window.palette())
        labels = labels_for(language, has_model=has_model(self.store.settings))
        return StartPage(made_for, labels.language, appearance, wanted.zoom, welcome_html(labels))

    def take_asked(self) -> "ActionRequest | None":
        """Return the action requested before the page had a receiver, and stop recording actions."""
        if self.page is not None:
            self.page.action_requested.disconnect(self._on_action_requested)
        return self._asked

    @Slot(object)
    def _on_action_requested(self, action: "ActionRequest") -> None:
        self._asked = self._asked or action  # a repeated click repeats the first action
