import type { DeliveryId, EndpointId, Position } from '@refledger/contracts';
import { boundLimit, type Database, type Statement } from '@refledger/sqlite';
import type { UnfinishedDelivery } from '../delivery-store.js';
import type { Attempt, Delivery } from '../delivery.js';
import type { FailingSeries } from '../health-store.js';

/**
 * The endpoints with deliveries that wait, or are held. It steps through the index from one
 * endpoint to the next, however many such deliveries each has.
 */
const endpointsWith = (status: 'waiting' | 'held'): string => `
    ${status} (id) AS (
      SELECT min(endpoint_id) FROM deliveries INDEXED BY deliveries_${status}_by_endpoint WHERE status = '${status}'
      UNION ALL
      SELECT (SELECT min(endpoint_id) FROM deliveries INDEXED BY deliveries_${status}_by_endpoint WHERE status = '${status}' AND endpoint_id > ${status}.id) FROM ${status} WHERE id IS NOT NULL
    )`;
const waiting = `WITH RECURSIVE ${endpointsWith('waiting')}`;

/** What the index of deliveries of replays that wait for their turn holds, in the same words. */
export const replaying = "status = 'waiting' AND due_at IS NULL AND trigger = 'replay'";

/**
 * When a waiting delivery began to wait: at the end of its last attempt, or when it was planned.
 */
const waitingSince = `coalesce(json_extract(attempts, '$[#-1].finishedAt'), created_at)`;

/** The columns of a `DeliverySummary`. */
export const summaryColumns = `
      id, account_id AS accountId, endpoint_id AS endpointId, event_id AS eventId, event_type AS eventType, object_id AS objectId, trigger, CAST(position AS TEXT) AS position,
      CAST(decided_at AS TEXT) AS decidedAt, status, attempt AS attemptCount, failures, due_at AS dueAt, created_at AS createdAt, finished_at AS finishedAt, reason, replay_id AS replayId`;

/** The columns of a `DeliveryRow`. */
const columns = `seq, ${summaryColumns}, payload, attempts, body`;

/** The deliveries with their bodies. */
const withBodies = 'deliveries LEFT JOIN bodies USING (seq)';

/** Cancels waiting or held deliveries of an endpoint. */
function cancelOf(status: 'waiting' | 'held'): string {
  return `
    UPDATE deliveries SET status = 'canceled', due_at = NULL, finished_at = :now, reason = :reason
    WHERE seq IN (
      SELECT seq FROM deliveries INDEXED BY deliveries_${status}_by_endpoint
      WHERE endpoint_id = :endpoint AND status = '${status}' AND decided_at < :below AND trigger = coalesce(:trigger, trigger) LIMIT :limit)`;
}

/** Cancels held deliveries that an index finds, the first ones in this order. */
function sweepOf(index: string, condition: string, order: string): string {
  return `
    UPDATE deliveries SET status = 'canceled', finished_at = :now, reason = :reason, swept_at = :now
    WHERE seq IN (SELECT seq FROM deliveries INDEXED BY ${index} WHERE ${condition} AND status = 'held' ORDER BY ${order} LIMIT :limit) RETURNING endpoint_id AS endpointId`;
}

/** The statements on deliveries, by name. */
export const statementsOf = {
  insert: `
    INSERT INTO deliveries (id, account_id, endpoint_id, event_id, event_type, object_id, trigger, position, decided_at, payload, status, attempt, attempts, holder, lease_until, due_at, finished_at, reason, replay_id, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
  insertBody: 'INSERT INTO bodies (seq, body) VALUES (?, ?)',
  waiting: `
    SELECT ${columns} FROM ${withBodies} WHERE endpoint_id = ? AND status = 'waiting' AND due_at <= ? ORDER BY due_at, seq LIMIT ${boundLimit}`,
  tests: `
    SELECT ${columns} FROM deliveries INDEXED BY deliveries_tests LEFT JOIN bodies USING (seq) WHERE endpoint_id = ? AND status = 'waiting' AND trigger = 'test'`,
  start: `UPDATE deliveries SET status = 'sending', attempt = ?, attempts = ?, holder = ?, lease_until = ?, due_at = NULL WHERE seq = ?`,
  endpointsDue: `
    ${waiting}
    SELECT id FROM waiting WHERE id IS NOT NULL AND (SELECT min(due_at) FROM deliveries INDEXED BY deliveries_waiting_by_endpoint WHERE status = 'waiting' AND endpoint_id = waiting.id) <= ?`,
  held: `
    SELECT ${columns} FROM deliveries INDEXED BY deliveries_held_by_endpoint LEFT JOIN bodies USING (seq) WHERE endpoint_id = ? AND status = 'held' ORDER BY deliveries.position, seq LIMIT ${boundLimit}`,
  replaying: `
    SELECT ${columns} FROM deliveries INDEXED BY deliveries_replaying LEFT JOIN bodies USING (seq) WHERE endpoint_id = ? AND ${replaying} ORDER BY deliveries.position, seq LIMIT ${boundLimit}`,
  keepBody: `INSERT INTO bodies (seq, body) SELECT seq, ? FROM deliveries WHERE id = ? AND status = 'sending' AND holder = ? ON CONFLICT DO NOTHING`,
  endpointsHeld: `WITH RECURSIVE ${endpointsWith('held')} SELECT id FROM held WHERE id IS NOT NULL`,
  endpointsUnfinished: `
    ${waiting}, ${endpointsWith('held')}
    SELECT id FROM waiting WHERE id IS NOT NULL
    UNION SELECT id FROM held WHERE id IS NOT NULL
    UNION SELECT endpoint_id FROM deliveries INDEXED BY deliveries_sending WHERE status = 'sending'`,
  nextDueAt: `
    ${waiting}
    SELECT min((SELECT min(due_at) FROM deliveries INDEXED BY deliveries_waiting_by_endpoint WHERE status = 'waiting' AND endpoint_id = waiting.id AND due_at > ?)) AS at FROM waiting`,
  renew:
    'INSERT INTO leases (holder, until) VALUES (?, ?) ON CONFLICT (holder) DO UPDATE SET until = max(until, excluded.until)',
  removeLeases: 'DELETE FROM leases WHERE until <= ?',
  lost: `
    SELECT seq, id, endpoint_id AS endpointId, trigger, attempts, holder FROM deliveries
    WHERE status = 'sending' AND lease_until <= :now AND (holder = :holder OR holder NOT IN (SELECT holder FROM leases WHERE until > :now))`,
  leftBy: `SELECT seq, endpoint_id AS endpointId, trigger, attempts FROM deliveries INDEXED BY deliveries_sending WHERE status = 'sending' AND holder = ?`,
  recover: `UPDATE deliveries SET status = 'waiting', due_at = ?, attempts = ?, holder = NULL, lease_until = NULL WHERE seq = ?`,
  failTest: `UPDATE deliveries SET status = 'failed', finished_at = ?, reason = ?, attempts = ?, holder = NULL, lease_until = NULL WHERE seq = ?`,
  cancelLateTests: `
    UPDATE deliveries SET status = 'canceled', finished_at = :now, reason = :reason
    WHERE seq IN (SELECT seq FROM deliveries INDEXED BY deliveries_tests WHERE status = 'waiting' AND trigger = 'test' AND created_at < :before)
    RETURNING endpoint_id AS endpointId`,
  reschedule: `
    UPDATE deliveries INDEXED BY deliveries_waiting_by_endpoint
    SET due_at = strftime('%Y-%m-%dT%H:%M:%fZ', unixepoch(:now, 'subsec') + unixepoch(due_at, 'subsec') - unixepoch(${waitingSince}, 'subsec'), 'unixepoch')
    WHERE status = 'waiting' AND due_at > :now AND ${waitingSince} > :now`,
  shortenClaims: `UPDATE deliveries SET lease_until = :leaseUntil WHERE status = 'sending' AND lease_until > :leaseUntil`,
  shortenLeases: 'UPDATE leases SET until = :leaseUntil WHERE until > :leaseUntil',
  release: `
    UPDATE deliveries SET status = :to, due_at = :dueAt, attempt = attempt - 1, attempts = json_remove(attempts, '$[#-1]'), holder = NULL, lease_until = NULL
    WHERE id = :delivery AND status = 'sending' AND holder = :holder RETURNING endpoint_id AS endpointId`,
  recordOutcomes: `
    UPDATE deliveries
    SET status = :status, attempt = attempt - (:attempt IS NULL), failures = :failures,
      attempts = CASE WHEN :attempt IS NULL THEN json_remove(attempts, '$[#-1]') ELSE json_replace(attempts, '$[#-1]', json(:attempt)) END,
      due_at = :dueAt, finished_at = :finishedAt, reason = :reason, holder = NULL, lease_until = NULL
    WHERE id = :deliveryId AND status = 'sending' AND holder = :holder AND attempt = :number RETURNING endpoint_id AS endpointId, replay_id AS replayId`,
  hold: `
    UPDATE deliveries SET status = 'held', due_at = NULL
    WHERE seq IN (SELECT seq FROM deliveries WHERE endpoint_id = ? AND status = 'waiting' AND decided_at < ? AND trigger <> 'test' LIMIT ${boundLimit})`,
  holdRetries: `
    UPDATE deliveries SET status = 'held', due_at = NULL
    WHERE seq IN (SELECT seq FROM deliveries WHERE endpoint_id = ? AND status = 'waiting' AND due_at > ? AND trigger <> 'replay' LIMIT ${boundLimit})`,
  countReplayed: `UPDATE replays SET succeeded = succeeded + ?, failed = failed + ? WHERE id = ?`,
  lowerDecidedAt: 'UPDATE deliveries SET decided_at = ? WHERE id = ?',
  cancelWaiting: cancelOf('waiting'),
  cancelHeld: cancelOf('held'),
  sweepOlder: sweepOf(
    'list_of_endpoint_by_status',
    'endpoint_id = :of AND created_at < :before',
    'created_at',
  ),
  sweepEndpoint: sweepOf('deliveries_held_by_endpoint', 'endpoint_id = :of', 'position'),
  sweepAccount: sweepOf('deliveries_held_by_account', 'account_id = :of', 'position'),
  unfinished: `
    SELECT id, event_id AS eventId, CAST(position AS TEXT) AS position, CAST(decided_at AS TEXT) AS decidedAt FROM deliveries INDEXED BY deliveries_waiting_by_endpoint WHERE endpoint_id = :endpoint AND status = 'waiting' AND trigger <> 'test'
    UNION ALL SELECT id, event_id AS eventId, CAST(position AS TEXT) AS position, CAST(decided_at AS TEXT) AS decidedAt FROM deliveries INDEXED BY deliveries_held_by_endpoint WHERE endpoint_id = :endpoint AND status = 'held'
    UNION ALL SELECT id, event_id AS eventId, CAST(position AS TEXT) AS position, CAST(decided_at AS TEXT) AS decidedAt FROM deliveries INDEXED BY deliveries_sending WHERE endpoint_id = :endpoint AND status = 'sending' AND trigger <> 'test'`,
  cancelDue: `UPDATE deliveries SET status = 'canceled', due_at = NULL, finished_at = ?, reason = ? WHERE id = ? AND status = ? RETURNING endpoint_id AS endpointId`,
  cancelStarted: `
    UPDATE deliveries
    SET status = 'canceled', finished_at = :at, reason = :reason, attempts = json_set(attempts, '$[#-1].finishedAt', :at, '$[#-1].outcome', 'unknown'), holder = NULL, lease_until = NULL
    WHERE id = :delivery AND status = 'sending' RETURNING endpoint_id AS endpointId`,
  makeDue: `UPDATE deliveries SET due_at = :now WHERE id = :delivery AND status = 'waiting' AND trigger <> 'test' AND (due_at IS NULL OR due_at > :now) RETURNING endpoint_id AS endpointId`,
  noteRequest: 'INSERT INTO requests (endpoint_id) VALUES (?) ON CONFLICT DO NOTHING',
  requested: 'SELECT endpoint_id AS id FROM requests',
  clearRequest: 'DELETE FROM requests WHERE endpoint_id = ?',
  recovery: `
    SELECT id FROM deliveries INDEXED BY deliveries_recovering
    WHERE event_id = ? AND endpoint_id = ? AND created_at > ? AND status = 'succeeded' AND trigger > 'event' ORDER BY created_at LIMIT 1`,
  get: `SELECT ${columns} FROM ${withBodies} WHERE id = ?`,
  list: `
    SELECT ${columns} FROM ${withBodies}
    WHERE endpoint_id = :endpointId AND seq < CASE WHEN :after IS NULL THEN 9223372036854775807 ELSE (SELECT seq FROM deliveries WHERE id = :after) END
    ORDER BY seq DESC LIMIT :limit`,
  ended: `SELECT seq, endpoint_id AS endpointId, status FROM deliveries WHERE finished_at < ? ORDER BY finished_at LIMIT ${boundLimit}`,
  swept: `SELECT seq, endpoint_id AS endpointId, status, trigger, CAST(position AS TEXT) AS position FROM deliveries INDEXED BY deliveries_swept WHERE swept_at < ? LIMIT ${boundLimit}`,
  remove: 'DELETE FROM deliveries WHERE seq = ?',
  noteRemoved: `
    INSERT INTO removed (endpoint_id, through) VALUES (?, ?)
    ON CONFLICT (endpoint_id) DO UPDATE SET through = max(through, excluded.through)`,
  heldThrough: 'SELECT endpoint_id AS id, CAST(through AS TEXT) AS through FROM removed',
  statuses: 'SELECT id, status FROM deliveries WHERE id IN (SELECT value FROM json_each(?))',
  rate: 'SELECT full_at AS fullAt FROM rates WHERE endpoint_id = ?',
  putRate:
    'INSERT INTO rates (endpoint_id, full_at) VALUES (?, ?) ON CONFLICT (endpoint_id) DO UPDATE SET full_at = excluded.full_at',
  removeRates: 'DELETE FROM rates WHERE full_at < ?',
  series: 'SELECT series_from AS "from", since, failures FROM health WHERE endpoint_id = ?',
  keepSeries:
    'INSERT OR REPLACE INTO health (endpoint_id, series_from, since, failures) VALUES (?, ?, ?, ?)',
  endSeries: 'DELETE FROM health WHERE endpoint_id = ?',
  endpointsInSeries: 'SELECT endpoint_id AS id FROM health',
  succeededSince: `
    SELECT 1 AS found FROM deliveries INDEXED BY list_of_endpoint_finished
    WHERE endpoint_id = ? AND finished_at IS NOT NULL AND finished_at > ? AND status = 'succeeded' AND trigger <> 'test' LIMIT 1`,
  removeBody: 'DELETE FROM bodies WHERE seq = ?',
} as const;

/** The rows of the statements that return any. */
interface Rows {
  readonly waiting: DeliveryRow;
  readonly tests: DeliveryRow;
  readonly endpointsDue: { readonly id: EndpointId };
  readonly endpointsUnfinished: { readonly id: EndpointId };
  readonly held: DeliveryRow;
  readonly replaying: DeliveryRow;
  readonly endpointsHeld: { readonly id: EndpointId };
  readonly nextDueAt: { readonly at: string | null };
  readonly lost: LostRow & Pick<DeliveryRow, 'id'> & { readonly holder: string };
  readonly leftBy: LostRow;
  readonly release: EndpointRow;
  readonly recordOutcomes: EndpointRow & Pick<DeliveryRow, 'replayId'>;
  readonly unfinished: UnfinishedDelivery;
  readonly sweepOlder: EndpointRow;
  readonly sweepEndpoint: EndpointRow;
  readonly sweepAccount: EndpointRow;
  readonly cancelLateTests: EndpointRow;
  readonly cancelDue: EndpointRow;
  readonly cancelStarted: EndpointRow;
  readonly makeDue: EndpointRow;
  readonly requested: { readonly id: EndpointId };
  readonly recovery: { readonly id: DeliveryId };
  readonly get: DeliveryRow;
  readonly list: DeliveryRow;
  readonly series: FailingSeries;
  readonly endpointsInSeries: { readonly id: EndpointId };
  readonly succeededSince: { readonly found: 1 };
  readonly rate: { readonly fullAt: number };
  readonly ended: EndedRow;
  readonly swept: SweptRow;
  readonly heldThrough: { readonly id: EndpointId; readonly through: Position };
  readonly statuses: Pick<DeliveryRow, 'id' | 'status'>;
}

type Name = keyof typeof statementsOf;
export type Statements = {
  readonly [Each in Name]: Statement<Each extends keyof Rows ? Rows[Each] : never>;
};

// the cast holds because the names stay the same
/** Prepares all statements of the store on a connection. */
export const prepareStatements = (db: Database): Statements =>
  Object.fromEntries(
    Object.entries(statementsOf).map(([name, sql]) => [name, db.prepare(sql)]),
  ) as Statements;

/** A row of `deliveries` joined with its body. Only this store writes such rows. */
export interface DeliveryRow extends Omit<Delivery, 'attempts' | 'body'> {
  readonly seq: number;
  readonly attempts: string;
  readonly body: Uint8Array | null;
}

export type EndpointRow = Pick<DeliveryRow, 'endpointId'>;
export type EndedRow = Pick<DeliveryRow, 'seq' | 'endpointId' | 'status'>;
type SweptRow = EndedRow & Pick<DeliveryRow, 'trigger' | 'position'>;
export type LostRow = Pick<DeliveryRow, 'seq' | 'endpointId' | 'trigger' | 'attempts'>;

export const toDelivery = ({ seq: _, attempts, body, ...row }: DeliveryRow): Delivery => ({
  ...row,
  attempts: toAttempts(attempts),
  body: body === null ? null : Buffer.from(body).toString('utf8'),
});

export const toAttempts = (json: string): readonly Attempt[] =>
  JSON.parse(json) as readonly Attempt[];
