import type { EntryRecord, PayoutId, Position } from '@refledger/contracts';
import {
  entriesProjection,
  payoutRangesProjection,
  type PayoutRangeDocument,
} from '@refledger/projections';
import type { Document, ReadResult, Query } from '@refledger/read-store';
import { reflectedByAll, type MoneyReads } from '../money-reads.js';

/** The read models from which entries are shown. */
export const entryProjections = [entriesProjection, payoutRangesProjection];

/** Entries as the API shows them, and the position that they reflect. */
export interface ShownEntries {
  readonly records: readonly EntryRecord[];
  readonly position: Position | undefined;
}

/** The entries in documents of the read model; a decoding boundary: the projection wrote them. */
export const entriesIn = (documents: readonly Document[]): readonly EntryRecord[] =>
  documents.map(({ record }) => record as unknown as EntryRecord);

/** Fills in the payouts that hold these entries, with one concurrent lookup for each. */
export const showEntries = async (
  money: Pick<MoneyReads, 'find'>,
  { value: entries, position }: ReadResult<readonly EntryRecord[]>,
): Promise<ShownEntries> => {
  const payouts = await Promise.all(entries.map((entry) => payoutOf(money, entry)));
  return {
    records: entries.map((entry, index) => ({
      ...entry,
      payout_id: payouts[index]?.value ?? null,
    })),
    position: reflectedByAll([{ position }, ...payouts]),
  };
};

/** The live payout that holds an entry; null if none does. */
const payoutOf = async (
  money: Pick<MoneyReads, 'find'>,
  entry: EntryRecord,
): Promise<ReadResult<PayoutId | null>> => {
  const { value, position } = await money.find(payoutRangesProjection, lastRangeUpTo(entry));
  // a decoding boundary: the projection wrote these documents
  const [range] = value as readonly PayoutRangeDocument[];
  const isHeld = range !== undefined && range.to >= entry.number;
  return { value: isHeld ? range.payout_id : null, position };
};

const lastRangeUpTo = ({ balance_id, payable_on, number }: EntryRecord): Query => ({
  where: [
    { field: 'balance_id', equals: balance_id },
    { field: 'payable_on', equals: payable_on },
    { field: 'from', before: number + 1 },
  ],
  order: { fields: ['from'], descending: true },
  limit: 1,
});
