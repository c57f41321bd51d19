"""Files that cannot be written say why, and what had their name stays."""

import errno
import os

import pytest

from desktop.errors import NotExported
from desktop.phrases import localize
from desktop.ui.transcript.file_saver import write_atomically
from tests.cases import cases


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "潮汐 🌊.md"
    path.write_bytes(b"old and longer")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_name_that_is_too_long_is_told(tmp_path):
    with pytest.raises(NotExported, match="The name is too long"):
        write_atomically(tmp_path / ("x" * 300), b"")


def test_a_folder_that_is_a_file_is_told(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotExported, match=r"“a.md” couldn’t be saved. The folder does not exist"):
        write_atomically(tmp_path / "file" / "a.md", b"")


@cases(
    "number, words, chinese",
    [
        (errno.ENOSPC, "The disk is full", "磁盘已满"),
        (errno.EACCES, "You don’t have permission to write there", "没有在此处写入的权限"),
        (errno.EROFS, "You don’t have permission to write there", "没有在此处写入的权限"),
        (errno.EIO, "Details: ", "详情"),
    ],
)
def test_what_the_disk_refuses_is_told_in_both_languages(monkeypatch, tmp_path, number, words, chinese):
    def refuse(_descriptor):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("desktop.settings.atomic_files.os.fsync", refuse)
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    with pytest.raises(NotExported) as failed:
        write_atomically(path, b"new")
    assert words in str(failed.value)
    assert chinese in localize(str(failed.value), "zh_CN")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
