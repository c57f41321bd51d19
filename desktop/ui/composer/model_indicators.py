"""What the composer shows about the selected model: reasoning effort and use of the context window."""

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Slot

from desktop.chat.prompt import PICTURE_TOKENS, is_picture
from desktop.domain.assistants import Effort
from desktop.domain.events import Beside, TurnEvent, TurnFailed, TurnFinished
from desktop.domain.messages import Message
from desktop.domain.models import NO_FACTS, QUOTES_MODEL, Ability, ModelFacts
from desktop.domain.transcript import Transcript
from desktop.text.tokens import estimate_tokens
from desktop.ui.composer.composer import Composer
from desktop.ui.composer.context_meter import TokenLoad
from desktop.ui.stores.catalogue import CatalogueStore
from desktop.ui.stores.settings_store import SettingsStore

_PAUSE_MS = 150
"""Delay of the update in milliseconds: a number that changes with every keystroke cannot be read."""

_MOST_CHARS = 200_000
"""Only this many characters of a text are counted; the total of a longer text is extrapolated."""


class ModelIndicators(QObject):
    """Updates the effort switch and the context meter from the model, the settings and the conversation."""

    def __init__(
        self,
        composer: Composer,
        store: SettingsStore,
        catalogue: CatalogueStore,
        read_shown: Callable[[], Transcript],
    ) -> None:
        """Initialize; `read_shown` returns the messages of the open conversation."""
        super().__init__(composer)
        self._read_shown = read_shown
        self._composer = composer
        self._store = store
        self._catalogue = catalogue
        self._counted: dict[str, tuple[str, int]] = {}
        """Counted texts and their tokens by message id. Cached because counting takes longer than a frame."""
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(self._measure)
        self.refresh()

    @Slot()
    def count_anew(self) -> None:
        """Count the tokens of a conversation that was opened."""
        self._counted = {}
        self.refresh()  # the assistant of the conversation may have its own model

    @Slot(object)
    def watch(self, event: TurnEvent) -> None:
        """Count an answer when it has ended."""
        inner = event.event if isinstance(event, Beside) else event
        if isinstance(inner, TurnFinished | TurnFailed):
            self._measure()

    @property
    def _facts(self) -> ModelFacts:
        chosen = self._composer.model.choice
        return next((model.facts for model in self._catalogue.models if model.id == chosen), NO_FACTS)

    @Slot()
    def refresh(self) -> None:
        """Show what the model can do and how full it is."""
        self._composer.effort.set_choice(self._store.settings.chat.effort)
        self._composer.effort.set_offered(Ability.REASONING in self._facts.has)
        self._composer.web.set_has_own(Ability.SEARCH in self._facts.has)
        self._measure()

    @Slot(str)
    def pick_effort(self, effort: Effort) -> None:
        """Use another reasoning effort."""
        settings = self._store.settings
        self._store.apply(replace(settings, chat=replace(settings.chat, effort=effort)))

    @Slot()
    def measure_soon(self) -> None:
        """Measure the draft after a pause."""
        self._pause.start()

    @Slot()
    def _measure(self) -> None:
        self._composer.meter.show_load(self._load())

    def _load(self) -> TokenLoad:
        if self._composer.model.choice == QUOTES_MODEL:
            return TokenLoad()
        chat = self._store.settings.chat
        context = self._facts.context_within(chat.context_tokens)
        space = context - min(chat.answer_tokens, context // 3)
        shown = self._read_shown()
        unfinished = shown.unfinished
        ended = [each for each in shown.messages if each.id not in unfinished]
        used = [message.usage for message in ended if message.usage is not None]
        spent = [message.spent for message in ended if message.spent is not None]
        costs = {each.currency: 0.0 for each in spent if each.cost is not None}
        for each in spent:
            if each.cost is not None:
                costs[each.currency] += each.cost
        # Amounts in several currencies cannot be added; no total is better than a wrong one.
        currency, cost = next(iter(costs.items())) if len(costs) == 1 else ("", None)
        return TokenLoad(
            draft=_estimate(self._composer.text.toPlainText()) + self._pictures(),
            history=self._history(ended, space),
            space=space,
            given=sum(usage.input_tokens for usage in used),
            made=sum(usage.output_tokens for usage in used),
            cost=cost,
            currency=currency,
            price=self._facts.price,
        )

    def _pictures(self) -> int:
        """Return the tokens of the attached images if the model accepts images, otherwise 0."""
        if Ability.IMAGES not in self._facts.has:
            return 0
        return PICTURE_TOKENS * sum(map(is_picture, self._composer.files.paths))

    def _history(self, messages: list[Message], space: int) -> int:
        """Return the tokens of the newest messages, at most `space`."""
        total = 0
        for message in reversed(messages):
            total += self._tokens_of(message)
            if total > space:
                break
        return min(total, space)

    def _tokens_of(self, message: Message) -> int:
        text, tokens = self._counted.get(message.id, ("", 0))
        if text != message.text:
            tokens = _estimate(message.text)
            self._counted[message.id] = (message.text, tokens)
        return tokens


def _estimate(text: str) -> int:
    if len(text) <= _MOST_CHARS:
        return estimate_tokens(text)
    return estimate_tokens(text[:_MOST_CHARS]) * len(text) // _MOST_CHARS
