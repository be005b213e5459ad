import type { Position } from '@refledger/contracts';
import fc from 'fast-check';
import { newAppend } from './conformance/under-test.js';
import type { LogBatch, LoggedEvent, NewEvent } from './event-log.js';
import { halvesOf, startingAppends, wholeAppends } from './whole-appends.js';

it('ends every batch at the end of an append, and yields every event once and in order', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 5 }), async (appends, batchSize) => {
      const events = appends.flatMap(newAppend).map(loggedAs);
      const batches: LogBatch[] = [];
      for await (const batch of wholeAppends(batchesOf(events, batchSize))) batches.push(batch);
      expect(batches.flatMap((batch) => batch.events)).toEqual(events);
      for (const batch of batches) {
        const last = batch.events.at(-1);
        expect(last?.metadata.append_continues).toBeUndefined();
        expect(batch.through).toBe(last?.position);
      }
    }),
  );
});

it('passes on batches without events', async () => {
  const batch = { events: [], through: '7' as Position };
  const batches: LogBatch[] = [];
  for await (const each of wholeAppends(only(batch))) batches.push(each);
  expect(batches).toEqual([batch]);
});

it('halves a batch at the end of an append, until it is a single append', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(sizes, (appends) => {
      const events = appends.flatMap(newAppend).map(loggedAs);
      const through = '1000' as Position;
      const halves = halvesOf({ events, through });
      expect(halves.flatMap((half) => half.events)).toEqual(events);
      expect(halves).toHaveLength(Math.min(appends.length, 2));
      expect(halves.at(-1)?.through).toBe(through);
      for (const half of halves) {
        expect(half.events).not.toEqual([]);
        expect(startingAppends(half.events)).toEqual(half.events);
      }
      if (halves.length > 1) expect(halves[0]?.through).toBe(halves[0]?.events.at(-1)?.position);
    }),
  );
});

const loggedAs = (event: NewEvent, index: number): LoggedEvent => ({
  ...event,
  stream: 'refledger.any',
  revision: index,
  position: String(index + 1) as Position,
});

async function* batchesOf(events: readonly LoggedEvent[], size: number): AsyncGenerator<LogBatch> {
  for (let from = 0; from < events.length; from += size) {
    const batch = events.slice(from, from + size);
    const through = batch.at(-1)?.position;
    if (through !== undefined) yield await Promise.resolve({ events: batch, through });
  }
}

async function* only(batch: LogBatch): AsyncGenerator<LogBatch> {
  yield await Promise.resolve(batch);
}
