import type { AffiliateId, PayoutId, UpdatePayout } from '@refledger/contracts';
import { bucketSums } from '@refledger/domain';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import { waitFor } from '@refledger/testing';
import { BalanceReader } from '../src/index.js';
import { allOf, Embedded, postToHead } from './embedded.js';
import { faultyLog } from './faulty-log.js';
import {
  balanceOf,
  beforePayouts,
  crashingAtPayouts,
  findings,
  newPayoutId,
  payday,
  payee,
  Payer,
} from './payees.js';
import { expectPayoutLaws } from './payout-laws.js';
import { decide, noon, sell } from './sell.js';

let embedded: Embedded;
let log: EventLog;
let stores = 0;
beforeEach(async () => {
  embedded = new Embedded();
  log = await embedded.openLog();
});
afterEach(() => embedded.remove());

/** A ledger without a checkpoint. */
const post = async (chapterLength?: number): Promise<void> =>
  postToHead({
    log,
    store: await embedded.openStore(`store ${stores++}`),
    now: () => payday,
    ...(chapterLength !== undefined && { chapterLength }),
  });
const settle = () => post();
const behind = () => Promise.resolve();
const ofType = async (type: string): Promise<readonly LoggedEvent[]> =>
  (await allOf(log)).filter((event) => event.type === type);

/** What is open, in payouts and paid. */
const figures = async (affiliate: AffiliateId) => {
  const { state } = (await new BalanceReader(log).load(balanceOf(affiliate))) ?? {};
  if (state === undefined) throw new Error(`${affiliate} has no balance`);
  let open = 0n;
  for (const sum of bucketSums(state.buckets).values()) open += sum;
  const inFlight = Object.values(state.inFlight).map(({ amount }) => BigInt(amount));
  return [open, inFlight.reduce((sum, amount) => sum + amount, 0n), state.paid].map(Number);
};

it('a payout takes everything payable, and is settled, while a ledger is running', async () => {
  const affiliate = await payee(log, [100, 200]);
  const store = await embedded.openStore();
  const running = embedded.run({ log, store, now: () => payday });
  const caughtUp = async () => {
    const head = await log.head();
    await waitFor(() => running.status().position === head);
  };
  const payer = new Payer(log, { settle: caughtUp });
  const id = newPayoutId();

  const { isNew, state } = await payer.pay(id, affiliate);

  expect(isNew).toBe(true);
  expect(state).toMatchObject({ record: { amount: 300, entry_count: 2, status: 'created' } });
  await caughtUp();
  expect(await figures(affiliate)).toEqual([0, 300, 0]);
  // the ledger has the balance in its cache as it was before the reservation
  await payer.update(id, { status: 'completed' });
  await caughtUp();
  expect(await figures(affiliate)).toEqual([0, 0, 300]);
  await expectPayoutLaws(log);
});

describe('a payout whose gateway ends after the reservation', () => {
  const crashed = async (): Promise<[AffiliateId, PayoutId]> => {
    const affiliate = await payee(log, [100]);
    const id = newPayoutId();
    const payer = new Payer(crashingAtPayouts(log), { settle });
    await expect(payer.pay(id, affiliate)).rejects.toThrow('crashed');
    expect(await ofType('payout.created')).toEqual([]);
    return [affiliate, id];
  };
  const expectHeldPayout = async (): Promise<void> => {
    const [reserved, ...more] = await ofType('balance.reserved');
    expect(more).toEqual([]);
    const { append } = reserved?.data as { append: { events: readonly { id: string }[] } };
    const created = await ofType('payout.created');
    expect(created.map(({ id }) => id)).toEqual(append.events.map(({ id }) => id));
    await post();
    await expectPayoutLaws(log);
    const head = await log.head();
    await post();
    expect(await log.head()).toEqual(head);
  };

  it('is finished by the ledger', async () => {
    const [affiliate, id] = await crashed();
    await post();
    await expectHeldPayout();
    const retried = await new Payer(log, { settle }).pay(id, affiliate);
    expect(retried).toMatchObject({ isNew: false, state: { record: { id, amount: 100 } } });
    await expectHeldPayout();
  });

  it('is finished by a retry', async () => {
    const [affiliate, id] = await crashed();
    const retried = await new Payer(log, { settle: behind }).pay(id, affiliate);
    expect(retried).toMatchObject({ isNew: false, state: { record: { id, amount: 100 } } });
    await expectHeldPayout();
  });

  it('refuses a retry with a different request', async () => {
    const [affiliate, id] = await crashed();
    const retry = new Payer(log, { settle: behind }).pay(id, affiliate, { description: 'x' });
    await expect(retry).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    await expectHeldPayout();
  });
});

it.each<[string, readonly UpdatePayout[], readonly number[]]>([
  ['processing', [{ status: 'processing' }], [0, 300, 0]],
  ['completed', [{ status: 'completed' }], [0, 0, 300]],
  ['failed', [{ status: 'failed', reason: 'closed' }], [300, 0, 0]],
  ['canceled', [{ status: 'canceled' }], [300, 0, 0]],
  [
    'completed, then failed',
    [{ status: 'completed' }, { status: 'failed', reason: 'closed' }],
    [300, 0, 0],
  ],
])('a payout that is %s', async (_, patches, expected) => {
  const affiliate = await payee(log, [100, 200]);
  const payer = new Payer(log, { settle });
  const id = newPayoutId();
  await payer.pay(id, affiliate);
  for (const patch of patches) await payer.update(id, patch);
  await post();
  expect(await figures(affiliate)).toEqual(expected);
  await expectPayoutLaws(log);

  // the next payout has what is open, and what was sold since
  await sell(log, { affiliate, amount: 50 });
  const next = await payer.pay(newPayoutId(), affiliate);
  expect(next.state).toMatchObject({ record: { amount: (expected[0] ?? 0) + 50 } });
  await expectPayoutLaws(log);
});

describe('a payout id that is reserved in two balances', () => {
  /** The second balance wins. The ledger has not met the reservation in the first one. */
  const reservedTwice = async () => {
    const [first, second] = [await payee(log, [100]), await payee(log, [200])];
    await post();
    const id = newPayoutId();
    const rival = new Payer(log, { settle: behind });
    const beforeHim = beforePayouts(log, () => rival.pay(id, second));
    const payer = new Payer(beforeHim, { settle: behind });
    await expect(payer.pay(id, first)).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    expect(await figures(first)).toEqual([0, 100, 0]);
    return { first, second, id };
  };

  it('is released by the ledger once, in the balance that lost', async () => {
    const { first, second, id } = await reservedTwice();

    await post();

    expect(await figures(first)).toEqual([100, 0, 0]);
    expect(await figures(second)).toEqual([0, 200, 0]);
    const [reserved] = await ofType('balance.reserved');
    const released = await ofType('balance.released');
    expect(released).toHaveLength(1);
    expect(released[0]?.data).toMatchObject({
      balance_id: balanceOf(first),
      was: 'open',
      source: { event_id: reserved?.id },
    });
    await expectPayoutLaws(log);
    const head = await log.head();
    await post();
    expect(await log.head()).toEqual(head);

    const altered = async (change: object) =>
      (
        await findings(log, (event) =>
          event.type === 'balance.released'
            ? { ...event, data: { ...(event.data as object), ...change } }
            : event,
        )
      ).join();
    expect(await altered({})).toBe('');
    expect(await altered({ amount: '99' })).toContain('its amount is 99, but its source says 100');
    const { source } = released[0]?.data as { readonly source: object };
    expect(await altered({ source: { ...source, event_id: 'other' } })).toContain(
      'its source other is not a void reservation',
    );

    // the lines are free for another payout, which stays when everything is posted again
    await sell(log, { affiliate: first, amount: 5 });
    const again = new Payer(log, { settle });
    await again.pay(newPayoutId(), first);
    await again.update(id, { status: 'completed' });
    await post();
    expect(await figures(first)).toEqual([0, 105, 0]);
    expect(await figures(second)).toEqual([0, 0, 200]);
    await expectPayoutLaws(log);
  });

  it('is released when the ledger goes back to it, though later sales are posted', async () => {
    const { first } = await reservedTwice();
    await decide(log, { type: 'resume', from: 'head' });
    await sell(log, { affiliate: first, amount: 5 });
    await post();
    expect(await figures(first)).toEqual([5, 100, 0]);

    await decide(log, { type: 'resume', from: 'start' });
    await post();
    expect(await figures(first)).toEqual([105, 0, 0]);
    await expectPayoutLaws(log);
  });

  it('becomes the payout of the first one if the ledger meets that reservation first', async () => {
    const [first, second] = [await payee(log, [100]), await payee(log, [200])];
    const id = newPayoutId();
    const rival = new Payer(log, { settle });
    const refused: unknown[] = [];
    const beforeHim = beforePayouts(log, () =>
      rival.pay(id, second).catch((error: unknown) => refused.push(error)),
    );
    await new Payer(beforeHim, { settle }).pay(id, first);
    expect(refused).toMatchObject([{ code: 'idempotency_key_reused' }]);
    await post();
    await expectPayoutLaws(log);
  });
});

describe('a refusal', () => {
  it('comes from the balance as it is, not as it was cached', async () => {
    const affiliate = await payee(log, [100]);
    const [payer, other] = [new Payer(log, { settle }), new Payer(log, { settle })];
    await payer.pay(newPayoutId(), affiliate);
    await sell(log, { affiliate, amount: 7 });
    const second = await payer.pay(newPayoutId(), affiliate);
    expect(second.state).toMatchObject({ record: { amount: 7 } });

    await sell(log, { affiliate, amount: 8 });
    await other.pay(newPayoutId(), affiliate);
    const third = payer.pay(newPayoutId(), affiliate);
    await expect(third).rejects.toMatchObject({ code: 'nothing_payable' });
    await expectPayoutLaws(log);
  });

  it('leaves nothing behind for an affiliate without a balance', async () => {
    const affiliate = await payee(log);
    const pay = new Payer(log, { settle }).pay(newPayoutId(), affiliate);
    await expect(pay).rejects.toMatchObject({ code: 'nothing_payable' });
    expect(await ofType('balance.opened')).toEqual([]);
  });
});

it.each(['crash before it', 'crash after it', 'unknown, lost', 'unknown, written'] as const)(
  'a payout near the end of a chapter is made exactly once, even with a faulty append: %s',
  async (fault) => {
    const chapterLength = 5;
    const ledger = () => post(chapterLength);
    for (const sales of [1, 2, 3, 4])
      for (const at of [0, 1, 2, 3, 4]) {
        const affiliate = await payee(
          log,
          Array.from({ length: sales }, () => 10),
        );
        await ledger();
        const id = newPayoutId();
        const faulty = new Payer(faultyLog(log, at, fault), { settle: behind, chapterLength });
        await faulty.pay(id, affiliate).catch((error: Error) => {
          expect(error.message).toBe('crashed');
        });
        const payer = new Payer(log, { settle: behind, chapterLength });
        const { state } = await payer.pay(id, affiliate);
        expect(state).toMatchObject({ record: { amount: sales * 10 } });
      }
    await ledger();
    await expectPayoutLaws(log, chapterLength);
  },
);

it('an audit finds a reservation that was altered', async () => {
  const affiliate = await payee(log, [100, 200]);
  await new Payer(log, { settle }).pay(newPayoutId(), affiliate);
  await post();
  const altered = (change: (data: Record<string, unknown>) => object) =>
    findings(log, (event) => {
      if (event.type !== 'balance.reserved') return event;
      const data = event.data as Record<string, unknown>;
      return { ...event, data: { ...data, ...change(data) } };
    });
  expect(await altered(() => ({}))).toEqual([]);
  expect((await altered(() => ({ amount: '299' }))).join()).toMatch(/hash.*,earned and adjusted/);
  expect(await altered(() => ({ until: '2026-03-01' }))).toHaveLength(1);
  expect((await altered(() => ({ payout_id: 'pay_x' }))).join()).toMatch(
    /hash.*,payout pay_x of 300 was reserved, but neither created nor released/,
  );
  const range = { from: 1, to: 1, amount: '300', count: 1 };
  const buckets = [{ payable_on: '2026-03-02', ranges: [range] }];
  expect(await altered(() => ({ buckets }))).toContainEqual(expect.stringMatching(/are not open/));
});

it('an audit finds a settled or released payout that is unlike its end', async () => {
  const affiliate = await payee(log, [100, 200]);
  const payer = new Payer(log, { settle });
  const id = newPayoutId();
  await payer.pay(id, affiliate);
  await payer.update(id, { status: 'completed' });
  await post();
  await payer.update(id, { status: 'failed', reason: 'returned' });
  await post();
  const altered = (type: string, change: object) =>
    findings(log, (event) =>
      event.type === type ? { ...event, data: { ...(event.data as object), ...change } } : event,
    );
  expect(await altered('', {})).toEqual([]);
  for (const type of ['balance.settled', 'balance.released']) {
    const unlike = async (change: object) => (await altered(type, change)).join();
    expect(await unlike({ amount: '299' })).toContain('its amount is 299, but its source says 300');
    expect(await unlike({ posted_at: noon })).toContain(`its posted_at is ${noon}, but`);
    const { source } = (await ofType(type))[0]?.data as { readonly source: object };
    const other = { ...source, event_id: 'other' };
    expect(await unlike({ source: other })).toContain('ends no payout, or was already posted');
  }
  expect((await altered('balance.released', { buckets: [] })).join()).toContain(
    'its entries differ from the entries that its source names',
  );
  expect((await altered('payout.failed', { amount: '1' })).join()).toContain('its amount is 300');
  const completed = await findings(log, (event) =>
    event.type === 'payout.failed' ? { ...event, type: 'payout.completed' } : event,
  );
  expect(completed).toContain('its source made the payout completed');
});
