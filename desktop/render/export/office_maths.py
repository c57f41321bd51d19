"""Converts formulas to editable Word formulas: MathML to Office Math (ECMA-376, part 1, 22.1)."""

from collections.abc import Callable, Iterable
from typing import Any
from xml.etree.ElementTree import Element

from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from desktop.render.markdown.maths import mathml_of

_ACCENTS = frozenset("^ˆ~˜¯‾ˇ´`˙¨→⃗\u0302\u0303\u0304\u0307\u0308\u20d7")
_COMBINING = {"^": "\u0302", "ˆ": "\u0302", "~": "\u0303", "˜": "\u0303", "¯": "\u0305", "‾": "\u0305"} | {
    "ˇ": "\u030c",
    "´": "\u0301",
    "`": "\u0300",
    "˙": "\u0307",
    "¨": "\u0308",
    "→": "\u20d7",
}


def office_maths(latex: str, *, is_display: bool) -> Any:
    """Return `m:oMath`, wrapped in `m:oMathPara` if it `is_display`; None if the LaTeX cannot be parsed."""
    mathml = mathml_of(latex.strip(), is_display=is_display)
    if mathml is None:
        return None
    formula = _box("oMath", _all(mathml))
    return _box("oMathPara", [formula]) if is_display else formula


def _all(parent: Element) -> list[Any]:
    """Return the converted children of an element; the content of growing brackets is one child."""
    children = list(parent)
    if _is_fence(children[:1], "prefix"):
        has_end = _is_fence(children[-1:], "postfix") and len(children) > 1
        inner = children[1:-1] if has_end else children[1:]
        return [_delimit(_text(children[0]), _text(children[-1]) if has_end else "", inner)]
    return _each(children)


def _each(children: Iterable[Element]) -> list[Any]:
    return [made for child in children for made in _one(child)]


def _one(element: Element) -> list[Any]:
    if element.tag in _LEAVES:
        return [_run(_text(element), is_upright=element.tag != "mi")] if _text(element) else []
    build = _BUILDERS.get(element.tag)
    return _all(element) if build is None else [build(element)]


def _text(element: Element) -> str:
    return " " if element.tag == "mspace" else (element.text or "")


def _is_fence(elements: list[Element], form: str) -> bool:
    return any(one.tag == "mo" and one.get("fence") == "true" and one.get("form") == form for one in elements)


def _run(text: str, *, is_upright: bool) -> Any:
    run = OxmlElement("m:r")
    if is_upright:
        run.append(_box("rPr", [_value("sty", "p")]))
    words = OxmlElement("m:t")
    words.text = text
    words.set(qn("xml:space"), "preserve")
    run.append(words)
    return run


def _box(name: str, children: Iterable[Any]) -> Any:
    box = OxmlElement(f"m:{name}")
    box.extend(children)
    return box


def _value(name: str, value: str) -> Any:
    made = OxmlElement(f"m:{name}")
    made.set(qn("m:val"), value)
    return made


def _parts(tag: str, *names: str) -> Callable[[Element], Any]:
    """Return a function that builds `m:tag` with one part for each child."""

    def build(element: Element) -> Any:
        return _box(tag, [_box(name, _one(child)) for name, child in zip(names, element, strict=False)])

    return build


def _fraction(element: Element) -> Any:
    made = _parts("f", "num", "den")(element)
    if element.get("linethickness") in {"0", "0px"}:
        made.insert(0, _box("fPr", [_value("type", "noBar")]))
    return made


def _root(element: Element) -> Any:
    base, degree = list(element)
    return _box("rad", [_box("deg", _one(degree)), _box("e", _one(base))])


def _square_root(element: Element) -> Any:
    hidden = _box("radPr", [_value("degHide", "1")])
    return _box("rad", [hidden, OxmlElement("m:deg"), _box("e", _all(element))])


def _over(element: Element) -> Any:
    base, over = list(element)
    sign = _text(over)
    if sign in _ACCENTS:
        mark = _box("accPr", [_value("chr", _COMBINING.get(sign, sign))])
        return _box("acc", [mark, _box("e", _one(base))])
    return _parts("limUpp", "e", "lim")(element)


def _under_and_over(element: Element) -> Any:
    base, under, over = list(element)
    lower = _box("limLow", [_box("e", _one(base)), _box("lim", _one(under))])
    return _box("limUpp", [_box("e", [lower]), _box("lim", _one(over))])


def _table(element: Element) -> Any:
    return _box("m", [_box("mr", [_box("e", _all(cell)) for cell in row]) for row in element])


def _delimit(begin: str, end: str, inner: list[Element]) -> Any:
    properties = _box("dPr", [_value("begChr", begin), _value("endChr", end)])
    return _box("d", [properties, _box("e", _each(inner))])


_LEAVES = frozenset({"mi", "mn", "mo", "mtext", "ms", "mspace"})
_BUILDERS: dict[str, Callable[[Element], Any]] = {
    "mfrac": _fraction,
    "msup": _parts("sSup", "e", "sup"),
    "msub": _parts("sSub", "e", "sub"),
    "msubsup": _parts("sSubSup", "e", "sub", "sup"),
    "munder": _parts("limLow", "e", "lim"),
    "mover": _over,
    "munderover": _under_and_over,
    "mroot": _root,
    "msqrt": _square_root,
    "mtable": _table,
}
