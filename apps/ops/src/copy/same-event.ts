import type { EventLog, LoggedEvent } from '@refledger/event-log';

/**
 * The same event in another log: same id, at the same revision of the same stream. Undefined when
 * it is not there.
 */
export const sameEvent = async (
  log: Pick<EventLog, 'readStream'>,
  { id, stream, revision }: Pick<LoggedEvent, 'id' | 'stream' | 'revision'>,
): Promise<LoggedEvent | undefined> => {
  for await (const [event] of log.readStream(stream, { from: revision, to: revision }))
    return event?.id === id ? event : undefined;
  return undefined;
};
