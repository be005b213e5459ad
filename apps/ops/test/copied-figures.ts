import type { ProcessResult } from './ops-process.js';

/** Expects the same figures for source and target of `ops copy`. */
export const expectSame = ({ out }: ProcessResult, what: string): void => {
  const [from, to] = out
    .split('\n')
    .slice(out.split('\n').findIndex((line) => line.startsWith(what)))
    .map((line) => line.replace(/^.*?(source|target) {2}/, ''));
  expect(from).toMatch(/sha256 [0-9a-f]{64}$/);
  expect(to).toBe(from);
};
