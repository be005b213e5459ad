import { streams, type EndpointId } from '@refledger/contracts';
import {
  decodeEvent,
  UnreadableEvent,
  type EventLog,
  type LoggedEvent,
} from '@refledger/event-log';
import { SecretUnreadable, type SecretBox } from './secret-box.js';

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
    for (const event of events.flatMap(decoded)) {
      if (event.type === 'webhook.unsubscribed') unreadable.delete(event.data.endpoint_id);
      if (event.type !== 'webhook.subscribed' && event.type !== 'webhook.updated') continue;
      if (box.hasKeyOf(event.data.fields.secret)) unreadable.delete(event.data.endpoint_id);
      else unreadable.add(event.data.endpoint_id);
    }
  }
  return unreadable;
};

/** Whether one of the keys opens a sealed secret. */
export const canOpen = (box: Pick<SecretBox, 'open'>, sealed: string): boolean => {
  try {
    box.open(sealed);
    return true;
  } catch (error) {
    if (error instanceof SecretUnreadable) return false;
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
