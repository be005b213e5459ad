import {
  streams,
  type AffiliateId,
  type ConversionId,
  type DomainEvent,
} from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { Build, ReadStore, StoredDocument } from '@refledger/read-store';
import { SimulatedEngines, systemClock } from '@refledger/simulation';
import { ProjectionGroup } from '../src/projector/projection-group.js';
import { projections } from '../src/index.js';
import { conversionChanged, conversionCreated } from './builders.js';
import type { Embedded } from './embedded.js';

export const affiliates = Array.from({ length: 20 }, (_, i): AffiliateId => `aff_${i}`);

/** The same event about another affiliate. */
export const withAffiliate = (event: DomainEvent, affiliate_id: string): DomainEvent =>
  ({ ...event, data: { ...event.data, affiliate_id } }) as DomainEvent;

/** Records this many sales across all affiliates, and approves every other one immediately. */
export const sell = async (
  embedded: Embedded,
  log: EventLog,
  name: string,
  count: number,
): Promise<ConversionId[]> => {
  const one = async (i: number): Promise<ConversionId> => {
    const id: ConversionId = `conv_${name}_${i}`;
    const affiliate = affiliates[i % affiliates.length] ?? '';
    await embedded.append(
      log,
      streams.conversion(id),
      withAffiliate(
        conversionCreated({ sale_amount: i }, id, i % 3 === 0 ? 'EUR' : 'USD'),
        affiliate,
      ),
    );
    if (i % 2 === 0)
      await embedded.append(
        log,
        streams.conversion(id),
        withAffiliate(
          conversionChanged(
            'conversion.approved',
            { sale_amount: i },
            { sale_amount: i, status: 'approved' },
            { id, currency: i % 3 === 0 ? 'EUR' : 'USD' },
          ),
          affiliate,
        ),
      );
    return id;
  };
  return Promise.all(Array.from({ length: count }, (_, i) => one(i)));
};

/** Every document of every projection, from the live builds. */
export const documentsIn = async (
  store: ReadStore,
): Promise<ReadonlyMap<string, StoredDocument>> => {
  const documents = new Map<string, StoredDocument>();
  for (const projection of projections) {
    const [build, ...others] = await store.builds(projection.name);
    expect([build?.state, others]).toEqual(['live', []]);
    if (build === undefined) continue;
    for (const { name } of projection.collections)
      for (const stored of await scanned(store, build, name))
        documents.set(`${projection.name} ${stored.id}`, stored);
  }
  return documents;
};

const scanned = async (
  store: ReadStore,
  build: Build,
  collection: string,
): Promise<readonly StoredDocument[]> => {
  const documents: StoredDocument[] = [];
  for await (const page of store.scan(build, collection)) documents.push(...page.documents);
  return documents;
};

/** The documents of all projections, folded from the log batch by batch into a separate store. */
export const foldedFromScratch = async (
  log: EventLog,
): Promise<ReadonlyMap<string, StoredDocument>> => {
  const scratch = new SimulatedEngines(systemClock).openStore('scratch');
  const builds = await Promise.all(
    projections.map(async (projection) => ({
      projection,
      build: await scratch.createBuild(projection, log.id, 'scratch'),
    })),
  );
  const group = new ProjectionGroup(builds, scratch, log.id);
  for await (const batch of log.readAll({ batchSize: 700 })) await group.apply(batch, new Set());
  for (const { build } of builds) await scratch.goLive(build);
  const documents = await documentsIn(scratch);
  await scratch.close();
  return documents;
};
