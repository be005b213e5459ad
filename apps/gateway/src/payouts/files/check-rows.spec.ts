import { payoutSchema } from '@refledger/contracts';
import type { PayeeRow, RowOrMissing } from '@refledger/queries';
import { checkedText, checkRows } from './check-rows.js';
import { paypal } from './paypal.js';
import { textOf, type PayoutTemplate } from './payout-template.js';
import { reviewCsv } from './review-csv.js';

const payout = payoutSchema.parse(payoutSchema.meta()?.['example']);
const row = (over: Partial<PayeeRow> = {}, more: Partial<PayeeRow['payout']> = {}): PayeeRow => ({
  payout: { ...payout, description: 'January', ...more },
  name: 'Ada',
  recipient: 'ada@example.com',
  isChanged: false,
  ...over,
});
async function* pagesOf(...rows: readonly RowOrMissing[]) {
  for (const one of rows) yield await Promise.resolve([one]);
}
const check = (
  template: PayoutTemplate,
  rows: readonly RowOrMissing[],
  acceptChanged = false,
): Promise<void> => checkRows(pagesOf(...rows), { template, acceptChanged });
const refusal = (checked: Promise<unknown>) => checked.catch((error: unknown) => error);

it('accepts the rows that a file can have', async () => {
  expect(await refusal(check(paypal, [row(), row()]))).toBeUndefined();
  expect(await refusal(check(reviewCsv, [row({ isChanged: true, name: '=1' })]))).toBeUndefined();
  expect(await refusal(check(paypal, [row({ isChanged: true })], true))).toBeUndefined();
});

it('returns the text of the rows that it has checked', async () => {
  const file = { template: paypal, acceptChanged: false };
  const line = `ada@example.com,60.00,USD,${payout.id},January,PAYPAL\r\n`;
  expect(await checkedText(pagesOf(row(), row()), file)).toBe(line + line);
  const forints = row({}, { currency: 'HUF' });
  expect(await checkedText(pagesOf(forints), file)).toBe(line.replace('60.00,USD', '60,HUF'));
  expect(await refusal(checkedText(pagesOf(row({ isChanged: true }), row()), file))).toMatchObject({
    code: 'payee_changed',
  });
  expect(await refusal(checkedText(pagesOf(row(), { missing: payout.id }), file))).toMatchObject({
    code: 'payee_unusable',
  });
});

it.each([
  ['Ada@BÜCHER.example', 'Ada@xn--bcher-kva.example'],
  ['ada@xn--a', 'ada@xn--a'],
  // stored before such an address was refused
  ['a..b@example.com', 'a..b@example.com'],
  [`ada@${'b.'.repeat(60)}com`, `ada@${'b.'.repeat(60)}com`],
])('%s is %s for PayPal, and stays as it is for people', async (recipient, cell) => {
  const file = { template: paypal, acceptChanged: false };
  expect(await checkedText(pagesOf(row({ recipient })), file)).toMatch(`${cell},60.00,USD`);
  expect(
    await checkedText(pagesOf(row({ recipient })), { ...file, template: reviewCsv }),
  ).toContain(`,${recipient},60.00,`);
});

it.each<[string, RowOrMissing]>([
  ['of an affiliate who was deleted', { missing: payout.id }],
  ['whose note a spreadsheet would run', row({}, { description: '=1+1' })],
  ['whose recipient a spreadsheet would run', row({ recipient: '+ada@example.com' })],
  ['whose recipient has more than ASCII before the @', row({ recipient: 'jörg@bücher.example' })],
  ['whose recipient is too long for PayPal', row({ recipient: `ada@${'b.'.repeat(61)}de` })],
  [
    'whose domain has an ASCII form that is too long',
    row({ recipient: `ada@${'ü.'.repeat(18)}de` }),
  ],
  ['whose note is too long for PayPal', row({}, { description: 'x'.repeat(401) })],
  ['of a fraction that PayPal would round', row({}, { currency: 'HUF', amount: 6_050 })],
])('refuses a payout %s', async (_, refused) => {
  expect(await refusal(check(paypal, [row(), refused], true))).toMatchObject({
    code: 'payee_unusable',
    extras: { payouts: [payout.id] },
  });
});

it('refuses a changed recipient where money is sent', async () => {
  expect(await refusal(check(paypal, [row({ isChanged: true }), row()]))).toMatchObject({
    code: 'payee_changed',
    extras: { payouts: [payout.id] },
  });
});

it('breaks off a download when an affiliate is deleted meanwhile', async () => {
  const pieces: string[] = [];
  const read = async () => {
    for await (const piece of textOf(paypal, pagesOf(row(), { missing: payout.id })))
      pieces.push(piece);
  };
  await expect(read()).rejects.toThrow(`the affiliate of payout ${payout.id}`);
  expect(pieces).toEqual([`ada@example.com,60.00,USD,${payout.id},January,PAYPAL\r\n`]);
});
