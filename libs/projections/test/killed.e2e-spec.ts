import { streams } from '@refledger/contracts';
import { Random, testSeed, waitFor } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { projections } from '../src/index.js';
import { affiliateCreated, affiliateDeleted } from './builders.js';
import { OnSqlite } from './on-sqlite.js';
import { startProjectorChild } from './projector-child.js';
import { withAffiliate, affiliates, documentsIn, foldedFromScratch, sell } from './sales.js';

let embedded: OnSqlite;
beforeEach(() => (embedded = new OnSqlite()));
afterEach(() => embedded.remove());

const startChild = () => startProjectorChild(embedded);

it('has every document as folded from the log, despite kills while it was building and while it was following the log', async () => {
  const log = await embedded.openLog();
  for (const id of affiliates)
    await embedded.append(log, streams.affiliate(id), withAffiliate(affiliateCreated, id));
  const ids = (await sell(embedded, log, 'before', 6000)).sort();
  const random = new Random(testSeed);
  const moments = Array.from({ length: 8 }, () => random.intBelow(300));
  const watching = await embedded.openStore();
  const isStored = async (id: string): Promise<boolean> => {
    const [build] = await watching.builds('conversions');
    return build !== undefined && (await watching.load(build, 'conversions', [id])).length > 0;
  };

  for (const moment of moments.slice(0, 3)) {
    const building = startChild();
    await building.reported('begins');
    await new Promise((resolve) => setTimeout(resolve, moment));
    await building.kill();
  }
  // Documents are stored by id, in parts. Each of these kills happens between two parts.
  for (const part of [1, 3, 5]) {
    const building = startChild();
    await waitFor(() => isStored(ids[part * 1000] ?? ''), { timeoutMs: 60_000 });
    await building.kill();
  }
  for (const [round, moment] of moments.entries()) {
    const following = startChild();
    await following.reported('live');
    const sold = sell(embedded, log, `round_${round}`, 300);
    await new Promise((resolve) => setTimeout(resolve, moment / 4));
    await following.kill();
    await sold;
  }
  await embedded.append(log, streams.affiliate('aff_7'), withAffiliate(affiliateDeleted, 'aff_7'));

  const last = startChild();
  await last.reported('live');
  const store = await embedded.openStore();
  const head = present(await log.head());
  for (const projection of projections)
    expect(await store.waitForPosition(projection, log.id, head, { timeoutMs: 60_000 })).toBe(true);
  await last.kill();
  const [stored, folded] = [await documentsIn(store), await foldedFromScratch(log)];
  expect({ moments, count: stored.size }).toEqual({ moments, count: folded.size });
  for (const [key, document] of folded)
    if (
      stored.get(key)?.position !== document.position ||
      JSON.stringify(stored.get(key)) !== JSON.stringify(document)
    )
      expect([moments, stored.get(key)]).toEqual([moments, document]);
});
