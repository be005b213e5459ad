/// <reference types="jest" />
import { getEventListeners } from 'node:events';
import { comparePositions } from '@refledger/contracts';
import { present } from '@refledger/testing/present';
import type { EventLog, LogBatch, SubscribeOptions } from '../event-log.js';
import {
  batchesOf,
  eventsOf,
  faultOf,
  followUntil,
  idsOf,
  newEvent,
  newEvents,
  newStream,
  type LogHandles,
} from './under-test.js';

export const subscribing = (handles: () => LogHandles): void => {
  describe('subscribe', () => {
    it('continues from existing to new events, without gaps or duplicates, while others write', async () => {
      const { log, another } = handles();
      const writers = [log, await another(), await another()];
      const head = await log.head();
      const streams = writers.map(() => newStream());
      const last = newEvent('the end');
      await Promise.all(writers.map((writer, n) => write(writer, present(streams[n]), 0, 200)));
      const subscriptions = [
        followUntil(log, { after: head, batchSize: 13 }, ({ id }) => id === last.id),
        followUntil(present(writers[1]), { after: head }, ({ id }) => id === last.id),
        followUntil(present(writers[2]), { after: head, batchSize: 1 }, ({ id }) => id === last.id),
      ];
      await Promise.all(writers.map((writer, n) => write(writer, present(streams[n]), 200, 300)));
      await log.append(newStream(), [last], 'no stream');
      const expected = idsOf(await batchesOf(log.readAll({ after: head })));
      expect(expected).toHaveLength(3 * 500 + 1);
      for (const batches of await Promise.all(subscriptions))
        expect(idsOf(batches)).toEqual(expected);
    });

    it('yields only events that match the prefix, and skips the rest', async () => {
      const { log } = handles();
      const head = await log.head();
      const prefix = newStream('mine');
      const last = newEvent('the end');
      const subscription = followUntil(log, { after: head, prefix }, ({ id }) => id === last.id);
      const mine = newEvents(20);
      for (const [n, event] of mine.entries()) {
        await log.append(`${prefix}-${n}`, [event], 'no stream');
        await log.append(newStream('other'), newEvents(2), 'no stream');
      }
      await log.append(prefix, [last], 'no stream');
      const batches = await subscription;
      expect(idsOf(batches)).toEqual([...mine, last].map(({ id }) => id));
      expect(
        comparePositions(present(batches.at(-1)).through, present(await log.head())),
      ).toBeGreaterThanOrEqual(0);
    });

    it('moves `through` over events that do not match while it waits', async () => {
      const { log } = handles();
      const ending = new AbortController();
      const { position } = await log.append(newStream('other'), newEvents(1), 'no stream');
      const batches = log.subscribe({
        prefix: newStream('mine'),
        after: position,
        signal: ending.signal,
      });
      const iterator = batches[Symbol.asyncIterator]();
      const next = iterator.next();
      const { position: later } = await log.append(newStream('other'), newEvents(1), 'no stream');
      const { events, through } = (await next).value as LogBatch;
      expect(events).toEqual([]);
      expect(comparePositions(through, present(later))).toBeGreaterThanOrEqual(0);
      ending.abort();
      expect((await iterator.next()).done).toBe(true);
    });

    it('does not read ahead of a slow subscriber, which misses nothing', async () => {
      const { log } = handles();
      const head = await log.head();
      const stream = newStream();
      const ending = new AbortController();
      const batches = log.subscribe({ after: head, batchSize: 10, signal: ending.signal });
      const iterator = batches[Symbol.asyncIterator]();
      const seen: LogBatch[] = [];
      let written = 0;
      for (let round = 0; round < 20; round += 1) {
        await log.append(stream, newEvents(25), written === 0 ? 'no stream' : written - 1);
        written += 25;
        const { value } = (await iterator.next()) as { value: LogBatch };
        expect(value.events.length).toBeLessThanOrEqual(10);
        seen.push(value);
      }
      while (idsOf(seen).length < written)
        seen.push(((await iterator.next()) as { value: LogBatch }).value);
      expect(idsOf(seen)).toEqual((await eventsOf(log.readStream(stream))).map(({ id }) => id));
      ending.abort();
      expect((await iterator.next()).done).toBe(true);
    });

    it('ends without an error when it is aborted before it starts, while it waits, or while it reads', async () => {
      const { log } = handles();
      const after = await log.head();
      const collect = (options: SubscribeOptions): Promise<LogBatch[]> =>
        batchesOf(log.subscribe(options));
      expect(await collect({ signal: AbortSignal.abort() })).toEqual([]);

      const waiting = new AbortController();
      const ended = collect({ after, signal: waiting.signal });
      await new Promise(setImmediate);
      waiting.abort();
      expect(await ended).toEqual([]);

      await log.append(newStream(), newEvents(30), 'no stream');
      const between = new AbortController();
      const batches: LogBatch[] = [];
      for await (const batch of log.subscribe({ after, batchSize: 10, signal: between.signal })) {
        batches.push(batch);
        between.abort();
      }
      expect(batches).toHaveLength(1);
    });

    it('leaves no listener behind on the signal', async () => {
      const { log } = handles();
      const after = await log.head();
      const ending = new AbortController();
      const last = newEvent('the end');
      const following = (async () => {
        for await (const { events } of log.subscribe({ after, signal: ending.signal }))
          if (events.some(({ id }) => id === last.id)) break;
      })();
      for (let n = 0; n < 30; n += 1) await log.append(newStream(), newEvents(1), 'no stream');
      await log.append(newStream(), [last], 'no stream');
      await following;
      expect(getEventListeners(ending.signal, 'abort')).toEqual([]);
    });

    it('ends with `unavailable` when the log is closed', async () => {
      const { another } = handles();
      const log = await another();
      const following = faultOf(
        batchesOf(log.subscribe({ after: await log.head(), signal: new AbortController().signal })),
      );
      await new Promise(setImmediate);
      await log.close();
      expect(await following).toEqual({ kind: 'unavailable' });
    });
  });
};

/**
 * Appends events in groups of ten concurrent appends, each event to its own stream; the streams'
 * names start with `stream`.
 */
const write = async (
  log: EventLog,
  stream: ReturnType<typeof newStream>,
  from: number,
  count: number,
): Promise<void> => {
  for (let n = from; n < from + count; n += 10) {
    await Promise.all(
      Array.from({ length: 10 }, (_, k) =>
        log.append(`${stream}-${n + k}`, newEvents(1), 'no stream'),
      ),
    );
  }
};
