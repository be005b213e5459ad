import { boundLimit } from '@refledger/sqlite';
import { columns, withBodies } from './columns.js';

/**
 * The endpoints with deliveries that wait, or are held. It steps through the index from one
 * endpoint to the next, however many such deliveries each has.
 */
const endpointsWith = (status: 'waiting' | 'held'): string => `
    ${status} (id) AS (
      SELECT min(endpoint_id) FROM deliveries INDEXED BY deliveries_${status}_by_endpoint
      WHERE status = '${status}'
      UNION ALL
      SELECT (
        SELECT min(endpoint_id) FROM deliveries INDEXED BY deliveries_${status}_by_endpoint
        WHERE status = '${status}' AND endpoint_id > ${status}.id)
      FROM ${status} WHERE id IS NOT NULL
    )`;
const waiting = `WITH RECURSIVE ${endpointsWith('waiting')}`;

/** What the index of deliveries of replays that wait for their turn holds, in the same words. */
export const replaying = "status = 'waiting' AND due_at IS NULL AND trigger = 'replay'";

/** The statements that find deliveries that may be sent, and claim or release them. */
export const claimStatements = {
  waiting: `
    SELECT ${columns} FROM ${withBodies}
    WHERE endpoint_id = ? AND status = 'waiting' AND due_at <= ?
    ORDER BY due_at, seq LIMIT ${boundLimit}`,
  tests: `
    SELECT ${columns} FROM deliveries INDEXED BY deliveries_tests LEFT JOIN bodies USING (seq)
    WHERE endpoint_id = ? AND status = 'waiting' AND trigger = 'test'`,
  held: `
    SELECT ${columns}
    FROM deliveries INDEXED BY deliveries_held_by_endpoint LEFT JOIN bodies USING (seq)
    WHERE endpoint_id = ? AND status = 'held'
    ORDER BY deliveries.position, seq LIMIT ${boundLimit}`,
  replaying: `
    SELECT ${columns} FROM deliveries INDEXED BY deliveries_replaying LEFT JOIN bodies USING (seq)
    WHERE endpoint_id = ? AND ${replaying}
    ORDER BY deliveries.position, seq LIMIT ${boundLimit}`,
  start: `
    UPDATE deliveries
    SET status = 'sending', attempt = ?, attempts = ?, holder = ?, lease_until = ?, due_at = NULL
    WHERE seq = ?`,
  keepBody: `
    INSERT INTO bodies (seq, body)
    SELECT seq, ? FROM deliveries WHERE id = ? AND status = 'sending' AND holder = ?
    ON CONFLICT DO NOTHING`,
  release: `
    UPDATE deliveries
    SET status = :to, due_at = :dueAt, attempt = attempt - 1,
      attempts = json_remove(attempts, '$[#-1]'), holder = NULL, lease_until = NULL
    WHERE id = :delivery AND status = 'sending' AND holder = :holder
    RETURNING endpoint_id AS endpointId`,
  endpointsDue: `
    ${waiting}
    SELECT id FROM waiting
    WHERE id IS NOT NULL AND (
      SELECT min(due_at) FROM deliveries INDEXED BY deliveries_waiting_by_endpoint
      WHERE status = 'waiting' AND endpoint_id = waiting.id) <= ?`,
  endpointsHeld: `WITH RECURSIVE ${endpointsWith('held')} SELECT id FROM held WHERE id IS NOT NULL`,
  endpointsUnfinished: `
    ${waiting}, ${endpointsWith('held')}
    SELECT id FROM waiting WHERE id IS NOT NULL
    UNION SELECT id FROM held WHERE id IS NOT NULL
    UNION SELECT endpoint_id FROM deliveries INDEXED BY deliveries_sending
    WHERE status = 'sending'`,
  nextDueAt: `
    ${waiting}
    SELECT min((
      SELECT min(due_at) FROM deliveries INDEXED BY deliveries_waiting_by_endpoint
      WHERE status = 'waiting' AND endpoint_id = waiting.id AND due_at > ?)) AS at
    FROM waiting`,
} as const;
