"""The texts of notes in exported files, in the languages of the window."""

from dataclasses import dataclass

from desktop.render.labels import Labels


@dataclass(frozen=True)
class NoteLabels:
    """The texts in one language."""

    as_in_note: str
    """After the title of a source that an earlier footnote names in full."""


_EN = NoteLabels(as_in_note=", as in note {number}.")
_ZH_CN = NoteLabels(as_in_note="，见注 {number}。")


def note_labels(labels: Labels) -> NoteLabels:
    """Return the texts in the language of `labels`."""
    return _ZH_CN if labels.language.startswith("zh") else _EN
