import type { BalanceCursor } from '@refledger/balances';
import type { BalanceId, PayoutRunPreview, Position } from '@refledger/contracts';
import { runTerms } from '@refledger/domain';
import type { RunPreviews } from '@refledger/queries';
import type { Call } from '../http/request/call.js';
import { previewResponse } from './preview-response.js';

type PreviewCall = Call<'createPayoutRun'>;

const at = (n: number): BalanceCursor => ({
  created_at: '2026-01-01T00:00:00.000Z',
  id: `bal_${String(n).padStart(26, '0')}` satisfies BalanceId,
});
/** Where each preview began. */
let begun: (BalanceCursor | undefined)[];
let next: BalanceCursor | undefined;
beforeEach(() => {
  begun = [];
  next = at(99);
});

const previews: Pick<RunPreviews, 'terms' | 'preview'> = {
  terms: (run) => runTerms(run, '2026-02-01T00:00:00.000Z'),
  preview: (_, { until }, begin) => {
    begun.push(begin);
    const position = '8' as Position;
    const object = 'payout_run_preview' as const;
    const preview = { object, until, totals: [], position };
    return Promise.resolve({ preview, next, position });
  },
};
const preview = async (body: PreviewCall['body'] = {}): Promise<PayoutRunPreview> => {
  const caller = { accountId: 'acct_1', keyId: 'key_1', scope: 'admin' } as const;
  const response = await previewResponse(previews, { caller, body });
  expect(response.headers).toEqual({ 'refledger-position': '8' });
  return response.body as PayoutRunPreview;
};

it('continues where the last one stopped', async () => {
  const first = await preview();
  expect(first).toMatchObject({ has_more: true, position: '8' });
  next = undefined;
  const second = await preview({ cursor: first.next_cursor ?? '' });
  expect(second).toMatchObject({ has_more: false, next_cursor: null, position: '8' });
  expect(begun).toEqual([undefined, at(99)]);
});

it('continues only with the terms that it started with', async () => {
  const { next_cursor } = await preview({ currency: 'usd' });
  const cursor = next_cursor ?? '';
  await preview({ currency: 'USD', until: '2026-02-01', cursor });
  expect(begun).toEqual([undefined, at(99)]);
  for (const other of [{}, { currency: 'EUR' }, { currency: 'USD', ignore_minimum: true }])
    await expect(preview({ ...other, cursor })).rejects.toMatchObject({
      extras: { errors: [{ path: '/cursor', code: 'bad_cursor' }] },
    });
});
