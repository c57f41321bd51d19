"""Which entries name hosts of the own network."""

from desktop.domain.addresses import names_private_hosts
from tests.cases import cases


@cases(
    "entry, names",
    [
        ("wiki.local", True),
        ("wiki.local:8080", True),
        ("127.0.0.1:8888", True),
        ("198.18.0.0/15", True),
        ("[fd00::1]:80", True),
        ("fd00::/8", True),
        ("维基.本地", True),
        ("http://wiki.local", False),
        ("wiki.local/x", False),
        ("user@wiki.local", False),
        ("wiki local", False),
        ("wiki:99999", False),
        ("wiki:x", False),
        ("198.18.0.0/99", False),
        ("", False),
    ],
)
def test_entries_for_private_hosts_are_hosts_addresses_or_networks(entry, names):
    assert names_private_hosts(entry) is names
