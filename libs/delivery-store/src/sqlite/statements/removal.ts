import { boundLimit } from '@refledger/sqlite';

/** Cancels held deliveries that an index finds, the first ones in this order. */
function sweepOf(index: string, condition: string, order: string): string {
  return `
    UPDATE deliveries
    SET status = 'canceled', finished_at = :now, reason = :reason, swept_at = :now
    WHERE seq IN (
      SELECT seq FROM deliveries INDEXED BY ${index}
      WHERE ${condition} AND status = 'held' ORDER BY ${order} LIMIT :limit)
    RETURNING endpoint_id AS endpointId`;
}

/**
 * The statements that remove deliveries that ended long ago, and end those that have been held for
 * too long.
 */
export const removalStatements = {
  ended: `
    SELECT seq, endpoint_id AS endpointId, status FROM deliveries
    WHERE finished_at < ? ORDER BY finished_at LIMIT ${boundLimit}`,
  sweepOlder: sweepOf(
    'list_of_endpoint_by_status',
    'endpoint_id = :of AND created_at < :before',
    'created_at',
  ),
  sweepEndpoint: sweepOf('deliveries_held_by_endpoint', 'endpoint_id = :of', 'position'),
  sweepAccount: sweepOf('deliveries_held_by_account', 'account_id = :of', 'position'),
  swept: `
    SELECT seq, endpoint_id AS endpointId, status, trigger, CAST(position AS TEXT) AS position
    FROM deliveries INDEXED BY deliveries_swept WHERE swept_at < ? LIMIT ${boundLimit}`,
  remove: 'DELETE FROM deliveries WHERE seq = ?',
  removeKeys: `
    DELETE FROM redelivery_keys WHERE answered = (SELECT id FROM deliveries WHERE seq = ?)`,
  removeBody: 'DELETE FROM bodies WHERE seq = ?',
  noteRemoved: `
    INSERT INTO removed (endpoint_id, through) VALUES (?, ?)
    ON CONFLICT (endpoint_id) DO UPDATE SET through = max(through, excluded.through)`,
} as const;
