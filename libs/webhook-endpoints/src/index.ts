export {
  auditDeliveries,
  type AuditedDeliveries,
  type DeliveryFinding,
} from './audit/audit-deliveries.js';
export { repeatOnClock, sleepOnClock, systemClock, type Clock } from './clock.js';
export { BodyMaker } from './deliveries/body-maker.js';
export { deliveryBody, recordedAt, revisionIn } from './deliveries/delivery-body.js';
export { plannedId } from './deliveries/planned-id.js';
export { testDelivery } from './deliveries/test-delivery.js';
export {
  decisionOf,
  type DeliveriesChange,
  type DeliveryDecision,
} from './directory/delivery-decision.js';
export { EndpointDirectory } from './directory/endpoint-directory.js';
export type { EndpointVersion } from './directory/endpoint-version.js';
export { dispatcherName, exclusiveHolder } from './dispatcher-name.js';
export { EndpointDisabler } from './health/endpoint-disabler.js';
export { EndpointHealth } from './health/endpoint-health.js';
export { Outgoing } from './outgoing.js';
export { canOpen, unreadableEndpoints } from './secrets/secrets-key-check.js';
export {
  deliveryHeaders,
  newWebhookSecret,
  signingKeys,
  type SigningKeys,
  type SigningSecrets,
} from './secrets/signature.js';
export * from './stops/dispatcher-stop.js';
export { findStop } from './stops/find-stop.js';
export * from './targets/target-guard.js';
