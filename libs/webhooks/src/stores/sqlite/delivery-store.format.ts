import type { DatabaseFormat } from '@refledger/sqlite';
import { listIndexes } from './lists.js';

/**
 * Bodies have a table of their own, so that a change to a delivery's state writes a short row. The
 * attempts are its last column, so that the others are read without them, however long they are.
 * `seq` is the order of planning. `decided_at` is a position as a number, so that it can be
 * compared. Instants are RFC 3339 in UTC with milliseconds, which sort as text. The partial indexes
 * hold only deliveries of one state, however many are in others. A delivery has the lease of its
 * claim, and `leases` has those of the holders. `rates` has the token buckets of endpoints, each as
 * the time at which it is full, in milliseconds since 1970. Each call writes its changes to `counts`,
 * so that deliveries are never counted.
 */
const tables = `
  CREATE TABLE deliveries (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL,
    endpoint_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    event_type TEXT NOT NULL,
    object_id TEXT NOT NULL,
    trigger TEXT NOT NULL,
    position TEXT NOT NULL,
    decided_at INTEGER NOT NULL,
    status TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    holder TEXT,
    lease_until TEXT,
    due_at TEXT,
    created_at TEXT NOT NULL,
    finished_at TEXT,
    reason TEXT,
    attempts TEXT NOT NULL
  ) STRICT;
  CREATE INDEX deliveries_by_endpoint ON deliveries (endpoint_id, seq);
  CREATE INDEX deliveries_waiting_by_endpoint ON deliveries (endpoint_id, due_at) WHERE status = 'waiting';
  CREATE INDEX deliveries_sending ON deliveries (lease_until) WHERE status = 'sending';
  CREATE INDEX deliveries_finished ON deliveries (finished_at) WHERE finished_at IS NOT NULL;
  ${listIndexes()}
  CREATE TABLE bodies (seq INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
  CREATE TABLE leases (holder TEXT PRIMARY KEY, until TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE rates (endpoint_id TEXT PRIMARY KEY, full_at REAL NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE offsets (partition TEXT PRIMARY KEY, source TEXT NOT NULL, reached TEXT NOT NULL, mark TEXT) STRICT, WITHOUT ROWID;
  CREATE TABLE counts (endpoint_id TEXT NOT NULL, status TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (endpoint_id, status)) STRICT, WITHOUT ROWID;
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

export const deliveryStoreFormat: DatabaseFormat = {
  name: 'delivery store',
  applicationId: 0x524c_4434, // 'RLD4'
  earlierApplicationIds: [0x5246_4c44, 0x524c_4432, 0x524c_4433],
  migrations: [tables],
};
