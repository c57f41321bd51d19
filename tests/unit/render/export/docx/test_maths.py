"""Formulas in Word are Word's own."""

import io

import docx
from docx.oxml.ns import qn
from hypothesis import given
from hypothesis import strategies as st

from desktop.render.export.docx import word_of
from desktop.render.export.office_maths import office_maths
from desktop.render.labels import EN
from tests.cases import cases
from tests.unit.render.export.samples import answer, conversation


def told(element):
    """Return a formula as nested names: `f(num(a)den(b))`."""
    name = element.tag.split("}")[1]
    if name == "r":
        return "".join(text.text for text in element.iter(qn("m:t")))
    if name.endswith("Pr"):
        return "".join(f"<{child.get(qn('m:val'))}>" for child in element)
    return f"{name}({''.join(map(told, element))})"


@cases(
    "latex, formula",
    [
        ("x", "oMath(x)"),
        (r"\frac{a}{b}", "oMath(f(num(a)den(b)))"),
        (r"x_i^2 + y^2", "oMath(sSubSup(e(x)sub(i)sup(2))+sSup(e(y)sup(2)))"),
        (r"\sqrt{x}\sqrt[3]{y}", "oMath(rad(<1>deg()e(x))rad(deg(3)e(y)))"),
        (r"\binom{n}{k}", "oMath((f(<noBar>num(n)den(k))))"),
        (r"\hat{x}", "oMath(acc(<\u0302>e(x)))"),
        (r"\text{if } a", "oMath(if\xa0a)"),
        (r"\left(\begin{matrix}1&2\\3&4\end{matrix}\right)", "oMath(d(<(><)>e(m(mr(e(1)e(2))mr(e(3)e(4))))))"),
        (r"\begin{cases}a&b\end{cases}", "oMath(d(<{><>e(m(mr(e(a)e(b))))))"),
        (r"\alpha < \beta", "oMath(α<β)"),
    ],
)  # fmt: skip
def test_formula(latex, formula):
    assert told(office_maths(latex, is_display=False)) == formula


def test_sums_have_their_limits_below_and_above():
    made = office_maths(r"\sum_{i=1}^n i", is_display=True)
    assert told(made) == "oMathPara(oMath(limUpp(e(limLow(e(∑)lim(i=1)))lim(n))i))"


def test_a_document_holds_formulas_and_keeps_what_is_none_as_it_is():
    text = "Energy $E=mc^2$ and $\\frac$ at $5.\n\n$$\n\\int_0^1 x\\,dx\n$$\n"
    document = docx.Document(io.BytesIO(word_of(conversation(answer(text)), EN)))
    formulas = [told(formula) for formula in document.element.body.iter(qn("m:oMath"))]
    assert formulas[0] == "oMath(E=msSup(e(c)sup(2)))"
    assert formulas[-1].startswith("oMath(sSubSup(e(∫)sub(0)sup(1))x")
    assert any("and \\frac at $5" in paragraph.text for paragraph in document.paragraphs)


@given(st.text("xy12+-^_{}\\()&|[] ", max_size=25) | st.sampled_from([r"\left[ x", r"\overline{x}", r"\vec{a}\dot b", r"\underset{a}{b}", r"\overbrace{x}^{n}", r"\phantom{x}", r"\boxed{x}", r"\mathrm{d}x \quad y", r"\begin{aligned}a&=b\\c&=d\end{aligned}"]))  # fmt: skip
def test_any_formula_becomes_maths_or_stays_text(latex):
    made = office_maths(latex, is_display=False)
    if made is not None:
        assert made.tag == qn("m:oMath")
        assert all(text.text for text in made.iter(qn("m:t")))
