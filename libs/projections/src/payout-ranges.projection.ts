import {
  accountOf,
  type AccountId,
  type BalanceId,
  type PayoutEvent,
  type PayoutId,
  type RecordedEvent,
} from '@refledger/contracts';
import type { Document } from '@refledger/read-store';
import { projectionOf, type DocumentKey } from './projection.js';

/**
 * Which live payout (created, processing or completed) holds an entry: the ranges of entry numbers
 * that each one holds. Such ranges of a bucket never overlap. So the payout that holds an entry is
 * that of the range with the greatest `from` up to the entry's number, if its `to` is not less.
 *
 * The id of a range includes its payout, because another payout may take the same range after the
 * first one failed.
 */
export const payoutRangesProjection = projectionOf<'payout', PayoutRangeDocument>(['payout'], {
  name: 'payout_ranges',
  version: 1,
  collections: [{ name: 'ranges', indexes: [{ fields: ['balance_id', 'payable_on', 'from'] }] }],
  keysOf: (event) => {
    switch (event.type) {
      case 'payout.created':
        return keysOfRanges(event.data, true);
      case 'payout.failed':
      case 'payout.canceled':
        return keysOfRanges(event.data, false);
      case 'payout.processing':
      case 'payout.completed':
      case 'payout.updated':
        return [];
    }
  },
  evolve: (_, event, { id }) => (event.type === 'payout.created' ? rangeOf(event, id) : null),
});

/** A range of the entries of one bucket that a live payout holds. */
export interface PayoutRangeDocument extends Document {
  readonly account_id: AccountId;
  readonly balance_id: BalanceId;
  /** The day of the bucket. */
  readonly payable_on: string;
  /** The number of its first entry. */
  readonly from: number;
  /** The number of its last entry. */
  readonly to: number;
  readonly payout_id: PayoutId;
}

type Data<K extends PayoutEvent['type']> = Extract<PayoutEvent, { type: K }>['data'];

const keysOfRanges = (
  { payout_id, buckets }: Data<'payout.created' | 'payout.failed' | 'payout.canceled'>,
  begins: boolean,
): readonly DocumentKey[] =>
  buckets.flatMap(({ payable_on, ranges }) =>
    ranges.map(({ from, to }) => ({
      collection: 'ranges',
      id: `${payout_id}@${payable_on}@${from}@${to}`,
      begins,
    })),
  );

/** The range is read from the id, to avoid searching an event that may have thousands of ranges. */
const rangeOf = (event: RecordedEvent & { data: Data<'payout.created'> }, id: string) => {
  const [, payable_on = '', from, to] = id.split('@');
  const { balance_id, payout_id } = event.data;
  return {
    account_id: accountOf(event),
    balance_id,
    payable_on,
    from: Number(from),
    to: Number(to),
    payout_id,
  };
};
