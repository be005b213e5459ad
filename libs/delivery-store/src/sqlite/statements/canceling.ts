import { boundLimit } from '@refledger/sqlite';

/** The columns of an `UnfinishedDelivery`. */
const unfinishedColumns = `
      id, event_id AS eventId, CAST(position AS TEXT) AS position,
      CAST(decided_at AS TEXT) AS decidedAt`;

/** Cancels waiting or held deliveries of an endpoint. */
function cancelOf(status: 'waiting' | 'held'): string {
  return `
    UPDATE deliveries SET status = 'canceled', due_at = NULL, finished_at = :now, reason = :reason
    WHERE seq IN (
      SELECT seq FROM deliveries INDEXED BY deliveries_${status}_by_endpoint
      WHERE endpoint_id = :endpoint AND status = '${status}' AND decided_at < :below
      AND trigger = coalesce(:trigger, trigger) LIMIT :limit)`;
}

/** The statements that hold or cancel deliveries that have not ended. */
export const cancelingStatements = {
  hold: `
    UPDATE deliveries SET status = 'held', due_at = NULL
    WHERE seq IN (
      SELECT seq FROM deliveries
      WHERE endpoint_id = ? AND status = 'waiting' AND decided_at < ? AND trigger <> 'test'
      LIMIT ${boundLimit})`,
  holdRetries: `
    UPDATE deliveries SET status = 'held', due_at = NULL
    WHERE seq IN (
      SELECT seq FROM deliveries
      WHERE endpoint_id = ? AND status = 'waiting' AND due_at > ? AND trigger <> 'replay'
      LIMIT ${boundLimit})`,
  lowerDecidedAt: 'UPDATE deliveries SET decided_at = ? WHERE id = ?',
  cancelWaiting: cancelOf('waiting'),
  cancelHeld: cancelOf('held'),
  unfinished: `
    SELECT ${unfinishedColumns} FROM deliveries INDEXED BY deliveries_waiting_by_endpoint
    WHERE endpoint_id = :endpoint AND status = 'waiting' AND trigger <> 'test'
    UNION ALL
    SELECT ${unfinishedColumns} FROM deliveries INDEXED BY deliveries_held_by_endpoint
    WHERE endpoint_id = :endpoint AND status = 'held'
    UNION ALL
    SELECT ${unfinishedColumns} FROM deliveries INDEXED BY deliveries_sending
    WHERE endpoint_id = :endpoint AND status = 'sending' AND trigger <> 'test'`,
  cancelDue: `
    UPDATE deliveries SET status = 'canceled', due_at = NULL, finished_at = ?, reason = ?
    WHERE id = ? AND status = ? RETURNING endpoint_id AS endpointId`,
  cancelStarted: `
    UPDATE deliveries
    SET status = 'canceled', finished_at = :at, reason = :reason,
      attempts = json_set(attempts, '$[#-1].finishedAt', :at, '$[#-1].outcome', 'unknown'),
      holder = NULL, lease_until = NULL
    WHERE id = :delivery AND status = 'sending' RETURNING endpoint_id AS endpointId`,
} as const;
