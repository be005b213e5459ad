import { randomBytes } from 'node:crypto';
import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  conversionBody,
  eventually,
  ServiceProcess,
  startStandalone,
  TestAccount,
  type StandaloneService,
} from '@refledger/testing';
import { openUnchanged } from './open-unchanged.js';

const damages = {
  'random bytes': (file: string) => writeFileSync(file, randomBytes(20_000)),
  'half a file': (file: string) => truncateSync(file, Math.floor(statSync(file).size / 2)),
};
type Damage = keyof typeof damages;
const ofAllKinds = Object.keys(damages) as Damage[];

/** Each file of a data directory, damaged while no service ran: what docs/operations.md says. */
describe('a data directory with a damaged file', () => {
  let directory: string;
  let adminKey: string;
  let copies = 0;
  let service: StandaloneService | undefined;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'refledger-damaged-'));
    const original = await startStandalone({ dataDir: join(directory, 'original') });
    adminKey = original.adminKey;
    const account = await TestAccount.open(original);
    await account.subscribe('http://127.0.0.1:9/', ['conversion.created']);
    const { id } = await account.affiliate();
    for (let n = 0; n < 20; n++) await account.api.post('/v1/conversions', conversionBody(id));
    await original.caughtUp();
    await original.stop();
    // otherwise everything may still be in the write-ahead log, and the file is not read
    for (const name of ['read-models.db', 'personal-keys.db'] as const) {
      const db = openUnchanged(join(directory, 'original'), name);
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      db.close();
    }
  });
  afterEach(async () => {
    await service?.kill();
    service = undefined;
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  /** A copy of the folder with one file damaged. */
  const damaged = (name: string, damage: Damage): string => {
    const copy = join(directory, `copy-${++copies}`);
    cpSync(join(directory, 'original'), copy, { recursive: true });
    damages[damage](join(copy, name));
    return copy;
  };
  const start = async (dataDir: string): Promise<StandaloneService> =>
    (service = await startStandalone({ dataDir, env: { BOOTSTRAP_API_KEY: adminKey } }));

  const refusedFiles = [
    { name: 'events.db', advice: 'Restore the data directory from a backup' },
    {
      name: 'personal-keys.db',
      advice: 'Stop the service and restore this file from the latest backup',
    },
    { name: 'read-models.db', advice: 'Stop the service, delete this file with its -wal and -shm' },
    { name: 'personal-keys.db', advice: 'Stop the service and restore this file' },
  ];
  it.each(refusedFiles.flatMap((file) => ofAllKinds.map((damage) => ({ ...file, damage }))))(
    '$name, $damage: does not start, and says what to do',
    async ({ name, advice, damage }) => {
      const refused = new ServiceProcess('standalone', {
        PORT: '0',
        DATA_DIR: damaged(name, damage),
        BOOTSTRAP_API_KEY: adminKey,
      });
      expect(await refused.exit()).toBe(1);
      const [, reason] = /^Refledger could not start: (.*)$/m.exec(refused.printed) ?? [];
      expect(reason).toContain(`${name}: this `);
      expect(reason).toContain(`. ${advice}`);
    },
  );

  it.each(ofAllKinds)(
    'deliveries.db, %s: only the webhook-dispatcher stops, and the damaged file is kept',
    async (damage) => {
      const copy = damaged('deliveries.db', damage);
      const kept = readFileSync(join(copy, 'deliveries.db'));
      const started = await start(copy);
      const account = await TestAccount.open(started);
      await account.affiliate();
      await eventually(async () =>
        expect(await readiness(started)).toEqual([
          expect.stringMatching(
            /^webhook-dispatcher stopped: .*deliveries\.db: .* move this file .*ops resume webhook-dispatcher --from start\|head\|<position>$/,
          ),
        ]),
      );
      expect(await (await fetch(`${started.opsUrl}/metrics`)).text()).toContain(
        'refledger_processor_stopped{processor="webhook-dispatcher"} 1\n',
      );
      await started.kill();
      expect(readFileSync(join(copy, 'deliveries.db')).equals(kept)).toBe(true);

      for (const suffix of ['', '-wal', '-shm'])
        rmSync(join(copy, `deliveries.db${suffix}`), { force: true });
      await started.start();
      await eventually(async () =>
        expect(await readiness(started)).toEqual([
          expect.stringMatching(/^webhook-dispatcher stopped: the log names delivery store/),
        ]),
      );
    },
  );
});

/** The parts that are not ready, with their details. */
const readiness = async ({ opsUrl }: StandaloneService): Promise<readonly string[]> => {
  const { parts } = (await (await fetch(`${opsUrl}/health/ready`)).json()) as {
    parts: { part: string; ready: boolean; detail: string }[];
  };
  return parts.flatMap(({ part, ready, detail }) => (ready ? [] : [`${part} ${detail}`]));
};
