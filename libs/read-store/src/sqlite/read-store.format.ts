import type { DatabaseFormat } from '@refledger/sqlite';

/** `read-models.db`: a row for each build, and for each collection of a build a table of its own (collection-table.ts). */
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
    // tables were laid out otherwise: builds are made anew, and what the old ones have left is dropped before the first of them
    'DELETE FROM builds',
  ],
};
