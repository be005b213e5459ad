export { auditDeliveries, type AuditedDeliveries } from './audit/audit-deliveries.js';
export { dispatcherName, exclusiveHolder } from './dispatcher-name.js';
export type { DispatcherOptions } from './dispatcher-options.js';
export type { DispatcherMetrics, DispatcherStatus } from './dispatcher-reports.js';
export { WebhookDispatcher } from './dispatcher.js';
export { Outgoing } from './outgoing.js';
export { openSecretBox, type SecretBox } from './endpoints/secret-box.js';
export { canOpen, unreadableEndpoints } from './endpoints/secrets-key-check.js';
export { lateTest } from './stores/delivery.js';
export { testDelivery } from './sending/test-delivery.js';
export { newWebhookSecret } from './sending/signature.js';
export { checkTarget, normaliseTarget } from './sending/target-guard.js';
export { DeliveryStoreError } from './stores/delivery-store.js';
export type { DeliveryStore, OperatorStore } from './stores/delivery-store.js';
export type { Replay, ReplayQuery, RequestedReplay } from './stores/replay-store.js';
export type { RedeliveryKey } from './stores/redelivery-key.js';
export type { RequestStore } from './stores/request-store.js';
export type { DeliveryPage, DeliveryCursor, DeliveryQuery } from './stores/delivery-query.js';
export type { Attempt, Delivery, DeliveryStatus, DeliverySummary } from './stores/delivery.js';
export type {
  StatisticsPoint,
  StatisticsRange,
  WaitingDelivery,
} from './stores/statistics-store.js';
export { sumOf, type EndpointStatistics } from './statistics/endpoint-statistics.js';
export { quantile } from './statistics/histogram.js';
export { pointsOf, startOfPoint } from './statistics/periods.js';
export { findStop } from './planning/find-stop.js';
export { openDeliveryReader, type OpenDeliveryReader } from './stores/open-delivery-reader.js';
export { openDeliveryStore } from './stores/open-delivery-store.js';
