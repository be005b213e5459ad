import type { RedeliveryKey } from '../redelivery-key.js';
import type { DeliveryTables, SynchronousStore } from './delivery-tables.js';
import { inserter } from './planning.js';
import type { Statements } from './statements.js';

export const requests = ({ statements, counted }: DeliveryTables) =>
  ({
    request: (delivery, now, key) =>
      counted((tally) => {
        if (key !== undefined && isUsed(statements, key)) return false;
        const isNew = inserter(statements, { holder: null, leaseUntil: null, now })(delivery);
        if (!isNew) return false;
        if (key !== undefined) statements.insertKey.run({ ...key, answered: delivery.id });
        tally.move(delivery.endpointId, undefined, delivery.status);
        statements.noteRequest.run(delivery.endpointId);
        return true;
      }),

    makeDue(delivery, now, key) {
      if (statements.unfinishedOne.get(delivery) === undefined) return false;
      if (key !== undefined) {
        if (isUsed(statements, key)) return false;
        statements.insertKey.run({ ...key, answered: delivery });
      }
      const madeDue = statements.makeDue.get({ delivery, now });
      if (madeDue !== undefined) statements.noteRequest.run(madeDue.endpointId);
      return true;
    },

    answeredKey: (id) => statements.answeredKey.get(id),

    answeredKeys: (answered) => statements.answeredKeys.all(JSON.stringify(answered)),

    cancelWaiting: (delivery, reason, now) =>
      counted((tally) => {
        const canceled = statements.cancelDue.get(now, reason, delivery, 'waiting');
        if (canceled === undefined) return false;
        tally.move(canceled.endpointId, 'waiting', 'canceled');
        return true;
      }),

    takeRequested() {
      const endpoints = statements.requested.all().map(({ id }) => id);
      for (const endpoint of endpoints) statements.clearRequest.run(endpoint);
      return endpoints;
    },

    recoveries: (deliveries) =>
      deliveries.map(
        ({ eventId, endpointId, createdAt }) =>
          statements.recovery.get(eventId, endpointId, createdAt)?.id,
      ),
  }) satisfies Partial<SynchronousStore>;

const isUsed = ({ answeredKey }: Statements, { id }: RedeliveryKey): boolean =>
  answeredKey.get(id) !== undefined;
