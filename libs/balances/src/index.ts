export { auditBalances, type AuditFinding } from './audit/audit.js';
export { BalanceReader, type LoadedBalance } from './balance-reader.js';
export { ledgerName } from './balance-writer.js';
export { Posting, type PostingOptions, type PostingStatus } from './posting/posting.js';
export {
  postingName,
  postingProjection,
  readPostedThrough,
  type PostedThrough,
} from './posting/posting-progress.js';
