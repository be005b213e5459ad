import type { EndpointId } from '@refledger/contracts';
import { boundLimit, type Database, type Statement } from '@refledger/sqlite';
import type { UnfinishedDelivery } from '../delivery-store.js';
import type { Attempt, Delivery } from '../delivery.js';

/**
 * The endpoints with waiting deliveries. It steps through the index from one endpoint to the next,
 * however many deliveries each has waiting.
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

/** The columns of a `DeliverySummary`. */
export const summaryColumns = `
      id, account_id AS accountId, endpoint_id AS endpointId, event_id AS eventId, event_type AS eventType, object_id AS objectId, trigger, position,
      CAST(decided_at AS TEXT) AS decidedAt, status, attempt AS attemptCount, failures, due_at AS dueAt, created_at AS createdAt, finished_at AS finishedAt, reason`;

/** The columns of a `DeliveryRow`. */
const columns = `seq, ${summaryColumns}, attempts, body`;

/** All statements of the store, by name. */
export const statementsOf = {
  insert: `
    INSERT INTO deliveries (id, account_id, endpoint_id, event_id, event_type, object_id, trigger, position, decided_at, status, attempt, attempts, holder, lease_until, due_at, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
  insertBody: 'INSERT INTO bodies (seq, body) VALUES (?, ?)',
  waiting: `
    SELECT ${columns} FROM deliveries JOIN bodies USING (seq) WHERE endpoint_id = ? AND status = 'waiting' AND due_at <= ? ORDER BY due_at, seq LIMIT ${boundLimit}`,
  start: `UPDATE deliveries SET status = 'sending', attempt = ?, attempts = ?, holder = ?, lease_until = ?, due_at = NULL WHERE seq = ?`,
  endpointsDue: `
    ${waiting}
    SELECT id FROM waiting WHERE id IS NOT NULL AND (SELECT min(due_at) FROM deliveries INDEXED BY deliveries_waiting_by_endpoint WHERE status = 'waiting' AND endpoint_id = waiting.id) <= ?`,
  endpointsUnfinished: `
    ${waiting}
    SELECT id FROM waiting WHERE id IS NOT NULL
    UNION SELECT endpoint_id FROM deliveries INDEXED BY deliveries_sending WHERE status = 'sending'`,
  nextDueAt: `
    ${waiting}
    SELECT min((SELECT min(due_at) FROM deliveries INDEXED BY deliveries_waiting_by_endpoint WHERE status = 'waiting' AND endpoint_id = waiting.id AND due_at > ?)) AS at FROM waiting`,
  renew:
    'INSERT INTO leases (holder, until) VALUES (?, ?) ON CONFLICT (holder) DO UPDATE SET until = max(until, excluded.until)',
  removeLeases: 'DELETE FROM leases WHERE until <= ?',
  lost: `
    SELECT seq, id, endpoint_id AS endpointId, attempts, holder FROM deliveries
    WHERE status = 'sending' AND lease_until <= :now AND (holder = :holder OR holder NOT IN (SELECT holder FROM leases WHERE until > :now))`,
  leftBy: `SELECT seq, endpoint_id AS endpointId, attempts FROM deliveries INDEXED BY deliveries_sending WHERE status = 'sending' AND holder = ?`,
  recover: `UPDATE deliveries SET status = 'waiting', due_at = ?, attempts = ?, holder = NULL, lease_until = NULL WHERE seq = ?`,
  reschedule: `
    UPDATE deliveries INDEXED BY deliveries_waiting_by_endpoint
    SET due_at = strftime('%Y-%m-%dT%H:%M:%fZ', unixepoch(:now, 'subsec') + unixepoch(due_at, 'subsec') - unixepoch(${waitingSince}, 'subsec'), 'unixepoch')
    WHERE status = 'waiting' AND due_at > :now AND ${waitingSince} > :now`,
  shortenClaims: `UPDATE deliveries SET lease_until = :leaseUntil WHERE status = 'sending' AND lease_until > :leaseUntil`,
  shortenLeases: 'UPDATE leases SET until = :leaseUntil WHERE until > :leaseUntil',
  release: `
    UPDATE deliveries SET status = 'waiting', due_at = ?, attempt = attempt - 1, attempts = json_remove(attempts, '$[#-1]'), holder = NULL, lease_until = NULL
    WHERE id = ? AND status = 'sending' AND holder = ? RETURNING endpoint_id AS endpointId`,
  recordOutcomes: `
    UPDATE deliveries
    SET status = :status, attempt = attempt - (:attempt IS NULL), failures = :failures,
      attempts = CASE WHEN :attempt IS NULL THEN json_remove(attempts, '$[#-1]') ELSE json_replace(attempts, '$[#-1]', json(:attempt)) END,
      due_at = :dueAt, finished_at = :finishedAt, reason = :reason, holder = NULL, lease_until = NULL
    WHERE id = :deliveryId AND status = 'sending' AND holder = :holder AND attempt = :number RETURNING endpoint_id AS endpointId`,
  cancel: `
    UPDATE deliveries SET status = 'canceled', due_at = NULL, finished_at = ?, reason = ?
    WHERE seq IN (SELECT seq FROM deliveries WHERE endpoint_id = ? AND status = 'waiting' AND decided_at < ? LIMIT ${boundLimit})`,
  unfinished: `
    SELECT id, event_id AS eventId, position FROM deliveries INDEXED BY deliveries_waiting_by_endpoint WHERE endpoint_id = :endpoint AND status = 'waiting'
    UNION ALL SELECT id, event_id AS eventId, position FROM deliveries INDEXED BY deliveries_sending WHERE endpoint_id = :endpoint AND status = 'sending'`,
  cancelDue: `UPDATE deliveries SET status = 'canceled', due_at = NULL, finished_at = ?, reason = ? WHERE id = ? AND status = 'waiting' RETURNING endpoint_id AS endpointId`,
  cancelStarted: `
    UPDATE deliveries
    SET status = 'canceled', finished_at = :at, reason = :reason, attempts = json_set(attempts, '$[#-1].finishedAt', :at, '$[#-1].outcome', 'unknown'), holder = NULL, lease_until = NULL
    WHERE id = :delivery AND status = 'sending' RETURNING endpoint_id AS endpointId`,
  get: `SELECT ${columns} FROM deliveries JOIN bodies USING (seq) WHERE id = ?`,
  list: `
    SELECT ${columns} FROM deliveries JOIN bodies USING (seq)
    WHERE endpoint_id = :endpointId AND seq < CASE WHEN :after IS NULL THEN 9223372036854775807 ELSE (SELECT seq FROM deliveries WHERE id = :after) END
    ORDER BY seq DESC LIMIT :limit`,
  ended: `SELECT seq, endpoint_id AS endpointId, status FROM deliveries WHERE finished_at < ? ORDER BY finished_at LIMIT ${boundLimit}`,
  remove: 'DELETE FROM deliveries WHERE seq = ?',
  rate: 'SELECT full_at AS fullAt FROM rates WHERE endpoint_id = ?',
  putRate:
    'INSERT INTO rates (endpoint_id, full_at) VALUES (?, ?) ON CONFLICT (endpoint_id) DO UPDATE SET full_at = excluded.full_at',
  removeRates: 'DELETE FROM rates WHERE full_at < ?',
  removeBody: 'DELETE FROM bodies WHERE seq = ?',
} as const;

/** The rows of the statements that return any. */
interface Rows {
  readonly waiting: DeliveryRow;
  readonly endpointsDue: { readonly id: EndpointId };
  readonly endpointsUnfinished: { readonly id: EndpointId };
  readonly nextDueAt: { readonly at: string | null };
  readonly lost: LostRow & Pick<DeliveryRow, 'id'> & { readonly holder: string };
  readonly leftBy: LostRow;
  readonly release: EndpointRow;
  readonly recordOutcomes: EndpointRow;
  readonly unfinished: UnfinishedDelivery;
  readonly cancelDue: EndpointRow;
  readonly cancelStarted: EndpointRow;
  readonly get: DeliveryRow;
  readonly list: DeliveryRow;
  readonly rate: { readonly fullAt: number };
  readonly ended: Pick<DeliveryRow, 'seq' | 'endpointId' | 'status'>;
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
  readonly body: Uint8Array;
}

export type EndpointRow = Pick<DeliveryRow, 'endpointId'>;
export type LostRow = Pick<DeliveryRow, 'seq' | 'endpointId' | 'attempts'>;

export const toDelivery = ({ seq: _, attempts, body, ...row }: DeliveryRow): Delivery => ({
  ...row,
  attempts: toAttempts(attempts),
  body: Buffer.from(body).toString('utf8'),
});

export const toAttempts = (json: string): readonly Attempt[] =>
  JSON.parse(json) as readonly Attempt[];
