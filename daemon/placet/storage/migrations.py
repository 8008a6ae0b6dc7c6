"""The store's schema, as the steps that lead to it. A step, once released, is never edited."""

STEPS: tuple[str, ...] = (
    """
    CREATE TABLE session (
        id         TEXT PRIMARY KEY,
        parent_id  TEXT,
        title      TEXT NOT NULL,
        agent      TEXT NOT NULL,
        model      TEXT NOT NULL,
        roots      TEXT NOT NULL,              -- JSON array of absolute paths
        created    INTEGER NOT NULL,           -- milliseconds, as everywhere
        updated    INTEGER NOT NULL,
        seq        INTEGER NOT NULL DEFAULT 0, -- at or above every seq that was ever sent
        owner      TEXT NOT NULL DEFAULT ''    -- the process that runs a turn of it, as storage/owner.py marks it
    );
    CREATE INDEX session_updated ON session (updated);

    CREATE TABLE message (
        id         TEXT PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        seq        INTEGER NOT NULL,           -- of its last change
        body       TEXT NOT NULL               -- the message without its parts, JSON
    );
    CREATE INDEX message_session ON message (session_id, id);

    CREATE TABLE part (
        id         TEXT PRIMARY KEY,
        message_id TEXT NOT NULL REFERENCES message (id) ON DELETE CASCADE,
        session_id TEXT NOT NULL,
        seq        INTEGER NOT NULL,
        body       TEXT NOT NULL
    );
    CREATE INDEX part_message ON part (message_id, id);
    CREATE INDEX part_session ON part (session_id, id);

    CREATE TABLE change (
        id         TEXT PRIMARY KEY,
        session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        turn_id    TEXT NOT NULL,
        message_id TEXT NOT NULL,
        call_id    TEXT,
        kind       TEXT NOT NULL,              -- edit | undo
        state      TEXT NOT NULL,              -- planned | applied | failed | reverted
        undoes     TEXT,                       -- for an undo: the changes it takes back, ids with spaces between
        owner      TEXT NOT NULL DEFAULT '',   -- the process at work on it, as storage/owner.py marks it
        created    INTEGER NOT NULL
    );
    CREATE INDEX change_session ON change (session_id, id);

    CREATE TABLE change_file (
        change_id  TEXT NOT NULL REFERENCES change (id) ON DELETE CASCADE,
        position   INTEGER NOT NULL,
        kind       TEXT NOT NULL,              -- create | modify | delete | rename
        path       TEXT NOT NULL,
        new_path   TEXT,
        before     TEXT,                       -- sha256 in content; NULL where there was no file
        after      TEXT,
        encoding   TEXT NOT NULL,
        bom        INTEGER NOT NULL,
        mode       INTEGER,                    -- permission bits of a file that was on disk
        PRIMARY KEY (change_id, position)
    );

    CREATE TABLE content (
        sha256     TEXT PRIMARY KEY,
        body       BLOB NOT NULL               -- zlib of the text in UTF-8 (surrogatepass)
    );
    """,
)
