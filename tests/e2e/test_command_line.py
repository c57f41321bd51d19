"""The command line against a small web on loopback, with the real browser and the real worker."""

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import cases
from tests.e2e.site import Site, captcha

pytestmark = pytest.mark.timeout(300)  # up to five programs one after another, each with a limit of its own


class Shell:
    """Runs `footnote` in a data folder of its own."""

    def __init__(self, data: Path) -> None:
        self.data = data

    def configure(self, site: Site, **search) -> None:
        host = site.origin.partition("//")[2]
        addresses = [["duckduckgo", site.origin], ["tavily", site.origin]]
        settings = {"engine_addresses": addresses, "allowed_hosts": [host], "engine_order": ["duckduckgo"]}
        self.data.mkdir(parents=True, exist_ok=True)
        (self.data / "settings.json").write_text(json.dumps({"search": settings | search}))

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "desktop", *arguments, "--data-dir", str(self.data)],
            capture_output=True,
            text=True,
            timeout=100,
            env=os.environ | environment,
            check=False,
        )

    def json(self, *arguments: str, status: int = 0, **environment: str) -> dict:
        done = self.run(*arguments, "--json", **environment)
        assert done.returncode == status, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
def shell(tmp_path, site):
    result = Shell(tmp_path / "data")
    result.configure(site)
    return result


def test_a_plan_that_nobody_can_start_is_not_made(shell):
    done = shell.run("ask", "Tides?", "--research", "quick", "--plan")
    assert done.returncode != 0
    assert "terminal" in done.stderr
    assert done.stdout == ""


def test_a_question_is_answered_with_marks_that_lead_to_pages_found_on_the_web(shell):
    answer = shell.json("ask", "In which year was the lighthouse of Velmora built?")
    assert "1873" in answer["answer"]
    marked = [source for source in answer["sources"] if f"[{source['number']}]" in answer["answer"]]
    assert any("1873" in source["text"] for source in marked)
    assert [source["kind"] for source in answer["sources"]] == ["web"] * 3
    assert {"intent", "search", "read", "answer"} <= {step["kind"] for step in answer["steps"]}
    assert answer["model"] == "quotes"


def test_a_chinese_question_is_answered_in_chinese_from_the_chinese_page(shell):
    answer = shell.json("ask", "维尔莫拉灯塔是哪一年建成的？")
    assert "灯塔由工程师阿达·科斯滕于1873年建成" in answer["answer"]
    assert answer["answer"].startswith("资料")


def test_queries_of_the_person_are_asked_and_the_record_says_what_came_of_them(shell):
    arguments = ("--query", "Velmora lighthouse built", "--query", "Velmora keeper")
    trace = shell.json("ask", "When was it built?", *arguments)["trace"]
    assert (trace["queries"], trace["decider"]) == (["Velmora lighthouse built", "Velmora keeper"], "person")
    assert {search["query"] for search in trace["searches"]} == set(trace["queries"])
    given = [source for source in trace["sources"] if source["source_use"] == "given"]
    assert [source["number"] for source in given] == [1, 2, 3]
    assert all(source["tokens"] > 0 and "duckduckgo" in source["engines"] for source in given)


def test_a_file_is_cited_with_its_page_behind_the_numbers_of_the_web(shell, keepers):
    answer = shell.json("ask", "Who was the first keeper of the lighthouse?", "--file", str(keepers))
    pages = {source["number"]: source for source in answer["sources"]}
    number = next(n for n, source in pages.items() if "Jonas Brandt" in source["text"])
    assert f"[{number}]" in answer["answer"]
    assert pages[number]["kind"] == "file"
    assert pages[number]["locator"]["page"] == 2
    assert [source["kind"] for source in answer["sources"]] == sorted(
        (source["kind"] for source in answer["sources"]), key=["web", "file"].index
    )


def test_a_base_is_filled_searched_and_emptied(shell, keepers):
    assert shell.json("kb", "create", "notes")["base"]["name"] == "notes"
    added = shell.json("kb", "add", "notes", str(keepers), str(keepers.with_name("missing.txt")), status=1)
    states = {Path(file["file"]).name: file for file in added["files"]}
    assert states["keepers.pdf"]["state"] == "ready"
    assert states["missing.txt"]["state"] == "failed"
    assert "missing.txt" in states["missing.txt"]["error"]
    best = shell.json("kb", "search", "notes", "who kept the lighthouse first")["passages"][0]
    assert "Jonas Brandt" in best["text"]
    assert best["locator"]["page"] == 2
    assert Path(best["file"]) == keepers
    assert shell.run("kb", "remove", "notes").returncode == 0
    assert shell.json("kb", "list")["bases"] == []


def test_a_blocked_engine_is_called_blocked_and_never_nothing_found(shell, site, monkeypatch):
    monkeypatch.setattr(site, "result_page", captcha)
    answer = shell.json("search", "lighthouse", status=1)
    assert answer["status"] == "blocked"
    assert answer["results"] == []
    assert answer["error"]


def test_with_a_key_tavily_is_asked_first(shell, site):
    site.requests.clear()
    answer = shell.json("search", "lighthouse", "--count", "3", TAVILY_API_KEY="tvly-test")
    assert (answer["status"], answer["engine"]) == ("results", "tavily")
    assert site.asked("/search")
    assert not site.asked("/html")


def test_a_refused_tavily_key_is_said_and_the_browser_takes_over(shell, site, monkeypatch):
    monkeypatch.setattr(site, "tavily", lambda *_: (401, {"detail": {"error": "Unauthorized"}}))
    answer = shell.json("search", "lighthouse", TAVILY_API_KEY="tvly-wrong")
    assert (answer["status"], answer["engine"]) == ("results", "duckduckgo")
    refused = answer["attempts"][0]
    assert refused["engine"] == "tavily"
    assert "tvly-wrong" not in json.dumps(answer)


def closed_port() -> str:
    """Return an address at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}"


def test_without_a_network_the_answer_says_so(shell):
    (shell.data / "settings.json").write_text(
        json.dumps(
            {
                "search": {
                    "engine_order": ["duckduckgo"],
                    "engine_addresses": [["duckduckgo", closed_port()]],
                }
            }
        )
    )
    answer = shell.json("ask", "Who built the lighthouse of Velmora?", status=1)
    assert "can’t be reached" in answer["error"]
    step = next(step for step in answer["steps"] if step["kind"] == "search")
    assert step["status"] == "failed"
    assert step["detail"]
    assert answer["sources"] == []


def test_a_page_on_the_web_is_read_and_a_private_one_refused(shell, site, tmp_path):
    page = shell.json("read", f"{site.origin}/lighthouse")
    assert page["title"] == "The lighthouse of Velmora"
    assert "Ada Korsten" in page["text"]
    assert "cookies" not in page["text"]
    shell.configure(site, allowed_hosts=[], engine_addresses=[])
    refused = shell.json("read", f"{site.origin}/lighthouse", status=1)
    assert refused["status"] == "refused"
    assert refused["text"] == ""


def test_an_answer_can_be_had_as_a_file_with_its_sources(shell):
    done = shell.run("ask", "How far does the lamp of Velmora reach?", "--format", "markdown")
    assert done.returncode == 0, done.stderr
    cited = set(re.findall(r"[^\n]\[\^(\d+)\]", done.stdout))
    assert cited
    assert set(re.findall(r"^\[\^(\d+)\]: \[", done.stdout, re.MULTILINE)) == cited


def test_the_doctor_finds_what_this_installation_has(shell):
    checks = {check["name"]: check for check in shell.json("doctor")["checks"]}
    assert checks["browser"]["status"] == "ok"
    assert checks["data"]["detail"] == str(shell.data)
    assert checks["keyring"]["status"] == "warning"
    assert checks["keyring"]["advice"]


@cases(
    "arguments, status, words",
    [
        (("ask", ""), 2, "say what to ask"),
        (("check",), 2, "say which text to check"),
        (("ask", "Who?", "--web", "nosuch"), 1, "no search engine “nosuch”"),
        (("ask", "Who?", "--file", "/nowhere/a.pdf"), 1, "/nowhere/a.pdf: No such file"),
        (("ask", "Who?", "--model", "nowhere/model"), 1, "no model “nowhere/model”. Known providers: "),
        (("render", "/nowhere.md"), 1, "/nowhere.md: No such file"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_begun(shell, arguments, status, words):
    done = shell.run(*arguments, "--json")
    assert done.returncode == status
    assert words in json.loads(done.stdout)["error"]
    assert "Traceback" not in done.stderr


def test_an_unknown_base_is_a_clear_error(shell):
    done = shell.run("ask", "Who?", "--kb", "nowhere", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout) == {"error": "There is no knowledge base “nowhere”."}
    assert "Traceback" not in done.stderr
