"""Texts that many parts of the window use: errors, titles, web search, models, progress, dates and times."""

from datetime import date, datetime

from PySide6.QtCore import QCoreApplication, QDate, QDateTime, QLocale, QTime

from desktop.domain.knowledge import ItemProgress, ItemState
from desktop.domain.models import QUOTES_MODEL, ModelInfo
from desktop.domain.search import WEB_AUTO, WEB_OFF, WEB_OWN, EngineInfo
from desktop.errors import AppError, plain_reason
from desktop.phrases import localize, split_detail, translatable
from desktop.render.labels import Clock

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
