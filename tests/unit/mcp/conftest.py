"""A machine with much else to do starts programs slowly; no test of the room is about that."""

import pytest

from desktop.mcp import connection, servers

PATIENCE_S = 60.0


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    monkeypatch.setattr(servers, "PATIENCE_S", PATIENCE_S)
    monkeypatch.setattr(connection, "LIST_LIMIT_S", PATIENCE_S)
