"""A real X server, a real grab, and a key pressed by another client."""

import asyncio
import os
import shutil
import subprocess
from contextlib import aclosing

import pytest

from desktop.chat.api.system import KeyNews
from desktop.errors import GlobalKeyUnavailable
from desktop.services.desktop import listen_to_key
from desktop.services.desktop.key_sequence import parse_keys
from tests.cases import cases

KEYS = "Ctrl+Alt+Space"

pytestmark = pytest.mark.skipif(shutil.which("Xvfb") is None, reason="no X server to try it on")


@pytest.fixture(scope="module")
def server():
    ours, theirs = os.pipe()
    command = ["Xvfb", "-displayfd", str(theirs), "-screen", "0", "640x480x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[theirs], stderr=subprocess.DEVNULL) as running:
        os.close(theirs)
        with os.fdopen(ours) as said:
            name = f":{said.readline().strip()}"
        yield name
        running.terminate()
        running.wait(30)


@pytest.fixture(autouse=True)
def session(server, monkeypatch):
    monkeypatch.setenv("DISPLAY", server)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)


def press(*symbols: str) -> None:
    """Press keys together, as somebody at the keyboard does."""
    from Xlib import XK, X
    from Xlib.display import Display
    from Xlib.ext import xtest

    display = Display()
    codes = [display.keysym_to_keycode(XK.string_to_keysym(symbol)) for symbol in symbols]
    for code in codes:
        xtest.fake_input(display, X.KeyPress, code)
    for code in reversed(codes):
        xtest.fake_input(display, X.KeyRelease, code)
    display.sync()
    display.close()


def test_a_press_is_heard_with_caps_lock_on_too_and_not_after_the_end():
    async def run() -> None:
        heard = listen_to_key(KEYS)
        assert await anext(heard) is KeyNews.HELD
        for before in ((), ("Caps_Lock",)):
            if before:
                await asyncio.to_thread(press, *before)
            await asyncio.to_thread(press, "Control_L", "Alt_L", "space")
            assert await asyncio.wait_for(anext(heard), 30) is KeyNews.PRESSED
        await heard.aclose()
        again = listen_to_key(KEYS)
        assert await anext(again) is KeyNews.HELD
        await again.aclose()

    asyncio.run(run())


def test_a_key_of_another_program_is_refused_with_the_way_out():
    async def run() -> None:
        first, second = listen_to_key(KEYS), listen_to_key(KEYS)
        assert await anext(first) is KeyNews.HELD
        with pytest.raises(GlobalKeyUnavailable, match=r"Another program.*footnote --quick"):
            await anext(second)
        await first.aclose()

    asyncio.run(run())


@cases("keys", ["F", "Ctrl+Nonsense"])
def test_a_key_that_is_none_is_refused(keys):
    async def run() -> None:
        with pytest.raises(GlobalKeyUnavailable):
            await anext(listen_to_key(keys))

    asyncio.run(run())


def test_no_session_is_said(monkeypatch):
    async def run() -> None:
        with pytest.raises(GlobalKeyUnavailable, match="lets no program"):
            await anext(listen_to_key(KEYS))

    monkeypatch.delenv("DISPLAY")
    asyncio.run(run())


def test_a_press_that_was_read_along_with_an_answer_is_heard():
    from Xlib import XK, X
    from Xlib.display import Display

    from desktop.services.desktop.shortcut_x11 import _events, _grab

    wanted = parse_keys(KEYS)
    assert wanted is not None

    async def run() -> None:
        display = Display()
        try:
            assert _grab(display, wanted, XK.string_to_keysym(wanted.symbol))
            press("Control_L", "Alt_L", "space")
            display.sync()
            async with asyncio.timeout(30), aclosing(_events(display, X.KeyPress)) as heard:
                await anext(heard)
        finally:
            display.close()

    asyncio.run(run())
