from desktop.services.desktop.key_sequence import KeySequence, parse_keys
from tests.cases import cases


@cases(
    "keys, found",
    [
        ("Ctrl+Alt+Space", KeySequence(("Ctrl", "Alt"), "space")),
        ("Meta+F", KeySequence(("Meta",), "f")),
        ("Ctrl+Shift+F12", KeySequence(("Ctrl", "Shift"), "F12")),
        ("Ctrl++", KeySequence(("Ctrl",), "plus")),
        ("Alt+,", KeySequence(("Alt",), "comma")),
        ("F", None),
        ("Shift+F", None),
        ("Hyper+F", None),
        ("Ctrl+", None),
        ("", None),
    ],
)
def test_keys_are_taken_apart(keys, found):
    assert parse_keys(keys) == found
