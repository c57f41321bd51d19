"""What was damaged on the disk, in the words of a language; see `domain.messages.DAMAGED`."""

from dataclasses import replace

from desktop.domain.messages import DAMAGED, Conversation, Message
from desktop.phrases import told
from desktop.render.labels import Labels


def words_of(text: str, labels: Labels) -> str:
    """Return a text, or that it was damaged."""
    return told(text, labels.language) if text == DAMAGED else text


def damaged_class(message: Message) -> str:
    """Return what the style sheet knows a message by whose words were damaged."""
    return " damaged" if message.text == DAMAGED else ""


def damage_told(conversation: Conversation, labels: Labels) -> Conversation:
    """Return a conversation that says in the words of a language what of it was damaged."""
    messages = tuple(
        replace(message, text=words_of(message.text, labels)) if message.text == DAMAGED else message
        for message in conversation.messages
    )
    sources = tuple(
        replace(source, text=words_of(source.text, labels)) if source.text == DAMAGED else source
        for source in conversation.sources
    )
    return replace(conversation, messages=messages, sources=sources)
