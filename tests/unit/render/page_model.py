"""A page as the patches see it: elements by path. Checks what the contract promises."""

from lxml import html as lxml_html

from desktop.render import AppendCode, AppendText, DropBlocks, SetBlock, SetClass


def parse(html):
    return lxml_html.fragment_fromstring(html, create_parent="main")


class PageModel:
    """Applies patches as the page does, and refuses what the page could not do."""

    def __init__(self):
        self.root = lxml_html.fragment_fromstring("<main></main>")
        self.closed = set()

    def apply(self, patches):
        for patch in patches:
            prefixes = (patch.path[:length] for length in range(1, len(patch.path) + 1))
            assert self.closed.isdisjoint(prefixes), (patch, "was closed")
            self._apply(patch)

    def _apply(self, patch):
        parent = self._find(patch.path[:-1])
        index = patch.path[-1]
        match patch:
            case SetBlock():
                (element,) = parse(patch.html)
                element.tail = "\n"
                assert index <= len(parent), (patch, len(parent))
                parent[index : index + 1] = [element]
                if patch.is_closed:
                    self.closed.add(patch.path)
            case DropBlocks():
                assert index < len(parent)
                del parent[index:]
            case SetClass():
                parent[index].attrib.pop("class", None)
                if patch.name:
                    parent[index].set("class", patch.name)
            case AppendCode():
                (code,) = parent[index]
                self._append_to(code, patch.text)
            case AppendText():
                append = self._append_to if patch.is_outer else self._append
                append(parent[index], patch.text)

    def _append(self, element, text):
        while len(element) and not (element[-1].tail or "").strip("\n"):
            element = element[-1]
        self._append_to(element, text)

    def _append_to(self, element, text):
        if len(element):
            element[-1].tail = (element[-1].tail or "") + text
        else:
            element.text = (element.text or "") + text

    def _find(self, path):
        element = self.root
        for index in path:
            element = element[index]
        return element

    @property
    def html(self):
        return normal(self.root)


_BLOCKS = {
    "main",
    "p",
    "ul",
    "ol",
    "li",
    "blockquote",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "pre",
    "div",
    "section",
    "hr",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
}


def normal(element):
    """The element as text, without the line ends that the page ignores."""
    for part in element.iter():
        if part.tag in _BLOCKS:
            part.tail = (part.tail or "").strip("\n") or None
            if part.tag not in {"p", "pre", "td", "th"} and not (part.text or "").strip("\n"):
                part.text = None
    return lxml_html.tostring(element, encoding="unicode")
