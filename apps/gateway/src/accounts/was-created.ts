import { streams, type AccountId } from '@refledger/contracts';
import { decodeEvent, type EventLog } from '@refledger/event-log';

/**
 * Whether a key with this hash was ever created in an account, even if it is revoked now. Reads the
 * account's whole stream of keys, so it is meant for a start whose configured key is not live.
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
