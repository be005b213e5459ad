import fc from 'fast-check';
import { payableOn } from './payable-on.js';

it.each([
  ['2026-11-22T00:00:00.000Z', 0, '2026-11-22'],
  ['2026-11-22T23:59:59.999Z', 0, '2026-11-22'],
  ['2026-11-22T23:59:59.999Z', 30, '2026-12-22'],
  ['2026-12-31T12:00:00.000Z', 1, '2027-01-01'],
  ['2028-02-28T12:00:00.000Z', 1, '2028-02-29'],
  ['2026-02-28T12:00:00.000Z', 1, '2026-03-01'],
  ['2026-01-01T12:00:00.000Z', 365, '2027-01-01'],
  // local clocks change in between
  ['2026-03-01T00:15:00.000Z', 30, '2026-03-31'],
  ['2026-10-20T23:45:00.000Z', 30, '2026-11-19'],
])('a sale of %s with %i hold days is payable on %s', (occurredAt, holdDays, day) => {
  expect(payableOn({ occurredAt, recordedAt: occurredAt }, holdDays)).toBe(day);
});

it.each([
  ['2025-11-20T12:00:00.000Z', 0, '2025-11-21'],
  ['2025-11-21T12:00:00.000Z', 0, '2025-11-21'],
  ['2025-11-22T12:00:00.000Z', 0, '2025-11-22'],
  ['2001-01-01T12:00:00.000Z', 365, '2025-11-21'],
])(
  'a sale of %s with %i hold days, recorded on 22 November 2026, is payable on %s',
  (occurredAt, holdDays, day) => {
    expect(payableOn({ occurredAt, recordedAt: '2026-11-22T01:00:00.000Z' }, holdDays)).toBe(day);
  },
);

it('counts days one by one, and never more than 366 of them back', () => {
  const instants = fc
    .integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2040, 0, 1) })
    .map((time) => new Date(time).toISOString());
  fc.assert(
    fc.property(instants, fc.nat(800), fc.nat(365), (occurredAt, lateDays, holdDays) => {
      const recordedAt = `${counted(occurredAt.slice(0, 10), lateDays)}T00:00:00.000Z`;
      const daysAfter = Math.max(holdDays, lateDays - 366);
      expect(payableOn({ occurredAt, recordedAt }, holdDays)).toBe(
        counted(occurredAt.slice(0, 10), daysAfter),
      );
    }),
  );
});

/** The day that is this many days later, by an independent calendar. */
const counted = (from: string, days: number): string => {
  let [year = 0, month = 0, day = 0] = from.split('-').map(Number);
  for (let n = 0; n < days; n++) {
    day += 1;
    if (day > lengthOf(year, month)) [month, day] = [month + 1, 1];
    if (month > 12) [year, month] = [year + 1, 1];
  }
  return [year, String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-');
};
const lengthOf = (year: number, month: number): number => {
  const isLeap = year % 400 === 0 || (year % 4 === 0 && year % 100 !== 0);
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
};
