"""Notices above the composer: captchas, keys that cannot be stored, rerankers for large bases, newer versions."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QLocale, QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.engine import Searches
from desktop.chat.api.knowledge import Embedders
from desktop.chat.api.system import Preferences, Updates
from desktop.domain.events import StepFinished, TurnEvent, TurnFailed, TurnFinished, TurnStarted
from desktop.domain.knowledge import BaseInfo, EmbeddingModel
from desktop.domain.messages import Step, StepKind, StepStatus
from desktop.domain.program import Release
from desktop.domain.search import EngineHealth
from desktop.domain.transcript import Transcript
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.widgets.labels import format_model_size, keyring_warning
from desktop.ui.widgets.notice_bar import Notice, NoticeBar


@dataclass
class _Turn:
    """A running answer. `is_helped` is True from a solved captcha until the next search."""

    answer: str = ""
    is_over: bool = False
    is_helped: bool = False


def _is_failed_search(step: Step) -> bool:
    return step.kind is StepKind.SEARCH and step.status not in {StepStatus.DONE, StepStatus.RUNNING}


class CaptchaNotifier(QObject):
    """Reports captchas once per engine, until that engine responds again.

    The notice appears while the turn is running, because the search waits for a user who opens the page in
    time. If it is too late, the question is asked again when the answer has ended.

    Signals:
        noticed: a Notice for the user.
        solved: the id of the answer whose question can be asked again now.
    """

    noticed = Signal(object)
    solved = Signal(str)

    def __init__(self, searches: Callable[[], Searches], loop: BackgroundLoop, window: QWidget) -> None:
        super().__init__(window)
        self._searches = searches
        self._loop = loop
        self._window = window
        self._turn = _Turn()
        self._reported: set[str] = set()

    @Slot(object)
    def note_opened(self, shown: Transcript) -> None:
        """Follow the turn that runs in a conversation that was opened, with the searches that it has made so far."""
        answer = shown.get(shown.usual)
        if answer is None or answer.id == self._turn.answer:
            return
        self._turn = _Turn(answer.id)
        if any(_is_failed_search(step) for step in answer.steps):
            self._look(self._turn)

    @Slot(object)
    def watch(self, event: TurnEvent) -> None:
        """Handle an event of a turn."""
        turn = self._turn
        if isinstance(event, TurnStarted):
            self._turn = _Turn(event.answer.id)
        elif isinstance(event, StepFinished) and event.step.kind is StepKind.SEARCH:
            turn.is_helped = False
            if _is_failed_search(event.step):
                self._look(turn)
        elif isinstance(event, TurnFinished | TurnFailed):
            turn.answer, turn.is_over = event.message.id, True

    @Slot(bool)
    def repeat_if_solved(self, is_running: bool) -> None:
        """Repeat the question after a solved captcha, once no answer is running."""
        turn = self._turn
        if turn.is_over and turn.is_helped and not is_running:
            turn.is_helped = False
            self.solved.emit(turn.answer)

    def _look(self, turn: _Turn) -> None:
        self._loop.run(self, lambda: self._searches().health(), partial(self._on_looked, turn))

    def _on_looked(self, turn: _Turn, engines: tuple[EngineHealth, ...]) -> None:
        blocked = [engine for engine in engines if engine.can_be_shown]
        self._reported &= {engine.engine for engine in blocked}
        fresh = next((engine for engine in blocked if engine.engine not in self._reported), None)
        if fresh is None:
            return
        self._reported.add(fresh.engine)
        words = self.tr("{engine} needs human verification. After that, your question is searched there too.")
        show = partial(self._show, fresh, turn)
        action = self.tr("Verify and search")
        self.noticed.emit(Notice(words.format(engine=fresh.name), action, show, is_error=True))

    def _show(self, engine: EngineHealth, turn: _Turn) -> None:
        from desktop.ui.window.dialogs import open_handing_over  # noqa: PLC0415 - not before the first paint

        dialog = open_handing_over(engine, self._searches, self._loop, self._window)
        dialog.solved.connect(partial(self._on_solved, engine, turn))

    def _on_solved(self, engine: EngineHealth, turn: _Turn) -> None:
        self._reported.discard(engine.engine)
        if turn is not self._turn:  # another question was asked meanwhile
            self._offer(engine, turn.answer)
            return
        turn.is_helped = True
        if turn.is_over:
            self.repeat_if_solved(False)

    def _offer(self, engine: EngineHealth, message_id: str) -> None:
        words = self.tr("{engine} is working again.").format(engine=engine.name)
        again = partial(self.solved.emit, message_id)
        self.noticed.emit(Notice(words, self.tr("Ask again"), again))


class KeyringWarning(QObject):
    """Warns once per run, wherever the key was entered: a keyring problem appears only when a key is stored."""

    def __init__(self, preferences: Preferences, notices: NoticeBar) -> None:
        super().__init__(notices)
        self._preferences = preferences
        self._notices = notices
        self._is_said = False

    @Slot()
    def warn(self) -> None:
        """Warn if the keys that were stored are not in the keyring."""
        if not self._is_said and self._preferences.keyring_problem:
            self._is_said = True
            self._notices.say(Notice(keyring_warning(), is_error=True))


LARGE_BASE = 1_000
"""Number of passages from which a reranker is useful: the best ones are often found, but in the wrong order."""


class RerankerOffer(QObject):
    """Recommends rerankers once, when a base has become large and none is selected.

    Signals:
        settings_asked: the user wants to choose one.
    """

    settings_asked = Signal()

    def __init__(
        self, embedders: Embedders, loop: BackgroundLoop, store: SettingsStore, notices: NoticeBar
    ) -> None:
        super().__init__(notices)
        self._embedders = embedders
        self._loop = loop
        self._store = store
        self._notices = notices
        self._is_asked = False

    @Slot(object)
    def look_at(self, bases: tuple[BaseInfo, ...]) -> None:
        """Recommend rerankers if one of all `bases` is large."""
        knowledge = self._store.settings.knowledge
        large = next((base for base in bases if base.passages > LARGE_BASE), None)
        if large is None or self._is_asked or knowledge.reranker or knowledge.was_reranker_offered:
            return
        self._is_asked = True
        self._loop.run(self, self._embedders.rerankers, partial(self._offer, large), self._on_failed)

    def _offer(self, base: BaseInfo, models: tuple[EmbeddingModel, ...]) -> None:
        store = self._store
        store.apply(
            replace(store.settings, knowledge=replace(store.settings.knowledge, was_reranker_offered=True))
        )
        words = self.tr(
            "“{base}” has {count} passages. A reranker can put the best ones first: {models}. Footnote hasn’t measured the improvement."
        )
        text = words.format(
            base=base.name,
            count=self._locale().toString(base.passages),
            models=self.tr("; ").join(map(self._describe, models)),
        )
        self._notices.say(Notice(text, self.tr("Choose…"), self.settings_asked.emit, is_lasting=True))

    def _describe(self, model: EmbeddingModel) -> str:
        size = format_model_size(self._locale(), model.size_bytes)
        facts = self.tr(", ").join(filter(None, (size, model.licence)))
        return self.tr("{name} ({facts})").format(name=model.name, facts=facts)

    def _locale(self) -> QLocale:
        return self._notices.locale()

    @Slot(object)
    def _on_failed(self, _error: Exception) -> None:
        self._is_asked = False  # try again with the next list


class UpdateNotifier(QObject):
    """Tells the user once of each newer version, and once after an update what it has brought.

    Signals:
        news_asked: the user wants to read about a Release, or about this version (None).
    """

    news_asked = Signal(object)

    def __init__(self, updates: Updates, loop: BackgroundLoop, notices: NoticeBar) -> None:
        super().__init__(notices)
        self._updates = updates
        self._loop = loop
        self._notices = notices

    @Slot()
    def begin(self) -> None:
        """Look for news, now and from time to time, and keep the unpacked copy of an AppImage."""
        updates = self._updates
        self._loop.run(self, updates.pending_news, self._on_news_found)
        self._loop.run(self, updates.watch, progressed=self._on_release_found)
        self._loop.run(self, updates.unpack_image)

    @Slot(object)
    def _on_news_found(self, since: str) -> None:
        if since:
            version = self._updates.program.version
            self._say(self.tr("Footnote was updated to {version}.").format(version=version), version, None)

    @Slot(object)
    def _on_release_found(self, release: Release) -> None:
        words = self.tr("Footnote {version} is available.").format(version=release.version)
        self._say(words, release.version, release)

    def _say(self, words: str, version: str, release: Release | None) -> None:
        act = partial(self.news_asked.emit, release)
        self._notices.say(Notice(words, self.tr("What’s new"), act, is_lasting=True))
        self._loop.run(self, partial(self._updates.note_told, version))
