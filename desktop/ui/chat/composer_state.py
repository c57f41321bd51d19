"""The assistant of the open conversation, and the switches of the composer: both begin from the settings and keep what the user selects."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from desktop.chat.assistants import find, list_assistants
from desktop.domain.assistants import GENERAL, Assistant
from desktop.domain.knowledge import BaseInfo, parse_scope
from desktop.domain.messages import ConversationInfo
from desktop.domain.models import ModelInfo
from desktop.domain.procedures import Depth
from desktop.domain.search import WEB_AUTO, WEB_OFF, WEB_OWN, EngineInfo
from desktop.settings.model import Settings, with_plan_shown
from desktop.ui.chat.session_manager import NEW
from desktop.ui.composer.composer import Composer
from desktop.ui.i18n import language_of
from desktop.ui.stores.conversations import ConversationListStore
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.widgets.labels import assistant_name, model_name, web_name
from desktop.ui.widgets.notice_bar import Notice


class AssistantSelection(QObject):
    """Knows all assistants and which one each conversation uses.

    Signals:
        listed: all assistants (tuple of Assistant).
        changed: the Assistant that answers in the open conversation.
        reopened: another conversation was opened; its assistant may be the same.
        noticed: a Notice that a conversation's assistant no longer exists.
    """

    listed = Signal(object)
    changed = Signal(object)
    reopened = Signal()
    noticed = Signal(object)

    def __init__(
        self,
        store: SettingsStore,
        library: ConversationListStore,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._library = library
        self._open = NEW
        self._of: dict[str, str] = {}
        self._told_gone = ""
        self.assistants: tuple[Assistant, ...] = ()
        self.current = GENERAL

    @Slot()
    def refresh(self) -> None:
        """Emit the assistants and the current one, named in the current language."""
        settings = self._store.settings
        self.assistants = list_assistants(settings, language_of(settings.window.language))
        self.listed.emit(self.assistants)
        self._look()

    @Slot(str)
    def pick(self, assistant_id: str) -> None:
        """Use another assistant for the open conversation and for new ones."""
        settings = self._store.settings
        if self._open != NEW and self._of.get(self._open) != assistant_id:
            self._of[self._open] = assistant_id
            self._library.assign(self._open, assistant_id)
        self._store.apply(replace(settings, chat=replace(settings.chat, assistant=assistant_id)))
        self._look()

    def _look(self) -> None:
        """Determine the current assistant, and report a change."""
        is_new = self._open == NEW
        wanted = self._store.settings.chat.assistant if is_new else self._of.get(self._open, "")
        found = find(self.assistants, wanted)
        if found is None:
            self._tell_gone()
        if (found or GENERAL) != self.current:
            self.current = found or GENERAL
            self.changed.emit(self.current)

    def _tell_gone(self) -> None:
        """Report once per conversation that its assistant was deleted, except for a new conversation."""
        if self._open not in (NEW, self._told_gone):
            self._told_gone = self._open
            words = self.tr("The assistant of this chat was deleted. Answers continue without it.")
            self.noticed.emit(Notice(words))

    @Slot(object)
    def note_conversations(self, infos: tuple[ConversationInfo, ...]) -> None:
        """Note which assistant each conversation uses."""
        self._of = {self._open: self._of.get(self._open, "")} | {info.id: info.assistant for info in infos}
        self._look()

    @Slot(str)
    def open(self, conversation_id: str) -> None:
        """Use the assistant of another conversation."""
        self._open = conversation_id
        self._look()
        self.reopened.emit()

    @Slot(str)
    def note_started(self, conversation_id: str) -> None:
        """Note that the new conversation has an id now."""
        self._of[conversation_id] = self.current.id
        self._open = conversation_id

    @Slot(object)
    def apply_settings(self, settings: Settings) -> None:
        """List the assistants of changed settings."""
        listed = list_assistants(settings, language_of(settings.window.language))
        if listed != self.assistants:
            self.assistants = listed
            self.listed.emit(listed)
        self._look()


@dataclass(frozen=True)
class AvailableChoices:
    """The choices currently available. Fields that are not known yet are empty, or None for `bases`."""

    models: tuple[ModelInfo, ...] = ()
    engines: tuple[EngineInfo, ...] = ()
    bases: tuple[BaseInfo, ...] | None = None


@dataclass(frozen=True)
class AssistantDefaults:
    """The initial values of the switches. `problems` names what the assistant requires but is unavailable."""

    model: str
    web: str
    bases: tuple[str, ...]
    problems: tuple[str, ...] = ()


def start_of(assistant: Assistant, settings: Settings, offer: AvailableChoices) -> AssistantDefaults:
    """Return the defaults for a question to `assistant`. The settings supply what the assistant leaves open."""
    problems: list[str] = []
    model, web = assistant.model or settings.chat.model, assistant.web or settings.search.choice
    if assistant.model and offer.models and all(info.id != model for info in offer.models):
        model = settings.chat.model
        problems.append(_no_model(assistant, model, offer))
    ready = {WEB_OFF, WEB_AUTO, WEB_OWN, *(engine.id for engine in offer.engines if engine.is_ready)}
    if assistant.web and offer.engines and web not in ready:
        web = settings.search.choice
        problems.append(_no_engine(assistant, web, offer))
    bases = settings.knowledge.base_ids
    if assistant.bases is not None:
        bases, missing = _resolve_bases(assistant.bases, offer.bases)
        if missing:
            problems.append(_no_bases(assistant, missing))
    return AssistantDefaults(model, web, bases, tuple(problems))


def _resolve_bases(
    wanted: Sequence[str], bases: tuple[BaseInfo, ...] | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Resolve keys, ids and names of bases. Return the keys of those that exist, and the missing entries."""
    if bases is None:
        return tuple(wanted), ()
    scopes = {key: parse_scope(key, bases) for key in wanted}
    there = dict.fromkeys(scope.key for scope in scopes.values() if scope is not None)
    return tuple(there), tuple(key for key in wanted if scopes[key] is None)


def _no_model(assistant: Assistant, instead: str, offer: AvailableChoices) -> str:
    text = QCoreApplication.translate(
        "assistant_start", "{model}, the model of “{assistant}”, isn’t available. {instead} is used instead."
    )
    return text.format(
        assistant=assistant_name(assistant),
        model=model_name(assistant.model, offer.models),
        instead=model_name(instead, offer.models),
    )


def _no_engine(assistant: Assistant, instead: str, offer: AvailableChoices) -> str:
    text = QCoreApplication.translate(
        "assistant_start",
        "{engine}, the search engine of “{assistant}”, isn’t set up. {instead} is used instead.",
    )
    return text.format(
        assistant=assistant_name(assistant),
        engine=web_name(assistant.web, offer.engines),
        instead=web_name(instead, offer.engines),
    )


def _no_bases(assistant: Assistant, missing: Sequence[str]) -> str:
    translate = QCoreApplication.translate
    one = translate("assistant_start", "A knowledge base of “{assistant}” no longer exists.")
    many = translate("assistant_start", "{count} knowledge bases of “{assistant}” no longer exist.")
    return (one if len(missing) == 1 else many).format(
        assistant=assistant_name(assistant), count=len(missing)
    )


@dataclass(frozen=True)
class _Overrides:
    """What the user selected instead of what the assistant sets."""

    model: str | None = None
    web: str | None = None
    bases: tuple[str, ...] | None = None


class ComposerState(QObject):
    """Writes every selection to the settings, and shows every change of the settings.

    Signals:
        noticed: a Notice about something that an assistant requires and that is unavailable.
    """

    noticed = Signal(object)

    def __init__(self, composer: Composer, store: SettingsStore) -> None:
        super().__init__(composer)
        self._composer = composer
        self._store = store
        self._assistant = GENERAL
        self._offer = AvailableChoices()
        self._picks = _Overrides()
        self._told: tuple[str, ...] = ()
        self.show(store.settings)

    @Slot(object)
    def switch_base_on(self, base: BaseInfo) -> None:
        """Also search a base that was just created."""
        if self._assistant.bases is None:
            self.pick_bases((*self._store.settings.knowledge.base_ids, base.id))
        else:
            self.pick_bases((*self._composer.bases.chosen, base.id))

    @Slot(object)
    def use_assistant(self, assistant: Assistant) -> None:
        """Apply the defaults of an assistant."""
        self._assistant = assistant
        self._composer.assistant.set_choice(assistant)
        self.forget_picks()

    @Slot()
    def forget_picks(self) -> None:
        """Discard the user's selections and return to the assistant's defaults."""
        self._picks = _Overrides()
        self.show(self._store.settings)

    @Slot(object)
    def offer_models(self, models: tuple[ModelInfo, ...]) -> None:
        """Set the available models."""
        self._composer.model.set_models(models)
        self._learn(replace(self._offer, models=models))

    @Slot(object)
    def offer_engines(self, engines: tuple[EngineInfo, ...]) -> None:
        """Set the available search engines."""
        self._composer.web.set_engines(engines)
        self._learn(replace(self._offer, engines=engines))

    @Slot(object)
    def offer_bases(self, bases: tuple[BaseInfo, ...]) -> None:
        """Set the available knowledge bases."""
        self._composer.bases.set_bases(bases)
        self._learn(replace(self._offer, bases=bases))

    def _learn(self, offer: AvailableChoices) -> None:
        self._offer = offer
        self.show(self._store.settings)

    @Slot(object)
    def show(self, settings: Settings) -> None:
        """Show the settings, or what the assistant or the user has set instead."""
        self._composer.set_sends_on_enter(settings.window.sends_on_enter)
        self._composer.set_zoom(settings.window.zoom, settings.window.text_size)
        self._composer.text.longest_paste = settings.window.paste_limit
        start = start_of(self._assistant, settings, self._offer)
        picks = self._picks
        self._composer.web.set_choice(start.web if picks.web is None else picks.web)
        self._composer.bases.set_chosen(start.bases if picks.bases is None else picks.bases)
        self._composer.research.set_choice(settings.research.depth, settings.research.plans_shown)
        self._composer.model.set_choice(start.model if picks.model is None else picks.model)
        if start.problems != self._told:
            self._told = start.problems
            if start.problems:
                self.noticed.emit(Notice(" ".join(start.problems)))

    def _keep(self, picks: _Overrides) -> None:
        self._picks = picks
        self.show(self._store.settings)

    @Slot(str)
    def pick_web(self, choice: str) -> None:
        """Use a way to search the web."""
        if self._assistant.web:
            self._keep(replace(self._picks, web=choice))
            return
        settings = self._store.settings
        self._store.apply(replace(settings, search=replace(settings.search, choice=choice)))

    @Slot(object)
    def pick_bases(self, ids: tuple[str, ...]) -> None:
        """Search other knowledge bases."""
        if self._assistant.bases is not None:
            self._keep(replace(self._picks, bases=ids))
            return
        settings = self._store.settings
        self._store.apply(replace(settings, knowledge=replace(settings.knowledge, base_ids=ids)))

    @Slot(object)
    def pick_depth(self, depth: Depth | None) -> None:
        """Use another depth of research; None means no research."""
        settings = self._store.settings
        self._store.apply(replace(settings, research=replace(settings.research, depth=depth)))

    @Slot(object, bool)
    def pick_plan(self, depth: Depth, is_shown: bool) -> None:
        """Set whether research of a depth shows its plan first."""
        self._store.apply(with_plan_shown(self._store.settings, depth, is_shown=is_shown))

    @Slot(str)
    def pick_model(self, model_id: str) -> None:
        """Use another model."""
        if self._assistant.model:
            self._keep(replace(self._picks, model=model_id))
            return
        settings = self._store.settings
        self._store.apply(replace(settings, chat=replace(settings.chat, model=model_id)))
