import type { DatabaseFormat } from '@refledger/sqlite';

/**
 * The format of `read-models.db`: one row per build, one table per collection of a build (see
 * collection-table.ts), and the last uses of API keys.
 */
export const readModelsFormat: DatabaseFormat = {
  name: 'read model store',
  applicationId: 0x524c_5232, // 'RLR2'
  earlierApplicationIds: [0x5246_4c02],
  migrations: [
    `CREATE TABLE builds (
       seq INTEGER PRIMARY KEY AUTOINCREMENT,
       id TEXT NOT NULL UNIQUE,
       projection TEXT NOT NULL,
       version INTEGER NOT NULL,
       log_id TEXT NOT NULL,
       collections TEXT NOT NULL,
       state TEXT NOT NULL CHECK (state IN ('building', 'live')),
       position INTEGER,
       event_id TEXT
     ) STRICT;
     CREATE INDEX builds_by_projection ON builds (projection, seq);`,
    // The layout of tables changed: builds are created again, and the first creation drops the
    // tables that the old builds left behind.
    'DELETE FROM builds',
    `CREATE TABLE key_uses (
       key_id TEXT PRIMARY KEY,
       used_at TEXT NOT NULL
     ) STRICT, WITHOUT ROWID`,
  ],
};
