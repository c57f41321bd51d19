"""Builds the requests to one model from the question, the history and the token window."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from desktop.chat.api.engine import Question
from desktop.chat.assistants import in_style
from desktop.chat.prompt import (
    NO_PAGES,
    OF_QUESTION,
    PICTURE_TOKENS,
    BuiltPrompt,
    DrawPage,
    MessageImages,
    PageImageLoader,
    PageImages,
    build_prompt,
    reference_budget,
    search_note,
)
from desktop.chat.source_lookup import (
    GatherRequest,
    NativeSearch,
    SelectedModel,
    TokenWindow,
    own_search,
)
from desktop.domain.messages import Message
from desktop.domain.models import Ability, ModelRequest
from desktop.domain.sources import Source
from desktop.domain.trace import Trace
from desktop.settings.model import ChatSettings
from desktop.text.tokens import cost_of_source

NO_TRACE = Trace()


@dataclass(frozen=True)
class RequestBuilder:
    """A model and its question; `history` holds the earlier messages.

    `images` holds the pictures of messages for a model with vision; `pages` those of sources, loaded by
    `page_images`.
    """

    question: Question
    history: tuple[Message, ...]
    picked: SelectedModel
    chat: ChatSettings
    window: TokenWindow
    images: MessageImages
    own: NativeSearch
    page_images: PageImageLoader
    pages: PageImages = NO_PAGES

    @property
    def problems(self) -> tuple[str, ...]:
        """Messages about what the model cannot see or search."""
        return tuple(filter(None, (*self.images.problems, *self.pages.problems, self.own.problem)))

    def gathering(self, budget_tokens: int) -> GatherRequest:
        """Return the request for looking up sources."""
        question = replace(self.question, files=self.images.files)
        return GatherRequest(question, self.history, self.picked, budget_tokens)

    def parallel_slots(self, pinned: Sequence[Source]) -> int:
        """Return how many tokens of sources fit beside the pinned ones."""
        pictures = PICTURE_TOKENS * len(self.images.pictures.get(OF_QUESTION, ()))
        taken = pictures + sum(map(cost_of_source, pinned))
        return max(0, source_budget(self.question, self.window) - taken)

    def prompt(self, sources: Sequence[Source], window: TokenWindow, trace: Trace = NO_TRACE) -> BuiltPrompt:
        """Return the prompt that fits a window; `trace` records how `sources` were found."""
        return build_prompt(
            self.question.text,
            self.history,
            sources,
            context_tokens=window.context_tokens,
            answer_tokens=window.answer_tokens,
            today=datetime.now().astimezone().date(),
            manner=self.question.assistant.prompt,
            pictures=self.images.pictures,
            pages=self.pages.shown,
            search_note=search_note(trace, sources),
        )

    def request(self, prompt: BuiltPrompt, window: TokenWindow) -> ModelRequest:
        """Return the model request for a prompt."""
        request = ModelRequest(
            model=self.picked.name,
            messages=prompt.messages,
            max_output_tokens=window.answer_tokens,
            effort="" if Ability.REASONING in self.picked.facts.lacks else self.chat.effort,
            question=self.question.text,
            references=prompt.sources,
            searches=self.own.is_on,
        )
        return in_style(request, self.question.assistant.parameters)


def build_request_builder(
    question: Question,
    history: tuple[Message, ...],
    picked: SelectedModel,
    chat: ChatSettings,
    *,
    images: MessageImages,
    draw_page: DrawPage,
) -> RequestBuilder:
    """Return the request builder for a model; `images` are the pictures of the question and the history."""
    question, own = own_search(question, picked)
    page_images = PageImageLoader(draw_page, see=picked.sees)
    return RequestBuilder(question, history, picked, chat, picked.window(chat), images, own, page_images)


def source_budget(question: Question, window: TokenWindow) -> int:
    """Return how many tokens of sources fit into a window beside a question and the assistant's prompt."""
    manner = question.assistant.prompt
    return reference_budget(question.text, window.context_tokens, window.answer_tokens, manner)
