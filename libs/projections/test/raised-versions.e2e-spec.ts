import { comparePositions, streams, type Position } from '@refledger/contracts';
import { ReadModelUnreadable, type Document } from '@refledger/read-store';
import { waitFor } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { withEarlierVersions, type Projection } from '../src/index.js';
import { conversionChanged, conversionCreated } from './builders.js';
import { OnSqlite } from './on-sqlite.js';
import { buildsOf, idsIn, marked, newest } from './stored.js';

// its writer saves large builds in parts, in another thread, while documents are read
let embedded: OnSqlite;
beforeEach(() => (embedded = new OnSqlite()));
afterEach(() => embedded.remove());

const long = { timeoutMs: 60_000 };

it('never serves wrong data while a version is raised on a log of 100,000 events', async () => {
  const [log, store] = [await embedded.openLog(), await embedded.openStore()];
  const changes = Array.from({ length: 49 }, () => conversionChanged('conversion.updated', {}, {}));
  const fill = (i: number) =>
    embedded.append(
      log,
      streams.conversion(`conv_${i}`),
      ...[conversionCreated(), ...changes].map(
        (event) =>
          ({ ...event, data: { ...event.data, conversion_id: `conv_${i}` } }) as typeof event,
      ),
    );
  await Promise.all(Array.from({ length: 2000 }, (_, i) => fill(i)));
  const slow = { timeoutMs: 120_000, intervalMs: 20 };
  const first = embedded.run(log, store, [marked(1)]);
  await waitFor(
    async () => (await buildsOf(store, 'conversions')).some(({ state }) => state === 'live'),
    slow,
  );
  await first.stop();

  const readWhile = async (
    projection: Projection,
    next: number,
  ): Promise<{ shapes: Set<unknown>; unreadable: boolean }> => {
    const running = embedded.run(log, store, [projection]);
    const shapes = new Set<unknown>();
    let unreadable = false;
    let before: Position | undefined;
    await waitFor(async () => {
      try {
        const { value, position } = await store.find(projection, log.id, 'conversions', newest);
        const [shape, ...others] = new Set(value.map((document: Document) => document['shape']));
        expect([
          value.length,
          others,
          value.every(({ record }) => record?.['revision'] === 49),
        ]).toEqual([100, [], true]);
        expect(before === undefined || comparePositions(present(position), before) >= 0).toBe(true);
        before = position;
        return shapes.add(shape).has(next);
      } catch (error) {
        if (!(error instanceof ReadModelUnreadable)) throw error;
        return !(unreadable = true);
      }
    }, slow);
    await waitFor(async () => (await buildsOf(store, 'conversions')).length === 1, slow);
    await running.stop();
    return { shapes, unreadable };
  };

  expect(await readWhile(withEarlierVersions(marked(2), [marked(1)]), 2)).toEqual({
    shapes: new Set([1, 2]),
    unreadable: false,
  });
  expect(await readWhile(marked(3), 3)).toEqual({ shapes: new Set([3]), unreadable: true });
});

it('maintains an older version with its own code while the new one is built', async () => {
  const [log, store] = [await embedded.openLog(), await embedded.openStore()];
  await embedded.sell(log, 'conv_1');
  const first = embedded.run(log, store, [marked(1)]);
  await waitFor(async () =>
    (await buildsOf(store, 'conversions')).some(({ state }) => state === 'live'),
  );
  await first.stop();
  const projection = withEarlierVersions(marked(2), [marked(1)]);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  embedded.run(log, store, [projection], async (batch) => {
    if (batch.events.some(({ type }) => type === 'log.opened')) await held;
    await batch.apply();
  });

  const position = await embedded.sell(log, 'conv_2');
  expect(await store.waitForPosition(projection, log.id, position, long)).toBe(true);
  expect(
    (await store.find(projection, log.id, 'conversions', newest)).value.map(({ shape }) => shape),
  ).toEqual([1, 1]);
  release();

  await waitFor(async () =>
    (await store.find(projection, log.id, 'conversions', newest)).value.every(
      ({ shape }) => shape === 2,
    ),
  );
  expect(await idsIn(store, log, projection)).toEqual(['conv_1', 'conv_2']);
});
