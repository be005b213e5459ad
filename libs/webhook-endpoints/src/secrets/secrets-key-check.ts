import { streams, type EndpointId } from '@refledger/contracts';
import {
  decodeEvent,
  UnreadableEvent,
  type EventLog,
  type LoggedEvent,
} from '@refledger/event-log';
import { SealedUnreadable, type SecretBox } from '@refledger/sealing';
import { isEndpointEvent, type EndpointEvent } from '../directory/endpoint-version.js';

/**
 * The subscribed endpoints whose secrets were sealed under none of these keys: every delivery to
 * them would fail until its attempts are used up. Compares only key ids, since every start of a
 * dispatcher checks every endpoint. Skips unreadable events, since the event processor stops at
 * them.
 */
export const unreadableEndpoints = async (
  log: Pick<EventLog, 'readAll'>,
  box: Pick<SecretBox, 'hasKeyOf'>,
): Promise<ReadonlySet<EndpointId>> => {
  const unreadable = new Set<EndpointId>();
  for await (const { events } of log.readAll({ prefix: streams.allWebhooks })) {
    for (const event of events.flatMap(decoded).filter(isEndpointEvent)) {
      const { endpoint_id } = event.data;
      const secret = secretOf(event);
      const isUnsubscribed = event.type === 'webhook.unsubscribed';
      if (isUnsubscribed || (secret !== undefined && box.hasKeyOf(secret)))
        unreadable.delete(endpoint_id);
      else if (secret !== undefined) unreadable.add(endpoint_id);
    }
  }
  return unreadable;
};

/** The sealed secret that an event gives its endpoint; undefined if it gives none. */
const secretOf = (event: EndpointEvent): string | undefined => {
  switch (event.type) {
    case 'webhook.subscribed':
    case 'webhook.updated':
    case 'webhook.paused':
    case 'webhook.enabled':
      return event.data.fields.secret;
    case 'webhook.secret_rotated':
      return event.data.secret;
    case 'webhook.disabled':
    case 'webhook.failing':
    case 'webhook.recovered':
    case 'webhook.unsubscribed':
      return undefined;
  }
};

/** Whether one of the keys opens a sealed secret. */
export const canOpen = (box: Pick<SecretBox, 'open'>, sealed: string): boolean => {
  try {
    box.open(sealed);
    return true;
  } catch (error) {
    if (error instanceof SealedUnreadable) return false;
    throw error;
  }
};

const decoded = (logged: LoggedEvent) => {
  try {
    return [decodeEvent(logged)];
  } catch (error) {
    if (error instanceof UnreadableEvent) return [];
    throw error;
  }
};
