import { EventStoreDBClient, START, streamNameFilter, type EventData } from '@eventstore/db-client';

/**
 * The baseline for measuring the event log's adapter: the bare client, used as its documentation
 * shows.
 */
export interface RawClient {
  /** Appends events to a new stream. */
  append(
    stream: string,
    events: readonly {
      readonly id: string;
      readonly type: string;
      readonly data: unknown;
      readonly metadata: unknown;
    }[],
  ): Promise<void>;
  /** Follows `$all` from the start, filtered by a prefix, until `count` events have arrived. */
  follow(prefix: string, count: number): Promise<void>;
  /**
   * Reads `$all` from start to end without a filter, which the client's reads do not support.
   * Resolves to the number of events whose stream starts with the prefix.
   */
  readAll(prefix: string): Promise<number>;
  close(): Promise<void>;
}

export const openRawClient = (url: string): RawClient => {
  const client = EventStoreDBClient.connectionString(url);
  return {
    append: async (stream, events) => {
      await client.appendToStream(
        stream,
        events.map(
          (event) => ({ ...event, contentType: 'application/json' }) as unknown as EventData,
        ),
        { expectedRevision: 'no_stream' },
      );
    },
    follow: async (prefix, count) => {
      const subscription = client.subscribeToAll({
        fromPosition: START,
        filter: streamNameFilter({ prefixes: [prefix] }),
      });
      let seen = 0;
      for await (const _ of subscription) if (++seen === count) break;
      await subscription.unsubscribe();
    },
    readAll: async (prefix) => {
      let seen = 0;
      for await (const { event } of client.readAll({ fromPosition: START }))
        if (event?.streamId.startsWith(prefix) === true && !event.type.startsWith('$')) seen += 1;
      return seen;
    },
    close: async () => {
      const channel = await client['getChannel']().catch(() => undefined);
      channel?.close();
    },
  };
};
