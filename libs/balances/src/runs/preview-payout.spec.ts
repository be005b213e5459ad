import {
  derivedId,
  type AffiliateFields,
  type Position,
  type SkipReason,
} from '@refledger/contracts';
import type { CommandHandler } from '@refledger/application';
import {
  affiliateDecider,
  balanceDecider,
  balanceIdOf,
  firstOpening,
  newPayout,
  programDecider,
  type BalanceState,
  type ProgramState,
} from '@refledger/domain';
import { affiliateEvents, affiliateFields } from '@refledger/domain/testing';
import { previewPayout } from './preview-payout.js';
import { skipReasonOf } from './skip-reason.js';

const now = '2026-02-10T10:00:00.000Z';
const at = { revision: 0, recordedAt: now };
const account_id = 'acct_1';
const affiliate_id = derivedId('affiliate', 'ada');
const inProgram = { affiliate_id, program_id: 'prog_spring' } as const;
const id = balanceIdOf(account_id, affiliate_id, 'USD');
const about = { balance_id: id, ...inProgram, currency: 'USD' };

/** A balance with this many open ranges of one minor unit each. */
const owing = (ranges: number, each = '1'): BalanceState => {
  const open = Array.from({ length: ranges }, (_, n) => ({
    ...{ from: n + 1, to: n + 1 },
    amount: each,
    count: 1,
  }));
  const buckets = [{ payable_on: '2026-02-10', ranges: open }];
  const opened = balanceDecider.evolve(balanceDecider.initial, firstOpening(about), at);
  const carried = { type: 'balance.carried', data: { ...about, buckets } } as const;
  return balanceDecider.evolve(opened, carried, at);
};

const inFlight = Object.fromEntries(
  Array.from({ length: 100 }, (_, n) => [`pay_${n}`, { amount: '1', chapter: 0, revision: n }]),
);

const affiliateWith = (over: Partial<AffiliateFields>) => {
  const created = affiliateEvents.created(inProgram, { ...affiliateFields, ...over });
  return affiliateDecider.evolve(affiliateDecider.initial, created, { ...at, revision: 3 });
};

const minimum: ProgramState = programDecider
  .decide(
    {
      type: 'create',
      program_id: inProgram.program_id,
      program: { name: 'Spring', minimum_payout: { USD: 5 } },
      isIdChosen: true,
    },
    programDecider.initial,
  )
  .reduce((state, event) => programDecider.evolve(state, event, at), programDecider.initial);

interface Case {
  readonly balance: BalanceState;
  readonly affiliate?: Partial<AffiliateFields>;
}

/** What a preview says, and what a run does with the same balance at the same time. */
const bothOf = async ({ balance, affiliate: over = {} }: Case) => {
  const affiliate = affiliateWith(over);
  const load: unknown = (decider: unknown) =>
    Promise.resolve({
      state: decider === programDecider ? minimum : affiliate,
      accountId: account_id,
    });
  const commands = { instant: () => now, load } as Partial<CommandHandler> as CommandHandler;
  const loaded = { state: balance, accountId: account_id, position: '7' as Position } as const;
  const reader = { load: () => Promise.resolve({ ...loaded, recordedAt: now }) };
  const terms = { until: '2026-02-10', ignore_minimum: false };
  const document = { account_id, id, affiliate_id, currency: 'USD' } as const;
  const preview = await previewPayout({ commands, reader }, terms, document);
  return { preview, run: () => paid(balance, affiliate, terms) };
};

const paid = (
  balance: BalanceState,
  affiliate: ReturnType<typeof affiliateWith>,
  terms: { readonly until: string; readonly ignore_minimum: boolean },
) =>
  newPayout({
    payout_id: derivedId('payout', '1'),
    payout: { affiliate_id, currency: 'USD', ...terms },
    affiliate,
    program: minimum,
    balance,
    recordedAt: now,
    run_id: derivedId('run', '1'),
  });

it('previews the payout that a run makes', async () => {
  const { preview, run } = await bothOf({ balance: owing(3, '30') });
  expect(preview).toEqual({ amount: 90n, payeeRevision: 3 });
  expect(run().data).toMatchObject({ amount: '90', payee_revision: 3 });
});

it.each<[SkipReason, bigint, Case]>([
  ['nothing_payable', -7n, { balance: owing(1, '-7'), affiliate: { status: 'suspended' } }],
  [
    'not_approved',
    9n,
    { balance: owing(9), affiliate: { status: 'suspended', payout_hold: true } },
  ],
  ['payout_hold', 4n, { balance: owing(4), affiliate: { payout_hold: true } }],
  ['below_minimum', 4n, { balance: { ...owing(4), inFlight } }],
  ['too_many_open_payouts', 4_001n, { balance: { ...owing(4_001), inFlight } }],
  ['too_many_ranges', 4_001n, { balance: owing(4_001) }],
])('previews that a run skips a balance with %s', async (skipped, amount, given) => {
  const { preview, run } = await bothOf(given);
  expect(preview).toEqual({ amount, skipped });
  expect(reasonOf(run)).toBe(skipped);
});

const reasonOf = (act: () => unknown): SkipReason | undefined => {
  try {
    act();
    return undefined;
  } catch (error) {
    return skipReasonOf(error);
  }
};
