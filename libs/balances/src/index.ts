export {
  ErasureProcessor,
  erasuresName,
  erasuresProgress,
  type ErasureProcessorOptions,
} from './erasures/erasure-processor.js';
export { OpenPayouts } from './payouts/open-payouts.js';
export { auditBalances } from './audit/audit.js';
export { BalanceReader, type ChapterRange, type LoadedBalance } from './balance-reader.js';
export { ledgerParts } from './ledger-parts.js';
export { Payouts, type CreatedPayout } from './payouts/payouts.js';
export { Posting, type PostingOptions, type PostingStatus } from './posting/posting.js';
export { postingProjection, readPostedThrough } from './posting/posting-progress.js';
export { previewPayout, type PreviewedPayout } from './runs/preview-payout.js';
export { openBalances, type BalanceCursor } from './runs/run-balances.js';
export * from './runs/payout-runs.js';
export * from './paid-status/paid-status.js';
export { postingName } from '@refledger/domain';
