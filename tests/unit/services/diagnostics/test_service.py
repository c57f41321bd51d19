import asyncio
from dataclasses import replace
from pathlib import Path

from desktop.domain.program import Check, CheckStatus, LogEntry
from desktop.services.container import running_services
from desktop.services.diagnostics.log_reader import LOG_FILE
from desktop.services.diagnostics.service import list_changed_settings, report, without_home
from desktop.services.window import window_services
from desktop.settings.folders import folders_for
from desktop.settings.model import ProviderSettings, Settings, WindowSettings

OWN = replace(
    Settings(),
    providers=(ProviderSettings("mine", "Mine", "openai", "https://secret-host.example/v1"),),
    window=WindowSettings(theme="dark", zoom=1.5, sends_on_enter=False),
    chat=replace(Settings().chat, model="mine/private-model"),
)


def test_settings_are_told_without_what_the_person_wrote():
    lines = sorted(list_changed_settings(OWN, Settings()))
    assert lines == [
        "chat.model: set",
        "providers: 1",
        "window.sends_on_enter = False",
        "window.theme: set",
        "window.zoom = 1.5",
    ]
    assert list(list_changed_settings(Settings(), Settings())) == []


def test_a_report_holds_findings_with_advice_and_the_log_within_its_fence():
    checks = (
        Check("data", CheckStatus.OK, "fine"),
        Check("browser", CheckStatus.FAILED, "none", "Install one."),
    )
    text = report(checks, OWN, (LogEntry("t", 40, "desktop", "bad\n```\nworse"),), "Qt 6")
    assert "**FAILED** browser: none → Install one." in text
    assert "secret-host" not in text
    assert text.count("```") == 2


def test_the_persons_folder_has_no_name():
    assert without_home("/home/ann/data and /home/ann", Path("/home/ann")) == "~/data and ~"
    assert without_home("/a/b", Path("/")) == "/a/b"


def test_keys_are_in_no_report_and_no_view_of_the_log(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-123456")
    folders = folders_for(tmp_path)
    folders.create()
    line = f"2026-01-01 00:00:00,000 ERROR desktop.x: with sk-canary-123456 in {Path.home()}/x\n"
    (folders.logs / LOG_FILE).write_text(line, encoding="utf-8")

    async def told():
        async with running_services(folders) as services:
            diagnostics = window_services(services).diagnostics
            return await diagnostics.report((), "Qt")

    text = asyncio.run(told())
    assert "canary" not in text
    assert "in ~/x" in text
