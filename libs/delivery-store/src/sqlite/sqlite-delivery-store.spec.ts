import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@refledger/sqlite';
import { deliveryStoreConformance } from '../conformance/index.js';
import { deliveryStoreFormat } from './delivery-store.format.js';
import { openSqliteDeliveryReader } from './sqlite-delivery-reader.js';
import { openSqliteDeliveryStore } from './sqlite-delivery-store.js';

deliveryStoreConformance('sqlite', () => {
  const directory = mkdtempSync(join(tmpdir(), 'refledger-deliveries-'));
  return Promise.resolve({
    open: () => openSqliteDeliveryStore({ file: join(directory, 'deliveries.db') }),
    read: () => openSqliteDeliveryReader(join(directory, 'deliveries.db')),
    destroy: () => Promise.resolve(rmSync(directory, { recursive: true })),
  });
});

it('rejects a file of another kind as damaged, and names it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'refledger-deliveries-'));
  const file = join(directory, 'deliveries.db');
  writeFileSync(
    file,
    'this text is not a database, and is longer than a SQLite header. '.repeat(20),
  );
  await expect(openSqliteDeliveryStore({ file })).rejects.toThrow(
    expect.objectContaining({
      name: 'DeliveryStoreError',
      kind: 'damaged',
      message: expect.stringContaining(file) as string,
    }) as Error,
  );
  rmSync(directory, { recursive: true });
});

it.each(deliveryStoreFormat.earlierApplicationIds ?? [])(
  'rejects a file in the earlier format %i, and says what to do',
  async (applicationId) => {
    const directory = mkdtempSync(join(tmpdir(), 'refledger-deliveries-'));
    const file = join(directory, 'deliveries.db');
    const format = { name: 'delivery store', applicationId, migrations: ['SELECT 1'] };
    openDatabase(file, { format, synchronous: 'full' }).close();
    await expect(openSqliteDeliveryStore({ file })).rejects.toMatchObject({
      name: 'DeliveryStoreError',
      kind: 'unusable',
      message: expect.stringContaining('Start with an empty directory.') as string,
    });
    rmSync(directory, { recursive: true });
  },
);
