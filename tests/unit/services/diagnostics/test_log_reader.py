import logging

from desktop.services.diagnostics.log_reader import (
    LOG_FILE,
    LOG_LINE,
    entries_of,
    last_entries,
    worst_of,
)


def write(path, *records):
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter(LOG_LINE))
    for level, text in records:
        handler.emit(logging.LogRecord("desktop.search", level, "", 0, text, None, None))
    handler.close()


def test_what_is_written_is_read_with_all_lines_of_an_error(tmp_path):
    write(tmp_path / LOG_FILE, (logging.INFO, "Begun."), (logging.ERROR, "Failed\nTraceback:\n  deep"))
    first, second = last_entries(tmp_path)
    assert (first.level, first.origin, first.text) == (logging.INFO, "desktop.search", "Begun.")
    assert (second.level_name, second.text) == ("ERROR", "Failed\nTraceback:\n  deep")
    assert worst_of((first, second), 5) == (second,)


def test_lines_that_are_no_entries_belong_to_nobody_at_the_beginning():
    assert entries_of("torn line\n  more") == ()
    assert entries_of("") == ()


def test_the_end_of_the_log_goes_back_into_the_file_before(tmp_path):
    write(tmp_path / f"{LOG_FILE}.1", (logging.INFO, "old"))
    write(tmp_path / LOG_FILE, (logging.INFO, "new"))
    assert [entry.text for entry in last_entries(tmp_path)] == ["old", "new"]
    assert last_entries(tmp_path / "nowhere") == ()
