"""A message as an article, for our page and for export."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import PurePath

from desktop.domain.messages import Message, MessageStatus
from desktop.domain.models import QUOTES_MODEL
from desktop.domain.sources import Source
from desktop.phrases import told
from desktop.render.cards import sources_html
from desktop.render.labels import Labels
from desktop.render.message import RenderedMessage
from desktop.render.steps import steps_html

_GOES_ON = frozenset({MessageStatus.STOPPED, MessageStatus.INTERRUPTED, MessageStatus.FAILED})
_ICONS = {
    "copy": "M8 8h9v11H8zM5 16V5h9",
    "share": "M12 15V4M8 8l4-4 4 4M5 13v6h14v-6",
    "retry": "M18 8a7 7 0 1 0 1 6M19 4v5h-5",
    "continue": "M7 5l11 7-11 7z",
    "edit": "M5 19l1-4L16 5l3 3L9 18z",
}


@dataclass(frozen=True)
class Article:
    """The parts of an answer that are replaced on their own while it is written."""

    steps: str
    reasoning: str
    status: str
    sources: str
    actions: str


def question_html(message: Message, labels: Labels) -> str:
    """Return what a person wrote, letter by letter: it is no Markdown."""
    files = "".join(f"<li>{escape(PurePath(path).name)}</li>" for path in message.attachments)
    listed = f'<ul class="attachments">{files}</ul>' if files else ""
    return (
        f'<article class="message person" id="message-{escape(message.id)}" data-message="{escape(message.id)}" '
        f'aria-label="{escape(labels.you)}" tabindex="-1"><div class="bubble" dir="auto">{escape(message.text)}</div>'
        f'{listed}<footer class="actions">{_buttons(("copy", "edit"), labels)}</footer></article>'
    )


def answer_html(message: Message, body: str, parts: Article, labels: Labels) -> str:
    """Return an answer around the HTML of its text."""
    live = " streaming" if message.status is MessageStatus.STREAMING else ""
    return (
        f'<article class="message answer{live}" id="message-{escape(message.id)}" data-message="{escape(message.id)}" '
        f'aria-label="{escape(labels.answer)}" tabindex="-1"><div class="steps">{parts.steps}</div>'
        f'<div class="reasoning">{parts.reasoning}</div><div class="text" dir="auto">{body}</div>'
        f'<div class="status">{parts.status}</div><div class="sources">{parts.sources}</div>'
        f'<footer class="actions">{parts.actions}</footer></article>'
    )


def article_of(
    message: Message, sources: Mapping[int, Source], rendered: RenderedMessage, labels: Labels
) -> Article:
    """Return all parts of an answer but its text; `sources` are all of the conversation, by number."""
    is_live = message.status is MessageStatus.STREAMING
    numbers = sorted({*message.offered, *rendered.cited})
    offered = [sources[number] for number in numbers if number in sources]
    return Article(
        steps=steps_html(message.steps, labels, is_live=is_live),
        reasoning=reasoning_html(message.reasoning, labels, is_live=is_live and not message.text),
        status=status_html(message, labels),
        sources="" if is_live else sources_html(offered, rendered.cited, rendered.unknown, labels),
        actions="" if is_live else actions_html(message, labels),
    )


def reasoning_html(reasoning: str, labels: Labels, *, is_live: bool) -> str:
    """Return a model's reasoning, folded away, as plain text."""
    if not reasoning.strip():
        return ""
    live = " live" if is_live else ""
    return (
        f'<details class="thoughts{live}"><summary><span class="spinner" aria-hidden="true"></span>'
        f'{escape(labels.reasoning)}</summary><div class="thought-text" dir="auto">{escape(reasoning.strip())}</div></details>'
    )


def status_html(message: Message, labels: Labels) -> str:
    """Return what became of an answer that is not complete, with the ways out."""
    if message.status not in _GOES_ON:
        return ""
    words = escape(labels.statuses[message.status])
    error = (
        f'<p class="error-text">{escape(told(message.error, labels.language))}</p>' if message.error else ""
    )
    ways = ("continue", "retry") if message.text else ("retry",)
    return (
        f'<div class="notice {message.status.value}" role="status"><div><p>{words}</p>{error}</div>'
        f'<div class="ways">{_buttons(ways, labels, has_words=True)}</div></div>'
    )


def actions_html(message: Message, labels: Labels) -> str:
    """Return the buttons under an answer."""
    buttons = _buttons(("copy", "share", "retry"), labels)
    name = labels.quotes if message.model == QUOTES_MODEL else message.model.rsplit("/", 1)[-1]
    return buttons + (f'<span class="model">{escape(name)}</span>' if name else "")


def welcome_html(labels: Labels) -> str:
    """Return what an empty conversation shows."""
    examples = "".join(
        f'<li><button type="button" class="example" data-example="{index}">{escape(text)}</button></li>'
        for index, text in enumerate(labels.examples)
    )
    return (
        f'<section class="welcome"><h1>{escape(labels.welcome)}<sup aria-hidden="true">1</sup></h1>'
        f'<p>{escape(labels.welcome_text)}</p><ul class="examples">{examples}</ul></section>'
    )


def _buttons(actions: Sequence[str], labels: Labels, *, has_words: bool = False) -> str:
    return "".join(_button(action, labels.actions[action], has_words=has_words) for action in actions)


def _button(action: str, name: str, *, has_words: bool) -> str:
    icon = f'<svg viewBox="0 0 24 24" aria-hidden="true"><path d="{_ICONS[action]}"/></svg>'
    words = f"<span>{escape(name)}</span>" if has_words else ""
    kind = "way" if has_words else "action"
    return (
        f'<button type="button" class="{kind}" data-action="{action}" title="{escape(name)}" '
        f'aria-label="{escape(name)}">{icon}{words}</button>'
    )
