"""The languages of the interface, which can change at run time."""

import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QLibraryInfo, QLocale, QObject, QTranslator

from desktop.resources import resources_dir

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget as _Widget
else:
    _Widget = object

LANGUAGES = (("en", "English"), ("zh_CN", "简体中文"))
"""Locale and native name of each language."""


def language_of(choice: str) -> str:
    """Return the language for a choice in the settings. An empty choice means the system language."""
    wanted = [choice] if choice else QLocale.system().uiLanguages()
    for name in wanted:
        language = QLocale(name).language()
        for known, _title in LANGUAGES:
            if QLocale(known).language() == language:
                return known
    return LANGUAGES[0][0]


def locale_of(language: str, system: QLocale | None = None) -> QLocale:
    """Return the locale for dates and numbers: the system locale if it has the same language."""
    wanted, used = QLocale(language), system or QLocale.system()
    return used if used.language() == wanted.language() else wanted


def in_all_languages(words: str) -> Iterator[str]:
    """Yield a text of the window in the current language and in the others, in lower case."""
    yield words.casefold()
    for other in _other_words().get(words, ()):
        yield other.casefold()


@cache
def _other_words() -> Mapping[str, tuple[str, ...]]:
    """Return what each sentence of the window is in the other language, both ways."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted((resources_dir() / "translations").glob("*.ts")):
        for message in ET.parse(path).iter("message"):  # noqa: S314 - a file of our own
            source = message.findtext("source", "")
            texts = message.find("translation")
            translation = "" if texts is None else "".join(texts.itertext()).strip()
            if source and translation:
                found[source].add(translation)
                found[translation].add(source)
    return {words: tuple(sorted(others)) for words, others in found.items()}


class Translations(QObject):
    """Installs and removes the translators of an application.

    Removes the translators in use together with the application, rather than at garbage collection: removing
    one notifies every widget that the language changed.
    """

    def __init__(self, app: QCoreApplication, parent: QObject) -> None:
        super().__init__(parent)
        self._app = app
        self._installed: list[QTranslator] = []
        self.language = ""

    def use(self, choice: str) -> str:
        """Activate the language of `choice` and return its name. Every widget is retranslated."""
        language = language_of(choice)
        if language == self.language:
            return language
        for translator in self._installed:
            self._app.removeTranslator(translator)
            translator.deleteLater()
        self._installed = []
        QLocale.setDefault(locale_of(language))
        qt_folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        for name, folder in (("qtbase", qt_folder), ("footnote", str(resources_dir() / "translations"))):
            translator = QTranslator(self)
            if translator.load(f"{name}_{language}", folder):
                self._app.installTranslator(translator)
                self._installed.append(translator)
        self.language = language
        return language


class Retranslated(_Widget):
    """Makes the texts of a widget follow the language of the interface. It is the first base of the widget."""

    def changeEvent(self, event: QEvent) -> None:
        """Update the texts when the language changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def _retranslate(self) -> None:
        raise NotImplementedError
