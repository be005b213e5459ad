export { auditBalances } from './audit/audit.js';
export { BalanceReader, type LoadedBalance } from './balance-reader.js';
export { Posting, type PostingOptions, type PostingStatus } from './posting/posting.js';
export { postingName, postingProjection, readPostedThrough } from './posting/posting-progress.js';
