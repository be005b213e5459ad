/**
 * When a waiting delivery began to wait: at the end of its last attempt, or when it was planned.
 */
const waitingSince = `coalesce(json_extract(attempts, '$[#-1].finishedAt'), created_at)`;

/**
 * The statements for the leases of holders, and those that correct deliveries after a crash, and
 * after the clock was put back.
 */
export const recoveryStatements = {
  renew: `
    INSERT INTO leases (holder, until) VALUES (?, ?)
    ON CONFLICT (holder) DO UPDATE SET until = max(until, excluded.until)`,
  removeLeases: 'DELETE FROM leases WHERE until <= ?',
  lost: `
    SELECT seq, id, endpoint_id AS endpointId, trigger, attempts, holder FROM deliveries
    WHERE status = 'sending' AND lease_until <= :now
    AND (holder = :holder OR holder NOT IN (SELECT holder FROM leases WHERE until > :now))`,
  leftBy: `
    SELECT seq, endpoint_id AS endpointId, trigger, attempts
    FROM deliveries INDEXED BY deliveries_sending WHERE status = 'sending' AND holder = ?`,
  recover: `
    UPDATE deliveries
    SET status = 'waiting', due_at = ?, attempts = ?, holder = NULL, lease_until = NULL
    WHERE seq = ?`,
  failTest: `
    UPDATE deliveries
    SET status = 'failed', finished_at = ?, reason = ?, attempts = ?, holder = NULL,
      lease_until = NULL
    WHERE seq = ?`,
  cancelLateTests: `
    UPDATE deliveries SET status = 'canceled', finished_at = :now, reason = :reason
    WHERE seq IN (
      SELECT seq FROM deliveries INDEXED BY deliveries_tests
      WHERE status = 'waiting' AND trigger = 'test' AND created_at < :before)
    RETURNING endpoint_id AS endpointId`,
  reschedule: `
    UPDATE deliveries INDEXED BY deliveries_waiting_by_endpoint
    SET due_at = strftime(
      '%Y-%m-%dT%H:%M:%fZ',
      unixepoch(:now, 'subsec') + unixepoch(due_at, 'subsec')
        - unixepoch(${waitingSince}, 'subsec'),
      'unixepoch')
    WHERE status = 'waiting' AND due_at > :now AND ${waitingSince} > :now`,
  shortenClaims: `
    UPDATE deliveries SET lease_until = :leaseUntil
    WHERE status = 'sending' AND lease_until > :leaseUntil`,
  shortenLeases: 'UPDATE leases SET until = :leaseUntil WHERE until > :leaseUntil',
} as const;
