import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDirectoryLocked, openDatabase } from '@refledger/sqlite';
import {
  ApiClient,
  conversionBody,
  eventually,
  expectStatus,
  scaledTimeout,
  signatureFaults,
  ServiceProcess,
  startHookReceiver,
  startStandalone,
  subscriptionBody,
  TestAccount,
  type StandaloneService,
} from '@refledger/testing';
import { present } from '@refledger/testing/present';

const root = join(__dirname, '../../..');

const settingsFor = (directory: string): Record<string, string> => ({
  HOST: '127.0.0.1',
  PORT: '0',
  DATA_DIR: directory,
  BOOTSTRAP_API_KEY: randomBytes(24).toString('hex'),
  // a read waits until the read models are built, which may be after the start was announced
  CONSISTENCY_TIMEOUT: `${scaledTimeout(2_000)}ms`,
});

/** The process that holds a data directory. */
const holderOf = async (directory: string): Promise<number> =>
  (JSON.parse(await readFile(join(directory, 'lock.pid'), 'utf8')) as { readonly pid: number }).pid;

/** Tests what only the real process shows: its folder, its exit, its first start. */
describe('the standalone process', () => {
  let directory: string;
  const processes: ServiceProcess[] = [];
  const run = (settings: Record<string, string>, through?: readonly string[]): ServiceProcess => {
    const started = new ServiceProcess('standalone', settings, through);
    processes.push(started);
    return started;
  };
  const services: StandaloneService[] = [];
  const serve = async (env: Record<string, string> = {}): Promise<StandaloneService> => {
    const started = await startStandalone({ dataDir: directory, env });
    services.push(started);
    return started;
  };
  beforeEach(async () => void (directory = await mkdtemp(join(tmpdir(), 'refledger-'))));
  afterEach(async () => {
    for (const started of processes.splice(0)) await started.end('SIGKILL');
    for (const started of services.splice(0)) await started.kill();
    await rm(directory, { recursive: true, force: true });
  });

  it('rejects a second start on the same directory and names the process that holds it, while the first continues', async () => {
    const first = run(settingsFor(directory));
    const baseUrl = await first.address();
    const second = run(settingsFor(directory));
    expect(await second.exit()).toBeGreaterThan(0);
    expect(second.printed).toContain(String(first.pid));
    // a service that needs long to get ready says where it listens before that
    await eventually(async () => expect((await fetch(`${baseUrl}/health/ready`)).status).toBe(200));
  });

  it('ends when `npm start` is ended, which passes signals on to its shell', async () => {
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
      readonly scripts: { readonly start: string };
    };
    const shell = ['sh', '-c', scripts.start.replace(/node .*/, '"$0" "$@"')];
    const started = run(settingsFor(directory), shell);
    await started.address();
    try {
      expect(await started.end('SIGTERM')).toBe(0);
    } finally {
      if (isDirectoryLocked(directory)) process.kill(await holderOf(directory), 'SIGKILL');
    }
  });

  it('without BOOTSTRAP_API_KEY creates a key, keeps it in a file of mode 0600 and prints only its path, until it is revoked', async () => {
    const { BOOTSTRAP_API_KEY: _, ...settings } = settingsFor(directory);
    const first = run(settings);
    const baseUrl = await first.address();
    const path = join(directory, 'api-key');
    const key = (await readFile(path, 'utf8')).trim();
    expect([
      (await stat(path)).mode & 0o777,
      first.printed.includes(path),
      first.printed.includes(key),
    ]).toEqual([0o600, true, false]);
    const api = await ApiClient.connect({ baseUrl }, key);
    expect((await api.get('/v1/accounts')).status).toBe(200);
    expect(await first.end('SIGTERM')).toBe(0);
    const again = run(settings);
    const later = await ApiClient.connect({ baseUrl: await again.address() }, key);
    expect((await later.get('/v1/accounts')).status).toBe(200);
    expect((await readFile(path, 'utf8')).trim()).toBe(key);
    expect(again.printed).toContain(path);

    // the key is rotated: the file stays, but its key is of no use any longer
    const body = { name: 'operator', scope: 'operator' };
    const made = await later.post<{ api_key: string }>('/v1/api-keys', body);
    const { data } = (await later.get<{ data: { id: string; name: string }[] }>('/v1/api-keys'))
      .body;
    const { id } = data.find(({ name }) => name === 'first key') ?? { id: 'none' };
    const newer = later.withKey(expectStatus(201, made).api_key);
    expect((await newer.delete(`/v1/api-keys/${id}`)).status).toBe(204);
    expect(await again.end('SIGTERM')).toBe(0);
    const last = run(settings);
    const rotated = await ApiClient.connect({ baseUrl: await last.address() }, newer.key);
    expect((await rotated.get('/v1/accounts')).status).toBe(200);
    expect(last.printed).not.toContain(path);
  });

  it('with another BOOTSTRAP_API_KEY adds a key; a revoked one stays revoked', async () => {
    const settings = settingsFor(directory);
    const first = run(settings);
    const old = await ApiClient.connect(
      { baseUrl: await first.address() },
      settings['BOOTSTRAP_API_KEY'],
    );
    await first.end('SIGTERM');
    const second = run(settingsFor(directory));
    const still = (await ApiClient.connect({ baseUrl: await second.address() })).withKey(old.key);
    const { body } = await still.get<{ data: { id: string }[] }>('/v1/api-keys');
    expect(body.data).toHaveLength(2);
    const own = body.data.at(-1)?.id ?? '';
    expect((await still.delete(`/v1/api-keys/${own}`)).status).toBe(204);
    await second.end('SIGTERM');
    const third = run(settings);
    const revoked = (await ApiClient.connect({ baseUrl: await third.address() })).withKey(old.key);
    expect((await revoked.get('/v1/account')).status).toBe(401);
  });

  it('names every invalid setting at once, without printing a secret', async () => {
    const secret = 'c2hvcnQ=secret';
    const bad = run({
      ...settingsFor(directory),
      PORT: 'eighty',
      WEBHOOK_TIMEOUT: 'soon',
      RATE_LIMIT_PER_MINUTE: '-1',
      SECRETS_KEY: secret,
    });
    expect(await bad.exit()).toBeGreaterThan(0);
    for (const name of ['PORT', 'WEBHOOK_TIMEOUT', 'RATE_LIMIT_PER_MINUTE', 'SECRETS_KEY'])
      expect(bad.printed).toContain(name);
    expect(bad.printed).not.toContain(secret);
  });

  it('rejects unsupported combinations of engines and names the supported ones', async () => {
    const mixed = run({
      ...settingsFor(directory),
      EVENT_LOG_URL: 'sqlite:',
      READ_STORE_URL: 'mongodb://127.0.0.1:1/x',
    });
    expect(await mixed.exit()).toBeGreaterThan(0);
    expect(mixed.printed).toMatch(/support/i);
  });

  it('rejects the distributed engines, which need separate roles, and prints no password', async () => {
    const distributed = run({
      ...settingsFor(directory),
      SECRETS_KEY: randomBytes(32).toString('base64'),
      EVENT_LOG_URL: 'esdb://admin:hunter2@127.0.0.1:1',
      READ_STORE_URL: 'mongodb://admin:hunter2@127.0.0.1:1/x',
    });
    expect(await distributed.exit()).toBe(1);
    expect(distributed.printed).toMatch(
      /^Refledger could not start: [^]*EVENT_LOG_URL names EventStoreDB, but the standalone service supports only sqlite/,
    );
    expect(distributed.printed).not.toContain('hunter2');
  });

  it('ends with a clear error when its port is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    for (const name of ['PORT', 'OPS_PORT']) {
      const blocked = run({
        ...settingsFor(join(directory, 'not there yet')),
        [name]: String(port),
      });
      expect(await blocked.exit()).toBeGreaterThan(0);
      expect(blocked.printed).toContain(String(port));
      expect(existsSync(join(directory, 'not there yet'))).toBe(false);
    }
    server.close();
  });

  it.each([
    ['events', 0x524c_4533],
    ['read-models', 0x524c_5232],
    ['deliveries', 0x524c_4436],
    ['personal-keys', 0x524c_4b31],
  ])(
    'rejects a directory with a %s.db in a newer format, and says what to do',
    async (name, applicationId) => {
      const served = run(settingsFor(directory));
      await served.address();
      await served.end('SIGTERM');
      const file = join(directory, `${name}.db`);
      openDatabase(file, {
        format: { name, applicationId, migrations: Array.from({ length: 50 }, () => 'SELECT 1') },
        synchronous: 'full',
      }).close();
      const newer = run(settingsFor(directory));
      expect(await newer.exit()).toBe(1);
      expect(newer.printed).toContain(`${name}.db: `);
      expect(newer.printed).toMatch(
        /was written by a newer release \(version 50; this release knows \d\)\. Start that release/,
      );
    },
  );

  it('rejects a directory in a format from before the first release, and says what to do', async () => {
    openDatabase(join(directory, 'events.db'), {
      format: { name: 'event log', applicationId: 0x524c_4556, migrations: ['SELECT 1'] },
      synchronous: 'full',
    }).close();
    const earlier = run(settingsFor(directory));
    expect(await earlier.exit()).toBe(1);
    expect(earlier.printed).toMatch(
      /events\.db: this event log has an earlier format, .* Start with an empty directory/,
    );
  });

  it('finishes requests in flight on SIGTERM and exits with 0', async () => {
    const service = await serve({ RATE_LIMIT_PER_MINUTE: '0' });
    const account = await TestAccount.open(service);
    const { id } = await account.affiliate();
    let acknowledged = 0;
    const refused: unknown[] = [];
    const writers = Array.from({ length: 8 }, async () => {
      for (;;) {
        const response = await account.api
          .post('/v1/conversions', conversionBody(id))
          .catch((error: unknown) => void refused.push(error));
        if (response?.status !== 201) return;
        acknowledged++;
      }
    });
    while (acknowledged < 200) await new Promise((resolve) => setImmediate(resolve));
    await service.restart('SIGTERM');
    await Promise.all(writers);
    expect(await account.all('/v1/conversions')).toHaveLength(acknowledged);
    // A request that came too late may find the connection closed, but every response must be
    // complete.
    expect(
      refused.filter(
        (error) =>
          !/ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET/.test(String((error as { code?: string }).code)),
      ),
    ).toEqual([]);
    await service.stop();
  });

  it('exits immediately even if clients hold connections open, idle or with half a request', async () => {
    const first = run(settingsFor(directory));
    const { port } = new URL(await first.address());
    const clients = await Promise.all(
      ['', 'POST /v1/conversions HT'].map(async (sent) => {
        const client = connect(Number(port), '127.0.0.1').on('error', () => undefined);
        await once(client, 'connect');
        client.write(sent);
        return client.resume();
      }),
    );
    const ended = Promise.all(
      clients.map((client) => new Promise((resolve) => client.once('close', resolve))),
    );
    expect(await first.end('SIGTERM')).toBe(0);
    await ended;
  });

  it('sends nothing with a key that did not seal the webhook secrets, reports it, and continues with a new secret, while whatever needs no personal data works', async () => {
    const receiver = await startHookReceiver();
    const service = await serve();
    const account = await TestAccount.open(service);
    const { id } = await account.affiliate();
    await account.subscribe(receiver.url('/'), ['conversion.created'], {
      secret: 'a secret of the client',
    });
    await writeFile(join(directory, 'secrets.key'), randomBytes(32).toString('base64'));
    await service.restart();

    await eventually(async () => {
      const { parts } = (await (await fetch(`${service.opsUrl}/health/ready`)).json()) as {
        parts: { part: string; ready: boolean; detail: string }[];
      };
      expect(parts.find(({ part }) => part === 'webhook-dispatcher')).toMatchObject({
        ready: false,
        detail: expect.stringContaining('SECRETS_KEY lacks the key that seals') as string,
      });
    });
    expectStatus(201, await account.api.post('/v1/conversions', conversionBody(id)));
    expect(receiver.hooks('/')).toHaveLength(0);
    const sealed = await account.api.get(`/v1/affiliates/${id}`);
    expect([sealed.status, sealed.body]).toMatchObject([
      503,
      {
        code: 'unavailable',
        detail: expect.stringContaining('SECRETS_KEY lacks its key') as string,
      },
    ]);

    const secret = 'another secret of the client';
    expect(
      (
        await account.api.post(
          '/v1/webhooks/subscribe',
          subscriptionBody(receiver.url('/'), ['conversion.created'], { secret }),
        )
      ).status,
    ).toBe(200);
    const [hook] = await receiver.waitFor('/', 1);
    expect(signatureFaults(present(hook), secret)).toEqual([]);
    await receiver.close();
  });

  it('never shows records that a restored older log lacks, even if the read models have them', async () => {
    const service = await serve();
    const account = await TestAccount.open(service);
    const kept = await account.affiliate();
    await service.stop();
    const older = await readFile(join(directory, 'events.db'));
    const later = new ServiceProcess('standalone', {
      ...settingsFor(directory),
      PORT: new URL(service.baseUrl).port,
    });
    processes.push(later);
    await later.address();
    await account.affiliate();
    expect(await account.all('/v1/affiliates')).toHaveLength(2);
    await later.end('SIGTERM');
    for (const suffix of ['-wal', '-shm'])
      await rm(join(directory, `events.db${suffix}`), { force: true });
    await writeFile(join(directory, 'events.db'), older);
    const restored = new ServiceProcess('standalone', {
      ...settingsFor(directory),
      PORT: new URL(service.baseUrl).port,
    });
    processes.push(restored);
    await restored.address();
    // Reads are rejected with 503 while the read models are rebuilt. The first response then has
    // exactly the log's contents.
    const first = await eventually(async () =>
      expectStatus(200, await account.api.get<{ data: { id: string }[] }>('/v1/affiliates')),
    );
    expect(first.data.map(({ id }) => id)).toEqual([kept.id]);
  });

  it('refuses to start a new log beside stores that were built from another', async () => {
    const service = await serve();
    await service.kill();
    for (const suffix of ['', '-wal', '-shm'])
      await rm(join(directory, `events.db${suffix}`), { force: true });
    const again = run(settingsFor(directory));
    expect(await again.exit()).toBeGreaterThan(0);
    expect(again.printed).toMatch(
      /^Refledger could not start: \S+events\.db contains no event log, but read-models\.db, deliveries\.db and personal-keys\.db beside it came from one\. [^\n]+\n$/,
    );
    for (const store of ['read-models.db', 'deliveries.db', 'personal-keys.db'])
      for (const suffix of ['', '-wal', '-shm'])
        await rm(join(directory, store + suffix), { force: true });
    await run(settingsFor(directory)).address();
  });

  it('keeps no readable secret in its directory, and its files private', async () => {
    const service = await serve();
    const account = await TestAccount.open(service);
    const writer = await account.withScope('write');
    const endpoint = await account.subscribe('http://example.com/hook', ['conversion.created']);
    await service.stop();
    for (const entry of await readdir(directory, { withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const content = await readFile(join(directory, entry.name));
      for (const secret of [
        service.adminKey,
        account.api.key,
        writer.key,
        endpoint.secret,
        endpoint.secret.slice(6),
      ])
        expect([entry.name, content.includes(secret ?? '?')]).toEqual([entry.name, false]);
    }
    for (const name of await readdir(directory))
      expect([name, (await stat(join(directory, name))).mode & 0o077]).toEqual([name, 0]);
  });
});
