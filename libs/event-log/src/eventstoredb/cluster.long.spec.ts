import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { DoubleServer } from '@refledger/testing/eventstoredb';
import { closing, open, startDouble } from '../../test/eventstoredb/logs.js';
import { eventsOf, newEvent, newEvents, newStream } from '../conformance/under-test.js';
import { encodeAppend } from '../encode-append.js';
import { Appender } from './appending/appender.js';
import { Connection } from './connection.js';

describe('a cluster', () => {
  const cluster = async (): Promise<readonly [DoubleServer, DoubleServer]> => {
    const first = await startDouble();
    const second = await startDouble({ shares: first });
    first.lead();
    return [first, second];
  };

  it('that changes its leader redirects appends and reads, through the former leader', async () => {
    const [first, second] = await cluster();
    const [log, reader] = [await open(first.url), await open(first.url)];
    const stream = newStream();
    await log.append(stream, newEvents(1), 'no stream');
    second.lead();
    expect((await log.append(stream, newEvents(1), 0)).revision).toBe(1);
    expect(await eventsOf(reader.readStream(stream))).toHaveLength(2);
    first.lead();
    expect(await eventsOf(reader.readStream(stream))).toHaveLength(2);
    expect(
      (
        await Promise.all(
          Array.from({ length: 20 }, () => log.append(newStream(), newEvents(1), 'no stream')),
        )
      ).map(({ revision }) => revision),
    ).toEqual(Array.from({ length: 20 }, () => 0));
  });

  it('is discovered through its nodes, and works without its former leader', async () => {
    const [first, second] = await cluster();
    const log = await open(
      `esdb://${first.address},${second.address}?tls=false&maxDiscoverAttempts=3`,
    );
    const stream = newStream();
    await log.append(stream, newEvents(1), 'no stream');
    await first.kill();
    second.lead();
    const append = async (): Promise<number> =>
      log.append(stream, [event], 0).then(({ revision }) => revision, append);
    const event = newEvent();
    expect(await append()).toBe(1);
  });
});

describe('a cluster that accepts connections but never responds', () => {
  it('is unavailable for opening and appending, long before the client gives up looking for a leader', async () => {
    const silent = createServer();
    const sockets = new Set<Socket>();
    silent.on('connection', (socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const url = `esdb://${address},${address}?tls=false&maxDiscoverAttempts=15`;
    closing.push({
      close: () =>
        new Promise((resolve) => {
          for (const socket of sockets) socket.destroy();
          silent.close(resolve);
        }),
    });
    await expect(open(url, 300)).rejects.toMatchObject({ fault: { kind: 'unavailable' } });
    const appender = new Appender(new Connection(url, 300), 300);
    await expect(
      appender.append(encodeAppend(newStream(), newEvents(1), 'no stream')),
    ).rejects.toMatchObject({ fault: { kind: 'unavailable' } });
    await appender.close();
  });
});
