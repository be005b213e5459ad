import { type AffiliateId, type PayoutId, type Position } from '@refledger/contracts';
import { bucketSums } from '@refledger/domain';
import type { EventLog, LoggedEvent } from '@refledger/event-log';
import { waitFor } from '@refledger/testing';
import { BalanceReader } from '../src/index.js';
import { allOf, copyTo, Embedded, postToHead } from './embedded.js';
import {
  balanceOf,
  crashingAtPayouts,
  findings,
  newPayoutId,
  payday,
  payee,
  Payer,
} from './payees.js';
import { expectPayoutLaws } from './payout-laws.js';
import { amounts, decide, sell } from './sell.js';

// small enough that a payout, its end and the repair are in different chapters
const chapterLength = 4;

let embedded: Embedded;
let log: EventLog;
let stores: number;
let payer: Payer;
let affiliate: AffiliateId;
let payout: PayoutId;
beforeEach(async () => {
  embedded = new Embedded();
  log = await embedded.openLog();
  stores = 0;
  payer = new Payer(log, { settle: () => post(), chapterLength });
  affiliate = await payee(log, [100, 200]);
  payout = newPayoutId();
});
afterEach(() => embedded.remove());

/** A ledger that starts without a checkpoint, as after its read models were deleted. */
const postAgain = () => post(`store ${++stores}`);
const post = async (store = `store ${stores}`): Promise<void> =>
  postToHead({ log, store: await embedded.openStore(store), now: () => payday, chapterLength });
const last = async (type: string): Promise<LoggedEvent> => {
  const event = (await allOf(log)).findLast((each) => each.type === type);
  if (event === undefined) throw new Error(`the log has no ${type}`);
  return event;
};
const count = async (...types: readonly string[]): Promise<number> =>
  (await allOf(log)).filter(({ type }) => types.includes(type)).length;
const skip = async (type: string): Promise<Position> => {
  const { id: event_id, position } = await last(type);
  await decide(log, { type: 'skip', event_id, position });
  return position;
};
/** What `ops resume posting --from <position>` records. */
const lift = async (position: Position): Promise<void> => {
  const event = await log.eventAt(position);
  if (event === undefined) throw new Error(`there is no event at ${position}`);
  const { id: event_id, stream, revision } = event;
  await decide(log, { type: 'resume', from: position, lifts: { event_id, stream, revision } });
};
const end = async (status: 'completed' | 'failed' | 'canceled'): Promise<void> =>
  payer.update(payout, { status, ...(status !== 'completed' && { reason: 'returned' }) });
/** What is open, in payouts and paid. */
const figures = async () => {
  const { state } = (await new BalanceReader(log, chapterLength).load(balanceOf(affiliate))) ?? {};
  if (state === undefined) throw new Error(`${affiliate} has no balance`);
  let open = 0n;
  for (const sum of bucketSums(state.buckets).values()) open += sum;
  const inFlight = Object.values(state.inFlight).map(({ amount }) => BigInt(amount));
  return [open, inFlight.reduce((sum, amount) => sum + amount, 0n), state.paid].map(Number);
};
/** Whatever posting does again, nothing changes any more. */
const expectSame = async (expected: readonly number[]): Promise<void> => {
  const ended = await count('balance.settled', 'balance.released');
  const posted = await amounts(log);
  expect(await figures()).toEqual(expected);
  expect(await findings(log)).toEqual([]);
  await postAgain();
  await decide(log, { type: 'resume', from: 'start' });
  await post();
  expect(await figures()).toEqual(expected);
  expect(await count('balance.settled', 'balance.released')).toBe(ended);
  expect(await amounts(log)).toEqual(posted);
  expect(await findings(log)).toEqual([]);
  await expectPayoutLaws(log, chapterLength);
};

describe('the skipped end of a payout', () => {
  it.each([
    ['completed', [0, 300, 0], 'settled', [50, 0, 300]],
    ['failed', [0, 300, 0], 'released', [350, 0, 0]],
    ['canceled', [0, 300, 0], 'released', [350, 0, 0]],
  ] as const)('%s is found, and carried out once its skip is lifted', async (...expected) => {
    const [status, stuck, missing, repaired] = expected;
    await payer.pay(payout, affiliate);
    await post();
    await end(status);
    const position = await skip(`payout.${status}`);
    await post();
    expect(await figures()).toEqual(stuck);
    expect(await findings(log)).toEqual([
      `payout ${payout} of 300 was ${status}, but it was not ${missing}, because this event was skipped. Run ops resume posting --from ${position}`,
    ]);
    // later sources of the same balance are posted before the repair
    for (const amount of [20, 30]) await sell(log, { affiliate, amount });
    await post();
    for (let times = 1; times <= 2; times++) {
      await lift(position);
      await post();
      expect(await figures()).toEqual(repaired);
    }
    expect(await amounts(log)).toEqual([100, 200, 20, 30]);
    await expectSame(repaired);
  });

  it('is dated when the skip was lifted, so that a month that is over stays as it is', async () => {
    await payer.pay(payout, affiliate);
    await end('completed');
    const position = await skip('payout.completed');
    await post();
    const later = '2026-05-01T12:00:00.000Z';
    await sell(log, { affiliate: 'aff_b', at: later });
    const now = (): number => Date.parse(later);
    const inMay = async () =>
      postToHead({ log, store: await embedded.openStore('store 0'), now, chapterLength });
    await inMay();
    await lift(position);
    await inMay();
    expect((await last('balance.settled')).data).toMatchObject({ posted_at: later, lifted: true });
    expect(await findings(log)).toEqual([]);
  });

  it('that was completed, and failed afterward, leaves nothing to settle', async () => {
    await payer.pay(payout, affiliate);
    await end('completed');
    const position = await skip('payout.completed');
    await end('failed');
    await post();
    expect(await figures()).toEqual([300, 0, 0]);
    expect(await findings(log)).toEqual([]);
    await lift(position);
    await post();
    expect(await count('balance.settled')).toBe(0);
    await expectSame([300, 0, 0]);
  });

  it('that failed after it was completed is released from what was paid, once', async () => {
    await payer.pay(payout, affiliate);
    await end('completed');
    await post();
    await end('failed');
    const position = await skip('payout.failed');
    await post();
    expect(await figures()).toEqual([0, 0, 300]);
    expect(await findings(log)).toEqual([expect.stringContaining('was failed, but it was not')]);
    for (let times = 1; times <= 2; times++) {
      // the entries go out again: the payout that failed has nothing more to release
      await lift(position);
      await post();
      if (times === 1) {
        await sell(log, { affiliate, amount: 7 });
        await payer.pay(newPayoutId(), affiliate);
        await post();
      }
    }
    expect(await count('balance.released')).toBe(1);
    await expectSame([0, 307, 0]);
  });

  it('is carried out in any order if a payout was completed and failed', async () => {
    await payer.pay(payout, affiliate);
    await end('completed');
    const completed = await skip('payout.completed');
    await end('failed');
    const failed = await skip('payout.failed');
    await post();
    expect(await figures()).toEqual([0, 300, 0]);
    expect(await findings(log)).toHaveLength(1);
    await lift(failed);
    await post();
    expect(await figures()).toEqual([300, 0, 0]);
    await lift(completed);
    await post();
    await expectSame([300, 0, 0]);
  });

  it('is carried out together with others, whatever the order of the decisions', async () => {
    await payer.pay(payout, affiliate);
    await end('completed');
    const first = await skip('payout.completed');
    await sell(log, { affiliate, amount: 50 });
    const next = newPayoutId();
    await payer.pay(next, affiliate);
    await payer.update(next, { status: 'completed' });
    const second = await skip('payout.completed');
    await post();
    expect(await figures()).toEqual([0, 350, 0]);
    await lift(first);
    await lift(second);
    await post();
    await expectSame([0, 0, 350]);
  });

  it('leaves nothing out if posting has not reached it yet', async () => {
    await payer.pay(payout, affiliate);
    await post();
    await sell(log, { affiliate, amount: 50 });
    await end('completed');
    await lift((await last('payout.completed')).position);
    await post();
    expect(await amounts(log)).toEqual([100, 200, 50]);
    await expectSame([50, 0, 300]);
  });

  it('is carried out although the ledger was stopped on its way, and another one lifted', async () => {
    await payer.pay(payout, affiliate);
    await end('completed');
    const first = await skip('payout.completed');
    await sell(log, { affiliate, amount: 50 });
    const next = newPayoutId();
    await payer.pay(next, affiliate);
    await payer.update(next, { status: 'completed' });
    const second = await skip('payout.completed');
    await decide(log, { type: 'resume', from: 'head' });
    await post();
    await lift(first);
    const store = await embedded.openStore(`store ${stores}`);
    let isBegun = false;
    const interrupted = embedded.run({ log, store, now: () => payday, chapterLength }, () => {
      isBegun = true;
      return Promise.reject(new Error('interrupted'));
    });
    await waitFor(() => isBegun);
    await interrupted.stop();
    await lift(second);
    await post();
    await expectSame([0, 0, 350]);
  });

  it.each([
    ['before', true],
    ['after', false],
  ])('is carried out in a copy of the log that was made %s the decision', async (_, isBefore) => {
    await payer.pay(payout, affiliate);
    await end('completed');
    const skipped = await skip('payout.completed');
    await sell(log, { affiliate, amount: 50 });
    await post();
    if (!isBefore) await lift(skipped);
    const copy = await embedded.openLog('copy');
    // so that positions differ
    await sell(copy, { affiliate: 'aff_z', amount: 1 });
    await copyTo(copy, await allOf(log));
    log = copy;
    if (isBefore) await lift((await last('payout.completed')).position);
    await sell(log, { affiliate, amount: 60 });
    await postAgain();
    expect([...(await amounts(log))].sort((a, b) => a - b)).toEqual([1, 50, 60, 100, 200]);
    await expectSame([110, 0, 300]);
  });

  it('can be skipped again', async () => {
    await payer.pay(payout, affiliate);
    await end('completed');
    const position = await skip('payout.completed');
    await post();
    await lift(position);
    await skip('payout.completed');
    await post();
    expect(await figures()).toEqual([0, 300, 0]);
  });
});

it('a skipped reservation becomes a payout once its skip is lifted', async () => {
  const crashing = new Payer(crashingAtPayouts(log), { settle: () => post(), chapterLength });
  await expect(crashing.pay(payout, affiliate)).rejects.toThrow('crashed');
  const position = await skip('balance.reserved');
  await sell(log, { affiliate, amount: 50 });
  await post();
  expect(await count('payout.created')).toBe(0);
  expect(await findings(log)).toEqual([
    `payout ${payout} of 300 was reserved, but neither created nor released, because this event was skipped. Run ops resume posting --from ${position}`,
  ]);
  await lift(position);
  await post();
  expect(await count('payout.created')).toBe(1);
  await end('completed');
  await post();
  await expectSame([50, 0, 300]);
});

it('what posting has not reached yet is not missing', async () => {
  await payer.pay(payout, affiliate);
  await sell(log, { affiliate, amount: 50 });
  await post();
  const reached = await log.head();
  await end('completed');
  const settle = () => Promise.resolve();
  const crashing = new Payer(crashingAtPayouts(log), { settle, chapterLength });
  await expect(crashing.pay(newPayoutId(), affiliate)).rejects.toThrow('crashed');
  expect(await findings(log, undefined, reached)).toEqual([]);
});

it('an end that was skipped by a decision to resume is carried out, too', async () => {
  await payer.pay(payout, affiliate);
  await post();
  await end('completed');
  const { position } = await last('payout.completed');
  await decide(log, { type: 'resume', from: 'head' });
  await sell(log, { affiliate, amount: 50 });
  await post();
  expect(await figures()).toEqual([50, 300, 0]);
  await lift(position);
  await post();
  await expectSame([50, 0, 300]);
});
