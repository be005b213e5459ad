import type { Figure, Row } from '../row.js';
import { rowResult } from './row-result.js';

const rowOf = (figure: Partial<Figure>): Row => ({
  name: 'r',
  title: 'a row',
  figures: [{ name: 'rate', unit: '/s', goals: [], ...figure }],
  prepare: () => Promise.reject(new Error()),
});
const round = (measured: number, yardstick?: number) => ({
  measured: { rate: measured },
  yardstick: yardstick === undefined ? undefined : { rate: yardstick },
});
const run = (...rounds: ReturnType<typeof round>[]) => ({
  seconds: 1.234,
  rounds,
  notes: [],
  failure: undefined,
});

describe('the result of the rounds', () => {
  it('uses the ratio of each round, not that of the medians', () => {
    const {
      figures: [figure],
    } = rowResult(rowOf({}), run(round(10, 20), round(90, 90), round(30, 120)));
    expect(figure).toMatchObject({
      measured: { min: 10, median: 30, max: 90 },
      yardstick: { min: 20, median: 90, max: 120 },
      ratio: { min: 0.25, median: 0.5, max: 1 },
    });
  });

  it.each([
    [{ of: 'figure', atLeast: 30 }, true],
    [{ of: 'figure', atLeast: 31 }, false],
    [{ of: 'figure', atMost: 30 }, true],
    [{ of: 'figure', atMost: 29 }, false],
    [{ of: 'ratio', atLeast: 0.5 }, true],
    [{ of: 'ratio', atLeast: 0.51 }, false],
    [{ of: 'ratio', atMost: 0.5 }, true],
    [{ of: 'ratio', atMost: 0.49 }, false],
  ] as const)('compares the median with %j: %s', (goal, met) => {
    const {
      figures: [figure],
    } = rowResult(rowOf({ goals: [goal] }), run(round(10, 20), round(90, 90), round(30, 120)));
    expect(figure?.goals).toEqual([{ ...goal, met }]);
  });

  it('has no ratio without a yardstick, and does not meet a ratio goal', () => {
    const {
      figures: [figure],
    } = rowResult(rowOf({ goals: [{ of: 'ratio', atMost: 1 }] }), run(round(1)));
    expect(figure).toMatchObject({ yardstick: null, ratio: null, goals: [{ met: false }] });
  });

  it('has no figures when no round finished, and gives the reason', () => {
    expect(rowResult(rowOf({}), { ...run(), failure: 'lost' })).toMatchObject({
      figures: [],
      failure: 'lost',
      seconds: 1.2,
    });
  });
});
