import fc from 'fast-check';
import {
  newId,
  publicEventId,
  type EndpointId,
  type EndpointStatus,
  type EventPattern,
} from '@refledger/contracts';
import { EventWriter } from '@refledger/event-bus/conformance';
import { waitFor } from '@refledger/testing';
import { Workbench, type Running } from './workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.open();
});
afterAll(() => bench.close());

/** Sends nothing: the test only checks what is planned. */
const sender = {
  send: () => {
    const none = { durationMs: 0, address: null, response: null };
    return Promise.resolve({ kind: 'answered', status: 200, ...none } as const);
  },
};

type Step =
  | { readonly do: 'event'; readonly kind: 'create' | 'rename' }
  | {
      readonly do: 'subscribe' | 'unsubscribe';
      readonly url: number;
      readonly kinds: readonly EventPattern[];
    }
  | { readonly do: 'disable' | 'pause' | 'enable'; readonly url: number };
const kinds = fc.uniqueArray(
  fc.constantFrom<EventPattern>(
    'affiliate.created',
    'affiliate.updated',
    'conversion.created',
    'affiliate.*',
    'conversion.*',
    '*',
  ),
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
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('disable', 'pause', 'enable'), url }),
  },
);

interface Known {
  readonly id: EndpointId;
  status: EndpointStatus;
}

/**
 * An account with a model of its endpoints, and the deliveries expected for it (event and
 * endpoint).
 */
class Account {
  readonly endpoints = new Set<EndpointId>();
  readonly expected: string[] = [];
  private readonly id = newId('account');
  private readonly writer = new EventWriter(bench.log, this.id);
  private readonly affiliate = newId('affiliate');
  private readonly subscribed = new Map<
    number,
    { id: EndpointId; kinds: readonly EventPattern[]; status: EndpointStatus }
  >();

  async begin(): Promise<void> {
    await this.writer.createAffiliate(this.affiliate);
  }

  async play(step: Step): Promise<void> {
    if (step.do === 'event') return this.event(step.kind);
    if (step.do === 'subscribe') return this.subscribe(step.url, step.kinds);
    const endpoint = this.subscribed.get(step.url);
    if (endpoint === undefined) return;
    if (step.do === 'disable') return this.disable(endpoint);
    if (step.do === 'pause' || step.do === 'enable') {
      // what happens meanwhile is planned, too, as held
      const status = step.do === 'pause' ? 'paused' : 'enabled';
      return this.change(endpoint, status);
    }
    await bench.unsubscribe(target(step.url), this.id);
    this.subscribed.delete(step.url);
  }

  private async event(how: 'create' | 'rename'): Promise<void> {
    const [kind, eventId] =
      how === 'create'
        ? (['affiliate.created', await this.writer.createAffiliate(newId('affiliate'))] as const)
        : ([
            'affiliate.updated',
            await this.writer.renameAffiliate(this.affiliate, newId('event')),
          ] as const);
    for (const { id, kinds, status } of this.subscribed.values())
      if (status !== 'disabled' && kinds.some((one) => [kind, 'affiliate.*', '*'].includes(one)))
        this.expected.push(`${publicEventId(eventId)} ${id}`);
  }

  private async subscribe(url: number, kinds: readonly EventPattern[]): Promise<void> {
    const id = await bench.subscribe(target(url), kinds, this.id);
    expect(this.endpoints.has(id)).toBe(this.subscribed.has(url));
    this.endpoints.add(id);
    const isPaused = this.subscribed.get(url)?.status === 'paused';
    this.subscribed.set(url, { id, kinds, status: isPaused ? 'paused' : 'enabled' });
  }

  private async change(endpoint: Known, status: 'paused' | 'enabled'): Promise<void> {
    const patch = { status };
    await bench.endpoints(this.id, { type: 'update', endpoint_id: endpoint.id, patch });
    endpoint.status = status;
  }

  private async disable(endpoint: Known): Promise<void> {
    await bench.endpoints(this.id, {
      type: 'disable',
      endpoint_id: endpoint.id,
      version: Number.MAX_SAFE_INTEGER,
      reason: 'gone',
    });
    // the service disables no endpoint that is paused
    if (endpoint.status === 'enabled') endpoint.status = 'disabled';
  }
}

const target = (url: number): string => `http://127.0.0.1:9/${url}`;

/** Executes the steps in an account of its own. */
const play = async (steps: readonly Step[]): Promise<Account> => {
  const account = new Account();
  await account.begin();
  for (const one of steps) await account.play(one);
  return account;
};

const planned = async ({ store }: Running, endpoints: Iterable<EndpointId>) => {
  const ids: string[] = [];
  for (const endpointId of endpoints)
    ids.push(
      ...(await store.list({ endpointId, limit: 1_000 }))
        // `*` also matches the changes of other endpoints
        .filter(({ eventType }) => !eventType.startsWith('webhook.'))
        .map(({ eventId }) => `${eventId} ${endpointId}`),
    );
  return ids.sort();
};

it('every event is planned for exactly the endpoints subscribed at its position, during writes and long after', async () => {
  const live = await bench.start({ sender });
  const played: Account[] = [];
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
  const late = await bench.start({ sender, within: 'late' });
  await waitFor(() => late.dispatcher.status().state === 'stopped');
  await bench.decide({ type: 'resume', from: 'start' });
  await bench.caughtUp(late);
  for (const { endpoints, expected } of played)
    expect(await planned(late, endpoints)).toEqual([...expected].sort());
});
