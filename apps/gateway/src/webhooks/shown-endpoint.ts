import type { EndpointId, WebhookEndpointRecord } from '@refledger/contracts';
import { previousStillSigning } from '@refledger/domain';

/**
 * Returns an endpoint as the API shows it at this instant (RFC 3339): overlaps end by themselves.
 * `failingSince` has the endpoints whose last attempts failed.
 */
export const shownEndpoint = (
  record: WebhookEndpointRecord,
  now: string,
  failingSince: ReadonlyMap<EndpointId, string>,
): WebhookEndpointRecord => ({
  ...record,
  failing_since: record.status === 'enabled' ? (failingSince.get(record.id) ?? null) : null,
  secret_rotation: previousStillSigning(record.secret_rotation, now),
});
