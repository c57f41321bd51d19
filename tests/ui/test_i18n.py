import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QDate, QLocale, QObject
from PySide6.QtWidgets import QApplication

import desktop.ui
from desktop.errors import AppError, CorruptFile, SettingsUnreadable, StorageFull
from desktop.errors.servers import AuthFailed, RateLimited
from desktop.resources import resources_dir
from desktop.ui.i18n import LANGUAGES, Translations, language_of, locale_of
from desktop.ui.widgets.labels import error_message, localize_message
from tests.cases import cases

FOLDER = resources_dir() / "translations"
WINDOW = FOLDER / "footnote_zh_CN.ts"
FIELD = re.compile(r"\{\w+\}")
TEXT_ARGUMENT = {"tr": 0, "translate": 1, "QT_TRANSLATE_NOOP": 1}
"""Which argument is the text, by the name of the function that translates it."""


def tool(name: str) -> str:
    """Return the program `name` that came with PySide6."""
    found = shutil.which(name, path=str(Path(sys.executable).parent))
    assert found is not None
    return found


def messages(path: Path) -> list[tuple[str, str, str]]:
    """Return source, translation and its state for every message."""
    found = []
    for message in ET.parse(path).getroot().iter("message"):
        translation = message.find("translation")
        text = "".join(translation.itertext()).strip()
        found.append((message.findtext("source", ""), text, translation.get("type", "")))
    return found


def texts_in(code: str) -> set[str]:
    """Return the texts that a module translates, also those inside f-strings."""
    calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    named = [(getattr(call.func, "attr", getattr(call.func, "id", "")), call.args) for call in calls]
    found = [
        args[TEXT_ARGUMENT[name]] for name, args in named if len(args) > TEXT_ARGUMENT.get(name, len(args))
    ]
    return {each.value for each in found if isinstance(each, ast.Constant)}


@pytest.fixture
def chinese(translations):
    translations.use("zh_CN")
    return translations


def test_a_window_takes_its_language_along_when_it_goes(qapp):
    owner = QObject()
    languages = Translations(qapp, owner)
    languages.use("zh_CN")
    assert QCoreApplication.translate("SettingsDialog", "Settings") == "设置"
    languages.use("en")
    languages.use("zh_CN")
    shiboken6.delete(owner)
    assert QCoreApplication.translate("SettingsDialog", "Settings") == "Settings"
    QLocale.setDefault(QLocale("en"))


def test_every_text_in_the_code_is_translated(tmp_path):
    copy = tmp_path / "footnote_zh_CN.ts"
    shutil.copy(WINDOW, copy)
    sources = str(Path(desktop.ui.__file__).parent)
    command = [tool("pyside6-lupdate"), "-no-obsolete", "-locations", "none", "-extensions", "py", sources]
    subprocess.run([*command, "-ts", str(copy)], check=True, capture_output=True)
    missing = [source for source, text, state in messages(copy) if not text or state]
    assert missing == []
    assert {source for source, _, _ in messages(copy)} == {source for source, _, _ in messages(WINDOW)}


def test_every_text_is_where_the_tool_that_collects_them_looks():
    modules = Path(desktop.ui.__file__).parent.rglob("*.py")
    used = set().union(*(texts_in(path.read_text(encoding="utf-8")) for path in modules))
    assert used - {source for source, _, _ in messages(WINDOW)} == set()


def test_translations_keep_the_fields_and_are_chinese():
    for source, text, _state in messages(WINDOW):
        assert sorted(FIELD.findall(source)) == sorted(FIELD.findall(text)), source
        letters = FIELD.sub("", source)
        is_name = letters in {"Enter", "Ctrl+Enter"} or "PySide" in letters or not re.search("[a-z]", letters)
        assert is_name or re.search("[一-鿿]", text), source


def test_chinese_addresses_the_person_in_one_way():
    files = (WINDOW, FOLDER / "phrases_zh_CN.toml")
    assert [path.name for path in files if "您" in path.read_text(encoding="utf-8")] == []


def test_the_compiled_file_is_fresh(tmp_path):
    made = tmp_path / "footnote_zh_CN.qm"
    subprocess.run(
        [tool("pyside6-lrelease"), str(WINDOW), "-qm", str(made)],
        check=True,
        capture_output=True,
    )
    assert made.read_bytes() == (FOLDER / "footnote_zh_CN.qm").read_bytes()


def test_counts_are_said_in_the_form_of_the_language(translations):
    said = {}
    for language in ("en", "zh_CN"):
        translations.use(language)
        said[language] = [
            QCoreApplication.translate("PassagesPage", "%n passage(s)", None, count) for count in (0, 1, 2)
        ]
    assert said == {
        "en": ["0 passages", "1 passage", "2 passages"],
        "zh_CN": ["0 个段落", "1 个段落", "2 个段落"],
    }


@cases("language, forms", [("en", 2), ("zh_CN", 1)])
def test_every_count_has_all_its_forms(language, forms, tmp_path):
    copy = tmp_path / f"footnote_{language}.ts"
    shutil.copy(FOLDER / copy.name, copy)
    command = [
        tool("pyside6-lupdate"),
        "-no-obsolete",
        "-locations",
        "none",
        "-extensions",
        "py",
        "-pluralonly",
    ]
    sources = str(Path(desktop.ui.__file__).parent)
    subprocess.run([*command, sources, "-ts", str(copy)], check=True, capture_output=True)
    counts = [message for message in ET.parse(copy).getroot().iter("message") if message.get("numerus")]
    filled = [[form.text for form in message.iter("numerusform") if form.text] for message in counts]
    assert [len(each) for each in filled] == [forms] * len(counts)


def test_errors_speak_chinese_with_their_fields(chinese):
    assert (
        error_message(AuthFailed(provider="OpenAI", detail=""))
        == "OpenAI 不接受这个 API 密钥，请在“设置 > 模型”中检查。"
    )
    limited = RateLimited(provider="Mistral", retry_after_s=12.3)
    assert error_message(limited) == "Mistral 收到的请求过多。请在 12 秒后再试。"
    assert error_message(AppError(detail="as it is")) == "as it is"
    assert "ValueError" in error_message(ValueError("bad"))


@cases(
    "error, chinese_words",
    [
        (CorruptFile(name="潮汐 (a).pdf", detail="no pages"), "“潮汐 (a).pdf”已损坏或受保护：no pages。"),
        (AuthFailed(provider="OpenAI", detail=""), "OpenAI 不接受这个 API 密钥，请在“设置 > 模型”中检查。"),
        (AuthFailed(provider="OpenAI", detail="401: bad key"), "OpenAI 不接受这个 API 密钥，请在“设置 > 模型”中检查。401: bad key"),
        (StorageFull(detail=""), "磁盘已满。请腾出空间后重试。已保存的内容不受影响。"),
        (
            SettingsUnreadable(detail="line 3", kept_as="settings.broken"),
            "设置文件无法读取（line 3）。原文件保存为 settings.broken，现使用默认设置。",
        ),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_errors_saved_in_english_are_read_in_chinese(error, chinese_words, chinese):
    assert localize_message(str(error)) == chinese_words


def test_saved_words_that_are_no_error_stay_as_they_are(chinese):
    assert localize_message("Something quite different.") == "Something quite different."
    assert localize_message("") == ""


def test_qt_itself_speaks_chinese(chinese):
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "取消"
    assert QLocale().language() is QLocale.Language.Chinese


def test_the_language_can_be_changed_back(chinese):
    assert QCoreApplication.translate("actions", "Settings") == "设置"
    chinese.use("en")
    assert QCoreApplication.translate("actions", "Settings") == "Settings"
    assert QApplication.instance() is not None


@cases(
    "choice, language",
    [("zh_CN", "zh_CN"), ("zh", "zh_CN"), ("zh_TW", "zh_CN"), ("en_GB", "en"), ("de", "en")],
)
def test_a_choice_finds_the_nearest_language(choice, language):
    assert language_of(choice) == language


def test_the_system_decides_without_a_choice():
    assert language_of("") in dict(LANGUAGES)


@cases(
    "language, system, written",
    [
        ("en", "en_GB", "31/12/2026"),
        ("en", "de_DE", "12/31/26"),
        ("zh_CN", "zh_TW", "2026/12/31"),
        ("zh_CN", "en_GB", "2026/12/31"),
    ],
)
def test_dates_are_written_as_the_system_has_them_in_its_language(language, system, written):
    locale = locale_of(language, QLocale(system))
    assert locale.toString(QDate(2026, 12, 31), QLocale.FormatType.ShortFormat) == written
