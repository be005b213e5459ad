import type { BalanceId, BalanceRecord, Position } from '@refledger/contracts';
import type { Call } from '../http/request/call.js';
import { BalancesController } from './balances.controller.js';

type Parameters = Call<'listBalances'>['query'];

const last = {
  created_at: '2026-01-01T00:00:00.000Z',
  id: `bal_${'0'.repeat(26)}` satisfies BalanceId,
} as BalanceRecord;
// test double: every page has this balance, and others follow it
const current = {
  days: () => ({ today: '2026-02-01', on: '2026-02-01' }),
  list: () => Promise.resolve({ records: [last], position: '6' as Position, last }),
};
const controller = new BalancesController(
  ...([current] as unknown as ConstructorParameters<typeof BalancesController>),
);
const page = (query: Parameters) => {
  const caller = { accountId: 'acct_1', keyId: 'key_1', scope: 'read' } as const;
  const call = { caller, query: { open: 'true', ...query } };
  return controller.list(call as Partial<Call<'listBalances'>> as Call<'listBalances'>);
};

it('refuses the cursor of another reason', async () => {
  const { body, headers } = await page({ not_eligible: 'payout_hold' });
  expect(headers).toEqual({ 'refledger-position': '6' });
  const { next_cursor: cursor } = body as { readonly next_cursor: string };
  await expect(page({ cursor, not_eligible: 'payout_hold' })).resolves.toBeDefined();
  for (const other of ['below_minimum', undefined] as const)
    await expect(page({ cursor, not_eligible: other })).rejects.toMatchObject({
      code: 'validation_failed',
    });
});
