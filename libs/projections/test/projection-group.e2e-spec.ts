import { streams, type ConversionId } from '@refledger/contracts';
import type { LogBatch } from '@refledger/event-log';
import {
  ReadStoreError,
  type BuildChanges,
  type Document,
  type ReadStore,
} from '@refledger/read-store';
import { present } from '@refledger/testing/present';
import { affiliateStatsProjection, conversionsProjection, type Projection } from '../src/index.js';
import { ProjectionGroup, type Bulk } from '../src/projector/projection-group.js';
import { affiliateCreated, affiliateId, conversionChanged, conversionCreated } from './builders.js';
import { Embedded } from './embedded.js';
import { position, record, type HistoryEvent } from './history.js';

let embedded: Embedded;
let store: ReadStore;
beforeEach(async () => {
  embedded = new Embedded();
  store = await embedded.openStore();
});
afterEach(() => embedded.remove());

const created = (id: ConversionId): HistoryEvent => ({
  stream: streams.conversion(id),
  event: conversionCreated({}, id),
});
const approved = (id: ConversionId): HistoryEvent => ({
  stream: streams.conversion(id),
  event: conversionChanged('conversion.approved', {}, { status: 'approved' }, { id }),
});
const history = record([
  { stream: streams.affiliate(affiliateId), event: affiliateCreated },
  created('conv_1'),
  approved('conv_1'),
  created('conv_2'),
  approved('conv_2'),
]);
/** The events from one position to another. */
const batch = (from: number, to: number): LogBatch => ({
  events: history.slice(from - 1, to),
  through: position(to),
});
const none: ReadonlySet<string> = new Set();

const groupOf = async (
  to: ReadStore,
  bulk?: Bulk,
  projections: readonly Projection[] = [conversionsProjection, affiliateStatsProjection],
): Promise<ProjectionGroup> =>
  new ProjectionGroup(
    await Promise.all(
      projections.map(async (projection) => ({
        projection,
        build:
          (await to.builds(projection.name))[0] ??
          (await to.createBuild(projection, 'log-1', 'first')),
      })),
    ),
    to,
    'log-1',
    bulk,
  );
const statsIn = async (): Promise<Document | null | undefined> =>
  (
    await store.load(present((await store.builds('affiliate_stats'))[0]), 'affiliate_stats', [
      affiliateId,
    ])
  )[0]?.document;
const checkpointOf = async (projection: string) =>
  (await store.builds(projection))[0]?.checkpoint?.position;

/** The store, with a record of its saves and loads. */
const watched = (
  saves: BuildChanges[][],
  loads: string[][],
  save: ReadStore['save'] = (changes) => store.save(changes),
): ReadStore =>
  Object.assign(Object.create(store) as ReadStore, {
    save: (changes: BuildChanges[]) => (saves.push(changes), save(changes)),
    load: (build: Parameters<ReadStore['load']>[0], collection: string, ids: string[]) => (
      loads.push([...ids]),
      store.load(build, collection, ids)
    ),
    createBuild: (...args: Parameters<ReadStore['createBuild']>) => store.createBuild(...args),
    builds: (projection: string) => store.builds(projection),
  });

it('loads neither new documents nor those in memory, and saves each batch', async () => {
  const [saves, loads]: [BuildChanges[][], string[][]] = [[], []];
  const group = await groupOf(watched(saves, loads));

  for (let i = 1; i <= 5; i++) await group.apply(batch(i, i), none);
  const second = await groupOf(watched(saves, loads));
  for (let i = 1; i <= 5; i++) await second.apply(batch(i, i), none);

  expect([saves.length, loads]).toEqual([5, []]);
  expect(await statsIn()).toMatchObject({ conversions: { total: 2, approved: 2 } });
});

it('loads documents that are not in memory', async () => {
  await (await groupOf(store)).apply(batch(1, 2), none);
  const loads: string[][] = [];
  const again = await groupOf(watched([], loads));

  await again.apply(batch(3, 3), none);
  await again.apply(batch(4, 5), none);

  expect(loads).toEqual([['conv_1'], [affiliateId]]);
  expect(await statsIn()).toMatchObject({ conversions: { total: 2, approved: 2 } });
});

it('in bulk, saves documents and checkpoint once enough have accumulated, and the rest on flush', async () => {
  const saves: BuildChanges[][] = [];
  const group = await groupOf(watched(saves, []), { events: 3, bytes: Infinity });

  await group.apply(batch(1, 2), none);
  expect([group.position, saves.length]).toEqual([position(2), 0]);
  await group.apply(batch(3, 4), none);
  await group.apply(batch(5, 5), none);
  expect(saves).toHaveLength(1);
  await group.flush();
  await group.flush();

  expect(saves.map((changes) => changes.map(({ checkpoint }) => checkpoint.position))).toEqual([
    ['4', '4'],
    ['5', '5'],
  ]);
  expect(
    present(saves[1]?.[0])
      .documents.get('conversions')
      ?.map(({ id }) => id),
  ).toEqual(['conv_2']);
  expect(await statsIn()).toMatchObject({ conversions: { total: 2, approved: 2 } });
});

it('in bulk, saves before the documents in memory grow too large', async () => {
  const saves: BuildChanges[][] = [];
  const group = await groupOf(watched(saves, []), { events: Infinity, bytes: 300 });

  await group.apply(batch(1, 1), none);

  expect(saves).toHaveLength(1);
});

it('after a failed save, continues from the store and loses nothing', async () => {
  let failing = true;
  const group = await groupOf(
    watched([], [], (changes) =>
      failing ? Promise.reject(new Error('disk full')) : store.save(changes),
    ),
  );
  await expect(group.apply(batch(1, 3), none)).rejects.toThrow('disk full');

  failing = false;
  await group.restart();
  expect(group.position).toBeUndefined();
  await group.apply(batch(1, 3), none);
  await group.apply(batch(4, 5), none);

  expect(await statsIn()).toMatchObject({ conversions: { total: 2, approved: 2 } });
  expect(await checkpointOf('conversions')).toBe('5');
});

it('in bulk, learns of a failed save while it keeps folding', async () => {
  let failing = true;
  const group = await groupOf(
    watched([], [], (changes) =>
      failing ? Promise.reject(new Error('disk full')) : store.save(changes),
    ),
    { events: 2, bytes: Infinity },
  );
  await group.apply(batch(1, 2), none);
  await expect(group.apply(batch(3, 4), none)).rejects.toThrow('disk full');
  expect(await checkpointOf('conversions')).toBeUndefined();

  failing = false;
  await group.restart();
  for (let i = 1; i <= 5; i++) await group.apply(batch(i, i), none);
  await group.flush();

  expect(await statsIn()).toMatchObject({ conversions: { total: 2, approved: 2 } });
});

it('discards its memory when another writer is ahead', async () => {
  const loads: string[][] = [];
  const [group, other] = [await groupOf(watched([], loads)), await groupOf(store)];
  await group.apply(batch(1, 2), none);
  await other.apply(batch(1, 4), none);

  await group.apply(batch(3, 3), none);
  await group.apply(batch(4, 5), none);

  // The second attempt loads the documents of the whole batch, because the other writer had stored
  // those that it creates.
  expect(loads).toEqual([[affiliateId], ['conv_2'], [affiliateId]]);
  expect(await statsIn()).toMatchObject({ conversions: { total: 2, approved: 2 } });
  expect(await checkpointOf('affiliate_stats')).toBe('5');
});

it('saves nothing after an event on which a projection fails', async () => {
  const broken: Projection = {
    ...conversionsProjection,
    evolve: (document, event, key) => {
      if (event.position === position(4)) throw new Error('broken projection');
      return conversionsProjection.evolve(document, event, key);
    },
  };
  const group = await groupOf(store, { events: 100, bytes: Infinity }, [
    affiliateStatsProjection,
    broken,
  ]);

  await expect(group.apply(batch(1, 5), none)).rejects.toThrow('broken projection');

  expect(await statsIn()).toMatchObject({ conversions: { total: 1, approved: 1 } });
  expect([await checkpointOf('conversions'), await checkpointOf('affiliate_stats')]).toEqual([
    '3',
    '3',
  ]);
});

describe('an event that makes a document which can never be stored', () => {
  const sold = record(Array.from({ length: 256 }, (_, i) => created(`conv_${i + 1}`)));
  const sales = (from: number, to: number): LogBatch => ({
    events: sold.slice(from - 1, to),
    through: position(to),
  });
  /** An engine that always refuses the document of the sale at this position. */
  const refusing = (poison: number, saves: BuildChanges[][] = []): ReadStore =>
    watched(saves, [], (changes) => {
      const isRefused = changes.some(({ documents }) =>
        [...documents.values()].flat().some(({ id }) => id === `conv_${poison}`),
      );
      return isRefused
        ? Promise.reject(new ReadStoreError('unstorable', 'too large'))
        : store.save(changes);
    });
  const poisonAt = (n: number) => ({
    name: 'PoisonEvent',
    event: { position: position(n) },
    message: expect.stringContaining('too large') as string,
  });

  it.each([1, 2, 3, 4, 5])(
    'is found by bisection, and everything before it is saved: at %i',
    async (n) => {
      const group = await groupOf(refusing(n));

      await expect(group.apply(sales(1, 5), none)).rejects.toMatchObject(poisonAt(n));

      expect(await checkpointOf('conversions')).toBe(n === 1 ? undefined : position(n - 1));
      await group.restart();
      await group.apply(sales(1, 5), new Set([present(sold[n - 1]).id]));
      expect([await checkpointOf('conversions'), await checkpointOf('affiliate_stats')]).toEqual([
        '5',
        '5',
      ]);
      const stored = await store.load(
        present((await store.builds('conversions'))[0]),
        'conversions',
        sold.slice(0, 5).map((_, i) => `conv_${i + 1}`),
      );
      expect(stored).toHaveLength(4);
    },
  );

  it('is found in a number of saves that grows with the logarithm of the batch', async () => {
    const saves: BuildChanges[][] = [];
    const group = await groupOf(refusing(200, saves), undefined, [conversionsProjection]);

    await expect(group.apply(sales(1, 256), none)).rejects.toMatchObject(poisonAt(200));

    expect(saves.length).toBeLessThanOrEqual(1 + 2 * Math.log2(256));
    expect(await checkpointOf('conversions')).toBe('199');
  });

  it('is found before an event on which a projection fails', async () => {
    const broken: Projection = {
      ...conversionsProjection,
      evolve: (document, event, key) => {
        if (event.position === position(5)) throw new Error('broken projection');
        return conversionsProjection.evolve(document, event, key);
      },
    };
    const group = await groupOf(refusing(3), undefined, [broken]);

    await expect(group.apply(sales(1, 5), none)).rejects.toMatchObject(poisonAt(3));

    expect(await checkpointOf('conversions')).toBe('2');
  });

  it('is found in bulk once it continues from the saved state, and later batches are saved', async () => {
    const saves: BuildChanges[][] = [];
    const group = await groupOf(refusing(4, saves), { events: 5, bytes: Infinity });
    await group.apply(sales(1, 3), none);
    await group.apply(sales(4, 5), none);
    await expect(group.flush()).rejects.toMatchObject({ kind: 'unstorable' });

    await group.restart();
    await group.apply(sales(1, 3), none);
    expect(await checkpointOf('conversions')).toBe('3');
    await expect(group.apply(sales(4, 5), none)).rejects.toMatchObject(poisonAt(4));

    await group.restart();
    saves.length = 0;
    await group.apply(sales(4, 5), new Set([present(sold[3]).id]));
    expect([saves.length, await checkpointOf('conversions')]).toEqual([1, '5']);
    await group.apply(sales(6, 7), none);
    expect([saves.length, group.position]).toEqual([1, '7']);
  });
});
