import type { DatabaseFormat } from '@refledger/sqlite';

/**
 * Keys have a table of their own, in which no cell ever moves or changes its size: a row is appended,
 * and overwritten in place. Where SQLite moves a cell to another page, or to another place of its
 * page, it may leave a copy behind that nothing overwrites, not even with `secure_delete`.
 *
 * An owner has a key (`key_seq`, `put_at`) or was erased (`event_id`, `position`, `erased_at`).
 * Instants are RFC 3339 in UTC with milliseconds, which sort as text.
 */
const tables = `
  CREATE TABLE wrapped_keys (
    seq INTEGER PRIMARY KEY,
    key TEXT NOT NULL
  ) STRICT;
  CREATE TABLE owners (
    owner TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    key_seq INTEGER,
    put_at TEXT,
    event_id TEXT,
    position TEXT,
    erased_at TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE claims (
    owner TEXT NOT NULL,
    claim TEXT NOT NULL,
    PRIMARY KEY (owner, claim)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/** The numbers of rows with a key, and of erased ones: counting a million rows takes 0.1 s. */
const counts = `
  CREATE TABLE counts (
    kind TEXT PRIMARY KEY,
    n INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO counts (kind, n) VALUES
    ('keys', (SELECT count(*) FROM owners WHERE key_seq IS NOT NULL)),
    ('erased', (SELECT count(*) FROM owners WHERE erased_at IS NOT NULL));
`;

export const keyStoreFormat: DatabaseFormat = {
  name: 'key store',
  applicationId: 0x524c_4b31, // 'RLK1'
  migrations: [tables, counts],
};
