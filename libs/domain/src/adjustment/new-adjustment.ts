import type { AdjustmentId, NewAdjustment } from '@refledger/contracts';
import { lastAffiliateRecord } from '../affiliate/affiliate.aggregate.js';
import type { AffiliateState } from '../affiliate/affiliate.decider.js';
import { affiliateNotFound } from '../affiliate/active-affiliate.js';
import { requireMinorUnit } from '../minor-unit.js';
import type { AdjustmentCreated } from './adjustment-record.js';
import { payableDay } from './payable-day.js';
import { normalized } from './sent-adjustment.js';

/** An adjustment to be created, and everything that its decision depends on. */
export interface CreateAdjustment {
  readonly type: 'create';
  readonly adjustment_id: AdjustmentId;
  /** The affiliate that it names; `none` when it belongs to another account. */
  readonly affiliate: AffiliateState;
  readonly adjustment: NewAdjustment;
  readonly recordedAt: string;
}

/**
 * Returns the event of a new adjustment. The affiliate may have any status, or be deleted: what it
 * is owed stays owed.
 */
export const newAdjustment = ({
  adjustment_id,
  affiliate: affiliateState,
  adjustment,
  recordedAt,
}: CreateAdjustment): AdjustmentCreated => {
  const { affiliate_id, payable_on, metadata, ...details } = normalized(adjustment);
  requireMinorUnit('currency', details.currency);
  const payableOn = payableDay(payable_on, recordedAt);
  const affiliate = lastAffiliateRecord(affiliateState);
  if (affiliate === undefined) throw affiliateNotFound(affiliate_id);
  return {
    type: 'adjustment.created',
    data: {
      adjustment_id,
      affiliate_id: affiliate.id,
      program_id: affiliate.program_id,
      ...details,
      payable_on: payableOn,
      reported_payable_on: payable_on,
      after: { status: 'posted', metadata, reason: null },
    },
  };
};
