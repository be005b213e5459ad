import {
  comparePositions,
  type NewPayout,
  type PayoutId,
  type PayoutRecord,
} from '@refledger/contracts';
import type { BalanceState } from '@refledger/domain';
import type { EventLog } from '@refledger/event-log';
import { waitFor } from '@refledger/testing';
import { BalanceReader } from '../src/index.js';
import { Embedded } from './embedded.js';
import { balanceOf, newPayoutId, payday, payee, Payer } from './payees.js';
import { expectPayoutLaws } from './payout-laws.js';
import { sell } from './sell.js';

/** Each leaves 366 open ranges. RETURNED_PAYOUTS=82 takes about a minute. */
const payouts = Number(process.env['RETURNED_PAYOUTS'] ?? 12);
const dayMs = 86_400_000;
/** The last 366 days whose entries are payable. */
const days = Array.from({ length: 366 }, (_, n) =>
  new Date(payday - n * dayMs).toISOString().slice(0, 10),
);

let embedded: Embedded;
let log: EventLog;
beforeEach(async () => {
  embedded = new Embedded();
  log = await embedded.openLog();
});
afterEach(() => embedded.remove());

const rangesOf = ({ buckets }: BalanceState): number =>
  [...buckets.values()].reduce((sum, ranges) => sum + ranges.length, 0);

it(`a balance with ${payouts * days.length} open ranges is posted to, and can be paid out in parts`, async () => {
  const store = await embedded.openStore();
  const posting = embedded.run({ log, store, now: () => payday });
  const settle = async (): Promise<void> => {
    const head = await log.head();
    if (head === undefined) throw new Error('the log is empty');
    await waitFor(() => {
      const { position } = posting.status();
      return position !== undefined && comparePositions(position, head) >= 0;
    });
  };
  const payer = new Payer(log, { settle });
  const affiliate = await payee(log);
  const balance = async (): Promise<BalanceState> => {
    const loaded = await new BalanceReader(log).load(balanceOf(affiliate));
    if (loaded === undefined) throw new Error('there is no balance');
    return loaded.state;
  };

  const pay = async (over: Partial<NewPayout> = {}, id = newPayoutId()): Promise<PayoutRecord> => {
    const { state } = await payer.pay(id, affiliate, over);
    if (state.kind === 'none') throw new Error('no payout was made');
    return state.record;
  };

  // each payout takes one entry of each day, and the money of all of them comes back
  const made: PayoutId[] = [];
  for (let n = 0; n < payouts; n++) {
    await Promise.all(days.map((payableOn) => sell(log, { affiliate, amount: 1, payableOn })));
    const id = newPayoutId();
    await pay({}, id);
    await payer.update(id, { status: 'completed' });
    made.push(id);
  }
  for (const id of made)
    await payer.update(id, { status: 'failed', reason: 'the account is closed' });
  await settle();
  expect(rangesOf(await balance())).toBe(payouts * days.length);

  await sell(log, { affiliate, amount: 1, payableOn: days[0] });
  await settle();
  let owed = payouts * days.length + 1;
  await expect(pay()).rejects.toMatchObject({ code: 'too_many_ranges' });
  while (owed > 0) {
    const { amount } = await pay({ partial: true });
    expect(amount).toBeGreaterThanOrEqual(Math.min(owed, 4_000));
    owed -= amount;
  }
  expect(owed).toBe(0);
  expect(rangesOf(await balance())).toBe(0);
  await expectPayoutLaws(log);
});
