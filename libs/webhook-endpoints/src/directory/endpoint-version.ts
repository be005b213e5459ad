import {
  accountOf,
  type AccountId,
  type DisabledReason,
  type EndpointHealth,
  type EndpointFields,
  type EndpointId,
  type EndpointStatus,
  type Position,
  type PreviousSecret,
  type RecordedEvent,
  type WebhookEndpointsEvent,
} from '@refledger/contracts';

/**
 * The state of a subscribed endpoint after its last event. `secret` and `previous` are sealed;
 * `previous` also signs, until its `signs_until`. `revision` is the revision, in the account's
 * stream of endpoints, of the last event that is not about the endpoint's health.
 */
export interface EndpointVersion extends Pick<
  EndpointFields,
  'target_url' | 'events' | 'secret' | 'payload'
> {
  readonly accountId: AccountId;
  readonly position: Position;
  readonly revision: number;
  readonly status: EndpointStatus;
  /** Why it is disabled; null in every other status. */
  readonly disabled: DisabledReason | null;
  readonly health: EndpointHealth;
  /** Where its last series of failed attempts could begin: what failed before it does not count. */
  readonly seriesFrom: Position;
  /**
   * Where it was last disabled as gone. Unfinished deliveries decided below this position are
   * canceled.
   */
  readonly goneAt: Position | null;
  /**
   * Where it was last enabled with `held: "drop"`. Deliveries of events below this position are
   * canceled.
   */
  readonly droppedAt: Position | null;
  /** Since when nothing has been sent to it (RFC 3339); null while it is enabled. */
  readonly stoppedSince: string | null;
  readonly previous: PreviousSecret | null;
  /** The maximum number of requests that begin per second; null means no limit. */
  readonly maxPerSecond: number | null;
}

export type EndpointEvent = RecordedEvent<WebhookEndpointsEvent>;

/** Whether an event is about one endpoint. */
export const isEndpointEvent = (event: RecordedEvent): event is EndpointEvent =>
  event.type.startsWith('webhook.');

/** The subscribed endpoints, each by its latest version. */
export type LatestVersions = Map<EndpointId, EndpointVersion>;

export const applyTo = (latest: LatestVersions, event: EndpointEvent): void => {
  const { endpoint_id: id } = event.data;
  const before = latest.get(id);
  const after = versionAfter(before, event);
  if (after === undefined) latest.delete(id);
  else latest.set(id, after);
};

/** The version after an event; undefined if the endpoint is not subscribed then. */
const versionAfter = (
  before: EndpointVersion | undefined,
  event: EndpointEvent,
): EndpointVersion | undefined => {
  if (event.type === 'webhook.subscribed')
    return {
      ...newEndpoint,
      ...identityOf(event),
      ...fieldsOf(event.data.fields),
      seriesFrom: event.position,
    };
  if (before === undefined || event.type === 'webhook.unsubscribed') return undefined;
  if (event.type === 'webhook.failing') return { ...before, health: 'failing' };
  if (event.type === 'webhook.recovered') return { ...before, health: 'ok' };
  return { ...before, ...identityOf(event), ...changeBy(event, before) };
};

type ChangingEvent = Extract<
  EndpointEvent,
  {
    type:
      | 'webhook.updated'
      | 'webhook.paused'
      | 'webhook.enabled'
      | 'webhook.disabled'
      | 'webhook.secret_rotated';
  }
>;

/** What an event changes in a version, apart from its place in the log. */
const changeBy = (event: ChangingEvent, before: EndpointVersion): Partial<EndpointVersion> => {
  const stopped = {
    stoppedSince: before.stoppedSince ?? event.metadata.recorded_at,
    health: 'ok',
    seriesFrom: event.position,
  } as const;
  switch (event.type) {
    case 'webhook.updated': {
      const { fields } = event.data;
      return {
        ...fieldsOf(fields),
        ...(fields.target_url !== before.target_url && { seriesFrom: event.position }),
      };
    }
    case 'webhook.paused':
      return { ...fieldsOf(event.data.fields), status: 'paused', disabled: null, ...stopped };
    case 'webhook.enabled': {
      const { fields, held } = event.data;
      return {
        ...fieldsOf(fields),
        ...enabled,
        health: 'ok',
        seriesFrom: event.position,
        ...(held === 'drop' && { droppedAt: event.position }),
      };
    }
    case 'webhook.disabled': {
      const { reason } = event.data;
      const goneAt = reason === 'gone' ? event.position : before.goneAt;
      return { status: 'disabled', disabled: reason, ...stopped, goneAt };
    }
    case 'webhook.secret_rotated': {
      const { secret, previous } = event.data;
      return { secret, previous };
    }
  }
};

const enabled = { status: 'enabled', disabled: null, stoppedSince: null } as const;

const newEndpoint = {
  ...enabled,
  health: 'ok',
  previous: null,
  goneAt: null,
  droppedAt: null,
} as const;

/** What a version keeps of an endpoint's fields. */
const fieldsOf = ({ target_url, events, secret, payload, max_per_second }: EndpointFields) => ({
  target_url,
  events,
  secret,
  payload,
  maxPerSecond: max_per_second,
});

const identityOf = (event: EndpointEvent) => ({
  accountId: accountOf(event),
  position: event.position,
  revision: event.revision,
});
