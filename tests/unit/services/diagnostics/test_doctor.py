"""What the doctor says of engines."""

import asyncio
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from desktop.domain.models import LocalModel
from desktop.domain.program import Check, CheckStatus, FixAction
from desktop.domain.search import EngineHealth, Obstacle, SearchStatus
from desktop.phrases import localize
from desktop.services.container import running_services
from desktop.services.diagnostics import doctor
from desktop.services.diagnostics.doctor import engine_check, knowledge_checks
from desktop.settings.folders import SETTINGS_FILE, folders_for
from desktop.settings.model import ChromaServer, KnowledgeSettings, OwnEmbedder, OwnReranker, Settings
from desktop.settings.store import SettingsFile
from tests.cases import cases


def test_an_engine_that_answers_is_sound():
    check = engine_check(EngineHealth("bing", "Bing", SearchStatus.RESULTS, typical_s=0.84))
    assert (check.status, check.detail, check.advice) == (
        CheckStatus.OK,
        "responds, usually within 0.8 s",
        "",
    )


@cases(
    "obstacle, advice, remedy",
    [
        (Obstacle.CAPTCHA, "--show-captcha", FixAction.SHOW_PAGE),
        (Obstacle.RATE_LIMIT, "footnote search --engine bing Wikipedia", FixAction.TEST_ENGINE),
    ],
)
def test_an_engine_that_does_not_answer_comes_with_what_can_be_done(obstacle, advice, remedy):
    health = EngineHealth(
        "bing", "Bing", SearchStatus.BLOCKED, "Bing asks.", paused_s=42.0, obstacle=obstacle
    )
    check = engine_check(health)
    assert check.status is CheckStatus.WARNING
    assert check.detail == "Bing asks. Paused for another 42 s."
    assert advice in check.advice
    assert check.remedy is remedy


def test_who_takes_long_over_a_finding_is_not_stopped_for_it(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor, "_LIMIT_S", 0.5)

    async def scenario():
        clock = asyncio.get_running_loop().time
        async with (
            running_services(folders_for(tmp_path)) as services,
            aclosing(doctor.examine(services)) as checks,
        ):
            first = await anext(checks)
            began = clock()
            while clock() < began + 1.0:  # noqa: ASYNC110 - as a window does that is behind
                await asyncio.sleep(0)
            second = await anext(checks)
        assert (first.name, second.name) == ("program", "data")

    asyncio.run(scenario())


SMALL = LocalModel("s", "Small", path=Path("small.gguf"))


@cases(
    "models, problem, status, detail, advice",
    [
        ([], "", "ok", "llama.cpp is installed; no model is on this computer", ""),
        ([], "It is missing.", "ok", "llama.cpp is not installed; no model on this computer needs it", ""),
        ([SMALL], "", "ok", "llama.cpp is installed; models on this computer: Small", ""),
        (
            [SMALL],
            "It is missing.",
            "warning",
            "llama.cpp is not installed; models on this computer: Small",
            "It is missing.",
        ),
        (
            [replace(SMALL, error="It is cut.", warning="It is large.")],
            "",
            "warning",
            "It is cut.",
            "Delete it in Settings > Models, and download it or add it again.",
        ),
        ([SMALL, replace(SMALL, warning="It is large.")], "", "warning", "It is large.", ""),
        ([LocalModel("o", "Offered", warning="It is large.")], "", "ok", None, ""),
    ],
)
def test_models_on_this_computer_are_examined(models, problem, status, detail, advice):
    class LocalModels:
        async def models(self):
            return tuple(models)

        async def problem(self):
            return problem

    check = asyncio.run(doctor._local_models(SimpleNamespace(local_models=LocalModels())))
    assert (check.status, check.advice) == (CheckStatus(status), advice)
    assert detail in (check.detail, None)
    assert localize(check.detail, "zh_CN") != check.detail or models


@pytest.fixture
def examined(tmp_path):
    """Examine knowledge as it is set up, without what takes long; return the checks by name."""

    def run(knowledge: KnowledgeSettings, *, without: tuple[str, ...] = (), empty: bool = False):
        folders = folders_for(tmp_path)
        folders.create()
        SettingsFile(folders.data / SETTINGS_FILE).save(Settings(knowledge=knowledge))

        async def all_of_them() -> dict[str, Check]:
            async with running_services(folders) as services:
                if empty:
                    path = tmp_path / "empty.txt"
                    path.write_text("")
                    base = await services.knowledge.create("my notes")
                    _ = [step async for step in services.knowledge.add(base.id, [path])]
                checks = knowledge_checks(services)
                return {name: await check(services) for name, check in checks.items() if name not in without}

        return asyncio.run(all_of_them())

    return run


def test_items_that_failed_are_counted_with_the_way_to_try_again(examined):
    checks = examined(KnowledgeSettings(reads_scans=False), without=("embedding model",), empty=True)
    assert checks["knowledge"] == Check(
        "knowledge",
        CheckStatus.WARNING,
        "1 knowledge bases, 1 items, 0 passages; 0 waiting, 1 failed",
        "See why: footnote kb status 'my notes'; try again: footnote kb retry 'my notes'",
        FixAction.READ_REASONS,
    )
    assert checks["scans"].detail == "rapidocr is installed; reading scans is off in the settings"
    assert set(checks) == {"knowledge", "scans"}


def test_what_is_set_up_and_does_not_answer_is_a_warning_with_advice(examined):
    unreachable = "http://127.0.0.1:9"
    checks = examined(
        KnowledgeSettings(
            embedding_model="o",
            own_embedders=(OwnEmbedder("o", "Ours", unreachable, "m"),),
            reranker="r",
            own_rerankers=(OwnReranker("r", "Judge", unreachable, "m"),),
            chroma_servers=(ChromaServer("c", "Team", unreachable),),
        )
    )
    assert checks.pop("knowledge").status is CheckStatus.OK
    assert checks.pop("scans").status is CheckStatus.OK
    assert set(checks) == {"embedding model", "reranker", "chroma server Team"}
    for check in checks.values():
        assert check.status is CheckStatus.WARNING
        assert "Settings > Knowledge" in check.advice
        assert check.detail


def test_a_model_that_is_not_here_is_said_without_starting_anything(examined):
    checks = examined(KnowledgeSettings(embedding_model="BAAI/bge-m3"), without=("knowledge",))
    assert checks["embedding model"].detail == "BGE-M3 is not on this computer"
    checks = examined(KnowledgeSettings(embedding_model="gone"), without=("knowledge",))
    assert checks["embedding model"].detail == "gone is not in the settings"
