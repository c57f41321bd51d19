"""Conversations for tests of what is exported."""

from datetime import UTC, datetime

from desktop.domain.messages import Conversation, ConversationInfo, Message, MessageStatus, Speaker
from desktop.domain.sources import Ledger, Locator, Passage, SourceKind
from desktop.text.old_messages import recognise_message

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def _sources():
    ledger = Ledger()
    ledger.register(
        [
            Passage(SourceKind.WEB, "Tides <explained>", "t", "https://www.example.org/a(1)?q=1&copy;=2", published="2024-05-06"),
            Passage(SourceKind.FILE, "Miet*vertrag*", "t", "file:///home/me/Vertrag%202.pdf", "d", Locator(7, "§ 3")),
            Passage(SourceKind.MEMORY, recognise_message("You said"), "Lives in Köln", "", "m1", published="2026-01-01"),
            Passage(SourceKind.WEB, "潮汐【1】与 [2] 月球", "t", "https://例え.jp/潮汐"),
            Passage(SourceKind.WEB, "Never read by {anyone} & 100% \\ ok", "t", "javascript:alert(1)"),
        ]
    )  # fmt: skip
    return ledger.sources


SOURCES = _sources()


def answer(text, **fields):
    return Message("a1", "c", Speaker.MODEL, text, NOW, **{"model": "openai/m-1", **fields})


def question(text, **fields):
    return Message("q1", "c", Speaker.USER, text, NOW, **fields)


def conversation(*messages, title="Tides & *time*", sources=SOURCES):
    return Conversation(ConversationInfo("c", title, NOW, NOW), messages, sources)


STOPPED = MessageStatus.STOPPED

LONG = r"""# Head [1] #

Para **bold [2]**, `code[1]`, $x[1]$ and [1, 3-4]. Unknown [9], half [2, 9], 【4】［3］, arr[0], \[1\].

> quote [1,
> 2] more

| a [1] | b \| [2] |
|:---|---:|
| x\|[3] | `[1]` |

1. one [1]
   - nested [2]
   - [x] done [3]

   ```python
   a[1] = "b [2]"
   ```
7. seven

Under [2]
-----

[1]: some words that define nothing

$$
\frac{a[1]}{b}
$$

A [link [1] inside](https://example.com) and ![a picture](https://pics.example/p.png), ~~gone~~.
Own note[^n].

[^n]: The note cites [4].
"""
"""Everything that Markdown has; its marks, in order:"""
LONG_MARKS = [1, 2, 1, 3, 4, 2, 4, 3, 1, 2, 1, 2, 3, 1, 2, 3, 2, 1, 4]
