import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataDirectory } from '@refledger/engines';
import {
  ApiClient,
  conversionBody,
  startHookReceiver,
  startStandalone,
  TestAccount,
  type Conversion,
  type HookReceiver,
} from '@refledger/testing';
import { jsonLines, ops, OpsProcess, type ProcessResult } from './ops-process.js';

const preload = join(__dirname, 'kill-at-step.cjs');
const killedIn = (
  directory: string,
  step: number,
  counter?: string,
): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--require ${preload}`,
  KILL_IN: directory,
  KILL_STEP: String(step),
  ...(counter !== undefined && { KILL_COUNT: counter }),
});

let scratch: string;
let original: string;
let receiver: HookReceiver;
let key: string;
let adminKey: string;
let sale: string;
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'refledger-killed-'));
  original = join(scratch, 'original');
  receiver = await startHookReceiver();
  const service = await startStandalone({ dataDir: original });
  ({ adminKey } = service);
  const account = await TestAccount.open(service);
  key = account.api.key ?? '';
  await account.subscribe(receiver.url('/hooks'), ['conversion.*']);
  const { id: affiliate } = await account.affiliate();
  const { body } = await account.api.post<Conversion>('/v1/conversions', conversionBody(affiliate));
  sale = body.id;
  await receiver.waitFor('/hooks', 1);
  await service.stop();
  expect(await ops(original, 'backup', join(scratch, 'backup'))).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await receiver.close();
  rmSync(scratch, { recursive: true });
});

/** Runs a command until each of its steps in turn, in a new directory each time. */
const killAtEachStep = async (
  folderOf: (step: number) => string,
  command: (directory: string, env: Readonly<Record<string, string>>) => Promise<ProcessResult>,
  check: (directory: string) => Promise<void>,
): Promise<number> => {
  const counter = join(scratch, 'steps');
  const whole = await command(folderOf(0), killedIn(folderOf(0), 0, counter));
  expect(whole).toMatchObject({ code: 0, err: '' });
  const steps = Number(readFileSync(counter, 'utf8'));
  for (let step = 1; step <= steps; step++) {
    const directory = folderOf(step);
    expect(await command(directory, killedIn(directory, step))).toMatchObject({ code: null });
    await check(directory);
  }
  return steps;
};

const restorations = async (directory: string): Promise<number> =>
  jsonLines(await ops(directory, 'tail', '--json', '--from', '1')).filter(
    ({ type }) => type === 'log.restored',
  ).length;

it('a killed backup leaves no log without a marker, and none that can be restored', async () => {
  const steps = await killAtEachStep(
    (step) => join(scratch, 'backups', String(step)),
    (directory, env) => new OpsProcess(original, ['backup', directory], env).end(),
    async (directory) => {
      const files = existsSync(directory) ? readdirSync(directory) : [];
      if (!files.some((name) => name.endsWith('.db'))) return;
      expect(files).toContain('backup.json');
      const isComplete = !readFileSync(join(directory, 'backup.json'), 'utf8').includes('null');
      // only the directory's own sync comes after the complete marker
      if (!isComplete) expect(await ops(directory, 'restored')).toMatchObject({ code: 3 });
    },
  );
  expect(steps).toBeGreaterThan(10);
});

it('a backup that is killed while it removes a failed copy removes the marker last', async () => {
  const broken = join(scratch, 'broken');
  cpSync(original, broken, { recursive: true });
  // fails after the databases are copied
  rmSync(join(broken, 'secrets.key'));
  mkdirSync(join(broken, 'secrets.key'));
  const counter = join(scratch, 'failed-steps');
  const whole = join(scratch, 'failed', '0');
  const failed = await new OpsProcess(broken, ['backup', whole], killedIn(whole, 0, counter)).end();
  expect(failed).toMatchObject({ code: 3 });
  const steps = Number(readFileSync(counter, 'utf8'));
  for (let step = steps - 7; step <= steps; step++) {
    const directory = join(scratch, 'failed', String(step));
    await new OpsProcess(broken, ['backup', directory], killedIn(directory, step)).end();
    const files = existsSync(directory) ? readdirSync(directory) : [];
    if (files.some((name) => name.endsWith('.db'))) expect(files).toContain('backup.json');
  }
});

it('killed, ops restored either leaves the marker or has recorded the restoration, and can be repeated', async () => {
  const backup = join(scratch, 'backup');
  const steps = await killAtEachStep(
    (step) => {
      const directory = join(scratch, `restored-${step}`);
      if (!existsSync(directory)) cpSync(backup, directory, { recursive: true });
      return directory;
    },
    (directory, env) => new OpsProcess(directory, ['restored'], env).end(),
    async (directory) => {
      expect(
        existsSync(dataDirectory(directory).backup) || (await restorations(directory)) === 1,
      ).toBe(true);
      expect(await ops(directory, 'restored')).toMatchObject({ code: 0, err: '' });
      expect(existsSync(dataDirectory(directory).backup)).toBe(false);
      expect(await restorations(directory)).toBe(1);
    },
  );
  expect(steps).toBeGreaterThan(1);
});

// 1: the event is recorded; 2: the marker is removed, too; 3: its removal is synced
it.each([1, 2, 3])(
  'a service that is killed before step %i of ops restored sends once its directory is no backup',
  async (step) => {
    const directory = join(scratch, `served-${step}`);
    cpSync(join(scratch, 'backup'), directory, { recursive: true });
    const env = { BOOTSTRAP_API_KEY: adminKey };
    const killing = { ...killedIn(dataDirectory(directory).backup, step), KILL_SYNC: directory };
    let service = await startStandalone({ dataDir: directory, env: { ...env, ...killing } });
    try {
      const before = receiver.hooks('/hooks').length;
      const api = await ApiClient.connect(service, key);
      await api.patch(`/v1/conversions/${sale}`, { metadata: { step: String(step) } });
      await service.caughtUp();
      expect(receiver.hooks('/hooks')).toHaveLength(before);
      expect(await ops(directory, 'restored')).toMatchObject({ code: 3 });
      await service.kill();
      const isMarked = existsSync(dataDirectory(directory).backup);
      expect([isMarked, await restorations(directory)]).toEqual([step === 1, 1]);

      service = await startStandalone({ dataDir: directory, env });
      if (isMarked) {
        await service.caughtUp();
        expect(receiver.hooks('/hooks')).toHaveLength(before);
        expect(await ops(directory, 'restored')).toMatchObject({ code: 0, err: '' });
      }
      await receiver.waitFor('/hooks', before + 1);
      expect(await restorations(directory)).toBe(1);
    } finally {
      await service.stop();
    }
  },
);
