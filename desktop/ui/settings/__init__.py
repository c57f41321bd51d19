"""The settings dialog: pages are lists of rows, in a registry; every change applies at once."""
