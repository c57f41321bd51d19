"""Dialogs: history, inspector, imports, watched topics, guide, browser, shortcuts."""
