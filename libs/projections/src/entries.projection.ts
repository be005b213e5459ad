import {
  accountOf,
  entryList,
  entryListByTime,
  publicEventId,
  type BalanceEvent,
  type EntryRecord,
  type RecordedEvent,
} from '@refledger/contracts';
import { entryIdOf } from '@refledger/domain';
import type { IndexSpec } from '@refledger/read-store';
import { paddedPosition } from './padded-position.js';
import { indexesOf, projectionOf, type RecordDocument } from './projection.js';

/** Finds the lines of a payout: entries of one balance and day, by their numbers. */
const byBucket: IndexSpec = { fields: ['balance_id', 'payable_on', 'number'] };

/** The entries of every balance, as the API lists them. An entry never changes. */
export const entriesProjection = projectionOf<'balance', EntryDocument>(['balance'], {
  name: 'entries',
  version: 3,
  collections: [
    {
      name: 'entries',
      indexes: [...indexesOf(entryList), ...indexesOf(entryListByTime), byBucket],
    },
  ],
  keysOf: ({ type, data }) =>
    type === 'balance.posted'
      ? [
          {
            collection: 'entries',
            id: entryIdOf(data.balance_id, data.number),
            begins: true,
            isFinal: true,
          },
        ]
      : [],
  evolve: (_, event) =>
    isPosted(event)
      ? {
          account_id: accountOf(event),
          position: paddedPosition(event.position),
          record: recordOf(event),
        }
      : undefined,
});

interface EntryDocument extends RecordDocument<EntryRecord> {
  /** Padded: it orders the lists. */
  readonly position: string;
}

type PostedEvent = RecordedEvent & Extract<BalanceEvent, { type: 'balance.posted' }>;

const isPosted = (event: RecordedEvent<BalanceEvent>): event is PostedEvent =>
  event.type === 'balance.posted';

/** An entry's payout can change, so `payout_ranges` has it, and reads fill it in. */
const recordOf = ({ data, position, metadata }: PostedEvent): EntryRecord => ({
  id: entryIdOf(data.balance_id, data.number),
  object: 'entry',
  number: data.number,
  balance_id: data.balance_id,
  affiliate_id: data.affiliate_id,
  program_id: data.program_id,
  currency: data.currency,
  kind: data.kind,
  amount: data.amount,
  payable_on: data.payable_on,
  conversion_id: data.conversion_id,
  adjustment_id: data.adjustment_id,
  description: data.description,
  payout_id: null,
  caused_by: publicEventId(data.source.event_id),
  posted_at: data.posted_at,
  created_at: metadata.recorded_at,
  position,
});
