export {
  adjustmentBody,
  affiliateBody,
  conversionBody,
  programBody,
  subscriptionBody,
  uniqueEmail,
  uniqueText,
  unknownId,
} from './builders.js';
export { brokenRules } from './clients/response-rules.js';
export { ApiClient } from './clients/api-client.js';
export type { ApiResponse, RequestOptions } from './clients/api-client.js';
export { startHookReceiver } from './clients/hook-receiver.js';
export type { Hook, HookReceiver } from './clients/hook-receiver.js';
export { signatureFaults } from './clients/hook-signature.js';
export { OpenApiCheck } from './clients/open-api.js';
export type { OpenApiDocument } from './clients/open-api.js';
export { exchangeRaw } from './clients/raw-client.js';
export type { RawResponse } from './clients/raw-client.js';
export { expectStatus, TestAccount } from './clients/test-account.js';
export { day, MovableClock } from './clock/movable-clock.js';
export { comparesFigures, count, inFull, itInFull } from './count.js';
export { expectedCommission } from './expected-commission.js';
export type { SentTerms } from './expected-commission.js';
export { payoutStatuses } from './money-records.js';
export type {
  Balance,
  BalanceSummary,
  Entry,
  LedgerLines,
  Payout,
  PayoutRun,
  PayoutRunPreview,
  PayoutStatus,
  Statement,
  StatementLine,
  StatementSummary,
} from './money-records.js';
export { Random } from './random.js';
export { unusedPort } from './reserve-port.js';
export { affiliateStatuses, conversionStatuses } from './records.js';
export type {
  Delivery,
  DeliveryWithAttempts,
  Endpoint,
  Replay,
  WebhookStats,
} from './webhook-records.js';
export type {
  Account,
  Adjustment,
  Affiliate,
  AffiliateStats,
  AffiliateStatus,
  ApiKey,
  Change,
  Conversion,
  ConversionStatus,
  Envelope,
  Erasure,
  Page,
  Problem,
  Program,
  PublicRecord,
  Quote,
  Scope,
  TermsVersion,
} from './records.js';
export {
  startDistributed,
  startDistributedOverLogBus,
  startGatewayWithoutReadStore,
} from './services/distributed.js';
export type { DistributedService } from './services/distributed.js';
export { nodeFlags } from './services/node-flags.js';
export { RoleProcess } from './services/role-process.js';
export type { ControlledRole } from './services/role-process.js';
export { cpuSeconds, limitDescriptors, residentBytes } from './services/running-process.js';
export { ServiceProcess } from './services/service-process.js';
export type { ServiceRole } from './services/service-process.js';
export type { EndSignal, Service, ServiceFactory } from './service.js';
export { sharedService } from './services/shared-service.js';
export { startStandalone } from './services/standalone.js';
export type { StandaloneService } from './services/standalone.js';
export { startTogether } from './start-together.js';
export { testSeed } from './test-seed.js';
export { eventually, scaledTimeout, waitFor } from './wait.js';
