import type {
  ConversionRecord,
  PaidPart,
  TermsInForce,
  ConversionFields,
} from '@refledger/contracts';
import type { ConversionCreated } from './conversion-record.js';

/** A conversion as folded from its events. */
export type ConversionState = { readonly kind: 'none' } | RecordedConversion;

/** A conversion that was recorded, with the data of its first event. */
export interface RecordedConversion {
  readonly kind: 'recorded';
  readonly record: ConversionRecord;
  readonly created: ConversionCreated['data'];
  /** The terms that it was recorded with, or took later. Once it has terms, they never change. */
  readonly terms: TermsInForce | null;
  readonly paidHistory: PaidHistory;
}

/** The payouts that have been recorded on a conversion. */
export interface PaidHistory {
  /** The last payout that paid it, even if that payout failed later. */
  readonly lastPaid: PaidPart | undefined;
  /** The number of these events. They do not count toward the revision limit. */
  readonly events: number;
}

/** Returns the fields of a record that events can change. */
export const fieldsOf = (record: ConversionRecord): ConversionFields => ({
  status: record.status,
  sale_amount: record.sale_amount,
  refunded_amount: record.refunded_amount,
  commission_amount: record.commission_amount,
  commission: record.commission,
  reason: record.reason,
  metadata: record.metadata,
  payout_id: record.payout_id,
});

/** Returns what every event says about its conversion. */
export const aboutOf = ({
  created: { basis: _basis, after: _after, ...about },
}: Pick<RecordedConversion, 'created'>) => about;
