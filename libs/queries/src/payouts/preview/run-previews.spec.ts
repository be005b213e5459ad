import { type CommandHandler, ThrottledReads } from '@refledger/application';
import type { BalanceCursor } from '@refledger/balances';
import type { BalanceId, NewPayoutRun, Position } from '@refledger/contracts';
import type { Document, ReadResult, Query } from '@refledger/read-store';
import { present } from '@refledger/testing/present';
import { RunPreviews, type PreviewPart } from './run-previews.js';

const id = (n: number): BalanceId => `bal_${String(n).padStart(26, '0')}`;
const balances = Array.from({ length: 250 }, (_, n) => ({
  account_id: 'acct_1',
  id: id(n),
  affiliate_id: 'aff_1',
  program_id: 'prog_spring',
  currency: n % 2 === 0 ? 'USD' : 'EUR',
  is_open: true,
  created_at: '2026-01-01T00:00:00.000Z',
}));

let count: number;
let queries: Query[];
let previews: RunPreviews;
beforeEach(() => {
  count = 250;
  queries = [];
  const find = (_: unknown, query: Query): Promise<ReadResult<readonly Document[]>> => {
    queries.push(query);
    const [, after = ''] = query.after ?? [];
    const value = balances
      .slice(0, count)
      .filter((balance) => balance.id > after)
      .slice(0, query.limit);
    return Promise.resolve({ value, position: '7' as Position });
  };
  const load: unknown = ({ initial }: { readonly initial: unknown }) =>
    Promise.resolve({ state: initial });
  const waits = { run: <T>(_: unknown, wait: () => Promise<T>) => wait() };
  previews = new RunPreviews(
    {
      money: { settle: () => Promise.resolve(undefined), find },
      reader: { load: () => Promise.resolve(undefined) },
      // test double: no affiliate exists, and nothing is payable
      commands: {
        instant: () => '2026-02-01T00:00:00.000Z',
        load,
      } as Partial<CommandHandler> as CommandHandler,
      consistency: { readHead: () => Promise.resolve('8' as Position) },
      throttledReads: new ThrottledReads(waits, { now: () => 0, sleep: () => Promise.resolve() }),
    },
    100,
  );
});

const preview = (run: NewPayoutRun = {}, begin?: BalanceCursor): Promise<PreviewPart> => {
  const caller = { accountId: 'acct_1', keyId: 'key_1' } as const;
  return previews.preview(caller, previews.terms(run), begin);
};
const seen = ({ preview: { totals } }: PreviewPart): number =>
  totals.reduce((sum, { nothing_payable }) => sum + nothing_payable.balances, 0);

it('stops after its maximum, and the next one continues', async () => {
  const first = await preview();
  const { totals } = first.preview;
  expect([seen(first), totals.map(({ currency }) => currency)]).toEqual([100, ['EUR', 'USD']]);
  const second = await preview({}, present(first.next));
  const third = await preview({}, present(second.next));
  expect([seen(second), second.next?.id]).toEqual([100, id(199)]);
  expect([seen(third), third.next]).toEqual([50, undefined]);
  // one page more tells whether balances follow
  expect(queries.map(({ after }) => after?.[1])).toEqual([
    ...[undefined, id(99)],
    ...[id(99), id(199)],
    id(199),
  ]);
});

it('has nothing to continue when the maximum is all there is', async () => {
  const { next } = await preview();
  const second = await preview({}, present(next));
  count = 200;
  const last = await preview({}, present(next));
  expect([last.next, last.position, last.preview.position]).toEqual([undefined, '8', '8']);
  expect(seen(await preview({}, present(second.next)))).toBe(0);
});

it('goes through all balances of named affiliates', async () => {
  const all = await preview({ affiliate_ids: ['aff_1'] });
  expect([seen(all), all.next]).toEqual([250, undefined]);
});
