"""Widgets, item models and the page that shows a conversation; talks to the engine through the ports of `chat` only."""
