import fc from 'fast-check';
import { initialLimit, nextLimit, type LimitEvidence } from './adaptive-limit.js';

const range = { floor: 8, max: 64 };
const success: LimitEvidence = { succeeded: true, durationMs: 100, wasFull: true };
const failure: LimitEvidence = { ...success, succeeded: false };

const after = (evidence: readonly LimitEvidence[], within = range) =>
  evidence.reduce((limit, one) => nextLimit(limit, one, within), initialLimit(within));
const times = (count: number, evidence: LimitEvidence) =>
  Array.from({ length: count }, () => evidence);

const evidence = fc.record({
  succeeded: fc.boolean(),
  durationMs: fc.integer({ min: 0, max: 10_000 }),
  wasFull: fc.boolean(),
});
const ranges = fc
  .tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 100 }))
  .map(([floor, more]) => ({ floor, max: floor + more }));

it('is never below the floor nor above the maximum, whatever happens', () => {
  fc.assert(
    fc.property(ranges, fc.array(evidence), (within, all) => {
      const { requests } = after(all, within);
      expect(requests).toBeGreaterThanOrEqual(within.floor);
      expect(requests).toBeLessThanOrEqual(within.max);
    }),
  );
});

it('rises only after a quick success of an endpoint that used its whole limit, by at most one', () => {
  fc.assert(
    fc.property(fc.array(evidence), evidence, (all, last) => {
      const [before, now] = [after(all).requests, after([...all, last]).requests];
      const mayRise = last.succeeded && last.wasFull && last.durationMs < 1_000;
      expect(now - before).toBeLessThanOrEqual(mayRise ? 1 : 0);
    }),
  );
});

it('does not rise after a success that takes a second, which is not quick', () => {
  const withDuration = (durationMs: number) => after([{ ...success, durationMs }]).requests;
  expect([withDuration(999), withDuration(1_000)]).toEqual([9, 8]);
});

it('is halved by every failure, down to the floor', () => {
  fc.assert(
    fc.property(fc.array(evidence), (all) => {
      const { requests } = after(all);
      expect(after([...all, failure]).requests).toBe(Math.max(8, requests / 2));
    }),
  );
});

it('reaches the maximum as long as nothing fails', () => {
  expect(after(times(56, success)).requests).toBe(64);
});

it('rises by one per round trip once something has failed', () => {
  const halved = [...times(24, success), failure];
  expect(after(halved).requests).toBe(16);
  const risen = after([...halved, ...times(16, success)]).requests;
  expect(risen).toBeGreaterThan(16.9);
  expect(risen).toBeLessThanOrEqual(17);
});
