import type { ConversionEvent, PaidPart, PayoutId } from '@refledger/contracts';
import {
  type PaidHistory,
  type RecordedConversion,
  aboutOf,
  fieldsOf,
} from './conversion-state.js';

/**
 * Returns the event after the completion of a payout that paid for a conversion. There is none if
 * that event was recorded before, or if the event of a later payout was: the payouts of a balance
 * are numbered. So a repeated completion has no effect, whatever has happened since.
 */
export const paidBy = (part: PaidPart, recorded: RecordedConversion): ConversionEvent[] => {
  const { payout_id, payout_number } = part;
  if (payout_number <= (recorded.paidHistory.lastPaid?.payout_number ?? 0)) return [];
  return [{ type: 'conversion.paid', data: paidEventData(recorded, part, payout_id) }];
};

/**
 * Returns the event after the money of a payout came back. There is none unless the conversion
 * shows this payout.
 */
export const unpaidBy = (payout_id: PayoutId, recorded: RecordedConversion): ConversionEvent[] => {
  const { lastPaid } = recorded.paidHistory;
  if (recorded.record.payout_id !== payout_id || lastPaid === undefined) return [];
  return [{ type: 'conversion.unpaid', data: paidEventData(recorded, lastPaid, null) }];
};

/** Returns the paid history of a conversion after an event. */
export const paidHistoryAfter = (
  { lastPaid, events }: PaidHistory = { lastPaid: undefined, events: 0 },
  { type, data }: ConversionEvent,
): PaidHistory => {
  switch (type) {
    case 'conversion.paid': {
      const { payout_id, payout_number, amount } = data;
      return { lastPaid: { payout_id, payout_number, amount }, events: events + 1 };
    }
    case 'conversion.unpaid':
      return { lastPaid, events: events + 1 };
    case 'conversion.created':
    case 'conversion.updated':
    case 'conversion.approved':
    case 'conversion.rejected':
    case 'conversion.refunded':
      return { lastPaid, events };
  }
};

const paidEventData = (
  recorded: RecordedConversion,
  part: PaidPart,
  payout_id: PayoutId | null,
) => {
  const before = fieldsOf(recorded.record);
  return { ...aboutOf(recorded), ...part, before, after: { ...before, payout_id } };
};
