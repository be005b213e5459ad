/**
 * The types of the public events of webhook endpoints. They are kept separate from the aggregate
 * because its events contain event types: the import would be circular.
 */
export const endpointEventTypes = [
  'webhook.failing',
  'webhook.recovered',
  'webhook.paused',
  'webhook.enabled',
  'webhook.disabled',
  'webhook.secret_rotated',
] as const;
