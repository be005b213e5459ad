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

it.each(['2026-12', '9999-12'])('refuses %s, which has not begun', (month) => {
  expect(() => periodOf(month, now)).toThrow(
    expect.objectContaining({ code: 'validation_failed' }) as Error,
  );
});

describe('a statement is final', () => {
  const period = periodOf('2026-10', now);
  const at = (position: number): Position => String(position) as Position;
  const posted = { position: at(9), postedPosition: at(8), logTime: period.to };

  it('once posting has reached its end, and what was read shows what was posted', () => {
    expect(isFinal(period, posted, at(8))).toBe(true);
    expect(isFinal(period, { ...posted, logTime: '2027-01-01T00:00:00.000Z' }, at(10))).toBe(true);
  });

  it('even if nothing was ever posted', () => {
    expect(isFinal(period, { ...posted, postedPosition: undefined }, undefined)).toBe(true);
  });

  it('not while log time is within it, or unknown', () => {
    const last = '2026-10-31T23:59:59.999Z';
    expect(isFinal(period, { ...posted, logTime: last }, at(8))).toBe(false);
    expect(isFinal(period, { ...posted, logTime: null }, at(8))).toBe(false);
  });

  it('not if what was read may lack something that was posted', () => {
    expect(isFinal(period, posted, at(7))).toBe(false);
    expect(isFinal(period, posted, undefined)).toBe(false);
  });
});
