import { streams, type AccountId } from '@refledger/contracts';
import { decodeEvent, type EventLog } from '@refledger/event-log';

/**
 * Whether a key with this hash was ever created in an account, revoked or not. Reads the whole
 * stream of the account's keys, so it is for a start whose configured key isn't live.
 */
export const wasCreated = async (
  log: Pick<EventLog, 'readStream'>,
  account: AccountId,
  hash: string,
): Promise<boolean> => {
  for await (const events of log.readStream(streams.keys(account))) {
    for (const event of events.map(decodeEvent))
      if (event.type === 'key.created' && event.data.hash === hash) return true;
  }
  return false;
};
