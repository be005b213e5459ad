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
export { PaidStatus, paidStatusName, paidStatusProjection } from './paid-status/paid-status.js';
export type { PaidStatusOptions, PaidStatusBatch } from './paid-status/paid-status.js';
export { postingName } from '@refledger/domain';
