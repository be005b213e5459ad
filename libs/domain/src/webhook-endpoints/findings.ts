import type { DisabledReason, EndpointId, WebhookEndpointsEvent } from '@refledger/contracts';
import { beforeOf, type Endpoint } from './endpoint.js';

/** The service's findings about an endpoint by sending to it. */
export type Finding =
  | { readonly type: 'disable'; readonly reason: DisabledReason }
  | { readonly type: 'fail'; readonly failing_since: string }
  | { readonly type: 'recover' };

/**
 * Records a finding. `version` is the revision of the endpoint that was judged. An endpoint that
 * has changed since stays as it is.
 */
export type FindingCommand = Finding & {
  readonly endpoint_id: EndpointId;
  readonly version: number;
};

/** The event of a finding; none if the endpoint has changed or the event exists already. */
export const note = (
  endpoint: Endpoint | undefined,
  command: FindingCommand,
): WebhookEndpointsEvent[] => {
  if (endpoint?.status !== 'enabled' || endpoint.revision > command.version) return [];
  const { failing_since } = endpoint;
  const about = { endpoint_id: endpoint.id, before: beforeOf(endpoint) };
  switch (command.type) {
    case 'disable':
      return [{ type: 'webhook.disabled', data: { ...about, reason: command.reason } }];
    case 'fail':
      return failing_since === null
        ? [
            {
              type: 'webhook.failing',
              data: { ...about, failing_since: command.failing_since },
            },
          ]
        : [];
    case 'recover':
      return failing_since === null ? [] : [{ type: 'webhook.recovered', data: about }];
  }
};
