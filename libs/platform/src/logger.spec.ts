import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { logDestination, newLogger } from './logger.js';

it('never writes the fields that contain secrets', () => {
  const lines: string[] = [];
  const logger = newLogger('info', 'test', { write: (line) => void lines.push(line) });
  logger.info(
    {
      headers: { authorization: 'Bearer rk_s3cret' },
      endpoint: { secret: 'whsec_s3cret' },
      api_key: 'rk_s3cret',
      request_id: 'r1',
    },
    'request',
  );
  expect(lines.join()).not.toContain('s3cret');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'info',
    role: 'test',
    request_id: 'r1',
    msg: 'request',
  });
});

describe('the destination', () => {
  const directory = mkdtempSync(join(tmpdir(), 'refledger-logger-'));
  const file = join(directory, 'log');
  const written = (): string => readFileSync(file, 'utf8');
  const afterTheFlush = async (): Promise<void> => {
    const drained = once(destination, 'drain');
    jest.advanceTimersByTime(100);
    await drained;
  };
  let fd: number;
  let destination: ReturnType<typeof logDestination>;
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
    fd = openSync(file, 'w');
    destination = logDestination(fd);
  });
  afterEach(() => {
    jest.useRealTimers();
    closeSync(fd);
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it('batches lines written within a short time, in order, and writes later ones separately', async () => {
    for (const line of ['a\n', 'b\n']) destination.write(line);
    expect(written()).toBe('');
    await afterTheFlush();
    expect(written()).toBe('a\nb\n');
    destination.write('c\n');
    expect(written()).toBe('a\nb\n');
    await afterTheFlush();
    expect(written()).toBe('a\nb\nc\n');
  });

  it('writes many lines without waiting', async () => {
    destination.write('x'.repeat(100_000));
    await once(destination, 'drain');
    expect(written()).toBe('x'.repeat(100_000));
  });

  it('writes the waiting lines when it logs a fatal error', () => {
    const logger = newLogger('info', 'test', destination);
    logger.info('going on');
    logger.fatal('ending');
    expect(written().match(/going on|ending/g)).toEqual(['going on', 'ending']);
  });
});

const built = JSON.stringify(new URL('../dist/logger.js', `file://${__dirname}/`).href);
const logging = (ending: string): string => `
  const { newLogger } = await import(${built});
  const logger = newLogger('info', 'test');
  for (let line = 0; line < 1_000; line++) logger.info('line ' + line);
  ${ending}
`;
const inThread = (code: string): string => `
  const { Worker } = await import('node:worker_threads');
  const code = 'data:text/javascript,' + encodeURIComponent(${JSON.stringify(code)});
  new Worker(new URL(code)).on('error', () => process.exitCode = 1);
`;

it.each([
  ['a process that has nothing left to do', logging('')],
  ['a process that exits', logging('process.exit(0);')],
  ['a process that crashes', logging("throw new Error('crashed');")],
  ['a thread that has nothing left to do', inThread(logging(''))],
  ['a thread that exits', inThread(logging('process.exit(0);'))],
  ['a thread that crashes', inThread(logging("throw new Error('crashed');"))],
])('loses no line of %s', async (_which, code) => {
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code]);
  const { stderr } = await run.catch((error: { stderr: string }) => error);
  const lines = stderr.match(/(?<="msg":")line \d+/g);
  expect(lines).toEqual(Array.from({ length: 1_000 }, (_, line) => `line ${line}`));
});
