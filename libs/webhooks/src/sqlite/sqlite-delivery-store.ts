import { randomUUID } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import type { DeliveryId, EndpointId } from '@refledger/contracts';
import { openDatabase, toSqliteError, transaction, type Database } from '@refledger/sqlite';
import type { AttemptResult, Delivery, DeliveryStatus, DeliveryStore } from '../delivery-store.js';
import { placeKeeper } from './places.js';
import { begun, fromAttempts, toAttempts, toDelivery, type DeliveryRow } from './rows.js';
import { schema } from './schema.js';

export interface SqliteDeliveryStoreOptions {
  readonly file: string;
}

/** Deliveries in one SQLite file. Calls are synchronous underneath and durable (full fsync) when they resolve. Errors are `SqliteError`s. */
export const openSqliteDeliveryStore = ({ file }: SqliteDeliveryStoreOptions): DeliveryStore => {
  const db = openDatabase(file, { format, synchronous: 'full' });
  const places = placeKeeper(db);
  const id = transaction(db, () => places.fact('store_id', () => randomUUID()));
  const statements = prepare(db);
  const now = <T>(work: () => T): Promise<T> => new Promise((resolve) => resolve(transaction(db, work)));
  const read = <T>(work: () => T): Promise<T> => new Promise((resolve) => resolve(told(file, work)));

  return {
    id,
    place: (partition) => read(() => places.get(partition)),
    places: () => read(() => places.all()),
    floor: () => read(() => places.floor()),
    resetPlaces: (all, floor) => now(() => places.reset(all, floor)),

    plan: ({ deliveries, place, floor }, { holder, leaseUntil, now: at }) =>
      now(() => {
        const inserted: DeliveryId[] = [];
        for (const { id, accountId, endpointId, eventId, eventType, position, body, status } of deliveries) {
          const started = status === 'started';
          const { changes, lastInsertRowid } = statements.insert.run(
            id, accountId, endpointId, eventId, eventType, position, status, started ? 1 : 0, fromAttempts(started ? [begun(1, at)] : []),
            started ? holder : null, started ? leaseUntil : null, started ? null : at, at,
          );
          if (changes === 0) continue;
          statements.insertBody.run(lastInsertRowid, Buffer.from(body));
          inserted.push(id);
        }
        places.raise(place);
        places.raiseFloor(floor);
        return inserted;
      }),

    claimDue: (endpoint, limit, { holder, leaseUntil, now: at }) =>
      now(() =>
        many<DeliveryRow>(statements.due.all(endpoint, at, limit)).map((row): Delivery => {
          const before = toAttempts(row.attempts);
          const attempts = [...before, begun(before.length + 1, at)];
          statements.start.run(attempts.length, fromAttempts(attempts), holder, leaseUntil, row.seq);
          return { ...toDelivery(row), status: 'started', dueAt: null, attempts };
        }),
      ),

    endpointsWithWork: (at) => read(() => many<{ id: EndpointId }>(statements.endpointsWithWork.all(at, at)).map(({ id }) => id)),
    nextDueAt: (after) => read(() => one<{ at: string | null }>(statements.nextDueAt.get(after, after))?.at ?? undefined),

    renew: (deliveries, { holder, leaseUntil }) =>
      now(() => {
        for (const delivery of deliveries) statements.renew.run(leaseUntil, delivery, holder);
      }),

    recover: ({ now: at, leftBy = null }) =>
      now(() => {
        const lost = many<{ seq: number; attempts: string }>(statements.lost.all(at, leftBy));
        for (const { seq, attempts } of lost) {
          const closed = toAttempts(attempts).map((attempt) => (attempt.finishedAt === null ? { ...attempt, finishedAt: at, outcome: 'unknown' as const } : attempt));
          statements.recover.run(at, fromAttempts(closed), seq);
        }
        return lost.length;
      }),

    finish: (results, holder) =>
      now(() => {
        for (const result of results) finish(statements, result, holder);
      }),

    async cancel(endpoint, reason, at) {
      const step = 1_000;
      for (let total = 0; ; await breathe()) {
        const changes = await now(() => Number(statements.cancel.run(at, reason, endpoint, step).changes));
        total += changes;
        if (changes < step) return total;
      }
    },

    get: (id) => read(() => many<DeliveryRow>(statements.get.all(id)).map(toDelivery)[0]),
    list: ({ endpointId, limit, after = null, status }) =>
      read(() => {
        const rows = status === undefined ? statements.list.all({ endpointId, after, limit }) : statements.listOfStatus.all({ endpointId, after, limit, status });
        return many<DeliveryRow>(rows).map(toDelivery);
      }),
    counts: (endpoint) =>
      read(() => {
        const counts: Record<DeliveryStatus, number> = { due: 0, started: 0, succeeded: 0, failed: 0, cancelled: 0 };
        const rows = endpoint === undefined ? statements.countsOfAll.all() : statements.counts.all(endpoint);
        for (const { status, n } of many<{ status: DeliveryStatus; n: number }>(rows)) counts[status] = n;
        return counts;
      }),
    expire: (before, limit) =>
      now(() => {
        const ended = many<{ seq: number }>(statements.ended.all(before, limit));
        for (const { seq } of ended) {
          statements.remove.run(seq);
          statements.removeBody.run(seq);
        }
        return ended.length;
      }),

    close() {
      if (db.isOpen) db.close();
      return Promise.resolve();
    },
  };
};

const format = { name: 'delivery store', applicationId: 0x52464c44, migrations: [schema] };

const finish = (statements: Statements, { deliveryId, attempt, next }: AttemptResult, holder: string): void => {
  const row = one<{ seq: number; attempts: string }>(statements.held.get(deliveryId, holder, attempt.number));
  if (row === undefined) return;
  const attempts = fromAttempts([...toAttempts(row.attempts).slice(0, -1), attempt]);
  const dueAt = next.status === 'due' ? next.dueAt : null;
  const reason = next.status === 'failed' || next.status === 'cancelled' ? next.reason : null;
  statements.finish.run(next.status, attempts, dueAt, next.status === 'due' ? null : attempt.finishedAt, reason, row.seq);
};

type Statements = ReturnType<typeof prepare>;

const prepare = (db: Database) => {
  const listed = (status: string) => `
    SELECT * FROM deliveries JOIN bodies USING (seq)
    WHERE endpoint_id = :endpointId ${status} AND seq < CASE WHEN :after IS NULL THEN 9223372036854775807 ELSE (SELECT seq FROM deliveries WHERE id = :after) END
    ORDER BY seq DESC LIMIT :limit`;
  return {
    insert: db.prepare(`
      INSERT INTO deliveries (id, account_id, endpoint_id, event_id, event_type, position, status, attempt, attempts, holder, lease_until, due_at, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`),
    insertBody: db.prepare('INSERT INTO bodies (seq, body) VALUES (?, ?)'),
    due: db.prepare(`
      SELECT * FROM deliveries JOIN bodies USING (seq) WHERE endpoint_id = ? AND status = 'due' AND due_at <= ? ORDER BY due_at, seq LIMIT ?`),
    start: db.prepare(`UPDATE deliveries SET status = 'started', attempt = ?, attempts = ?, holder = ?, lease_until = ?, due_at = NULL WHERE seq = ?`),
    // steps from endpoint to endpoint through the index, however many deliveries of one are due
    endpointsWithWork: db.prepare(`
      WITH RECURSIVE waiting (id) AS (
        SELECT min(endpoint_id) FROM deliveries INDEXED BY deliveries_due_by_endpoint WHERE status = 'due'
        UNION ALL
        SELECT (SELECT min(endpoint_id) FROM deliveries INDEXED BY deliveries_due_by_endpoint WHERE status = 'due' AND endpoint_id > waiting.id) FROM waiting WHERE id IS NOT NULL
      )
      SELECT id FROM waiting WHERE id IS NOT NULL AND (SELECT min(due_at) FROM deliveries INDEXED BY deliveries_due_by_endpoint WHERE status = 'due' AND endpoint_id = waiting.id) <= ?
      UNION SELECT endpoint_id FROM deliveries INDEXED BY deliveries_started WHERE status = 'started' AND lease_until <= ?`),
    nextDueAt: db.prepare(`
      SELECT min(at) AS at FROM (
        SELECT min(due_at) AS at FROM deliveries WHERE status = 'due' AND due_at > ?
        UNION ALL SELECT min(lease_until) FROM deliveries WHERE status = 'started' AND lease_until > ?)`),
    renew: db.prepare(`UPDATE deliveries SET lease_until = ? WHERE id = ? AND status = 'started' AND holder = ?`),
    lost: db.prepare(`SELECT seq, attempts FROM deliveries WHERE status = 'started' AND (lease_until <= ? OR holder = ?)`),
    recover: db.prepare(`UPDATE deliveries SET status = 'due', due_at = ?, attempts = ?, holder = NULL, lease_until = NULL WHERE seq = ?`),
    held: db.prepare(`SELECT seq, attempts FROM deliveries WHERE id = ? AND status = 'started' AND holder = ? AND attempt = ?`),
    finish: db.prepare('UPDATE deliveries SET status = ?, attempts = ?, due_at = ?, finished_at = ?, reason = ?, holder = NULL, lease_until = NULL WHERE seq = ?'),
    cancel: db.prepare(`
      UPDATE deliveries SET status = 'cancelled', due_at = NULL, finished_at = ?, reason = ?
      WHERE seq IN (SELECT seq FROM deliveries WHERE endpoint_id = ? AND status = 'due' LIMIT ?)`),
    get: db.prepare('SELECT * FROM deliveries JOIN bodies USING (seq) WHERE id = ?'),
    list: db.prepare(listed('')),
    listOfStatus: db.prepare(listed('AND status = :status')),
    counts: db.prepare('SELECT status, n FROM counts WHERE endpoint_id = ?'),
    countsOfAll: db.prepare('SELECT status, sum(n) AS n FROM counts GROUP BY status'),
    ended: db.prepare('SELECT seq FROM deliveries WHERE finished_at < ? ORDER BY finished_at LIMIT ?'),
    remove: db.prepare('DELETE FROM deliveries WHERE seq = ?'),
    removeBody: db.prepare('DELETE FROM bodies WHERE seq = ?'),
  };
};

/** A read needs no transaction of its own, only its errors told as the file's. */
const told = <T>(file: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw toSqliteError(error, file);
  }
};

/** The border of decoding: the driver answers rows as plain records. */
const many = <Row>(rows: readonly unknown[]): readonly Row[] => rows as readonly Row[];
const one = <Row>(row: unknown): Row | undefined => row as Row | undefined;
