import { randomUUID } from 'node:crypto';
import { derivedId, noCommission, streams, type ConversionFields } from '@refledger/contracts';
import { encodeEvent, type EventLog } from '@refledger/event-log';
import { rateOf } from '../event-log/sample-events.js';

/** Events per sale. */
export const eventsOfSale = 20;

/**
 * Appends the events of sales: each sale is created and then changed repeatedly. Resolves to sales
 * per second.
 */
export const appendSales = (log: EventLog, count: number): Promise<unknown> =>
  rateOf(count, 64, (n) => {
    const conversion_id = derivedId('conversion', randomUUID());
    const about = {
      conversion_id,
      affiliate_id: derivedId('affiliate', String(n % 1_000)),
      program_id: 'prog_bench' as const,
      sale_currency: 'USD',
      occurred_at: '2026-01-31T09:30:00.000Z',
      payable_on: '2026-01-31',
      external_transaction_id: `order-${n}`,
    };
    const fieldsAfter = (change: number): ConversionFields => ({
      status: 'pending',
      sale_amount: 10_000 + change,
      refunded_amount: 0,
      commission_amount: 1_000,
      commission: noCommission,
      reason: null,
      metadata: { campaign: 'spring', device: 'phone' },
      payout_id: null,
    });
    const basis = { reported_occurred_at: null, terms: null, first_occurred_at: null };
    const metadata = {
      account_id: derivedId('account', 'bench'),
      actor: 'bench',
      request_id: 'bench',
      recorded_at: new Date().toISOString(),
    };
    const created = encodeEvent(
      { type: 'conversion.created', data: { ...about, basis, after: fieldsAfter(0) } },
      randomUUID(),
      metadata,
    );
    const updated = Array.from({ length: eventsOfSale - 1 }, (_, change) =>
      encodeEvent(
        {
          type: 'conversion.updated',
          data: { ...about, before: fieldsAfter(change), after: fieldsAfter(change + 1) },
        },
        randomUUID(),
        metadata,
      ),
    );
    return log.append(streams.conversion(conversion_id), [created, ...updated], 'no stream');
  });
