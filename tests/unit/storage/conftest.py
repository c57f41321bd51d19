"""What the tests of storage share."""

import os
import subprocess

import pytest


@pytest.fixture
def small_disk(tmp_path):
    """A disk of one megabyte."""
    place = tmp_path / "small-disk"
    place.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(place)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip(f"no small disk here: {mounted.stderr.decode()}")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)
