export { BalanceLedger } from './balances/balance-ledger.js';
export { CurrentBalances } from './balances/current-balances.js';
export { Entries, type EntryPage } from './balances/entries.js';
export { PastBalances } from './balances/past-balances.js';
export { requirePosition } from './balances/shown-balances.js';
export { entriesIn, entryProjections, showEntries } from './balances/shown-entries.js';
export { collectionOf } from './collection-of.js';
export { equals } from './equals.js';
export { aheadOfTheLog, positionOf, type AsOfParameters, type AsOfParts } from './history/as-of.js';
export type { KeyNames } from './history/key-names.js';
export { shownActor } from './history/shown-actor.js';
export { shownChange } from './history/shown-change.js';
export { storedMarks } from './history/stored-marks.js';
export { MoneyReads, reflectedByAll } from './money-reads.js';
export { notFound, notFoundAt } from './not-found.js';
export { recordReader, requireRecord } from './own-record.js';
export { lastPaidRevision } from './payouts/last-paid-revision.js';
export { rangesOfPage, type Line, type LineRange } from './payouts/line-ranges.js';
export { PreviewTotals } from './payouts/preview/preview-totals.js';
export {
  PreviewWalk,
  type PreviewTerms,
  type PreviewWalkParts,
} from './payouts/preview/preview-walk.js';
export { partOf, type PartOfRun } from './payouts/runs/part-of-run.js';
export { payoutsOfPart } from './payouts/runs/part-payouts.js';
export type { ReadContext } from './read-context.js';
export { readModelsCaughtUp } from './read-models-caught-up.js';
export { statementNames } from './statements/statement-names.js';
export type { PageRequest } from './statements/statement-page.js';
export { statementRows, type StatementRow } from './statements/statement-rows.js';
export { Statements, type StatementSheet } from './statements/statements.js';
export { beginning, replayRange, type ReplayRangeParts } from './webhooks/replay-range.js';
