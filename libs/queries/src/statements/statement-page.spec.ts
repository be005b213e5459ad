import type { BalanceEvent, RecordedEvent } from '@refledger/contracts';
import type { BalanceReader } from '@refledger/balances';
import type { ChapterRevision } from '@refledger/domain';
import { statementPage } from './statement-page.js';

const balance = 'bal_1';
const perChapter = 5;
/**
 * The event with this index. Every third one is a reservation, which is not a line, and every sixth
 * one is of another month.
 */
const event = (index: number): RecordedEvent<BalanceEvent> => {
  const [chapter, revision] = [Math.floor(index / perChapter), index % perChapter];
  const data =
    index % 3 === 2
      ? { balance_id: balance }
      : {
          balance_id: balance,
          payout_id: `pay_${index}`,
          amount: '1',
          posted_at: index % 6 === 0 ? '2027-01-31' : '2026-10-31',
        };
  return {
    type: index % 3 === 2 ? 'balance.reserved' : 'balance.settled',
    data,
    stream: `refledger.balance-${balance}-${chapter}`,
    revision,
  } as unknown as RecordedEvent<BalanceEvent>;
};
const indexOf = ({ chapter, revision }: ChapterRevision): number => chapter * perChapter + revision;
const placeOf = (index: number): ChapterRevision => ({
  chapter: Math.floor(index / perChapter),
  revision: index % perChapter,
});

let read: number[];
beforeEach(() => void (read = []));
const eventsBetween: BalanceReader['eventsBetween'] = async function* (
  _,
  { first, last },
  size = perChapter,
) {
  for (let index = indexOf(first); index <= indexOf(last); index += size) {
    const indexes = Array.from(
      { length: Math.min(size, indexOf(last) + 1 - index) },
      (__, n) => index + n,
    );
    read.push(...indexes);
    yield await Promise.resolve(indexes.map(event));
  }
};
const parts = {
  reader: { eventsBetween },
  throttledReads: { batches: <T>(all: AsyncIterable<T>) => all as AsyncGenerator<T> },
};
const range = { month: '2026-10', first: placeOf(3), last: placeOf(19) };
const page = (size: number, after?: ChapterRevision) =>
  statementPage(parts, balance, range, { size, after });
const linesOf = (first: number, last: number): readonly string[] =>
  Array.from({ length: last - first + 1 }, (_, n) => first + n)
    .filter((index) => index % 3 !== 2 && index % 6 !== 0)
    .map((index) => `pay_${index}`);

it.each([1, 2, 3, 10, 11, 100])('shows each line once, in pages of %s', async (size) => {
  const shown: (string | undefined)[] = [];
  let after: ChapterRevision | undefined;
  do {
    const { lines, last } = await page(size, after);
    expect(lines).toHaveLength(last === undefined ? lines.length : size);
    shown.push(...lines.map(({ payout_id }) => payout_id));
    after = last;
  } while (after !== undefined && shown.length <= 20);
  expect(shown).toEqual(linesOf(3, 19));
});

it('reads only what it shows and what is in between', async () => {
  const { last } = await page(4);
  // the lines 3, 4, 7 and 9; reads have the size of the page
  expect(read).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
  read = [];
  await page(1, last);
  expect(read).toEqual([10]);
});

it('is empty if the month has no lines', async () => {
  const empty = { lines: [], last: undefined };
  const request = { size: 25, after: undefined };
  expect(await statementPage(parts, balance, undefined, request)).toEqual(empty);
});

it.each([
  ['of an earlier month', { chapter: 0, revision: 0 }],
  ['that no one made', { chapter: -1e15, revision: 7 }],
])('never shows what comes before the month, whatever the cursor says: %s', async (_, place) => {
  expect((await page(1, place)).lines).toMatchObject([{ payout_id: 'pay_3' }]);
});
