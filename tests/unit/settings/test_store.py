"""Settings on disk: nothing that a person or a newer program wrote is lost."""

import json
import os
import resource
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.models import Ability, ModelFacts, Price
from desktop.errors import SettingRejected, SettingsNotSaved, SettingsUnreadable
from desktop.settings.model import (
    ChatSettings,
    OwnEngine,
    OwnFacts,
    ProviderSettings,
    SearchSettings,
    Settings,
    WindowSettings,
)
from desktop.settings.store import SettingsFile

OLLAMA = ProviderSettings("ollama", "Ollama", "openai", "http://localhost:11434/v1", needs_key=False)
CLAUDE = ProviderSettings("anthropic", "Anthropic", "anthropic", "https://api.anthropic.com")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "profile" / "settings.json"


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())


def on_disk(path):
    return json.loads(path.read_bytes())


def names(path):
    return sorted(file.name for file in path.parent.iterdir())


def make_settings(**window):
    return Settings(window=WindowSettings(**window))


def test_without_a_file_the_defaults_hold(path):
    loaded = SettingsFile(path).load()
    assert loaded.settings == Settings()
    assert loaded.problems == ()
    assert not path.exists()


def test_what_is_saved_is_loaded(path):
    settings = Settings(
        chat=ChatSettings(model="ollama/qwen3"),
        search=SearchSettings(choice="bing", engine_order=("bing",), allowed_hosts=("nas.local",)),
        window=WindowSettings(language="zh_CN", zoom=1.25),
        providers=(OLLAMA, CLAUDE),
        was_welcomed=True,
    )
    SettingsFile(path).save(settings)
    loaded = SettingsFile(path).load()
    assert loaded.settings == settings
    assert loaded.problems == ()
    assert names(path) == ["settings.json"]


def test_what_is_said_of_models_is_loaded_and_what_cannot_be_is_said(path):
    facts = ModelFacts(8_000, None, Price(1.5, 6.0, "EUR"), (Ability.IMAGES,), (Ability.TOOLS,))
    settings = Settings(providers=(replace(OLLAMA, facts=(OwnFacts("qwen3:8b", facts),)),))
    SettingsFile(path).save(settings)
    assert SettingsFile(path).load().settings == settings
    kept = on_disk(path)
    kept["providers"][0]["facts"][0]["facts"]["has"] = ["telepathy"]
    put(path, kept)
    loaded = SettingsFile(path).load()
    assert loaded.settings.providers[0].facts[0].facts == replace(facts, has=())
    assert [type(problem) for problem in loaded.problems] == [SettingRejected]


def test_the_file_holds_only_what_differs_from_the_defaults(path):
    SettingsFile(path).save(make_settings(zoom=2.0))
    assert on_disk(path) == {"window": {"zoom": 2.0}}


def test_unknown_keys_survive_at_every_depth(path):
    put(
        path,
        {
            "from_the_future": [1, {"a": None}],
            "window": {"zoom": 1.5, "opacity": 0.5},
            "plugins": {"x": {"y": 1}},
            "providers": [
                {"id": "ollama", "name": "O", "kind": "openai", "base_url": "http://x", "colour": "red"}
            ],
        },
    )
    file = SettingsFile(path)
    settings = file.load().settings
    [provider] = settings.providers
    file.save(
        replace(
            settings,
            window=replace(settings.window, zoom=1.0, theme="dark"),
            providers=(replace(provider, name="Ollama"), CLAUDE),
        )
    )
    disk = on_disk(path)
    assert disk["from_the_future"] == [1, {"a": None}]
    assert disk["plugins"] == {"x": {"y": 1}}
    assert disk["window"] == {"zoom": 1.0, "opacity": 0.5, "theme": "dark"}
    assert disk["providers"][0]["colour"] == "red"
    assert disk["providers"][0]["name"] == "Ollama"
    assert disk["providers"][1]["base_url"] == CLAUDE.base_url


def test_unknown_items_survive_in_their_list(path):
    gemini = {"id": "gemini", "name": "G", "kind": "gemini", "base_url": "x"}
    known = {"id": "ollama", "name": "O", "kind": "openai", "base_url": "http://x"}
    put(path, {"providers": [gemini, "nonsense", known, {**known, "name": "twin"}]})
    file = SettingsFile(path)
    loaded = file.load()
    assert [provider.id for provider in loaded.settings.providers] == ["ollama"]
    assert [problem.fields["name"] for problem in loaded.problems] == [
        "providers.0",
        "providers.1",
        "providers.3",
    ]
    file.save(replace(loaded.settings, providers=(CLAUDE,)))
    items = on_disk(path)["providers"]
    assert [item["id"] for item in items if isinstance(item, dict)] == ["anthropic", "gemini", "ollama"]
    assert items[-1]["name"] == "twin"
    assert gemini in items
    assert "nonsense" in items


def test_a_removed_item_is_removed(path):
    file = SettingsFile(path)
    file.save(Settings(providers=(OLLAMA, CLAUDE)))
    file.save(Settings(providers=(CLAUDE,)))
    assert SettingsFile(path).load().settings.providers == (CLAUDE,)
    file.save(Settings())
    assert SettingsFile(path).load().settings.providers == ()


def test_items_keep_the_order_that_was_given(path):
    file = SettingsFile(path)
    file.save(Settings(providers=(OLLAMA, CLAUDE)))
    file.save(Settings(providers=(CLAUDE, OLLAMA)))
    assert SettingsFile(path).load().settings.providers == (CLAUDE, OLLAMA)


def test_what_another_process_changed_meanwhile_is_kept(path):
    first, second = SettingsFile(path), SettingsFile(path)
    first.load(), second.load()
    first.save(Settings(was_welcomed=True, providers=(OLLAMA,)))
    second.save(make_settings(zoom=2.0))
    loaded = SettingsFile(path).load().settings
    assert loaded.was_welcomed
    assert loaded.providers == (OLLAMA,)
    assert loaded.window.zoom == 2.0


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[1]", b"null", b"\xff\xfe\x00", b'{"window": {"zoom": 1', b"[" * 100_000, b"\0" * 4096],
    ids=["empty", "cut", "list", "null", "utf16", "half", "deep", "zeros"],
)
def test_a_broken_file_is_set_aside_and_reported(path, content):
    put(path, content)
    file = SettingsFile(path)
    loaded = file.load()
    assert loaded.settings == Settings()
    [problem] = loaded.problems
    assert isinstance(problem, SettingsUnreadable)
    aside = path.with_name(problem.fields["kept_as"])
    assert aside.name.startswith("settings.json.broken-2")
    assert aside.read_bytes() == content
    file.save(make_settings(zoom=2.0))
    assert aside.read_bytes() == content
    assert SettingsFile(path).load().settings == make_settings(zoom=2.0)


def test_two_broken_files_are_both_kept(path):
    for content in (b"one", b"two"):
        put(path, content)
        SettingsFile(path).load()
    assert {file.read_bytes() for file in path.parent.iterdir()} == {b"one", b"two"}


def test_a_file_broken_after_loading_is_set_aside_before_saving(path):
    file = SettingsFile(path)
    file.load()
    put(path, b"{oops")
    file.save(make_settings(zoom=2.0))
    assert [p.read_bytes() for p in path.parent.glob("*.broken-*")] == [b"{oops"]
    assert on_disk(path) == {"window": {"zoom": 2.0}}


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ({"window": {"zoom": "big", "theme": "dark"}}, "window.zoom"),
        ({"window": {"zoom": 0, "theme": "dark"}}, "window.zoom"),
        ({"window": {"language": 5, "theme": "dark"}}, "window.language"),
        ({"search": [], "window": {"theme": "dark"}}, "search"),
        ({"search": {"result_count": -1}, "window": {"theme": "dark"}}, "search.result_count"),
        ({"search": {"engine_order": "bing"}, "window": {"theme": "dark"}}, "search.engine_order"),
        ({"providers": {}, "window": {"theme": "dark"}}, "providers"),
        ({"providers": [{"id": "x"}], "window": {"theme": "dark"}}, "providers.0"),
        ({"was_welcomed": "yes", "window": {"theme": "dark"}}, "was_welcomed"),
    ],
)
def test_one_bad_value_falls_back_alone_and_stays_in_the_file(path, content, name):
    put(path, content)
    file = SettingsFile(path)
    loaded = file.load()
    assert loaded.settings == make_settings(theme="dark")
    [problem] = loaded.problems
    assert isinstance(problem, SettingRejected)
    assert problem.fields["name"] == name
    file.save(replace(loaded.settings, chat=ChatSettings(model="m")))
    assert on_disk(path) == {**content, "chat": {"model": "m"}}


def test_a_bad_optional_field_of_an_item_falls_back_alone(path):
    put(path, {"providers": [{**vars(OLLAMA), "models": 5, "id": "a"}]})
    loaded = SettingsFile(path).load()
    [provider] = loaded.settings.providers
    assert provider == replace(OLLAMA, id="a")
    assert [problem.fields["name"] for problem in loaded.problems] == ["providers.0.models"]


def test_a_bad_value_is_replaced_once_the_person_sets_it(path):
    put(path, {"window": {"zoom": "big"}})
    file = SettingsFile(path)
    file.save(replace(file.load().settings, window=WindowSettings(zoom=2.0)))
    assert on_disk(path) == {"window": {"zoom": 2.0}}


def test_file_names_that_are_no_unicode_survive(path):
    settings = Settings(search=SearchSettings(browser_path="/opt/\udcff/chrome"))
    SettingsFile(path).save(settings)
    assert SettingsFile(path).load().settings == settings


def test_a_full_disk_leaves_the_old_file(path):
    file = SettingsFile(path)
    file.save(make_settings(zoom=2.0))
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, hard))
    try:
        with pytest.raises(SettingsNotSaved):
            file.save(make_settings(zoom=3.0, language="x" * 5000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == before
    assert names(path) == ["settings.json"]
    file.save(make_settings(zoom=3.0))
    assert SettingsFile(path).load().settings.window.zoom == 3.0


def test_a_folder_that_cannot_be_made_is_reported(tmp_path):
    blocker = tmp_path / "file"
    blocker.write_text("in the way")
    with pytest.raises(SettingsNotSaved):
        SettingsFile(blocker / "settings.json").save(make_settings(zoom=2.0))


def test_a_file_that_cannot_be_read_is_reported_and_never_overwritten(path):
    path.mkdir(parents=True)
    file = SettingsFile(path)
    loaded = file.load()
    assert loaded.settings == Settings()
    assert isinstance(loaded.problems[0], SettingsUnreadable)
    with pytest.raises(SettingsNotSaved):
        file.save(make_settings(zoom=2.0))
    assert path.is_dir()


def test_a_link_stays_a_link(path, tmp_path):
    real = tmp_path / "dotfiles.json"
    put(real, {})
    path.parent.mkdir()
    path.symlink_to(real)
    SettingsFile(path).save(make_settings(zoom=2.0))
    assert path.is_symlink()
    assert on_disk(real) == {"window": {"zoom": 2.0}}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_only_its_owner_can_read_the_file(path):
    SettingsFile(path).save(make_settings(zoom=2.0))
    assert path.stat().st_mode & 0o077 == 0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
KEYS = st.sampled_from(
    ["window", "search", "providers", "chat", "zoom", "id", "name", "kind", "base_url", "x"]
)
NEAR = st.recursive(
    JSON, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=20
)


@given(st.dictionaries(KEYS, NEAR))
def test_any_json_loads_and_saving_without_a_change_keeps_it(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("any") / "settings.json"
    put(path, content)
    file = SettingsFile(path)
    loaded = file.load()
    file.save(loaded.settings)
    assert on_disk(path) == content
    file.save(replace(loaded.settings, was_welcomed=True))
    assert on_disk(path) == {**content, "was_welcomed": True}


def test_things_without_ids_come_back_as_they_were_kept(path):
    search = SearchSettings(
        own_engines=(
            OwnEngine("Ours", "https://ours.example/?q=%s"),
            OwnEngine("Theirs", "https://theirs.example/%s"),
        ),
        engine_addresses=(("searxng", "https://searx.example"),),
    )
    SettingsFile(path).save(Settings(search=search))
    file = SettingsFile(path)
    assert file.load().settings.search == search
    file.save(Settings(search=replace(search, own_engines=search.own_engines[1:])))
    assert SettingsFile(path).load().settings.search.own_engines == search.own_engines[1:]


@pytest.mark.parametrize("spoil", [lambda path: path.unlink(), lambda path: path.write_text("{")])
def test_a_file_that_vanished_or_broke_meanwhile_is_written_whole(path, spoil):
    chosen = Settings(providers=(OLLAMA,), chat=ChatSettings(tool_rounds=7))
    SettingsFile(path).save(chosen)
    file = SettingsFile(path)
    assert file.load().settings == chosen
    spoil(path)
    file.save(replace(chosen, was_welcomed=True))
    assert SettingsFile(path).load().settings == replace(chosen, was_welcomed=True)
