"""The index: SQLite holds the truth, Chroma the vectors that can be rebuilt from it."""
