import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  affiliateBody,
  eventually,
  expectStatus,
  ServiceProcess,
  startStandalone,
  TestAccount,
  type StandaloneService,
} from '@refledger/testing';

/** The file with the keys of personal data, in the data directory of a standalone service. */
describe('personal-keys.db', () => {
  let directory: string;
  let service: StandaloneService;
  let account: TestAccount;
  const others: StandaloneService[] = [];
  const start = async (name: string, through: readonly string[] = []) => {
    const started = await startStandalone({ dataDir: join(directory, name), through });
    others.push(started);
    return started;
  };
  const file = () => join(service.dataDir, 'personal-keys.db');
  const email = 'grace.hopper@sealed.example';
  let affiliate: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'refledger-keys-'));
    service = await start('own', ['sh', '-c', 'umask 000; exec "$0" "$@"']);
    account = await TestAccount.open(service);
    const { id } = expectStatus(
      201,
      await account.api.post<{ id: string }>('/v1/affiliates', affiliateBody({ email })),
    );
    affiliate = id;
  });
  afterEach(async () => {
    for (const each of others.splice(0)) await each.kill();
    await rm(directory, { recursive: true, force: true });
  });

  /** Moves the file with its write-ahead log out of the way. */
  const moveAway = (): string => {
    const kept = join(directory, 'kept');
    for (const name of namesOfKeys(service.dataDir)) {
      cpSync(join(service.dataDir, name), join(kept, name));
      rmSync(join(service.dataDir, name));
    }
    return kept;
  };
  const putBack = (from: string): void => {
    for (const name of namesOfKeys(service.dataDir)) rmSync(join(service.dataDir, name));
    for (const name of namesOfKeys(from)) cpSync(join(from, name), join(service.dataDir, name));
  };
  /** What the service prints when it does not start. */
  const refusal = async (): Promise<string> => {
    const refused = new ServiceProcess('standalone', {
      PORT: '0',
      DATA_DIR: service.dataDir,
      BOOTSTRAP_API_KEY: service.adminKey,
    });
    expect(await refused.exit()).toBe(1);
    return refused.printed;
  };
  const shownEmail = async (): Promise<string> => {
    const path = `/v1/affiliates/${affiliate}`;
    return expectStatus(200, await account.api.get<{ email: string }>(path)).email;
  };

  it('is created with mode 0600, whatever the umask is', () => {
    for (const name of namesOfKeys(service.dataDir))
      expect([name, statSync(join(service.dataDir, name)).mode & 0o777]).toEqual([name, 0o600]);
    expect(existsSync(file())).toBe(true);
  });

  it('is needed to read an email, which is nowhere in the directory', async () => {
    await service.caughtUp();
    expect(await shownEmail()).toBe(email);
    await service.stop();
    const found = readdirSync(service.dataDir, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .filter(({ name }) =>
        /grace\.hopper/i.test(readFileSync(join(service.dataDir, name), 'latin1')),
      );
    expect(found).toEqual([]);
  });

  it('that is missing or empty keeps the service from starting, which names the file and creates no other', async () => {
    await service.stop();
    const kept = moveAway();
    for (const attempt of ['first', 'second']) {
      const printed = await refusal();
      expect([attempt, printed]).toEqual([
        attempt,
        expect.stringMatching(/^Refledger could not start: .*Restore the key store .*\n$/),
      ]);
      expect(printed).toContain(`but ${file()} has none`);
      expect(existsSync(file())).toBe(false);
    }
    writeFileSync(file(), '');
    expect(await refusal()).toMatch(/^Refledger could not start: .*Restore the key store .*\n$/);
    putBack(kept);
    await service.start();
    expect(await shownEmail()).toBe(email);
  });

  it('cannot do without secrets.key, which the service does not replace', async () => {
    await service.stop();
    const key = join(service.dataDir, 'secrets.key');
    const kept = readFileSync(key);
    rmSync(key);
    expect(await refusal()).toContain(`${key} is missing, but it sealed personal-keys.db`);
    expect(existsSync(key)).toBe(false);
    writeFileSync(key, kept, { mode: 0o600 });
    await service.start();
    expect(await shownEmail()).toBe(email);
  });

  it('of another directory keeps the service from starting, which names the file and changes nothing', async () => {
    const other = await start('other');
    await service.stop();
    await other.stop();
    const kept = moveAway();
    putBack(other.dataDir);
    const foreign = readFileSync(file());
    const printed = await refusal();
    expect(printed).toMatch(/^Refledger could not start: .*Restore the key store .*\n$/);
    expect(printed).toMatch(
      new RegExp(`names the key store [\\w-]+, but ${file()} has [\\w-]+\\.`),
    );
    expect(readFileSync(file()).equals(foreign)).toBe(true);
    putBack(kept);
    await service.start();
    await eventually(async () => expect(await shownEmail()).toBe(email));
  });
});

const namesOfKeys = (directory: string): readonly string[] =>
  readdirSync(directory).filter((name) => name.startsWith('personal-keys.db'));
