import type { DatabaseFormat } from '@refledger/sqlite';
import { listIndexes } from './lists.js';

/**
 * Bodies have a table of their own, so that a change to a delivery's state writes a short row. The
 * attempts are the last column of that row, so that the other columns are read without them,
 * however long they are. `seq` is the order of planning. `position` and `decided_at` are numbers,
 * so that they can be compared. A delivery that was planned as held, or by a replay, has no body
 * until it is sent. One that the sweep canceled has `swept_at`. A test that waits has no `due_at`.
 * Instants are RFC 3339 in UTC with milliseconds, which sort as text. The partial indexes hold only
 * deliveries of one state, however many are in others. A delivery has the lease of its claim, and
 * `leases` has those of the holders. `rates` has the token buckets of endpoints, each as the time
 * at which it is full, in milliseconds since 1970. `health` has a row per endpoint whose last
 * attempts failed, and `requests` the endpoints for which a delivery was requested. Each call
 * writes its changes to `counts`, so that deliveries are never counted.
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
    position INTEGER NOT NULL,
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
    payload TEXT NOT NULL,
    swept_at TEXT,
    attempts TEXT NOT NULL
  ) STRICT;
  CREATE INDEX deliveries_by_endpoint ON deliveries (endpoint_id, seq);
  CREATE INDEX deliveries_waiting_by_endpoint ON deliveries (endpoint_id, due_at) WHERE status = 'waiting';
  CREATE INDEX deliveries_held_by_endpoint ON deliveries (endpoint_id, position) WHERE status = 'held';
  CREATE INDEX deliveries_held_by_account ON deliveries (account_id, position) WHERE status = 'held';
  CREATE INDEX deliveries_swept ON deliveries (swept_at) WHERE swept_at IS NOT NULL;
  CREATE INDEX deliveries_recovering ON deliveries (event_id, endpoint_id, created_at)
    WHERE status = 'succeeded' AND trigger > 'event';
  CREATE INDEX deliveries_sending ON deliveries (lease_until) WHERE status = 'sending';
  CREATE INDEX deliveries_finished ON deliveries (finished_at) WHERE finished_at IS NOT NULL;
  ${listIndexes()}
  CREATE TABLE bodies (seq INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
  CREATE TABLE leases (holder TEXT PRIMARY KEY, until TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE rates (endpoint_id TEXT PRIMARY KEY, full_at REAL NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE health (
    endpoint_id TEXT PRIMARY KEY,
    series_from TEXT NOT NULL,
    since TEXT NOT NULL,
    failures INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE requests (endpoint_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE offsets (
    partition TEXT PRIMARY KEY,
    source TEXT NOT NULL,
    reached TEXT NOT NULL,
    mark TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE counts (
    endpoint_id TEXT NOT NULL,
    status TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (endpoint_id, status)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

/**
 * `removed` has, per endpoint, the last position whose held delivery a sweep removed, as a number
 * like `position`.
 */
const testsAndRemoved = `
  CREATE INDEX deliveries_tests ON deliveries (created_at) WHERE status = 'waiting' AND due_at IS NULL;
  CREATE TABLE removed (endpoint_id TEXT PRIMARY KEY, through INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;

/**
 * `scope` is the replay's `only`, and `types` is a JSON array. A delivery of a replay that waits
 * for its turn has no `due_at`, like a test that waits.
 */
const replays = `
  ALTER TABLE deliveries ADD COLUMN replay_id TEXT;
  DROP INDEX deliveries_tests;
  CREATE INDEX deliveries_tests ON deliveries (endpoint_id) WHERE status = 'waiting' AND trigger = 'test';
  CREATE INDEX deliveries_replaying ON deliveries (endpoint_id, position)
    WHERE status = 'waiting' AND due_at IS NULL AND trigger = 'replay';
  CREATE INDEX deliveries_of_replay ON deliveries (replay_id, status) WHERE replay_id IS NOT NULL;
  CREATE TABLE replays (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    endpoint_id TEXT NOT NULL,
    log_id TEXT NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    types TEXT,
    scope TEXT NOT NULL,
    status TEXT NOT NULL,
    at INTEGER NOT NULL,
    decided_at INTEGER NOT NULL,
    planned INTEGER NOT NULL DEFAULT 0,
    succeeded INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    settled INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    finished_at TEXT,
    checked_at TEXT NOT NULL DEFAULT ''
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX replays_running ON replays (endpoint_id) WHERE status = 'running';
  CREATE INDEX replays_of_endpoint ON replays (endpoint_id, created_at, id);
  CREATE INDEX replays_running_by_age ON replays (created_at) WHERE status = 'running';
  CREATE INDEX replays_unsettled ON replays (checked_at) WHERE settled = 0 AND status <> 'running';
  CREATE INDEX replays_settled ON replays (finished_at) WHERE settled = 1;
`;

/**
 * `statistics` has a row per endpoint and point of a period in which something was counted. The
 * counts are JSON: they are added up here, not by SQLite.
 */
const statistics = `
  CREATE TABLE statistics (
    endpoint_id TEXT NOT NULL,
    period TEXT NOT NULL,
    starts_at TEXT NOT NULL,
    counts TEXT NOT NULL,
    PRIMARY KEY (endpoint_id, period, starts_at)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX statistics_by_age ON statistics (period, starts_at);
`;

/** It finds the deliveries of replays among a million other held ones. */
const openReplays = `
  CREATE INDEX deliveries_open_replays ON deliveries (endpoint_id, status)
    WHERE trigger = 'replay' AND finished_at IS NULL;
`;

/** The keys of requests to send a delivery again. Each is removed with the delivery it led to. */
const redeliveryKeys = `
  CREATE TABLE redelivery_keys (
    id TEXT PRIMARY KEY,
    original TEXT NOT NULL,
    answered TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX redelivery_keys_by_answered ON redelivery_keys (answered);
`;

export const deliveryStoreFormat: DatabaseFormat = {
  name: 'delivery store',
  applicationId: 0x524c_4436, // 'RLD6'
  earlierApplicationIds: [0x5246_4c44, 0x524c_4432, 0x524c_4433, 0x524c_4434, 0x524c_4435],
  migrations: [tables, testsAndRemoved, replays, statistics, openReplays, redeliveryKeys],
};
