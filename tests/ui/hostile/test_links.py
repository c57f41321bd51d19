"""Every address goes through one place, which knows three schemes and no disguise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from desktop.domain.sources import Passage, SourceKind
from desktop.ui.links import MAX_CHARS, open_link, open_source, sanitize_url
from tests.cases import cases
from tests.ui.transcript.test_transcript_view import ledger

GOOD = {
    "https://a.example/ä?b=c#d": "https://a.example/%C3%A4?b=c#d",
    "http://a.example": "http://a.example",
    "HTTPS://A.EXAMPLE/X": "https://a.example/X",
    "https://a_b.example:8443/": "https://a_b.example:8443/",
    "http://127.0.0.1:8080/": "http://127.0.0.1:8080/",
    "http://[::1]/": "http://[::1]/",
    "https://münchen.example/": "https://xn--mnchen-3ya.example/",
    "https://例子.测试/路": "https://xn--fsqu00a.xn--0zwm56d/%E8%B7%AF",
    "https://日本語abc.jp": "https://xn--abc-s08fl0dtz6h.jp",
    "https://한국.kr": "https://xn--3e0b707e.kr",
    "https://пример.рф/": "https://xn--e1afmkfd.xn--p1ai/",
    "https://москва.example/": "https://xn--80adxhks.example/",
    "https://ไทย.ไทย/": "https://xn--o3cw4h.xn--o3cw4h/",
    "https://عربي.مصر/": "https://xn--ngbrx4e.xn--wgbh1c/",
    "mailto:a@b.example": "mailto:a@b.example",
    "mailto:a@b.example?subject=x&Body=y": "mailto:a@b.example?subject=x&Body=y",
}

SCHEMES = (
    "about",
    "acrobat",
    "afp",
    "android-app",
    "app",
    "blob",
    "bitcoin",
    "calculator",
    "callto",
    "chrome",
    "chrome-extension",
    "cid",
    "data",
    "devtools",
    "dict",
    "dns",
    "facetime",
    "feed",
    "file",
    "filesystem",
    "finger",
    "footnote",
    "footnote-page",
    "ftp",
    "ftps",
    "geo",
    "git",
    "git+ssh",
    "gopher",
    "help",
    "hcp",
    "icap",
    "imap",
    "intent",
    "irc",
    "itms",
    "jar",
    "javascript",
    "jdbc",
    "jnlp",
    "ldap",
    "ldaps",
    "livescript",
    "magnet",
    "market",
    "mhtml",
    "mid",
    "mocha",
    "ms-appinstaller",
    "ms-cxh",
    "ms-excel",
    "ms-msdt",
    "ms-officecmd",
    "ms-powerpoint",
    "ms-search",
    "ms-settings",
    "ms-word",
    "mms",
    "msteams",
    "netdoc",
    "news",
    "nfs",
    "nntp",
    "onenote",
    "openvpn",
    "payto",
    "php",
    "pop",
    "qrc",
    "res",
    "resource",
    "rlogin",
    "rsync",
    "rtsp",
    "search",
    "search-ms",
    "sftp",
    "shell",
    "shttp",
    "sip",
    "skype",
    "slack",
    "smb",
    "sms",
    "ssh",
    "steam",
    "stun",
    "svn",
    "tel",
    "telnet",
    "tftp",
    "tn3270",
    "urn",
    "vbscript",
    "view-source",
    "vnc",
    "vscode",
    "wais",
    "ws",
    "wss",
    "x-apple",
    "x-internet-signup",
    "xmpp",
    "zoommtg",
)

FORMS = ("{}:x", "{}://a.example/", "{}:///etc/passwd", " {}://a.example/", "{}:https://a.example/")

DISGUISED = (
    "https://bank.example@evil.example/",
    "https://bank.example:pass@evil.example/",
    "https://@evil.example/",
    "https://bank.example%20@evil.example/",
    "https://bank.example\\@evil.example/",
    "https://аpple.example/",  # Cyrillic а
    "https://аррӏе.com/",  # all Cyrillic
    "https://аррӏе.example/",  # all Cyrillic
    "https://xn--80ak6aa92e.com/",
    "https://αpple.com/",  # Greek α
    "https://www.gοοgle.com/",  # Greek ο
    "https://раураl.com/",  # Cyrillic but the l
    "https://ƅank.example.раура.com/",  # one bad label is enough
    "mailto:a@b.example?attach=/etc/passwd",
    "mailto:a@b.example?subject=x&attachment=c:/x",
    "https:evil.example",
    "https:///evil.example",
    "https:/evil.example",
    "//evil.example/",
    "\\\\evil.example\\share",
    "/etc/passwd",
    "C:\\Windows\\System32\\calc.exe",
    "evil.example",
    "",
    "https://",
    "https://evil example/",
    "https://[::1",
    "java\tscript:hit()",
    "JaVaScRiPt:hit()",
    "\x01javascript:hit()",
    "javascript&colon;hit()",
    "https://a.example/" + "x" * MAX_CHARS,
)  # fmt: skip


@cases("address", GOOD)
def test_web_pages_and_mailboxes_of_all_languages_are_opened(address):
    assert sanitize_url(QUrl(address)) == GOOD[address]


def test_no_other_scheme_is_opened_in_any_form():
    addresses = [form.format(name) for name in SCHEMES for form in FORMS]
    addresses += [address.upper() for address in addresses]
    assert len(addresses) > 1000
    assert [address for address in addresses if sanitize_url(QUrl(address))] == []


@cases("address", DISGUISED)
def test_what_is_disguised_is_not_opened(address):
    assert sanitize_url(QUrl(address)) == ""


@given(st.text(max_size=60))
def test_whatever_is_opened_is_plain_and_of_a_known_scheme(text):
    for address in (text, f"https://{text}", f"https://a.example/{text}", f"mailto:{text}"):
        checked = sanitize_url(QUrl(address))
        assert checked == "" or checked.split(":", 1)[0] in {"http", "https", "mailto"}
        assert checked.isascii()
        assert checked.isprintable()
        assert " " not in checked


@pytest.fixture
def opened(monkeypatch):
    addresses = []
    monkeypatch.setattr(
        QDesktopServices, "openUrl", lambda url: bool(addresses.append(url.toString())) or True
    )
    return addresses


@cases("address", [*DISGUISED, "javascript:hit()", "file:///etc/passwd", "smb://evil/x"])
def test_neither_links_nor_sources_get_past(opened, address):
    assert not open_link(address)
    for source in ledger(Passage(SourceKind.WEB, "t", "text", address)):
        assert open_source(source) != ""
    assert opened == []


def test_a_link_and_a_source_that_are_fine_are_opened(opened):
    assert open_link("https://a.example/")
    (source,) = ledger(Passage(SourceKind.WEB, "t", "some-text", "https://a.example/x"))
    assert open_source(source) == ""
    assert opened[0] == "https://a.example/"
    assert opened[1].startswith("https://a.example/x#:~:text=")
