import { openDatabase } from '@refledger/sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliveryStoreFormat } from './delivery-store.format.js';
import { statementsOf } from './statements.js';

it('every statement uses an index', () => {
  const folder = mkdtempSync(join(tmpdir(), 'refledger-plans-'));
  const db = openDatabase(join(folder, 'deliveries.db'), {
    format: deliveryStoreFormat,
    synchronous: 'normal',
  });
  for (const [name, sql] of Object.entries(statementsOf)) {
    const plan = (
      db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as unknown as { detail: string }[]
    ).map(({ detail }) => detail);
    const scans = plan.filter(
      (line) =>
        /SCAN (deliveries|bodies)/.test(line) &&
        !/USING (COVERING )?INDEX deliveries_(waiting|sending)/.test(line),
    );
    expect({ name, scans }).toEqual({ name, scans: [] });
    // it sorts a few endpoints, not deliveries
    if (name === 'endpointsUnfinished') continue;
    expect({
      name,
      sorts: plan.filter((line) => line.includes('TEMP B-TREE FOR ORDER BY')),
    }).toEqual({ name, sorts: [] });
  }
  db.close();
  rmSync(folder, { recursive: true });
});
