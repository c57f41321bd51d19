"""`footnote check FILE|URL|-`: every claim of a text from elsewhere is held against what it cites, bases and the web."""

import io
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import docx
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import OxmlElement
from docx.oxml.ns import qn

from desktop.cli.check import run
from desktop.cli.parser import build_parser
from tests.serving import serve_requests

LIGHTHOUSE = (
    "<html><head><title>The lighthouse</title></head><body><article><p>The lighthouse of Velmora was built in 1873 by "
    "Ada Korsten. Its lamp reaches 42 kilometres.</p><p>The keeper and his family lived in a small house beside the "
    "tower until 1950, when the lamp became electric.</p></article></body></html>"
)
HOSTILE = "<script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">"
PAGES = {
    "/lighthouse": (200, "text/html", LIGHTHOUSE),
    "/members": (403, "text/html", "<html><body><p>403 Forbidden</p></body></html>"),
    "/empty": (200, "text/html", "<html><body></body></html>"),
    "/film": (200, "video/mp4", "\x00\x01"),
    "/loop": (302, "", ""),
}


class Site(BaseHTTPRequestHandler):
    def do_GET(self):
        status, kind, body = PAGES.get(
            self.path, (404, "text/html", "<html><body><p>Not there.</p></body></html>")
        )
        self.send_response(status)
        if status == 302:
            self.send_header("Location", self.path)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_arguments):
        pass


@pytest.fixture(scope="module")
def site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    with serve_requests(server):
        yield f"http://127.0.0.1:{server.server_port}"


@pytest.fixture
def check(tmp_path, capfd, site):
    """Check a text and return what stdout has; `at` is the host of the test's site."""
    data = tmp_path / "data"
    data.mkdir()
    search = {"allowed_hosts": [site.removeprefix("http://")], "browser_path": "/nowhere/chromium"}
    (data / "settings.json").write_text(json.dumps({"search": search}), encoding="utf-8")

    def checked(*arguments):
        status = run(build_parser().parse_args(["check", "--data-dir", str(data), *map(str, arguments)]))
        assert status == 0
        return capfd.readouterr().out

    return checked


def verdicts(out):
    return [(claim["verdict"], claim["reason"]) for claim in json.loads(out)["claims"]]


def test_claims_are_held_against_the_pages_they_cite_and_what_cannot_be_read_is_told_apart(
    check, tmp_path, site
):
    text = tmp_path / "report.md"
    text.write_text(
        "# Velmora\n\n"
        f"The [lighthouse]({site}/lighthouse) of Velmora was built in 1873 by Ada Korsten. "
        f"Its lamp reaches 77 kilometres ([site]({site}/lighthouse)). "
        "Penguins sang operas in the market hall of Ostrava [1]. The keeper lived beside the tower until 1950.[^k]\n\n"
        f"The harbour was closed in 1900 by the mayor [2]. The bridge was sold in 1911 to a baker [3]. "
        f"The mill burned down in the winter of 1920 [4]. The bell was cast in bronze by monks [5]. "
        "The church has forty green windows [6]. The school was opened by a queen in spring [9].\n\n"
        f"[^k]: A page of the island, {site}/lighthouse\n\n"
        "## References\n\n"
        f"[1] Penguins. {site}/lighthouse\n[2] {site}/gone\n[3] {site}/members\n[4] {site}/empty\n[5] {site}/film\n"
        f"[6] {site}/loop\n[7] A book that has no address\n",
        encoding="utf-8",
    )
    document = json.loads(check(text, "--json"))
    assert [(claim["verdict"], claim["reason"]) for claim in document["claims"]] == [
        ("supported", ""),
        ("contradicted", ""),
        ("not_found", ""),
        ("supported", ""),
        ("cannot_read", "gone"),
        ("cannot_read", "forbidden"),
        ("cannot_read", "empty"),
        ("cannot_read", "unsupported"),
        ("cannot_read", "unreachable"),
        ("not_found", ""),
    ]
    lamp = document["claims"][1]
    assert lamp["differs"] == ["77"]
    assert "42 kilometres" in lamp["passage"]
    assert document["sources"][0]["url"] == f"{site}/lighthouse"


def test_a_word_file_is_checked_with_its_links_and_footnotes_and_nothing_is_opened_with_only_here(
    check, tmp_path, site
):
    written = docx.Document()
    written.add_heading("About the island", 1)
    link = OxmlElement("w:hyperlink")
    relation = written.part.relate_to(f"{site}/lighthouse", RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    link.set(qn("r:id"), relation)
    paragraph = written.add_paragraph("The lighthouse of Velmora was built in ")
    run_inside = written.add_paragraph().add_run("1873")._r
    link.append(run_inside)
    paragraph._p.append(link)
    paragraph.add_run(" by Ada Korsten. The keeper lived beside the tower until 1950.")
    reference = OxmlElement("w:footnoteReference")
    reference.set(qn("w:id"), "2")
    paragraph.add_run()._r.append(reference)
    names = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    notes = (
        f'<w:footnotes {names}><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote><w:footnote w:id="2"><w:p>'
        f"<w:r><w:t>See {site}/gone</w:t></w:r></w:p></w:footnote></w:footnotes>"
    )
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    part = Part(PackURI("/word/footnotes.xml"), kind, notes.encode(), written.part.package)
    written.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    path = tmp_path / "island.docx"
    written.save(path)
    assert verdicts(check(path, "--json")) == [("supported", ""), ("cannot_read", "gone")]
    closed = json.loads(check(path, "--json", "--only-here"))
    assert [claim["verdict"] for claim in closed["claims"]] == ["cannot_read", "cannot_read"]
    assert "not opened" in closed["notes"][0]


def test_a_page_and_pasted_text_become_reports_in_which_no_script_runs(check, tmp_path, site, monkeypatch):
    PAGES["/article"] = (
        200,
        "text/html",
        (
            "<html><head><title>Velmora</title></head><body><article><p>The <a href='/lighthouse'>lighthouse</a> of Velmora "
            "was built in 1873 by Ada Korsten, and many sailors of the north have seen its lamp since that year.</p>"
            "<p>The harbour was closed in 1900, as the papers of the town told their readers in that winter, which was "
            "long and cold.<sup><a href='#n1'>[1]</a></sup></p><ol><li id='n1'><a href='#r1'>^</a> "
            "<a href='/gone'>The papers of the town</a>, 1900.</li></ol></article></body></html>"
        ),
    )
    document = json.loads(check(f"{site}/article".replace("http", "HTTP"), "--json"))
    assert [(claim["verdict"], claim["reason"]) for claim in document["claims"]] == [
        ("supported", ""),
        ("cannot_read", "gone"),
    ]
    pasted = (
        f"{HOSTILE} The lighthouse of Velmora was built in 1873 by Ada Korsten {site}/lighthouse\n\n{HOSTILE}"
    )
    stdin = io.TextIOWrapper(io.BytesIO(pasted.encode()))
    monkeypatch.setattr("sys.stdin", stdin)
    report = check("-", "--format", "html")
    assert 'data-support="supported"' in report
    assert "Claims, the worst first" in report
    assert report.count("<script>") == 1  # that of the page itself, which its policy allows by hash
    assert "<img" not in report


def test_a_cited_address_of_a_private_network_is_not_opened_and_that_is_told(check, tmp_path):
    text = tmp_path / "report.md"
    text.write_text("The lamp reaches 42 kilometres over the sea (http://10.0.0.1/lamp).", encoding="utf-8")
    assert verdicts(check(text, "--json")) == [("cannot_read", "refused")]
    assert "Its address is private" in check(text)


def test_empty_stdin_is_told(check, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b" \n")))
    with pytest.raises(ValueError, match="no text on stdin"):
        check("-")


def test_a_text_without_claims_and_wrong_arguments_are_refused_with_a_reason(check, tmp_path):
    empty = tmp_path / "empty.md"
    empty.write_text("# Only a heading\n", encoding="utf-8")
    for arguments, told in (
        ([str(empty)], "no sentence that can be checked"),
        ([], "say which text"),
        (["--disagreements"], "--batch"),
        ([str(empty), "--batch", str(empty)], "does not go"),
    ):
        with pytest.raises(ValueError, match=told):
            check(*arguments)
