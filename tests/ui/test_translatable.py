"""No text that a person reads is written into the code in a way that no translator can reach."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import desktop
from tests.cases import cases

ROOT = Path(desktop.__file__).parent
SHOWING = frozenset(
    [
        "Heading",
        "Notice",
        "QAction",
        "QCheckBox",
        "QGroupBox",
        "QLabel",
        "QPushButton",
        "QRadioButton",
        "QToolButton",
        "Words",
        "addAction",
        "addButton",
        "addItem",
        "addItems",
        "addMenu",
        "addRow",
        "addSection",
        "addTab",
        "label",
        "setAccessibleDescription",
        "setAccessibleName",
        "setButtonText",
        "setDescription",
        "setFormat",
        "setHeaderLabels",
        "setHint",
        "setInformativeText",
        "setLabelText",
        "setPlaceholderText",
        "setPrefix",
        "setStatusTip",
        "setSpecialValueText",
        "setSuffix",
        "setText",
        "setTitle",
        "setToolTip",
        "setWhatsThis",
        "setWindowTitle",
        "set_words",
        "set_hint",
        "set_title",
        "showMessage",
    ]
)
"""What puts its arguments on the screen."""

TRANSLATING = frozenset({"tr", "translate", "QT_TRANSLATE_NOOP", "translatable"})
LOOKS = frozenset({"danger", "display", "heading", "muted", "small", "title"})
"""Styles that `label` takes after its words."""

EXAMPLE = re.compile(r"(\w+://\S+|npx .*|NAME=value|((Ctrl|Shift|Alt)\+)*(Enter|Esc|[A-Z]))$")
"""An address or a command as an example, or keys: the same in every language, too."""

NAMES = frozenset({"Footnote", "Markdown", "JSON", "CSS"})
"""The same in every language."""


def modules(*rooms: str) -> Iterator[tuple[Path, ast.Module]]:
    for space in rooms:
        for path in sorted((ROOT / space).rglob("*.py")):
            yield path, ast.parse(path.read_text(encoding="utf-8"))


def called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def words_in(node: ast.expr) -> Iterator[str]:
    """Yield the literal words of an expression that no translation stands around."""
    if isinstance(node, ast.Call) and (called(node) in TRANSLATING or called(node) not in {"format", "join"}):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield from words_in(child)


def is_language(text: str) -> bool:
    """Say whether a person would read words in `text`."""
    return bool(re.search(r"[^\W\d_]{2,}", text)) and not (
        text.strip() in NAMES | LOOKS or EXAMPLE.match(text.strip())
    )


def untranslated(module: ast.Module) -> list[str]:
    """Return what the code of a module of the window would show in English for ever."""
    found = []
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and called(node) in SHOWING:
            given = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "text")]
            found += [words for each in given for words in words_in(each) if is_language(words)]
    return found


@cases(
    "code, found",
    [
        ('button.setText("Save")', ["Save"]),
        ('button.setText(self.tr("Save"))', []),
        ('label(self, "Nothing yet", "muted")', ["Nothing yet"]),
        ('label(self, translate("x", "Nothing yet"), "muted")', []),
        ('box.setToolTip(f"Sent by {name}")', ["Sent by "]),
        ('box.setText("%" + str(n))', []),
        ('box.setText("Yes" if done else self.tr("No"))', ["Yes"]),
        ('window.setWindowTitle(f"{title} – Footnote")', []),
        ('notices.say(Notice("It is gone"))', ["It is gone"]),
    ],
)
def test_the_check_sees_what_it_is_for(code, found):
    assert [words for words in untranslated(ast.parse(code)) if "Footnote" not in words] == found


def test_the_window_shows_no_words_of_the_code():
    found = {
        str(path.relative_to(ROOT)): [words for words in shown if "Footnote" not in words]
        for path, tree in modules("ui", "app")
        if (shown := untranslated(tree))
    }
    assert {path: words for path, words in found.items() if words} == {}


def test_errors_carry_phrases():
    """What is said of an error in words of our own is a phrase; what others said is not written in the code."""
    bare = []
    for path, tree in modules(
        "chat", "engine", "knowledge", "mcp", "providers", "search", "settings", "storage"
    ):
        for node in ast.walk(tree):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                given = [keyword.value for keyword in node.exc.keywords if keyword.arg == "detail"]
                said = [words for value in given for words in words_in(value) if " " in words.strip()]
                bare += [(str(path.relative_to(ROOT)), words) for words in said]
    assert bare == []
