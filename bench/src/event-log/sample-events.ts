import { randomUUID } from 'node:crypto';
import type { StreamName } from '@refledger/contracts';
import type { EventLog, NewEvent } from '@refledger/event-log';

/** An event about as large as the event of a sale. */
export const sampleEvent = (n: number): NewEvent => ({
  id: randomUUID(),
  type: 'conversion.created',
  data: {
    conversion_id: `conv_${n}`,
    affiliate_id: 'aff_0123456789abcdefghij',
    program_id: 'default',
    sale_currency: 'USD',
    external_transaction_id: `order-${n}`,
    after: {
      status: 'pending',
      sale_amount: 10_000 + n,
      commission_amount: 1_000,
      reason: null,
      metadata: { campaign: 'spring', device: 'phone' },
    },
  },
  metadata: {
    account_id: 'acct_0123456789abcdefghij',
    actor: 'key_0123456789abcdefghij',
    request_id: randomUUID(),
    schema: 1,
    recorded_at: '2026-01-31T09:30:00.000Z',
  },
});

/** The name of a new stream. */
export const sampleStream = (): StreamName => `refledger.bench-${randomUUID()}`;

/** Calls per second, `concurrency` of them at a time. */
export const rateOf = async (
  count: number,
  concurrency: number,
  append: (n: number) => Promise<unknown>,
): Promise<number> => {
  let next = 0;
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < count) await append(next++);
    }),
  );
  return count / ((performance.now() - begin) / 1_000);
};

/** Fills a log with events, a hundred per stream. */
export const fill = async (log: EventLog, count: number): Promise<void> => {
  await rateOf(count / 100, 8, (n) =>
    log.append(
      sampleStream(),
      Array.from({ length: 100 }, (_, k) => sampleEvent(100 * n + k)),
      'no stream',
    ),
  );
};
