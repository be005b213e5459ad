import type { DeliveryTables, SynchronousStore } from './delivery-tables.js';
import type { EndpointRow } from './statements.js';

/** The calls that hold or cancel deliveries that have not ended. */
export const canceling = ({ statements, counted }: DeliveryTables) =>
  ({
    holdSome: (endpoint, decidedBelow, limit) =>
      counted((tally) => {
        const { changes } = statements.hold.run(endpoint, BigInt(decidedBelow), limit);
        tally.move(endpoint, 'waiting', 'held', Number(changes));
        return Number(changes);
      }),

    holdSomeRetries: (endpoint, now, limit) =>
      counted((tally) => {
        const { changes } = statements.holdRetries.run(endpoint, now, limit);
        tally.move(endpoint, 'waiting', 'held', Number(changes));
        return Number(changes);
      }),

    cancelSome: (endpoint, { decidedBelow, trigger = null, reason, now }, limit) =>
      counted((tally) => {
        const which = { endpoint, below: BigInt(decidedBelow), trigger, reason, now };
        const waiting = Number(statements.cancelWaiting.run({ ...which, limit }).changes);
        const held = Number(
          statements.cancelHeld.run({ ...which, limit: limit - waiting }).changes,
        );
        tally.move(endpoint, 'waiting', 'canceled', waiting);
        tally.move(endpoint, 'held', 'canceled', held);
        return waiting + held;
      }),

    lowerDecidedAt(deliveries, to) {
      for (const delivery of deliveries) statements.lowerDecidedAt.run(BigInt(to), delivery);
    },

    unfinished: (endpoint) => statements.unfinished.all({ endpoint }),

    cancelUnfinished: (deliveries, reason, now) =>
      counted((tally) => {
        let canceled = 0;
        const move = (row: EndpointRow | undefined, from: 'waiting' | 'held' | 'sending'): void => {
          if (row === undefined) return;
          tally.move(row.endpointId, from, 'canceled');
          canceled++;
        };
        for (const delivery of deliveries) {
          for (const from of ['waiting', 'held'] as const)
            move(statements.cancelDue.get(now, reason, delivery, from), from);
          move(statements.cancelStarted.get({ at: now, reason, delivery }), 'sending');
        }
        return canceled;
      }),
  }) satisfies Partial<SynchronousStore>;
