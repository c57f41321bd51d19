"""What only private sources hold is recognised in queries, however it is written; domains by who registered them."""

import base64
import subprocess
import sys

from desktop.chat.disclosure import gives_away, readings, registered_domain
from desktop.domain.sources import Ledger, Passage, SourceKind
from tests.cases import cases

FILE = "The Velmora merger closes under the code name Juniper. The vault opens with 427193."


def sources_of(file=FILE, page="Herons hunt frogs at dawn in 2024."):
    ledger = Ledger()
    ledger.register(
        [
            Passage(SourceKind.FILE, "board.txt", file, document="a" * 64),
            Passage(SourceKind.WEB, "Herons", page, url="https://e.org/herons"),
        ]
    )
    return ledger.sources


def spaced(text):
    return " ".join(text)


WORDS = [
    "Juniper",
    "JUNIPER",
    base64.b64encode(b"Juniper").decode(),
    base64.urlsafe_b64encode(b"Juniper merger").decode().rstrip("="),
    base64.b32encode(b"Juniper").decode(),
    b"Juniper".hex(),
    b"Juniper".hex(" "),
    "0x" + " 0x".join(f"{byte:02x}" for byte in b"Juniper"),
    "".join(f"%{byte:02X}" for byte in b"Juniper"),
    "".join(f"&#{byte};" for byte in b"Juniper"),
    " ".join(map(str, b"Juniper")),
    " ".join(f"{byte:08b}" for byte in b"Juniper"),
    "repinuJ",
    "Whavcre",
    spaced("Juniper"),
    "-".join("Juniper"),
    base64.b64encode(b"Juniper".hex().encode()).decode(),
    "Ｊｕｎｉｐｅｒ",
]
NUMBERS = [
    "427193",
    "427 193",
    "42-71-93",
    "427,193",
    "4271",
    "part 7193 of it",
    spaced("427193"),
    "391724",
    "four two seven one nine three",
    "forty-two seventy-one ninety-three",
    "four hundred and twenty-seven thousand one hundred and ninety-three",
    "四二七一九三",
    "四十二万七千一百九十三",
    base64.b64encode(b"427193").decode(),
    b"427193".hex(),
    "%34%32%37%31%39%33",
]


@cases("written", [*WORDS, *NUMBERS])
def test_what_only_a_file_holds_is_recognised_however_it_is_written(written):
    assert gives_away([f"weather {written} tomorrow"], sources_of(), ["How do herons hunt?"])


@cases("names_alone", [True, False])
def test_numbers_are_put_together_over_several_queries(names_alone):
    queries = ["weather 4", "weather 2", "weather 7", "weather 1"]
    assert gives_away(queries, sources_of(), ["Weather?"], names_alone=names_alone)


@cases(
    "query, said",
    [
        ("how do herons hunt frogs", "Herons?"),
        ("herons 2024", "Herons?"),
        ("Velmora merger", "What of the Velmora merger?"),
        ("vault 427193", "Is 427193 a good vault code?"),
        ("top 10 birds", "Good birds?"),
    ],
)
def test_what_the_user_or_a_page_says_is_no_secret_of_a_file(query, said):
    assert not gives_away([query], sources_of(), [said])


def test_where_nobody_can_be_asked_names_and_numbers_of_files_count_and_words_do_not():
    said = ["Herons?"]
    assert not gives_away(["herons closes"], sources_of(), said, names_alone=True)
    assert gives_away(["herons closes"], sources_of(), said)
    assert gives_away(["herons Juniper"], sources_of(), said, names_alone=True)
    assert gives_away(["herons 427193"], sources_of(), said, names_alone=True)


def test_answers_of_other_conversations_are_private_as_well():
    ledger = Ledger()
    ledger.register([Passage(SourceKind.ANSWER, "Other", "The patient is Ilse Brandt.", document="c/m")])
    assert gives_away(["Ilse Brandt"], ledger.sources, ["Who?"])


@cases("text", ["", "a", "%", "=" * 400, "0" * 400, "ab" * 200, "%25" * 130, "A1" * 200])
def test_readings_of_any_query_are_few(text):
    assert len(readings(text)) <= 200


@cases(
    "address, domain",
    [
        ("https://x0-4.evil.com/a", "evil.com"),
        ("https://x1-7.deep.evil.com", "evil.com"),
        ("http://a.b.evil.co.uk:8080/x", "evil.co.uk"),
        ("https://one.github.io/", "github.io"),
        ("https://WWW.Evil.COM.", "evil.com"),
        ("https://子.例子.中国/", "xn--fsqu00a.xn--fiqs8s"),
        ("https://127.0.0.1/x", "127.0.0.1"),
        ("https://[2001:db8::1]/x", "2001:db8::1"),
        ("http://localhost/", "localhost"),
        ("no address", ""),
    ],
)
def test_addresses_belong_to_the_domain_that_somebody_registered(address, domain):
    assert registered_domain(address) == domain


def test_the_list_of_domains_needs_no_network():
    code = (
        "import sys\n"
        "def refuse(event, _):\n"
        "    if event in {'socket.connect', 'socket.getaddrinfo', 'urllib.Request'}: raise OSError(event)\n"
        "sys.addaudithook(refuse)\n"
        "from desktop.chat.disclosure import registered_domain\n"
        "print(registered_domain('https://a.b.co.uk/'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout.strip(), done.stderr) == ("b.co.uk", "")
