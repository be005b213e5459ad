import type { ConversionFields, ConversionRecord } from '@refledger/contracts';
import type { RecordedConversion } from './conversion-state.js';

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

/**
 * Returns what every event says about its conversion. Events of old conversions lack the times, but
 * their records have them.
 */
export const aboutOf = ({
  record: { occurred_at, payable_on },
  created: { basis: _basis, after: _after, ...about },
}: Pick<RecordedConversion, 'record' | 'created'>) => ({ ...about, occurred_at, payable_on });
