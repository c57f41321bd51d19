"""Pictures that a person pastes: on disk once, under names that stay in their folder."""

import pytest

from desktop.errors import StorageUnavailable
from desktop.services.web.pictures import PictureService
from tests.cases import cases

pytestmark = pytest.mark.anyio


def pictures(folder):
    return PictureService(lambda: pytest.fail("nothing is fetched"), folder, pytest.fail)


async def test_a_picture_is_kept_once_and_others_beside_it(tmp_path):
    kept = pictures(tmp_path / "pictures")
    first = await kept.keep(b"one", "picture.png")
    assert await kept.keep(b"one", "picture.png") == first
    second = await kept.keep(b"two", "picture.png")
    assert (first.read_bytes(), second.read_bytes()) == (b"one", b"two")
    assert first.suffix == ".png"


@cases("name", ["../../away.png", "/etc/away.png", "a/b/away.png"])
async def test_no_name_leads_out_of_the_folder(tmp_path, name):
    path = await pictures(tmp_path).keep(b"x", name)
    assert path.parent == tmp_path
    assert path.name.startswith("away-")


async def test_a_disk_that_refuses_is_our_error(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with pytest.raises(StorageUnavailable):
        await pictures(blocked).keep(b"x", "picture.png")
