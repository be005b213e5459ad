export type { AccountEvent } from './accounts/account.events.js';
export type { AdjustmentEvent, AdjustmentFields } from './adjustments/adjustment.events.js';
export { affiliateValueNames } from './affiliates/affiliate.events.js';
export type {
  AffiliateEvent,
  AffiliateFields,
  AffiliateHashes,
  AffiliatePlainFields,
  AffiliateValues,
  OpenAffiliateRecord,
  SealedAffiliateRecord,
} from './affiliates/affiliate.events.js';
export { keysOf } from './keys-of.js';
export { type AggregateSpec } from './shared/aggregate.js';
export * from './aggregates/aggregates.js';
export type { ApiKeysEvent } from './accounts/api-keys.events.js';
export type {
  BalanceEvent,
  CarriedState,
  SourceCheckpoint,
  StoredBucket,
} from './balances/balance.events.js';
export type { ClaimedAppend } from './shared/claimed-append.js';
export type {
  ConversionBasis,
  ConversionEvent,
  ConversionFields,
  PaidPart,
} from './conversions/conversion.events.js';
export type { CustomerEvent } from './aggregates/customer.js';
export type { EmailClaimEvent } from './aggregates/email-claim.js';
export { backupPointSchema, logFormat, type BackupPoint, type LogEvent } from './aggregates/log.js';
export type { ProcessorEvent, ProcessorStop } from './aggregates/processor.js';
export { processorStopSchema } from './aggregates/processor.js';
export type { ProgramEvent, ProgramFields } from './programs/program.events.js';
export type { PayoutEvent, PayoutFields } from './payouts/payout.events.js';
export type { PayoutRunEvent, PayoutRunFields } from './payout-runs/payout-run.events.js';
export type { OwnStreamKind } from './event-types/own-stream-aggregates.js';
export * from './aggregates/public-aggregates.js';
export { allSecrets, secretsOf, type Secrets } from './aggregates/secrets.js';
export { streamNamed, streams } from './aggregates/streams.js';
export type {
  EndpointBefore,
  EndpointFields,
  PreviousSecret,
  WebhookEndpointsEvent,
} from './webhooks/webhook-endpoint.events.js';
export type { EventEnvelope } from './events/envelope.js';
export * from './event-types/public-event-types.js';
export { eventPatterns, matchesKind, type EventPattern } from './event-types/event-patterns.js';
export {
  objectIdOf,
  publicAggregateOf,
  recordObjectOf,
  topics,
  exampleRecordOf,
} from './events/public-events.js';
export * from './events/index.js';
export { completeData, recordedData } from './events/recorded-data.js';
export { toBase32 } from './ids/base32.js';
export {
  datedId,
  derivedId,
  eventIdOf,
  eventIdOfPublic,
  hashOf,
  idPrefixes,
  idSchema,
  newCommandId,
  isId,
  newId,
  publicEventId,
  type AccountId,
  type AdjustmentId,
  type AffiliateId,
  type BalanceId,
  type ConversionId,
  type DeliveryId,
  type ReplayId,
  type EndpointId,
  type EntryId,
  type EventId,
  type Id,
  type IdKind,
  type KeyId,
  type PayoutId,
  type ProgramId,
  type PublicEventId,
  type RunId,
} from './ids/ids.js';
export { comparePositions, isPosition, laterOf, toPosition } from './ids/position.js';
export type { Checkpoint, LogId, Position } from './ids/position.js';
export { isStreamName, streamPrefix, type StreamName } from './ids/stream-name.js';
export { currencies, hasMinorUnit, minorDigits, withdrawalOf } from './currencies.js';
export { noMinorUnit, normalizeCurrency } from './money.js';
export { responseJsonSchema } from './openapi/response-schema.js';
export { asyncApiDocument, headersSchema } from './openapi/asyncapi.js';
export { idempotencyKeyPattern, ifMatchPattern } from './openapi/openapi-headers.js';
export { openApiDocument } from './openapi/openapi.js';
export { operations, type OperationId, type OperationSpec } from './operations/operations.js';
export { DomainError, type ProblemExtras } from './problems/domain-error.js';
export { errorsHtml, errorsMarkdown } from './problems/errors-page.js';
export { problemSchema, type Problem, type ValidationIssue } from './problems/problem-schema.js';
export { problemCodes, type ProblemCode } from './problems/problems.js';
export { issuesOf, validationError } from './problems/validation-issues.js';
export { accountSchema, type AccountRecord } from './accounts/account.record.js';
export { adjustmentSchema, type AdjustmentRecord } from './adjustments/adjustment.record.js';
export * from './affiliates/affiliate-stats.record.js';
export { affiliateSchema, affiliateStatuses } from './affiliates/affiliate.record.js';
export type { AffiliateRecord, AffiliateStatus } from './affiliates/affiliate.record.js';
export { apiKeySchema, type ApiKeyRecord } from './accounts/api-key.record.js';
export type { BalanceSummary } from './balances/balance-summary.record.js';
export * from './balances/balance.record.js';
export type { Actor, Change, FieldChange } from './history/change.record.js';
export { commissionUnder, explicitCommission, noCommission } from './shared/commission.js';
export type { Commission, TermsInForce } from './shared/commission.js';
export {
  conversionSchema,
  conversionStatuses,
  unreported,
} from './conversions/conversion.record.js';
export type {
  ConversionRecord,
  ConversionStatus,
  ReportedSale,
  Sale,
} from './conversions/conversion.record.js';
export type {
  Attempt,
  AttemptOutcome,
  AttemptRecord,
  ResponseExcerpt,
} from './deliveries/attempt.js';
export type {
  DeliveryRecord,
  DeliveryStatus,
  DeliveryTrigger,
  DeliveryWithAttempts,
} from './deliveries/delivery.record.js';
export type { ErasureRecord } from './erasures/erasure.record.js';
export { type ReplayRecord, type ReplayScope, type ReplayStatus } from './replays/replay.record.js';
export { entrySchema, type EntryKind, type EntryRecord } from './balances/entry.record.js';
export type { ImportedLine, ImportEnd, RefusedLine } from './payouts/import-line.record.js';
export type { LedgerEnd } from './balances/ledger-line.record.js';
export { payoutSchema, payoutStatuses } from './payouts/payout.record.js';
export type { PayoutRecord, PayoutStatus } from './payouts/payout.record.js';
export type { PayoutRunPreview } from './payout-runs/payout-run-preview.record.js';
export { payoutRunSchema } from './payout-runs/payout-run.record.js';
export type {
  MarkStatus,
  PayoutRunRecord,
  SkippedBalances,
  SkipReason,
} from './payout-runs/payout-run.record.js';
export { programSchema, type Approval, type ProgramRecord } from './programs/program.record.js';
export type { Quote } from './programs/quote.record.js';
export type {
  StatementLine,
  StatementRecord,
  StatementSummary,
} from './statements/statement.record.js';
export type { TermsVersion } from './programs/terms-version.record.js';
export { affiliateTermsSchema, newTermsSchema, termsSchema } from './shared/terms.js';
export type { AffiliateTerms, NewAffiliateTerms, NewTerms, Terms } from './shared/terms.js';
export { endpointStatuses, webhookEndpointSchema } from './webhooks/webhook-endpoint.record.js';
export type {
  DisabledReason,
  EndpointHealth,
  EndpointStatus,
  HeldChoice,
  Payload,
  SingleEndpointRecord,
  WebhookEndpointRecord,
} from './webhooks/webhook-endpoint.record.js';
export type { WebhookSecret } from './webhooks/webhook-secret.record.js';
export type { StatsPeriod, WebhookStatsRecord } from './webhooks/webhook-stats.record.js';
export type { NewAdjustment, UpdateAdjustment } from './adjustments/adjustment.requests.js';
export type { UpdateAffiliate } from './affiliates/affiliate.requests.js';
export type { UpdateConversion } from './conversions/conversion.requests.js';
export { apiKeyList } from './accounts/api-key.list.js';
export { comparisonsOf, isBoundedByCreation, type ListSpec } from './shared/list-spec.js';
export { affiliateList } from './affiliates/affiliate.list.js';
export { conversionList } from './conversions/conversion.list.js';
export { programList } from './programs/program.list.js';
export { adjustmentList } from './adjustments/adjustment.list.js';
export { balanceList } from './balances/balance.list.js';
export { entryList, entryListByTime } from './balances/entry.list.js';
export { erasureList } from './erasures/erasure.list.js';
export { payoutList } from './payouts/payout.list.js';
export { payoutRunList } from './payout-runs/payout-run.list.js';
export type { ImportPayout, NewPayout, UpdatePayout } from './payouts/payout.requests.js';
export type {
  NewPayoutRun,
  PayoutFileFormat,
  UpdatePayoutRun,
} from './payout-runs/payout-run.requests.js';
export type { NewProgram, QuotedSale, UpdateProgram } from './programs/program.requests.js';
export type { CreateReplay } from './replays/replay.requests.js';
export { includesScope, scopes, type Scope } from './scopes.js';
export type { Metadata } from './text.js';
export { visibleText } from './visible-text.js';
export { dayOf, toInstant } from './instant.js';
export { fromJson, toJson } from './json.js';
export { parseDuration } from './duration.js';
export { emailKey, withAsciiDomain } from './email.js';
export { isObject } from './is-object.js';
