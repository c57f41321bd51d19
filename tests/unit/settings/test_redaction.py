"""Secrets do not show in what the program says of itself."""

import base64
import logging
from urllib.parse import quote, quote_plus

from hypothesis import given
from hypothesis import strategies as st

from desktop.settings.redaction import MASK, RedactingFormatter, Redactor, without_logins
from tests.cases import cases

KEY = "sk-ant/ö+4f 9a&8b=7c"
SECRETS = st.text(st.characters(codec="utf-8"), min_size=6, max_size=60)
AROUND = st.binary(max_size=8)


@given(SECRETS, st.text(), st.text())
def test_a_secret_is_masked_wherever_it_stands(secret, before, after):
    masked = Redactor([secret]).redact(before + secret + after)
    assert MASK in masked
    assert secret not in masked or secret in MASK * 3


@given(SECRETS)
def test_a_secret_in_an_address_is_masked(secret):
    redactor = Redactor([secret])
    assert redactor.redact(f"https://x/?key={quote(secret, safe='')}&a=1") == f"https://x/?key={MASK}&a=1"
    assert redactor.redact(quote_plus(secret)) == MASK


@given(SECRETS, AROUND, AROUND)
def test_a_secret_in_base64_is_masked_at_any_alignment(secret, before, after):
    redactor = Redactor([secret])
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        assert MASK in redactor.redact(encode(before + secret.encode() + after).decode())


def test_basic_authorization_is_masked():
    header = base64.b64encode(f"user:{KEY}".encode()).decode()
    assert KEY not in base64.b64decode(Redactor([KEY]).redact(header).replace(MASK, "AAAA") + "==").decode(
        errors="replace"
    )


@cases(
    "text, masked",
    [
        ("https://me:s3cret!@host:99/a", f"https://me:{MASK}@host:99/a"),
        ('{"url": "http://me:a@b@host/x@y"}', f'{{"url": "http://me:{MASK}@host/x@y"}}'),
        (
            "socks5://:pw@127.0.0.1:1080 and http://u:p@h",
            f"socks5://:{MASK}@127.0.0.1:1080 and http://u:{MASK}@h",
        ),
        ("https://host:99/a@b", "https://host:99/a@b"),
        ("https://me@host/ a:b@c", "https://me@host/ a:b@c"),
    ],
)
def test_a_password_in_an_address_is_masked_without_being_known(text, masked):
    assert without_logins(text) == masked


def test_short_values_are_words_and_stay():
    assert Redactor(["none", ""]).redact("none of them") == "none of them"


def test_a_secret_that_begins_like_another_is_masked_whole():
    assert Redactor(["secret-a", "secret-a-long"]).redact("secret-a-long") == MASK


def test_lone_surrogates_are_no_problem():
    assert Redactor(["key-\udcff-key"]).redact("a key-\udcff-key b") == f"a {MASK} b"


def test_logs_show_no_secret_in_message_arguments_or_traceback(caplog):
    redactor = Redactor([KEY])
    formatter = RedactingFormatter(logging.Formatter("%(levelname)s %(message)s"), redactor.redact)
    try:
        int(KEY)
    except ValueError:
        logging.getLogger("test").exception("asked %s with %s", "x", KEY)
    [record] = caplog.records
    line = formatter.format(record)
    assert KEY not in line
    assert line.startswith(f"ERROR asked x with {MASK}")
    assert f"invalid literal for int() with base 10: '{MASK}'" in line
    assert KEY in record.getMessage(), "other handlers see the record as it was"
