import {
  accountOf,
  type AccountId,
  type EndpointFields,
  type EndpointId,
  type EndpointStatus,
  type Position,
  type PreviousSecret,
  type Recorded,
  type WebhookEndpointsEvent,
} from '@refledger/contracts';

/**
 * The state of a subscribed endpoint after its last event. `secret` and `previous` are sealed;
 * `previous` signs, too, until its time. `revision` is the event's revision in the account's stream
 * of endpoints.
 */
export interface EndpointVersion extends Pick<EndpointFields, 'target_url' | 'events' | 'secret'> {
  readonly accountId: AccountId;
  readonly position: Position;
  readonly revision: number;
  readonly status: EndpointStatus;
  readonly previous: PreviousSecret | null;
  /** The most requests that begin per second; null: no such limit. */
  readonly maxPerSecond: number | null;
}

export type EndpointEvent = Recorded<WebhookEndpointsEvent>;

/** Whether an event is about one endpoint. */
export const isEndpointEvent = (event: Recorded): event is EndpointEvent =>
  event.type.startsWith('webhook.');

/** The subscribed endpoints, each by its latest version. */
export type LatestVersions = Map<EndpointId, EndpointVersion>;

/**
 * Applies an event to its endpoint. Returns whether the event ended deliveries to that endpoint.
 */
export const applyTo = (
  latest: LatestVersions,
  event: EndpointEvent,
): { readonly ended: boolean } => {
  const { endpoint_id: id } = event.data;
  const before = latest.get(id);
  switch (event.type) {
    case 'webhook.subscribed':
      latest.set(
        id,
        versionOf(event, { ...fieldsOf(event.data.fields), status: 'enabled', previous: null }),
      );
      return { ended: false };
    case 'webhook.updated':
      if (before !== undefined) {
        const { fields, status } = event.data;
        latest.set(id, versionOf(event, { ...before, ...fieldsOf(fields), status }));
      }
      return { ended: false };
    case 'webhook.secret_rotated':
      if (before !== undefined) {
        const { secret, previous } = event.data;
        latest.set(id, versionOf(event, { ...before, secret, previous }));
      }
      return { ended: false };
    case 'webhook.disabled':
      if (before !== undefined) latest.set(id, versionOf(event, { ...before, status: 'disabled' }));
      return { ended: before !== undefined };
    case 'webhook.unsubscribed':
      return { ended: latest.delete(id) };
  }
};

/** Why an endpoint takes no more deliveries; undefined means that it is not subscribed. */
export const endedReason = (endpoint: EndpointVersion | undefined): string =>
  endpoint === undefined ? 'the endpoint was unsubscribed' : 'the endpoint was disabled';

/** What a version keeps of an endpoint's fields. */
const fieldsOf = ({ target_url, events, secret, max_per_second }: EndpointFields) => ({
  target_url,
  events,
  secret,
  maxPerSecond: max_per_second,
});

const versionOf = (
  event: EndpointEvent,
  state: Omit<EndpointVersion, 'accountId' | 'position' | 'revision'>,
): EndpointVersion => ({
  ...state,
  accountId: accountOf(event),
  position: event.position,
  revision: event.revision,
});
