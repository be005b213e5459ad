import { streams, type EndpointId } from '@refledger/contracts';
import { decodeEvent, type EventLog } from '@refledger/event-log';
import { SecretUnreadable, type SecretBox } from './secret-box.js';
import { SecretsKeyUnusable } from './secrets-key.js';

/**
 * Refuses a start with keys that can't open the secrets of endpoints in use: every delivery to them would fail until its attempts are
 * used up. Throws `SecretsKeyUnusable`. `where` says where the keys come from.
 */
export const requireReadableSecrets = async (log: Pick<EventLog, 'readAll'>, box: Pick<SecretBox, 'open'>, where: string): Promise<void> => {
  const unreadable = new Set<EndpointId>();
  for await (const { events } of log.readAll({ prefix: streams.allWebhooks })) {
    for (const event of events.map(decodeEvent)) {
      if (event.type === 'webhook.unsubscribed') unreadable.delete(event.data.endpoint_id);
      if (event.type !== 'webhook.subscribed' && event.type !== 'webhook.updated') continue;
      if (opens(box, event.data.fields.secret)) unreadable.delete(event.data.endpoint_id);
      else unreadable.add(event.data.endpoint_id);
    }
  }
  if (unreadable.size > 0) throw new SecretsKeyUnusable(`the secrets of ${unreadable.size} webhook endpoints are sealed under a key that is not in ${where}: put back the key that was there, with which their deliveries are signed`);
};

const opens = (box: Pick<SecretBox, 'open'>, sealed: string): boolean => {
  try {
    box.open(sealed);
    return true;
  } catch (error) {
    if (error instanceof SecretUnreadable) return false;
    throw error;
  }
};
