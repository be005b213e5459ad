import { newId, toPosition, type Position } from '@refledger/contracts';
import type { AccountEvent, AccountEvents } from '@refledger/projections';
import { beginning, lastPossible } from './positions.js';
import { walkEvents, type EventSearch } from './walk-events.js';

const accountId = newId('account');
const positionOf = (n: number): Position => toPosition(String(n)) as Position;

/** An index with an event at each position from 1 to `last`, which has reached `reached`. */
const indexOf = (last: number, reached = last) => {
  const limits: number[] = [];
  const read: AccountEvents['read'] = ({ after, through, limit, newestFirst }) => {
    limits.push(limit);
    const from = Number(after) + 1;
    const to = Math.min(Number(through), last, reached);
    const positions = Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n);
    const events = (newestFirst === true ? positions.toReversed() : positions)
      .slice(0, limit)
      .map((n) => ({ position: positionOf(n) }) as AccountEvent);
    return Promise.resolve({ events, reached: positionOf(reached) });
  };
  return { read, limits };
};

/** The positions that were found, whether there are more, and where to continue. */
const walked = async (index: ReturnType<typeof indexOf>, search: Partial<EventSearch> = {}) => {
  const found = await walkEvents(
    index,
    {
      accountId,
      range: { after: beginning, through: lastPossible },
      newestFirst: false,
      limit: 3,
      isWanted: undefined,
      ...search,
    },
    {
      async *batches(batches) {
        yield* batches;
      },
    },
  );
  const positions = found.events.map(({ position }) => Number(position));
  return [positions, found.hasMore, Number(found.next), Number(found.reached)] as const;
};
const isMultipleOf =
  (n: number) =>
  ({ position }: AccountEvent): boolean =>
    Number(position) % n === 0;
const between = (after: number, through: number) => ({
  range: { after: positionOf(after), through: positionOf(through) },
});

it('reads one event more than a page has, without a filter', async () => {
  const index = indexOf(10);
  expect(await walked(index)).toEqual([[1, 2, 3], true, 3, 10]);
  expect(index.limits).toEqual([4]);
  expect(await walked(index, between(7, 100))).toEqual([[8, 9, 10], false, 10, 10]);
});

it('continues after the end of the range, or of what the index has', async () => {
  expect(await walked(indexOf(10, 12), between(8, 100))).toEqual([[9, 10], false, 12, 12]);
  expect(await walked(indexOf(10), between(3, 5))).toEqual([[4, 5], false, 5, 10]);
  expect(await walked(indexOf(10), between(12, 20))).toEqual([[], false, 12, 10]);
  expect(await walked(indexOf(10), between(5, 2))).toEqual([[], false, 5, 10]);
});

it('goes on in steps until it has found enough', async () => {
  const index = indexOf(5_000);
  expect(await walked(index, { isWanted: isMultipleOf(400) })).toEqual([
    [400, 800, 1_200],
    true,
    1_200,
    5_000,
  ]);
  expect(index.limits).toEqual([500, 500, 500, 500]);
});

it('looks at 10,000 events, and then continues after the last of them', async () => {
  const search = { isWanted: isMultipleOf(9_000) };
  expect(await walked(indexOf(30_000), search)).toEqual([[9_000], true, 10_000, 30_000]);
  const nothing = { isWanted: () => false };
  expect(await walked(indexOf(30_000), nothing)).toEqual([[], true, 10_000, 30_000]);
  expect(await walked(indexOf(9_999), nothing)).toEqual([[], false, 9_999, 9_999]);
});

it('goes backwards from the end', async () => {
  const newestFirst = true;
  expect(await walked(indexOf(10), { newestFirst })).toEqual([[10, 9, 8], true, 8, 10]);
  const rest = { newestFirst, ...between(0, 3) };
  expect(await walked(indexOf(10), rest)).toEqual([[3, 2, 1], false, 1, 10]);
  expect(await walked(indexOf(30_000), { newestFirst, isWanted: isMultipleOf(7_000) })).toEqual([
    [28_000, 21_000],
    true,
    20_001,
    30_000,
  ]);
});
