"""Whether the sources of an answer say what it cites them for."""
