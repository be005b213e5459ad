import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { EventStoreDBClient, jsonEvent, binaryEvent } from '@eventstore/db-client';
import { startEventStoreDbDouble, type DoubleServer } from '@refledger/testing/eventstoredb';
import { certificates, startEventStoreDbToHarm, type TestServer } from '@refledger/testing/servers';
import { batchesOf, eventsOf, faultOf, idsOf, newEvent, newEvents, newStream } from '../conformance/under-test.js';
import { encodeAppend } from '../encode-append.js';
import type { EventLogError } from '../event-log-error.js';
import type { EventLog, LogBatch } from '../event-log.js';
import { Appender } from './appender.js';
import { connect } from './connect.js';
import { openEventStoreDbEventLog } from './index.js';

const closing: { close(): Promise<unknown> }[] = [];
const open = async (url: string, deadlineMs = 2_000): Promise<EventLog> => {
  const log = await openEventStoreDbEventLog({ url, deadlineMs });
  closing.push(log);
  return log;
};
const startDouble = async (options: Parameters<typeof startEventStoreDbDouble>[0] = {}): Promise<DoubleServer> => {
  const double = await startEventStoreDbDouble(options);
  closing.push({ close: () => double.stop() });
  return double;
};
afterEach(async () => {
  jest.restoreAllMocks();
  for (const each of closing.splice(0).reverse()) await each.close();
});
const refusal = (url: string): Promise<EventLogError> => open(url).then(() => Promise.reject(new Error('it opened')), (error: unknown) => error as EventLogError);

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

    await expect(eventsOf(log.readStream(stream))).rejects.toMatchObject({ fault: { kind: 'unusable' }, message: `${stream} has no events from revision 0 up to 3 any more: they were truncated or deleted in EventStoreDB, which nothing of ours does` });
    expect((await eventsOf(log.readStream(stream, { from: 3 }))).map(({ revision }) => revision)).toEqual([3, 4]);
    expect(await log.append(stream, events.slice(0, 2), 'no stream')).toEqual({ revision: 1, position: undefined });
    expect((await log.append(stream, newEvents(1), 4)).revision).toBe(5);
  });

  it('deleted: it reads as one that is not there, an append from before answers without a position, and the log as a whole still has its events', async () => {
    const log = await open(server.url);
    const [stream, events] = [newStream(), newEvents(2)];
    const head = await log.head();
    await log.append(stream, events, 'no stream');
    await client.deleteStream(stream);

    expect(await eventsOf(log.readStream(stream))).toEqual([]);
    expect(await log.append(stream, events, 'no stream')).toEqual({ revision: 1, position: undefined });
    expect(idsOf(await batchesOf(log.readAll({ after: head })))).toEqual(events.map(({ id }) => id));
  });

  it('deleted for good: both reading and appending say so', async () => {
    const log = await open(server.url);
    const stream = newStream();
    const { position } = await log.append(stream, newEvents(2), 'no stream');
    await client.tombstoneStream(stream);

    await expect(eventsOf(log.readStream(stream))).rejects.toMatchObject({ fault: { kind: 'unusable' }, message: expect.stringContaining(`was deleted for good (${stream})`) as string });
    await expect(log.append(stream, newEvents(1), 1)).rejects.toMatchObject({ fault: { kind: 'unusable' }, message: expect.stringContaining('was deleted for good') as string });
    // its tombstone stands in the stream, and is no event of ours
    expect(await log.head()).toBe(position);
  });

  it('mixed with other things: only events of ours are read, and the head is the last of them', async () => {
    const log = await open(server.url);
    const stream = newStream();
    const { position: before } = await log.append(stream, newEvents(1), 'no stream');
    const { position } = await log.append(stream, newEvents(1), 0);
    for (let n = 0; n < 30; n += 1) await client.appendToStream(`another-${crypto.randomUUID()}`, [jsonEvent({ type: 'theirs', data: {} }), binaryEvent({ type: 'binary', data: Buffer.from('x') })]);

    expect(await log.head()).toBe(position);
    expect((await batchesOf(log.readAll({ after: before }))).flatMap(({ events }) => events.map((event) => event.position))).toEqual([position]);
  });

  it('with something that is no event of ours in one: it is handed on, so that its reader can say which it is', async () => {
    const log = await open(server.url);
    const stream = newStream();
    const head = await log.head();
    await client.appendToStream(stream, binaryEvent({ type: 'foreign', data: Buffer.from('not JSON') }));
    expect((await batchesOf(log.readAll({ after: head }))).flatMap(({ events }) => events)).toMatchObject([{ stream, type: 'foreign', data: undefined, metadata: { actor: 'unknown', recorded_at: expect.stringMatching(/^2\d{3}-/) as string } }]);
  });
});

describe('opening', () => {
  it('gives a new log one id, whoever is first of many', async () => {
    const double = await startDouble();
    const all = await Promise.all(Array.from({ length: 8 }, () => open(double.url)));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect(await eventsOf(all[0]!.readStream('refledger.log'))).toHaveLength(1);
  });

  it('refuses a server on which the beginning of the log is gone', async () => {
    const double = await startDouble();
    await open(double.url);
    await EventStoreDBClient.connectionString(double.url).deleteStream('refledger.log');
    expect(await refusal(double.url)).toMatchObject({ fault: { kind: 'unusable' }, message: expect.stringMatching(/revision 0|first event/) as string });
  });

  it.each(['nonsense', 'esdb://', 'http://127.0.0.1:2113', 'esdb://admin:hunter2@host:port', 'esdb://admin:hunter2@host:2113?tlsCAFile=/not/there.pem'])('refuses the connection string %s, and prints no password', async (url) => {
    const error = await refusal(url);
    expect(error.fault).toEqual({ kind: 'unusable' });
    expect(error.message).not.toContain('hunter2');
  });

  it('knows KurrentDB by its own scheme', async () => {
    const double = await startDouble();
    expect((await open(double.url.replace('esdb://', 'kurrentdb://'))).id).toBe((await open(double.url)).id);
  });
});

describe('TLS and users', () => {
  const login = 'admin:change me';
  const secure = (double: DoubleServer, user: string, authority: string | undefined): string =>
    `esdb://${user}${double.address}?tls=true${authority === undefined ? '' : `&tlsCAFile=${encodeURIComponent(authority)}`}`;

  it('are as the connection string says', async () => {
    const double = await startDouble({ tls: certificates.server, login });
    const log = await open(secure(double, 'admin:change%20me@', certificates.authority));
    expect((await log.append(newStream(), newEvents(1), 'no stream')).revision).toBe(0);
  });

  it.each([
    ['a wrong password', 'admin:hunter2@', certificates.authority, /refuses the user or the password in EVENT_LOG_URL/],
    ['no user', '', certificates.authority, /refuses the user or the password in EVENT_LOG_URL/],
    ['an authority that did not sign the certificate', 'admin:hunter2@', certificates.otherAuthority, /can't be trusted/],
    ['no authority', 'admin:hunter2@', undefined, /can't be trusted/],
  ])('with %s end the start with an error that says so', async (_name, user, authority, words) => {
    const double = await startDouble({ tls: certificates.server, login });
    const error = await refusal(secure(double, user, authority));
    expect(error.fault).toEqual({ kind: 'unusable' });
    expect(error.message).toMatch(words);
    expect(error.message).not.toContain('hunter2');
  });

  it('are told from a server without TLS', async () => {
    const double = await startDouble();
    expect(await refusal(`esdb://${double.address}?tls=true`)).toMatchObject({ fault: { kind: 'unusable' }, message: expect.stringContaining('TLS is not what EVENT_LOG_URL says') as string });
  });
});

describe('a cluster', () => {
  const cluster = async (): Promise<readonly [DoubleServer, DoubleServer]> => {
    const first = await startDouble();
    const second = await startDouble({ shares: first });
    first.lead();
    return [first, second];
  };

  it('that changes its leader is followed by appends and reads, through the node that was one', async () => {
    const [first, second] = await cluster();
    const [log, reader] = [await open(first.url), await open(first.url)];
    const stream = newStream();
    await log.append(stream, newEvents(1), 'no stream');
    second.lead();
    expect((await log.append(stream, newEvents(1), 0)).revision).toBe(1);
    expect(await eventsOf(reader.readStream(stream))).toHaveLength(2);
    first.lead();
    expect(await eventsOf(reader.readStream(stream))).toHaveLength(2);
    expect((await Promise.all(Array.from({ length: 20 }, () => log.append(newStream(), newEvents(1), 'no stream')))).map(({ revision }) => revision)).toEqual(Array.from({ length: 20 }, () => 0));
  });

  it('is found by its nodes, and goes on without the one that led', async () => {
    const [first, second] = await cluster();
    const log = await open(`esdb://${first.address},${second.address}?tls=false&maxDiscoverAttempts=3`);
    const stream = newStream();
    await log.append(stream, newEvents(1), 'no stream');
    await first.kill();
    second.lead();
    const append = async (): Promise<number> => log.append(stream, [event], 0).then(({ revision }) => revision, append);
    const event = newEvent();
    expect(await append()).toBe(1);
  });
});

describe('a cluster that takes connections and never answers', () => {
  it('is unavailable, to the opening and to an append, long before the client gives up looking for a leader', async () => {
    const silent = createServer();
    const sockets = new Set<Socket>();
    silent.on('connection', (socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const url = `esdb://${address},${address}?tls=false&maxDiscoverAttempts=15`;
    closing.push({ close: () => new Promise((resolve) => {
      for (const socket of sockets) socket.destroy();
      silent.close(resolve);
    }) });
    await expect(open(url, 300)).rejects.toMatchObject({ fault: { kind: 'unavailable' } });
    const appender = new Appender(connect(url), 300);
    await expect(appender.append(encodeAppend(newStream(), newEvents(1), 'no stream'))).rejects.toMatchObject({ fault: { kind: 'unavailable' } });
    await appender.close();
  });
});

describe('a subscriber', () => {
  it('that is too slow while live is cut off, and goes on without gap or double', async () => {
    const double = await startDouble({ liveBuffer: 20 });
    const log = await open(double.url, 10_000);
    const subscriptions = jest.spyOn(EventStoreDBClient.prototype, 'subscribeToAll');
    const head = await log.head();
    const ending = new AbortController();
    const iterator = log.subscribe({ after: head, signal: ending.signal })[Symbol.asyncIterator]();
    const first = newEvent('first');
    const next = iterator.next();
    await log.append(newStream(), [first], 'no stream');
    const seen = [(await next).value as LogBatch];
    // more than the connection takes by itself
    const events = Array.from({ length: 700 }, () => newEvent('x'.repeat(20_000)));
    for (const event of events) await log.append(newStream(), [event], 'no stream');
    while (idsOf(seen).length < 701) seen.push((await iterator.next()).value as LogBatch);
    expect(idsOf(seen)).toEqual([first, ...events].map(({ id }) => id));
    expect(subscriptions.mock.calls.length).toBeGreaterThan(1);
    ending.abort();
    await iterator.next();
  });

  it('of a narrow prefix is sent little on its way to the end', async () => {
    const double = await startDouble();
    const log = await open(double.url);
    const prefix = newStream('narrow');
    await log.append(`${prefix}-1`, newEvents(1), 'no stream');
    for (let n = 0; n < 20; n += 1) await log.append(newStream('other'), newEvents(50), 'no stream');
    await log.append(`${prefix}-2`, newEvents(1), 'no stream');
    await log.append(newStream('other'), newEvents(1), 'no stream');
    const subscriptions = jest.spyOn(EventStoreDBClient.prototype, 'subscribeToAll');
    const batches = await batchesOf(log.readAll({ prefix }));
    expect(idsOf(batches)).toHaveLength(2);
    expect(batches.at(-1)?.through).toBe(await log.head());
    // two of its own and the last of all, which ends it
    expect(subscriptions.mock.calls[0]?.[0]?.filter).toMatchObject({ prefixes: [prefix, expect.stringContaining('refledger.other-')] });
  });

  it('ends with an error that says so when the server is another one', async () => {
    const double = await startDouble();
    const log = await open(double.url);
    const { position } = await log.append(newStream(), newEvents(1), 'no stream');
    const beyond = String(BigInt(position!) + 1n) as NonNullable<typeof position>;
    await log.append(newStream(), newEvents(1), 'no stream');
    expect(await faultOf(batchesOf(log.subscribe({ after: beyond, signal: new AbortController().signal })))).toEqual({ kind: 'unavailable' });
  });
});
