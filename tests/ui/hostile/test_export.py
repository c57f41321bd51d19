"""What is exported is opened where none of our walls stands: it has to be harmless by itself."""

import io
import re
import zipfile
from datetime import UTC, datetime

from desktop.domain.messages import Conversation, ConversationInfo
from desktop.render.export import Format, answer_clip, export_conversation, only
from desktop.render.labels import labels_of
from tests.ui.canary_server import running_canary
from tests.ui.hostile.payloads import PAYLOADS, payloads_for
from tests.ui.hostile.test_text import everywhere
from tests.ui.open_page import count_hits_elsewhere

POLICY = re.compile(r"<meta http-equiv=[^>]*>")


def hostile_conversation(texts):
    messages, sources = everywhere(texts)
    now = datetime.now(UTC)
    return Conversation(ConversationInfo("c", " ".join(texts), now, now), tuple(messages), sources)


def test_an_exported_page_does_nothing_even_without_its_policy():
    with running_canary() as canary:
        conversation = hostile_conversation(payloads_for(canary.host))
        html = export_conversation(conversation, Format.HTML, labels_of("en")).decode()
        bare, policies = POLICY.subn("", html)
        assert policies == 1
        assert count_hits_elsewhere(bare) == 0
        assert canary.visits == []


def test_what_is_copied_does_nothing_where_it_is_pasted():
    with running_canary() as canary:
        conversation = hostile_conversation(payloads_for(canary.host))
        answers = [message.id for message in conversation.messages if message.model]
        clips = [answer_clip(only(conversation, one), labels_of("en")) for one in answers]
        assert count_hits_elsewhere("".join(clip.html for clip in clips)) == 0
        assert canary.visits == []


def test_a_word_file_asks_for_nothing_and_leads_only_to_the_web():
    conversation = hostile_conversation(payloads_for("canary.example")[::3])
    with zipfile.ZipFile(
        io.BytesIO(export_conversation(conversation, Format.WORD, labels_of("en")))
    ) as parts:
        texts = {
            name: parts.read(name).decode() for name in parts.namelist() if name.endswith((".xml", ".rels"))
        }
    links = [
        link for text in texts.values() for link in re.findall(r"<Relationship [^>]*External[^>]*>", text)
    ]
    assert links
    for link in links:
        assert "/hyperlink" in link
        assert re.search(r'Target="(https?|mailto):', link), link
    for text in texts.values():
        fields = re.findall(r"<w:instrText[^>]*>([^<]*)<", text) + re.findall(r'w:instr="([^"]*)"', text)
        assert not [field for field in fields if re.search(r"DDE|INCLUDE|IMPORT|LINK ", field)]


def test_the_other_formats_take_every_text_too():
    conversation = hostile_conversation(PAYLOADS)
    for kind in (Format.MARKDOWN, Format.BIBTEX, Format.PDF):
        assert export_conversation(conversation, kind, labels_of("zh_CN"))
