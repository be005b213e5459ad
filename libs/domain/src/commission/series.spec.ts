import fc from 'fast-check';
import { placeInSeries } from './series.js';

const place = (firstOccurredAt: string, occurredAt: string, months: number) =>
  placeInSeries({ occurredAt, firstOccurredAt }, { months });

it('a first sale, and a sale without a customer, earn under every rule', () => {
  const sale = { occurredAt: '2026-06-15T12:00:00.000Z', firstOccurredAt: null };
  for (const recurring of ['every', 'first', { months: 1 }] as const)
    expect(placeInSeries(sale, recurring)).toBe('earning');
});

it('a later sale earns under "every" and not under "first", even if it occurred before', () => {
  for (const occurredAt of ['2026-01-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z']) {
    const sale = { occurredAt, firstOccurredAt: '2026-06-15T12:00:00.000Z' };
    expect(placeInSeries(sale, 'every')).toBe('earning');
    expect(placeInSeries(sale, 'first')).toBe('not_first');
  }
});

it.each([
  ['2026-01-15T10:00:00.000Z', 1, '2026-02-15T10:00:00.000Z'],
  ['2026-01-31T10:00:00.000Z', 1, '2026-02-28T10:00:00.000Z'],
  ['2028-01-31T10:00:00.000Z', 1, '2028-02-29T10:00:00.000Z'],
  ['2026-01-31T10:00:00.000Z', 3, '2026-04-30T10:00:00.000Z'],
  ['2026-12-31T23:59:59.999Z', 2, '2027-02-28T23:59:59.999Z'],
  ['2028-02-29T00:00:00.000Z', 12, '2029-02-28T00:00:00.000Z'],
  ['2028-02-29T00:00:00.000Z', 48, '2032-02-29T00:00:00.000Z'],
  ['2026-03-29T00:30:00.000Z', 7, '2026-10-29T00:30:00.000Z'],
])('a series that started at %s and lasts %i months ends at %s', (first, months, end) => {
  const justBefore = new Date(Date.parse(end) - 1).toISOString();
  expect([place(first, justBefore, months), place(first, end, months)]).toEqual([
    'earning',
    'after_duration',
  ]);
});

it('a sale that occurred before the first recorded one earns within the months', () => {
  expect(place('2026-06-15T12:00:00.000Z', '2020-01-01T00:00:00.000Z', 1)).toBe('earning');
});

it('ends on the same day of the month, or on the last day of a shorter month', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2000, max: 2040 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 31 }),
      fc.integer({ min: 1, max: 120 }),
      (year, month, wanted, months) => {
        const day = Math.min(wanted, daysIn(year, month));
        const last = month + months;
        const [endYear, endMonth] = [year + Math.floor((last - 1) / 12), ((last - 1) % 12) + 1];
        const end = written(endYear, endMonth, Math.min(day, daysIn(endYear, endMonth)));
        const first = written(year, month, day);
        expect(place(first, end, months)).toBe('after_duration');
        expect(place(first, end.replace('T12:00:00.000', 'T11:59:59.999'), months)).toBe('earning');
      },
    ),
  );
});

const daysIn = (year: number, month: number): number => {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
};
const two = (value: number): string => String(value).padStart(2, '0');
const written = (year: number, month: number, day: number): string =>
  `${year}-${two(month)}-${two(day)}T12:00:00.000Z`;
