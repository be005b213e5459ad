import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operations, type OperationId } from '@refledger/contracts';
import { startStandalone, type StandaloneService } from '@refledger/testing';
import { costlyRequests } from '../src/cost/costly-requests.js';
import { GrownService, type SendRequest } from '../src/cost/grown-service.js';
import { little, much, type Growth } from '../src/cost/growth.js';
import { measured, sent } from '../src/cost/times.js';

/**
 * Other work of a service, such as collecting garbage, can make a measurement worse, but hardly
 * this often in a row.
 */
const measurements = 3;
const env = { RATE_LIMIT_PER_MINUTE: '0', AUTH_FAILURES_PER_MINUTE: '0', LOG_LEVEL: 'warn' };
const ids = Object.keys(operations) as OperationId[];

/** Only Linux reports the CPU time of another process. */
const canMeasure = process.platform === 'linux';
if (!canMeasure) console.warn('SKIPPED: only Linux reports the CPU time of another process');

(canMeasure ? describe : describe.skip)(
  'the cost of a request with a long history and with a short one',
  () => {
    let small: GrownService;
    let large: GrownService;
    const running: StandaloneService[] = [];
    const grown = async (growth: Growth): Promise<GrownService> => {
      const service = await startStandalone({ env });
      running.push(service);
      return GrownService.create(service, growth);
    };
    beforeAll(async () => {
      small = await grown(little);
      large = await grown(much);
    });
    afterAll(() => Promise.all(running.map((service) => service.stop())));

    /** Measures again as long as a long history seems to make requests cost more. */
    const measure = async (ofSmall: SendRequest, ofLarge: SendRequest): Promise<Costs> => {
      for (let n = 0; ; n++) {
        const before = await small.cost(ofSmall, n * sent);
        const after = await large.cost(ofLarge, n * sent);
        const isTooMuch = after > 3 * before + 0.2;
        if (!isTooMuch || n === measurements - 1) return { before, after, isTooMuch };
      }
    };

    it.each(ids)('%s', async (id) => {
      const [fromSmall, fromLarge] = [
        await costlyRequests[id](small),
        await costlyRequests[id](large),
      ];
      const found: string[] = [];
      for (const [name, send] of Object.entries(fromLarge)) {
        const { before, after, isTooMuch } = await measure(fromSmall[name] ?? send, send);
        const line = `${name}: ${milliseconds(before)} with a short history, ${milliseconds(after)} with a long one`;
        process.stdout.write(`      ${id} ${line}\n`);
        if (isTooMuch) found.push(line);
      }
      expect(found).toEqual([]);
    });
  },
);

it('docs/operations.md describes the cost of every operation', () => {
  const text = readFileSync(join(__dirname, '../../docs/operations.md'), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  const missing = ids
    .map((id) => `${operations[id].method} ${operations[id].path.replace(/:(\w+)/g, '{$1}')}`)
    .filter((operation) => !rows.some((row) => row.includes(`\`${operation}\``)));
  expect(missing).toEqual([]);
});

/** CPU seconds of the requests after a short history and after a long one. */
interface Costs {
  readonly before: number;
  readonly after: number;
  readonly isTooMuch: boolean;
}

const milliseconds = (seconds: number): string => `${((1_000 * seconds) / measured).toFixed(2)} ms`;
