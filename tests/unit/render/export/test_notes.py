"""Selected text of an answer as a note: its marks lead to the sources that it lists."""

from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.render.export.notes import links_in_note, note_of, note_title
from desktop.render.labels import EN


def test_a_note_lists_the_sources_of_its_marks_and_its_marks_lead_there():
    ledger = Ledger()
    ledger.register(
        [
            Passage(SourceKind.WEB, "Tides [draft] — 2", "words", "https://tides.example/a?b=1"),
            Passage(SourceKind.FILE, "notes.md", "words", "file:///home/me/notes.md", "0" * 64),
            Passage(SourceKind.WEB, "Not cited", "words", "https://other.example/"),
        ]
    )
    sources = {source.number: source for source in ledger.sources}
    text = "It rises[1] twice[1, 2]; see `a[9]`."
    note = note_of(text, sources, EN)
    assert note.startswith(f"{text}\n\n## Sources\n\n- [1] Tides")
    assert "notes.md" in note
    assert "/home/me" not in note
    assert "other.example" not in note
    links = links_in_note(note)
    assert {note[link.start : link.end]: link.address for link in links} == {
        "[1]": "https://tides.example/a?b=1",
        "https://tides.example/a?b=1": "https://tides.example/a?b=1",
    }
    assert note_of("No mark.", sources, EN) == "No mark."
    assert note_title(text * 9).startswith("It rises twice")
    assert len(note_title(text * 9)) <= 60
