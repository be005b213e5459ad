import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const built = (file: string) =>
  JSON.stringify(new URL(`../dist/${file}`, `file://${__dirname}/`).href);

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
    process.stdout.write(largest + '\\n');
`;

const firstLineOf = async (
  program: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', program],
    { env: { ...process.env, ...env } },
  );
  return stdout.split('\n')[0] ?? '';
};

it('is collected long before it is as large as V8 would let it become, by itself and in a service of one role', async () => {
  const unbounded = Number(await firstLineOf(replacingThings));
  const bounded = Number(
    await firstLineOf(
      `(await import(${built('old-generation.js')})).boundOldGeneration(); ${replacingThings}`,
    ),
  );
  const service = Number(
    await firstLineOf(
      `const { runService } = await import(${built('run-service.js')}); await runService('relay', async () => { ${replacingThings} process.exit(0); });`,
      {
        EVENT_LOG_URL: 'esdb://127.0.0.1:1',
        READ_STORE_URL: 'mongodb://127.0.0.1:1/x',
        EVENT_BUS_URL: 'log:',
        BOOTSTRAP_API_KEY: 'x'.repeat(32),
        SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
      },
    ),
  );
  expect(bounded).toBeLessThan(0.75 * unbounded);
  expect(service).toBeLessThan(0.75 * unbounded);
});
