"""Scopes as people name them."""

from desktop.domain.knowledge import BaseInfo, Scope, parse_scope
from tests.cases import cases

BASES = (BaseInfo("b1", "Physics"), BaseInfo("b2", "C#"), BaseInfo("b3", "C"), BaseInfo("b4", "a/b"))


@cases(
    "text, scope",
    [
        ("b1", Scope("b1")),
        ("Physics", Scope("b1")),
        ("Physics#exam/2", Scope("b1", tag="exam/2")),
        ("b1/i7", Scope("b1", item_id="i7")),
        ("C#", Scope("b2")),
        ("C##exam", Scope("b2", tag="exam")),
        ("C/x.md", Scope("b3", item_id="x.md")),
        ("a/b/c#d.md", Scope("b4", item_id="c#d.md")),
        ("physics", None),
        ("Physicsx", None),
        ("", None),
    ],
)
def test_the_longest_name_that_fits_counts(text, scope):
    assert parse_scope(text, BASES) == scope
