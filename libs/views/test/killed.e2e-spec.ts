import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { streams, type AffiliateId, type ConversionId, type DomainEvent } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { ReadStore, StoredDocument } from '@refledger/read-store';
import { openSqliteReadStore } from '@refledger/read-store/sqlite';
import { ViewGroup } from '../src/runner/view-group.js';
import { views } from '../src/index.js';
import { affiliateCreated, affiliateDeleted, conversionChanged, conversionCreated } from './builders.js';
import { Embedded, until } from './embedded.js';

let embedded: Embedded;
beforeEach(() => (embedded = new Embedded()));
afterEach(() => embedded.remove());

const child = fileURLToPath(new URL('projector.child.mjs', import.meta.url));

/** A projector in a process of its own. `said` resolves once it says a line that begins so. */
const startChild = () => {
  const running = spawn(process.execPath, [child, join(embedded.folder, 'events.db'), join(embedded.folder, 'read-models.db')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(running, 'exit');
  const lines: string[] = [];
  createInterface({ input: running.stdout }).on('line', (line) => lines.push(line));
  return {
    said: (text: string) => until(() => lines.includes(text), 60_000),
    kill: async () => {
      running.kill('SIGKILL');
      await exited;
    },
  };
};

const affiliates = Array.from({ length: 20 }, (_, i): AffiliateId => `aff_${i}`);
const of = (event: DomainEvent, affiliate_id: string): DomainEvent => ({ ...event, data: { ...event.data, affiliate_id } }) as DomainEvent;

/** So many sales of all affiliates, of which every other one is approved at once; one affiliate goes. */
const sell = async (log: EventLog, name: string, count: number): Promise<ConversionId[]> => {
  const one = async (i: number): Promise<ConversionId> => {
    const id: ConversionId = `conv_${name}_${i}`;
    const affiliate = affiliates[i % affiliates.length] ?? '';
    await embedded.append(log, streams.conversion(id), of(conversionCreated({ sale_amount: i }, id, i % 3 === 0 ? 'EUR' : 'USD'), affiliate));
    if (i % 2 === 0) await embedded.append(log, streams.conversion(id), of(conversionChanged('conversion.approved', { sale_amount: i }, { sale_amount: i, status: 'approved' }, id, i % 3 === 0 ? 'EUR' : 'USD'), affiliate));
    return id;
  };
  return Promise.all(Array.from({ length: count }, (_, i) => one(i)));
};

/** Every document of every view, from the builds that are read. */
const documentsIn = async (store: ReadStore): Promise<ReadonlyMap<string, StoredDocument>> => {
  const documents = new Map<string, StoredDocument>();
  for (const view of views) {
    const [build, ...others] = await store.builds(view.name);
    expect([build?.state, others]).toEqual(['live', []]);
    for (const { name } of view.collections) {
      for await (const page of store.scan(build!, name)) for (const stored of page.documents) documents.set(`${view.name} ${stored.id}`, stored);
    }
  }
  return documents;
};

/** What the log makes of the views, folded batch by batch into a store of its own. */
const foldedFromScratch = async (log: EventLog): Promise<ReadonlyMap<string, StoredDocument>> => {
  const scratch = await openSqliteReadStore({ file: join(embedded.folder, 'scratch.db'), mode: 'write' });
  const builds = await Promise.all(views.map(async (view) => ({ view, build: await scratch.createBuild(view, log.id, 'scratch') })));
  const group = new ViewGroup(builds, scratch, log.id);
  for await (const batch of log.readAll({ batchSize: 700 })) await group.take(batch, new Set());
  for (const { build } of builds) await scratch.goLive(build);
  const documents = await documentsIn(scratch);
  await scratch.close();
  return documents;
};

it('has every document as the log makes it, however often it was killed while it built and while it followed', async () => {
  const log = await embedded.openLog();
  for (const id of affiliates) await embedded.append(log, streams.affiliate(id), of(affiliateCreated, id));
  const ids = (await sell(log, 'before', 6000)).sort();
  const moments = Array.from({ length: 8 }, () => Math.random() * 300);
  const watching = await embedded.openStore();
  const isStored = async (id: string): Promise<boolean> => {
    const [build] = await watching.builds('conversions');
    return build !== undefined && (await watching.load(build, 'conversions', [id])).length > 0;
  };

  for (const moment of moments.slice(0, 3)) {
    const building = startChild();
    await building.said('begins');
    await new Promise((resolve) => setTimeout(resolve, moment));
    await building.kill();
  }
  // documents go into the store by id, in parts: each of these kills comes between two of them
  for (const part of [1, 3, 5]) {
    const building = startChild();
    await until(() => isStored(ids[part * 1000] ?? ''), 60_000);
    await building.kill();
  }
  for (const [round, moment] of moments.entries()) {
    const following = startChild();
    await following.said('live');
    const sold = sell(log, `round_${round}`, 300);
    await new Promise((resolve) => setTimeout(resolve, moment / 4));
    await following.kill();
    await sold;
  }
  await embedded.append(log, streams.affiliate('aff_7'), of(affiliateDeleted, 'aff_7'));

  const last = startChild();
  await last.said('live');
  const store = await embedded.openStore();
  const head = (await log.head())!;
  for (const view of views) expect(await store.reached(view, log.id, head, { timeoutMs: 15_000 })).toBe(true);
  await last.kill();
  const [stored, folded] = [await documentsIn(store), await foldedFromScratch(log)];
  expect({ moments, count: stored.size }).toEqual({ moments, count: folded.size });
  for (const [key, document] of folded) if (stored.get(key)?.position !== document.position || JSON.stringify(stored.get(key)) !== JSON.stringify(document)) expect([moments, stored.get(key)]).toEqual([moments, document]);
}, 120_000);
