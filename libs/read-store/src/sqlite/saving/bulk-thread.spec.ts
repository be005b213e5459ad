import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { present } from '@refledger/testing/present';
import { changes, checkpoint, logId, sales, stored } from '../../conformance/fixtures.js';
import type { ReadStore } from '../../read-store.js';
import { BulkThread } from './bulk-thread.js';
import { encodeDocuments } from '../encode-documents.js';
import { openSqliteReadStore } from '../sqlite-read-store.js';

let directory: string;
let store: ReadStore;
let thread: BulkThread;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'refledger-read-store-'));
  store = await openSqliteReadStore({ file: join(directory, 'read-models.db'), mode: 'write' });
  thread = new BulkThread(join(directory, 'read-models.db'));
});
afterEach(async () => {
  await thread.close();
  await store.close();
  rmSync(directory, { recursive: true });
});

const gather = async () => {
  const build = await store.createBuild(sales, logId, 'first');
  thread.gather({
    build,
    collection: 'sales',
    documents: encodeDocuments(
      present(sales.collections[0]),
      present(changes(build, 2, stored('a', 1), stored('b', 2)).documents.get('sales')),
    ),
  });
  return { build, checkpoints: [{ build, checkpoint: checkpoint(2) }] };
};

it('raises the checkpoint with the last documents only', async () => {
  const { build, checkpoints } = await gather();

  expect(await thread.call('commit', { limit: 1, left: 2, checkpoints })).toMatchObject({
    left: 1,
    isAllKept: true,
  });
  expect((await store.builds('sales'))[0]?.checkpoint).toBeUndefined();
  expect(await thread.call('commit', { limit: 1, left: 1, checkpoints })).toMatchObject({
    left: 0,
  });
  expect((await store.builds('sales'))[0]?.checkpoint).toEqual(checkpoint(2));
  expect(await store.load(build, 'sales', ['a', 'b'])).toEqual([stored('a', 1), stored('b', 2)]);
});

it('raises no checkpoint when a thread that exited has lost documents', async () => {
  const { build, checkpoints } = await gather();
  await thread.close();

  await expect(thread.call('commit', { limit: 10, left: 2, checkpoints })).rejects.toMatchObject({
    name: 'ReadStoreError',
    kind: 'unavailable',
  });

  expect((await store.builds('sales'))[0]?.checkpoint).toBeUndefined();
  expect(await store.load(build, 'sales', ['a', 'b'])).toEqual([]);
});

it('reports why a thread cannot open the file', async () => {
  const elsewhere = new BulkThread(join(directory, 'none', 'read-models.db'));
  await expect(elsewhere.call('index', 'SELECT 1')).rejects.toMatchObject({
    name: 'ReadStoreError',
    kind: 'unavailable',
    message: expect.stringContaining('none') as string,
  });
});
