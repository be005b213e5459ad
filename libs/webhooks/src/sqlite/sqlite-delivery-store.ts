import { randomUUID } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import type { DeliveryId, EndpointId } from '@refledger/contracts';
import { openDatabase, transaction } from '@refledger/sqlite';
import type { AttemptResult, Delivery, DeliveryStatus, DeliveryStore } from '../delivery-store.js';
import { GroupCommit } from './group-commit.js';
import { placeKeeper } from './places.js';
import { begun, fromAttempts, toAttempts, toDelivery, type DeliveryRow } from './rows.js';
import { deliveryStoreFormat } from './delivery-store.format.js';
import { prepareStatements, type Statements } from './statements.js';
import { asStoreErrors } from './store-error.js';

export interface SqliteDeliveryStoreOptions {
  readonly file: string;
}

/** Deliveries in one SQLite file. Calls are synchronous underneath and durable (full fsync) when they resolve. */
export const openSqliteDeliveryStore = ({ file }: SqliteDeliveryStoreOptions): DeliveryStore => {
  const { db, places, id, statements } = asStoreErrors(file, () => open(file));
  const writes = new GroupCommit(db);
  const write = <T>(work: () => T): Promise<T> => writes.run(work);
  const read = <T>(work: () => T): Promise<T> => new Promise((resolve) => resolve(asStoreErrors(file, work)));

  return {
    id,
    place: (partition) => read(() => places.get(partition)),
    places: () => read(() => places.all()),
    floor: () => read(() => places.floor()),
    resetPlaces: (all, floor) => write(() => places.reset(all, floor)),

    plan: ({ deliveries, place, floor }, { holder, leaseUntil, now: at }) =>
      write(() => {
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

    takeDue: (endpoint, limit, { holder, leaseUntil, now: at }) =>
      write(() =>
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
      write(() => {
        for (const delivery of deliveries) statements.renew.run(leaseUntil, delivery, holder);
      }),

    release: (deliveries, { holder, now: at }) =>
      write(() => {
        for (const delivery of deliveries) {
          const row = one<{ seq: number; attempts: string }>(statements.heldBy.get(delivery, holder));
          if (row === undefined) continue;
          const attempts = toAttempts(row.attempts).slice(0, -1);
          statements.release.run(at, attempts.length, fromAttempts(attempts), row.seq);
        }
      }),

    recover: ({ now: at, leftBy = null }) =>
      write(() => {
        const lost = many<{ seq: number; attempts: string }>(statements.lost.all(at, leftBy));
        for (const { seq, attempts } of lost) {
          const closed = toAttempts(attempts).map((attempt) => (attempt.finishedAt === null ? { ...attempt, finishedAt: at, outcome: 'unknown' as const } : attempt));
          statements.recover.run(at, fromAttempts(closed), seq);
        }
        return lost.length;
      }),

    finish: (results, holder) =>
      write(() => {
        for (const result of results) finish(statements, result, holder);
      }),

    async cancel(endpoint, reason, at) {
      const step = 1_000;
      for (let total = 0; ; await breathe()) {
        const changes = await write(() => Number(statements.cancel.run(at, reason, endpoint, step).changes));
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
      write(() => {
        const ended = many<{ seq: number }>(statements.ended.all(before, limit));
        for (const { seq } of ended) {
          statements.remove.run(seq);
          statements.removeBody.run(seq);
        }
        return ended.length;
      }),

    close() {
      if (db.isOpen) {
        writes.commit();
        db.close();
      }
      return Promise.resolve();
    },
  };
};

const open = (file: string) => {
  const db = openDatabase(file, { format: deliveryStoreFormat, synchronous: 'full' });
  const places = placeKeeper(db);
  return { db, places, id: transaction(db, () => places.fact('store_id', () => randomUUID())), statements: prepareStatements(db) };
};

const finish = (statements: Statements, { deliveryId, attempt, next }: AttemptResult, holder: string): void => {
  const row = one<{ seq: number; attempts: string }>(statements.held.get(deliveryId, holder, attempt.number));
  if (row === undefined) return;
  const attempts = fromAttempts([...toAttempts(row.attempts).slice(0, -1), attempt]);
  const dueAt = next.status === 'due' ? next.dueAt : null;
  const reason = next.status === 'failed' || next.status === 'cancelled' ? next.reason : null;
  statements.finish.run(next.status, attempts, dueAt, next.status === 'due' ? null : attempt.finishedAt, reason, row.seq);
};

/** The border of decoding: the driver answers rows as plain records. */
const many = <Row>(rows: readonly unknown[]): readonly Row[] => rows as readonly Row[];
const one = <Row>(row: unknown): Row | undefined => row as Row | undefined;
