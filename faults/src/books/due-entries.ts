import { publicEventId } from '@refledger/contracts';
import type { Adjustment, Conversion, Entry } from '@refledger/testing';
import type { History, Version } from '../history.js';

/** An entry that a version of a conversion or an adjustment must have caused. */
export interface DueEntry extends Pick<
  Entry,
  | 'affiliate_id'
  | 'program_id'
  | 'currency'
  | 'kind'
  | 'amount'
  | 'payable_on'
  | 'conversion_id'
  | 'adjustment_id'
  | 'description'
  | 'caused_by'
  | 'number'
> {
  readonly recordedAt: string;
  /** The position of the event that causes it. */
  readonly causedAt: bigint;
}

/** The entries that follow from a history by the contract's text, by the event that causes them. */
export const dueEntriesOf = ({
  versions,
}: Pick<History, 'versions'>): ReadonlyMap<string, DueEntry> => {
  const due = [...versions.values()]
    .flatMap((all) => all.flatMap((version, index) => dueTo(version, all[index - 1])))
    .toSorted((a, b) => (a.causedAt < b.causedAt ? -1 : 1));
  const numbers = new Map<string, number>();
  return new Map(
    due.map((entry): [string, DueEntry] => {
      const number = (numbers.get(balanceOf(entry)) ?? 0) + 1;
      numbers.set(balanceOf(entry), number);
      return [entry.caused_by, { ...entry, number }];
    }),
  );
};

/** An affiliate has one balance per currency. */
export const balanceOf = ({
  affiliate_id,
  currency,
}: Pick<Entry, 'affiliate_id' | 'currency'>): string => `${affiliate_id} ${currency}`;

type UnnumberedEntry = Omit<DueEntry, 'number'>;

const dueTo = (version: Version, before: Version | undefined): readonly UnnumberedEntry[] => {
  const { record, event } = version;
  if (record.object !== 'conversion' && record.object !== 'adjustment') return [];
  const [was, is] = [owed(before), owed(version)];
  if (was === is) return [];
  const about = record.object === 'conversion' ? conversionAbout(record) : adjustmentAbout(record);
  return [
    {
      ...about,
      affiliate_id: record.affiliate_id,
      program_id: record.program_id,
      payable_on: record.payable_on,
      kind: record.object === 'conversion' ? kindOf(was, is) : kindOfAdjustment(record),
      amount: is - was,
      caused_by: publicEventId(event.id),
      recordedAt: event.metadata.recorded_at,
      causedAt: BigInt(event.position),
    },
  ];
};

/** The value of a conversion or an adjustment to its affiliate as of a version. */
const owed = (version: Version | undefined): number => {
  const record = version?.record;
  switch (record?.object) {
    case 'conversion':
      return record.status === 'approved' ? record.commission_amount : 0;
    case 'adjustment':
      return record.status === 'posted' ? record.amount : 0;
    case 'affiliate':
    case 'payout':
    case 'payout_run':
    case undefined:
      return 0;
  }
};

const kindOf = (was: number, is: number): Entry['kind'] => {
  if (was === 0) return 'commission';
  return is === 0 ? 'reversal' : 'correction';
};

const kindOfAdjustment = ({ status }: Adjustment): Entry['kind'] =>
  status === 'voided' ? 'adjustment_void' : 'adjustment';

const conversionAbout = ({ id, sale_currency }: Conversion) => ({
  currency: sale_currency,
  conversion_id: id,
  adjustment_id: null,
  description: null,
});

const adjustmentAbout = ({ id, currency, description }: Adjustment) => ({
  currency,
  conversion_id: null,
  adjustment_id: id,
  description,
});
