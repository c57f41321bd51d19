"""What the program's own values are called in the person's language."""

from datetime import datetime
from enum import IntEnum

from PySide6.QtCore import QCoreApplication

from desktop.domain.knowledge import ItemProgress, ItemState
from desktop.domain.models import QUOTES_MODEL, ModelInfo
from desktop.domain.search import WEB_AUTO, WEB_OFF, WEB_OWN, EngineInfo
from desktop.ui.failure_words import localized


class DateGroup(IntEnum):
    """How long ago a conversation was used, as far as a person cares."""

    TODAY = 0
    YESTERDAY = 1
    THIS_WEEK = 2
    OLDER = 3


_DAYS_IN_WEEK = 7


def date_group(moment: datetime, now: datetime) -> DateGroup:
    """Return the group of `moment` by the calendar days of `now`'s time zone."""
    days = (now.date() - moment.astimezone(now.tzinfo).date()).days
    if days <= 0:
        return DateGroup.TODAY
    if days == 1:
        return DateGroup.YESTERDAY
    return DateGroup.THIS_WEEK if days < _DAYS_IN_WEEK else DateGroup.OLDER


def group_name(group: DateGroup) -> str:
    """Return the heading over a group of conversations."""
    match group:
        case DateGroup.TODAY:
            return QCoreApplication.translate("words", "Today")
        case DateGroup.YESTERDAY:
            return QCoreApplication.translate("words", "Yesterday")
        case DateGroup.THIS_WEEK:
            return QCoreApplication.translate("words", "Previous 7 days")
        case DateGroup.OLDER:
            return QCoreApplication.translate("words", "Older")


def untitled() -> str:
    """Return what a conversation without a title is called."""
    return QCoreApplication.translate("words", "New chat")


def web_name(choice: str, engines: tuple[EngineInfo, ...]) -> str:
    """Return the name of a choice of web search: off, automatic or an engine."""
    if choice == WEB_OFF:
        return QCoreApplication.translate("words", "Web off")
    if choice == WEB_AUTO:
        return QCoreApplication.translate("words", "Web")
    if choice == WEB_OWN:
        return QCoreApplication.translate("words", "Model's own search")
    return next((engine.name for engine in engines if engine.id == choice), choice)


def model_name(model_id: str, models: tuple[ModelInfo, ...]) -> str:
    """Return a model's short name; one that is not (yet) listed goes by the last part of its id."""
    if model_id == QUOTES_MODEL:
        return QCoreApplication.translate("words", "Quotes")
    listed = next((model.name for model in models if model.id == model_id), "")
    return listed or model_id.rsplit("/", 1)[-1]


def progress_words(progress: ItemProgress) -> str:
    """Return where a file stands on its way into a base."""
    translate = QCoreApplication.translate
    match progress.item.state:
        case ItemState.WAITING:
            text = translate("words", "Waiting")
        case ItemState.READING if progress.total:
            text = translate("words", "Reading page {page} of {total}")
        case ItemState.READING:
            text = translate("words", "Reading")
        case ItemState.KEYWORD_READY if progress.total:
            text = translate("words", "Found by words; meaning {done} of {total}")
        case ItemState.KEYWORD_READY:
            text = translate("words", "Found by words; meaning still to come")
        case ItemState.READY if progress.item.error:
            text = translate("words", "Ready, as far as it could be read: {reason}")
        case ItemState.READY if progress.item.is_cut:
            text = translate("words", "Ready, but too long: only its beginning was read")
        case ItemState.READY:
            text = translate("words", "Ready")
        case ItemState.FAILED:
            text = translate("words", "Failed: {reason}")
    page = max(1, progress.done)
    return text.format(
        page=page, done=progress.done, total=progress.total, reason=localized(progress.item.error)
    )
