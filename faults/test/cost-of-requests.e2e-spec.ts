import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations, type OperationId } from '@refledger/contracts';
import { startStandalone, type StandaloneService } from '@refledger/testing';
import { asks } from '../src/cost/asks.js';
import { GrownService } from '../src/cost/grown-service.js';
import { little, much, type Growth } from '../src/cost/growth.js';

const times = 100;
const env = { RATE_LIMIT_PER_MINUTE: '0', AUTH_FAILURES_PER_MINUTE: '0', LOG_LEVEL: 'warn' };
const ids = Object.keys(operations) as OperationId[];

/** Only Linux reports the CPU time of another process. */
const canMeasure = process.platform === 'linux';
if (!canMeasure) console.warn('SKIPPED: what requests cost is told by Linux only');

(canMeasure ? describe : describe.skip)('what a request costs after much and after little', () => {
  let small: GrownService;
  let large: GrownService;
  const running: StandaloneService[] = [];
  const grown = async (growth: Growth): Promise<GrownService> => {
    const service = await startStandalone({ env });
    running.push(service);
    return GrownService.of(service, growth);
  };
  beforeAll(async () => {
    small = await grown(little);
    large = await grown(much);
  });
  afterAll(() => Promise.all(running.map((service) => service.stop())));

  it.each(ids)('%s', async (id) => {
    const [fromSmall, fromLarge] = [await asks[id](small), await asks[id](large)];
    const found: string[] = [];
    for (const [name, ask] of Object.entries(fromLarge)) {
      const before = await small.cost(fromSmall[name] ?? ask, times);
      const after = await large.cost(ask, times);
      const told = `${name}: ${milliseconds(before)} before, ${milliseconds(after)} after much`;
      process.stdout.write(`      ${id} ${told}\n`);
      if (after > 3 * before + 0.2) found.push(told);
    }
    expect(found).toEqual([]);
  });
});

it('docs/operations.md says of every operation what its cost depends on', () => {
  const text = readFileSync(join(__dirname, '../../docs/operations.md'), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  const missing = ids
    .map((id) => `${operations[id].method} ${operations[id].path.replace(/:(\w+)/g, '{$1}')}`)
    .filter((operation) => !rows.some((row) => row.includes(`\`${operation}\``)));
  expect(missing).toEqual([]);
});

const milliseconds = (seconds: number): string => `${((1_000 * seconds) / times).toFixed(2)} ms`;
