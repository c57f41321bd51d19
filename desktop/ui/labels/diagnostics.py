"""Texts for the checks of the doctor, in the current language."""

from PySide6.QtCore import QCoreApplication

from desktop.domain.program import Check, FixAction
from desktop.ui.actions import QT_TRANSLATE_NOOP
from desktop.ui.labels.common import localize_message

_NAMES = {
    "program": QT_TRANSLATE_NOOP("check_words", "Program"),
    "updates": QT_TRANSLATE_NOOP("check_words", "Updates"),
    "data": QT_TRANSLATE_NOOP("check_words", "Data folder"),
    "browser": QT_TRANSLATE_NOOP("check_words", "Browser"),
    "keyring": QT_TRANSLATE_NOOP("check_words", "Keyring"),
    "tavily": "Tavily",
    "local models": QT_TRANSLATE_NOOP("check_words", "Models on this computer"),
    "knowledge": QT_TRANSLATE_NOOP("check_words", "Knowledge"),
    "embedding model": QT_TRANSLATE_NOOP("check_words", "Embedding model"),
    "scans": QT_TRANSLATE_NOOP("check_words", "Scans"),
    "reranker": QT_TRANSLATE_NOOP("check_words", "Reranker"),
}
_KINDS = {
    "engine ": QT_TRANSLATE_NOOP("check_words", "Search engine {name}"),
    "model server ": QT_TRANSLATE_NOOP("check_words", "Provider {name}"),
    "chroma server ": QT_TRANSLATE_NOOP("check_words", "Chroma server {name}"),
}


_REMEDIES = {
    FixAction.READ_REASONS: QT_TRANSLATE_NOOP(
        "check_words", "Open Knowledge to see why items failed and to retry."
    ),
    FixAction.TEST_ENGINE: QT_TRANSLATE_NOOP("check_words", "Test it in Settings > Search."),
    FixAction.SHOW_PAGE: QT_TRANSLATE_NOOP("check_words", "Verify it in Settings > Search."),
    FixAction.GET_BROWSER: QT_TRANSLATE_NOOP(
        "check_words", "Download one in Settings > Search, or install Google Chrome."
    ),
}
_PAGES = {
    "updates": "program",
    "data": "data",
    "browser": "search",
    "keyring": "models",
    "tavily": "search",
    "local models": "models",
    "knowledge": "knowledge",
    "embedding model": "knowledge",
    "scans": "knowledge",
    "reranker": "knowledge",
    "engine ": "search",
    "model server ": "models",
    "chroma server ": "knowledge",
}


def page_of_check(name: str) -> str:
    """Return the settings page where the user can fix a failed check; empty if there is none."""
    return next((page for known, page in _PAGES.items() if name.startswith(known)), "")


def advice_of(check: Check) -> str:
    """Return advice for a check, preferably a way in the window; empty if nothing needs to be done."""
    if check.remedy in _REMEDIES:
        return QCoreApplication.translate("check_words", _REMEDIES[check.remedy])
    return localize_message(check.advice)


def name_of_check(name: str) -> str:
    """Return the translated name of a check; an unknown one keeps its name."""
    if name in _NAMES:
        return QCoreApplication.translate("check_words", _NAMES[name])
    for kind, words in _KINDS.items():
        if name.startswith(kind):
            translated = QCoreApplication.translate("check_words", words)
            return translated.format(name=name.removeprefix(kind))
    return name
