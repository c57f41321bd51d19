"""The small world around the whole program: a web, a model, a file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from desktop.app import bootstrap
from tests.e2e.model_server import ModelServer, running_model_server
from tests.e2e.site import Site, running_site


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give whole programs the time that they take on a busy machine."""
    for item in items:
        if "e2e" in item.path.parts and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(300))


@pytest.fixture(autouse=True)
def patient_end(monkeypatch):
    """Wait for the services at the end of a program: what is left of them would fail the next test."""
    monkeypatch.setattr(bootstrap, "CLOSE_TIMEOUT_S", 60.0)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """A small web."""
    with running_site() as running:
        yield running


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A model that says what a test wants it to."""
    with running_model_server() as running:
        yield running


@pytest.fixture
def keepers(tmp_path) -> Path:
    """A PDF whose second page names the first keeper."""
    path = tmp_path / "keepers.pdf"
    canvas = Canvas(str(path))
    canvas.drawString(72, 700, "Log of the keepers. This is the cover page.")
    canvas.showPage()
    canvas.drawString(72, 700, "The first keeper of the Velmora lighthouse was Jonas Brandt.")
    canvas.showPage()
    canvas.save()
    return path
