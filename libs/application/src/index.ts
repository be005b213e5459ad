export { AffiliateCommands } from './affiliates/affiliate-commands.js';
export { claimedAppend } from './claims/claimed-append.js';
export { newContext, type AccountContext } from './command-context.js';
export { CommandHandler, type Run } from './command-handler.js';
export { Consistency, type Reader, type ReadWaits } from './consistency/consistency.js';
export { RecordHistory } from './history/record-history.js';
export type { PastChange, RecordStream, Revisions } from './history/record-history.js';
export type { Outcome } from './outcome.js';
export { foldStream, snapshotsFor, type Snapshot } from './snapshots.js';
