import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliveryStoreConformance } from '../conformance/index.js';
import { openSqliteDeliveryStore } from './sqlite-delivery-store.js';

deliveryStoreConformance('sqlite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'refledger-deliveries-'));
  return Promise.resolve({
    open: () => Promise.resolve(openSqliteDeliveryStore({ file: join(folder, 'deliveries.db') })),
    destroy: () => Promise.resolve(rmSync(folder, { recursive: true })),
  });
});
