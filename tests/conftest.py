"""What all tests share: no screen, no person's keyring, no person's data, sandbox off only for root."""

import os

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes depends on what else the machine does: that is for benchmarks to say.
settings.register_profile("footnote", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("footnote")

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
os.environ["HF_HUB_OFFLINE"] = "1"
for name in (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "TAVILY_API_KEY",
):
    os.environ.pop(name, None)
if hasattr(os, "geteuid") and os.geteuid() == 0:
    os.environ["QTWEBENGINE_DISABLE_SANDBOX"] = "1"  # Chromium refuses to run as root with its sandbox


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Footnote runs on asyncio alone."""
    return "asyncio"


@pytest.fixture(autouse=True)
def own_data_dir(tmp_path, monkeypatch):
    """Keep every test away from the data of whoever runs it."""
    monkeypatch.setenv("FOOTNOTE_DATA_DIR", str(tmp_path / "footnote-data"))
