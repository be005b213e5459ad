import fc from 'fast-check';
import type { PublishedRecord } from '../../event-bus.js';
import { inTransactions, type EncodedRecord } from './transactions.js';

const publishing = (bytes: number): EncodedRecord => ({
  record: {} as PublishedRecord,
  message: { value: 'x'.repeat(bytes) } as EncodedRecord['message'],
});

it('transactions are limited in bytes, unless a single message is larger, and keep the order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 5_000 })), (sizes) => {
      const all = sizes.map(publishing);
      const parts = [...inTransactions(all, 4_000)];
      expect(parts.flatMap(({ part }) => part)).toEqual(all);
      for (const { part } of parts)
        if (part.length > 1)
          expect(
            part.reduce((sum, { message }) => sum + message.value.length, 0),
          ).toBeLessThanOrEqual(4_000);
      expect(parts.map(({ isLast }) => isLast)).toEqual([...parts.slice(1).map(() => false), true]);
    }),
  );
});
