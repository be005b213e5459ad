export type { DeliveryPage, DeliveryQuery } from './delivery-query.js';
export {
  DeliveryStoreError,
  type DeliveryStore,
  type OpenDeliveryReader,
  type OperatorStore,
  type UnfinishedDelivery,
} from './delivery-store.js';
export {
  isFailure,
  lateTest,
  lostTest,
  startedAttempt,
  type Delivery,
  type DeliverySummary,
} from './delivery.js';
export type { FailingSeries, HealthStore } from './health-store.js';
export type { Lease } from './lease.js';
export { openDeliveryReader, openDeliveryStore } from './open-delivery-store.js';
export {
  ForeignOffset,
  type Plan,
  type PlannedDelivery,
  type PlannerStore,
} from './planner-store.js';
export type { RedeliveryKey } from './redelivery-key.js';
export type {
  DeliveryOfEvent,
  Replay,
  ReplayQuery,
  ReplayStore,
  RequestedReplay,
} from './replay-store.js';
export type { RequestStore, RequestedDelivery } from './request-store.js';
export {
  claimableStatus,
  type AttemptResult,
  type ClaimableFrom,
  type ClaimedDelivery,
  type SchedulerStore,
  type SweptDeliveries,
} from './scheduler-store.js';
export type {
  StatisticsPoint,
  StatisticsRange,
  StatisticsStore,
  WaitingDelivery,
} from './statistics-store.js';
export { StatisticsSum, sumOf, type EndpointStatistics } from './statistics/endpoint-statistics.js';
export { bucketOf, quantile } from './statistics/histogram.js';
export { pointsOf, startOfPoint } from './statistics/periods.js';
export type { Tokens } from './token-bucket.js';
