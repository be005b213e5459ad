export type { AccountEvent } from './aggregates/account.js';
export type { AdjustmentEvent, AdjustmentFields } from './aggregates/adjustment.js';
export { affiliateDefaults } from './aggregates/affiliate.js';
export type { AffiliateEvent, AffiliateFields } from './aggregates/affiliate.js';
export { keysOf, type AggregateSpec } from './aggregates/aggregate.js';
export { aggregates } from './aggregates/aggregates.js';
export type { AggregateKind, EventInputOf, EventOf } from './aggregates/aggregates.js';
export type { ApiKeysEvent } from './aggregates/api-keys.js';
export type {
  BalanceEvent,
  CarriedState,
  SourceCheckpoint,
  StoredBucket,
} from './aggregates/balance.js';
export type { ClaimedAppend } from './aggregates/claimed-append.js';
export type {
  ConversionBasis,
  ConversionEvent,
  ConversionFields,
  PaidPart,
} from './aggregates/conversion.js';
export type { CustomerEvent } from './aggregates/customer.js';
export type { EmailClaimEvent } from './aggregates/email-claim.js';
export { backupPointSchema, logFormat, type BackupPoint, type LogEvent } from './aggregates/log.js';
export type { ProcessorEvent, ProcessorStop } from './aggregates/processor.js';
export { processorStopSchema } from './aggregates/processor.js';
export type { ProgramEvent, ProgramFields } from './aggregates/program.js';
export type { PayoutEvent, PayoutFields } from './aggregates/payout.js';
export type { PayoutRunEvent, PayoutRunFields } from './aggregates/payout-run.js';
export type { OwnStreamKind } from './aggregates/own-stream-aggregates.js';
export { partitionKeyOf, publicAggregates } from './aggregates/public-aggregates.js';
export type {
  PublicAggregateKind,
  PublicRecord,
  RecordOf,
} from './aggregates/public-aggregates.js';
export { allSecrets, secretsOf, type Secrets } from './aggregates/secrets.js';
export { streamNamed, streams } from './aggregates/streams.js';
export type {
  EndpointBefore,
  EndpointFields,
  PreviousSecret,
  WebhookEndpointsEvent,
} from './aggregates/webhook-endpoints.js';
export type { EventEnvelope } from './events/envelope.js';
export { exampleRecordOf } from './events/example-record.js';
export { eventKinds, isEventKind } from './events/event-kinds.js';
export type { EventKind } from './events/event-kinds.js';
export { eventPatterns, matchesKind, type EventPattern } from './events/event-patterns.js';
export { objectIdOf, publicAggregateOf, recordObjectOf, topics } from './events/public-events.js';
export {
  accountOf,
  eventSchemas,
  eventSchemaVersion,
  isEventOf,
  isEventType,
  withDefaults,
} from './events/index.js';
export type { DomainEvent, EventIn, EventMetadata, EventType, Recorded } from './events/index.js';
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
export { hasMinorUnit, minorDigits, withdrawalOf } from './currencies.js';
export { noMinorUnit, normaliseCurrency } from './money.js';
export { responseJsonSchema } from './openapi/response-schema.js';
export { asyncApiDocument, headersSchema } from './openapi/asyncapi.js';
export { idempotencyKeyPattern, ifMatchPattern } from './openapi/openapi-headers.js';
export { openApiDocument } from './openapi/openapi.js';
export { operations, type OperationId, type OperationSpec } from './operations/operations.js';
export { DomainError } from './problems/domain-error.js';
export { errorsHtml, errorsMarkdown } from './problems/errors-page.js';
export type { ProblemExtras } from './problems/problem-extras.js';
export { problemSchema, type Problem, type ValidationIssue } from './problems/problem-schema.js';
export { problemCodes, type ProblemCode } from './problems/problems.js';
export { issuesOf, validationError } from './problems/validation-issues.js';
export { accountSchema, type AccountRecord } from './records/account.record.js';
export { adjustmentSchema, type AdjustmentRecord } from './records/adjustment.record.js';
export { affiliateStatsSchema } from './records/affiliate-stats.record.js';
export type { AffiliateStatsRecord } from './records/affiliate-stats.record.js';
export { affiliateSchema, affiliateStatuses } from './records/affiliate.record.js';
export type { AffiliateRecord, AffiliateStatus } from './records/affiliate.record.js';
export { apiKeySchema, type ApiKeyRecord } from './records/api-key.record.js';
export type { BalanceSummary } from './records/balance-summary.record.js';
export { balanceSchema } from './records/balance.record.js';
export type { BalanceRecord } from './records/balance.record.js';
export type { Actor, Change, FieldChange } from './records/change.record.js';
export { explicitCommission, noCommission } from './records/commission.js';
export type { Commission, TermsInForce } from './records/commission.js';
export { conversionSchema, conversionStatuses, unreported } from './records/conversion.record.js';
export type {
  ConversionRecord,
  ConversionStatus,
  ReportedSale,
  Sale,
} from './records/conversion.record.js';
export type {
  AttemptOutcome,
  AttemptRecord,
  DeliveryRecord,
  DeliveryStatus,
  DeliveryTrigger,
  DeliveryWithAttempts,
} from './records/delivery.record.js';
export { type ReplayRecord, type ReplayScope, type ReplayStatus } from './records/replay.record.js';
export { entrySchema, type EntryKind, type EntryRecord } from './records/entry.record.js';
export type { ImportedLine, ImportEnd, RefusedLine } from './records/import-line.record.js';
export type { LedgerEnd } from './records/ledger-line.record.js';
export { payoutSchema, payoutStatuses } from './records/payout.record.js';
export type { PayoutRecord, PayoutStatus } from './records/payout.record.js';
export type { PayoutRunPreview } from './records/payout-run-preview.record.js';
export { payoutRunSchema } from './records/payout-run.record.js';
export type {
  MarkStatus,
  PayoutRunRecord,
  Skipped,
  SkipReason,
} from './records/payout-run.record.js';
export { programSchema, type Approval, type ProgramRecord } from './records/program.record.js';
export type { Quote } from './records/quote.record.js';
export type {
  StatementLine,
  StatementRecord,
  StatementSummary,
} from './records/statement.record.js';
export type { TermsVersion } from './records/terms-version.record.js';
export { affiliateTermsSchema, newTermsSchema, termsSchema } from './records/terms.js';
export type { AffiliateTerms, NewAffiliateTerms, NewTerms, Terms } from './records/terms.js';
export { endpointStatuses, webhookEndpointSchema } from './records/webhook-endpoint.record.js';
export type {
  DisabledReason,
  EndpointHealth,
  EndpointStatus,
  HeldChoice,
  Payload,
  SingleEndpointRecord,
  WebhookEndpointRecord,
  WebhookSecret,
} from './records/webhook-endpoint.record.js';
export type { StatsPeriod, WebhookStatsRecord } from './records/webhook-stats.record.js';
export type { NewAdjustment, UpdateAdjustment } from './requests/adjustment.requests.js';
export type { UpdateAffiliate } from './requests/affiliate.requests.js';
export type { UpdateConversion } from './requests/conversion.requests.js';
export { apiKeyList } from './requests/account.requests.js';
export { comparisonsOf, isBoundedByCreation, type ListSpec } from './requests/list-spec.js';
export { affiliateList, conversionList, programList } from './requests/list.requests.js';
export {
  adjustmentList,
  balanceList,
  entryList,
  entryListByTime,
  payoutList,
  payoutRunList,
} from './requests/money-list.requests.js';
export type { ImportPayout, NewPayout, UpdatePayout } from './requests/payout.requests.js';
export type {
  NewPayoutRun,
  PayoutFileFormat,
  UpdatePayoutRun,
} from './requests/payout-run.requests.js';
export type { NewProgram, QuotedSale, UpdateProgram } from './requests/program.requests.js';
export type { CreateReplay } from './requests/replay.requests.js';
export type { Subscribe, UpdateWebhook } from './requests/webhook.requests.js';
export { includesScope, scopes, type Scope } from './scopes.js';
export type { Metadata } from './text.js';
export { visibleText } from './visible-text.js';
export { dayOf, toInstant } from './instant.js';
export { fromJson, toJson } from './json.js';
export { parseDuration } from './duration.js';
export { emailKey, withAsciiDomain } from './email.js';
export { isObject } from './is-object.js';
