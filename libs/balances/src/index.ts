export { auditBalances } from './audit/audit.js';
export { BalanceReader, type ChapterRange, type LoadedBalance } from './balance-reader.js';
export { ledgerParts } from './ledger-parts.js';
export { Payouts, type CreatedPayout } from './payouts/payouts.js';
export { Posting, type PostingOptions, type PostingStatus } from './posting/posting.js';
export { postingProjection, readPostedThrough } from './posting/posting-progress.js';
export { previewPayout, type PreviewedPayout } from './runs/preview-payout.js';
export { openBalances, type BalanceCursor } from './runs/run-balances.js';
export {
  PayoutRuns,
  payoutRunsName,
  payoutRunsProgress,
  type PayoutRunsOptions,
} from './runs/payout-runs.js';
export { PaidTrail, paidTrailName, paidTrailProjection } from './trail/paid-trail.js';
export type { PaidTrailOptions, TrailBatch } from './trail/paid-trail.js';
export { postingName } from '@refledger/domain';
