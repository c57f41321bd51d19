"""The title of a conversation until the user sets one: its first line, or one that a model writes."""

import re
from contextlib import aclosing
from html import escape
from typing import TYPE_CHECKING, Final

from desktop.domain.messages import Conversation, Message, Speaker, main_branch
from desktop.domain.models import ModelRequest, PromptMessage, ReasoningDelta, TextDelta
from desktop.resources import resource_text
from desktop.text.markdown import strip_markdown

if TYPE_CHECKING:  # titles are created before sources can be looked up
    from desktop.chat.source_lookup import SelectedModel

_MAX_CHARS = 48
_SOFT_ENDS = re.compile(r"[\s，。,.;；:：!?！？]+$")
_PART_CHARS: Final = 1_500
_TITLE_TOKENS: Final = 60
_MOST_CHARS: Final = 40_000
"""Stop reading after this many characters, in case a model thinks anyway or a server ignores `_TITLE_TOKENS`."""
_THOUGHTS = re.compile(r"<think>.*?(?:</think>|$)", re.DOTALL)
_LEAD = re.compile(r"^\W*(?:title|name|标题|名称)\s*[:：]\s*", re.IGNORECASE)
_AROUND: Final = " \t\"'“”‘’«»「」『』《》【】*_#`.。"


def title_of(question: str) -> str:
    """Return the first line of `question`; a long one is cut at a word boundary."""
    line = first_line(question)
    if len(line) <= _MAX_CHARS:
        return line
    cut = line[:_MAX_CHARS]
    word_end = cut.rfind(" ")
    if word_end > _MAX_CHARS // 2:
        cut = cut[:word_end]
    return _SOFT_ENDS.sub("", cut) + "…"


def first_line(text: str) -> str:
    """Return the first line that has words.

    Signs of Markdown are left out where more follows: alone, `# of visitors` is no heading.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    line = next(iter(lines), "")
    return strip_markdown(line) if len(lines) > 1 else line


async def title_by(picked: "SelectedModel", conversation: Conversation) -> str:
    """Return a model's title for a conversation; empty if the model gives no usable one."""
    messages = main_branch(conversation.messages)
    asked, answered = _first(messages, Speaker.USER), _first(messages, Speaker.MODEL)
    if not asked:
        return ""
    request = ModelRequest(
        picked.name,
        (
            PromptMessage("system", resource_text("prompts/title.txt").strip()),
            PromptMessage("user", f"<question>{_part(asked)}</question>\n<answer>{_part(answered)}</answer>"),
        ),
        temperature=0.0,
        max_output_tokens=_TITLE_TOKENS,
        thinks=False,
    )
    written, budget = "", _MOST_CHARS
    async with aclosing(picked.model.stream(request)) as events:
        async for event in events:
            if isinstance(event, TextDelta | ReasoningDelta):
                budget -= len(event.text)
            if isinstance(event, TextDelta):
                written += event.text
            if budget < 0 or "\n" in _strip_thoughts(written):
                break
    return read_title(written[:_MOST_CHARS])


def read_title(written: str) -> str:
    """Return the title from a model's output: one short line, without quotation marks and similar additions."""
    return title_of(_LEAD.sub("", title_of(_strip_thoughts(written))).strip(_AROUND))


def _strip_thoughts(written: str) -> str:
    return _THOUGHTS.sub("", written).lstrip()


def _first(messages: tuple[Message, ...], speaker: Speaker) -> str:
    texts = (message.text.strip() for message in messages if message.speaker is speaker)
    return next(filter(None, texts), "")


def _part(text: str) -> str:
    return escape(text[:_PART_CHARS], quote=False)
