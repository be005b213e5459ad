import type { CommandHandler } from '@refledger/application';
import { entrySchema, type AccountId, type PayoutId, type Position } from '@refledger/contracts';
import { entriesProjection } from '@refledger/projections';
import type { Document } from '@refledger/read-store';
import type { MoneyReads } from '../money-reads.js';
import type { Line } from './line-ranges.js';
import { PayoutEntries } from './payout-entries.js';

const example = entrySchema.parse(entrySchema.meta()?.['example']);
const id: PayoutId = `pay_${'0'.repeat(26)}`;
const range = (from: number, to: number, count: number) => ({ from, to, count, amount: '1' });
const created = {
  balance_id: 'bal_1',
  buckets: [
    { payable_on: '2026-01-31', ranges: [range(2, 2, 1)] },
    { payable_on: '2026-01-30', ranges: [range(1, 3, 2), range(9, 9, 1)] },
  ],
};
/** The entries of the balance by day; 5 is in no range. */
const numbers: Readonly<Record<string, readonly number[]>> = {
  '2026-01-30': [1, 3, 5, 9],
  '2026-01-31': [2],
  '2026-02-01': Array.from({ length: 250 }, (_, n) => n + 10),
};

const setUp = (accountId: AccountId = 'acct_1', more: (typeof created)['buckets'] = []) => {
  const waitedFor: (Position | undefined)[] = [];
  const find: MoneyReads['find'] = (projection, { where, limit }) => {
    const position = '9' as Position;
    if (projection !== entriesProjection) return Promise.resolve({ value: [], position });
    const [, day, bounds] = where;
    const payable_on = day && 'equals' in day ? String(day.equals) : '';
    const [after, before] = bounds && 'after' in bounds ? [bounds.after, bounds.before] : [];
    const value: Document[] = (numbers[payable_on] ?? [])
      .filter((number) => number > Number(after) && number < Number(before))
      .map((number) => ({ record: { ...example, number, payable_on } }));
    return Promise.resolve({ value: value.slice(0, limit), position });
  };
  const settle: MoneyReads['settle'] = (_, { minPosition }) => {
    waitedFor.push(minPosition);
    return Promise.resolve(undefined);
  };
  const buckets = [...created.buckets, ...more];
  const state = { kind: 'present', created: { ...created, buckets } };
  const loaded = { accountId, position: '7', state };
  const commands = { load: () => Promise.resolve(loaded) } as unknown as CommandHandler;
  const entries = new PayoutEntries({
    money: { settle, find },
    commands,
    throttledReads: {
      batches: async function* (batches) {
        yield* batches;
      },
    },
  });
  const caller = { accountId: 'acct_1', keyId: 'key_1' } as const;
  const payout = () => entries.payout({ caller, minPosition: '3' as Position }, id);
  return { entries, payout, waitedFor };
};

it('pages through the lines of the payout by day and number, and through no other entries', async () => {
  const { entries, payout } = setUp();
  const ofPayout = await payout();
  const seen: unknown[] = [];
  let after: Line | undefined;
  do {
    const { records, last, position } = await entries.page(ofPayout, { after, size: 2 });
    expect(position).toBe('9');
    seen.push(records.map(({ payable_on, number }) => [payable_on, number]));
    after = last && [last.payable_on, last.number];
  } while (after !== undefined);
  expect(seen).toEqual([
    [
      ['2026-01-30', 1],
      ['2026-01-30', 3],
    ],
    [
      ['2026-01-30', 9],
      ['2026-01-31', 2],
    ],
  ]);
});

it('waits until the read models show the payout', async () => {
  const { payout, waitedFor } = setUp();
  expect(await payout()).toMatchObject({ position: '7' });
  expect(waitedFor).toEqual(['3', '7']);
});

it('does not find the payout of another account', async () => {
  await expect(setUp('acct_2').payout()).rejects.toMatchObject({ code: 'not_found' });
});

it('reads all lines, in as many batches as they need', async () => {
  const more = [{ payable_on: '2026-02-01', ranges: [range(10, 259, 250)] }];
  for (const buckets of [[], more]) {
    const { entries, payout } = setUp('acct_1', buckets);
    const seen: number[] = [];
    for await (const batch of entries.all(await payout())) {
      expect(batch.length).toBeLessThanOrEqual(100);
      seen.push(...batch.map(({ number }) => number));
    }
    const late = buckets.length > 0 ? (numbers['2026-02-01'] ?? []) : [];
    expect(seen).toEqual([1, 3, 9, 2, ...late]);
  }
});
