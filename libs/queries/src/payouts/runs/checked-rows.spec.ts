import { payoutSchema, type DomainError } from '@refledger/contracts';
import { checkedRows, type CheckedFile } from './checked-rows.js';
import type { PayeeRow, RowOrMissing } from './payees.js';

const payout = payoutSchema.parse(payoutSchema.meta()?.['example']);
const row = (over: Partial<PayeeRow> = {}): PayeeRow => ({
  payout,
  name: 'Ada',
  recipient: 'ada@example.com',
  isChanged: false,
  ...over,
});
async function* pagesOf(rows: readonly RowOrMissing[]) {
  for (const one of rows) yield await Promise.resolve([one]);
}
/** A file that sends money, and cannot have rows without a name. */
const forProvider: CheckedFile = {
  forProvider: true,
  isUsable: ({ name }) => name !== '',
  acceptChanged: false,
};
const forReview: CheckedFile = { ...forProvider, forProvider: false };

const check = async (file: CheckedFile, ...rows: readonly RowOrMissing[]): Promise<unknown> => {
  const accepted: PayeeRow[] = [];
  try {
    for await (const page of checkedRows(pagesOf(rows), file)) accepted.push(...page);
    return accepted;
  } catch (error) {
    return error;
  }
};

it('accepts the rows that a file can have', async () => {
  const changed = row({ isChanged: true, name: '' });
  expect(await check(forProvider, row(), row())).toEqual([row(), row()]);
  expect(await check(forReview, changed)).toEqual([changed]);
  const accepted = row({ isChanged: true });
  expect(await check({ ...forProvider, acceptChanged: true }, accepted)).toEqual([accepted]);
});

it.each<[string, RowOrMissing, CheckedFile]>([
  ['of an affiliate who was deleted, for its provider', { missing: payout.id }, forProvider],
  ['of an affiliate who was deleted, for review', { missing: payout.id }, forReview],
  ['that its provider cannot pay', row({ name: '' }), forProvider],
])('refuses a payout %s', async (_, refused, file) => {
  expect(await check(file, row(), refused)).toMatchObject({
    code: 'payee_unusable',
    extras: { payouts: [payout.id] },
  });
});

it('refuses a changed recipient where money is sent', async () => {
  expect(await check(forProvider, row({ isChanged: true }), row())).toMatchObject({
    code: 'payee_changed',
    extras: { payouts: [payout.id] },
  });
});

it('names at most 1,000 payouts, and counts them all', async () => {
  const missing = Array.from({ length: 1_200 }, (_, n) => ({ missing: `pay_${n}` }));
  const refused = (await check(forReview, ...missing)) as DomainError;
  expect(refused.message).toMatch(/^1200 of these payouts/);
  expect(refused.extras.payouts).toHaveLength(1_000);
});
