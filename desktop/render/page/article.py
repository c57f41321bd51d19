"""Renders a message as an article, for our page and for export: header, steps, text, versions, footer."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import PurePath
from textwrap import shorten
from typing import Final

from desktop.domain.messages import (
    AnswerCost,
    AnswerRole,
    Message,
    MessageStatus,
    Speaker,
    Step,
    StepKind,
    StepStatus,
)
from desktop.domain.models import QUOTES_MODEL, UsageReported
from desktop.domain.privacy import Channel
from desktop.domain.procedures import Phase
from desktop.domain.sources import Source
from desktop.phrases import localize, pluralize
from desktop.render.labels import Labels
from desktop.render.message import RenderedMessage
from desktop.render.page.document_panels import procedure_html, words_to_go_on
from desktop.render.page.source_cards import check_html, damage_html, sources_html

_VERSION_ICONS: Final = {"earlier": "M14 6l-6 6 6 6", "later": "M10 6l6 6-6 6"}


def turns_class(message: Message) -> str:
    """Return the CSS class of a message that has several versions; its version buttons are always visible."""
    return " turns" if message.variants else ""


def versions_html(message: Message, labels: Labels) -> str:
    """Return the buttons for the previous and the next version; empty if there is only one version."""
    if not message.variants:
        return ""
    number, count = message.variants.index(message.id) + 1, len(message.variants)
    name = escape(labels.variant.format(number=number, count=count))
    earlier = _version_button("earlier", labels, is_last=number == 1)
    later = _version_button("later", labels, is_last=number == count)
    return (
        f'<span class="variants" role="group" aria-label="{name}">{earlier}'
        f'<span aria-hidden="true">{number}/{count}</span>{later}</span>'
    )


def _version_button(action: str, labels: Labels, *, is_last: bool) -> str:
    name = escape(labels.actions[action])
    # Not `disabled`, which would take away the keyboard focus.
    state = ' aria-disabled="true"' if is_last else ""
    return (
        f'<button type="button" class="action" data-action="{action}" title="{name}"{state}>'
        f'<svg viewBox="0 0 24 24" aria-hidden="true"><path d="{_VERSION_ICONS[action]}"/></svg></button>'
    )


_SERVICE_NAMES: Final = frozenset({"api", "html", "www", "search", "r", "chat"})
_CURRENCY_SIGNS = {"USD": "$", "EUR": "€", "CNY": "¥", "GBP": "£", "JPY": "¥"}
_MINUTE_S = 60
_TENTHS_BELOW_S = 10


def model_name(message: Message, labels: Labels) -> str:
    """Return the display name of the answering model, without the name of its server."""
    return labels.quotes if message.model == QUOTES_MODEL else message.model.rsplit("/", 1)[-1]


def footer_html(message: Message, labels: Labels) -> str:
    """Return the footer of a message; unknown values are left out."""
    name = model_name(message, labels)
    if not name:
        return ""
    usage, spent = message.usage, message.spent
    parts = [name]
    if spent is not None and spent.seconds and message.model != QUOTES_MODEL:
        parts.append(duration(spent.seconds, labels))
    if usage is not None and (usage.input_tokens or usage.output_tokens):
        parts.append(labels.tokens.format(given=f"{usage.input_tokens:,}", made=f"{usage.output_tokens:,}"))
    if usage is not None and usage.written_s and usage.output_tokens:
        rate = usage.output_tokens / usage.written_s
        parts.append(labels.speed.format(count=f"{rate:.1f}" if rate < _TENTHS_BELOW_S else f"{rate:,.0f}"))
    if spent is not None and spent.cost is not None:
        parts.append(cost_words(spent))
    details = _usage_details(usage, labels) if usage is not None else ""
    tip = f' title="{escape(details)}"' if details else ""
    return f'<span class="model"{tip}>{escape(" · ".join(parts))}</span>'


def time_html(message: Message, labels: Labels) -> str:
    """Return when a message was written: the time of day, with the full date as tooltip."""
    moment, clock = message.created_at.astimezone(), labels.clock
    whole, time = escape(clock.moment(moment)), escape(clock.time(moment))
    return f'<time datetime="{moment.isoformat()}" title="{whole}">{time}</time>'


def duration(seconds: float, labels: Labels) -> str:
    """Return a duration in words: 3.4 s, 12 s, 2 min 5 s."""
    if seconds < _TENTHS_BELOW_S:
        return labels.seconds.format(seconds=f"{max(seconds, 0.1):.1f}".removesuffix(".0"))
    minutes, rest = divmod(round(seconds), _MINUTE_S)
    if not minutes:
        return labels.seconds.format(seconds=rest)
    return labels.minutes.format(minutes=minutes, seconds=rest)


def cost_words(spent: AnswerCost) -> str:
    """Return a cost with two decimals, or up to four if it is below 1."""
    amount = spent.cost or 0.0
    text = f"{amount:.2f}" if amount >= 1 else f"{amount:.4f}".rstrip("0").rstrip(".")
    return (
        f"{_CURRENCY_SIGNS[spent.currency]}{text}"
        if spent.currency in _CURRENCY_SIGNS
        else f"{text} {spent.currency}"
    )


def _usage_details(usage: UsageReported, labels: Labels) -> str:
    """Return how many of the tokens were cached and how many were reasoning."""
    parts = []
    if usage.cached_tokens:
        parts.append(labels.cached_tokens.format(count=f"{usage.cached_tokens:,}"))
    if usage.reasoning_tokens:
        parts.append(labels.reasoning_tokens.format(count=f"{usage.reasoning_tokens:,}"))
    return " · ".join(parts)


def answer_header_html(message: Message, labels: Labels) -> str:
    """Return the model, its usage and the actions; the style sheet shows them only among several answers."""
    if message.status is MessageStatus.STREAMING:
        return f"<b>{escape(model_name(message, labels))}</b>{_way('stop', labels)}"
    head = footer_html(message, labels)
    if message.standing is AnswerRole.LEFT:
        words = escape(labels.actions["unfold"])
        head = f'<button type="button" class="fold" aria-expanded="false" title="{words}">{head}</button>'
    return head + _way("choose", labels)


def _way(action: str, labels: Labels) -> str:
    name = escape(labels.actions[action])
    return f'<button type="button" class="way" data-action="{action}">{name}</button>'


_PROBLEMS = frozenset({StepStatus.DEGRADED, StepStatus.FAILED})


def steps_html(steps: Sequence[Step], labels: Labels, *, is_live: bool) -> str:
    """Return the steps; live ones are headed by the current step."""
    shown = [step for step in steps if _has_news(step)]
    if not shown:
        return ""
    running = [step for step in shown if step.status is StepStatus.RUNNING]
    problems = sum(step.status in _PROBLEMS for step in shown)
    head = _now(running[-1], labels) if running else pluralize(labels.worked, len(shown))
    worst = " failed" if any(step.status is StepStatus.FAILED for step in shown) else ""
    note = (
        f'<span class="problems{worst}">{escape(pluralize(labels.issues, problems))}</span>'
        if problems
        else ""
    )
    rows = "".join(_row(step, labels) for step in shown)
    live = " live" if is_live and running else ""
    details = "" if is_live else _details(labels)
    return (
        f'<details class="step-list{live}"><summary><span class="spinner" aria-hidden="true"></span>'
        f"<span>{escape(head)}</span>{note}</summary><ol>{rows}</ol>{details}</details>"
    )


def _has_news(step: Step) -> bool:
    """Say whether a step is shown here: the answer and the progress of a check are shown elsewhere."""
    is_running_check = step.kind is StepKind.CHECK and step.status is StepStatus.RUNNING
    return not is_running_check and (step.kind is not StepKind.ANSWER or bool(step.detail))


def _details(labels: Labels) -> str:
    """Return the button that opens the full record."""
    words = escape(labels.actions["details"])
    return f'<button type="button" class="way details" data-action="details">{words}</button>'


def _skip(labels: Labels) -> str:
    """Return the button that skips the wait before a retry."""
    words = escape(labels.actions["skip_wait"])
    return f'<button type="button" class="way skip-wait" data-action="skip_wait">{words}</button>'


def _now(step: Step, labels: Labels) -> str:
    name = labels.steps[step.kind]
    return f"{name}: {step.subject}" if step.subject else name


def _row(step: Step, labels: Labels) -> str:
    count = ""
    if step.count is not None and step.kind in labels.counts:
        count = f'<span class="count">{escape(pluralize(labels.counts[step.kind], step.count))}</span>'
    subject = f'<span class="subject">{escape(step.subject)}</span>' if step.subject else ""
    detail = f'<p class="detail">{escape(localize(step.detail, labels.language))}</p>' if step.detail else ""
    way = _skip(labels) if step.kind is StepKind.RETRY and step.status is StepStatus.RUNNING else ""
    return (
        f'<li class="step {step.status.value}" data-step="{step.id}"><span class="dot" aria-hidden="true"></span>'
        f'<span class="kind">{escape(labels.steps[step.kind])}</span>{subject}{count}{detail}{way}</li>'
    )


NAME_CHARS: Final = 60
"""Maximum length of the message text in a message's accessible name."""

_SIGNS = re.compile(r"(?:(?<!\s)\s+)?\[\d[\d,\s-]*\]|[#*_`~>|$\\\[\]]")
_OF_QUESTIONS: Final = ("copy", "edit", "remember", "more")
_OF_QUESTIONS_WITHOUT_WORDS: Final = ("edit", "more")
MENUS: Final = frozenset({"share", "beside", "retry_with", "more"})
"""Actions that open a menu at their button; `more` contains everything that can be done with a message."""

_GOES_ON = frozenset({MessageStatus.STOPPED, MessageStatus.INTERRUPTED, MessageStatus.FAILED})
_ICONS = {
    "copy": "M8 8h9v11H8zM5 16V5h9",
    "share": "M12 15V4M8 8l4-4 4 4M5 13v6h14v-6",
    "retry": "M18 8a7 7 0 1 0 1 6M19 4v5h-5",
    "beside": "M4 5h7v14H4zM13 5h7v14h-7z",
    "continue": "M7 5l11 7-11 7z",
    "check": "M4 6h9M4 11h6M4 16h5M12 16l3 3 6-7",
    "edit": "M5 19l1-4L16 5l3 3L9 18z",
    "remember": "M7 4h10v16l-5-4-5 4z",
    "retry_with": "M4 5h7v6H4zM13 13h7v6h-7zM15 5h5v5M9 19H4v-5",
    "settings": "M4 7h10M18 7h2M4 17h2M10 17h10M14 4.500v5M6 14.500v5",
    "more": "M5 12h.01M12 12h.01M19 12h.01",
}


@dataclass(frozen=True)
class AnswerElement:
    """The parts of an answer that are replaced separately while it streams."""

    who: str
    research: str
    steps: str
    reasoning: str
    status: str
    support: str
    sources: str
    actions: str


def name_of(message: Message, labels: Labels) -> str:
    """Return the accessible name of a message: author, time and first words."""
    who = labels.you if message.speaker is Speaker.USER else labels.answer
    said = message.text or (labels.damaged if message.is_damaged else "")
    bare = _SIGNS.sub("", said[: 2 * NAME_CHARS])
    words = shorten(bare, NAME_CHARS, placeholder="…") or " ".join(bare.split())[:NAME_CHARS]
    named = f"{who}, {labels.clock.time(message.created_at)}"
    return f"{named}: {words}" if words else named


def question_html(message: Message, labels: Labels) -> str:
    """Return the user's text literally, as it is not Markdown."""
    files = "".join(f"<li>{escape(PurePath(path).name)}</li>" for path in message.attachments)
    listed = f'<ul class="attachments">{files}</ul>' if files else ""
    # Files may be sent without text.
    bubble = f'<div class="bubble" dir="auto">{escape(message.text)}</div>' if message.text else ""
    lost = damage_html(labels, is_damaged=message.is_damaged)
    buttons = _OF_QUESTIONS if message.text else _OF_QUESTIONS_WITHOUT_WORDS
    return (
        f'<article class="message person{turns_class(message)}" id="message-{escape(message.id)}" '
        f'data-message="{escape(message.id)}" '
        f'aria-label="{escape(name_of(message, labels))}" tabindex="-1">{_heading(labels.you)}{bubble}'
        f'{lost}{listed}<footer class="actions" role="toolbar">{time_html(message, labels)}'
        f"{with_one_stop(versions_html(message, labels) + _buttons(buttons, labels.actions))}</footer>"
        # Shown if no answer follows, because it was deleted or never started.
        f'<div class="ways unanswered">{_button("retry", labels.answer_it, has_words=True)}</div></article>'
    )


def answer_html(message: Message, body: str, parts: AnswerElement, labels: Labels) -> str:
    """Return an answer with `body` as the HTML of its text; screen readers read that when the answer gets the focus."""
    live = " streaming" if message.status is MessageStatus.STREAMING else ""
    return (
        f'<article class="message answer{live}{turns_class(message)}" id="message-{escape(message.id)}" '
        f'data-message="{escape(message.id)}" '
        f'data-standing="{message.standing}" aria-label="{escape(name_of(message, labels))}" '
        f'aria-describedby="text-{escape(message.id)}" tabindex="-1">'
        f'{_heading(labels.answer)}<div class="who">{parts.who}</div><div class="research">{parts.research}</div>'
        f'<div class="steps">{parts.steps}</div>'
        f'<div class="reasoning">{parts.reasoning}</div><div class="text" id="text-{escape(message.id)}" dir="auto">{body}</div>'
        f"{damage_html(labels, is_damaged=message.is_damaged)}"
        f'<div class="status">{parts.status}</div><div class="support">{parts.support}</div>'
        f'<div class="sources">{parts.sources}</div>'
        f'<footer class="actions" role="toolbar">{parts.actions}</footer></article>'
    )


def article_of(
    message: Message,
    sources: Mapping[int, Source],
    rendered: RenderedMessage,
    labels: Labels,
) -> AnswerElement:
    """Return all parts of an answer except its text; `sources` are all of the conversation, by number."""
    is_live = message.status is MessageStatus.STREAMING
    numbers = sorted({*message.offered, *rendered.cited})
    offered = [sources[number] for number in numbers if number in sources]
    return AnswerElement(
        who=answer_header_html(message, labels),
        research=procedure_html(message, sources, labels),
        steps=steps_html(message.steps, labels, is_live=is_live),
        reasoning=reasoning_html(message, labels),
        status=status_html(message, labels),
        support="" if is_live else check_html(message.check, labels),
        sources=""
        if is_live
        else sources_html(offered, rendered.cited, rendered.unknown, labels) + sent_html(message, labels),
        actions=versions_html(message, labels)
        if is_live
        else actions_html(message, labels, cites=bool(rendered.cited or rendered.unknown)),
    )


def sent_html(message: Message, labels: Labels) -> str:
    """Return where data was sent for an answer, with the hosts folded away; nothing if that was not recorded."""
    sent = message.spent.sent if message.spent is not None else None
    if sent is None or message.is_foreign:
        return ""
    if not sent:
        has_tools = any(step.kind is StepKind.TOOL for step in message.steps)
        return f'<p class="sent">{escape(labels.sent_by_tools if has_tools else labels.sent_nowhere)}</p>'
    read = {_site(each.host) for each in sent if each.channel is Channel.READING}
    names = list(dict.fromkeys(_site(each.host) for each in sent if each.channel is not Channel.READING))
    read -= set(names)
    if len(read) == 1:
        names += read
    elif read:
        names.append(pluralize(labels.sites, len(read)))
    listed = (
        names[0] if len(names) == 1 else labels.last_comma.join((labels.comma.join(names[:-1]), names[-1]))
    )
    rows = "".join(
        f"<li>{escape(each.host)} <span>{escape(labels.sent_data[each.channel])}</span></li>" for each in sent
    )
    return (
        f'<details class="sent"><summary>{escape(labels.sent_to.format(names=listed))}</summary>'
        f"<ul>{rows}</ul></details>"
    )


def _site(host: str) -> str:
    """Return a host without the part in front that only says what it serves."""
    first, _, rest = host.partition(".")
    return rest if first in _SERVICE_NAMES and "." in rest else host


def reasoning_html(message: Message, labels: Labels) -> str:
    """Return a model's reasoning as collapsed plain text, headed by its duration."""
    reasoning = message.reasoning.strip()
    if not (reasoning or message.is_reasoning_damaged):
        return ""
    is_thinking = message.status is MessageStatus.STREAMING and message.spent is None and not message.text
    live = " live" if is_thinking else ""
    head = labels.thinking if is_thinking else labels.thought
    if not is_thinking and message.spent is not None and message.spent.thinking_s:
        head = labels.thought_for.format(time=duration(message.spent.thinking_s, labels))
    lost = damage_html(labels, is_damaged=message.is_reasoning_damaged)
    return (
        f'<details class="thoughts{live}"><summary><span class="spinner" aria-hidden="true"></span>'
        f'{escape(head)}</summary><div class="thought-text" dir="auto">{escape(reasoning)}</div>{lost}</details>'
    )


def status_html(message: Message, labels: Labels) -> str:
    """Return the status of an incomplete answer, with the possible actions."""
    if message.status not in _GOES_ON:
        return ""
    words = escape(labels.statuses[message.status])
    error = (
        f'<p class="error-text">{escape(localize(message.error, labels.language))}</p>'
        if message.error
        else ""
    )
    words_of_research = ""
    names = labels.actions
    ways = ["continue", "retry"] if message.text else ["retry"]
    if message.procedure is not None and message.procedure.phase is not Phase.DONE:
        go_on, kept = words_to_go_on(message.procedure, labels)
        ways, names = ["continue", "retry"], {**names, "continue": go_on}
        words_of_research = f"<p>{escape(kept)}</p>"
    if message.status is MessageStatus.FAILED:
        ways.append("retry_with")
    if message.settings_page:  # the most helpful action comes first
        ways, names = ["settings", *ways], {**names, "settings": labels.error_fixes[message.settings_page]}
    return (
        f'<div class="notice {message.status.value}" role="status"><div><p>{words}</p>{words_of_research}{error}</div>'
        f'<div class="ways">{_buttons(ways, names, has_words=True)}</div></div>'
    )


def actions_html(message: Message, labels: Labels, *, cites: bool) -> str:
    """Return the buttons under an answer; an answer that `cites` sources can be checked."""
    takes = ("copy", "share") if message.text else ()
    checks = ("check",) if cites else ()
    buttons = _buttons((*takes, "retry", "beside", *checks, "more"), labels.actions)
    bar = with_one_stop(versions_html(message, labels) + buttons)
    return bar + time_html(message, labels) + footer_html(message, labels)


def with_one_stop(buttons: str) -> str:
    """Return the buttons of a toolbar with one Tab stop: the page moves it with the arrow keys."""
    first, begin, others = buttons.partition("<button ")
    return first + begin + others.replace("<button ", '<button tabindex="-1" ')


def _heading(words: str) -> str:
    """Return the heading of a message for screen readers, which jump from one to the next."""
    return f'<h2 class="unseen" aria-label="{escape(words)}"></h2>'


def welcome_html(labels: Labels) -> str:
    """Return the content of an empty conversation."""
    examples = "".join(
        f'<li><button type="button" class="example" data-example="{index}">{escape(text)}</button></li>'
        for index, text in enumerate(labels.examples)
    )
    count = len(labels.examples)
    starts = "".join(
        f'<li><button type="button" class="example start" data-example="{count + number}">'
        f"<strong>{escape(title)}</strong>{escape(use)}</button></li>"
        for number, (title, use) in enumerate(labels.starts)
    )
    return (
        f'<section class="welcome"><h1>{escape(labels.welcome)}<sup><button type="button" class="sample" '
        f'aria-describedby="sample-card">1</button></sup><span id="sample-card" role="tooltip">'
        f"<strong>{escape(labels.sample_title)}</strong>{escape(labels.sample_text)}</span></h1>"
        f'<p>{escape(labels.welcome_text)}</p><ul class="examples">{examples}</ul>'
        f'<ul class="examples starts">{starts}</ul></section>'
    )


def _buttons(actions: Sequence[str], names: Mapping[str, str], *, has_words: bool = False) -> str:
    return "".join(_button(action, names[action], has_words=has_words) for action in actions)


def _button(action: str, name: str, *, has_words: bool) -> str:
    icon = f'<svg viewBox="0 0 24 24" aria-hidden="true"><path d="{_ICONS[action]}"/></svg>'
    # Not both a title and a label: screen readers would say the same words twice.
    words = f"<span>{escape(name)}</span>" if has_words else ""
    named = 'class="way"' if has_words else f'class="action" title="{escape(name)}"'
    popup = ' aria-haspopup="menu"' if action in MENUS else ""
    return f'<button type="button" {named} data-action="{action}"{popup}>{icon}{words}</button>'
