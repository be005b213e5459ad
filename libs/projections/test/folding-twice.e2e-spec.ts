import type { ConversionId } from '@refledger/contracts';
import type { StoredDocument } from '@refledger/read-store';
import { present } from '@refledger/testing/present';
import * as fc from 'fast-check';
import { ProjectionGroup } from '../src/projector/projection-group.js';
import { projections } from '../src/index.js';
import {
  affiliateChanged,
  affiliateCreated,
  affiliateDeleted,
  affiliateFields,
  conversionChanged,
  conversionCreated,
} from './builders.js';
import { Embedded } from './embedded.js';
import { record, type HistoryEvent } from './history.js';

const embedded = new Embedded();
afterAll(() => embedded.remove());

const conversions: readonly ConversionId[] = ['conv_1', 'conv_2', 'conv_3'];
const happened: fc.Arbitrary<HistoryEvent> = fc.oneof(
  fc.constantFrom(...conversions).map(
    (id) =>
      ({
        stream: `refledger.conversion-${id}`,
        event: conversionChanged('conversion.approved', {}, { status: 'approved' }, { id }),
      }) as const,
  ),
  fc.constant({
    stream: 'refledger.affiliate-aff_1',
    event: affiliateChanged(
      'affiliate.updated',
      affiliateFields(),
      affiliateFields({ name: 'Bob' }),
    ),
  } as const),
);
const beginning: readonly HistoryEvent[] = [
  { stream: 'refledger.affiliate-aff_1', event: affiliateCreated },
  ...conversions.map(
    (id) => ({ stream: `refledger.conversion-${id}`, event: conversionCreated({}, id) }) as const,
  ),
];
const end: HistoryEvent = { stream: 'refledger.affiliate-aff_1', event: affiliateDeleted };

it('folding twice is folding once, in any batches and from any starting position', async () => {
  const store = await embedded.openStore();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(happened, { maxLength: 20 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 7 }),
      fc.array(fc.nat(30), { maxLength: 4 }),
      async (middle, deleted, size, restarts) => {
        const events = record([...beginning, ...middle, ...(deleted ? [end] : [])]);
        const cause = `run ${run++}`;
        const builds = await Promise.all(
          projections.map(async (projection) => ({
            projection,
            build: await store.createBuild(projection, 'log-1', cause),
          })),
        );
        const fold = async (from: number): Promise<void> => {
          // A new group doesn't know how far the builds had got, so only the positions of the
          // documents prevent folding twice.
          const group = new ProjectionGroup(builds, store, 'log-1');
          for (let i = from; i < events.length; i += size) {
            const batch = events.slice(i, i + size);
            await group.apply(
              { events: batch, through: present(batch.at(-1)).position },
              new Set(),
            );
          }
        };
        const all = async (): Promise<readonly StoredDocument[]> => {
          const documents: StoredDocument[] = [];
          for (const { projection, build } of builds)
            for (const { name } of projection.collections)
              documents.push(...(await store.load(build, name, ['aff_1', ...conversions])));
          return documents;
        };

        await fold(0);
        const once = await all();
        for (const restart of restarts) await fold(Math.min(restart, events.length - 1));

        expect(once).toHaveLength(5);
        expect(await all()).toEqual(once);
        for (const { build } of builds) await store.dropBuild(build);
      },
    ),
    { numRuns: 40 },
  );
});
