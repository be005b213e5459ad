import { entrySchema, type EntryRecord, type PayoutId, type Position } from '@refledger/contracts';
import type { Line, PayoutEntries } from '@refledger/queries';
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
const lines = [1, 2, 3].map((number) => ({ ...example, number }));

/** Lists of a payout with three lines, and what was asked for. */
const setUp = () => {
  const waitedFor: (Position | undefined)[] = [];
  const pages: { readonly after: Line | undefined; readonly size: number }[] = [];
  const position = '9' as Position;
  const entries: Pick<PayoutEntries, 'payout' | 'page' | 'all'> = {
    payout: ({ minPosition }) => {
      waitedFor.push(minPosition);
      return Promise.resolve({ ranges: { balance_id: 'bal_1', buckets: [] }, position });
    },
    page: (_, page) => {
      pages.push(page);
      const from = page.after?.[1] ?? 0;
      const records = lines.slice(from, from + page.size);
      const last = from + page.size < lines.length ? records.at(-1) : undefined;
      return Promise.resolve({ records, last, position });
    },
    all: async function* () {
      yield await Promise.resolve(lines.slice(0, 2));
      yield lines.slice(2);
    },
  };
  const lists = new EntryLists(entries, new Exports(newMetrics()));
  const caller = { accountId: 'acct_1', keyId: 'key_1', scope: 'read' } as const;
  const callOf = (query: EntriesCall['query'], of: PayoutId): EntriesCall => {
    const call = { caller, id: of, query, minPosition: '3' as Position };
    return call as Partial<EntriesCall> as EntriesCall;
  };
  const list = async (query: EntriesCall['query'], of = id): Promise<Page> => {
    const { body, headers } = await lists.list(callOf(query, of));
    expect(headers).toEqual({ 'refledger-position': '9' });
    return body as Page;
  };
  const csv = async (query: EntriesCall['query']): Promise<string> => {
    const response = await lists.csv(callOf(query, id));
    expect(response.headers).toEqual({
      'refledger-position': '9',
      'content-disposition': `attachment; filename="entries-${id}.csv"`,
    });
    return (await response.csv?.toArray())?.join('') ?? '';
  };
  return { list, csv, waitedFor, pages };
};

it('pages through the lines of a payout', async () => {
  const { list, pages, waitedFor } = setUp();
  const first = await list({ limit: '2' });
  const second = await list({ limit: '2', cursor: first.next_cursor ?? '' });
  expect([first, second].map(({ data }) => data.map(({ number }) => number))).toEqual([
    [1, 2],
    [3],
  ]);
  expect(second.next_cursor).toBeNull();
  expect(pages).toEqual([
    { after: undefined, size: 2 },
    { after: [example.payable_on, 2], size: 2 },
  ]);
  expect(waitedFor).toEqual(['3', '3']);
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
  expect(rows.map((row) => row.split(',')[1])).toEqual(['1', '2', '3']);
  expect(waitedFor).toEqual(['3']);
});

it('refuses page parameters for CSV', async () => {
  const { csv } = setUp();
  for (const page of [{ limit: '1' }, { cursor: 'x' }])
    await expect(csv({ format: 'csv', ...page })).rejects.toMatchObject({
      code: 'validation_failed',
      extras: { errors: [{ path: Object.keys(page)[0], code: 'with_csv' }] },
    });
});
