import { EventStoreDBClient } from '@eventstore/db-client';
import { present } from '@refledger/testing/present';
import { open, startDouble } from '../../../test/eventstoredb/logs.js';
import {
  batchesOf,
  faultOf,
  idsOf,
  newEvent,
  newEvents,
  newStream,
} from '../../conformance/under-test.js';
import type { LogBatch } from '../../event-log.js';

afterEach(() => jest.restoreAllMocks());

describe('a subscriber', () => {
  it('that is too slow while live is dropped, and continues without gaps or duplicates', async () => {
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
    // more than the connection buffers by itself
    const events = Array.from({ length: 700 }, () => newEvent('x'.repeat(20_000)));
    for (const event of events) await log.append(newStream(), [event], 'no stream');
    while (idsOf(seen).length < 701) seen.push((await iterator.next()).value as LogBatch);
    expect(idsOf(seen)).toEqual([first, ...events].map(({ id }) => id));
    expect(subscriptions.mock.calls.length).toBeGreaterThan(1);
    ending.abort();
    await iterator.next();
  });

  it('with a narrow prefix receives few events on its way to the head', async () => {
    const double = await startDouble();
    const log = await open(double.url);
    const prefix = newStream('narrow');
    await log.append(`${prefix}-1`, newEvents(1), 'no stream');
    for (let n = 0; n < 20; n += 1)
      await log.append(newStream('other'), newEvents(50), 'no stream');
    await log.append(`${prefix}-2`, newEvents(1), 'no stream');
    await log.append(newStream('other'), newEvents(1), 'no stream');
    const subscriptions = jest.spyOn(EventStoreDBClient.prototype, 'subscribeToAll');
    const batches = await batchesOf(log.readAll({ prefix }));
    expect(idsOf(batches)).toHaveLength(2);
    expect(batches.at(-1)?.through).toBe(await log.head());
    // two events of the prefix, and the log's last event, which ends the read
    expect(subscriptions.mock.calls[0]?.[0]?.filter).toMatchObject({
      prefixes: [prefix, expect.stringContaining('refledger.other-')],
    });
  });

  it('fails with a clear error when it is a different server', async () => {
    const double = await startDouble();
    const log = await open(double.url);
    const { position } = await log.append(newStream(), newEvents(1), 'no stream');
    const beyond = String(BigInt(present(position)) + 1n) as NonNullable<typeof position>;
    await log.append(newStream(), newEvents(1), 'no stream');
    expect(
      await faultOf(
        batchesOf(log.subscribe({ after: beyond, signal: new AbortController().signal })),
      ),
    ).toEqual({ kind: 'unavailable' });
  });
});
