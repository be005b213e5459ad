import { derivedId, newCommandId, toInstant, type Position } from '@refledger/contracts';
import type { PublishedRecord } from '@refledger/event-bus';
import fc from 'fast-check';
import { deliveryBody, recordedAt } from './delivery-body.js';

it('has the time at which its event was recorded, whatever the record contains', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
      fc.string(),
      (at, name) => {
        const record = { name: `"timestamp":"${name}"` } as unknown as PublishedRecord['record'];
        const body = deliveryBody({
          eventId: newCommandId(),
          type: 'affiliate.created',
          accountId: derivedId('account', 'a'),
          key: 'k',
          position: '1' as Position,
          revision: 0,
          timestamp: toInstant(at.getTime()),
          record,
        });
        expect(recordedAt(body)).toBe(at.getTime());
      },
    ),
  );
});
