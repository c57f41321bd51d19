"""The welcome screen: enter a key, use a model server on this machine, or start at once."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QEvent, QLocale, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QLabel, QLineEdit, QPushButton, QScrollArea, QWidget

from desktop.chat.api.system import Preferences
from desktop.domain.models import LOCAL_PROVIDER, QUOTES_MODEL, LocalModel
from desktop.errors import AppError
from desktop.settings.model import ProviderSettings
from desktop.ui.labels.common import error_message, localize_message
from desktop.ui.settings.controls import TestButton
from desktop.ui.settings.pages.answers.local_models import LocalModelRow
from desktop.ui.settings.rows import SettingsContext
from desktop.ui.widgets.icons import pixmap
from desktop.ui.widgets.layout import (
    NoWheelComboBox,
    center,
    hbox,
    label,
    plain_name,
    plain_tip,
    shorten_name,
    vbox,
)

_MAX_WIDTH = 900
_GAP = 14
_MARGIN = 28
_MODEL_CHARS = 28
"""Length of the name of a model on a button; the list of models has all of it."""
_ICON_SIZE = 26


class Card(QFrame):
    """One way to start."""

    def __init__(self, icon_name: str, title: str, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.body = vbox(self, spacing=10, margins=(20, 18, 20, 18))
        self._icon_name = icon_name
        self._icon = QLabel(self)
        self._draw()
        self.body.addWidget(self._icon)
        self.body.addWidget(label(self, title, "heading"))
        self.body.addWidget(label(self, text, "muted"))
        self.body.addStretch(1)
        self.setAccessibleName(title)

    def changeEvent(self, event: QEvent) -> None:
        """Update the colours when the theme changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._draw()

    def _draw(self) -> None:
        colour = self.palette().color(QPalette.ColorRole.Highlight)
        self._icon.setPixmap(pixmap(self._icon_name, colour, _ICON_SIZE, self.devicePixelRatioF()))


class ModelChoice(QWidget):
    """The models of a provider that responded, and the start button.

    Signals:
        chosen: name of a model.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.models = NoWheelComboBox(self)
        self.models.setAccessibleName(self.tr("Model"))
        self.begin = QPushButton(self.tr("Start"), self)
        self.begin.setProperty("primary", "true")
        row = hbox(self)
        row.addWidget(self.models, 1)
        row.addWidget(self.begin)
        self.begin.clicked.connect(self._on_begin_clicked)
        self.hide()

    def offer(self, names: tuple[str, ...]) -> None:
        """Offer the models `names`."""
        self.models.clear()
        self.models.addItems(names)
        self.setVisible(bool(names))
        self.begin.setFocus()

    @Slot()
    def withdraw(self) -> None:
        """Remove the offered models, which belong to another provider or key."""
        self.models.clear()
        self.hide()

    @Slot()
    def _on_begin_clicked(self) -> None:
        self.chosen.emit(self.models.currentText())


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


class KeyCard(Card):
    """A key, and the cloud provider that it belongs to, which is often known by how the key begins.

    Signals:
        chosen: a ProviderSettings, the name of a model, the key.
    """

    chosen = Signal(object, str, str)

    def __init__(self, context: SettingsContext, parent: QWidget) -> None:
        super().__init__(
            "key",
            self.tr("Use an API key"),
            self.tr("OpenAI, Anthropic, DeepSeek and others. Your key is stored in the system keyring."),
            parent,
        )
        self._context = context
        self._presets = [preset for preset in context.preferences.presets if preset.needs_key]
        self.provider = NoWheelComboBox(self)
        self.provider.setAccessibleName(self.tr("Provider"))
        self.provider.addItems([preset.name for preset in self._presets])
        self.key = QLineEdit(self)
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.key.setPlaceholderText(self.tr("API key"))
        self.key.setAccessibleName(self.tr("API key"))
        self.connect_button = TestButton(self._prepare, _nothing, context.loop, self, self.tr("Connect"))
        self.choice = ModelChoice(self)
        for widget in (self.key, self.provider, self.connect_button, self.choice):
            self.body.addWidget(widget)
        self.key.returnPressed.connect(self.connect_button.start)
        self.connect_button.succeeded.connect(self.choice.offer)
        for changed in (self.provider.currentIndexChanged, self.key.textChanged):
            changed.connect(self.connect_button.forget)
            changed.connect(self.choice.withdraw)
        self.key.textChanged.connect(self._recognize)
        self.choice.chosen.connect(self._on_chosen)

    @Slot(str)
    def _recognize(self, key: str) -> None:
        """Choose the provider that issues keys which begin like this one."""
        found = (each for prefix, each in _KEY_PREFIXES.items() if key.strip().startswith(prefix))
        known = next(found, None)
        ids = [preset.id for preset in self._presets]
        if known in ids:
            self.provider.setCurrentIndex(ids.index(known))

    def _preset(self) -> ProviderSettings:
        return self._presets[self.provider.currentIndex()]

    def _prepare(self) -> Callable[[], Awaitable[object]]:
        return partial(self._context.preferences.test_provider, self._preset(), self.key.text().strip())

    @Slot(str)
    def _on_chosen(self, model: str) -> None:
        self.chosen.emit(self._preset(), model, self.key.text().strip())


class ModelDownload(QWidget):
    """The models that Footnote runs itself: one of them is downloaded, then chosen.

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
        self.missing = label(self, "", "danger", "small")
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
            self.models.setCurrentIndex(_suggested(models))
            self.models.blockSignals(False)
        self.missing.setText(localize_message(self._store.problem))
        self.missing.setVisible(bool(self._store.problem))
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

    @Slot(str)
    def _on_changed(self, model_id: str) -> None:
        if self.row is not None and self.row.model.id == model_id:
            self.row.refresh()


def _suggested(models: tuple[LocalModel, ...]) -> int:
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
        self._servers = label(
            self, self.tr("Ollama, LM Studio and llama.cpp are found when they run."), "muted", "small"
        )
        self._state = label(self, self.tr("Searching…"), "muted", "small")
        self.use = QPushButton(self)
        self.use.setProperty("primary", "true")
        self.models = NoWheelComboBox(self)
        self.models.setAccessibleName(self.tr("Model"))
        self.models.setSizeAdjustPolicy(
            NoWheelComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.again = QPushButton(self.tr("Try again"), self)
        for widget in (self.use, self.models, self.download, self._servers, self._state, self.again):
            self.body.addWidget(widget)
        self.download.chosen.connect(self.model_chosen)
        for hidden in (self.use, self.models, self.again):
            hidden.hide()
        self.again.clicked.connect(self.look)
        self.models.currentIndexChanged.connect(self._show_chosen)
        self.use.clicked.connect(self._on_use_clicked)

    @Slot()
    def look(self) -> None:
        """Look for servers."""
        self._state.setText(self.tr("Searching…"))
        self._context.local_models.refresh()
        self._context.loop.run(self, partial(find_running_servers, self._context.preferences), self._on_found)

    @Slot(object)
    def _on_found(self, servers: tuple[FoundServer, ...]) -> None:
        self._offered = [(server.provider, name) for server in servers for name in server.models]
        self._state.setText(
            "\n".join(filter(None, map(self._problem_of, servers)))
            if servers
            else self.tr("No local server found.")
        )
        self._state.setVisible(bool(self._state.text()))
        several = len({provider.id for provider, _name in self._offered}) > 1
        self.models.clear()
        self.models.addItems(
            [
                f"{_shown_name(name)} · {provider.name}" if several else _shown_name(name)
                for provider, name in self._offered
            ]
        )
        self.models.setVisible(len(self._offered) > 1)
        for widget in (self._servers, self.again):
            widget.setVisible(not self._offered)
        self.use.setVisible(bool(self._offered))
        self._show_chosen()

    def _problem_of(self, server: FoundServer) -> str:
        if server.problem is not None:
            return error_message(server.problem)
        words = self.tr("{server} is running, but has no model yet.")
        return "" if server.models else words.format(server=server.provider.name)

    @Slot()
    def _show_chosen(self) -> None:
        at = self.models.currentIndex()
        if 0 <= at < len(self._offered):
            name = _shown_name(self._offered[at][1])
            words = self.tr("Use {model} on this computer")
            self.use.setText(plain_name(words.format(model=shorten_name(name, _MODEL_CHARS))))
            self.use.setToolTip(plain_tip(name) if len(name) > _MODEL_CHARS else "")

    @Slot()
    def _on_use_clicked(self) -> None:
        provider, model = self._offered[self.models.currentIndex()]
        self.chosen.emit(provider, model, "")


def _shown_name(model: str) -> str:
    """Return the name of a model without the folder of its file, which llama.cpp gives with it."""
    return model.replace("\\", "/").rsplit("/", 1)[-1] if model.endswith(".gguf") else model


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


class Welcome(QScrollArea):
    """Offers three ways to start; those that are not used remain available in the settings.

    Signals:
        done: the user has completed the welcome screen.
        example_asked: the user wants to see an example first.
    """

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
        cards = (self.quotes, self.key, self.local)
        needed = sum(card.minimumSizeHint().width() for card in cards) + _GAP * (len(cards) - 1) + 2 * _MARGIN
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
        intro = self.tr(
            "Ask anything. Footnote searches the web and your files, and numbers every claim. Point to a number to see the source."
        )
        column.addWidget(label(content, intro, "muted"))
        self.example = QPushButton(self.tr("See an example"), content)
        self.example.clicked.connect(self.example_asked)
        column.addWidget(self.example, 0, Qt.AlignmentFlag.AlignLeft)
        column.addSpacing(6)
        self.key = KeyCard(self._context, content)
        self.local = LocalCard(self._context, content)
        self.quotes = QuotesCard(content)
        self._cards = hbox(spacing=_GAP)
        for card in (self.quotes, self.key, self.local):
            self._cards.addWidget(card, 1)
        self._arrange()
        column.addLayout(self._cards)
        outer = vbox(body, margins=(_MARGIN, 20, _MARGIN, 20))
        outer.addStretch(1)
        outer.addLayout(center(content, _MAX_WIDTH))
        outer.addStretch(2)
        self.quotes.chosen.connect(self._on_quotes_chosen)
        self.key.chosen.connect(self._on_provider_chosen)
        self.local.chosen.connect(self._on_provider_chosen)
        self.local.model_chosen.connect(self._on_local_model_chosen)
        self.setWidget(body)
        if self._looks_around:
            self.local.look()

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


def _nothing(_result: object) -> str:
    return ""
