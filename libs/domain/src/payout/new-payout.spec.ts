import { affiliateStatuses, derivedId, type NewPayout } from '@refledger/contracts';
import { balanceAbout, opened, post, posting } from '../../test/balances.js';
import {
  affiliate_id,
  affiliateAt,
  affiliateWith,
  deletedAffiliate,
  inProgram,
  programWith,
} from '../../test/conversions.js';
import { createPayout, now, payoutIdOf, today } from '../../test/payouts.js';
import { given, refusal, textMatching } from '../../test/scenario.js';
import { affiliateDecider } from '../affiliate/affiliate.decider.js';
import { noBalance, type BalanceState } from '../balance/balance-state.js';
import { noBuckets, withCarried } from '../balance/buckets.js';
import { maxOpenPayouts } from '../balance/reserved-payout.js';
import { newPayout, type CreatePayout } from './new-payout.js';

const tomorrow = '2026-02-11';
const balance = post(opened, [
  posting(1, 4000, '2026-02-01'),
  posting(2, 300, today),
  posting(3, 50, tomorrow),
]).state;
const decided = (change: Partial<NewPayout> = {}, more: Partial<CreatePayout> = {}) =>
  newPayout(createPayout(balance, change, more));
const refused = (change: Partial<NewPayout> = {}, more: Partial<CreatePayout> = {}) =>
  refusal(() => decided(change, more));
const debt = {
  payable_on: today,
  ranges: [{ from: 1, to: 3, amount: '-9007199254740993', count: 3 }],
};
const unknown = given(affiliateDecider);
const held = affiliateWith({ payout_hold: true });
const minimum = programWith({ minimum_payout: { USD: 5000 } });

describe('a new payout', () => {
  it('takes everything that is payable today', () => {
    const range = (n: number, amount: string) => ({ from: n, to: n, amount, count: 1 });
    expect(decided({ description: 'January', metadata: { a: '1' } })).toEqual({
      type: 'payout.created',
      data: {
        payout_id: payoutIdOf(1),
        ...inProgram,
        balance_id: balanceAbout.balance_id,
        run_id: null,
        payout_number: 1,
        currency: 'USD',
        amount: '4300',
        buckets: [
          { payable_on: '2026-02-01', ranges: [range(1, '4000')] },
          { payable_on: today, ranges: [range(2, '300')] },
        ],
        entry_count: 2,
        until: today,
        reported_until: null,
        ignore_minimum: false,
        partial: false,
        even_if_not_approved: false,
        description: 'January',
        payee_revision: 0,
        chain: balance.chain,
        after: {
          status: 'created',
          reference: null,
          reason: null,
          metadata: { a: '1' },
          completed_at: null,
        },
      },
    });
  });

  it('takes what is payable up to the day that was sent, and has the next number', () => {
    const until = '2026-02-01';
    expect(decided({ until }, { balance: { ...balance, payouts: 7 } }).data).toMatchObject({
      amount: '4000',
      until,
      reported_until: until,
      payout_number: 8,
    });
  });

  it('cannot take entries of a day in the future', () => {
    // the affiliate does not exist either, but the request is checked first
    expect(refused({ until: tomorrow }, { affiliate: unknown })).toMatchObject({
      code: 'validation_failed',
      detail: textMatching(`not be after today, ${today}, but was ${tomorrow}. Send`),
      extras: { errors: [{ path: '/until', code: 'too_late' }] },
    });
  });

  it('of a run takes entries up to the day of its run, even if the clock was set back', () => {
    const run_id = derivedId('run', '1');
    const { data } = decided({ until: tomorrow }, { run_id });
    expect(data).toMatchObject({ until: tomorrow, amount: '4350' });
  });
});

describe('the affiliate', () => {
  it('must exist', () => {
    expect(refused({ even_if_not_approved: true }, { affiliate: unknown })).toMatchObject({
      code: 'affiliate_not_found',
      detail: textMatching(affiliate_id),
    });
  });

  it.each([
    ...affiliateStatuses
      .filter((status) => status !== 'approved')
      .map((status) => [status, affiliateAt(status)] as const),
    ['deleted', deletedAffiliate] as const,
  ])('that is %s gets a payout only with even_if_not_approved', (status, affiliate) => {
    expect(refused({}, { affiliate })).toMatchObject({
      code: 'affiliate_not_active',
      detail: textMatching(`${affiliate_id} is ${status} and gets no payouts`),
    });
    const { data } = decided({ even_if_not_approved: true }, { affiliate });
    expect(data).toMatchObject({ amount: '4300', even_if_not_approved: true });
  });

  it('gets none while it is on hold, whatever is sent', () => {
    expect(
      refused({ even_if_not_approved: true, ignore_minimum: true }, { affiliate: held }),
    ).toMatchObject({ code: 'payout_hold', detail: textMatching(affiliate_id) });
  });

  it('that was deleted is on hold no longer', () => {
    if (held.kind !== 'present') throw new Error('expected an affiliate');
    const affiliate = { ...held, kind: 'deleted' as const };
    expect(decided({ even_if_not_approved: true }, { affiliate }).data.amount).toBe('4300');
  });

  it('has the revision of its recipient recorded in the payout', () => {
    const affiliate = affiliateAt('approved');
    if (affiliate.kind === 'none') throw new Error('expected an affiliate');
    const changed = { ...affiliate, payeeRevision: 4 };
    expect(decided({}, { affiliate: changed }).data.payee_revision).toBe(4);
  });
});

describe('what is payable', () => {
  it.each<[string, BalanceState, { payable: bigint; next_payable_on: string | null }]>([
    ['a balance without events', noBalance, { payable: 0n, next_payable_on: null }],
    [
      'a balance that is negative until a later day',
      post(opened, [posting(1, -30, today), posting(2, 50, tomorrow)]).state,
      { payable: -30n, next_payable_on: tomorrow },
    ],
    [
      'a balance whose only held sale was refunded',
      post(opened, [posting(1, 50, tomorrow), posting(2, -50, tomorrow)]).state,
      { payable: 0n, next_payable_on: null },
    ],
    [
      'a balance with a later debt, and more after it',
      post(opened, [
        posting(1, -7, tomorrow),
        posting(2, 50, '2026-03-02'),
        posting(3, 50, '2026-03-01'),
        posting(4, -50, '2026-03-01'),
      ]).state,
      { payable: 0n, next_payable_on: '2026-03-02' },
    ],
    [
      'a balance with a debt that no number can hold',
      { ...opened, buckets: withCarried(noBuckets, [debt]) },
      { payable: -9_007_199_254_740_993n, next_payable_on: null },
    ],
  ])('is more than 0, unlike in %s', (_, balance, extras) => {
    const more = { balance, program: minimum };
    const next =
      extras.next_payable_on === null
        ? 'Nothing becomes payable later.'
        : `More becomes payable on ${extras.next_payable_on}.`;
    expect(refused({ ignore_minimum: true }, more)).toEqual({
      code: 'nothing_payable',
      detail: `${extras.payable} minor units of USD are payable as of ${today}. ${next}`,
      extras,
    });
    expect(refused({}, more).code).toBe('nothing_payable');
  });

  it("is at least the program's minimum, unless that is ignored", () => {
    expect(refused({}, { program: minimum })).toEqual({
      code: 'below_minimum',
      detail: `4300 minor units of USD are payable as of ${today}; the minimum payout of program prog_a is 5000. Wait for more, or send ignore_minimum.`,
      extras: { payable: 4300n, minimum: 5000, next_payable_on: tomorrow },
    });
    expect(decided({ ignore_minimum: true }, { program: minimum }).data.ignore_minimum).toBe(true);
  });

  it.each<[string, Record<string, number>]>([
    ['exactly the minimum', { USD: 4300 }],
    ['in a currency without a minimum', { EUR: 5000 }],
  ])('can be %s', (_, minimum_payout) => {
    expect(decided({}, { program: programWith({ minimum_payout }) }).data.amount).toBe('4300');
  });
});

describe('a balance', () => {
  const inFlight = (count: number): BalanceState['inFlight'] =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [
        `pay_${n}`,
        { amount: '1', chapter: 0, revision: n },
      ]),
    );
  const withRanges = (count: number, amount = '1'): BalanceState => ({
    ...balance,
    buckets: withCarried(noBuckets, [
      {
        payable_on: today,
        ranges: Array.from({ length: count }, (_, n) => ({
          from: n + 1,
          to: n + 1,
          amount,
          count: 1,
        })),
      },
    ]),
  });

  it('has at most 100 open payouts', () => {
    const full = { ...balance, inFlight: inFlight(maxOpenPayouts) };
    expect(refused({}, { balance: full })).toMatchObject({
      code: 'too_many_open_payouts',
      detail: textMatching('has 100 payouts'),
    });
    expect(decided({}, { balance: { ...balance, inFlight: inFlight(99) } }).data.amount).toBe(
      '4300',
    );
    const few = { balance: full, program: minimum };
    expect(refused({}, few).code).toBe('below_minimum');
  });

  it('pays at most 4,000 ranges at a time', () => {
    const many = withRanges(4_001);
    expect(refused({}, { balance: many })).toMatchObject({
      code: 'too_many_ranges',
      detail: textMatching('in 4001 ranges, and one payout can hold 4000. Send partial'),
    });
    expect(decided({ partial: true }, { balance: many }).data.amount).toBe('4000');
    expect(decided({}, { balance: withRanges(4_000) }).data.amount).toBe('4000');
    const full = { ...many, inFlight: inFlight(maxOpenPayouts) };
    expect(refused({}, { balance: full }).code).toBe('too_many_open_payouts');
  });

  it('pays at most 2^53 - 1 at a time', () => {
    expect(refused({}, { balance: withRanges(1, '9007199254740992') })).toMatchObject({
      code: 'too_many_ranges',
      detail: textMatching('9007199254740992 minor units are more than one payout can hold'),
    });
    const { data } = decided({}, { balance: withRanges(1, '9007199254740991'), recordedAt: now });
    expect(data.amount).toBe('9007199254740991');
  });
});
