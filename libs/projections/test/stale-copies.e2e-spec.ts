import { streams, type ConversionId } from '@refledger/contracts';
import type { LogBatch } from '@refledger/event-log';
import type { BuildChanges, ReadStore, StoredDocument } from '@refledger/read-store';
import { affiliateStatsProjection, conversionsProjection, projections } from '../src/index.js';
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

const sold = (n: number): HistoryEvent => {
  const id: ConversionId = `conv_${n}`;
  return { stream: streams.conversion(id), event: conversionCreated({}, id) };
};
const approved = (n: number): HistoryEvent => {
  const id: ConversionId = `conv_${n}`;
  const event = conversionChanged('conversion.approved', {}, { status: 'approved' }, { id });
  return { stream: streams.conversion(id), event };
};
const created: HistoryEvent = { stream: streams.affiliate(affiliateId), event: affiliateCreated };
const history = record([created, sold(1), sold(2), approved(1), sold(3), approved(3)]);
const batch = (from: number, to: number): LogBatch => ({
  events: history.slice(from - 1, to),
  through: position(to),
});
const none: ReadonlySet<string> = new Set();

const groupOf = async (to: ReadStore, bulk?: Bulk): Promise<ProjectionGroup> => {
  const kept = [conversionsProjection, affiliateStatsProjection].map(async (projection) => {
    const build =
      (await store.builds(projection.name))[0] ??
      (await store.createBuild(projection, 'log-1', 'first'));
    return { projection, build };
  });
  return new ProjectionGroup(await Promise.all(kept), to, 'log-1', bulk);
};
const storeWith = (changed: Partial<ReadStore>): ReadStore =>
  Object.assign(Object.create(store) as ReadStore, {
    load: store.load.bind(store),
    save: store.save.bind(store),
    ...changed,
  });
const stored = async (
  projection: 'conversions' | 'affiliate_stats',
  id: string,
): Promise<StoredDocument | undefined> => {
  const [build] = await store.builds(projection);
  return build && (await store.load(build, projection, [id]))[0];
};
const expectAllCountedOnce = async (): Promise<void> => {
  const stats = await stored('affiliate_stats', affiliateId);
  expect(stats).toMatchObject({
    position: '6',
    document: { conversions: { total: 3, pending: 1, approved: 2 } },
  });
  expect(await stored('conversions', 'conv_3')).toMatchObject({
    position: '6',
    document: { record: { status: 'approved' } },
  });
};

/**
 * The store, except that some loads of the statistics return an old copy or none, as a former
 * primary would.
 */
const staleStore = async (
  loads: number,
  copy: 'old' | 'none' = 'old',
): Promise<{ readonly store: ReadStore; readonly left: () => number }> => {
  await (await groupOf(store)).apply(batch(1, 2), none);
  const old = await stored('affiliate_stats', affiliateId);
  await (await groupOf(store)).apply(batch(3, 4), none);
  let left = loads;
  const load: ReadStore['load'] = (build, collection, ids) => {
    if (collection !== 'affiliate_stats' || left === 0 || old === undefined)
      return store.load(build, collection, ids);
    left--;
    return Promise.resolve(copy === 'old' ? [old] : []);
  };
  return { store: storeWith({ load }), left: () => left };
};

it('folds again from the stored document after loading an old copy', async () => {
  const { store: late, left } = await staleStore(1);

  await (await groupOf(late)).apply(batch(5, 6), none);

  expect(left()).toBe(0);
  await expectAllCountedOnce();
});

it.each([undefined, { events: 100, bytes: Infinity }])(
  'folds again from the stored document when it was missing from the copy, so its events were left out (bulk: %j)',
  async (bulk) => {
    const { store: late } = await staleStore(1, 'none');
    const group = await groupOf(late, bulk);
    const take = () => group.apply(batch(5, 6), none).then(() => group.flush());

    if (bulk === undefined) await take();
    else {
      await expect(take()).rejects.toMatchObject({ name: 'StaleDocument', id: affiliateId });
      await group.restart();
      await take();
    }

    await expectAllCountedOnce();
  },
);

it('saves nothing made from copies that stay old, and reports it after a few attempts', async () => {
  const { store: late, left } = await staleStore(5);
  const group = await groupOf(late);

  await expect(group.apply(batch(5, 6), none)).rejects.toMatchObject({
    name: 'StaleDocument',
    id: affiliateId,
  });

  expect([left(), (await store.builds('conversions'))[0]?.checkpoint?.position]).toEqual([0, '4']);
  await group.restart();
  await group.apply(batch(5, 6), none);
  await expectAllCountedOnce();
});

it('in bulk, learns of an old copy from the save, and folds its events again batch by batch', async () => {
  const { store: late } = await staleStore(2);
  const group = await groupOf(late, { events: 100, bytes: Infinity });
  await group.apply(batch(5, 5), none);
  await group.apply(batch(6, 6), none);
  await expect(group.flush()).rejects.toMatchObject({ name: 'StaleDocument' });

  await group.restart();
  await group.apply(batch(5, 6), none);

  await expectAllCountedOnce();
});

it.each([undefined, { events: 2, bytes: Infinity }])(
  'counts a save with an unknown outcome once, whatever is saved with it later (bulk: %j)',
  async (bulk) => {
    const saves: (readonly BuildChanges[])[] = [];
    const save = async (changes: readonly BuildChanges[]): Promise<boolean> => {
      saves.push(changes);
      if (saves.length > 1) return store.save(changes);
      // Without transactions, documents are stored before their checkpoints, so they may be there
      // alone.
      await store.save(
        changes.map((of) => ({
          ...of,
          checkpoint: { logId: 'log-1', position: position(0), eventId: 'none' },
        })),
      );
      throw new Error('the connection was lost');
    };
    const group = await groupOf(storeWith({ save }), bulk);
    const first = group.apply(batch(1, 5), none).then(() => group.flush());
    await expect(first).rejects.toThrow('the connection was lost');

    const again = async (): Promise<void> => {
      await group.restart();
      await group.apply(batch(1, 6), none);
      await group.flush();
    };
    // A processor retries after any error.
    await again().catch(again);

    await expectAllCountedOnce();
    expect(saves.length).toBeLessThanOrEqual(4);
  },
);

it('lets two groups with different batches fold the same events concurrently', async () => {
  const [one, two] = [await groupOf(store), await groupOf(store)];
  await one.apply(batch(1, 2), none);
  await two.apply(batch(1, 3), none);
  await one.apply(batch(3, 4), none);
  await two.apply(batch(4, 5), none);
  await Promise.all([one.apply(batch(5, 6), none), two.apply(batch(6, 6), none)]);

  await expectAllCountedOnce();
});

it('a projector whose store returns one old copy per projection counts every event once', async () => {
  const log = await embedded.openLog();
  await embedded.append(log, streams.affiliate(affiliateId), affiliateCreated);
  const first = embedded.run(log, store, projections);
  const sell = (n: number) => embedded.append(log, sold(n).stream, sold(n).event);
  const caughtUp = async (head: Awaited<ReturnType<typeof sell>>): Promise<void> => {
    for (const projection of projections)
      expect(await store.waitForPosition(projection, log.id, head, { timeoutMs: 60_000 })).toBe(
        true,
      );
  };
  await caughtUp(await sell(1));
  const old = await stored('affiliate_stats', affiliateId);
  await caughtUp(await sell(2));
  await first.stop();
  let answered = 0;
  const load: ReadStore['load'] = (build, collection, ids) =>
    collection === 'affiliate_stats' && old !== undefined && answered++ === 0
      ? Promise.resolve([old])
      : store.load(build, collection, ids);
  const late = new Proxy(store, {
    get: (target, name) => {
      if (name === 'load') return load;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

  const second = embedded.run(log, late, projections);
  await caughtUp(await sell(3));

  expect(answered).toBeGreaterThan(0);
  expect(await stored('affiliate_stats', affiliateId)).toMatchObject({
    document: { conversions: { total: 3 } },
  });
  await second.stop();
  expect(embedded.errors).toEqual([]);
});
