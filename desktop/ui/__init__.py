"""Widgets, item models and the page that shows a conversation; talks to the engine through `chat.ports` only."""
