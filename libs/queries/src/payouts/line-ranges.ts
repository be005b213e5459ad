import type { StoredBucket } from '@refledger/contracts';

/** The day and the number of a line, which order the lines of a payout. */
export type Line = readonly [payable_on: string, number: number];

/** Lines of one day whose numbers are between two bounds, which are both excluded. */
export interface LineRange {
  readonly payable_on: string;
  readonly after: number;
  readonly before: number;
}

/**
 * The ranges of a payout's lines that follow a line, in order, and only as many as are needed to
 * find `limit` lines: a range that begins after that line has exactly as many lines as its count.
 */
export const rangesOfPage = (
  buckets: readonly StoredBucket[],
  after: Line | undefined,
  limit: number,
): readonly LineRange[] => {
  const [day, number] = after ?? ['', 0];
  const page: LineRange[] = [];
  let lines = 0;
  for (const { payable_on, from, to, count } of inOrder(buckets)) {
    if (lines >= limit) break;
    const isPast = payable_on < day || (payable_on === day && to <= number);
    if (isPast) continue;
    const isCut = payable_on === day && from <= number;
    page.push({ payable_on, after: isCut ? number : from - 1, before: to + 1 });
    if (!isCut) lines += count;
  }
  return page;
};

const inOrder = (buckets: readonly StoredBucket[]) =>
  buckets
    .flatMap(({ payable_on, ranges }) => ranges.map((range) => ({ payable_on, ...range })))
    .sort((a, b) => (a.payable_on === b.payable_on ? a.from - b.from : byDay(a, b)));

const byDay = (a: Pick<LineRange, 'payable_on'>, b: Pick<LineRange, 'payable_on'>): number =>
  a.payable_on < b.payable_on ? -1 : 1;
