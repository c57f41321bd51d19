"""Texts for the options of a question: assistants, models, document tasks, research depths, memories."""

import json
import re
from math import floor, log10

from PySide6.QtCore import QCoreApplication, QLocale
from PySide6.QtGui import QFont

from desktop.domain.assistants import Assistant
from desktop.domain.memory import Memory, MemoryOrigin, normalize_fact
from desktop.domain.models import Ability, ModelFacts, Price
from desktop.domain.procedures import BUDGETS, Depth, DocumentTask
from desktop.text.decode import pretty_json, printable
from desktop.ui.labels.common import format_date
from desktop.ui.theme.theme import can_draw


def assistant_name(assistant: Assistant) -> str:
    """Return an assistant's name; the general assistant has a fixed, translated name."""
    return assistant.name or QCoreApplication.translate("assistant_words", "General")


def badge_of(assistant: Assistant, font: QFont) -> str:
    """Return the icon of an assistant, or the first letter of its name if no installed font has the icon."""
    name = assistant_name(assistant)
    return assistant.icon if assistant.icon and can_draw(assistant.icon, font.family()) else name[:1].upper()


def with_badge(assistant: Assistant, font: QFont) -> str:
    """Return the icon and the name; without an icon, only the name."""
    name = assistant_name(assistant)
    is_drawn = bool(assistant.icon) and can_draw(assistant.icon, font.family())
    return f"{assistant.icon}  {name}" if is_drawn else name


_THOUSAND = 1_000
_MILLION = 1_000_000

SIGNS = {"USD": "$", "EUR": "€", "CNY": "¥", "GBP": "£", "JPY": "¥"}


def ability_name(ability: Ability) -> str:
    """Return the label of an ability."""
    match ability:
        case Ability.TOOLS:
            return QCoreApplication.translate("model_words", "Tools")
        case Ability.IMAGES:
            return QCoreApplication.translate("model_words", "Images")
        case Ability.FILES:
            return QCoreApplication.translate("model_words", "Files")
        case Ability.REASONING:
            return QCoreApplication.translate("model_words", "Reasoning")
        case Ability.SEARCH:
            return QCoreApplication.translate("model_words", "Web search")


def tags_of(facts: ModelFacts) -> tuple[str, ...]:
    """Return the context window size and the abilities of a model, as far as known."""
    size = (short_count(facts.context_tokens),) if facts.context_tokens else ()
    return (*size, *map(ability_name, facts.has))


def format_price(price: Price) -> str:
    """Return the price of a million input and output tokens."""
    given, made = (money(amount, price.currency) for amount in (price.input, price.output))
    words = QCoreApplication.translate("model_words", "{given} input, {made} output per million tokens")
    return words.format(given=given, made=made)


def money(amount: float, currency: str) -> str:
    """Return an amount with as few digits as needed to show that it is not zero."""
    digits = 2 if amount >= 1 or not amount else max(4, 1 - floor(log10(amount)))
    text = QLocale().toString(amount, "f", digits).rstrip("0").rstrip(QLocale().decimalPoint())
    return f"{SIGNS[currency]}{text or '0'}" if currency in SIGNS else f"{text or '0'} {currency}"


def short_count(tokens: int) -> str:
    """Return a token count in the usual form of context windows: 8k, 128k, 1M."""
    if tokens >= _MILLION:
        return f"{tokens / _MILLION:.1f}".removesuffix(".0") + "M"
    return f"{round(tokens / _THOUSAND)}k" if tokens >= _THOUSAND else str(tokens)


_COMMANDS = {
    DocumentTask.READ: re.compile(
        r"/(?:read|阅读|閱讀)(?:[\s:：,，]+|$)(?P<rest>.*)", re.IGNORECASE | re.DOTALL
    ),
    DocumentTask.WRITE: re.compile(
        r"/(?:write|写作|寫作)(?:[\s:：,，]+|$)(?P<rest>.*)", re.IGNORECASE | re.DOTALL
    ),
    DocumentTask.CHECK: re.compile(
        r"/(?:check|核查|核对|核對)(?:[\s:：,，]+|$)(?P<rest>.*)", re.IGNORECASE | re.DOTALL
    ),
}


def procedure_command_in(text: str) -> tuple[DocumentTask | None, str]:
    """Return the task in a message such as `/read …` and the text after it, or None and the whole text."""
    plain = text.strip()
    for task, command in _COMMANDS.items():
        if found := command.fullmatch(plain):
            return task, found["rest"].strip()
    return None, text


def task_name(task: DocumentTask) -> str:
    """Return the short name of a document task."""
    translate = QCoreApplication.translate
    names = {
        DocumentTask.READ: translate("craft_words", "Summarize a document"),
        DocumentTask.WRITE: translate("craft_words", "Write a draft"),
        DocumentTask.CHECK: translate("craft_words", "Check a text"),
    }
    return names[task]


def task_hint(task: DocumentTask) -> str:
    """Return a description of a document task."""
    translate = QCoreApplication.translate
    uses = {
        DocumentTask.READ: translate("craft_words", "Get an outline and key points of a long document"),
        DocumentTask.WRITE: translate("craft_words", "Write a text from your knowledge bases"),
        DocumentTask.CHECK: translate(
            "craft_words", "Compare every claim of a text with its sources, your files and the web"
        ),
    }
    return uses[task]


def format_reading_request(name: str) -> str:
    """Return the text of a question that consists of a document only."""
    if not name:
        return QCoreApplication.translate("craft_words", "Summarize this document.")
    return QCoreApplication.translate("craft_words", "Summarize “{name}”.").format(name=name)


def depth_name(depth: Depth) -> str:
    """Return the name of a depth."""
    translate = QCoreApplication.translate
    names = {
        Depth.QUICK: translate("research_words", "Quick"),
        Depth.BALANCED: translate("research_words", "Balanced"),
        Depth.THOROUGH: translate("research_words", "Thorough"),
    }
    return names[depth]


def format_budget(depth: Depth) -> str:
    """Return the maximum budget of a depth."""
    budget = BUDGETS[depth]
    words = QCoreApplication.translate(
        "research_words", "Up to {minutes} min · {rounds} rounds · {pages} pages · {tokens} tokens"
    )
    return words.format(
        rounds=budget.rounds,
        pages=budget.pages,
        tokens=QLocale().toString(budget.tokens),
        minutes=f"{budget.minutes:g}",
    )


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


def parse_proposed_fact(arguments: str) -> str:
    """Return the sentence in a call of the remember tool, exactly as it would be stored."""
    read = json.loads(arguments)
    fact = read.get("fact") if isinstance(read, dict) else None
    return (
        printable(normalize_fact(fact))
        if isinstance(fact, str) and len(read) == 1
        else pretty_json(arguments)
    )


def format_origin(memory: Memory, assistant: str) -> str:
    """Return the origin of a memory, its date, and the name of its assistant."""
    translate = QCoreApplication.translate
    who = {
        MemoryOrigin.SAID: translate("memory_words", "Added by you"),
        MemoryOrigin.CONFIRMED: translate("memory_words", "Suggested by a model, confirmed by you"),
    }[memory.origin]
    parts = [who, format_date(memory.changed_at)]
    if assistant:
        parts.append(translate("memory_words", "{assistant} only").format(assistant=assistant))
    return " · ".join(parts)
