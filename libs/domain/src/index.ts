export {
  accountDecider,
  accountRecord,
  firstAccountId,
  type AccountState,
} from './account/account.decider.js';
export { adjustmentRecord } from './adjustment/adjustment.aggregate.js';
export { adjustmentAfter } from './adjustment/adjustment-record.js';
export * from './adjustment/adjustment.decider.js';
export {
  affiliateRecord,
  lastAffiliateRecord,
  recordWithHistory,
} from './affiliate/affiliate.aggregate.js';
export { recipientOf } from './affiliate/affiliate-fields.js';
export * from './affiliate/affiliate-decision.js';
export * from './affiliate/sealed-affiliate.js';
export { affiliateNotFound } from './affiliate/active-affiliate.js';
export * from './affiliate/affiliate.decider.js';
export { erasureOf, type Erasure } from './affiliate/erasure.js';
export { differencesFromHolder, type SentAffiliate } from './affiliate/sent-affiliate.js';
export { emptyFolds } from './aggregates.js';
export {
  apiKeyRecord,
  apiKeysDecider,
  isLastingAdmin,
  isLive,
} from './api-keys/api-keys.decider.js';
export type { ApiKey, ApiKeysCommand, ApiKeysState } from './api-keys/api-keys.decider.js';
export type { BalanceChange, PayoutEnd, BalancePosting } from './balance/balance-change.js';
export { balanceDecider } from './balance/balance.decider.js';
export { figuresOf, type BalanceFigures } from './balance/balance-figures.js';
export { balanceRecord } from './balance/balance-record.js';
export type { BalanceState } from './balance/balance-state.js';
export { bucketSums, isRangeAmount } from './balance/buckets.js';
export {
  chapterLength,
  chapterRevisionOf,
  firstOpening,
  openingOf,
  type ChapterRevision,
} from './balance/chapters.js';
export { payableOn, type Payee } from './balance/eligibility.js';
export { chainStart, nextInChain } from './balance/hash-chain.js';
export * from './balance/owed.js';
export type { ClaimData, ClaimDecider, ClaimState } from './claim/claim.decider.js';
export { conversionRecord } from './conversion/conversion.aggregate.js';
export { conversionAfter } from './conversion/conversion-record.js';
export * from './conversion/conversion.decider.js';
export type { ConversionState } from './conversion/conversion-state.js';
export { currentTerms } from './conversion/current-terms.js';
export { quoted } from './conversion/quote.js';
export type { RecordSale } from './conversion/new-conversion.js';
export { customerDecider, customerHash, type Customer } from './customer/customer.decider.js';
export { fold, metaOf, type Decider } from './decider.js';
export {
  emailClaimDecider,
  emailClaimHash,
  emailClaimVerdict,
  type EmailClaim,
} from './email-claim/email-claim.decider.js';
export type { EventChanges } from './changes-between.js';
export { affiliateEventChanges, erasedEventChanges, eventChanges } from './event-changes.js';
export * from './log-time.js';
export * from './posting-decisions.js';
export { newPayout, requirePayout, draftPayout } from './payout/new-payout.js';
export { payoutRecord } from './payout/payout.aggregate.js';
export { payoutDecider, requireSamePayout } from './payout/payout.decider.js';
export type { PayoutState } from './payout/payout.decider.js';
export { payoutEndOf } from './payout/payout-end.js';
export { payoutAfter, type PayoutCreated } from './payout/payout-record.js';
export { logDecider } from './log/log.decider.js';
export { payoutRunRecord } from './payout-run/payout-run.aggregate.js';
export * from './payout-run/payout-run.decider.js';
export { payoutRunAfter, shownTotals } from './payout-run/payout-run-record.js';
export { runTerms } from './payout-run/sent-run.js';
export { PersistentMap } from './persistent-map.js';
export * from './processor/processor.decider.js';
export { postingName } from './processor/posting-name.js';
export { requireActiveProgram } from './program/active-program.js';
export { programRecord } from './program/program.aggregate.js';
export { programDecider, type ProgramState } from './program/program.decider.js';
export type { RecordFold } from './record-fold.js';
export {
  endpointAt,
  endpointOf,
  endpointRecord,
  maxEndpoints,
  requireEndpoint,
  previousStillSigning,
  type Endpoint,
  type WebhookEndpointsState,
} from './webhook-endpoints/endpoint.js';
export * from './webhook-endpoints/endpoint-changes.js';
export type { Finding, FindingCommand } from './webhook-endpoints/findings.js';
export * from './webhook-endpoints/webhook-endpoints.decider.js';
