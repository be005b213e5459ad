import { createColors } from 'picocolors';
import type { RowResult } from './results.js';
import { number, tableOf } from './table.js';

const row = (over: Partial<RowResult>): RowResult => ({
  name: 'writes',
  title: 'writing',
  yardstick: 'a bare one',
  seconds: 4,
  figures: [],
  notes: [],
  failure: null,
  ...over,
});
const colors = createColors(false);

describe('the table', () => {
  it('shows medians with their range, the goal, and whether it was met', () => {
    const text = tableOf(
      {
        rows: [
          row({
            notes: ['busy'],
            figures: [
              {
                name: 'requests',
                unit: '/s',
                rounds: [],
                measured: { min: 900, median: 12_345.6, max: 13_000 },
                yardstick: { min: 1, median: 20, max: 30 },
                ratio: { min: 0.4, median: 0.456, max: 0.5 },
                goals: [
                  { of: 'ratio', atLeast: 0.5, met: false },
                  { of: 'figure', atMost: 10, met: true },
                ],
              },
              {
                name: 'p99',
                unit: 'ms',
                rounds: [],
                measured: { min: 1, median: 2, max: 3 },
                yardstick: null,
                ratio: null,
                goals: [],
              },
            ],
          }),
        ],
      },
      colors,
    );

    for (const shown of [
      'writing',
      'against a bare one',
      'writes, 4 s',
      'requests/s',
      '12,346',
      '900 – 13,000',
      '0.46',
      '0.40 – 0.50',
      'ratio ≥ 0.50',
      'NOT MET',
      '≤ 10.0',
      'p99 ms',
      'writes: busy',
    ])
      expect(text).toContain(shown);
    const goalLines = text.split('\n').filter((line) => line.includes('≥') || line.includes('≤'));
    expect(goalLines.map((line) => line.includes('NOT MET'))).toEqual([true, false]);
  });

  it('shows failed rows', () => {
    expect(
      tableOf({ rows: [row({ failure: 'Error: 3 webhooks were lost\n    at …' })] }, colors),
    ).toContain('failed: Error: 3 webhooks were lost');
  });

  it.each([
    [1_234_567, '1,234,567'],
    [999.6, '1,000'],
    [123.4, '123'],
    [12.34, '12.3'],
    [1.234, '1.23'],
    [0, '0.00'],
    [-1.5, '-1.50'],
  ])('writes %d as %s', (value, text) => {
    expect(number(value)).toBe(text);
  });
});
