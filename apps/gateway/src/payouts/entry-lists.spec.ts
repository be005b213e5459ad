import type { CommandHandler } from '@refledger/application';
import {
  entrySchema,
  type AccountId,
  type EntryRecord,
  type PayoutId,
  type Position,
} from '@refledger/contracts';
import { entriesProjection } from '@refledger/projections';
import type { Document } from '@refledger/read-store';
import { type MoneyReads, PayoutEntries } from '@refledger/queries';
import { newMetrics } from '@refledger/platform';
import type { Call } from '../http/request/call.js';
import { Exports } from '../exports/exports.js';
import { EntryLists } from './entry-lists.js';

type EntriesCall = Call<'listPayoutEntries'>;
interface Page {
  readonly data: readonly EntryRecord[];
  readonly next_cursor: string | null;
}

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
  const payoutEntries = new PayoutEntries({
    money: { settle, find },
    commands,
    pacedReads: {
      batches: async function* (batches) {
        yield* batches;
      },
    },
  });
  const entries = new EntryLists(payoutEntries, new Exports(newMetrics()));
  const caller = { accountId: 'acct_1', keyId: 'key_1', scope: 'read' } as const;
  const list = async (query: EntriesCall['query'], of = id): Promise<Page> => {
    const call = { caller, id: of, query, minPosition: '3' as Position };
    const { body } = await entries.list(call as Partial<EntriesCall> as EntriesCall);
    return body as Page;
  };
  const csv = async (query: EntriesCall['query']): Promise<string> => {
    const call = { caller, id, query, minPosition: '3' as Position };
    const response = await entries.csv(call as Partial<EntriesCall> as EntriesCall);
    return (await response.csv?.toArray())?.join('') ?? '';
  };
  return { list, csv, waitedFor };
};

it('pages through the lines of the payout by day and number, and through no other entries', async () => {
  const { list } = setUp();
  const seen: unknown[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await list({ limit: '2', ...(cursor && { cursor }) });
    seen.push(page.data.map(({ payable_on, number }) => [payable_on, number]));
    cursor = page.next_cursor;
  } while (cursor !== null);
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
  const { list, waitedFor } = setUp();
  await list({});
  expect(waitedFor).toEqual(['3', '7']);
});

it('does not find the payout of another account', async () => {
  await expect(setUp('acct_2').list({})).rejects.toMatchObject({ code: 'not_found' });
});

it('rejects the cursor of another payout', async () => {
  const { list } = setUp();
  const { next_cursor } = await list({ limit: '1' });
  await expect(list({ cursor: next_cursor ?? '' }, `pay_${'1'.repeat(26)}`)).rejects.toThrow(
    'belongs to another list',
  );
});

it('has all lines as CSV, once the read models show the payout', async () => {
  const { csv, waitedFor } = setUp();
  const [, ...rows] = (await csv({ format: 'csv' })).trimEnd().split('\r\n');
  expect(rows.map((row) => row.split(',')[1])).toEqual(['1', '3', '9', '2']);
  expect(waitedFor).toEqual(['3', '7']);
});

it('reads as many batches as the CSV needs', async () => {
  const { csv } = setUp('acct_1', [{ payable_on: '2026-02-01', ranges: [range(10, 259, 250)] }]);
  const [, ...rows] = (await csv({ format: 'csv' })).trimEnd().split('\r\n');
  expect(rows.map((row) => Number(row.split(',')[1]))).toEqual([
    ...[1, 3, 9, 2],
    ...(numbers['2026-02-01'] ?? []),
  ]);
});

it('refuses page parameters for CSV', async () => {
  const { csv } = setUp();
  for (const page of [{ limit: '1' }, { cursor: 'x' }])
    await expect(csv({ format: 'csv', ...page })).rejects.toMatchObject({
      code: 'validation_failed',
      extras: { errors: [{ path: Object.keys(page)[0], code: 'with_csv' }] },
    });
});
