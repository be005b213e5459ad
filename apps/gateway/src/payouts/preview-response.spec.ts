import { type CommandHandler, PacedReads } from '@refledger/application';
import type { BalanceId, PayoutRunPreview, Position } from '@refledger/contracts';
import type { Document, Found, Query } from '@refledger/read-store';
import { RunPreviews } from '@refledger/queries';
import type { Call } from '../http/request/call.js';
import { previewResponse } from './preview-response.js';

type PreviewCall = Call<'createPayoutRun'>;

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
  const find = (_: unknown, query: Query): Promise<Found<readonly Document[]>> => {
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
      pacedReads: new PacedReads(waits, { now: () => 0, sleep: () => Promise.resolve() }),
    },
    100,
  );
});

const preview = async (body: PreviewCall['body'] = {}): Promise<PayoutRunPreview> => {
  const caller = { accountId: 'acct_1', keyId: 'key_1', scope: 'admin' } as const;
  const response = await previewResponse(previews, { caller, body });
  return response.body as PayoutRunPreview;
};
const seen = ({ totals }: PayoutRunPreview): number =>
  totals.reduce((sum, { nothing_payable }) => sum + nothing_payable.balances, 0);

it('stops after its maximum, and the next one continues', async () => {
  const first = await preview();
  expect([seen(first), first.has_more, first.totals.map(({ currency }) => currency)]).toEqual([
    100,
    true,
    ['EUR', 'USD'],
  ]);
  const second = await preview({ cursor: first.next_cursor ?? '' });
  const third = await preview({ cursor: second.next_cursor ?? '' });
  expect([seen(second), second.has_more]).toEqual([100, true]);
  expect([seen(third), third.has_more, third.next_cursor]).toEqual([50, false, null]);
  // one page more tells whether balances follow
  expect(queries.map(({ after }) => after?.[1])).toEqual([
    ...[undefined, id(99)],
    ...[id(99), id(199)],
    id(199),
  ]);
});

it('has nothing to continue when the maximum is all there is', async () => {
  const { next_cursor } = await preview();
  const { next_cursor: cursor } = await preview({ cursor: next_cursor ?? '' });
  count = 200;
  expect(await preview({ cursor: next_cursor ?? '' })).toMatchObject({
    has_more: false,
    next_cursor: null,
    position: '8',
  });
  expect(seen(await preview({ cursor: cursor ?? '' }))).toBe(0);
});

it('continues only with the terms that it started with', async () => {
  const { next_cursor } = await preview({ currency: 'usd' });
  const cursor = next_cursor ?? '';
  expect(seen(await preview({ currency: 'USD', until: '2026-02-01', cursor }))).toBe(100);
  for (const other of [{}, { currency: 'EUR' }, { currency: 'USD', ignore_minimum: true }])
    await expect(preview({ ...other, cursor })).rejects.toMatchObject({
      extras: { errors: [{ path: '/cursor', code: 'bad_cursor' }] },
    });
});

it('goes through all balances of named affiliates', async () => {
  const all = await preview({ affiliate_ids: ['aff_1'] });
  expect([seen(all), all.has_more]).toEqual([250, false]);
});
