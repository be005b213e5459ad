import { streams, type PayoutEvent, type PayoutId } from '@refledger/contracts';
import {
  payoutDecider,
  payoutRecord,
  type PayoutState,
  type UpdatePayoutCommand,
} from '@refledger/domain';
import type { ChangedKind } from '../record-changes.js';

/** How payouts are read and changed. */
export const payoutRecords: ChangedKind<
  'payout',
  PayoutId,
  UpdatePayoutCommand,
  PayoutState,
  PayoutEvent
> = {
  kind: 'payout',
  stream: (id) => streams.payout(id),
  decider: payoutDecider,
  recordOf: payoutRecord,
};
