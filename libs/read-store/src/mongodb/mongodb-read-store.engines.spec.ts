import { randomUUID } from 'node:crypto';
import { databaseUrl, describeOnServer } from '@refledger/testing/servers';
import { Collection, MongoClient, MongoNetworkTimeoutError, type Db } from 'mongodb';
import {
  positionOf,
  changes,
  logId,
  newest,
  madeFrom,
  sale,
  sales,
  stored,
} from '../conformance/fixtures.js';
import type { ReadStore } from '../read-store.js';
import { BuildRegistry } from './build-registry.js';
import { openMongodbReadStore } from './mongodb-read-store.js';

describeOnServer('MongoDB', 'the MongoDB read store', (server) => {
  let client: MongoClient;
  let url: string;
  let db: Db;
  let store: ReadStore;
  beforeAll(() => {
    client = new MongoClient(server().url);
  });
  afterAll(() => client.close());
  beforeEach(async () => {
    const name = `refledger-${randomUUID()}`;
    url = databaseUrl(server().url, name);
    db = client.db(name);
    store = await openMongodbReadStore({ url, mode: 'write' });
  });
  afterEach(async () => {
    await store.close();
    await db.dropDatabase();
  });

  const collectionsOfBuilds = async (): Promise<readonly string[]> =>
    (await db.listCollections({ name: /^projection\./ }, { nameOnly: true }).toArray()).map(
      ({ name }) => name,
    );
  const reopen = async (): Promise<void> => {
    await store.close();
    store = await openMongodbReadStore({ url, mode: 'write' });
  };

  it('leaves nothing of a build that is dropped during saves', async () => {
    for (let round = 0; round < 15; round++) {
      const build = await store.createBuild(sales, logId, `round ${round}`);
      const documents = (name: string) =>
        Array.from({ length: 40 }, (_, n) => stored(`${name}${n}`, 1));
      await store.save([changes(build, 1, ...documents('old'))]);
      const saves = [
        documents('a'),
        documents('b'),
        documents('old').map((document) => madeFrom(1, { ...document, position: positionOf(2) })),
      ].map((some) => store.save([changes(build, 2, ...some)]));
      const [dropped, ...saved] = await Promise.allSettled([store.dropBuild(build), ...saves]);
      expect(dropped.status).toBe('fulfilled');
      for (const save of saved)
        if (save.status === 'rejected')
          expect(save.reason).toMatchObject({ name: 'BuildNotFoundError' });
      expect(await collectionsOfBuilds()).toEqual([]);
    }
  });

  it('reads the new build when the chosen one is dropped before the read', async () => {
    const live = async (cause: string, amount: number) => {
      const build = await store.createBuild(sales, logId, cause);
      await store.save([changes(build, 5, stored('a', 5, sale('a', { amount })))]);
      await store.goLive(build);
      return build;
    };
    let build = await live('first', 1);
    const ofProjection = jest.spyOn(BuildRegistry.prototype, 'ofProjection');
    const reader = await openMongodbReadStore({ url, mode: 'read' });
    for (const [amount, read] of [
      [2, () => reader.find(sales, logId, 'sales', newest)],
      [3, () => reader.get(sales, logId, 'sales', 'a')],
    ] as const) {
      ofProjection.mockImplementationOnce(async function (this: BuildRegistry, projection) {
        const builds = await this.ofProjection(projection);
        const next = await live(`build ${amount}`, amount);
        await store.dropBuild(build);
        build = next;
        return builds;
      });
      expect([(await read()).value].flat()).toMatchObject([{ amount }]);
    }
    ofProjection.mockRestore();
    await reader.close();
  });

  it('never shows what a late writer wrote to a dropped build, and removes it at the next opening', async () => {
    const build = await store.createBuild(sales, logId, 'first');
    await store.dropBuild(build);
    await db
      .collection(`projection.sales.v1.${build.id}.sales`)
      .insertOne({ _id: 'late' as never, position: 1 });

    const again = await store.createBuild(sales, logId, 'first');
    expect(again.id).not.toBe(build.id);
    expect(await store.load(again, 'sales', ['late'])).toEqual([]);
    await reopen();
    expect(await collectionsOfBuilds()).toEqual([`projection.sales.v1.${again.id}.sales`]);
  });

  it('reports a build as dropped once it cannot be found, however long its collections take to drop', async () => {
    const build = await store.createBuild(sales, logId, 'first');
    const drop = jest
      .spyOn(Collection.prototype, 'drop')
      .mockRejectedValueOnce(new MongoNetworkTimeoutError('timed out'));
    await store.dropBuild(build);
    drop.mockRestore();
    expect(await store.builds('sales')).toEqual([]);
    expect(await collectionsOfBuilds()).toHaveLength(1);
    await store.dropBuild(build);
    expect(await collectionsOfBuilds()).toEqual([]);
  });

  it('recreates dropped indexes before a build goes live and at opening, and rejects an index on other fields', async () => {
    const build = await store.createBuild(sales, logId, 'first');
    const collection = db.collection(`projection.sales.v1.${build.id}.sales`);
    const names = async () => (await collection.indexes()).map(({ name }) => name).sort();
    const all = await names();
    expect(all).toHaveLength(7);
    await collection.dropIndexes();
    await store.goLive(build);
    expect(await names()).toEqual(all);
    await collection.dropIndex('by_account_id_created_at_id');
    await expect(store.find(sales, logId, 'sales', newest)).rejects.toMatchObject({
      name: 'ReadStoreError',
      kind: 'unusable',
    });
    await reopen();
    expect(await names()).toEqual(all);

    await collection.dropIndex('by_account_id_created_at_id');
    await collection.createIndex({ other: 1 }, { name: 'by_account_id_created_at_id' });
    await expect(openMongodbReadStore({ url, mode: 'write' })).rejects.toMatchObject({
      name: 'ReadStoreError',
      kind: 'unusable',
      message: expect.stringContaining('by_account_id_created_at_id') as string,
    });
  });

  it('leaves documents without a value of a sparse field out of its index', async () => {
    const build = await store.createBuild(sales, logId, 'first');
    await store.save([
      changes(
        build,
        3,
        stored('a', 1, sale('a', { payout_id: 'pay_1' })),
        stored('b', 2, sale('b', { payout_id: null })),
        stored('c', 3, sale('c')),
      ),
    ]);
    const collection = db.collection(`projection.sales.v1.${build.id}.sales`);
    const index = (await collection.indexes()).find(({ key }) => 'key.payout_id' in key);
    expect(index).toMatchObject({
      partialFilterExpression: { 'key.payout_id': { $exists: true } },
    });
    expect(await collection.distinct('_id', index?.['partialFilterExpression'] as object)).toEqual([
      'a',
    ]);
  });

  it('splits large saves into requests that a server accepts', async () => {
    const build = await store.createBuild(sales, logId, 'first');
    const large = Array.from({ length: 20 }, (_, n) =>
      stored(`s${n}`, n + 1, sale(`s${n}`, { text: 'ü'.repeat(600_000) })),
    );
    expect(await store.save([changes(build, 20, ...large)])).toBe(true);
    expect(await store.load(build, 'sales', ['s19'])).toEqual([large[19]]);
  });

  it('writes nothing when opened read-only', async () => {
    const reader = await openMongodbReadStore({ url, mode: 'read' });
    await expect(reader.createBuild(sales, logId, 'first')).rejects.toMatchObject({
      name: 'ReadStoreError',
      kind: 'unusable',
    });
    await reader.close();
  });

  it('is unavailable once it is closed', async () => {
    const closed = await openMongodbReadStore({ url, mode: 'write' });
    await closed.close();
    await closed.close();
    await expect(closed.builds('sales')).rejects.toMatchObject({
      name: 'ReadStoreError',
      kind: 'unavailable',
    });
  });

  it.each([16, 40])(
    'reports a document of %i MB, new or grown, as permanently unstorable',
    async (megabytes) => {
      const build = await store.createBuild(sales, logId, 'first');
      await store.save([changes(build, 1, stored('a', 1))]);
      const large = sale('a', { note: 'x'.repeat(megabytes * 1024 * 1024) });
      for (const id of ['a', 'b'])
        await expect(
          store.save([
            changes(
              build,
              2,
              id === 'a' ? madeFrom(1, stored(id, 2, large)) : stored(id, 2, large),
              stored('c', 2),
            ),
          ]),
        ).rejects.toMatchObject({ name: 'ReadStoreError', kind: 'unstorable' });
      expect((await store.builds('sales')).map(({ checkpoint }) => checkpoint?.position)).toEqual([
        '1',
      ]);
      expect(await store.save([changes(build, 3, stored('d', 3))])).toBe(true);
    },
  );

  it('rejects invalid names, and indexed values that are not scalar', async () => {
    await expect(store.createBuild({ ...sales, name: 'x.$y' }, logId, 'first')).rejects.toThrow(
      TypeError,
    );
    expect(await store.builds('x.$y')).toEqual([]);
    const build = await store.createBuild(sales, logId, 'first');
    await expect(
      store.save([changes(build, 1, stored('a', 1, sale('a', { amount: new Date(0) })))]),
    ).rejects.toMatchObject({ kind: 'unstorable' });
    expect((await store.builds('sales')).map(({ checkpoint }) => checkpoint)).toEqual([undefined]);
  });
});

it('never prints an invalid URL, which may contain a password', async () => {
  for (const url of [
    'mongodb://user:hidden@',
    'http://user:hidden@host',
    'mongodb://user:hidden@host/?nonsense=1',
  ]) {
    const error: unknown = await openMongodbReadStore({ url, mode: 'write' }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ name: 'ReadStoreError', kind: 'unusable' });
    expect(JSON.stringify([String(error), (error as Error).cause ?? null])).not.toContain('hidden');
  }
});
