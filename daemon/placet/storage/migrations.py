"""The store's schema, as the steps that lead to it. A released step is never edited."""

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
    """
    ALTER TABLE session ADD COLUMN forked_from TEXT;  -- the session it is a copy of, which may be gone
    CREATE INDEX session_parent ON session (parent_id);

    CREATE TABLE usage (
        id          TEXT PRIMARY KEY,             -- of the message, or of a call that made none
        session_id  TEXT NOT NULL,                -- may be gone: what was spent stays spent
        kind        TEXT NOT NULL,                -- answer | title | summary | compaction
        model       TEXT NOT NULL,
        created     INTEGER NOT NULL,
        input       INTEGER NOT NULL,
        output      INTEGER NOT NULL,
        reasoning   INTEGER NOT NULL,
        cache_read  INTEGER NOT NULL,
        cache_write INTEGER NOT NULL,
        cost        REAL NOT NULL,                -- US dollars, 0 where the price is not known
        inherited   INTEGER NOT NULL DEFAULT 0    -- 1: spent by the session that this one is a copy of
    );
    CREATE INDEX usage_session ON usage (session_id);
    CREATE INDEX usage_created ON usage (created);
    INSERT INTO usage
        SELECT id, session_id, 'answer', json_extract(body, '$.model'), json_extract(body, '$.created'),
            coalesce(json_extract(body, '$.tokens.input'), 0), coalesce(json_extract(body, '$.tokens.output'), 0),
            coalesce(json_extract(body, '$.tokens.reasoning'), 0),
            coalesce(json_extract(body, '$.tokens.cacheRead'), 0),
            coalesce(json_extract(body, '$.tokens.cacheWrite'), 0), coalesce(json_extract(body, '$.cost'), 0), 0
        FROM message WHERE json_extract(body, '$.role') = 'assistant';
    DELETE FROM usage WHERE input + output + cache_read + cache_write = 0 AND cost = 0;

    CREATE TABLE text_part (                      -- what prompts and answers say; sessions/search.py finds it
        number      INTEGER PRIMARY KEY,
        part_id     TEXT NOT NULL UNIQUE,
        session_id  TEXT NOT NULL,
        indexed     INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX text_part_session ON text_part (session_id);
    CREATE INDEX text_part_to_index ON text_part (number) WHERE indexed = 0;
    INSERT INTO text_part (part_id, session_id)
        SELECT id, session_id FROM part
        WHERE json_extract(body, '$.type') = 'text' AND NOT coalesce(json_extract(body, '$.synthetic'), 0);
    """,
    """
    CREATE TABLE system_prompt (                  -- as the model was first given it; sessions/system_prompts.py
        session_id  TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        agent       TEXT NOT NULL,
        model       TEXT NOT NULL,
        body        TEXT NOT NULL,                -- with what was told of changes since, JSON
        PRIMARY KEY (session_id, agent, model)
    );
    """,
    """
    ALTER TABLE session ADD COLUMN base_model TEXT NOT NULL DEFAULT '';  -- for an agent without a model of its own
    UPDATE session SET base_model = model;
    """,
    """
    -- Of a file that is no text, or a symbolic link, `before` and `after` hold the bytes as they are, zlib of them.
    ALTER TABLE change_file ADD COLUMN before_form TEXT;     -- NULL for text, file | link for bytes
    ALTER TABLE change_file ADD COLUMN after_form TEXT;
    ALTER TABLE change_file ADD COLUMN new_mode INTEGER;     -- where the permission bits are what was changed
    ALTER TABLE change_file ADD COLUMN made_directory TEXT;  -- the outermost directory made for the file
    ALTER TABLE change_file ADD COLUMN reverted INTEGER NOT NULL DEFAULT 0;  -- 1: undone, be the rest so or not
    UPDATE change_file SET reverted = 1 WHERE change_id IN (SELECT id FROM change WHERE state = 'reverted');
    CREATE INDEX change_created ON change (created);
    """,
    """
    -- For an undo: what becomes of other changes by it, JSON.
    ALTER TABLE change ADD COLUMN settles TEXT;
    """,
    """
    CREATE TABLE change_for (                     -- whom a subagent's change was made for; changes/made_for.py
        change_id   TEXT NOT NULL REFERENCES change (id) ON DELETE CASCADE,
        position    INTEGER NOT NULL,             -- 0: the user's own session; then down to the nearest employer
        session_id  TEXT NOT NULL,
        turn_id     TEXT NOT NULL,                -- of that session, as is the message
        message_id  TEXT NOT NULL,                -- whose call of `task` led to it
        PRIMARY KEY (change_id, position)
    );
    CREATE INDEX change_for_session ON change_for (session_id, change_id);
    """,
    """
    ALTER TABLE change_file ADD COLUMN edited INTEGER NOT NULL DEFAULT 0;  -- 1: the user changed the proposal
    ALTER TABLE session ADD COLUMN context TEXT;  -- the last that was told of how full it is, JSON
    CREATE TABLE refusal (                        -- what the user left out of a proposed change; changes/refusals.py
        change_id   TEXT NOT NULL,                -- the rest of it, if there is any, is in `change`
        position    INTEGER NOT NULL,
        session_id  TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        turn_id     TEXT NOT NULL,
        message_id  TEXT NOT NULL,
        call_id     TEXT,
        made_for    TEXT NOT NULL,                -- as of a change, JSON
        kind        TEXT NOT NULL,
        path        TEXT NOT NULL,
        new_path    TEXT,
        hunks       TEXT NOT NULL,                -- those that were refused, JSON
        whole       INTEGER NOT NULL,             -- 1: nothing of the file was allowed
        created     INTEGER NOT NULL,
        PRIMARY KEY (change_id, position)
    );
    CREATE INDEX refusal_session ON refusal (session_id);
    """,
    """
    CREATE TABLE waiting (                        -- what the user is asked, in any terminal; sessions/waiting.py
        id          TEXT PRIMARY KEY,
        session_id  TEXT NOT NULL,
        owner       TEXT NOT NULL,                -- the process that asks, as storage/owner.py marks it
        created     INTEGER NOT NULL,
        asked       TEXT NOT NULL,                -- JSON; empty once it is over
        answer      TEXT,                         -- as another process gave it, JSON
        ended       INTEGER,                      -- NULL while it waits
        outcome     TEXT                          -- here | elsewhere | withdrawn
    );
    """,
    """
    -- Where the paths led, symbolic links resolved, when the change was made; NULL where that is not known.
    ALTER TABLE change_file ADD COLUMN target TEXT;
    ALTER TABLE change_file ADD COLUMN new_target TEXT;
    """,
    """
    CREATE TABLE staged (                         -- the change sets of sessions; changes/review/change_sets.py
        position    INTEGER PRIMARY KEY,
        session_id  TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        place       TEXT NOT NULL,                -- the path by which the session knows the file
        body        BLOB NOT NULL,                -- a StagedFile as JSON, zlib
        UNIQUE (session_id, place)
    );
    CREATE TABLE review_news (                    -- decisions of which the model has not been told yet
        id          INTEGER PRIMARY KEY,
        session_id  TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        text        TEXT NOT NULL
    );
    CREATE INDEX review_news_session ON review_news (session_id);
    -- ask | stage, NULL for the setting
    ALTER TABLE session ADD COLUMN review TEXT;
    """,
    """
    ALTER TABLE session ADD COLUMN back_to TEXT;  -- the first message that is hidden; NULL: none is
    CREATE TABLE back (                           -- the times the user went back; changes/journal/back_step.py
        id          TEXT PRIMARY KEY,
        session_id  TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        message_id  TEXT,                         -- the first message that was hidden; NULL for files alone
        seq         INTEGER NOT NULL,             -- at or above every seq that was sent before
        act         BLOB                          -- for a redo, JSON, zlib; NULL once the next prompt was sent
    );
    CREATE INDEX back_session ON back (session_id, id);
    """,
    """
    CREATE TABLE requested_decision (             -- of another process; changes/review/requested_decisions.py
        id          TEXT PRIMARY KEY,
        session_id  TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
        asker       TEXT NOT NULL,                -- the asking process, as storage/owner.py marks it
        decisions   TEXT NOT NULL,                -- JSON
        taken       TEXT,                         -- the process that carries the decisions out; NULL before
        answer      TEXT                          -- JSON; NULL before the end
    );
    CREATE INDEX requested_decision_session ON requested_decision (session_id);
    """,
    """
    -- more | default | less, NULL for the default; permissions/caution.py
    ALTER TABLE session ADD COLUMN caution TEXT;
    """,
    """
    -- a level or a number of tokens, NULL for the agent's or that of the settings; core/effort.py
    ALTER TABLE session ADD COLUMN effort TEXT;
    """,
    """
    -- user | rule, NULL where nobody allowed the change before; changes/journal/records.py
    ALTER TABLE change ADD COLUMN allowed_by TEXT;
    """,
    """
    CREATE TABLE change_directory (               -- around files that leave; changes/journal/directory_modes.py
        change_id   TEXT NOT NULL REFERENCES change (id) ON DELETE CASCADE,
        path        TEXT NOT NULL,
        mode        INTEGER NOT NULL,             -- permission bits before the change
        PRIMARY KEY (change_id, path)
    );
    """,
    """
    -- Decisions for the process at work in a session wait in the same table; storage/requests.py. requested_decision
    -- stays for an older Placet that still runs: a statement that fails would end the store of that process.
    -- kind: ask | decision. taken: the process that carries a decision out, NULL before.
    ALTER TABLE waiting ADD COLUMN kind TEXT NOT NULL DEFAULT 'ask';
    ALTER TABLE waiting ADD COLUMN taken TEXT;
    """,
    """
    -- auto | full | small | smallest, NULL for the choice of the settings; core/profile.py
    ALTER TABLE session ADD COLUMN profile TEXT;
    """,
)
