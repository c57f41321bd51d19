"""Completion of `@` and `/` in the composer.

`@` offers assistants, models, knowledge bases and past answers; `/` offers document tasks, the user's prompts
and the prompts of tool servers.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal, Slot

from desktop.chat.api.engine import MOST_MODELS
from desktop.domain.assistants import GENERAL, Assistant
from desktop.domain.drafts import Draft, SavedPrompt
from desktop.domain.history import HistoryExcerpt, HistoryPage, HistoryQuery, Hit
from desktop.domain.knowledge import BaseInfo
from desktop.domain.messages import Speaker
from desktop.domain.models import ModelInfo
from desktop.domain.procedures import DocumentTask
from desktop.domain.tools import ServerPrompt, ServerState
from desktop.settings.model import McpServer, new_prompt, with_prompt, without_prompt
from desktop.ui.composer.completion import SHOWN, Completer, CompletionItem, Sign
from desktop.ui.composer.prompts import PromptDialog, snippet
from desktop.ui.context.chat_context import ChatContext
from desktop.ui.labels.chat import assistant_name, tags_of, task_hint, task_name
from desktop.ui.labels.common import model_name, untitled_label
from desktop.ui.stores.history_search import HistorySearch
from desktop.ui.widgets.notice_bar import Notice
from desktop.ui.widgets.scope_tree import scope_title, toggle_key

_ANSWER_CHARS = 80
_BEFORE_MARK = 24
"""The maximum number of characters shown before the first matching word."""

_TITLE_CHARS = 24


class PastAnswerCompletions(QObject):
    """The newest answers that contain all words typed after an `@`.

    Signals:
        changed: the items have changed.
    """

    changed = Signal()

    def __init__(self, core: ChatContext) -> None:
        super().__init__(core)
        self._core = core
        self._history_search = HistorySearch(core.engine.history, core.loop, self)
        self._words = ""
        self._told_of = ""
        """The query that found the hits."""
        self._is_stale = False
        """Whether the hits belong to the previous search."""
        self._hits: tuple[Hit, ...] = ()
        for signal, slot in (
            (self._history_search.found, self._on_found),
            (self._history_search.ended, self._on_ended),
            (self._history_search.failed, core.notices.say_failed),
            (core.ending, self._history_search.stop),
        ):
            signal.connect(slot)

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
                title=_shown(hit.excerpt),
                pick=partial(self._core.cite_asked.emit, hit),
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


def _shown(excerpt: HistoryExcerpt) -> str:
    """Return an excerpt as one line that contains the first matching word."""
    first = min((start for start, _ in excerpt.marks), default=0)
    if first <= _BEFORE_MARK:
        return snippet(excerpt.text, _ANSWER_CHARS)
    before = excerpt.text[first - _BEFORE_MARK : first]
    _cut, space, words = before.partition(" ")
    return snippet(f"…{words if space else before}{excerpt.text[first:]}", _ANSWER_CHARS)


def mentions(core: ChatContext) -> Iterator[CompletionItem]:
    """Yield all items for `@`, each with a function that changes the switches accordingly."""
    translate = QCoreApplication.translate
    for assistant in (GENERAL, *core.assistants.assistants):
        yield _assistant(core, translate("mentioning", "Assistants"), assistant)
    for model in core.catalogue.models:
        yield _model(core, translate("mentioning", "Models"), model)
    for base in core.knowledge_store.bases:
        yield _base(core, translate("mentioning", "Knowledge bases"), base)


def _assistant(core: ChatContext, group: str, assistant: Assistant) -> CompletionItem:
    return CompletionItem(
        group=group,
        title=assistant_name(assistant),
        pick=partial(core.assistants.pick, assistant.id),
        icon="assistant",
        is_on=assistant.id == core.assistants.current.id,
    )


def _model(core: ChatContext, group: str, model: ModelInfo) -> CompletionItem:
    chosen = core.composer.model
    return CompletionItem(
        group=group,
        title=model_name(model.id, (model,)),
        pick=partial(chosen.compare, (model.id,)),
        detail=" · ".join(filter(None, (model.provider, *tags_of(model.facts)[:1]))),
        icon="model",
        words=f"{model.provider} {model.id}",
        is_on=model.id in (chosen.choice, *chosen.also),
        beside=partial(_answer_with_models, core, model.id),
    )


def _answer_with_models(core: ChatContext, model_id: str) -> None:
    """Add a model to the answering ones, replacing the last one if the maximum is reached."""
    chosen = core.composer.model
    others = [each for each in (chosen.choice, *chosen.also) if each != model_id]
    chosen.compare((*others[: MOST_MODELS - 1], model_id))


def _base(core: ChatContext, group: str, base: BaseInfo) -> CompletionItem:
    return CompletionItem(
        group=group,
        title=scope_title(base),
        pick=partial(_toggle_base, core, base.id),
        icon="" if base.icon else "library",
        is_on=base.id in core.composer.bases.chosen,
    )


def _toggle_base(core: ChatContext, base_id: str) -> None:
    bases = core.composer.bases
    bases.set_chosen(toggle_key(bases.chosen, base_id))
    bases.picked.emit(bases.chosen)


_PROMPT_CHARS = 60


class CompletionController(QObject):
    """Offers completions in the composer, and applies the selected one."""

    def __init__(self, core: ChatContext) -> None:
        super().__init__(core)
        self._core = core
        self._asked_of: tuple[McpServer, ...] = ()
        self._states: tuple[ServerState, ...] = ()
        self._past = PastAnswerCompletions(core)
        self.completion = Completer(core.composer.text, core.window, self._offer)
        for signal in (
            core.catalogue.models_listed,
            core.knowledge_store.bases_listed,
            core.assistants.listed,
        ):
            signal.connect(self.completion.refresh)
        self._past.changed.connect(self.completion.refresh)
        self.completion.began.connect(core.catalogue.refresh)
        self.completion.mentioned.connect(self._past.look_for)

    def _offer(self, sign: Sign) -> Sequence[CompletionItem]:
        if sign == "@":
            return (*mentions(self._core), *self._past.choices())
        self._ask_servers()
        return (*self._procedures(), *self._own(), *self._of_servers(), *self._library())

    def _procedures(self) -> Iterator[CompletionItem]:
        group, research = self.tr("Commands"), self._core.composer.research
        names = {DocumentTask.READ: "/read 阅读 閱讀", DocumentTask.WRITE: "/write 写作 寫作"}
        for task, words in names.items():
            pick = partial(research.set_task, task)
            yield CompletionItem(group, task_name(task), pick, task_hint(task), icon="research", words=words)
        command = self.tr("/remember")
        yield CompletionItem(
            group,
            self.tr("Remember"),
            partial(self._core.composer.text.put_in, f"{command} "),
            self.tr("A fact to know in every conversation"),
            icon="memory",
            words=f"/remember 记住 記住 {command}",
        )

    def _own(self) -> Iterator[CompletionItem]:
        group = self.tr("Prompts")
        for prompt in self._core.store.settings.prompts:
            pick = partial(self._core.composer.text.put_in, prompt.text)
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
            len(self._core.composer.text.toPlainText().split()) > 1
        ):  # the text contains more than the command itself
            words = self.tr("Keep what is written as a prompt")
            yield CompletionItem(group, words, self._keep_written, icon="plus")
        show = self._core.opener.to_settings("prompts")
        yield CompletionItem(group, self.tr("Write and change prompts…"), show, icon="settings")

    def _keep_written(self) -> None:
        prompt = new_prompt(self._core.composer.text.toPlainText().strip())
        self._core.store.apply(with_prompt(self._core.store.settings, prompt))
        words = self.tr("Kept as a prompt: “{name}”. A / offers it.").format(name=prompt.name)
        self._core.notices.say(Notice(words, self.tr("Undo"), partial(self._forget, prompt), is_undo=True))

    def _forget(self, prompt: SavedPrompt) -> None:
        self._core.store.apply(without_prompt(self._core.store.settings, prompt.id))

    # Prompts of servers

    def _ask_servers(self) -> None:
        """Request the prompts of the servers, again if the list of servers has changed."""
        servers = tuple(each for each in self._core.store.settings.mcp_servers if each.is_enabled)
        if servers != self._asked_of:
            self._asked_of = servers
            self._core.loop.run(self, self._core.engine.tool_servers.states, self._on_states)

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
        dialog = PromptDialog(prompt, self._core.window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filled.connect(partial(self._fill, prompt))
        dialog.open()

    def _fill(self, prompt: ServerPrompt, arguments: Mapping[str, str]) -> None:
        servers, notices = self._core.engine.tool_servers, self._core.notices
        work = partial(servers.fill_prompt, prompt.server_id, prompt.name, arguments)
        words = self.tr("{server} is writing “{prompt}”").format(server=prompt.server, prompt=prompt.name)
        job = self._core.loop.run(self, work, failed=notices.say_failed)
        waiting = Notice(words, self.tr("Cancel"), job.cancel, is_lasting=True)
        job.succeeded.connect(partial(self._on_filled, self._core.sessions.current, waiting))
        notices.say(waiting)

    def _on_filled(self, conversation_id: str, waiting: Notice, text: str) -> None:
        self._core.notices.withdraw(waiting)
        if conversation_id == self._core.sessions.current:
            self._core.composer.text.put_in(text)
        else:
            self._core.composer.give_back(conversation_id, Draft(text))
