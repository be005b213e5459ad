import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { nodeFlags } from './node-flags.js';

/**
 * Collects garbage in one thread, so that the heap does not depend on how soon other threads run.
 */
const alone = '--single-threaded-gc';

/**
 * Reports the largest heap, in bytes, while the script keeps 100,000 things and replaces the oldest
 * over and over, so that each lives long enough to become old.
 */
const replacingThings = `
  const kept = [];
  let largest = 0;
  for (let n = 0; n < 2_000_000; n++) {
    kept[n % 100_000] = { text: 'thing ' + n + 'x'.repeat(n % 50), list: [n, n, n, n, n, n, n, n] };
    if (n % 1_000 === 0) largest = Math.max(largest, process.memoryUsage().heapUsed);
  }
  process.stdout.write(String(largest));
`;

const largestHeap = async (flags: readonly string[]): Promise<number> => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...flags,
    alone,
    '--eval',
    replacingThings,
  ]);
  return Number(stdout);
};

it('let V8 collect the heap long before it reaches the limit', async () => {
  expect(await largestHeap(nodeFlags)).toBeLessThan(0.75 * (await largestHeap([])));
});
