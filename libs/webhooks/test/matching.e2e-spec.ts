import fc from 'fast-check';
import { newId, publicEventId, type EndpointId, type EventKind } from '@refledger/contracts';
import { Storyteller } from '@refledger/event-bus/conformance';
import { Workbench, type Running } from './workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(() => bench.close());

/** Nothing leaves: only what is planned counts here. */
const sender = {
  send: () => Promise.resolve({ kind: 'answered', status: 200, durationMs: 0 } as const),
};

type Step =
  | { readonly do: 'event'; readonly kind: 'create' | 'rename' }
  | {
      readonly do: 'subscribe' | 'unsubscribe';
      readonly url: number;
      readonly kinds: readonly EventKind[];
    }
  | { readonly do: 'disable'; readonly url: number };
const kinds = fc.uniqueArray(
  fc.constantFrom<EventKind>('affiliate.created', 'affiliate.updated', 'conversion.created'),
  { minLength: 1 },
);
const url = fc.integer({ min: 0, max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('event' as const),
      kind: fc.constantFrom('create' as const, 'rename' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('subscribe' as const), url, kinds }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unsubscribe' as const), url, kinds }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('disable' as const), url }) },
);

/** Does the steps in an account of its own; answers the deliveries that there must be (event and endpoint), by a model of its own. */
const play = async (steps: readonly Step[]) => {
  const account = newId('account');
  const story = new Storyteller(bench.log, account);
  const subscribed = new Map<
    number,
    { id: EndpointId; kinds: readonly EventKind[]; enabled: boolean }
  >();
  const endpoints = new Set<EndpointId>();
  const expected: string[] = [];
  const affiliate = newId('affiliate');
  const target = (n: number) => `http://127.0.0.1:9/${n}`;
  await story.createAffiliate(affiliate);
  for (const one of steps) {
    if (one.do === 'event') {
      const eventId =
        one.kind === 'create'
          ? await story.createAffiliate(newId('affiliate'))
          : await story.renameAffiliate(affiliate, newId('event'));
      const kind = one.kind === 'create' ? 'affiliate.created' : 'affiliate.updated';
      for (const endpoint of subscribed.values()) {
        if (endpoint.enabled && endpoint.kinds.includes(kind))
          expected.push(`${publicEventId(eventId)} ${endpoint.id}`);
      }
      continue;
    }
    const endpoint = subscribed.get(one.url);
    if (one.do === 'subscribe') {
      const id = await bench.subscribe(target(one.url), one.kinds, account);
      expect(endpoints.has(id)).toBe(endpoint !== undefined);
      endpoints.add(id);
      subscribed.set(one.url, { id, kinds: one.kinds, enabled: true });
    } else if (endpoint !== undefined && one.do === 'unsubscribe') {
      await bench.unsubscribe(target(one.url), account);
      subscribed.delete(one.url);
    } else if (endpoint !== undefined) {
      await bench.endpoints(account, {
        type: 'disable',
        endpoint_id: endpoint.id,
        version: Number.MAX_SAFE_INTEGER,
        reason: 'test',
      });
      endpoint.enabled = false;
    }
  }
  return { endpoints, expected };
};

const planned = async ({ store }: Running, endpoints: Iterable<EndpointId>) => {
  const ids: string[] = [];
  for (const endpointId of endpoints)
    ids.push(
      ...(await store.list({ endpointId, limit: 1_000 })).map(
        ({ eventId }) => `${eventId} ${endpointId}`,
      ),
    );
  return ids.sort();
};

it('every event is planned for exactly the endpoints that were subscribed at its position: while others write, and long after', async () => {
  const live = await bench.start({ sender });
  const played: Awaited<ReturnType<typeof play>>[] = [];
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const one = await play(steps);
      played.push(one);
      await bench.caughtUp(live);
      expect(await planned(live, one.endpoints)).toEqual([...one.expected].sort());
    }),
    { numRuns: 25, endOnFailure: true },
  );
  await live.stop();
  await bench.decide({ type: 'resume', from: 'start' });
  const late = await bench.start({ sender, file: 'late.db' });
  await bench.caughtUp(late);
  for (const { endpoints, expected } of played)
    expect(await planned(late, endpoints)).toEqual([...expected].sort());
});
