from hypothesis import given
from hypothesis import strategies as st

from desktop.render.page.custom_css import MAX_CHARS, CustomCss, StyleFault, StyleProblem, own_style
from tests.cases import cases


@cases(
    "css",
    [
        ".text { font-size: 18px; line-height: 1.8 }",
        ":root[data-theme='dark'] { --ink: #eee }",
        "@media (min-width: 60rem) { .text p { color: color-mix(in srgb, var(--ink) 80%, red) } }",
        ".bubble { &:hover { background: linear-gradient(90deg, #fff, #eee) } }",
        ".text h1::before { content: '§ \\201C' }",
        "@keyframes in { from { opacity: 0 } to { opacity: 1 } }",
    ],
)
def test_what_loads_nothing_stays(css):
    style = own_style(css)
    assert style.problems == ()
    assert own_style(style.css) == CustomCss(style.css)
    assert "{" in style.css


@cases(
    "css",
    [
        "p { background: url(http://example.org/a.png) }",
        "p { background: url('http://example.org/a.png') }",
        r"p { background: u\72l(http://example.org/a.png) }",
        r"p { background: \55 RL(http://example.org/a.png) }",
        "p { background: UR/**/L(x); background: URL( x ) }",
        r"p { --x: u\72 l(http://example.org/a.png); background: var(--x) }",
        "p { background: image-set('http://example.org/a.png' 1x) }",
        "p { background: -webkit-image-set('http://example.org/a.png' 1x) }",
        "p { background: cross-fade(image('http://example.org/a.png'), red) }",
        "p { content: src('http://example.org/a.png') }",
        "@media screen { p { & b { background: url(//example.org) } } }",
        "@supports (background: url(//example.org)) { p { color: red } }",
        ":is(p:has([src=url(//example.org)])) { color: red }",
    ],
)
def test_what_would_load_something_is_left_out(css):
    style = own_style("b { color: red }\n" + css)
    assert style.css == "b { color: red }"
    assert [problem.line for problem in style.problems] == [2]
    assert style.problems[0].fault in {StyleFault.LOADS, StyleFault.BROKEN}


@cases(
    "css",
    [
        "@import 'http://example.org/a.css';",
        r"@\69mport url(http://example.org/a.css);",
        "@font-face { font-family: a; src: url(a) }",
        "@namespace svg 'http://www.w3.org/2000/svg';",
        "@media screen { @font-face { font-family: a } }",
        "@layer a;",
        "@charset 'utf-8';",
    ],
)
def test_rules_that_do_more_than_style_are_left_out(css):
    style = own_style(css)
    assert style == CustomCss("", (StyleProblem(1, StyleFault.RULE),))


@cases("css", ["p { color red }", "p } b { color: red }", "no braces", "p { content: 'a\nb' }"])
def test_a_slip_of_the_pen_is_said(css):
    faults = {problem.fault for problem in own_style(css).problems}
    assert faults == {StyleFault.BROKEN}


def test_the_rest_of_a_sheet_is_used():
    style = own_style("@import 'a';\nb { color: red }\n\ni { background: url(a) }")
    assert style.css == "b { color: red }"
    assert style.problems == (StyleProblem(1, StyleFault.RULE), StyleProblem(4, StyleFault.LOADS))


def test_a_sheet_of_no_end_is_not_used():
    assert own_style("a" * (MAX_CHARS + 1)).problems == (StyleProblem(1, StyleFault.LONG),)


def test_brackets_within_brackets_do_no_harm():
    assert own_style("p { color: " + "(" * 300 + "red" + ")" * 300 + " }").css


@given(st.text(alphabet="abcurl(){}[]@:;'\"\\/* \n#-.é1", max_size=120))
def test_what_is_kept_is_understood_the_same_way_again(text):
    style = own_style(text)
    again = own_style(style.css)
    assert again.problems == ()
    assert again.css == style.css


@cases("opening", ["a{b:" + "(" * 20_000, "a{" * 15_000, "a{b:" + "f(" * 15_000, "@media x{" * 4_000])
def test_brackets_without_end_are_left_out(opening):
    """Writing them anew went down with every bracket, past what Python allows: the page never came."""
    found = own_style(f"p{{color:red}}{opening}")
    assert found.css.startswith("p")
    assert [problem.fault for problem in found.problems] == [StyleFault.BROKEN]
