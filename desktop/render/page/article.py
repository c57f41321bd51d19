"""Renders a message as an article, for our page and for export: header, steps, text, versions, footer."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
from desktop.phrases import localize, pluralize, split_detail
from desktop.render.labels import STARTS, Labels
from desktop.render.message import RenderedMessage
from desktop.render.page.procedure_panels import procedure_html, words_to_go_on
from desktop.render.page.source_cards import check_html, damage_html, sources_html
from desktop.text.html_element import EMPTY, Html, button, element, fragment, icon

_VERSION_ICONS: Final = {"earlier": icon("M14 6l-6 6 6 6"), "later": icon("M10 6l6 6-6 6")}


def turns_class(message: Message) -> str:
    """Return the CSS class of a message that has several versions; its version buttons are always visible."""
    return " turns" if message.variants else ""


def versions_html(message: Message, labels: Labels) -> Html:
    """Return the buttons for the previous and the next version; empty if there is only one version."""
    if not message.variants:
        return EMPTY
    number, count = message.variants.index(message.id) + 1, len(message.variants)
    return element(
        "span",
        _version_button("earlier", labels, is_last=number == 1),
        element("span", f"{number}/{count}", aria_hidden="true"),
        _version_button("later", labels, is_last=number == count),
        class_="variants",
        role="group",
        aria_label=labels.variant.format(number=number, count=count),
    )


def _version_button(action: str, labels: Labels, *, is_last: bool) -> Html:
    return button(
        _VERSION_ICONS[action],
        class_="action",
        data_action=action,
        title=labels.actions[action],
        # Not `disabled`, which would take away the keyboard focus.
        aria_disabled="true" if is_last else None,
    )


_SERVICE_NAMES: Final = frozenset({"api", "html", "www", "search", "r", "chat"})
_CURRENCY_SIGNS = {"USD": "$", "EUR": "€", "CNY": "¥", "GBP": "£", "JPY": "¥"}
_MINUTE_S = 60
_TENTHS_BELOW_S = 10


def model_name(message: Message, labels: Labels) -> str:
    """Return the display name of the answering model, without the name of its server."""
    return labels.quotes if message.model == QUOTES_MODEL else message.model.rsplit("/", 1)[-1]


def footer_html(message: Message, labels: Labels) -> Html:
    """Return the footer of a message; unknown values are left out."""
    name = model_name(message, labels)
    if not name:
        return EMPTY
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
    return element("span", " · ".join(parts), class_="model", title=details or None)


def time_html(message: Message, labels: Labels) -> Html:
    """Return when a message was written: the time of day, with the full date as tooltip."""
    moment, clock = message.created_at.astimezone(), labels.clock
    return element("time", clock.time(moment), datetime=moment.isoformat(), title=clock.moment(moment))


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


def answer_header_html(message: Message, labels: Labels) -> Html:
    """Return the model, its usage and the actions; the style sheet shows them only among several answers."""
    if message.status is MessageStatus.STREAMING:
        return fragment(element("b", model_name(message, labels)), _way("stop", labels))
    head = footer_html(message, labels)
    if message.standing is AnswerRole.LEFT:
        head = button(head, class_="fold", aria_expanded="false", title=labels.actions["unfold"])
    return fragment(head, _way("choose", labels))


def _way(action: str, labels: Labels, kind: str = "way") -> Html:
    return button(labels.actions[action], class_=kind, data_action=action)


_PROBLEMS = frozenset({StepStatus.DEGRADED, StepStatus.FAILED})
_SPINNER = element("span", class_="spinner", aria_hidden="true")
_DOT = element("span", class_="dot", aria_hidden="true")


def steps_html(steps: Sequence[Step], labels: Labels, *, is_live: bool) -> Html:
    """Return the steps; live ones are headed by the current step."""
    shown = [step for step in steps if _has_news(step)]
    if not shown:
        return EMPTY
    running = [step for step in shown if step.status is StepStatus.RUNNING]
    problems = sum(step.status in _PROBLEMS for step in shown)
    head = name_step(running[-1], labels) if running else pluralize(labels.worked, len(shown))
    worst = " failed" if any(step.status is StepStatus.FAILED for step in shown) else ""
    note = element("span", pluralize(labels.issues, problems), class_=f"problems{worst}")
    rows = (_row(step, labels) for step in shown)
    live = " live" if is_live and running else ""
    return element(
        "details",
        element("summary", _SPINNER, element("span", head), note if problems else None),
        element("ol", *rows),
        None if is_live else _way("details", labels, "way details"),
        class_=f"step-list{live}",
    )


def _has_news(step: Step) -> bool:
    """Say whether a step is shown here: the answer and the progress of a check are shown elsewhere."""
    is_running_check = step.kind is StepKind.CHECK and step.status is StepStatus.RUNNING
    return not is_running_check and (step.kind is not StepKind.ANSWER or bool(step.detail))


def name_step(step: Step, labels: Labels) -> str:
    """Return what a step does and with what; the built-in model has a name in each language."""
    name = labels.steps[step.kind]
    subject = _subject_of(step, labels)
    return f"{name}: {subject}" if subject else name


def _subject_of(step: Step, labels: Labels) -> str:
    """Return what a step is about."""
    is_quotes = step.kind is StepKind.ANSWER and step.subject == QUOTES_MODEL
    return labels.quotes if is_quotes else step.subject


def _row(step: Step, labels: Labels) -> Html:
    parts = [_DOT, element("span", labels.steps[step.kind], class_="kind")]
    if step.subject:
        parts.append(element("span", _subject_of(step, labels), class_="subject"))
    if step.count is not None and step.kind in labels.counts:
        parts.append(element("span", pluralize(labels.counts[step.kind], step.count), class_="count"))
    if step.detail:
        parts.append(element("p", localize(step.detail, labels.language), class_="detail"))
    if step.kind is StepKind.RETRY and step.status is StepStatus.RUNNING:
        parts.append(_way("skip_wait", labels, "way skip-wait"))
    return element("li", *parts, class_=f"step {step.status.value}", data_step=step.id)


NAME_CHARS: Final = 60
"""Maximum length of the message text in a message's accessible name."""

_SIGNS = re.compile(r"(?:(?<!\s)\s+)?\[\d[\d,\s-]*\]|[#*_`~>|$\\\[\]]")
_OF_QUESTIONS: Final = ("copy", "edit", "remember", "more")
_OF_QUESTIONS_WITHOUT_WORDS: Final = ("edit", "more")
MENUS: Final = frozenset({"share", "beside", "retry_with", "more"})
"""Actions that open a menu at their button; `more` contains everything that can be done with a message."""

_GOES_ON = frozenset({MessageStatus.STOPPED, MessageStatus.INTERRUPTED, MessageStatus.FAILED})
_PATHS = {
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
_ICONS = {action: icon(path) for action, path in _PATHS.items()}


@dataclass(frozen=True)
class AnswerElement:
    """The parts of an answer that are replaced separately while it streams."""

    who: Html
    research: Html
    steps: Html
    reasoning: Html
    status: Html
    support: Html
    sources: Html
    actions: Html


def name_of(message: Message, labels: Labels) -> str:
    """Return the accessible name of a message: author, time and first words."""
    who = labels.you if message.speaker is Speaker.USER else labels.answer
    said = message.text or (labels.damaged if message.is_damaged else "")
    bare = _SIGNS.sub("", said[: 2 * NAME_CHARS])
    words = shorten(bare, NAME_CHARS, placeholder="…") or " ".join(bare.split())[:NAME_CHARS]
    named = f"{who}, {labels.clock.time(message.created_at)}"
    return f"{named}: {words}" if words else named


def question_html(message: Message, labels: Labels) -> Html:
    """Return the user's text literally, as it is not Markdown."""
    files = [element("li", PurePath(path).name) for path in message.attachments]
    # Files may be sent without text.
    bubble = element("div", message.text, class_="bubble", dir="auto") if message.text else None
    names = _OF_QUESTIONS if message.text else _OF_QUESTIONS_WITHOUT_WORDS
    buttons = fragment(versions_html(message, labels), _buttons(names, labels.actions))
    # Shown if no answer follows, because it was deleted or never started.
    retry = _button("retry", labels.answer_it, has_words=True)
    return element(
        "article",
        _heading(labels.you),
        bubble,
        damage_html(labels, is_damaged=message.is_damaged),
        element("ul", *files, class_="attachments") if files else None,
        element(
            "footer", time_html(message, labels), with_one_stop(buttons), class_="actions", role="toolbar"
        ),
        element("div", retry, class_="ways unanswered"),
        class_=f"message person{turns_class(message)}",
        id=f"message-{message.id}",
        data_message=message.id,
        aria_label=name_of(message, labels),
        tabindex=-1,
    )


def answer_html(message: Message, body: Html, parts: AnswerElement, labels: Labels) -> Html:
    """Return an answer with `body` as the HTML of its text; screen readers read that when the answer gets the focus."""
    live = " streaming" if message.status is MessageStatus.STREAMING else ""
    return element(
        "article",
        _heading(labels.answer),
        element("div", parts.who, class_="who"),
        element("div", parts.research, class_="research"),
        element("div", parts.steps, class_="steps"),
        element("div", parts.reasoning, class_="reasoning"),
        element("div", body, class_="text", id=f"text-{message.id}", dir="auto"),
        damage_html(labels, is_damaged=message.is_damaged),
        element("div", parts.status, class_="status"),
        element("div", parts.support, class_="support"),
        element("div", parts.sources, class_="sources"),
        element("footer", parts.actions, class_="actions", role="toolbar"),
        class_=f"message answer{live}{turns_class(message)}",
        id=f"message-{message.id}",
        data_message=message.id,
        data_standing=message.standing,
        aria_label=name_of(message, labels),
        aria_describedby=f"text-{message.id}",
        tabindex=-1,
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
        support=EMPTY if is_live else check_html(message.check, labels),
        sources=EMPTY
        if is_live
        else fragment(
            sources_html(offered, rendered.cited, rendered.unknown, labels), sent_html(message, labels)
        ),
        actions=versions_html(message, labels)
        if is_live
        else actions_html(message, labels, cites=bool(rendered.cited or rendered.unknown)),
    )


def sent_html(message: Message, labels: Labels) -> Html:
    """Return where data was sent for an answer, with the hosts folded away; nothing if that was not recorded."""
    sent = message.spent.sent if message.spent is not None else None
    if sent is None or message.is_foreign:
        return EMPTY
    if not sent:
        has_tools = any(step.kind is StepKind.TOOL for step in message.steps)
        return element("p", labels.sent_by_tools if has_tools else labels.sent_nowhere, class_="sent")
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
    rows = (element("li", each.host, " · ", element("span", labels.sent_data[each.channel])) for each in sent)
    heading = element("summary", labels.sent_to.format(names=listed))
    return element("details", heading, element("ul", *rows), class_="sent")


def _site(host: str) -> str:
    """Return a host without the part in front that only says what it serves."""
    first, _, rest = host.partition(".")
    return rest if first in _SERVICE_NAMES and "." in rest else host


def reasoning_html(message: Message, labels: Labels) -> Html:
    """Return a model's reasoning as collapsed plain text, headed by its duration."""
    reasoning = message.reasoning.strip()
    if not (reasoning or message.is_reasoning_damaged):
        return EMPTY
    is_thinking = message.status is MessageStatus.STREAMING and message.spent is None and not message.text
    live = " live" if is_thinking else ""
    head = labels.thinking if is_thinking else labels.thought
    if not is_thinking and message.spent is not None and message.spent.thinking_s:
        head = labels.thought_for.format(time=duration(message.spent.thinking_s, labels))
    return element(
        "details",
        element("summary", _SPINNER, head),
        element("div", reasoning, class_="thought-text", dir="auto"),
        damage_html(labels, is_damaged=message.is_reasoning_damaged),
        class_=f"thoughts{live}",
    )


def status_html(message: Message, labels: Labels) -> Html:
    """Return the status of an incomplete answer, with the possible actions; of one without a quote, what helps there."""
    if message.status is MessageStatus.COMPLETE and message.settings_page and not message.error:
        has_failed = any(
            step.kind is StepKind.SEARCH and step.status is StepStatus.FAILED for step in message.steps
        )
        names = {"settings": labels.set_up_model, "retry": labels.try_again}
        way = _buttons(["retry" if has_failed else "settings"], names, has_words=True)
        return element("div", way, class_="ways missing-model")
    if message.status not in _GOES_ON:
        return EMPTY
    told = [element("p", labels.statuses[message.status])]
    names = labels.actions
    ways = ["continue", "retry"] if message.text else ["retry"]
    if message.procedure is not None and message.procedure.phase is not Phase.DONE:
        go_on, kept = words_to_go_on(message.procedure, labels)
        ways, names = ["continue", "retry"], {**names, "continue": go_on}
        told.append(element("p", kept))
    if message.error:
        told.extend(_error_html(message.error, labels))
    if message.status is MessageStatus.FAILED:
        ways.append("retry_with")
    if message.settings_page:  # the most helpful action comes first
        ways, names = ["settings", *ways], {**names, "settings": labels.error_fixes[message.settings_page]}
    return element(
        "div",
        element("div", *told),
        element("div", _buttons(ways, names, has_words=True), class_="ways"),
        class_=f"notice {message.status.value}",
        role="status",
    )


def _error_html(error: str, labels: Labels) -> list[Html]:
    """Return what failed and what to do; what a server or the system said about it is behind *Details*."""
    said, detail = split_detail(error)
    told = [element("p", localize(said, labels.language).strip(), class_="error-text")]
    if detail:
        summary = element("summary", labels.error_details)
        words = element("p", localize(detail, labels.language))
        told.append(element("details", summary, words, class_="error-text"))
    return told


def actions_html(message: Message, labels: Labels, *, cites: bool) -> Html:
    """Return the buttons under an answer; an answer that `cites` sources can be checked."""
    takes = ("copy", "share") if message.text else ()
    checks = ("check",) if cites else ()
    buttons = _buttons((*takes, "retry", "beside", *checks, "more"), labels.actions)
    bar = with_one_stop(fragment(versions_html(message, labels), buttons))
    return fragment(bar, time_html(message, labels), footer_html(message, labels))


def with_one_stop(buttons: Html) -> Html:
    """Return the buttons of a toolbar with one Tab stop: the page moves it with the arrow keys."""
    first, begin, others = buttons.partition("<button ")
    return Html(first + begin + others.replace("<button ", '<button tabindex="-1" '))


def _heading(words: str) -> Html:
    """Return the heading of a message for screen readers, which jump from one to the next."""
    return element("h2", class_="unseen", aria_label=words)


def welcome_html(labels: Labels) -> Html:
    """Return the content of an empty conversation."""
    examples = (
        element("li", button(text, class_="example", data_example=index))
        for index, text in enumerate(labels.examples)
    )
    starts = (
        element("li", button(element("strong", title), use, class_="example start", data_example=index))
        for index, (title, use) in enumerate(labels.starts, len(labels.examples))
    )
    sample = element("strong", labels.sample_title)
    heading = element(
        "h1",
        labels.welcome,
        element("sup", button(1, class_="sample", aria_describedby="sample-card")),
        element("span", sample, labels.sample_text, id="sample-card", role="tooltip"),
    )
    return element(
        "section",
        heading,
        element("p", labels.welcome_text),
        element("ul", *examples, class_="examples"),
        element("ul", *starts, class_="examples starts"),
        None if labels.has_model else _way_to_model(labels),
        class_="welcome",
    )


def _way_to_model(labels: Labels) -> Html:
    place = len(labels.examples) + STARTS.index("models")
    way = button(labels.set_up_model, class_="way example-model", data_example=place)
    return element("p", element("span", labels.without_model), way, class_="without-model")


def _buttons(actions: Sequence[str], names: Mapping[str, str], *, has_words: bool = False) -> Html:
    return fragment(*(_button(action, names[action], has_words=has_words) for action in actions))


def _button(action: str, name: str, *, has_words: bool) -> Html:
    return button(
        _ICONS[action],
        # Not both a title and a label: screen readers would say the same words twice.
        element("span", name) if has_words else None,
        class_="way" if has_words else "action",
        title=None if has_words else name,
        data_action=action,
        aria_haspopup="menu" if action in MENUS else None,
    )
