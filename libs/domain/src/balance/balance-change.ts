import type { PayoutId, SourceCheckpoint, StoredBucket } from '@refledger/contracts';
import type { BalanceKey, BalanceDelta } from './owed.js';

/** The common part of every change to a balance: its cause, and the log time there. */
interface ChangeCause {
  readonly source: SourceCheckpoint;
  readonly posted_at: string;
}

/** A change in what is owed. */
export interface BalancePosting extends BalanceDelta, ChangeCause {}

/** The end of a payout, which settles or releases what it had reserved. */
export interface PayoutEnd extends ChangeCause {
  readonly about: BalanceKey;
  /**
   * It was skipped and no longer is, so later sources may have been posted before it. The payout
   * alone says whether it was posted.
   */
  readonly isLifted?: true;
  readonly payout: {
    readonly payout_id: PayoutId;
    /** A sum in the minor unit of the currency, as decimal text. */
    readonly amount: string;
  } & (
    | { readonly became: 'completed' }
    | { readonly became: 'failed' | 'canceled'; readonly buckets: readonly StoredBucket[] }
    /** The reservation, which `source` names, can never become a payout. */
    | { readonly became: 'void'; readonly buckets: readonly StoredBucket[] }
  );
}

/** A change that posting makes to a balance. */
export type BalanceChange = BalancePosting | PayoutEnd;
