import { streams, type ConversionId } from '@refledger/contracts';
import type { LogBatch } from '@refledger/event-log';
import {
  ReadStoreError,
  type BuildChanges,
  type Document,
  type ReadStore,
} from '@refledger/read-store';
import { present } from '@refledger/testing/present';
import { conversionsProjection, type Projection } from '../src/index.js';
import { ProjectionGroup } from '../src/projector/projection-group.js';
import { conversionChanged, conversionCreated } from './builders.js';
import { Embedded } from './embedded.js';
import { position, record, type HistoryEvent } from './history.js';

let embedded: Embedded;
let store: ReadStore;
beforeEach(async () => {
  embedded = new Embedded();
  store = await embedded.openStore();
});
afterEach(() => embedded.remove());

/** A sale that is approved in the append that creates it. */
const sold = (id: ConversionId): HistoryEvent[] => [
  { stream: streams.conversion(id), event: conversionCreated({}, id), continues: true },
  {
    stream: streams.conversion(id),
    event: conversionChanged('conversion.approved', {}, { status: 'approved' }, { id }),
  },
];
const ids = [1, 2, 3, 4].map((n): ConversionId => `conv_${n}`);
const history = record(ids.flatMap(sold));
const batch: LogBatch = { events: history, through: position(8) };

const groupOf = async (
  to: ReadStore,
  projection: Projection = conversionsProjection,
): Promise<ProjectionGroup> => {
  const build =
    (await store.builds(projection.name))[0] ??
    (await store.createBuild(projection, 'log-1', 'first'));
  return new ProjectionGroup([{ projection, build }], to, 'log-1');
};

const statusOf = (document: Document | null): unknown => document?.['record']?.['status'];

/** An engine that refuses the third sale in a status, and the statuses of each save. */
const refusing = (status: string, saved: unknown[]): ReadStore =>
  Object.assign(Object.create(store) as ReadStore, {
    save: (changes: BuildChanges[]) => {
      const documents = changes.flatMap((each) => [...each.documents.values()].flat());
      if (documents.some(({ id, document }) => id === 'conv_3' && statusOf(document) === status))
        return Promise.reject(new ReadStoreError('unstorable', 'too large'));
      saved.push(...documents.map(({ document }) => statusOf(document)));
      return store.save(changes);
    },
  });

const projectionFailingAt = (poison: number): Projection => ({
  ...conversionsProjection,
  evolve: (document, event, key) => {
    if (event.position === position(poison)) throw new Error('broken projection');
    return conversionsProjection.evolve(document, event, key);
  },
});

const savedStatuses = async (): Promise<unknown[]> => {
  const [build] = await store.builds('conversions');
  const documents = await store.load(present(build), 'conversions', ids);
  return documents.map(({ document }) => statusOf(document));
};
const savedPosition = async () => (await store.builds('conversions'))[0]?.checkpoint?.position;
const none: ReadonlySet<string> = new Set();

it("a document that can't be stored is found without saving part of an append", async () => {
  const saved: unknown[] = [];
  const group = await groupOf(refusing('approved', saved));

  await expect(group.apply(batch, none)).rejects.toMatchObject({
    name: 'PoisonEvent',
    event: { position: position(6) },
  });

  expect(saved).toEqual(['approved', 'approved']);
  expect(await savedPosition()).toBe(position(4));
});

it('an operator can have an append shown in part, by skipping the event that cannot be stored', async () => {
  const saved: unknown[] = [];
  const group = await groupOf(refusing('approved', saved));

  await group.apply(batch, new Set([present(history[5]).id]));

  expect(saved).toEqual(['approved', 'approved', 'pending', 'approved']);
  expect(await savedPosition()).toBe(position(8));
});

it("the error for an append that can't be stored names an event that is not skipped", async () => {
  const group = await groupOf(refusing('pending', []));

  await expect(group.apply(batch, new Set([present(history[5]).id]))).rejects.toMatchObject({
    event: { position: position(5) },
  });
});

it.each([5, 6])(
  'an event on which a projection fails holds its append back: %i',
  async (poison) => {
    const group = await groupOf(store, projectionFailingAt(poison));

    await expect(group.apply(batch, none)).rejects.toMatchObject({
      name: 'PoisonEvent',
      event: { position: position(poison) },
    });

    expect(await savedStatuses()).toEqual(['approved', 'approved']);
    expect(await savedPosition()).toBe(position(4));
  },
);

it("an event that can't be decoded holds its append back", async () => {
  const events = history.map((event, n) =>
    n === 5 ? { ...event, type: 'conversion.from-the-future' } : event,
  );
  const group = await groupOf(store);

  await expect(group.apply({ ...batch, events }, none)).rejects.toMatchObject({
    event: { position: position(6) },
  });

  expect(await savedStatuses()).toEqual(['approved', 'approved']);
});
