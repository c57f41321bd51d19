"""HTML: parsing with limits, main text, metadata, lines; writing elements."""
