import { boundLimit, type Database, type Statement } from '@refledger/sqlite';

/**
 * The endpoints with waiting deliveries. It steps through the index from one endpoint to the next,
 * however many deliveries of one are waiting.
 */
const waiting = `
    WITH RECURSIVE waiting (id) AS (
      SELECT min(endpoint_id) FROM deliveries INDEXED BY deliveries_waiting_by_endpoint WHERE status = 'waiting'
      UNION ALL
      SELECT (SELECT min(endpoint_id) FROM deliveries INDEXED BY deliveries_waiting_by_endpoint WHERE status = 'waiting' AND endpoint_id > waiting.id) FROM waiting WHERE id IS NOT NULL
    )`;

/**
 * When a waiting delivery began to wait: at the end of its last attempt, or when it was planned.
 */
const waitingSince = `coalesce(json_extract(attempts, '$[#-1].finishedAt'), created_at)`;

/** All statements of the store, by name. */
export const statementsOf = {
  insert: `
    INSERT INTO deliveries (id, account_id, endpoint_id, event_id, event_type, position, status, attempt, attempts, holder, lease_until, due_at, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
  insertBody: 'INSERT INTO bodies (seq, body) VALUES (?, ?)',
  waiting: `
    SELECT * FROM deliveries JOIN bodies USING (seq) WHERE endpoint_id = ? AND status = 'waiting' AND due_at <= ? ORDER BY due_at, seq LIMIT ${boundLimit}`,
  start: `UPDATE deliveries SET status = 'sending', attempt = ?, attempts = ?, holder = ?, lease_until = ?, due_at = NULL WHERE seq = ?`,
  endpointsWithWork: `
    ${waiting}
    SELECT id FROM waiting WHERE id IS NOT NULL AND (SELECT min(due_at) FROM deliveries INDEXED BY deliveries_waiting_by_endpoint WHERE status = 'waiting' AND endpoint_id = waiting.id) <= ?
    UNION SELECT endpoint_id FROM deliveries INDEXED BY deliveries_sending WHERE status = 'sending' AND lease_until <= ?`,
  nextDueAt: `
    ${waiting}
    SELECT min(at) AS at FROM (
      SELECT (SELECT min(due_at) FROM deliveries INDEXED BY deliveries_waiting_by_endpoint WHERE status = 'waiting' AND endpoint_id = waiting.id AND due_at > ?) AS at FROM waiting
      UNION ALL SELECT min(lease_until) FROM deliveries WHERE status = 'sending' AND lease_until > ?)`,
  renew: `UPDATE deliveries SET lease_until = ? WHERE id = ? AND status = 'sending' AND holder = ?`,
  lost: `SELECT seq, endpoint_id, attempts FROM deliveries WHERE status = 'sending' AND (lease_until <= ? OR holder = ?)`,
  recover: `UPDATE deliveries SET status = 'waiting', due_at = ?, attempts = ?, holder = NULL, lease_until = NULL WHERE seq = ?`,
  reschedule: `
    UPDATE deliveries INDEXED BY deliveries_waiting_by_endpoint
    SET due_at = strftime('%Y-%m-%dT%H:%M:%fZ', unixepoch(:now, 'subsec') + unixepoch(due_at, 'subsec') - unixepoch(${waitingSince}, 'subsec'), 'unixepoch')
    WHERE status = 'waiting' AND due_at > :now AND ${waitingSince} > :now`,
  shortenLeases: `UPDATE deliveries SET lease_until = :leaseUntil WHERE status = 'sending' AND lease_until > :leaseUntil`,
  release: `
    UPDATE deliveries SET status = 'waiting', due_at = ?, attempt = attempt - 1, attempts = json_remove(attempts, '$[#-1]'), holder = NULL, lease_until = NULL
    WHERE id = ? AND status = 'sending' AND holder = ? RETURNING endpoint_id`,
  recordOutcomes: `
    UPDATE deliveries SET status = ?, attempts = json_replace(attempts, '$[#-1]', json(?)), due_at = ?, finished_at = ?, reason = ?, holder = NULL, lease_until = NULL
    WHERE id = ? AND status = 'sending' AND holder = ? AND attempt = ? RETURNING endpoint_id`,
  cancel: `
    UPDATE deliveries SET status = 'canceled', due_at = NULL, finished_at = ?, reason = ?
    WHERE seq IN (SELECT seq FROM deliveries WHERE endpoint_id = ? AND status = 'waiting' LIMIT ${boundLimit})`,
  unfinished: `
    SELECT id, event_id, position FROM deliveries INDEXED BY deliveries_waiting_by_endpoint WHERE endpoint_id = :endpoint AND status = 'waiting'
    UNION ALL SELECT id, event_id, position FROM deliveries INDEXED BY deliveries_sending WHERE endpoint_id = :endpoint AND status = 'sending'`,
  cancelDue: `UPDATE deliveries SET status = 'canceled', due_at = NULL, finished_at = ?, reason = ? WHERE id = ? AND status = 'waiting' RETURNING endpoint_id`,
  cancelStarted: `
    UPDATE deliveries
    SET status = 'canceled', finished_at = :at, reason = :reason, attempts = json_set(attempts, '$[#-1].finishedAt', :at, '$[#-1].outcome', 'unknown'), holder = NULL, lease_until = NULL
    WHERE id = :delivery AND status = 'sending' RETURNING endpoint_id`,
  get: 'SELECT * FROM deliveries JOIN bodies USING (seq) WHERE id = ?',
  list: `
    SELECT * FROM deliveries JOIN bodies USING (seq)
    WHERE endpoint_id = :endpointId AND seq < CASE WHEN :after IS NULL THEN 9223372036854775807 ELSE (SELECT seq FROM deliveries WHERE id = :after) END
    ORDER BY seq DESC LIMIT :limit`,
  ended: `SELECT seq, endpoint_id, status FROM deliveries WHERE finished_at < ? ORDER BY finished_at LIMIT ${boundLimit}`,
  remove: 'DELETE FROM deliveries WHERE seq = ?',
  removeBody: 'DELETE FROM bodies WHERE seq = ?',
} as const;

export type Statements = Readonly<Record<keyof typeof statementsOf, Statement>>;

// the cast holds because the names stay the same
export const prepareStatements = (db: Database): Statements =>
  Object.fromEntries(
    Object.entries(statementsOf).map(([name, sql]) => [name, db.prepare(sql)]),
  ) as Statements;
