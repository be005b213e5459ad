import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliveryStoreConformance } from '../conformance/index.js';
import { openSqliteDeliveryStore } from './sqlite-delivery-store.js';

deliveryStoreConformance('sqlite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'refledger-deliveries-'));
  return Promise.resolve({
    open: () => openSqliteDeliveryStore({ file: join(folder, 'deliveries.db') }),
    destroy: () => Promise.resolve(rmSync(folder, { recursive: true })),
  });
});

it('refuses a file that is something else as unusable, and names it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'refledger-deliveries-'));
  const file = join(folder, 'deliveries.db');
  writeFileSync(
    file,
    'this is a text of somebody else, longer than a header of SQLite. '.repeat(20),
  );
  await expect(openSqliteDeliveryStore({ file })).rejects.toThrow(
    expect.objectContaining({
      name: 'DeliveryStoreError',
      kind: 'unusable',
      message: expect.stringContaining(file) as string,
    }) as Error,
  );
  rmSync(folder, { recursive: true });
});
