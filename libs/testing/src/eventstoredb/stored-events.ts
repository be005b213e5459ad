import { EventStoreDBClient, START } from '@eventstore/db-client';

/** The bytes of all events, with their types and metadata, by the name of their stream. */
export const storedEvents = async (url: string): Promise<ReadonlyMap<string, Buffer>> => {
  const client = EventStoreDBClient.connectionString(url);
  try {
    const stored = new Map<string, Buffer[]>();
    for await (const { event } of client.readAll({ fromPosition: START })) {
      if (event === undefined) continue;
      const parts = [event.streamId, event.type, event.data, event.metadata].map(bytesOf);
      stored.set(event.streamId, [...(stored.get(event.streamId) ?? []), ...parts]);
    }
    return new Map([...stored].map(([stream, parts]) => [stream, Buffer.concat(parts)]));
  } finally {
    await client.dispose();
  }
};

/** The client parses JSON, and returns everything else as bytes. */
const bytesOf = (part: unknown): Buffer =>
  part instanceof Uint8Array ? Buffer.from(part) : Buffer.from(JSON.stringify(part) ?? '');
