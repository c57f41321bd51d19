"""What the disk refuses is said in words that name the folder, not a file of ours."""

import errno
from pathlib import Path

from desktop.knowledge.index.disk_errors import disk_refused


def test_a_read_only_disk_is_called_one_by_its_folder():
    refused = OSError(errno.EROFS, "Read-only file system", "/data/knowledge/worker.log")
    assert "/data is on a read-only disk." in str(disk_refused(refused, Path("/data")))


def test_a_file_that_is_closed_to_us_is_named():
    refused = PermissionError(errno.EACCES, "Permission denied", "/data/knowledge/worker.log")
    assert "/data/knowledge/worker.log can’t be used (Permission denied)" in str(
        disk_refused(refused, Path("/data"))
    )
