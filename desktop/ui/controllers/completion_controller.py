"""Completion of `@` and `/` in the composer.

`@` offers assistants, models, knowledge bases and past answers; `/` offers document tasks, the user's prompts
and the prompts of tool servers.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.engine import MOST_MODELS, ToolServers
from desktop.domain.assistants import GENERAL, Assistant
from desktop.domain.drafts import Draft, SavedPrompt
from desktop.domain.history import HistoryExcerpt, HistoryPage, HistoryQuery, Hit
from desktop.domain.knowledge import BaseInfo
from desktop.domain.messages import Speaker
from desktop.domain.models import ModelInfo
from desktop.domain.procedures import DocumentTask
from desktop.domain.tools import ServerPrompt, ServerState
from desktop.settings.model import McpServer, new_prompt, with_prompt, without_prompt
from desktop.ui.chat.composer_state import AssistantSelection
from desktop.ui.chat.session_manager import SessionManager
from desktop.ui.composer.completion import Completer, Sign
from desktop.ui.composer.composer import TASK_ICONS, Composer
from desktop.ui.composer.prompts import PromptDialog, snippet
from desktop.ui.composer.switches import KnowledgeSwitch, ModelSwitch
from desktop.ui.stores.catalogue import CatalogueStore
from desktop.ui.stores.conversations import HistorySearch
from desktop.ui.stores.knowledge_store import KnowledgeStore
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.widgets.choice_list import SHOWN, CompletionItem
from desktop.ui.widgets.labels import (
    assistant_name,
    model_name,
    tags_of,
    task_hint,
    task_name,
    untitled_label,
)
from desktop.ui.widgets.notice_bar import Notice, NoticeBar, undo_notice
from desktop.ui.widgets.scope_tree import scope_title, toggle_key

_ANSWER_CHARS = 80
_BEFORE_MARK = 24
"""The maximum number of characters shown before the first matching word."""

_TITLE_CHARS = 24


class PastAnswerCompletions(QObject):
    """The newest answers that contain all words typed after an `@`.

    Signals:
        changed: the items have changed.
        picked: the selected answer (Hit).
    """

    changed = Signal()
    picked = Signal(object)

    def __init__(self, history_search: HistorySearch, parent: QObject) -> None:
        super().__init__(parent)
        self._history_search = history_search
        self._words = ""
        self._told_of = ""
        """The query that found the hits."""
        self._is_stale = False
        """Whether the hits belong to the previous search."""
        self._hits: tuple[Hit, ...] = ()
        history_search.found.connect(self._on_found)
        history_search.ended.connect(self._on_ended)

    @Slot(str)
    def look_for(self, words: str) -> None:
        """Search answers. Until results arrive, earlier hits that match are offered."""
        # A single Latin letter is too short to search for; a single Chinese character is a word.
        self._words = "" if words.isascii() and len(words) == 1 else words
        self._is_stale = True
        self._history_search.search(HistoryQuery(self._words, speaker=Speaker.MODEL))

    def choices(self) -> Iterator[CompletionItem]:
        """Yield the matching answers as items."""
        for hit in self._hits:
            yield CompletionItem(
                group=self.tr("Past answers"),
                title=excerpt_line(hit.excerpt),
                pick=partial(self.picked.emit, hit),
                detail=snippet(hit.title or untitled_label(), _TITLE_CHARS),
                icon="quote",
                words=f"{self._told_of} {hit.excerpt.text}",
            )

    @Slot(object)
    def _on_found(self, page: HistoryPage) -> None:
        before = () if self._is_stale else self._hits
        found = (hit for hit in page.hits if hit.message_id)
        self._show((*before, *found)[:SHOWN])

    @Slot()
    def _on_ended(self) -> None:
        if self._is_stale:
            self._show(())

    def _show(self, hits: tuple[Hit, ...]) -> None:
        self._told_of, self._hits, self._is_stale = self._words, hits, False
        self.changed.emit()


def excerpt_line(excerpt: HistoryExcerpt) -> str:
    """Return an excerpt as one line that contains the first matching word."""
    first = min((start for start, _ in excerpt.marks), default=0)
    if first <= _BEFORE_MARK:
        return snippet(excerpt.text, _ANSWER_CHARS)
    before = excerpt.text[first - _BEFORE_MARK : first]
    _cut, space, words = before.partition(" ")
    return snippet(f"…{words if space else before}{excerpt.text[first:]}", _ANSWER_CHARS)


class Mentions:
    """The items for `@`, each with a function that changes the switches of the composer accordingly."""

    def __init__(
        self,
        assistants: AssistantSelection,
        catalogue: CatalogueStore,
        knowledge_store: KnowledgeStore,
        model: ModelSwitch,
        bases: KnowledgeSwitch,
    ) -> None:
        self._assistants = assistants
        self._catalogue = catalogue
        self._knowledge_store = knowledge_store
        self._model = model
        self._bases = bases

    def choices(self) -> Iterator[CompletionItem]:
        """Yield all items."""
        translate = QCoreApplication.translate
        for assistant in (GENERAL, *self._assistants.assistants):
            yield self._assistant(translate("mentioning", "Assistants"), assistant)
        for model in self._catalogue.models:
            yield self._model_item(translate("mentioning", "Models"), model)
        for base in self._knowledge_store.bases:
            yield self._base(translate("mentioning", "Knowledge bases"), base)

    def _assistant(self, group: str, assistant: Assistant) -> CompletionItem:
        return CompletionItem(
            group=group,
            title=assistant_name(assistant),
            pick=partial(self._assistants.pick, assistant.id),
            icon="assistant",
            is_on=assistant.id == self._assistants.current.id,
        )

    def _model_item(self, group: str, model: ModelInfo) -> CompletionItem:
        return CompletionItem(
            group=group,
            title=model_name(model.id, (model,)),
            pick=partial(self._model.compare, (model.id,)),
            detail=" · ".join(filter(None, (model.provider, *tags_of(model.facts)[:1]))),
            icon="model",
            words=f"{model.provider} {model.id}",
            is_on=model.id in (self._model.choice, *self._model.also),
            beside=partial(self._answer_with_models, model.id),
        )

    def _answer_with_models(self, model_id: str) -> None:
        """Add a model to the answering ones, replacing the last one if the maximum is reached."""
        others = [each for each in (self._model.choice, *self._model.also) if each != model_id]
        self._model.compare((*others[: MOST_MODELS - 1], model_id))

    def _base(self, group: str, base: BaseInfo) -> CompletionItem:
        return CompletionItem(
            group=group,
            title=scope_title(base),
            pick=partial(self._toggle_base, base.id),
            icon="" if base.icon else "library",
            is_on=base.id in self._bases.chosen,
        )

    def _toggle_base(self, base_id: str) -> None:
        self._bases.set_chosen(toggle_key(self._bases.chosen, base_id))
        self._bases.picked.emit(self._bases.chosen)


_PROMPT_CHARS = 60


class CompletionController(QObject):
    """Offers completions in the composer, and applies the selected one.

    Signals:
        prompts_asked: the user wants to manage the saved prompts.
    """

    prompts_asked = Signal()

    def __init__(
        self,
        tool_servers: ToolServers,
        loop: BackgroundLoop,
        *,
        composer: Composer,
        mentions: Mentions,
        notices: NoticeBar,
        past: PastAnswerCompletions,
        sessions: SessionManager,
        store: SettingsStore,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._tool_servers = tool_servers
        self._loop = loop
        self._composer = composer
        self._mentions = mentions
        self._notices = notices
        self._past = past
        self._sessions = sessions
        self._store = store
        self._window = window
        self._asked_of: tuple[McpServer, ...] = ()
        self._states: tuple[ServerState, ...] = ()
        self.completion = Completer(composer.text, window, self.offer)

    def offer(self, sign: Sign) -> Sequence[CompletionItem]:
        """Return everything that can be chosen behind a sign."""
        if sign == "@":
            return (*self._mentions.choices(), *self._past.choices())
        self._ask_servers()
        return (*self._procedures(), *self._own(), *self._of_servers(), *self._library())

    def _procedures(self) -> Iterator[CompletionItem]:
        group, research = self.tr("Commands"), self._composer.research
        names = {
            DocumentTask.READ: "/read 阅读 閱讀",
            DocumentTask.WRITE: "/write 写作 寫作",
            DocumentTask.CHECK: "/check 核查 核对 核對",
        }
        for task, words in names.items():
            pick = partial(research.set_task, task)
            yield CompletionItem(
                group, task_name(task), pick, task_hint(task), icon=TASK_ICONS[task], words=words
            )
        command = self.tr("/remember")
        yield CompletionItem(
            group,
            self.tr("Remember"),
            partial(self._composer.text.put_in, f"{command} "),
            self.tr("Save a fact for every chat"),
            icon="memory",
            words=f"/remember 记住 記住 {command}",
        )

    def _own(self) -> Iterator[CompletionItem]:
        group = self.tr("Prompts")
        for prompt in self._store.settings.prompts:
            pick = partial(self._composer.text.put_in, prompt.text)
            yield CompletionItem(group, prompt.name, pick, snippet(prompt.text, _PROMPT_CHARS), icon="note")

    def _of_servers(self) -> Iterator[CompletionItem]:
        for state in self._states:
            for prompt in state.prompts:
                name, use = snippet(prompt.name, _PROMPT_CHARS), snippet(prompt.description, _PROMPT_CHARS)
                yield CompletionItem(prompt.server, name, partial(self._use, prompt), use, icon="server")

    def _library(self) -> Iterator[CompletionItem]:
        """Yield the items that save and manage the user's own prompts."""
        group = self.tr("Your prompts")
        if (
            len(self._composer.text.toPlainText().split()) > 1
        ):  # the text contains more than the command itself
            words = self.tr("Save message as prompt")
            yield CompletionItem(group, words, self._keep_written, icon="plus")
        yield CompletionItem(group, self.tr("Manage prompts…"), self.prompts_asked.emit, icon="settings")

    def _keep_written(self) -> None:
        prompt = new_prompt(self._composer.text.toPlainText().strip())
        self._store.apply(with_prompt(self._store.settings, prompt))
        words = self.tr("Saved as prompt “{name}”. Type / to use it.").format(name=prompt.name)
        self._notices.say(undo_notice(words, partial(self._forget, prompt)))

    def _forget(self, prompt: SavedPrompt) -> None:
        self._store.apply(without_prompt(self._store.settings, prompt.id))

    # Prompts of servers

    def _ask_servers(self) -> None:
        """Request the prompts of the servers, again if the list of servers has changed."""
        servers = tuple(each for each in self._store.settings.mcp_servers if each.is_enabled)
        if servers != self._asked_of:
            self._asked_of = servers
            self._loop.run(self, self._tool_servers.states, self._on_states)

    @Slot(object)
    def _on_states(self, states: tuple[ServerState, ...]) -> None:
        self._states = states
        if any(state.error for state in states):
            self._asked_of = ()  # the server may be reachable the next time
        if any(state.prompts for state in states):
            self.completion.refresh()

    def _use(self, prompt: ServerPrompt) -> None:
        if not prompt.arguments:
            self._fill(prompt, {})
            return
        dialog = PromptDialog(prompt, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filled.connect(partial(self._fill, prompt))
        dialog.open()

    def _fill(self, prompt: ServerPrompt, arguments: Mapping[str, str]) -> None:
        work = partial(self._tool_servers.fill_prompt, prompt.server_id, prompt.name, arguments)
        words = self.tr("{server} is preparing “{prompt}”").format(server=prompt.server, prompt=prompt.name)
        job = self._loop.run(self, work, failed=self._notices.say_failed)
        waiting = Notice(words, self.tr("Cancel"), job.cancel, is_lasting=True)
        job.succeeded.connect(partial(self._on_filled, self._sessions.current, waiting))
        self._notices.say(waiting)

    def _on_filled(self, conversation_id: str, waiting: Notice, text: str) -> None:
        self._notices.withdraw(waiting)
        if conversation_id == self._sessions.current:
            self._composer.text.put_in(text)
        else:
            self._composer.give_back(conversation_id, Draft(text))
