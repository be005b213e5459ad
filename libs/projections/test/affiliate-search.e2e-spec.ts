import { streams, type AffiliateId } from '@refledger/contracts';
import { affiliateEvents, plainAffiliate } from '@refledger/domain/testing';
import type { EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { waitFor } from '@refledger/testing';
import {
  affiliateSearch,
  allProjections,
  conversionsProjection,
  type AffiliateSearchDocument,
  type Projection,
} from '../src/index.js';
import {
  affiliateChanged,
  affiliateCreated,
  affiliateDeleted,
  affiliateFields,
  affiliateId,
} from './builders.js';
import { Embedded, type Running } from './embedded.js';
import { idsIn, newest } from './stored.js';

const { program_id } = affiliateDeleted.data;
const affiliateErased = affiliateEvents.erased({ affiliate_id: affiliateId, program_id });

let embedded: Embedded;
let log: EventLog;
let store: ReadStore;
let running: Running;
/** Makes opening fail, unless all affiliates are among these. */
let failure: Error | undefined;
let openable: readonly AffiliateId[];
let erased: readonly AffiliateId[];
let calls: (readonly AffiliateId[])[];

/** The only term of an affiliate is its name. */
const makeTerms = (affiliates: readonly AffiliateSearchDocument[]) => {
  calls.push(affiliates.map(({ record }) => record.id));
  const isOpen = affiliates.every(({ record }) => openable.includes(record.id));
  if (failure !== undefined && !isOpen) return Promise.reject(failure);
  return Promise.resolve(
    affiliates.map(({ record }) =>
      erased.includes(record.id) ? undefined : [plainAffiliate(record).name],
    ),
  );
};
let projections: readonly Projection[];

beforeEach(async () => {
  embedded = new Embedded();
  [failure, openable, erased, calls] = [undefined, [], [], []];
  [log, store] = [await embedded.openLog(), await embedded.openStore()];
  projections = allProjections(makeTerms, log).filter(({ name }) =>
    [conversionsProjection.name, affiliateSearch.name].includes(name),
  );
});
afterEach(() => embedded.remove());

const append = (...events: Parameters<Embedded['append']>[2][]) =>
  embedded.append(log, streams.affiliate(affiliateId), ...events);
const start = () => void (running = embedded.run(log, store, projections));
const reached = (position: Awaited<ReturnType<typeof append>>, projection = affiliateSearch) =>
  store.waitForPosition(projection, log.id, position, { timeoutMs: 60_000 });
const found = async (term: string) => {
  const where = [...newest.where, { field: 'terms', equals: term }];
  const query = { ...newest, where };
  return (await store.find(affiliateSearch, log.id, 'affiliate_search', query)).value.map(
    ({ record }) => record?.['id'],
  );
};
const renamed = affiliateFields({ name: 'Eve' });

it('finds affiliates by their terms now, and opens only changed values', async () => {
  start();
  await reached(await append(affiliateCreated));
  expect(await found('Ann')).toEqual([affiliateId]);
  const approved = { ...affiliateFields(), status: 'approved' } as const;
  await reached(await append(affiliateChanged('affiliate.approved', affiliateFields(), approved)));
  expect(await found('Ann')).toEqual([affiliateId]);
  expect(calls.flat()).toEqual([affiliateId]);

  await reached(await append(affiliateChanged('affiliate.updated', affiliateFields(), renamed)));
  expect([await found('Ann'), await found('Eve')]).toEqual([[], [affiliateId]]);

  await reached(await append(affiliateDeleted));
  expect(await found('Eve')).toEqual([]);
});

it('opens the last values of a batch with one call, and none of an affiliate that it deletes', async () => {
  const other = affiliateCreatedAs('aff_2');
  await append(affiliateCreated, affiliateChanged('affiliate.updated', affiliateFields(), renamed));
  await embedded.append(log, streams.affiliate('aff_2'), other);
  await embedded.append(log, streams.affiliate('aff_3'), affiliateCreatedAs('aff_3'));
  const position = await embedded.append(log, streams.affiliate('aff_3'), {
    ...affiliateDeleted,
    data: { ...affiliateDeleted.data, affiliate_id: 'aff_3' },
  } as typeof affiliateDeleted);
  start();
  await reached(position);
  expect(calls).toEqual([[affiliateId, 'aff_2']]);
  expect([await found('Ann'), await found('Eve')]).toEqual([['aff_2'], [affiliateId]]);
});

it('has no row of an affiliate whose key is erased', async () => {
  erased = ['aff_2'];
  await append(affiliateCreated);
  const stream = streams.affiliate('aff_2');
  const position = await embedded.append(log, stream, affiliateCreatedAs('aff_2'));
  start();
  await reached(position);
  expect(await found('Ann')).toEqual([affiliateId]);
});

it('waits while values do not open, and shows it, while the others go on', async () => {
  start();
  await reached(await append(affiliateCreated));
  failure = new Error('the key store has no key of affiliate aff_1');
  const position = await append(affiliateChanged('affiliate.updated', affiliateFields(), renamed));
  const sold = await embedded.sell(log, 'conv_1');
  await reached(sold, conversionsProjection);
  expect(await idsIn(store, log)).toEqual(['conv_1']);
  await waitFor(() => running.status().state === 'retrying');
  expect(running.status().error).toContain(failure.message);
  expect(await found('Ann')).toEqual([affiliateId]);

  failure = undefined;
  await reached(position);
  expect(await found('Eve')).toEqual([affiliateId]);
});

it('decodes no events of other streams, so it goes on after one that nobody can decode', async () => {
  start();
  const poison = { type: 'some_poison' as const, data: {} };
  await embedded.append(log, 'refledger.some-stream', poison);
  expect(await reached(await append(affiliateCreated))).toBe(true);
  await waitFor(() => running.status().state === 'stopped');
  expect(embedded.errors).toHaveLength(1);
});

it.each([
  ['deleted', [affiliateDeleted]],
  ['erased', [affiliateDeleted, affiliateErased]],
])('goes on without an affiliate whose key is lost, once it is %s', async (_, ending) => {
  failure = new Error('the key store has no key of affiliate aff_1');
  openable = ['aff_2'];
  // its end is in a later batch
  running = embedded.run(withSingleAppends(log), store, projections);
  await append(affiliateCreated);
  const position = await embedded.append(
    log,
    streams.affiliate('aff_2'),
    affiliateCreatedAs('aff_2'),
  );
  await waitFor(() => calls.length > 0);
  await append(...ending);
  expect(await reached(position)).toBe(true);
  expect(await found('Ann')).toEqual(['aff_2']);
});

const affiliateCreatedAs = (affiliate_id: AffiliateId) =>
  ({
    ...affiliateCreated,
    data: { ...affiliateCreated.data, affiliate_id },
  }) as typeof affiliateCreated;

/** Test double: the same log, with one append per batch. */
const withSingleAppends = (whole: EventLog): EventLog =>
  new Proxy(whole, {
    get: (target, name) => {
      if (name === 'subscribe')
        return (options: Parameters<EventLog['subscribe']>[0]) =>
          target.subscribe({ ...options, batchSize: 1 });
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
