"""A table of cases is one test that tries every case and reports all that fail."""

import asyncio
import inspect
import os

import pytest

from tests.cases import cases


def test_all_that_fail_are_reported_and_the_rest_are_tried():
    seen = []

    @cases("number, word", [(1, "one"), pytest.param(2, "two", id="the second"), (3, "three")])
    def check(number, word):
        seen.append(word)
        assert number == 2

    with pytest.raises(BaseExceptionGroup, match="2 of 3 cases failed") as failed:
        check()
    assert seen == ["one", "two", "three"]
    assert [error.__notes__ for error in failed.value.exceptions] == [
        ["in the case 1, 'one'"],
        ["in the case 3, 'three'"],
    ]


def test_one_failure_is_raised_as_it_is():
    @cases("number", [1, pytest.param(2, id="the second")])
    def check(number):
        if number == 2:
            pytest.fail("two")

    with pytest.raises(pytest.fail.Exception, match="two") as failed:
        check()
    assert failed.value.__notes__ == ["in the case the second"]


def test_a_skipped_case_skips_no_other():
    @cases("number", [1, 2])
    def check(number):
        if number == 1 or skip_all:
            pytest.skip("no such file")
        seen.append(number)

    seen, skip_all = [], False
    check()
    assert seen == [2]
    skip_all = True
    with pytest.raises(pytest.skip.Exception, match="no such file"):
        check()


def test_tables_multiply_and_leave_their_names_to_no_fixture():
    seen = []

    @cases("left", "ab")
    @cases("right", "xy")
    def check(qtbot, left, right):
        seen.append(left + right)

    assert list(inspect.signature(check).parameters) == ["qtbot"]
    check(qtbot=None)
    assert seen == ["ax", "ay", "bx", "by"]


@cases("name", ["first", "second"])
def test_every_case_has_its_own_folder_and_environment(tmp_path, monkeypatch, name):
    assert list(tmp_path.iterdir()) == []
    assert "FOOTNOTE_CASE" not in os.environ
    (tmp_path / name).touch()
    monkeypatch.setenv("FOOTNOTE_CASE", name)


def test_a_table_without_cases_is_refused():
    with pytest.raises(ValueError, match="tests nothing"):
        cases("name", [])


@pytest.mark.anyio
async def test_a_test_that_waits_is_awaited_for_every_case():
    seen = []

    @cases("left", "ab")
    @cases("right", "xy")
    async def check(left, right):
        await asyncio.sleep(0)
        seen.append(left + right)
        assert left == "b"

    with pytest.raises(BaseExceptionGroup, match="2 of 2 cases failed"):
        await check()
    assert seen == ["ax", "ay", "bx", "by"]
