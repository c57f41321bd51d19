"""What a screen reader of Linux is told of the window and its page, over a real bus.

PySide's own walk through `QAccessible` ends the process at a page, so it is read as Orca reads it: over AT-SPI. Qt gives
neither landmarks, levels of headings nor headers of columns away there; Chromium is asked for those in
`tests/unit/render/export/test_shared_page.py`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.atspi import Node, display, missing, node_of
from tests.e2e.model_server import provider, running_model_server
from tests.e2e.site import running_site
from tests.e2e.window import configure

ROOT = Path(__file__).parents[2]
LIMIT_S = 120
QUESTION = "In which year was the lighthouse of Velmora built?"
ANSWER = r"""## When it was built

The lighthouse was built in 1873 [1].

| part | height |
| - | - |
| tower | 42 m [1] |

Its shadow is $\sqrt{2x+1}$ long.
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory) -> dict:
    """What a screen reader is told while an answer is on the page: the tree of the program, the names of all programs."""
    if lacking := missing():
        pytest.skip(f"not installed: {', '.join(lacking)} (apt-get install at-spi2-core dbus-daemon xvfb)")
    folder = tmp_path_factory.mktemp("spoken")
    with running_model_server() as server, running_site() as site, display() as screen:
        server.pieces = (ANSWER,)
        configure(
            folder / "data",
            site,
            window={"language": "en"},
            chat={"model": "loopback/scripted"},
            providers=[provider(server)],
        )
        out = folder / "tree.json"
        command = ["dbus-run-session", "--", sys.executable, "-m", "tests.e2e.spoken_window"]
        done = subprocess.run(
            [*command, str(folder / "data"), QUESTION, str(out)],
            cwd=ROOT,
            env=environment(screen, folder),
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
    assert out.exists(), done.stderr[-4000:]
    return json.loads(out.read_text())


@pytest.fixture(scope="module")
def tree(told) -> Node:
    """The program as a screen reader sees it."""
    return node_of(told["tree"])


def environment(screen: str, folder: Path) -> dict[str, str]:
    """Return an environment with this display, and no bus but the one of the test."""
    left_out = {"DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS", "WAYLAND_DISPLAY", "NO_AT_BRIDGE"}
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    runtime = folder / "run"
    runtime.mkdir(mode=0o700)
    return kept | {
        "DISPLAY": screen,
        "QT_QPA_PLATFORM": "xcb",
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        "XDG_RUNTIME_DIR": str(runtime),
    }


def frame(tree: Node) -> Node:
    return next(node for node in tree.children if node.role == "frame")


def page(tree: Node) -> Node:
    return next(node for node in frame(tree).all() if node.role == "web document")


def named(node: Node, role: str) -> list[str]:
    return [each.name for each in node.all() if each.role == role]


def test_messages_have_headings_and_an_answer_is_read_with_its_marks(tree):
    messages = [node for node in page(tree).all() if node.name.startswith(("You, ", "Answer, "))]
    assert [node.name.partition(",")[0] for node in messages] == ["You", "Answer"], tree.outline()
    assert named(page(tree), "heading") == ["You", "Answer", "When it was built"]
    spoken = messages[1].description
    assert "built in 1873, source 1: The lighthouse of Velmora" in spoken
    assert "42 m, source 1" in spoken
    links = [
        name.partition(" (")[0] for name in named(page(tree), "link")
    ]  # in brackets: what the check found
    assert links == ["source 1: The lighthouse of Velmora"] * 2


def test_tables_have_rows_and_formulas_have_names(tree):
    (table,) = [node for node in page(tree).all() if node.role == "table"]
    rows = [named(row, "cell") for row in table.all() if row.role == "row"]
    assert [[cell.partition(",")[0] for cell in row] for row in rows] == [
        ["part", "height"],
        ["tower", "42 m"],
    ]
    assert named(page(tree), "equation") == [r"\sqrt{2x+1}"]


def test_the_conversation_the_message_field_and_the_list_of_chats_are_found(tree):
    assert "Chat" in named(page(tree), "section")
    window = [node for node in frame(tree).all() if node.is_showing]
    told = {(node.role, node.name) for node in window}
    assert {("text", "Message"), ("list", "Chats"), ("push button", "New chat")} <= told
    assert any(role == "list item" and name.startswith("In which year") for role, name in told)


def test_what_is_focused_has_a_name_and_no_name_is_said_twice(tree):
    window = [node for node in frame(tree).all() if node.is_showing and node.is_focusable]
    assert [node.role for node in window if not node.name and node.role != "web document"] == []
    assert [node.name for node in page(tree).all() if node.name and node.name == node.description] == []
    assert [node.description for node in window if node.name == "Show or hide sidebar"] == ["Ctrl+B"]


def test_the_end_of_an_answer_is_announced(told):
    assert told["announced"] == ["The answer is finished."]


def test_hidden_widgets_are_not_shown_to_it_and_the_search_browser_is_no_program(tree, told):
    shown = {node.name for node in frame(tree).all() if node.is_showing}
    assert shown.isdisjoint({"Find in this chat", "Allow once", "Suggestions", "Attach to message"})
    assert not any(name.startswith("Editing") for name in shown)
    assert told["programs"] == ["Footnote"]
