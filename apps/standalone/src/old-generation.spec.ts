import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const built = JSON.stringify(new URL('../dist/old-generation.js', `file://${__dirname}/`).href);

/** The largest heap, in bytes, of a process that keeps 100,000 things and replaces the oldest again and again: each lives long enough to become old. */
const largestHeap = async (before: string): Promise<number> => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', `
    ${before}
    const kept = [];
    let largest = 0;
    for (let n = 0; n < 2_000_000; n++) {
      kept[n % 100_000] = { text: 'thing ' + n + 'x'.repeat(n % 50), list: [n, n, n, n, n, n, n, n] };
      if (n % 1_000 === 0) largest = Math.max(largest, process.memoryUsage().heapUsed);
    }
    process.stdout.write(String(largest));
  `]);
  return Number(stdout);
};

it('is collected long before it is as large as V8 would let it become', async () => {
  const [bounded, unbounded] = [await largestHeap(`(await import(${built})).boundOldGeneration();`), await largestHeap('')];
  expect(bounded).toBeLessThan(0.75 * unbounded);
});
