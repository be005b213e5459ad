import { randomUUID } from 'node:crypto';
import { streams, type ConversionId, type DomainEvent } from '@refledger/contracts';
import { encodeEvent, type EventLog, type SubscribeOptions } from '@refledger/event-log';
import type { ReadStore } from '@refledger/read-store';
import { present } from '@refledger/testing/present';
import { paidStatusName, paidStatusProjection } from '../src/index.js';
import { allOf, Embedded, silent, paidStatusToHead } from './embedded.js';
import { expectedTrail, writtenTrail } from './expected-trail.js';
import { replacing } from './faulty-log.js';
import { payday } from './payees.js';
import { decide } from './sell.js';
import { Shop } from './shop.js';

let embedded: Embedded;
let log: EventLog;
let store: ReadStore;
let shop: Shop;
beforeEach(async () => {
  embedded = new Embedded();
  log = await embedded.openLog();
  store = await embedded.openStore();
  embedded.showEntries(log, store);
  shop = await Shop.open(log, store);
});
afterEach(() => embedded.remove());

const shown = () => Promise.all(shop.conversions.map((id) => shop.shownBy(id)));

it('conversions show the payout that paid them, until its money comes back', async () => {
  await shop.sell(100);
  await shop.sell(200);
  const first = await shop.pay();
  await shop.turn(first, 'processing');
  await shop.trail();
  expect(await shown()).toEqual([null, null]);

  await shop.turn(first, 'completed');
  await shop.trail();
  expect(await shown()).toEqual([first, first]);

  await shop.turn(first, 'failed');
  await shop.trail();
  expect(await shown()).toEqual([null, null]);

  await shop.sell(300);
  const second = await shop.payCompleted();
  await shop.trail();
  expect(await shown()).toEqual([second, second, second]);
  expect(await writtenTrail(log)).toEqual(await expectedTrail(log));
});

it('the ledger is the actor, and the conversion keeps its account', async () => {
  await shop.sell(100);
  await shop.payCompleted();
  await shop.trail();
  const written = (await allOf(log)).find(({ type }) => type === 'conversion.paid');
  expect(written?.metadata).toMatchObject({ account_id: 'acct_1', actor: 'ledger' });
});

it('a payout that fails before it is completed, or is canceled, has no trail', async () => {
  await shop.sell(100);
  await shop.turn(await shop.pay(), 'failed');
  await shop.turn(await shop.pay(), 'canceled');
  await shop.trail();
  expect(await writtenTrail(log)).toEqual({});
});

it('a conversion is paid what its lines in the payout add up to, if that is above 0', async () => {
  const [kept, less, more, none] = [
    await shop.sell(100),
    await shop.sell(200),
    await shop.sell(300),
    await shop.sell(400),
  ];
  await shop.change(less, { commission_amount: 150 });
  await shop.change(more, { status: 'rejected' });
  await shop.change(more, { status: 'approved', commission_amount: 350 });
  await shop.change(none, { status: 'refunded' });
  const payout = await shop.payCompleted();
  await shop.trail();
  expect(await writtenTrail(log)).toEqual({
    [kept]: [`paid ${payout} 100`],
    [less]: [`paid ${payout} 150`],
    [more]: [`paid ${payout} 350`],
  });
  expect(await expectedTrail(log)).toEqual(await writtenTrail(log));
});

it('a payout with a correction or a reversal alone does not pay that conversion', async () => {
  const [corrected, reversed] = [await shop.sell(100), await shop.sell(200)];
  const first = await shop.payCompleted();
  await shop.change(corrected, { commission_amount: 120 });
  await shop.change(reversed, { status: 'refunded' });
  const other = await shop.sell(1_000);
  const second = await shop.payCompleted();
  await shop.trail();
  expect(await writtenTrail(log)).toEqual({
    [corrected]: [`paid ${first} 100`],
    [reversed]: [`paid ${first} 200`],
    [other]: [`paid ${second} 1000`],
  });
});

it('of two payouts of one conversion, the later one is shown, whichever is completed first', async () => {
  const sale = await shop.sell(100);
  const first = await shop.pay();
  await shop.change(sale, { status: 'refunded' });
  await shop.change(sale, { status: 'approved', commission_amount: 300 });
  const second = await shop.payCompleted();
  await shop.turn(first, 'completed');
  await shop.trail();
  expect(await shown()).toEqual([second]);
  expect(await writtenTrail(log)).toEqual(await expectedTrail(log));
});

it('a payout of several pages pays each conversion once', async () => {
  await Promise.all(Array.from({ length: 430 }, (_, n) => shop.sell(n + 1)));
  const payout = await shop.payCompleted();
  await shop.trail();
  expect(new Set(await shown())).toEqual(new Set([payout]));
  expect(await writtenTrail(log)).toEqual(await expectedTrail(log));
});

/** Makes a stream unreadable. */
const breakStream = async (id: ConversionId): Promise<void> => {
  const event = { type: 'conversion.updated', data: {} } as unknown as DomainEvent;
  const metadata = { account_id: 'acct_1', actor: 'key_1', request_id: 'r' } as const;
  const encoded = encodeEvent(event, randomUUID(), {
    ...metadata,
    recorded_at: '2026-03-31T12:00:00.000Z',
  });
  const later = { ...encoded, metadata: { ...encoded.metadata, schema: 999 } };
  await log.append(streams.conversion(id), [later], 0);
};

it('a conversion that refuses is skipped, and counted', async () => {
  const [broken, whole] = [await shop.sell(100), await shop.sell(200)];
  const payout = await shop.payCompleted();
  await breakStream(broken);
  let passedOver = 0;
  const warnings: object[] = [];
  await paidStatusToHead({
    log,
    store,
    now: () => payday,
    logger: { ...silent, warn: (details: object) => void warnings.push(details) },
    onSkipped: () => passedOver++,
  });
  expect(await shop.shownBy(whole)).toBe(payout);
  expect(passedOver).toBe(1);
  expect(warnings).toMatchObject([{ conversion_id: broken, payout_id: payout }]);
});

it('stops at a payout that this release cannot read, until an operator skips it', async () => {
  await shop.sell(100);
  const first = await shop.payCompleted();
  const sale = await shop.sell(200);
  const unreadable = await shop.payCompleted();
  const event = present(
    (await allOf(log)).filter(
      ({ type, stream }) => type === 'payout.completed' && stream === streams.payout(unreadable),
    )[0],
  );
  const later = withLaterSchema(log, event.id);
  await expect(shop.trail(later)).rejects.toThrow(`position ${event.position}`);
  const [build] = await store.builds(paidStatusProjection.name);
  expect(await shown()).toEqual([first, null]);
  const before = (await allOf(log)).filter(({ position }) => position < event.position).at(-1);
  expect(build?.checkpoint?.position).toBe(before?.position);

  await decide(log, { type: 'skip', event_id: event.id, position: event.position }, paidStatusName);
  await shop.trail(later);
  expect(await shop.shownBy(sale)).toBeNull();
});

/** Test double: a log in which a later release has recorded this event. */
const withLaterSchema = (original: EventLog, id: string): EventLog =>
  replacing(original, {
    subscribe: async function* (options: SubscribeOptions) {
      for await (const batch of original.subscribe(options))
        yield {
          ...batch,
          events: batch.events.map((event) =>
            event.id === id ? { ...event, metadata: { ...event.metadata, schema: 999 } } : event,
          ),
        };
    },
  });

it('carries out the decision of an operator to start again, and adds nothing', async () => {
  await shop.sell(100);
  await shop.payCompleted();
  await shop.trail();
  await decide(log, { type: 'resume', from: 'start' }, paidStatusName);
  const before = await log.head();
  await shop.trail();
  expect(await log.head()).toBe(before);
});
