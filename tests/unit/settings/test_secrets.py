"""Secrets: in the keyring, else in memory, never on disk."""

import asyncio
import threading
import time

import keyring.backends.fail
import keyring.backends.null
import pytest
from hypothesis import given
from hypothesis import strategies as st
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError

from desktop.settings.environment_keys import take_keys
from desktop.settings.secrets import MOST_KEYS, SERVICE, KeyCooldown, Secrets, has_unused_keys, keys_of
from tests.cases import cases


@cases(
    "secret, keys",
    [
        ("", ()),
        ("  one ", ("one",)),
        ("one,two", ("one", "two")),
        ("one\ntwo\r\n\n three", ("one", "two", "three")),
        ("one\u2028two", ("one", "two")),  # what a one-line field makes of a pasted line break
        ("one, two,one", ("one", "two")),
    ],
)
def test_a_secret_holds_one_key_or_several(secret, keys):
    assert keys_of(secret) == keys


def test_keys_beyond_those_that_are_used_are_noticed():
    assert not has_unused_keys(",".join(map(str, range(MOST_KEYS))) + " 1")
    assert has_unused_keys(",".join(map(str, range(MOST_KEYS + 1))))


def test_a_key_that_rests_is_left_out_until_its_rest_ends():
    now = [0.0]
    rests = KeyCooldown(lambda: now[0])
    rests.rest("tavily", "a", 60)
    assert rests.order("tavily", ("a", "b")) == ("b",)
    assert rests.order("brave", ("a", "b")) == ("a", "b")
    now[0] = 60.0
    assert rests.order("tavily", ("a", "b")) == ("a", "b")


def test_where_all_rest_the_one_that_rests_shortest_is_asked():
    rests = KeyCooldown(lambda: 0.0)
    rests.rest("tavily", "a", 60)
    rests.rest("tavily", "b", 30)
    assert rests.order("tavily", ("a", "b")) == ("b",)


def test_an_accepted_key_is_awake():
    rests = KeyCooldown(lambda: 0.0)
    rests.rest("tavily", "a", 60)
    rests.wake("tavily", "a")
    assert rests.order("tavily", ("a", "b")) == ("a", "b")


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(allow_nan=False))))
def test_there_is_always_a_key_to_ask_and_never_a_strange_one(rested):
    rests = KeyCooldown(lambda: 0.0)
    for key, seconds in rested:
        rests.rest("s", key, seconds)
    order = rests.order("s", ("a", "b", "c"))
    assert order
    assert set(order) <= {"a", "b", "c"}


def test_each_of_several_keys_is_masked():
    async def masked() -> str:
        secrets = Secrets(lambda: pytest.fail("not contacted"), {"TAVILY_API_KEY": "first-key,second-key"})
        return secrets.redact("the service said second-key is spent, first-key too")

    said = asyncio.run(masked())
    assert "first-key" not in said
    assert "second-key" not in said


KEY = "sk-canary-4f9a8b7c"


class Vault(KeyringBackend):
    """A keyring that works."""

    priority = 5

    def __init__(self):
        super().__init__()
        self.kept = {}
        self.threads = set()

    def get_password(self, service, username):
        self.threads.add(threading.current_thread())
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self.kept[service, username] = password

    def delete_password(self, service, username):
        if (service, username) not in self.kept:
            raise PasswordDeleteError
        del self.kept[service, username]


class LockedVault(Vault):
    """A keyring that nobody unlocks, and that says what it was given."""

    def get_password(self, service, username):
        raise KeyringLocked(f"locked, no {KEY} for you")

    def set_password(self, service, username, password):
        raise KeyringLocked(f"locked, cannot keep {password}")


class HangingVault(Vault):
    """A keyring that waits for a person who is not there."""

    def __init__(self):
        super().__init__()
        self.go = threading.Event()

    def get_password(self, service, username):
        self.go.wait(60)


class StrangeVault(Vault):
    """A keyring whose system raises what no documentation mentions."""

    def get_password(self, service, username):
        raise OverflowError("1312, CredRead")


class WeakVault(Vault):
    """A back end that `keyring` itself does not recommend."""

    priority = 0.5


class PlaintextVault(Vault):
    """What keyrings.alt has."""

    name = "file PlaintextKeyring"


class Chain(Vault):
    """Several at once, as `keyring` makes them."""

    priority = 10

    def __init__(self, *backends):
        super().__init__()
        self.backends = backends


def secrets(vault, environment=None, time_limit_s=5):
    return Secrets(lambda: vault, environment or {}, time_limit_s)


def test_a_secret_is_kept_in_the_keyring_alone():
    async def scenario():
        vault = Vault()
        mine = secrets(vault)
        await mine.set("provider/openai", f" {KEY}\n")
        assert vault.kept == {(SERVICE, "provider/openai"): KEY}
        assert await mine.get("provider/openai") == KEY
        assert await secrets(vault).get("provider/openai") == KEY
        assert await secrets(vault).has("provider/openai")
        assert mine.problem == ""

    asyncio.run(scenario())


def test_the_keyring_is_never_asked_on_the_event_loop():
    async def scenario():
        vault = Vault()
        await secrets(vault).get("provider/openai")
        assert vault.threads
        assert threading.current_thread() not in vault.threads

    asyncio.run(scenario())


def test_an_empty_value_forgets():
    async def scenario():
        vault = Vault()
        mine = secrets(vault)
        await mine.set("search/tavily", KEY)
        await mine.set("search/tavily", "")
        await mine.set("never/there", "")
        assert vault.kept == {}
        assert not await mine.has("search/tavily")
        assert mine.problem == ""

    asyncio.run(scenario())


@cases(
    "vault",
    [
        keyring.backends.fail.Keyring(),
        keyring.backends.null.Keyring(),
        PlaintextVault(),
        WeakVault(),
        Chain(keyring.backends.null.Keyring(), PlaintextVault()),
        LockedVault(),
        StrangeVault(),
    ],
    ids=lambda vault: type(vault).__module__ + "." + type(vault).__name__,
)
def test_without_a_usable_keyring_secrets_live_for_this_run_and_it_says_so(vault):
    async def scenario():
        mine = secrets(vault)
        await mine.get("other")
        await mine.set("provider/openai", KEY)
        assert await mine.get("provider/openai") == KEY
        assert "does not save them to disk" in mine.problem
        assert await secrets(vault).get("provider/openai") == ""
        assert getattr(vault, "kept", {}) == {}

    asyncio.run(scenario())


def test_a_problem_is_known_after_probing():
    async def scenario():
        mine = secrets(keyring.backends.fail.Keyring())
        assert mine.problem == ""
        assert "keyring" in await mine.probe()
        assert await secrets(Vault()).probe() == ""

    asyncio.run(scenario())


def test_of_a_chain_only_the_good_part_is_used():
    async def scenario():
        good, bad = Vault(), PlaintextVault()
        mine = secrets(Chain(keyring.backends.fail.Keyring(), bad, good))
        await mine.set("provider/openai", KEY)
        assert good.kept
        assert not bad.kept

    asyncio.run(scenario())


def test_the_secret_is_not_in_the_report_of_its_failure():
    async def scenario():
        mine = secrets(LockedVault())
        await mine.set("provider/openai", KEY)
        assert KEY not in mine.problem
        assert "locked" in mine.problem

    asyncio.run(scenario())


def test_a_hanging_keyring_is_asked_once_and_only_for_so_long():
    async def scenario():
        vault = HangingVault()
        mine = secrets(vault, {"TAVILY_API_KEY": KEY}, time_limit_s=0.05)
        begin = time.monotonic()
        assert await mine.get("search/tavily") == KEY
        assert await mine.get("provider/openai") == ""
        await mine.set("provider/openai", KEY)
        assert time.monotonic() - begin < 30
        assert "does not respond" in mine.problem
        assert all(thread.daemon for thread in threading.enumerate() if thread.name == "keyring")
        vault.go.set()

    asyncio.run(scenario())


def test_the_loop_runs_while_the_keyring_thinks():
    async def scenario():
        vault = HangingVault()
        asking = asyncio.create_task(secrets(vault).get("provider/openai"))
        await asyncio.sleep(0)
        assert not asking.done()
        vault.go.set()
        assert await asking == ""

    asyncio.run(scenario())


def test_the_environment_stands_in_until_a_secret_is_set():
    async def scenario():
        environment = {
            "OPENAI_API_KEY": "from-environment",
            "ANTHROPIC_API_KEY": "a-key",
            "TAVILY_API_KEY": "t-key",
        }
        mine = secrets(Vault(), environment)
        assert await mine.get("provider/openai") == "from-environment"
        assert await mine.get("provider/anthropic") == "a-key"
        assert await mine.get("search/tavily") == "t-key"
        assert await mine.get("provider/other") == ""
        await mine.set("provider/openai", KEY)
        assert await mine.get("provider/openai") == KEY

    asyncio.run(scenario())


def test_every_secret_that_passed_is_redacted():
    async def scenario():
        vault = Vault()
        vault.kept[SERVICE, "provider/openai"] = "out-of-the-vault"
        mine = secrets(vault, {"TAVILY_API_KEY": "out-of-the-environment"})
        await mine.get("provider/openai")
        await mine.set("provider/anthropic", KEY)
        text = mine.redact(f"{KEY} out-of-the-vault out-of-the-environment")
        assert text == "••• ••• •••"

    asyncio.run(scenario())


def test_nothing_is_written_to_disk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    async def scenario():
        mine = Secrets(environment={})  # the suite's own back end keeps nothing
        await mine.set("provider/openai", KEY)
        assert await mine.get("provider/openai") == KEY
        assert mine.problem

    asyncio.run(scenario())
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_keys_leave_the_environment_that_children_would_see():
    environment = {"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": "http://127.0.0.1", "PATH": "/bin"}
    assert take_keys(environment) == {"OPENAI_API_KEY": "sk-1"}
    assert environment == {"OPENAI_BASE_URL": "http://127.0.0.1", "PATH": "/bin"}
