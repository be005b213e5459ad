import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { newId } from '@refledger/contracts';
import { eventually } from '@refledger/testing';
import { describeOnServer } from '@refledger/testing/servers';
import { EventWriter } from '../../src/conformance/sample-events.js';
import { startFeed } from './feed.js';
import { openSampleLog } from './sample-log.js';

const page = readFileSync(join(__dirname, '../../../../docs/consumers.md'), 'utf8');
const [, code = ''] = /```js\n([^]*?)```/.exec(page) ?? [];

it('shows a consumer in ten lines, not counting its import', () => {
  expect(code.trim().split('\n').slice(2).length).toBeLessThanOrEqual(10);
});

describeOnServer('Kafka', 'the consumer of docs/consumers.md', (server) => {
  it('gets every public event', async () => {
    const { log, remove } = await openSampleLog();
    const prefix = `test-${randomUUID()}`;
    const feed = await startFeed(log, server().url.split(','), prefix, 2);
    const [affiliate, conversion] = [newId('affiliate'), newId('conversion')];
    const writer = new EventWriter(log);
    await writer.createAffiliate(affiliate);
    await writer.createConversion(conversion, affiliate, 250);
    await writer.approveConversion(conversion, affiliate);

    const script = `const apply = async (event) => console.log(JSON.stringify(event));\n${code.replaceAll("'refledger.", `'${prefix}.`)}`;
    const consumer = spawn(process.execPath, ['--input-type=module', '-e', script], {
      cwd: __dirname,
      env: { ...process.env, KAFKA_BROKERS: server().url, KAFKAJS_LOG_LEVEL: 'nothing' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const applied: {
      readonly id: string;
      readonly type: string;
      readonly time: string;
      readonly revision: number;
      readonly record: { readonly id: string };
    }[] = [];
    createInterface({ input: consumer.stdout }).on('line', (line) =>
      applied.push(JSON.parse(line) as (typeof applied)[number]),
    );
    await eventually(() => expect(applied.length).toBe(3), { timeoutMs: 30_000 });
    consumer.kill('SIGKILL');
    expect(applied.filter(({ record }) => record.id === conversion)).toMatchObject([
      { type: 'conversion.created', revision: 0 },
      {
        type: 'conversion.approved',
        revision: 1,
        record: { status: 'approved', sale_amount: 250 },
      },
    ]);
    for (const { time } of applied) expect(Date.parse(time)).not.toBeNaN();
    expect(new Set(applied.map(({ id }) => id)).size).toBe(3);

    await feed.stop();
    await remove();
  });
});
