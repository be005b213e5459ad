import type { Position } from '@refledger/contracts';
import { isFinal, periodOf } from './statement-period.js';

const now = '2026-11-01T00:00:00.000Z';

it.each([
  ['2026-10', '2026-10-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'],
  ['2025-12', '2025-12-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  ['2024-02', '2024-02-01T00:00:00.000Z', '2024-03-01T00:00:00.000Z'],
  ['0000-12', '0000-12-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
  // it begins right now
  ['2026-11', '2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
])('%s is from %s to %s', (month, from, to) => {
  expect(periodOf(month, now)).toEqual({ month, from, to });
});

it.each(['2026-12', '9999-12'])('refuses %s, which has not started', (month) => {
  expect(() => periodOf(month, now)).toThrow(
    expect.objectContaining({ code: 'validation_failed' }) as Error,
  );
});

describe('a statement is final', () => {
  const period = periodOf('2026-10', now);
  const positionOf = (position: number): Position => String(position) as Position;
  const posted = { position: positionOf(9), postedPosition: positionOf(8), logTime: period.to };
  const to = Date.parse(period.to);
  const tenMinutes = 10 * 60_000;

  it('once posting has reached its end, and what was read shows what was posted', () => {
    expect(isFinal(period, posted, { read: positionOf(8), now: to })).toBe(true);
    const later = { ...posted, logTime: '2027-01-01T00:00:00.000Z' };
    expect(isFinal(period, later, { read: positionOf(10), now: Date.parse(later.logTime) })).toBe(
      true,
    );
  });

  it('even if nothing was ever posted', () => {
    const nothing = { ...posted, postedPosition: undefined };
    expect(isFinal(period, nothing, { read: undefined, now: to })).toBe(true);
  });

  it('not while log time is within it, or unknown', () => {
    const last = '2026-10-31T23:59:59.999Z';
    const read = { read: positionOf(8), now: to };
    expect(isFinal(period, { ...posted, logTime: last }, read)).toBe(false);
    expect(isFinal(period, { ...posted, logTime: null }, read)).toBe(false);
  });

  it('not before the clock has passed its end', () => {
    expect(isFinal(period, posted, { read: positionOf(8), now: to - 1 })).toBe(false);
  });

  it('not while log time is more than 10 minutes ahead of the clock', () => {
    const ahead = (ms: number) => ({
      ...posted,
      logTime: new Date(to + tenMinutes + ms).toISOString(),
    });
    expect(isFinal(period, ahead(0), { read: positionOf(8), now: to })).toBe(true);
    expect(isFinal(period, ahead(1), { read: positionOf(8), now: to })).toBe(false);
  });

  it('not if what was read may lack something that was posted', () => {
    expect(isFinal(period, posted, { read: positionOf(7), now: to })).toBe(false);
    expect(isFinal(period, posted, { read: undefined, now: to })).toBe(false);
  });
});
