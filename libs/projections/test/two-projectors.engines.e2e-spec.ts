import { randomUUID } from 'node:crypto';
import { streams, type AffiliateId } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import { openReadStore, type ReadStore } from '@refledger/read-store';
import { itInFull } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import { databaseUrl, describeOnServer } from '@refledger/testing/servers';
import { projections } from '../src/index.js';
import { affiliateCreated } from './builders.js';
import { OnSqlite } from './on-sqlite.js';
import { startProjectorChild, type ProjectorChild } from './projector-child.js';
import { withAffiliate, documentsIn, foldedFromScratch, sell } from './sales.js';

describeOnServer('MongoDB', 'two projectors on one MongoDB', (server) => {
  let embedded: OnSqlite;
  let log: EventLog;
  let store: ReadStore;
  let url: string;
  const children: ProjectorChild[] = [];
  beforeEach(async () => {
    embedded = new OnSqlite();
    log = await embedded.openLog();
    url = databaseUrl(server().url, `refledger-${randomUUID()}`);
    store = await openReadStore(url, { dataDir: embedded.directory, mode: 'write' });
    for (let i = 0; i < 20; i++)
      await embedded.append(
        log,
        streams.affiliate(`aff_${i}`),
        withAffiliate(affiliateCreated, `aff_${i}` as AffiliateId),
      );
  });
  afterEach(async () => {
    for (const child of children.splice(0)) await child.kill();
    await store.close();
    await embedded.remove();
  });

  const start = (): ProjectorChild => {
    const child = startProjectorChild(embedded, url);
    children.push(child);
    return child;
  };
  const expectAsTheLogMakesIt = async (): Promise<void> => {
    const head = present(await log.head());
    for (const projection of projections)
      expect(await store.waitForPosition(projection, log.id, head, { timeoutMs: 60_000 })).toBe(
        true,
      );
    const [stored, folded] = [await documentsIn(store), await foldedFromScratch(log)];
    expect(stored).toEqual(folded);
  };

  itInFull(
    'one works while the other stands by; suspended past its lease, the first is replaced, and changes nothing when it resumes',
    async () => {
      const first = start();
      await first.reported('live');
      const second = start();
      await second.reported('stands by');

      const sold = sell(embedded, log, 'before', 200);
      await first.saves(store, log);
      first.signal('SIGSTOP');
      await sold;
      await second.reported('live');
      const head = present(await log.head());
      for (const projection of projections)
        expect(await store.waitForPosition(projection, log.id, head, { timeoutMs: 60_000 })).toBe(
          true,
        );
      const more = sell(embedded, log, 'while the first wakes', 100);
      first.signal('SIGCONT');
      await first.reported('stands by');
      await more;

      await expectAsTheLogMakesIt();
    },
  );

  it('one takes over when the other is killed, and loses nothing', async () => {
    const first = start();
    await first.reported('live');
    const second = start();
    await second.reported('stands by');
    const sold = sell(embedded, log, 'before', 150);
    await first.saves(store, log);
    await first.kill();
    await sold;
    await second.reported('live');
    await expectAsTheLogMakesIt();
  });
});
