import type { WebhookEndpointRecord } from '@refledger/contracts';
import { signingBeside } from '@refledger/domain';

/** Returns an endpoint as the API shows it at this instant (RFC 3339): overlaps end by themselves. */
export const shownEndpoint = (
  record: WebhookEndpointRecord,
  now: string,
): WebhookEndpointRecord => ({
  ...record,
  secret_rotation: signingBeside(record.secret_rotation, now),
});
