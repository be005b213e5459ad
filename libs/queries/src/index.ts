export { affiliateStats } from './affiliates/affiliate-stats.js';
export type { Caller, KeyOwner } from './api-keys/caller.js';
export { KeyRegistry } from './api-keys/key-registry.js';
export { KeyUseRecorder } from './api-keys/key-use-recorder.js';
export { readStoredKeys } from './api-keys/restore-keys.js';
export { BalanceLedger } from './balances/balance-ledger.js';
export { CurrentBalances } from './balances/current-balances.js';
export { Entries } from './balances/entries.js';
export { PastBalances } from './balances/past-balances.js';
export { collectionOf } from './collection-of.js';
export { equals } from './equals.js';
export type { AsOfParameters } from './history/as-of.js';
export type { KeyNames } from './history/key-names.js';
export {
  RecordQueries,
  type RecordKind,
  type RecordRead,
  type RecordReadsParts,
} from './history/record-queries.js';
export { shownActor } from './history/shown-actor.js';
export { shownChange } from './history/shown-change.js';
export { storedMarks } from './history/stored-marks.js';
export { MoneyReads } from './money-reads.js';
export { notFound } from './not-found.js';
export { recordReader, requireRecord } from './own-record.js';
export type { Line } from './payouts/line-ranges.js';
export { PayoutEntries } from './payouts/payout-entries.js';
export { RunPreviews } from './payouts/preview/run-previews.js';
export { checkedRows, type CheckedFile } from './payouts/runs/checked-rows.js';
export { partOf } from './payouts/runs/part-of-run.js';
export type { PayeeRow, RowOrGone } from './payouts/runs/payee-row.js';
export { withProgress } from './payouts/runs/run-progress.js';
export { RunPayouts, type SettledRun } from './payouts/runs/run-payouts.js';
export { TermsVersions } from './programs/terms-versions.js';
export type { ReadContext } from './read-context.js';
export { ReadModels } from './read-models.js';
export { readModelsCaughtUp } from './read-models-caught-up.js';
export { snapshotAt } from './snapshot-at.js';
export { statementNames } from './statements/statement-names.js';
export type { PageRequest } from './statements/statement-page.js';
export { statementRows, type StatementRow } from './statements/statement-rows.js';
export { Statements, type StatementSheet } from './statements/statements.js';
export { beginning, replayRange, type ReplayRangeParts } from './webhooks/replay-range.js';
