"""What a screen reader of Linux is told: AT-SPI over D-Bus, with a display, a session bus and a registry of our own."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

NEEDED = ("Xvfb", "dbus-run-session")
LAUNCHERS = ("/usr/libexec/at-spi-bus-launcher", "/usr/lib/at-spi2-core/at-spi-bus-launcher")
REGISTRY = "org.a11y.atspi.Registry"
ROOT = "/org/a11y/atspi/accessible/root"
ACCESSIBLE = "org.a11y.atspi.Accessible"
ANSWER_S = 60
APPEARS_S = 60
SHOWING = 1 << 25
FOCUSABLE = 1 << 11


@dataclass(frozen=True)
class Node:
    """One object that a program exposes, and those below it."""

    role: str
    name: str
    description: str
    is_showing: bool
    is_focusable: bool
    attributes: dict[str, str]
    children: list["Node"] = field(default_factory=list)

    def all(self) -> Iterator["Node"]:
        """Yield this node and all below it, in reading order."""
        yield self
        for child in self.children:
            yield from child.all()

    def outline(self, depth: int = 0) -> str:
        """Return the tree as indented lines, for the message of a failed test."""
        own = f"{'  ' * depth}{self.role} {self.name!r} {self.description!r} {self.attributes or ''}".rstrip()
        return "\n".join([own, *(child.outline(depth + 1) for child in self.children)])


def node_of(fields: dict) -> Node:
    """Return a node that was written as JSON."""
    return Node(**{**fields, "children": [node_of(child) for child in fields["children"]]})


def missing() -> list[str]:
    """Return the programs that this needs and that are not installed."""
    names = [name for name in NEEDED if shutil.which(name) is None]
    return names if any(Path(path).exists() for path in LAUNCHERS) else [*names, "at-spi-bus-launcher"]


@contextmanager
def display() -> Iterator[str]:
    """Run an X server without a screen and give its name."""
    reading, writing = os.pipe()
    command = [
        "Xvfb",
        "-displayfd",
        str(writing),
        "-screen",
        "0",
        "1600x1000x24",
        "-nolisten",
        "tcp",
        "-noreset",
    ]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as told:
            yield f":{told.readline().strip()}"
    finally:
        server.terminate()
        server.wait()


class Reader:
    """Reads the trees of the programs on the bus of this session, as a screen reader does."""

    def __init__(self) -> None:
        """Connect to the bus for accessibility, which the session bus starts when it is asked for."""
        from jeepney import DBusAddress, new_method_call
        from jeepney.io.blocking import open_dbus_connection

        with open_dbus_connection("SESSION") as session:
            launcher = DBusAddress("/org/a11y/bus", "org.a11y.Bus", "org.a11y.Bus")
            reply = session.send_and_get_reply(new_method_call(launcher, "GetAddress"), timeout=ANSWER_S)
        self.bus = open_dbus_connection(reply.body[0])

    def close(self) -> None:
        """Hang up."""
        self.bus.close()

    def listen(self) -> None:
        """Keep from now on what programs announce; they do so once a reader wants it."""
        from jeepney import DBusAddress, MatchRule, message_bus, new_method_call

        registry = DBusAddress("/org/a11y/atspi/registry", REGISTRY, REGISTRY)
        wanted = new_method_call(registry, "RegisterEvent", "sas", ("object:announcement", []))
        self.bus.send_and_get_reply(wanted, timeout=ANSWER_S)
        rule = MatchRule(type="signal", interface="org.a11y.atspi.Event.Object", member="Announcement")
        self.bus.send_and_get_reply(message_bus.AddMatch(rule), timeout=ANSWER_S)
        self._announced = self.bus.filter(rule, bufsize=100)

    def announced(self) -> list[str]:
        """Return what was announced since `listen`, as far as it has arrived."""
        return [str(message.body[3][1]) for message in self._announced.queue]

    def programs(self) -> list[str]:
        """Return the names of the programs on the bus."""
        listed = self._call(REGISTRY, ROOT, "GetChildren") or ()
        return [str(self._property(service, path, "Name")) for service, path in listed]

    def tree(self, program: str) -> Node:
        """Return the tree of the first program whose name begins like this, as soon as it has registered."""
        until = time.monotonic() + APPEARS_S
        while time.monotonic() < until:
            for service, path in self._call(REGISTRY, ROOT, "GetChildren") or ():
                if str(self._property(service, path, "Name")).startswith(program):
                    return self._read(service, path)
            time.sleep(0.1)
        raise AssertionError(f"never on the bus: {program}")

    def _read(self, service: str, path: str) -> Node:
        low, high = self._call(service, path, "GetState") or (0, 0)
        state = low | high << 32
        children = [
            self._read(of, below)
            for of, below in self._call(service, path, "GetChildren") or ()
            if not below.endswith("/null")
        ]
        return Node(
            str(self._call(service, path, "GetRoleName")),
            str(self._property(service, path, "Name") or ""),
            str(self._property(service, path, "Description") or ""),
            bool(state & SHOWING),
            bool(state & FOCUSABLE),
            dict(self._call(service, path, "GetAttributes") or {}),
            children,
        )

    def _call(self, service: str, path: str, method: str):
        from jeepney import DBusAddress, MessageType, new_method_call

        address = DBusAddress(path, service, ACCESSIBLE)
        reply = self.bus.send_and_get_reply(new_method_call(address, method), timeout=ANSWER_S)
        return None if reply.header.message_type is MessageType.error else reply.body[0]

    def _property(self, service: str, path: str, name: str):
        from jeepney import DBusAddress, MessageType, Properties

        address = DBusAddress(path, service, ACCESSIBLE)
        reply = self.bus.send_and_get_reply(Properties(address).get(name), timeout=ANSWER_S)
        return None if reply.header.message_type is MessageType.error else reply.body[0][1]
