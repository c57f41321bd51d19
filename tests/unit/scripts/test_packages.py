"""What may be installed: pinned, known by its hashes, and under licences that bind nobody's answers."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def script(name):
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(ROOT / "scripts"))
    return module


packages, licences = script("packages"), script("licences")


def pins():
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pairs = (line.split("==") for line in lines if not line.startswith("#"))
    return {f"{packages.plain(name)}=={version}" for name, version in pairs}


def test_every_pinned_package_is_known_by_its_files():
    wanted = set(licences.installed_with(packages.wanted()))
    known = packages.known()
    assert all(known.values())
    missing = {pin for pin in pins() if pin not in known and pin.partition("==")[0] in wanted}
    assert missing == set(), "make lock"


def report(folder, *entries):
    path = folder / "report.json"
    install = [
        {
            "metadata": {"name": name, "version": version},
            "download_info": {
                "url": f"https://files.example/{name}.whl",
                "archive_info": {"hashes": {"sha256": digest}},
            },
        }
        for name, version, digest in entries
    ]
    path.write_text(json.dumps({"install": install}))
    return path


def test_a_file_that_is_not_known_is_refused_and_all_others_are_pinned(tmp_path, monkeypatch):
    good, bad = "a" * 64, "b" * 64
    monkeypatch.setattr(packages, "known", lambda: {"torch==2.13.0": {f"sha256:{good}"}})
    pinned, strangers = packages.locked(report(tmp_path, ("Torch", "2.13.0+cpu", good)))
    assert pinned == [f"torch @ https://files.example/Torch.whl --hash=sha256:{good}"]
    assert strangers == []
    for name, version, digest in (("torch", "2.13.0", bad), ("torch", "2.14.0", good), ("other", "1", good)):
        _, strangers = packages.locked(report(tmp_path, (name, version, digest)))
        assert len(strangers) == 1


@pytest.mark.parametrize("words", [[], ["rubbish"], ["locked"]])
def test_other_words_are_explained(words, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["packages.py", *words])
    assert packages.main() == 2
    assert "hashes.txt" in capsys.readouterr().err


def test_hashes_are_read_of_all_files():
    lines = f"A.b==1 \\\n    --hash=sha256:{'a' * 64} \\\n    --hash=sha256:{'b' * 64}\n    # via x\nc==2 --hash=sha256:{'c' * 64}"
    assert packages.condensed(lines) == {
        "a-b==1": {f"sha256:{'a' * 64}", f"sha256:{'b' * 64}"},
        "c==2": {f"sha256:{'c' * 64}"},
    }


def test_no_licence_binds_what_a_person_does():
    found = licences.installed_with(packages.project_requirements())
    assert len(found) > 50
    assert licences.unwanted(found) == []
    assert [name for name, each in found.items() if licences.licence_of(each) == "not named"] == []
