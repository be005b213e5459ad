import { randomUUID } from 'node:crypto';
import type { DeliveryId, EndpointId, Position } from '@refledger/contracts';
import type { BusPlace } from '@refledger/event-bus';
import type { Database } from '@refledger/sqlite';
import type {
  AttemptResult,
  Delivery,
  DeliveryStatus,
  DeliveryStore,
  Lease,
  Plan,
  UnfinishedDelivery,
} from '../delivery-store.js';
import { countKeeper, Tally } from './counts.js';
import { placeKeeper } from './places.js';
import {
  begun,
  fromAttempts,
  toAttempts,
  toDelivery,
  toUnfinished,
  type DeliveryRow,
} from './rows.js';
import { prepareStatements } from './statements.js';

/** What the port asks, over one connection: synchronous, and within the transaction of its caller. */
export const deliveryFile = (db: Database) => {
  const statements = prepareStatements(db);
  const places = placeKeeper(db);
  const counts = countKeeper(db);

  const counted = <T>(work: (tally: Tally) => T): T => {
    const tally = new Tally();
    const value = work(tally);
    counts.write(tally);
    return value;
  };

  return {
    id: (): string => places.fact('store_id', randomUUID),
    place: (partition: string): BusPlace | undefined => places.get(partition),
    places: (): readonly BusPlace[] => places.all(),
    floor: (): Position | undefined => places.floor(),
    resetPlaces: (all: readonly BusPlace[], floor: Position | undefined): void =>
      places.reset(all, floor),

    plan: (
      { deliveries, place, floor }: Plan,
      { holder, leaseUntil, now: at }: Lease,
    ): readonly DeliveryId[] =>
      counted((tally) => {
        const inserted: DeliveryId[] = [];
        const firstAttempt = fromAttempts([begun(1, at)]);
        for (const {
          id,
          accountId,
          endpointId,
          eventId,
          eventType,
          position,
          body,
          status,
        } of deliveries) {
          const started = status === 'started';
          const { changes, lastInsertRowid } = statements.insert.run(
            id,
            accountId,
            endpointId,
            eventId,
            eventType,
            position,
            status,
            started ? 1 : 0,
            started ? firstAttempt : '[]',
            started ? holder : null,
            started ? leaseUntil : null,
            started ? null : at,
            at,
          );
          if (changes === 0) continue;
          statements.insertBody.run(lastInsertRowid, Buffer.from(body));
          tally.move(endpointId, undefined, status);
          inserted.push(id);
        }
        places.raise(place);
        places.raiseFloor(floor);
        return inserted;
      }),

    takeDue: (
      endpoint: EndpointId,
      limit: number,
      { holder, leaseUntil, now: at }: Lease,
    ): readonly Delivery[] =>
      counted((tally) => {
        const taken = many<DeliveryRow>(statements.due.all(endpoint, at, limit)).map(
          (row): Delivery => {
            const before = toAttempts(row.attempts);
            const attempts = [...before, begun(before.length + 1, at)];
            statements.start.run(
              attempts.length,
              fromAttempts(attempts),
              holder,
              leaseUntil,
              row.seq,
            );
            return { ...toDelivery(row), status: 'started', dueAt: null, attempts };
          },
        );
        tally.move(endpoint, 'due', 'started', taken.length);
        return taken;
      }),

    endpointsWithWork: (at: string): readonly EndpointId[] =>
      many<{ id: EndpointId }>(statements.endpointsWithWork.all(at, at)).map(({ id }) => id),
    nextDueAt: (after: string): string | undefined =>
      one<{ at: string | null }>(statements.nextDueAt.get(after, after))?.at ?? undefined,

    renew(deliveries: readonly DeliveryId[], { holder, leaseUntil }: Lease): void {
      for (const delivery of deliveries) statements.renew.run(leaseUntil, delivery, holder);
    },

    release: (
      deliveries: readonly DeliveryId[],
      { holder, now: at }: Pick<Lease, 'holder' | 'now'>,
    ): void =>
      counted((tally) => {
        for (const delivery of deliveries) {
          const row = one<{ endpoint_id: EndpointId }>(
            statements.release.get(at, delivery, holder),
          );
          if (row !== undefined) tally.move(row.endpoint_id, 'started', 'due');
        }
      }),

    recover: ({
      now: at,
      leftBy = null,
    }: {
      readonly now: string;
      readonly leftBy?: string | null;
    }): number =>
      counted((tally) => {
        const lost = many<{ seq: number; endpoint_id: EndpointId; attempts: string }>(
          statements.lost.all(at, leftBy),
        );
        for (const { seq, endpoint_id, attempts } of lost) {
          const closed = toAttempts(attempts).map((attempt) =>
            attempt.finishedAt === null
              ? { ...attempt, finishedAt: at, outcome: 'unknown' as const }
              : attempt,
          );
          statements.recover.run(at, fromAttempts(closed), seq);
          tally.move(endpoint_id, 'started', 'due');
        }
        return lost.length;
      }),

    waitAnew({ now, leaseUntil }: Pick<Lease, 'now' | 'leaseUntil'>): number {
      statements.shortenLeases.run({ leaseUntil });
      return Number(statements.waitAnew.run({ now }).changes);
    },

    finish: (results: readonly AttemptResult[], holder: string): void =>
      counted((tally) => {
        for (const { deliveryId, attempt, next } of results) {
          const dueAt = next.status === 'due' ? next.dueAt : null;
          const reason =
            next.status === 'failed' || next.status === 'cancelled' ? next.reason : null;
          const row = one<{ endpoint_id: EndpointId }>(
            statements.finish.get(
              next.status,
              JSON.stringify(attempt),
              dueAt,
              next.status === 'due' ? null : attempt.finishedAt,
              reason,
              deliveryId,
              holder,
              attempt.number,
            ),
          );
          if (row !== undefined) tally.move(row.endpoint_id, 'started', next.status);
        }
      }),

    /** Up to `limit` of them: the rest is for further calls. */
    cancel: (endpoint: EndpointId, reason: string, at: string, limit: number): number =>
      counted((tally) => {
        const cancelled = Number(statements.cancel.run(at, reason, endpoint, limit).changes);
        tally.move(endpoint, 'due', 'cancelled', cancelled);
        return cancelled;
      }),

    unfinished: (endpoint: EndpointId): readonly UnfinishedDelivery[] =>
      many<Pick<DeliveryRow, 'id' | 'event_id' | 'position'>>(
        statements.unfinished.all({ endpoint }),
      ).map(toUnfinished),
    cancelUnfinished: (deliveries: readonly DeliveryId[], reason: string, at: string): number =>
      counted((tally) => {
        let cancelled = 0;
        const move = (row: unknown, from: 'due' | 'started'): void => {
          const endpoint = one<{ endpoint_id: EndpointId }>(row)?.endpoint_id;
          if (endpoint === undefined) return;
          tally.move(endpoint, from, 'cancelled');
          cancelled++;
        };
        for (const delivery of deliveries) {
          move(statements.cancelDue.get(at, reason, delivery), 'due');
          move(statements.cancelStarted.get({ at, reason, delivery }), 'started');
        }
        return cancelled;
      }),

    get: (id: DeliveryId): Delivery | undefined =>
      many<DeliveryRow>(statements.get.all(id)).map(toDelivery)[0],
    list: ({
      endpointId,
      limit,
      after,
    }: Parameters<DeliveryStore['list']>[0]): readonly Delivery[] =>
      many<DeliveryRow>(statements.list.all({ endpointId, limit, after: after ?? null })).map(
        toDelivery,
      ),
    endpoints: (): readonly EndpointId[] => counts.endpoints(),
    counts: (endpoint?: EndpointId): Readonly<Record<DeliveryStatus, number>> =>
      counts.read(endpoint),

    expire: (before: string, limit: number): number =>
      counted((tally) => {
        const ended = many<{ seq: number; endpoint_id: EndpointId; status: DeliveryStatus }>(
          statements.ended.all(before, limit),
        );
        for (const { seq, endpoint_id, status } of ended) {
          statements.remove.run(seq);
          statements.removeBody.run(seq);
          tally.move(endpoint_id, status, undefined);
        }
        return ended.length;
      }),
  };
};

export type DeliveryFile = ReturnType<typeof deliveryFile>;

/** The border of decoding: the driver answers rows as plain records. */
const many = <Row>(rows: readonly unknown[]): readonly Row[] => rows as readonly Row[];
const one = <Row>(row: unknown): Row | undefined => row as Row | undefined;
