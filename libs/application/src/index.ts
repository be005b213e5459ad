export { createAccount } from './accounts/create-account.js';
export { AdjustmentCommands } from './adjustments/adjustment-commands.js';
export { affiliateOf } from './affiliates/affiliate-of.js';
export { AffiliateCommands } from './affiliates/affiliate-commands.js';
export { Claims } from './claims/claims.js';
export { Erasures, type ErasureProgress, type ErasuresParts } from './affiliates/erasures.js';
export { accountOfApiKey, hashOfApiKey, newApiKey } from './api-keys/api-key.js';
export { ApiKeys } from './api-keys/api-keys.js';
export { bootstrap, type LoadOrCreateFirstKey } from './api-keys/bootstrap.js';
export { claimedAppend } from './claims/claimed-append.js';
export { newContext, type AccountContext } from './command-context.js';
export { CommandHandler, type Run } from './command-handler.js';
export { Consistency, type Reader, type ReadWaits } from './consistency/consistency.js';
export {
  asLedgerBehind,
  LedgerConsistency,
  type PostedThrough,
  type PostingReads,
} from './consistency/ledger-consistency.js';
export { destroyKey } from './personal-keys/destroy-key.js';
export { erasedEvent, erasedType, type ErasedEvent } from './personal-keys/erased-event.js';
export { openKeyReaderLazily, openKeysLazily } from './personal-keys/lazy-key-store.js';
export {
  openExistingKeysOfLog,
  openKeyReaderOfLog,
  openKeysOfLog,
  openStoredKeysOfLog,
  recordedKeyStore,
} from './personal-keys/open-keys-of-log.js';
export { restoreErasure, restoreErasures } from './personal-keys/restore-erasures.js';
export { appliedUpTo, withErasures } from './personal-keys/unapplied-erasures.js';
export { PayoutRunCommands } from './payout-runs/payout-run-commands.js';
export { ConversionCommands } from './conversions/conversion-commands.js';
export { Quotes } from './conversions/quotes.js';
export { ThrottledReads } from './history/throttled-reads.js';
export { PositionsAtTimes, type Marks } from './history/positions-at-times.js';
export { RecordHistory } from './history/record-history.js';
export type { PastChange, PastRecord, Revisions } from './history/record-history.js';
export { KeyedMutex } from './keyed-mutex.js';
export type { Outcome } from './outcome.js';
export { Throttle } from './throttle.js';
export { foldStream, snapshotsFor, type Snapshot } from './snapshots.js';
