"""Creates questions from the user's input in the composer or on the page."""

import re
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from desktop.chat.api.engine import Question
from desktop.domain.drafts import Draft
from desktop.domain.events import TurnEvent, TurnStarted
from desktop.domain.messages import AnswerRole, Speaker
from desktop.domain.models import QUOTES_MODEL
from desktop.domain.procedures import Depth, DocumentTask, ProcedureCommand, StartOutline
from desktop.domain.search import WEB_OFF
from desktop.domain.topics import Interval, Topic
from desktop.render.labels import EN, ZH_CN
from desktop.ui.chat.session_manager import NEW, SessionManager
from desktop.ui.composer.composer import Composer
from desktop.ui.transcript.message_action import ActionRequest, Handlers, MessageAction
from desktop.ui.widgets.labels import format_reading_request, procedure_command_in
from desktop.ui.widgets.notice_bar import Notice

_FILE_EXAMPLES = frozenset({EN.file_example, ZH_CN.file_example})
_IN_ADDRESSES = ("://", "www.")


class QuestionController(QObject):
    """Asks questions, also those that repeat, edit or continue a message of the open conversation.

    Signals:
        asked: a question was submitted.
        found_busy: a question was refused because another one is running.
        remember_asked: a fact to remember instead of a question, and the Draft that contained it.
        noticed: a Notice about what is missing for a task.
    """

    asked = Signal()
    found_busy = Signal()
    remember_asked = Signal(str, object)
    noticed = Signal(object)

    def __init__(self, composer: Composer, sessions: SessionManager) -> None:
        super().__init__(composer)
        self._composer = composer
        self._sessions = sessions
        self._revised = ""

    def ask_again(self, message_id: str, queries: tuple[str, ...], without: tuple[str, ...]) -> None:
        """Repeat the question of an answer, with the user's search `queries` and `without` some sources."""
        if question := self._sessions.shown.question_of(message_id):
            self.ask(question.text, question.files, queries, without, repeats=question.id)

    def ask(
        self,
        text: str,
        files: tuple[Path, ...] = (),
        queries: tuple[str, ...] = (),
        without: tuple[str, ...] = (),
        *,
        model: str = "",
        task: DocumentTask | None = None,
        edits: str = "",
        repeats: str = "",
    ) -> None:
        """Ask a question with the current switches, unless an answer is being generated.

        The question replaces the one that it `edits`, or repeats the one in `repeats`.
        """
        switch = self._composer.research
        mode = None if queries or without or self._composer.model.also else task or switch.mode
        is_wish = mode is DocumentTask.READ and not text.strip()
        if not (text.strip() or files or is_wish or repeats):
            return
        if self._sessions.is_running:
            self.found_busy.emit()
            return
        question = Question(
            text=text.strip() or (format_reading_request("") if is_wish and not files else ""),
            is_wish=is_wish,
            conversation_id=self._sessions.current,
            model=model or self._composer.model.choice,
            web=WEB_OFF if self._composer.local_only.is_on else self._composer.web.choice,
            bases=self._composer.bases.chosen,
            files=files,
            queries=queries,
            without=without,
            assistant=self._composer.assistant.choice,
            also=() if model else self._composer.model.also,
            uses_memory=self._composer.memory.is_on,
            past=() if repeats else self._composer.past.take(),
            stays_here=self._composer.local_only.is_on,
            # Queries and sources chosen by the user apply to one search, not to a procedure.
            procedure=mode,
            confirms_plan=mode is DocumentTask.WRITE or switch.shows_plan,
            edits=edits,
            repeats=repeats,
        )
        switch.set_task(None)
        self.asked.emit()
        self._sessions.ask(question)

    def new_topic(self, text: str) -> Topic:
        """Return a question as a topic to be watched, with the current switches; one kept here asks no model."""
        is_here = self._composer.local_only.is_on
        return Topic(
            id="",
            question=text,
            interval=Interval.DAILY,
            created_at=datetime.now(UTC),
            web=WEB_OFF if is_here else self._composer.web.choice,
            bases=self._composer.bases.chosen,
            model=QUOTES_MODEL if is_here else self._composer.model.choice,
            depth=self._composer.research.choice,
            stays_here=is_here,
        )

    @property
    def handlers(self) -> Handlers:
        """The handlers of the page actions that ask."""
        return {
            MessageAction.EXAMPLE: self.ask_example,
            MessageAction.START: self.start,
            MessageAction.CONTINUE: self.go_on,
            MessageAction.RETRY: self.retry,
        }

    def ask_example(self, request: ActionRequest) -> None:
        """Ask an example question of the empty page; the one about files asks for them first."""
        if request.text not in _FILE_EXAMPLES:
            self.ask(request.text)
            return
        self._composer.research.set_task(DocumentTask.READ)
        self._composer.setFocus()
        draft = self._composer.draft
        if self._lacks_document(DocumentTask.READ, draft):
            self._ask_for_document()
        elif not draft.text.strip():
            self.submit()

    def start(self, request: ActionRequest) -> None:
        """Prepare the composer for what a card of the empty page offers."""
        composer = self._composer
        models = composer.model
        match request.text:
            case "research":
                composer.research.choose(Depth.BALANCED)
            case "summarize":
                composer.research.set_task(DocumentTask.READ)
            case "write":
                composer.research.set_task(DocumentTask.WRITE)
            case "models":
                models.setup_asked.emit()
                return
            case _ if models.has_several:
                models.compare_asked.emit()
                return
            case _:
                words = self.tr("Comparing needs two models. Only Quotes is set up.")
                self.noticed.emit(Notice(words, self.tr("Set up a model…"), models.setup_asked.emit))
                return
        composer.setFocus()

    def go_on(self, request: ActionRequest) -> None:
        """Continue an answer that is not complete."""
        self._go_on(request.message_id)

    def retry(self, request: ActionRequest) -> None:
        """Repeat the question of an answer."""
        self._retry(request.message_id)

    def answer_with_models(self, message_id: str, model: str) -> None:
        """Ask another model: beside the last answer, or as a new version of an earlier answer."""
        shown = self._sessions.shown
        question, last = shown.question_of(message_id), shown.question_of(shown.last_answer)
        if question is not None and question == last:
            self._sessions.answer_with_models(message_id, (model,), self._composer.assistant.choice)
        elif question is not None:
            self.repeat(message_id, model)

    @Slot(object)
    def prepare_reading(self, files: tuple[Path, ...]) -> None:
        """Attach files and select the reading task. The user can add a question before sending."""
        self._composer.attach_files(files)
        self._composer.research.set_task(DocumentTask.READ)

    @Slot(object)
    def prepare_check(self, files: tuple[Path, ...] = ()) -> None:
        """Select the check of a text in a new conversation, with `files` attached; the user can choose bases first."""
        self._sessions.open(NEW)
        self._composer.attach_files(files)
        self._composer.research.set_task(DocumentTask.CHECK)

    @Slot(str, str)
    def read_item(self, scope: str, name: str) -> None:
        """Read an item of a base for the user; `scope` is the key of its `Scope`.

        If an answer is running, it continues and the item is read in a new conversation.
        """
        if self._sessions.is_running:
            self._sessions.open(NEW)
        question = Question(
            text=format_reading_request(name),
            conversation_id=self._sessions.current,
            model=self._composer.model.choice,
            web=WEB_OFF,
            bases=(scope,),
            assistant=self._composer.assistant.choice,
            procedure=DocumentTask.READ,
            is_wish=True,
        )
        self.asked.emit()
        self._sessions.ask(question)

    @Slot(str, object)
    def change_outline(self, message_id: str, wish: ProcedureCommand) -> None:
        """Rewrite a finished text with another outline. A running text gets its outline elsewhere."""
        if isinstance(wish, StartOutline) and not self._sessions.is_running:
            self._go_on(message_id, wish)

    def _go_on(self, message_id: str, outline: StartOutline | None = None) -> None:
        if self._sessions.is_running:
            self.found_busy.emit()
            return
        # One of several answers is continued by its own model, not by the one selected for the next question.
        message = self._sessions.shown.get(message_id)
        is_one_of_several = message is not None and message.standing != AnswerRole.USUAL
        model = message.model if message is not None and is_one_of_several else self._composer.model.choice
        self._sessions.go_on(message_id, model, self._composer.assistant.choice, outline)

    def _retry(self, message_id: str) -> None:
        """Repeat the question of an answer. For a compared answer, only its own model is asked again."""
        message = self._sessions.shown.get(message_id)
        is_column = message is not None and message.standing is AnswerRole.COMPARED
        if message is None or not is_column:
            self.repeat(message_id)
        elif self._sessions.is_running:
            self.found_busy.emit()
        else:
            self.answer_with_models(self._beside_sources(message_id), message.model)

    def _beside_sources(self, message_id: str) -> str:
        """Return the first answer to the same question, preferring one with sources."""
        shown = self._sessions.shown
        question = shown.question_of(message_id)
        beside = [
            each for each in shown.messages if each != question and shown.question_of(each.id) == question
        ]
        return max(beside, key=lambda each: bool(each.offered)).id

    @Slot(str)
    def repeat(self, message_id: str, model: str = "") -> None:
        """Repeat the question of a message, optionally with another `model`, and keep the old answer."""
        if question := self._sessions.shown.question_of(message_id):
            self.ask(question.text, question.files, model=model, repeats=question.id)

    def revise(self, question_id: str) -> None:
        """Make the next message replace a question. With an empty id, it follows the last answer again."""
        self._revised = question_id

    @Slot()
    def offer_history(self) -> None:
        """Offer the earlier questions of the conversation in the composer."""
        shown = self._sessions.shown.messages
        self._composer.set_history(
            [each.text for each in shown if each.speaker is Speaker.USER and each.text]
        )

    @Slot()
    def submit(self) -> None:
        """Ask what is written in the composer, or do what it commands."""
        draft = self._composer.draft
        # The question receives the past answers; this one and the next keep the models.
        self._composer.put(Draft(past=draft.past, also=draft.also))
        fact = remember_command_in(draft.text)
        if fact is not None and not draft.files:
            self.remember_asked.emit(fact, draft)
            return
        task, text = procedure_command_in(draft.text)
        if task in {DocumentTask.WRITE, DocumentTask.CHECK} and not text and not draft.files:
            self._composer.research.set_task(task)  # the field then asks for the topic, or the text
        elif self._lacks_document(task or self._composer.research.task, draft):
            self._composer.put(draft)
            self._composer.research.set_task(task or self._composer.research.task)
            self._ask_for_document()
        else:
            self.ask(text, draft.files, task=task, edits=self._revised)

    def _ask_for_document(self) -> None:
        words = self.tr("Attach a document first, or choose one from Knowledge.")
        self.noticed.emit(Notice(words, self.tr("Attach files…"), self._composer.ask_for_files))

    def _lacks_document(self, task: DocumentTask | None, draft: Draft) -> bool:
        """Say whether a summary or a draft is asked for that has nothing to be made from; several models make neither."""
        is_addressed = task is DocumentTask.READ and any(each in draft.text for each in _IN_ADDRESSES)
        is_made = task in {DocumentTask.READ, DocumentTask.WRITE} and not draft.also
        if not is_made or draft.files or is_addressed:
            return False
        before = takewhile(lambda message: message.id != self._revised, self._sessions.shown.messages)
        attached = any(message.files for message in before)
        return not (attached or self._composer.bases.chosen)

    @Slot(object)
    def give_back(self, question: Question) -> None:
        """Return a question that could not be asked to the composer."""
        self._composer.give_back(
            question.conversation_id, Draft(question.text, question.files, question.past, question.also)
        )

    @Slot(object)
    def watch(self, event: TurnEvent) -> None:
        """Offer a new question of the conversation as well."""
        if isinstance(event, TurnStarted):
            self.offer_history()


_COMMAND = re.compile(r"/(?:remember|记住|記住)(?:[\s:：,，]+|$)(?P<fact>.*)", re.IGNORECASE | re.DOTALL)
_SAID = re.compile(
    r"(?:please\s+)?remember\s*(?:[:：]|(?:that\s+)?(?=(?:i|i'm|i've|my|we|our)\b))(?P<fact>.+)"
    r"|请?(?:你|您)?(?:帮我)?(?:记住|記住|记一下)(?:[:：,，\s]+|(?=我|咱))(?P<wish>.+)",
    re.IGNORECASE | re.DOTALL,
)
_ASKED = ("?", "？", "吗", "呢")


def remember_command_in(text: str) -> str | None:
    """Return the text that a message asks to remember, or None if the message is a normal question.

    `/remember …` always is a request to remember, with an empty text if nothing follows. A request in
    plain words counts only if the users speak of themselves or use a colon, and if it is not a question.
    """
    plain = text.strip()
    if command := _COMMAND.fullmatch(plain):
        return command["fact"].strip()
    said = _SAID.fullmatch(plain)
    if said is None or plain.endswith(_ASKED):
        return None
    return (said["fact"] or said["wish"]).strip()
