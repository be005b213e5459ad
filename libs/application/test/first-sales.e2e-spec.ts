import { randomUUID } from 'node:crypto';
import { newId, streams, type ConversionId } from '@refledger/contracts';
import { conversionRecord, type Customer } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import { raceAtEveryStep, settled, SteppedLog } from '@refledger/event-log/conformance';
import { newSimulatedLog } from '@refledger/simulation';
import { Shop } from './shop.js';

describe.each([
  ['one event', 1, 'manual'],
  ['two events, with automatic approval', 2, 'automatic'],
] as const)('first sales of %s', (_, count, conversion_approval) => {
  let log: EventLog;
  let shop: Shop;
  beforeEach(async () => {
    log = newSimulatedLog();
    shop = new Shop(log);
    const terms = { type: 'percentage', rate_bps: 1_000, recurring: 'first' } as const;
    await shop.open({ terms, conversion_approval });
  });
  afterEach(() => log.close());

  const newCustomer = (): string => `customer-${randomUUID()}`;
  const newIds = (): [ConversionId, ConversionId] => [newId('conversion'), newId('conversion')];
  const referred = async (customer: string): Promise<ConversionId[]> =>
    (await shop.events(shop.customer(customer))).map(
      ({ data }) => (data as Customer).conversion_id,
    );

  /** Checks that exactly one of a customer's sales is the first, and that only this one earns. */
  const expectOneFirst = async (
    customer: string,
    ids: readonly ConversionId[],
  ): Promise<ConversionId | undefined> => {
    const sales = await shop.salesTo(customer, ids);
    const firsts = sales.filter(({ created }) => created.basis.first_occurred_at === null);
    expect(firsts).toHaveLength(Math.min(sales.length, 1));
    const [first] = firsts;
    for (const { record, created } of sales) {
      const isFirst = record.id === first?.record.id;
      expect([
        record.commission_amount,
        record.commission.why,
        created.basis.first_occurred_at,
      ]).toEqual(isFirst ? [1_000, 'applied', null] : [0, 'not_first', first?.record.occurred_at]);
      const events = await shop.events(streams.conversion(record.id));
      expect(events.map(({ type }) => type)).toEqual(
        ['conversion.created', 'conversion.approved'].slice(0, count),
      );
    }
    if (first !== undefined) expect((await referred(customer)).at(-1)).toBe(first.record.id);
    return first?.record.id;
  };

  it('of two first sales, one is the first, even with a writer paused between every two appends', async () => {
    const pauses = await raceAtEveryStep(log, {
      setUp: () => Promise.resolve({ customer: newCustomer(), ids: newIds() }),
      paused: (on, { customer, ids: [a] }) => shop.sell(a, customer, { on }),
      rival: ({ customer, ids: [, b] }) => shop.sell(b, customer),
      check: async ({ customer, ids }) => {
        expect(await shop.salesTo(customer, ids)).toHaveLength(2);
        expect(await expectOneFirst(customer, ids)).toBeDefined();
        expect(await referred(customer)).toHaveLength(1);
      },
    });
    expect(pauses).toBe(3);
  });

  it('a later sale stays later, however long it is paused before its append', async () => {
    const pauses = await raceAtEveryStep(log, {
      setUp: async () => {
        const [customer, ids] = [newCustomer(), [newId('conversion'), ...newIds()] as const];
        await shop.sell(ids[0], customer);
        return { customer, ids };
      },
      paused: (on, { customer, ids: [, b] }) => shop.sell(b, customer, { on }),
      rival: async ({ customer, ids: [a, , c] }) => {
        await shop.sell(c, customer);
        await settled(shop.sell(a, customer));
      },
      check: async ({ customer, ids }) => {
        expect(await shop.salesTo(customer, ids)).toHaveLength(3);
        expect(await expectOneFirst(customer, ids)).toBe(ids[0]);
      },
    });
    expect(pauses).toBeGreaterThanOrEqual(1);
  });

  it('one transaction for two customers is one sale, and each customer has one first sale', async () => {
    const voided: number[] = [];
    await raceAtEveryStep(log, {
      setUp: () =>
        Promise.resolve({ customers: [newCustomer(), newCustomer()] as const, ids: newIds() }),
      paused: (on, { customers: [x], ids: [same] }) => shop.sell(same, x, { on }),
      rival: ({ customers: [, y], ids: [same] }) => shop.sell(same, y),
      check: async ({ customers, ids: [same, next] }) => {
        const others = [next, newId('conversion')] as const;
        for (const [n, customer] of customers.entries()) {
          await shop.sell(others[n] ?? next, customer);
          expect(await expectOneFirst(customer, [same, ...others])).toBeDefined();
        }
        const both = await Promise.all(customers.map((each) => shop.salesTo(each, [same])));
        expect(both.flat()).toHaveLength(1);
        voided.push((await Promise.all(customers.map(referred))).flat().length - 2);
      },
    });
    // in one of the races the claim was taken and its append could never succeed
    expect(voided).toContain(1);
  });

  it('the same request twice is one sale, which is found again', async () => {
    await raceAtEveryStep(log, {
      setUp: () => Promise.resolve({ customer: newCustomer(), id: newId('conversion') }),
      paused: async (on, { customer, id }) => {
        const { state } = await shop.sell(id, customer, { on });
        expect(state).toEqual((await shop.sell(id, customer)).state);
      },
      rival: ({ customer, id }) => shop.sell(id, customer),
      check: async ({ customer, id }) => {
        expect((await shop.sell(id, customer)).events).toEqual([]);
        expect(await expectOneFirst(customer, [id])).toBe(id);
      },
    });
  });

  it('a sale decided as the first is no longer the first once another has taken the claim', async () => {
    const [a, b] = newIds();
    let isRead = false;
    const on = Object.assign(Object.create(log) as EventLog, {
      async *readStream(...args: Parameters<EventLog['readStream']>) {
        yield* log.readStream(...args);
        if (isRead || args[0] !== shop.customer('bob')) return;
        isRead = true;
        await shop.sell(b, 'bob');
      },
    });
    await shop.sell(a, 'bob', { on });
    expect(await shop.salesTo('bob', [a, b])).toHaveLength(2);
    expect(await expectOneFirst('bob', [a, b])).toBe(b);
    expect(await referred('bob')).toEqual([b]);
  });

  it('of a hundred at once, one is the first', async () => {
    const ids = Array.from({ length: 100 }, () => newId('conversion'));
    await Promise.all(ids.map((id) => shop.sell(id, 'bob')));
    expect(await shop.salesTo('bob', ids)).toHaveLength(100);
    expect(await expectOneFirst('bob', ids)).toBeDefined();
    expect(await referred('bob')).toHaveLength(1);
  });

  it('one transaction for two customers is one sale, however many requests name it at once', async () => {
    const id = newId('conversion');
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (__, n) => settled(shop.sell(id, n % 2 === 0 ? 'ada' : 'bob'))),
    );
    expect([...new Set(outcomes)].sort()).toEqual(['done', 'idempotency_key_reused']);
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(30);
  });

  it.each(['another sale', 'a repetition'])(
    'a claim whose writer was killed is finished by %s, under the terms of the claim',
    async (by) => {
      const [a, b] = newIds();
      const { log: stepped, steps } = SteppedLog.wrap(log);
      const killed = settled(shop.sell(a, 'bob', { on: stepped }));
      await steps.step(killed);
      expect(await shop.events(streams.conversion(a))).toEqual([]);
      await shop.changeProgram({ terms: null, conversion_approval: 'manual' });
      const { events, state } = await shop.sell(by === 'another sale' ? b : a, 'bob');
      if (by === 'another sale') expect(conversionRecord(state)?.commission.why).toBe('no_terms');
      else expect(events).toEqual([]);
      const [first] = await shop.salesTo('bob', [a]);
      expect(first?.record).toMatchObject({ commission_amount: 1_000, revision: count - 1 });
      while (await steps.step(killed));
      expect(await killed).toBe('done');
      expect(await shop.events(streams.conversion(a))).toHaveLength(count);
    },
  );

  it.each(['an archived program', 'a suspended affiliate'])(
    'a repetition finds the sale that a killed writer claimed, even for %s',
    async (now) => {
      const id = newId('conversion');
      const { log: stepped, steps } = SteppedLog.wrap(log);
      const killed = settled(shop.sell(id, 'bob', { on: stepped }));
      await steps.step(killed);
      if (now === 'an archived program') await shop.changeProgram({ status: 'archived' });
      else await shop.setAffiliate('suspended');
      const { events, state, revision } = await shop.sell(id, 'bob');
      expect([conversionRecord(state)?.id, events.length, revision]).toEqual([id, 0, count - 1]);
      expect(await expectOneFirst('bob', [id])).toBe(id);
      // a rule refuses another sale, as before
      expect(await settled(shop.sell(newId('conversion'), 'bob'))).toMatch(/_not_active$/);
      while (await steps.step(killed));
      expect(await killed).toBe('done');
      expect(await shop.events(streams.conversion(id))).toHaveLength(count);
    },
  );

  it("a sale that a rule refuses is no one's first, even once the rule has changed", async () => {
    const [a, b] = newIds();
    await shop.setAffiliate('suspended');
    expect(await settled(shop.sell(a, 'bob'))).toBe('affiliate_not_active');
    expect(await referred('bob')).toEqual([]);
    await shop.setAffiliate('approved');
    await shop.sell(b, 'bob');
    expect(await expectOneFirst('bob', [a, b])).toBe(b);
  });

  it('the first sale stays the first when it is rejected', async () => {
    const [a, b] = newIds();
    await shop.sell(a, 'bob');
    await shop.reject(a);
    const { state } = await shop.sell(b, 'bob');
    expect(conversionRecord(state)?.commission.why).toBe('not_first');
  });

  it('months count from when the first sale occurred', async () => {
    await shop.changeProgram({
      terms: { type: 'percentage', rate_bps: 1_000, recurring: { months: 1 } },
    });
    const why = async (occurred_at: string): Promise<string | undefined> => {
      const { state } = await shop.sell(newId('conversion'), 'bob', { occurred_at });
      return conversionRecord(state)?.commission.why;
    };
    expect(await why('2026-01-31T12:00:00Z')).toBe('applied');
    expect(await why('2026-02-28T13:59:59.999+02:00')).toBe('applied');
    expect(await why('2026-02-28T12:00:00Z')).toBe('after_duration');
    expect(await why('2025-06-01T00:00:00Z')).toBe('applied');
  });
});
