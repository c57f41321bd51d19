"""Texts for values: errors, web search, models, progress, dates; assistants, document tasks, research depths, memories."""

import re
from datetime import date, datetime
from math import floor, log10

from PySide6.QtCore import QCoreApplication, QDate, QDateTime, QLocale, QTime
from PySide6.QtGui import QFont

from desktop.domain.assistants import Assistant
from desktop.domain.knowledge import ItemProgress, ItemState
from desktop.domain.models import QUOTES_MODEL, Ability, ModelFacts, ModelInfo, Price
from desktop.domain.procedures import BUDGETS, Depth, DocumentTask
from desktop.domain.search import WEB_AUTO, WEB_OFF, WEB_OWN, EngineInfo
from desktop.errors import AppError, plain_reason
from desktop.phrases import localize, split_detail, translatable
from desktop.render.clock import Clock
from desktop.ui.widgets.theme import can_draw

_GB = 10**9
_BUG = translatable("An internal error occurred: {detail}")


def error_message(error: Exception) -> str:
    """Return a message about an error for the user."""
    return localize_message(untranslated_error(error))


def error_parts(error: Exception | str) -> tuple[str, str]:
    """Return what failed and what to do, and, if it is not needed at once, what a server or the system said.

    The message of an error, as it was stored, is taken apart in the same way.
    """
    said, detail = split_detail(error if isinstance(error, str) else untranslated_error(error))
    return localize_message(said).strip(), localize_message(detail)


def untranslated_error(error: Exception) -> str:
    """Return the message of an error, to be kept and translated where it is shown."""
    if isinstance(error, AppError):
        return str(error)
    return _BUG.format(detail=f"{type(error).__name__}: {plain_reason(error)}")


def localize_message(english: str) -> str:
    """Return the translation of an English text from outside the window."""
    return localize(english, QLocale().name())


def untitled_label() -> str:
    """Return the title for a conversation that has none."""
    return QCoreApplication.translate("words", "New chat")


def keyring_warning() -> str:
    """Return the warning for systems that cannot store keys."""
    return QCoreApplication.translate(
        "words",
        "API keys won’t be saved because no unlocked keyring was found. Unlock GNOME Keyring or KWallet, then restart Footnote.",
    )


def web_name(choice: str, engines: tuple[EngineInfo, ...]) -> str:
    """Return the name of a web search setting: off, automatic or an engine."""
    if choice == WEB_OFF:
        return QCoreApplication.translate("words", "Web off")
    if choice == WEB_AUTO:
        return QCoreApplication.translate("words", "Web")
    if choice == WEB_OWN:
        return QCoreApplication.translate("words", "Model’s own search")
    return next((engine.name for engine in engines if engine.id == choice), choice)


def model_name(model_id: str, models: tuple[ModelInfo, ...]) -> str:
    """Return a model's short name, or the last part of its id if the model is not (yet) listed."""
    if model_id == QUOTES_MODEL:
        return QCoreApplication.translate("words", "Quotes")
    listed = next((model.name for model in models if model.id == model_id), "")
    return listed or model_id.rsplit("/", 1)[-1]


def format_progress(progress: ItemProgress) -> str:
    """Return the progress of a file that is being added to a base."""
    translate = QCoreApplication.translate
    match progress.item.state:
        case ItemState.WAITING:
            text = translate("words", "Waiting")
        case ItemState.READING if progress.total:
            text = translate("words", "Reading page {page} of {total}")
        case ItemState.READING:
            text = translate("words", "Reading")
        case ItemState.KEYWORD_READY if progress.total:
            text = translate("words", "Searchable (indexing {done} of {total})")
        case ItemState.KEYWORD_READY:
            text = translate("words", "Searchable (indexing…)")
        case ItemState.READY if progress.item.error:
            text = translate("words", "Partly readable: {reason}")
        case ItemState.READY if progress.item.is_cut:
            text = translate("words", "Too long: only the beginning was read")
        case ItemState.READY:
            text = translate("words", "Ready")
        case ItemState.FAILED:
            text = translate("words", "Failed: {reason}")
    page = max(1, progress.done)
    return text.format(
        page=page, done=progress.done, total=progress.total, reason=localize_message(progress.item.error)
    )


_FORM = QLocale.FormatType.ShortFormat


def format_time(moment: datetime) -> str:
    """Return the time of day, such as 20:09 or 8:09 PM."""
    here = moment.astimezone()
    return QLocale().toString(QTime(here.hour, here.minute), _FORM)


def format_date(day: date) -> str:
    """Return a calendar date; for a moment, its date in the local time zone."""
    if isinstance(day, datetime):
        day = day.astimezone().date()
    return QLocale().toString(QDate(day.year, day.month, day.day), _FORM)


def format_datetime(moment: datetime) -> str:
    """Return the date and the time."""
    return QLocale().toString(QDateTime.fromSecsSinceEpoch(int(moment.timestamp())), _FORM)


LOCAL_CLOCK = Clock(format_time, format_date, format_datetime)
"""The same formats for the page."""


def format_model_size(locale: QLocale, size_bytes: int) -> str:
    """Return a size in GB with one digit, smaller ones in MB and kB."""
    precision = 1 if size_bytes >= _GB else 0
    return locale.formattedDataSize(size_bytes, precision, QLocale.DataSizeFormat.DataSizeSIFormat)


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
