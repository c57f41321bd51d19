"""The databases of conversations: SQLite, one row for each message, streamed answers written as they arrive.

- `conversation_store`: what the engine asks for. `message_tree`, `branch_operations`, `carried_rows`, `drafts`, `folders`
- `db`: one connection in one thread, migrations, row checksums, SQLite's exceptions as `desktop.errors`
- `local_copies`, `recovery`: verified copies of a database, and what is done when it is damaged
- `backup_archive`, `backup_targets`: backups in a folder, on WebDAV or S3
- `history_store`, `history_index`: search in all conversations
- `archive_files`, `records`, `merge`: files of Footnote; `importers`: files of other programs
- `memories`, `topics`, `cited_pages`: what else is kept
- `egress_log`, `served_log`: what was sent, and what other programs asked
"""
