export { AffiliateSearch } from './affiliates/affiliate-search.js';
export { affiliateStats } from './affiliates/affiliate-stats.js';
export type { Caller, KeyOwner } from './api-keys/live-keys.js';
export { KeyRegistry } from './api-keys/key-registry.js';
export { KeyUseRecorder } from './api-keys/key-use-recorder.js';
export { readStoredKeys } from './api-keys/restore-keys.js';
export { BalanceLedger } from './balances/balance-ledger.js';
export { CurrentBalances } from './balances/current-balances.js';
export { Entries } from './balances/entries.js';
export { PastBalances } from './balances/past-balances.js';
export { equals } from './equals.js';
export type { AsOfParameters } from './history/as-of.js';
export { shownActor, type KeyNames } from './history/shown-actor.js';
export { RecordQueries, type RecordKind, type RecordRead } from './history/record-queries.js';
export { storedMarks } from './history/stored-marks.js';
export { MoneyReads } from './money-reads.js';
export { requireRecord, notFound } from './own-record.js';
export type { Line } from './payouts/line-ranges.js';
export { PayoutEntries } from './payouts/payout-entries.js';
export { RunPreviews } from './payouts/preview/run-previews.js';
export { checkedRows, type CheckedFile } from './payouts/runs/checked-rows.js';
export { partOf } from './payouts/runs/part-of-run.js';
export type { PayeeRow, RowOrMissing } from './payouts/runs/payees.js';
export { withProgress } from './payouts/runs/run-progress.js';
export { RunPayouts, type SettledRun } from './payouts/runs/run-payouts.js';
export { TermsVersions } from './programs/terms-versions.js';
export { ReadModels, type ReadContext } from './read-models.js';
export { readModelsCaughtUp } from './read-models-caught-up.js';
export { statementNames } from './statements/statement-names.js';
export type { PageRequest } from './statements/statement-page.js';
export { statementRows, type StatementRow } from './statements/statement-rows.js';
export { Statements, type StatementSheet } from './statements/statements.js';
export { Deliveries } from './webhooks/deliveries.js';
export { DeliveryReads } from './webhooks/delivery-reads.js';
export { deliveryRecord } from './webhooks/delivery-records.js';
export { EndpointHistories } from './webhooks/endpoint-histories.js';
export { EndpointReads } from './webhooks/endpoint-reads.js';
export { EndpointSnapshots } from './webhooks/endpoint-snapshots.js';
export { Redeliveries } from './webhooks/redeliveries.js';
export { Replays } from './webhooks/replays.js';
export { ShownEndpoints } from './webhooks/shown-endpoints.js';
export {
  ShownDeliveryTexts,
  type BodySource,
  type RemadeDelivery,
} from './webhooks/shown-delivery-texts.js';
