import { EventStoreDBClient, jsonEvent, binaryEvent } from '@eventstore/db-client';
import { startEventStoreDbToHarm, type TestServer } from '@refledger/testing/servers';
import { open } from '../../test/eventstoredb/logs.js';
import { batchesOf, eventsOf, idsOf, newEvents, newStream } from '../conformance/under-test.js';

describe('what others do to the streams of a log', () => {
  let server: TestServer;
  let client: EventStoreDBClient;
  beforeAll(async () => {
    server = await startEventStoreDbToHarm();
    client = EventStoreDBClient.connectionString(server.url);
  });
  afterAll(() => server.stop());

  it('truncated: what is gone is said, what is left is read, and an append from before answers without a position', async () => {
    const log = await open(server.url);
    const [stream, events] = [newStream(), newEvents(5)];
    await log.append(stream, events, 'no stream');
    await client.setStreamMetadata(stream, { truncateBefore: 3 });

    await expect(eventsOf(log.readStream(stream))).rejects.toMatchObject({
      fault: { kind: 'unusable' },
      message: `${stream} has no events from revision 0 up to 3 any more: they were truncated or deleted in EventStoreDB, which nothing of ours does`,
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

  it('deleted: it reads as one that is not there, an append from before answers without a position, and the log as a whole still has its events', async () => {
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

  it('deleted for good: both reading and appending say so', async () => {
    const log = await open(server.url);
    const stream = newStream();
    const { position } = await log.append(stream, newEvents(2), 'no stream');
    await client.tombstoneStream(stream);

    await expect(eventsOf(log.readStream(stream))).rejects.toMatchObject({
      fault: { kind: 'unusable' },
      message: expect.stringContaining(`was deleted for good (${stream})`) as string,
    });
    await expect(log.append(stream, newEvents(1), 1)).rejects.toMatchObject({
      fault: { kind: 'unusable' },
      message: expect.stringContaining('was deleted for good') as string,
    });
    // the stream's tombstone is not one of Refledger's events
    expect(await log.head()).toBe(position);
  });

  it('mixed with other things: only events of ours are read, and the head is the last of them', async () => {
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

  it('with something that is no event of ours in one: it is handed on, so that its reader can say which it is', async () => {
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
