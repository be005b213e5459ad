import { randomUUID } from 'node:crypto';
import { MongoClient, type Collection } from 'mongodb';
import { dropDatabase } from '@refledger/testing/mongodb';
import { databaseUrl, describeOnServer } from '@refledger/testing/servers';
import { affiliate, erasedAt, erasureAt, keyOf, rowsOf } from '../conformance/under-test.js';
import { lostKey } from '../key-store.js';
import { openKeyReader, openKeyStore } from '../open-key-store.js';
import type { KeyDocument } from './key-document.js';

describeOnServer('MongoDB', 'keys in a collection', (server) => {
  let database: string;
  let client: MongoClient;
  let collection: Collection<KeyDocument>;
  beforeEach(() => {
    database = `refledger-${randomUUID()}`;
    client = new MongoClient(server().url);
    collection = client.db(database).collection('personal_keys');
  });
  afterEach(async () => {
    await client.close();
    await dropDatabase(server().url, database);
  });
  const open = (create: boolean) =>
    openKeyStore(databaseUrl(server().url, database), { dataDir: '', create });

  it('has the indexes of this release once a writer has opened it', async () => {
    const names = async () => (await collection.indexes()).map(({ name }) => name).sort();
    await (await open(true)).close();
    await collection.dropIndex('claimed');
    const reader = await openKeyReader(databaseUrl(server().url, database), { dataDir: '' });
    await reader.close();
    expect(await names()).toEqual(['_id_', 'erased']);
    await (await open(false)).close();
    expect(await names()).toEqual(['_id_', 'claimed', 'erased']);
  });

  it('an owner that has lost its key is not erased, and can be', async () => {
    const store = await open(true);
    const ada = affiliate('a');
    await store.put(ada, keyOf('key', 'claim'));
    await collection.updateOne({ _id: ada }, { $unset: { key: '' } });
    const lost = { kind: 'key', key: lostKey };
    expect((await store.getMany([ada])).get(ada)).toEqual(lost);
    expect(await store.put(ada, keyOf('new key'))).toEqual(lost);
    expect(await rowsOf(store)).toMatchObject([{ owner: ada, ...lost }]);
    await store.destroy(ada, erasureAt(9));
    expect((await store.getMany([ada])).get(ada)).toEqual({ kind: 'erased', ...erasedAt(9) });
    await store.close();
  });
});
