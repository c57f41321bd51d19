"""The welcome screen: paste a key, use a model on this computer, or start at once."""

import asyncio
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QEvent, QLocale, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QLabel, QLineEdit, QPushButton, QScrollArea, QWidget

from desktop.background import Job
from desktop.chat.api.system import Preferences
from desktop.domain.models import LOCAL_PROVIDER, QUOTES_MODEL, LocalModel, ProviderTrial, file_name_of
from desktop.errors import AppError
from desktop.errors.servers import AuthFailed, ProviderDown
from desktop.settings.model import ProviderSettings
from desktop.settings.secrets import MOST_KEYS, has_unused_keys, keys_of
from desktop.ui.chat.sample_answer import SampleAnswer
from desktop.ui.settings.pages.local_models import LocalModelRow
from desktop.ui.settings.rows import SettingsContext
from desktop.ui.widgets.icons import Recolored, pixmap
from desktop.ui.widgets.labels import error_parts
from desktop.ui.widgets.layout import (
    NoWheelComboBox,
    center,
    hbox,
    label,
    plain_name,
    plain_tip,
    set_style_flag,
    shorten_name,
    vbox,
)
from desktop.ui.widgets.notice_bar import StatusLabel

_MAX_WIDTH = 900
_GAP = 14
_MARGIN = 28
_LEAST_CARD = 240
"""The width in pixels below which a card does not stand beside another."""
_MODEL_CHARS = 28
"""Length of the name of a model on a button; the list of models has all of it."""
_ICON_SIZE = 26


class Card(Recolored, QFrame):
    """One way to start."""

    def __init__(self, icon_name: str, title: str, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.body = vbox(self, spacing=8, margins=(18, 14, 18, 14))
        self._icon_name = icon_name
        self._icon = QLabel(self)
        self._recolor()
        top = hbox(spacing=10)
        top.addWidget(self._icon)
        top.addWidget(label(self, title, "heading"), 1)
        self.body.addLayout(top)
        self.text = label(self, text, "muted")
        self.body.addWidget(self.text)
        self.setAccessibleName(title)

    def _recolor(self) -> None:
        colour = self.palette().color(QPalette.ColorRole.Highlight)
        self._icon.setPixmap(pixmap(self._icon_name, colour, _ICON_SIZE, self.devicePixelRatioF()))


_KEY_PREFIXES = {
    "sk-ant-": "anthropic",
    "sk-or-": "openrouter",
    "sk-proj-": "openai",
    "sk-svcacct-": "openai",
    "AIza": "gemini",
    "gsk_": "groq",
    "xai-": "xai",
}
"""How keys begin that belong to one provider, by its id; other keys begin alike at several."""

_AROUND_KEY = "\"'`“”‘’\u200b\u2060\ufeff"
"""Quotes and invisible characters that are copied with a key."""


def _issuer_of(key: str) -> str:
    return next((each for prefix, each in _KEY_PREFIXES.items() if key.startswith(prefix)), "")


class KeyCard(Card):
    """One field for a key. Its provider is known by how it begins, or is asked; one button does the rest.

    Signals:
        chosen: a ProviderSettings, the name of the model that has answered, the key.
    """

    chosen = Signal(object, str, str)

    def __init__(self, context: SettingsContext, parent: QWidget) -> None:
        super().__init__(
            "key",
            self.tr("Use an API key"),
            self.tr("OpenAI, Anthropic, DeepSeek and others. Tried once, then saved in the system keyring."),
            parent,
        )
        self._context = context
        self._presets = [preset for preset in context.preferences.presets if preset.needs_key]
        self._job: Job | None = None
        self._answered: ProviderTrial | None = None
        self.key = QLineEdit(self)
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setPlaceholderText(self.tr("Paste an API key"))
        self.key.setAccessibleName(self.tr("API key"))
        self.provider = NoWheelComboBox(self)
        self.provider.setAccessibleName(self.tr("Provider"))
        self.provider.setPlaceholderText(self.tr("Choose provider"))
        self.provider.addItems([preset.name for preset in self._presets])
        self.provider.setCurrentIndex(-1)
        self.connect_button = QPushButton(self)
        self.state = StatusLabel(self, "muted", "small")
        row = hbox(spacing=10)
        for widget in (self.key, self.provider, self.connect_button):
            row.addWidget(widget, int(widget is self.key))
        self.body.addLayout(row)
        self.body.addWidget(self.state)
        self.key.returnPressed.connect(self._connect)
        self.connect_button.clicked.connect(self._on_clicked)
        self.key.textChanged.connect(self._on_key_changed)
        self.provider.activated.connect(self._on_provider_picked)
        self._show_button()
        self._on_key_changed()

    @Slot()
    def look_for_keyring(self) -> None:
        """Say what happens to a key if there is no keyring to store it in."""
        self._context.loop.run(self, self._context.preferences.probe_keyring, self._on_keyring_probed)

    @Slot(object)
    def _on_keyring_probed(self, problem: str) -> None:
        if problem:
            self.text.setText(
                self.tr(
                    "OpenAI, Anthropic, DeepSeek and others. No keyring was found, so a key is kept until you quit."
                )
            )

    @property
    def _secret(self) -> str:
        """The key, without what was copied with it; several keys as the settings take them."""
        return " ".join(each.strip(_AROUND_KEY) for each in keys_of(self.key.text())).strip()

    @Slot()
    def _on_key_changed(self) -> None:
        """Choose the provider that issues keys which begin like this one; ask for it if several do."""
        self._cancel()
        issuers = set(map(_issuer_of, keys_of(self._secret)))
        known = issuers.pop() if len(issuers) == 1 else ""
        ids = [preset.id for preset in self._presets]
        if known in ids:
            self.provider.setCurrentIndex(ids.index(known))
        elif self.provider.isHidden():
            self.provider.setCurrentIndex(-1)  # that of the key before; a key is sent to no provider by guess
        self.provider.setVisible(bool(self._secret) and known not in ids)
        self.state.show_status(
            self.tr("A key for {provider}.").format(provider=self._preset.name) if known in ids else ""
        )
        if has_unused_keys(self.key.text()):
            self.state.show_status(self.tr("Only the first {count} keys are used.").format(count=MOST_KEYS))
        self._show_button()

    @Slot()
    def _on_provider_picked(self) -> None:
        self._cancel()
        self.state.show_status("")

    @property
    def _preset(self) -> ProviderSettings:
        return self._presets[self.provider.currentIndex()]

    @Slot()
    def _on_clicked(self) -> None:
        if self._job is None:
            self._connect()
            return
        self._cancel()
        self.state.show_status(self.tr("Canceled."))

    @Slot()
    def _connect(self) -> None:
        if not self._secret or self._job is not None:
            return
        if self.provider.currentIndex() < 0:
            self.state.show_status(self.tr("Choose the provider that this key is from."))
            self.provider.setFocus()
            return
        self.state.show_status(self.tr("Connecting to {provider}…").format(provider=self._preset.name))
        work = partial(self._context.preferences.try_provider, self._preset, self._secret)
        job = self._job = self._context.loop.run(self, work)
        # The job is named in each: a canceled one may still report.
        job.progressed.connect(partial(self._on_progressed, job))
        job.succeeded.connect(partial(self._on_ended, job, None))
        job.failed.connect(partial(self._on_ended, job))
        self._show_button()

    def _cancel(self) -> None:
        if self._job is not None:
            job, self._job = self._job, None
            job.cancel()
            self._show_button()

    def _on_progressed(self, job: Job, trial: ProviderTrial) -> None:
        if job is not self._job:
            return
        self._answered = trial if trial.has_answered else None
        self.state.show_status(
            self.tr("Trying {model}…").format(model=shorten_name(trial.model, _MODEL_CHARS))
        )

    def _on_ended(self, job: Job, error: Exception | None, _result: object = None) -> None:
        if job is not self._job:
            return
        self._job = None
        self._show_button()
        if error is not None:
            self._show_error(error)
        elif self._answered is not None:
            self.chosen.emit(self._preset, self._answered.model, self._secret)

    def _show_error(self, error: Exception) -> None:
        """Show what to do here, where the settings that some errors name have nothing yet."""
        words = ""
        if isinstance(error, AuthFailed):
            words = self.tr("{provider} did not accept this key. Copy the whole key again.")
        elif type(error) is ProviderDown:
            words = self.tr("{provider} can’t be reached. Check your connection and try again.")
        text, detail = error_parts(error)
        self.state.show_status(words.format(provider=self._preset.name) or text, is_bad=True, detail=detail)

    def _show_button(self) -> None:
        is_running = self._job is not None
        self.connect_button.setText(self.tr("Cancel") if is_running else self.tr("Connect"))
        self.connect_button.setEnabled(bool(self._secret))
        set_style_flag(self.connect_button, "primary", not is_running and bool(self._secret))


class ModelDownload(QWidget):
    """The models that Footnote runs itself: one of them is downloaded, then chosen, with one click.

    Signals:
        chosen: id of a model.
    """

    chosen = Signal(str)

    def __init__(self, context: SettingsContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._store = context.local_models
        self.models = NoWheelComboBox(self)
        self.models.setAccessibleName(self.tr("Model"))
        self.row: LocalModelRow | None = None
        self._column = vbox(self, spacing=8)
        self._column.addWidget(self.models)
        self.missing = StatusLabel(self, "danger", "small")
        self._column.addWidget(self.missing)
        self._store.listed.connect(self._show)
        self._store.changed.connect(self._on_changed)
        self.models.currentIndexChanged.connect(self._show_chosen)
        self._show()

    @Slot()
    def _show(self) -> None:
        models = self._store.models
        self.setVisible(bool(models))
        if [self.models.itemData(at) for at in range(self.models.count())] != [each.id for each in models]:
            self.models.blockSignals(True)
            self.models.clear()
            for each in models:
                self.models.addItem(each.name, each.id)
            self.models.setCurrentIndex(_suggest(models))
            self.models.blockSignals(False)
        self.missing.show_error(self._store.problem)
        self._show_chosen()

    @Slot()
    def _show_chosen(self) -> None:
        chosen = next((each for each in self._store.models if each.id == self.models.currentData()), None)
        if chosen is None:
            return
        if self.row is None:
            self.row = LocalModelRow(self._store, chosen, self, is_card=True)
            self.row.use_asked.connect(self.chosen)
            self._column.addWidget(self.row)
        self.row.show_model(chosen)
        self.row.setVisible(not self._store.problem)

    @Slot()
    def wait_for_start(self) -> None:
        """Leave it to the user to start the model that is being downloaded."""
        if self.row is not None:
            self.row.wait_for_start()

    @Slot(str)
    def _on_changed(self, model_id: str) -> None:
        if self.row is not None and self.row.model.id == model_id:
            self.row.refresh()


def _suggest(models: tuple[LocalModel, ...]) -> int:
    """Return which model to suggest: one that is here, else the larger of the first two that fits."""
    here = [at for at, model in enumerate(models) if model.is_here]
    fitting = [at for at, model in enumerate(models[:2]) if not model.warning]
    return next(iter(here), max(fitting, default=0))


@dataclass(frozen=True)
class FoundServer:
    """A model server on this computer, the names of its models, and why there are none."""

    provider: ProviderSettings
    models: tuple[str, ...] = ()
    problem: AppError | None = None


async def find_running_servers(preferences: Preferences) -> tuple[FoundServer, ...]:
    """Return the servers that run on this computer, each with what it lists."""

    async def list_models(provider: ProviderSettings) -> FoundServer:
        try:
            names = await preferences.test_provider(provider, None)
        except AppError as error:
            return FoundServer(provider, problem=error)
        return FoundServer(provider, names)

    return tuple(await asyncio.gather(*map(list_models, await preferences.local_providers())))


class LocalCard(Card):
    """Models on this computer: those that Footnote downloads and runs, and servers that are running.

    Signals:
        chosen: a ProviderSettings, the name of a model, an empty key.
        model_chosen: id of a model that Footnote runs.
    """

    chosen = Signal(object, str, str)
    model_chosen = Signal(str)

    def __init__(self, context: SettingsContext, parent: QWidget) -> None:
        super().__init__(
            "server",
            self.tr("On this computer"),
            self.tr("A model that Footnote downloads and runs. It sends nothing to other computers."),
            parent,
        )
        self._context = context
        self._offered: list[tuple[ProviderSettings, str]] = []
        self.download = ModelDownload(context, self)
        self._state = StatusLabel(self, "muted", "small")
        self._state.show_status(self.tr("Searching…"))
        self.use = QPushButton(self)
        self.use.setProperty("primary", "true")
        self.models = NoWheelComboBox(self)
        self.models.setAccessibleName(self.tr("Model"))
        self.models.setSizeAdjustPolicy(
            NoWheelComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.again = QPushButton(self.tr("Try again"), self)
        for widget in (self.use, self.models, self.download):
            self.body.addWidget(widget)
        self.body.addStretch(1)
        below = hbox(spacing=10)
        below.addWidget(self._state, 1)
        below.addWidget(self.again)
        self.body.addLayout(below)
        self.download.chosen.connect(self.model_chosen)
        for hidden in (self.use, self.models, self.again):
            hidden.hide()
        self.again.clicked.connect(self.look)
        self.models.currentIndexChanged.connect(self._show_chosen)
        self.use.clicked.connect(self._on_use_clicked)

    @Slot()
    def look(self) -> None:
        """Look for servers."""
        self._state.show_status(self.tr("Searching…"))
        self._context.local_models.refresh()
        self._context.loop.run(self, partial(find_running_servers, self._context.preferences), self._on_found)

    @Slot(object)
    def _on_found(self, servers: tuple[FoundServer, ...]) -> None:
        self._offered = [(server.provider, name) for server in servers for name in server.models]
        if servers:
            texts, details = zip(*map(self._problem_of, servers), strict=True)
            self._state.show_status("\n".join(filter(None, texts)), detail="\n".join(filter(None, details)))
        else:
            self._state.show_status(
                self.tr("No local server found. Ollama, LM Studio and llama.cpp are found when they run.")
            )
        several = len({provider.id for provider, _name in self._offered}) > 1
        self.models.clear()
        self.models.addItems(
            [
                f"{file_name_of(name)} · {provider.name}" if several else file_name_of(name)
                for provider, name in self._offered
            ]
        )
        self.models.setVisible(len(self._offered) > 1)
        self.again.setVisible(not self._offered)
        self.use.setVisible(bool(self._offered))
        self._show_chosen()

    def _problem_of(self, server: FoundServer) -> tuple[str, str]:
        """Return why a server can't be used, and what it or the system said."""
        if server.problem is not None:
            return error_parts(server.problem)
        words = self.tr("{server} is running, but has no model yet.")
        return "" if server.models else words.format(server=server.provider.name), ""

    @Slot()
    def _show_chosen(self) -> None:
        at = self.models.currentIndex()
        if 0 <= at < len(self._offered):
            name = file_name_of(self._offered[at][1])
            words = self.tr("Use {model} on this computer")
            self.use.setText(plain_name(words.format(model=shorten_name(name, _MODEL_CHARS))))
            self.use.setToolTip(plain_tip(name) if len(name) > _MODEL_CHARS else "")

    @Slot()
    def _on_use_clicked(self) -> None:
        provider, model = self._offered[self.models.currentIndex()]
        self.chosen.emit(provider, model, "")


class QuotesCard(Card):
    """The built-in model.

    Signals:
        chosen: the user starts with it; no settings are needed.
    """

    chosen = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(
            "quote",
            self.tr("Start without a model"),
            self.tr(
                "Quotes replies with exact sentences from your sources. No key, no account. It works offline with your files, but can’t write new text."
            ),
            parent,
        )
        self.begin = QPushButton(self.tr("Continue with Quotes"), self)
        self.begin.setProperty("primary", "true")
        self.begin.clicked.connect(self.chosen)
        self.body.addWidget(self.begin)
        self.body.addStretch(1)


class Welcome(QScrollArea):
    """Offers three ways to start; those that are not used remain available in the settings.

    Signals:
        connected: names of the provider and of its model, before `done`; the user left the choice of the model to Footnote.
        done: the user has completed the welcome screen.
        example_asked: the user wants to see an example first.
    """

    connected = Signal(str, str)
    done = Signal()
    example_asked = Signal()

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._locale = QLocale()
        self._looks_around = False
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._build()

    @Slot()
    def look_around(self) -> None:
        """Start looking for model servers on this machine."""
        self._looks_around = True
        self._look()

    def _look(self) -> None:
        self.key.look_for_keyring()
        self.local.look()

    def changeEvent(self, event: QEvent) -> None:
        """Create the cards anew when the language changes."""
        super().changeEvent(event)
        # Qt sends the event for every translator; only a new language justifies losing the typed text.
        if event.type() == QEvent.Type.LanguageChange and QLocale() != self._locale:
            QTimer.singleShot(0, self, self._build)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the cards below each other where there is no room for all in a row."""
        super().resizeEvent(event)
        self._arrange()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arrange the cards again when one needs more room, such as for a server that was found."""
        if event.type() == QEvent.Type.LayoutRequest and watched is self.widget():
            self._arrange()
        return super().eventFilter(watched, event)

    def _arrange(self) -> None:
        cards = (self.local, self.quotes)
        widths = (max(card.minimumSizeHint().width(), _LEAST_CARD) for card in cards)
        needed = sum(widths) + _GAP * (len(cards) - 1) + 2 * _MARGIN
        is_narrow = min(self.viewport().width(), _MAX_WIDTH + 2 * _MARGIN) < needed
        self._cards.setDirection(
            QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        )

    @Slot()
    def _build(self) -> None:
        self._locale = QLocale()
        body = QWidget(self)
        content = QWidget(body)
        column = vbox(content, spacing=8)
        column.addWidget(label(content, self.tr("Answers you can check"), "display"))
        for sentence in (
            self.tr("Ask anything. Footnote searches the web and your files, and numbers every claim."),
            self.tr("Point to a number to see its source. Drop files onto this window to ask about them."),
        ):
            column.addWidget(label(content, sentence, "muted"))
        self.sample = SampleAnswer(content)
        self.sample.example_asked.connect(self.example_asked)
        column.addSpacing(4)
        column.addWidget(self.sample)
        column.addSpacing(6)
        self.key = KeyCard(self._context, content)
        self.local = LocalCard(self._context, content)
        self.quotes = QuotesCard(content)
        self._cards = hbox(spacing=_GAP)
        for card in (self.local, self.quotes):
            self._cards.addWidget(card, 1)
        self._arrange()
        column.addWidget(self.key)
        column.addSpacing(_GAP - column.spacing())
        column.addLayout(self._cards)
        outer = vbox(body, margins=(_MARGIN, 10, _MARGIN, 10))
        outer.addStretch(1)
        outer.addLayout(center(content, _MAX_WIDTH))
        outer.addStretch(2)
        self.quotes.chosen.connect(self._on_quotes_chosen)
        self.key.chosen.connect(self._on_connected)
        self.key.key.textEdited.connect(
            self.local.download.wait_for_start
        )  # else the typed key would be lost
        self.local.chosen.connect(self._on_provider_chosen)
        self.local.model_chosen.connect(self._on_local_model_chosen)
        self.setWidget(body)
        if self._looks_around:
            self._look()

    @Slot()
    def _on_quotes_chosen(self) -> None:
        self._begin((), QUOTES_MODEL)

    @Slot(str)
    def _on_local_model_chosen(self, model_id: str) -> None:
        self._begin((), f"{LOCAL_PROVIDER}/{model_id}")

    @Slot(object, str, str)
    def _on_provider_chosen(self, provider: ProviderSettings, model: str, key: str) -> None:
        if key:
            self._context.store.keep_secrets([(f"provider/{provider.id}", key)])
        self._begin((provider,), f"{provider.id}/{model}")

    @Slot(object, str, str)
    def _on_connected(self, provider: ProviderSettings, model: str, key: str) -> None:
        self.connected.emit(provider.name, model)
        self._on_provider_chosen(provider, model, key)

    def _begin(self, added: tuple[ProviderSettings, ...], model_id: str) -> None:
        settings = self._context.store.settings
        new_ids = {provider.id for provider in added}
        others = tuple(provider for provider in settings.providers if provider.id not in new_ids)
        self._context.store.apply(
            replace(
                settings,
                providers=(*others, *added),
                chat=replace(settings.chat, model=model_id),
                was_welcomed=True,
            )
        )
        self.done.emit()
