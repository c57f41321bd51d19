"""The tables. A file is an item; its content is a document, which several items of a base may share."""

VERSION = 1

SCHEMA = (
    "CREATE TABLE bases (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, created_at REAL NOT NULL)",
    """
    CREATE TABLE documents (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        base_id TEXT NOT NULL REFERENCES bases (id) ON DELETE CASCADE,
        sha256 TEXT NOT NULL,
        title TEXT NOT NULL,
        pages INTEGER,
        text TEXT NOT NULL,
        is_embedded INTEGER NOT NULL DEFAULT 0,
        UNIQUE (base_id, sha256)
    )
    """,
    "CREATE INDEX documents_by_state ON documents (base_id, is_embedded)",
    """
    CREATE TABLE items (
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        base_id TEXT NOT NULL REFERENCES bases (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        path TEXT NOT NULL,
        state TEXT NOT NULL,
        error TEXT NOT NULL DEFAULT '',
        document_id INTEGER REFERENCES documents (id) ON DELETE SET NULL,
        UNIQUE (base_id, path)
    )
    """,
    "CREATE INDEX items_by_document ON items (document_id)",
    "CREATE INDEX items_by_state ON items (state, position)",
    # AUTOINCREMENT: the id of a passage is its key in Chroma too and must never mean another passage.
    """
    CREATE TABLE passages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
        ordinal INTEGER NOT NULL,
        page INTEGER,
        section TEXT NOT NULL,
        start INTEGER NOT NULL,
        "end" INTEGER NOT NULL,
        text TEXT NOT NULL,
        vector BLOB
    )
    """,
    "CREATE UNIQUE INDEX passages_by_document ON passages (document_id, ordinal)",
    "CREATE INDEX passages_pending ON passages (id) WHERE vector IS NULL",
    # Terms come segmented and stemmed; the tokenizer must only not cut them again.
    """
    CREATE VIRTUAL TABLE passages_fts USING fts5 (
        base, head, body, tokenize = "ascii tokenchars '-_.@''+#&'"
    )
    """,
    "CREATE VIRTUAL TABLE passages_terms USING fts5vocab (passages_fts, row)",
)
