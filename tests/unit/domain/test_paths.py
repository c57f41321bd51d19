"""Paths as text: every name of a file survives, and most are written as they are."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.addresses import path_of, path_text
from tests.cases import cases

LETTERS = st.text(
    st.sampled_from("a.e9\ufffdud800\udc80\udcff\udce9文") | st.characters(exclude_characters="\0")
)


@given(LETTERS)
def test_a_path_survives_as_text_that_can_be_stored(name):
    path = Path(name)
    path_text(path).encode()
    assert path_of(path_text(path)) == path


@cases("name", ["a/b.txt", "文档.pdf", "100%.txt", "\\udcff.txt", "😀"])
def test_names_that_are_text_stay_as_they_are(name):
    assert path_text(Path(name)) == str(Path(name))


def test_a_byte_that_is_no_text_is_written_as_what_people_know():
    assert path_text(Path("caf\udce9.txt")) == "caf\ufffde9.txt"
