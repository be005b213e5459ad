import { DomainError } from '@refledger/contracts';
import type { EventLog } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import fc from 'fast-check';
import { paidStatusProjection } from '../src/index.js';
import { Embedded } from './embedded.js';
import { expectedTrail, writtenTrail } from './expected-trail.js';
import { faultyLog, type Fault } from './faulty-log.js';
import { Shop } from './shop.js';

/** What a shop and its treasurer do. A step that is not possible at that point does nothing. */
type Step =
  | { readonly sell: number }
  | { readonly change: number; readonly to: 'approved' | 'refunded'; readonly amount: number }
  | { readonly turn: number; readonly to: 'completed' | 'failed' | 'canceled' }
  | { readonly pay: true };

/** A trail that starts, and ends with this fault at its nth append, or else at the log's end. */
interface Start {
  /** Its checkpoint: the last one, an older one, or none. */
  readonly from: 'first store' | 'second store' | 'lost store';
  readonly at: number;
  readonly fault: Fault;
}

const amount = fc.integer({ min: 1, max: 1_000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ sell: amount }), weight: 3 },
  {
    arbitrary: fc.record({
      change: fc.nat(9),
      to: fc.constantFrom('approved', 'refunded'),
      amount,
    }),
    weight: 3,
  },
  { arbitrary: fc.constant({ pay: true } as const), weight: 2 },
  {
    arbitrary: fc.record({
      turn: fc.nat(3),
      to: fc.constantFrom('completed', 'completed', 'completed', 'failed', 'canceled'),
    }),
    weight: 4,
  },
);
const start: fc.Arbitrary<Start> = fc.record({
  from: fc.constantFrom('first store', 'second store', 'lost store'),
  at: fc.nat(5),
  fault: fc.constantFrom('crash before it', 'crash after it', 'unknown, lost', 'unknown, written'),
});
const happenings = fc.array(
  fc.oneof({ arbitrary: step, weight: 6 }, { arbitrary: fc.record({ start }), weight: 1 }),
  { minLength: 10, maxLength: 40 },
);

const embedded = new Embedded();
let log: EventLog;
let stores: Readonly<Record<Start['from'], ReadStore>>;
beforeAll(async () => {
  log = await embedded.openLog();
  const [first, second, lost] = [
    await embedded.openStore('first'),
    await embedded.openStore('second'),
    await embedded.openStore('lost'),
  ];
  for (const store of [first, second, lost]) embedded.showEntries(log, store);
  stores = { 'first store': first, 'second store': second, 'lost store': lost };
});
afterAll(() => embedded.remove());

const trail = async (shop: Shop, from: Start['from'], on = log): Promise<void> => {
  const store = stores[from];
  if (from === 'lost store')
    for (const build of await store.builds(paidStatusProjection.name)) await store.dropBuild(build);
  await shop.trail(on, store);
};

const take = async (shop: Shop, next: Step): Promise<void> => {
  if ('sell' in next) await shop.sell(next.sell);
  else if ('pay' in next) await shop.pay();
  else if ('turn' in next) {
    const payout = shop.payouts.at(-1 - next.turn);
    if (payout !== undefined) await shop.turn(payout, next.to);
  } else {
    const conversion = shop.conversions[next.change % shop.conversions.length];
    const patch = { commission_amount: next.amount, status: next.to };
    if (conversion !== undefined)
      await shop.change(conversion, next.to === 'approved' ? patch : { status: next.to });
  }
};

it('writes what follows each payout once, whatever happens to ledgers', async () => {
  await fc.assert(
    fc.asyncProperty(happenings, async (happened) => {
      const shop = await Shop.open(log, stores['first store']);
      for (const next of happened)
        if ('start' in next) {
          const { from, at, fault } = next.start;
          await trail(shop, from, faultyLog(log, at, fault)).catch(expectCrash);
        } else await take(shop, next).catch(expectRefusal);
      await shop.post();
      await trail(shop, 'first store');

      expect(await writtenTrail(log)).toEqual(await expectedTrail(log));
      const before = await log.head();
      await trail(shop, 'second store');
      await trail(shop, 'lost store');
      expect(await log.head()).toEqual(before);
    }),
    { numRuns: 20, endOnFailure: process.env['CI'] === undefined },
  );
});

const expectCrash = (error: unknown): void => {
  expect(error).toMatchObject({ message: 'crashed' });
};

/** A step that is not possible is refused. */
const expectRefusal = (error: unknown): void => {
  if (!(error instanceof DomainError)) throw error;
  expect(['invalid_transition', 'nothing_payable']).toContain(error.code);
};
