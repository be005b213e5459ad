import { EventStoreDBClient, jsonEvent, binaryEvent } from '@eventstore/db-client';
import { startDisposableEventStoreDb, type TestServer } from '@refledger/testing/servers';
import { open } from '../../test/eventstoredb/logs.js';
import { batchesOf, eventsOf, idsOf, newEvents, newStream } from '../conformance/under-test.js';

describe('foreign changes to the streams of a log', () => {
  let server: TestServer;
  let client: EventStoreDBClient;
  beforeAll(async () => {
    server = await startDisposableEventStoreDb();
    client = EventStoreDBClient.connectionString(server.url);
  });
  afterAll(() => server.stop());

  it('truncation is reported, the rest is readable, and repeating an earlier append returns no position', async () => {
    const log = await open(server.url);
    const [stream, events] = [newStream(), newEvents(5)];
    await log.append(stream, events, 'no stream');
    await client.setStreamMetadata(stream, { truncateBefore: 3 });

    await expect(eventsOf(log.readStream(stream))).rejects.toMatchObject({
      fault: { kind: 'unusable' },
      message: `${stream} lacks the events from revision 0 to 3, which were truncated or deleted in EventStoreDB; Refledger never does that. Restore a backup.`,
    });
    expect(
      (await eventsOf(log.readStream(stream, { from: 3 }))).map(({ revision }) => revision),
    ).toEqual([3, 4]);
    expect(await log.append(stream, events.slice(0, 2), 'no stream')).toEqual({
      revision: 1,
      position: undefined,
    });
    expect((await log.append(stream, newEvents(1), 4)).revision).toBe(5);
  });

  it('a deleted stream reads as missing, repeating an earlier append returns no position, and the log as a whole keeps its events', async () => {
    const log = await open(server.url);
    const [stream, events] = [newStream(), newEvents(2)];
    const head = await log.head();
    await log.append(stream, events, 'no stream');
    await client.deleteStream(stream);

    expect(await eventsOf(log.readStream(stream))).toEqual([]);
    expect(await log.append(stream, events, 'no stream')).toEqual({
      revision: 1,
      position: undefined,
    });
    expect(idsOf(await batchesOf(log.readAll({ after: head })))).toEqual(
      events.map(({ id }) => id),
    );
  });

  it('reads of missing streams reset no calls: a server disconnects a client that resets many', async () => {
    const log = await open(server.url);
    for (let read = 0; read < 2_000; read++)
      expect(await eventsOf(log.readStream(newStream()))).toEqual([]);
  });

  it('permanent deletion is reported by both reading and appending', async () => {
    const log = await open(server.url);
    const stream = newStream();
    const { position } = await log.append(stream, newEvents(2), 'no stream');
    await client.tombstoneStream(stream);

    await expect(eventsOf(log.readStream(stream))).rejects.toMatchObject({
      fault: { kind: 'unusable' },
      message: expect.stringContaining(
        `stream ${stream} of the event log was deleted permanently`,
      ) as string,
    });
    await expect(log.append(stream, newEvents(1), 1)).rejects.toMatchObject({
      fault: { kind: 'unusable' },
      message: expect.stringContaining('was deleted permanently') as string,
    });
    // the stream's tombstone is not one of Refledger's events
    expect(await log.head()).toBe(position);
  });

  it('foreign events are ignored: only Refledger’s events are read, and the head is the last of them', async () => {
    const log = await open(server.url);
    const stream = newStream();
    const { position: before } = await log.append(stream, newEvents(1), 'no stream');
    const { position } = await log.append(stream, newEvents(1), 0);
    for (let n = 0; n < 30; n += 1)
      await client.appendToStream(`another-${crypto.randomUUID()}`, [
        jsonEvent({ type: 'theirs', data: {} }),
        binaryEvent({ type: 'binary', data: Buffer.from('x') }),
      ]);

    expect(await log.head()).toBe(position);
    expect(
      (await batchesOf(log.readAll({ after: before }))).flatMap(({ events }) =>
        events.map((event) => event.position),
      ),
    ).toEqual([position]);
  });

  it('a foreign event within a stream is passed on, so that its reader can name it', async () => {
    const log = await open(server.url);
    const stream = newStream();
    const head = await log.head();
    await client.appendToStream(
      stream,
      binaryEvent({ type: 'foreign', data: Buffer.from('not JSON') }),
    );
    expect(
      (await batchesOf(log.readAll({ after: head }))).flatMap(({ events }) => events),
    ).toMatchObject([
      {
        stream,
        type: 'foreign',
        data: undefined,
        metadata: { actor: 'unknown', recorded_at: expect.stringMatching(/^2\d{3}-/) as string },
      },
    ]);
  });
});
