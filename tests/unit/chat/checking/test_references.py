"""References of texts from elsewhere: every form becomes a mark of Footnote, and nothing else does."""

from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.checking.references import mark_references
from desktop.chat.checking.texts import prepare_text
from desktop.domain.sources import Ledger
from tests.cases import cases


def marked(text):
    seen = []

    def number_of(address, title):
        seen.append((address, title))
        return len(seen)

    return mark_references(text, number_of), seen


@cases(
    "given, text, addresses",
    [
        # A link in the middle of a sentence stands for all of it.
        ("The [Eiffel Tower](https://a.example/e) is 330 m high. Red.", "The Eiffel Tower is 330 m high [1]. Red.", ["/e"]),
        ("It is red ([site](https://a.example/x), [y](https://b.example/z)).", "It is red [1][2].", ["/x", "/z"]),
        ("It is red.[Source](https://a.example/x) And big.", "It is red.[1] And big.", ["/x"]),
        ("It is red [[1]](https://a.example/x).", "It is red [1].", ["/x"]),
        ("It is red <https://a.example/x>, or (https://a.example/x).", "It is red [1], or [1].", ["/x"]),
        ("See [foo](https://a.example/a_(b)).", "See foo [1].", ["/a_(b)"]),
        ("Red [1]. Big [2, 3].\n\n## References\n\n[1] A. https://a.example/1\n2. B https://a.example/2\n- [3] C",
         "Red [1]. Big [2].", ["/1", "/2"]),
        ("Red.[^a] Big.[^b]\n\n[^a]: See <https://a.example/1>.\n[^b]: A book,\n    https://a.example/2", "Red.[1] Big.[2]", ["/1", "/2"]),
        ("红色[1]。大【2】。\n\n参考资料：\n[1] 甲 https://a.example/1\n[2] 乙，https://a.example/2，2010", "红色[1]。大[2]。", ["/1", "/2"]),
        # Lines of a PDF that were joined:
        ("Red [1]. Big [2].\n\nReferences\n\n[1] A [5]. https://a.example/1 [2] B, https://a.example/2", "Red [1]. Big [2].", ["/1", "/2"]),
        ("Red [1]. Big [2].\n\nReferences\n\n[1] A reply to [2] by A, https://a.example/1\n[2] B, https://a.example/2", "Red [1]. Big [2].", ["/1", "/2"]),
        ("Red ([Wiki][w]).\n\n[w]: https://a.example/w", "Red (Wiki) [1].", ["/w"]),
        ("Red [1].\n\n**Sources:**\n[1] doi:10.1000/xyz123", "Red [1].", ["/10.1000/xyz123"]),
        # No references:
        ("Red [7], `a[1]`, ![p](https://a.example/p.png).", "Red &#91;7&#93;, `a[1]`, ![p](https://a.example/p.png).", []),
        ("Red ![p][1] <img src='https://a.example/p.png'> big.\n\n[1]: https://a.example/p", "Red  <img src='https://a.example/p.png'> big.", []),
        ("[x](javascript:alert(1)) [y](file:///etc/passwd)", "[x](javascript:alert(1)) [y](file:///etc/passwd)", []),
        ("```\n[1]: https://a.example\nsee https://a.example/x\n```", "```\n[1]: https://a.example\nsee https://a.example/x\n```", []),
    ],
)  # fmt: skip
def test_every_form_of_reference_becomes_a_mark_and_nothing_else(given, text, addresses):
    found, seen = marked(given)
    assert found.text == text
    assert [f"/{address.split('/', 3)[3]}" for address, _ in seen] == addresses


def test_titles_are_those_of_the_list_and_references_without_an_address_are_counted():
    found, seen = marked(
        "Red [1]. Big [2].\n\n# Notes\n1. Smith, *Lighthouses*, https://a.example/1\n2. Doe, a book"
    )
    assert seen == [("https://a.example/1", "Smith, Lighthouses")]
    assert found.unopenable == 1


@cases(
    "text",
    [
        "(" + "[a](https://a.example/b), " * 2_000,  # a list of links that does not end
        "([a](https://a.example/" * 1_000,
        "https://a.example/" + "(a)" * 20_000,
        " " * 60_000 + "x",
        ("Sources" + " " * 50 + "x\n") * 5_000,
        "```\n" * 3_000,
        "[1]\n\n[" + "a." * 20_000 + "](https://a.example/x)",
    ],
)
def test_a_text_that_is_made_to_take_long_does_not(text):
    prepared = prepare_text(text, Ledger())
    assert len(prepared.text) <= len(text)


@given(st.text(alphabet="[](){}^1239:.a \n*`!<>hps:/【】，、\ue000", max_size=400))
def test_any_text_can_be_read_and_numbers_without_a_source_are_no_marks(text):
    found, seen = marked(text)
    assert "\ue000" not in found.text
    assert all(address.startswith("http") for address, _ in seen)
    prepare_text(text, Ledger())
