import { completeData } from '@refledger/contracts';
import type { LoggedEvent } from '@refledger/event-log';
import type { Adjustment, Affiliate, Conversion, Payout, PayoutRun } from '@refledger/testing';

/** A record whose events the writers cause. */
export type LoadRecord = Conversion | Adjustment | Affiliate | Payout | PayoutRun;

/** A record as of one of its events. */
export interface Version {
  readonly event: LoggedEvent;
  readonly record: LoadRecord;
  readonly deleted: boolean;
}

/** The id of the record that an event belongs to. */
export const idOf = (event: LoggedEvent): string => {
  const { conversion_id, adjustment_id, payout_id, run_id, affiliate_id } = dataOf(event);
  return conversion_id ?? adjustment_id ?? payout_id ?? run_id ?? affiliate_id;
};

/** The record as of its next event. */
export const nextVersion = (last: Version | undefined, event: LoggedEvent, id: string): Version => {
  const { after, totals } = dataOf(event);
  const at = event.metadata.recorded_at;
  const record = {
    ...(last?.record ?? { ...constantsOf(event, id), created_at: at }),
    ...after,
    ...(!event.type.startsWith('payout_run.') && { updated_at: at }),
    revision: event.revision,
    ...(event.type.endsWith('.approved') && { approved_at: at }),
    ...(totals && { totals: totals.map((sum) => ({ ...sum, amount: Number(sum.amount) })) }),
  };
  // every field of the record is listed above, in `constantsOf` or in `after`
  return {
    event,
    record: record as unknown as LoadRecord,
    deleted: event.type === 'affiliate.deleted',
  };
};

interface RecordData {
  readonly conversion_id?: string;
  readonly adjustment_id?: string;
  readonly payout_id?: string;
  readonly run_id?: string | null;
  readonly affiliate_id: string;
  readonly program_id: string;
  readonly amount?: number | string;
  readonly after?: Readonly<Record<string, unknown>>;
  /** The totals of a finished run. */
  readonly totals?: readonly { readonly amount: string }[];
}

// Decoding boundary: the `*.events.ts` of libs/contracts have the schemas of these events.
const dataOf = (event: LoggedEvent): RecordData => completeData(event) as RecordData;

/** The fields that the first event of a record holds besides the fields that the record shows. */
const notShown: Readonly<Record<string, readonly string[]>> = {
  'conversion.created': ['conversion_id', 'basis'],
  'adjustment.created': ['adjustment_id', 'reported_payable_on'],
  'payout.created': [
    'payout_id',
    'payout_number',
    'buckets',
    'reported_until',
    'ignore_minimum',
    'partial',
    'even_if_not_approved',
  ],
  'payout_run.started': ['run_id', 'reported_until'],
};

/** The fields that the first event of a record holds, and those that start as null. */
const constantsOf = (event: LoggedEvent, id: string): object => {
  const { after: _after, ...data } = dataOf(event);
  const hidden = notShown[event.type] ?? [];
  const shown = Object.fromEntries(Object.entries(data).filter(([name]) => !hidden.includes(name)));
  switch (event.type) {
    case 'conversion.created':
      return { id, object: 'conversion', ...shown, payout_id: null, approved_at: null };
    case 'adjustment.created':
      return { id, object: 'adjustment', ...shown };
    case 'payout.created':
      return { id, object: 'payout', ...shown, amount: Number(data.amount) };
    case 'payout_run.started':
      return { id, object: 'payout_run', ...shown, totals: [] };
    default:
      return { id, object: 'affiliate', program_id: data.program_id, approved_at: null };
  }
};
