"""Ctrl+C ends a command without a traceback, at any time, and libraries print none either."""

import json
import logging
import os
import signal
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from desktop.cli.commands import run_command
from desktop.cli.parser import build_parser
from tests.cases import cases
from tests.serving import serve_requests

INTERRUPT_AT = """
import sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
from desktop.__main__ import main
sys.exit(main(["tools", "--data-dir", {folder!r}]))
"""


@cases("module", ["desktop.cli.parser", "desktop.cli.commands", "desktop.cli.tools"])
def test_an_interrupt_while_modules_are_loaded_leaves_no_traceback(tmp_path, module):
    code = INTERRUPT_AT.format(module=module, folder=str(tmp_path))
    ended = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")


@cases(
    "redirections, environment, status, told",
    [
        (">&- 2>&- <&-", {}, 0, ""),
        ("> /dev/full", {}, 1, "footnote: No space left on device\n"),
        ("| true; exit ${PIPESTATUS[0]}", {}, 141, ""),
        ("", {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, 0, ""),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX redirects")
def test_output_that_cannot_be_written_ends_a_command_without_a_traceback(
    tmp_path, redirections, environment, status, told
):
    (tmp_path / "answer.md").write_text("旧桥 ’ " * 30_000, encoding="utf-8")
    ended = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m desktop render {tmp_path / 'answer.md'} {redirections}"],
        env=os.environ | environment,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, ended.stderr) == (status, told)


class _NotAServer(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"{nope")

    def log_message(self, *arguments):
        """Stay silent."""


def test_a_broken_tool_server_is_told_without_the_traceback_of_a_library(tmp_path):
    server = ThreadingHTTPServer(("127.0.0.1", 0), _NotAServer)
    entry = {"id": "a", "name": "A", "url": f"http://127.0.0.1:{server.server_address[1]}/mcp"}
    (tmp_path / "settings.json").write_text(json.dumps({"mcp_servers": [entry]}))
    command = [sys.executable, "-m", "desktop", "tools", "--data-dir", str(tmp_path)]
    with serve_requests(server):
        ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1
    assert "not use the protocol of tool servers" in ended.stdout
    assert "Traceback" not in ended.stdout + ended.stderr


def test_records_of_libraries_need_the_switch():
    from desktop.cli.commands import _is_ours

    names = ("desktop.services", "asyncio", "mcp.client.streamable_http", "httpx2")
    records = [logging.LogRecord(name, logging.ERROR, "", 0, "", None, None) for name in names]
    assert [_is_ours(record) for record in records] == [True, True, False, False]


@pytest.fixture(autouse=True)
def take_interrupts():
    """Have the children heed Ctrl+C even where these tests run in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def start(folder, *arguments):
    """Start a command in a group of its own, as a shell does."""
    return subprocess.Popen(
        [sys.executable, "-m", "desktop", "--data-dir", folder, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.fixture
def run(capfd):
    """Run a command that nothing interrupts, within this process, and return what it prints."""

    def printed(folder, *arguments):
        status = run_command(build_parser().parse_args(["--data-dir", str(folder), *map(str, arguments)]))
        said = capfd.readouterr()
        assert status == 0, said.err
        return said.out

    return printed


def interrupt(process, count=1):
    """Press Ctrl+C, which reaches every process of the group, and return the exit status."""
    for _ in range(count):
        os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert "Traceback" not in said
    return process.returncode


needs_groups = pytest.mark.skipif(sys.platform == "win32", reason="there are no groups of processes")


FILES, CHATS = 60, 300
INTERRUPTED = 130
NAMES = ("sea", "lake", "river", "pond", "bay")
ATTEMPTS = len(NAMES)


@pytest.mark.timeout(400)  # up to ten programs that load the encoder
@needs_groups
def test_reading_and_importing_go_on_after_an_interrupt(tmp_path, run):
    folder, files, exported = tmp_path / "data", tmp_path / "files", tmp_path / "sea.base"
    files.mkdir()
    for number in range(FILES):
        (files / f"{number}.txt").write_text(f"The lamp of lighthouse {number} is seen from afar.")
    for name in NAMES:  # on a busy machine the command may end before the signal comes
        run(folder, "kb", "create", name)
        with start(folder, "kb", "add", name, files) as adding:
            adding.stderr.readline()  # of the first file that was read
            if interrupt(adding) == INTERRUPTED:
                break
    else:
        pytest.fail("no interrupt came while files were read")
    assert "Traceback" not in (folder / "knowledge" / "worker.log").read_text()
    left = json.loads(run(folder, "kb", "list", name, "--json"))["files"]
    assert {item["state"] for item in left} <= {"ready", "keyword_ready", "waiting"}
    run(folder, "kb", "add", name, files)
    assert json.loads(run(folder, "kb", "status", name, "--json"))["states"]["ready"] == FILES

    run(folder, "kb", "export", name, exported)
    for attempt in range(ATTEMPTS):
        other = tmp_path / f"other {attempt}"
        with start(other, "kb", "import", exported) as importing:
            importing.stderr.readline()  # how many passages there are
            if interrupt(importing) == INTERRUPTED:
                break
    else:
        pytest.fail("no interrupt came while the base was imported")
    run(other, "kb", "import", exported)
    bases = json.loads(run(other, "kb", "list", "--json"))["bases"]
    assert {base["items"] for base in bases} == {FILES}, "an import is there as a whole, or not at all"


def chat(number):
    words = {
        f"m{at}": {
            "id": f"m{at}",
            "parentId": f"m{at - 1}" if at else None,
            "role": "assistant" if at % 2 else "user",
            "content": f"The lamp {at} of lighthouse {number}",
        }
        for at in range(10)
    }
    history = {"currentId": "m9", "messages": words}
    return {"id": f"c{number}", "title": f"Chat {number}", "chat": {"history": history}}


@needs_groups
def test_an_interrupted_import_of_conversations_leaves_whole_ones_and_goes_on(tmp_path, run):
    exported = tmp_path / "chats.json"
    exported.write_text(json.dumps([chat(number) for number in range(CHATS)]))
    for attempt in range(ATTEMPTS):
        folder = tmp_path / f"data {attempt}"
        with start(folder, "transfer", "import", exported) as importing:
            while not (folder / "conversations.db").exists():
                assert importing.poll() is None
            if interrupt(importing, count=3) == INTERRUPTED:
                break
    else:
        pytest.fail("no interrupt came while conversations were imported")
    run(folder, "transfer", "import", exported)
    found = run(folder, "transfer", "show", exported)
    assert found.count("(10, same)") == CHATS
