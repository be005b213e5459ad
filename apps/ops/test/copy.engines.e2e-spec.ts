import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataDirectory, embeddedUrls } from '@refledger/engines';
import {
  ApiClient,
  eventually,
  expectStatus,
  ServiceProcess,
  startHookReceiver,
  startStandalone,
  startTogether,
  TestAccount,
  type Conversion,
  type Endpoint,
  type HookReceiver,
  type StandaloneService,
} from '@refledger/testing';
import { present } from '@refledger/testing/present';
import {
  databaseUrl,
  describeWithServers,
  nameOf,
  startEventStoreDb,
  type TestServer,
} from '@refledger/testing/servers';
import { openKeyStore } from '@refledger/key-store';
import { openDeliveryStore } from '@refledger/delivery-store';
import { expectSame } from './copied-figures.js';
import { ops, OpsProcess, withoutProgress } from './ops-process.js';
import { recordForeignEvent, recordSkippedEvent } from './recorded-events.js';
import { startServices } from './services-over-log.js';
import { keyRowsOf } from './stored-keys.js';
import { comparable, countsOf, deliveriesOf, healthOf } from './stored-deliveries.js';

const containing = (text: string) => expect.stringContaining(text) as string;
const settings = {
  // long enough that no delivery fails permanently before the copy, even on a busy machine
  WEBHOOK_RETRY_SCHEDULE: ['1s', ...Array.from({ length: 60 }, () => '5s')].join(','),
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'loopback',
  RATE_LIMIT_PER_MINUTE: '0',
  BOOTSTRAP_API_KEY: randomBytes(24).toString('hex'),
};

describeWithServers(['MongoDB'], 'ops copy', (available) => {
  let receiver: HookReceiver;
  let source: StandaloneService;
  let account: TestAccount;
  let path: string;
  let secretsKey: string;
  let scratch: string;

  beforeAll(async () => {
    path = mkdtempSync(join(tmpdir(), 'refledger-copy-'));
    scratch = mkdtempSync(join(tmpdir(), 'refledger-copy-tmp-'));
    receiver = await startHookReceiver();
    source = await startStandalone({ dataDir: path, env: settings });
    account = await TestAccount.open(source);
    secretsKey = readFileSync(dataDirectory(path).secretsKey, 'utf8').trim();
  });
  afterAll(async () => {
    await source.kill();
    await receiver.close();
    for (const directory of [path, scratch]) rmSync(directory, { recursive: true, force: true });
  });

  const copyTo = (
    target: Target,
    {
      args = [],
      key = secretsKey,
      env = {},
    }: { args?: readonly string[]; key?: string; env?: Readonly<Record<string, string>> } = {},
  ): OpsProcess =>
    new OpsProcess(scratch, ['copy', '--from', path, ...args], {
      EVENT_LOG_URL: target.log,
      READ_STORE_URL: target.store,
      ...(key !== '' && { SECRETS_KEY: key }),
      ...env,
    });
  /** Kills a copy once it has marked the directory, before its `message`th message to the log. */
  const kill = async (target: Target, message: number): Promise<void> => {
    const env = {
      NODE_OPTIONS: `--require ${join(__dirname, 'kill-while-copying.cjs')}`,
      KILL_AFTER: dataDirectory(path).moved,
      KILL_MESSAGE: String(message),
    };
    expect(await copyTo(target, { env }).end()).toMatchObject({ code: null });
    expect(readFileSync(dataDirectory(path).moved, 'utf8')).toContain('"moving"');
  };

  interface Target {
    readonly log: string;
    readonly store: string;
  }
  const servers: TestServer[] = [];
  const newTarget = async (): Promise<Target> => {
    const [log, mongodb] = await startTogether(startEventStoreDb(), available.start('MongoDB'));
    process.stderr.write(`ops copy goes to ${nameOf(log)} and ${nameOf(mongodb)}\n`);
    servers.push(log, mongodb);
    return { log: log.url, store: databaseUrl(mongodb.url, `copy-${randomUUID()}`) };
  };
  afterAll(async () => void (await Promise.all(servers.map((server) => server.stop()))));

  const startOfSource = async (): Promise<string> => {
    const started = new ServiceProcess('standalone', {
      ...settings,
      DATA_DIR: path,
      HOST: '127.0.0.1',
      PORT: '0',
    });
    expect(await started.exit()).toBe(1);
    return started.printed;
  };

  it('rejects a target that is already in use, and can be canceled', async () => {
    // Given a directory that no process holds once its service has stopped.
    await account.affiliate();
    const target = await newTarget();
    expect(await copyTo(target).end()).toMatchObject({
      code: 3,
      err: containing('is in use by process'),
    });
    await source.kill();

    // When a service has written to the target's log, or has opened its database, then nothing is
    // copied or marked.
    const written = await newTarget();
    await recordForeignEvent(written.log, path);
    expect(await copyTo(written).end()).toMatchObject({
      code: 2,
      err: containing('the target holds data that is not from the source: account.created in'),
    });
    await (await openDeliveryStore(written.store, { dataDir: path })).close();
    expect(await copyTo({ log: target.log, store: written.store }).end()).toMatchObject({
      code: 2,
      err: containing('a webhook-dispatcher was started on it'),
    });
    const keys = target.store.replace('copy-', 'keys-');
    await (await openKeyStore(keys, { dataDir: path, create: true })).close();
    const { err } = await copyTo(target, { args: ['--key-store', keys] }).end();
    expect(err).toContain('a gateway was started on it');
    expect(existsSync(dataDirectory(path).moved)).toBe(false);

    // When a copy that has started is canceled, then the service starts again.
    await kill(target, 1);
    expect(await copyTo(target, { args: ['--cancel'] }).end()).toMatchObject({
      code: 0,
      out: containing('can start on'),
    });
    expect(await copyTo(target, { args: ['--cancel'] }).end()).toMatchObject({
      code: 2,
      err: containing('is not being copied'),
    });
    await source.start();
    expect(await account.all('/v1/affiliates')).toHaveLength(1);
  });

  // endpoints that accept everything, have failed so far, never respond, or are gone
  const [good, flaky, hanging, gone] = [`/good`, `/flaky`, `/hanging`, `/gone`];
  let moved = false;
  const fillSource = async () => {
    receiver.script(flaky, () => ({ status: moved ? 200 : 500 }));
    receiver.script(hanging, () => (moved ? { status: 200 } : 'never'));
    receiver.script(gone, () => ({ status: 410 }));
    for (const at of [good, flaky, hanging])
      await account.subscribe(receiver.url(at), ['conversion.created']);
    const disabled = await account.subscribe(receiver.url(gone), ['conversion.created']);
    const affiliate = await account.affiliate();
    const sales: Conversion[] = [];
    for (let n = 0; n < 6; n++)
      sales.push(await account.conversion(affiliate.id, { external_transaction_id: `sale-${n}` }));
    await account.update(present(sales[0]), { status: 'approved' });
    await receiver.waitFor(good, 6);
    await receiver.waitFor(flaky, 12);
    await receiver.waitFor(hanging, 2);
    await eventually(async () =>
      expect(
        (await account.all<Endpoint>('/v1/webhooks')).find(({ id }) => id === disabled.id)?.status,
      ).toBe('disabled'),
    );
    const before = {
      lists: await lists(account),
      stats: (await account.api.get<object>(`/v1/affiliates/${affiliate.id}/stats`)).body,
    };
    return { affiliate, sales, before };
  };
  type Filled = Awaited<ReturnType<typeof fillSource>>;

  const lookAtSource = async () => {
    const openSource = () => openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, { dataDir: path });
    const deliveries = await deliveriesOf(await openSource());
    const health = await healthOf(await openSource());
    expect(health.length).toBeGreaterThan(0);
    const verified = withoutProgress(await ops(path, 'verify', '--webhooks'));
    expect(verified).toMatchObject({ code: 0, err: '' });
    return { deliveries, health, verified };
  };
  type Looked = Awaited<ReturnType<typeof lookAtSource>>;

  const refusesWrongKeys = async (target: Target): Promise<void> => {
    expect(await copyTo(target, { key: '' }).end()).toMatchObject({
      code: 2,
      err: containing(`SECRETS_KEY is not set`),
    });
    expect(await copyTo(target, { key: randomBytes(32).toString('base64') }).end()).toMatchObject({
      code: 2,
      err: containing('SECRETS_KEY does not open the webhook secrets of 4 endpoints'),
    });
    expect(existsSync(dataDirectory(path).moved)).toBe(false);
  };

  /** No service starts on the directory, and nothing can be decided in it. */
  const isLocked = async (): Promise<void> => {
    expect(await startOfSource()).toMatch(/is being copied to EventStoreDB at .*--cancel/);
    expect(
      await new OpsProcess(path, ['resume', 'projector', '--from', 'head']).end(),
    ).toMatchObject({ code: 3, err: containing('is being copied') });
    const elsewhere = await newTarget();
    expect(await copyTo(elsewhere).end()).toMatchObject({
      code: 2,
      err: containing('which is not this target'),
    });
  };

  const copies = async (target: Target, source: Looked): Promise<void> => {
    const ended = await copyTo(target).end();
    expect(ended).toMatchObject({ code: 0, out: containing('has been moved') });
    expectSame(ended, 'events');
    expectSame(ended, 'deliveries');
    expectSame(ended, 'keys');
    expect(await keyRowsOf(target.store, path)).toEqual(
      await keyRowsOf(embeddedUrls.KEY_STORE_URL, path),
    );
    expect(ended.out + ended.err).not.toContain(secretsKey);
    const atTarget = await deliveriesOf(await openDeliveryStore(target.store, { dataDir: path }));
    expect(atTarget.map(comparable)).toEqual(source.deliveries.map(comparable));
    expect(await healthOf(await openDeliveryStore(target.store, { dataDir: path }))).toEqual(
      source.health,
    );
    expect(atTarget.map(({ decidedAt }) => decidedAt)).toEqual(
      atTarget.map(({ position }) => position),
    );
    const urls = { EVENT_LOG_URL: target.log, READ_STORE_URL: target.store };
    const again = await new OpsProcess(scratch, ['verify', '--webhooks'], urls).end();
    expect(again).toMatchObject({
      code: 0,
      out: containing(source.verified.out.replace(/ \(.*/s, ' (')),
    });
    expect(await startOfSource()).toContain('was moved to EventStoreDB at');
    expect(await copyTo(target).end()).toMatchObject({
      code: 2,
      err: containing('nothing left to do'),
    });
    expect(await copyTo(target, { args: ['--cancel'] }).end()).toMatchObject({
      code: 2,
      err: containing('would send webhooks twice'),
    });
  };

  const sendsWaiting = async (
    target: Target,
    source: Looked,
    sentBefore: ReadonlyMap<string, number>,
  ): Promise<void> => {
    await receiver.waitFor(flaky, present(sentBefore.get(flaky)) + 6, 30_000);
    await receiver.waitFor(hanging, present(sentBefore.get(hanging)) + 6, 30_000);
    await eventually(
      async () =>
        expect(
          countsOf(await deliveriesOf(await openDeliveryStore(target.store, { dataDir: path }))),
        ).toMatchObject({ waiting: 0, sending: 0 }),
      { timeoutMs: 30_000 },
    );
    for (const at of [flaky, hanging]) {
      const sent = receiver.hooks(at).map(({ headers, bytes }) => ({
        id: headers['x-service-delivery'],
        body: bytes.toString(),
      }));
      expect(new Set(sent.map(({ id }) => id)).size).toBe(6);
      expect(new Set(sent.map(({ id, body }) => `${String(id)} ${body}`)).size).toBe(6);
    }
    const after = await deliveriesOf(await openDeliveryStore(target.store, { dataDir: path }));
    for (const delivery of after) {
      const earlier = present(source.deliveries.find(({ id }) => id === delivery.id));
      expect(delivery.attempts.map(({ number }) => number)).toEqual(
        delivery.attempts.map((_, index) => index + 1),
      );
      expect(delivery.attempts).toHaveLength(
        earlier.attempts.length + (earlier.finishedAt === null ? 1 : 0),
      );
    }
  };

  const sendsNew = async (
    api: ApiClient,
    { affiliate, sales }: Filled,
    sentBefore: ReadonlyMap<string, number>,
  ): Promise<void> => {
    const sale = expectStatus(
      201,
      await api.post<Conversion>('/v1/conversions', {
        affiliate_id: affiliate.id,
        sale_amount: 100,
        sale_currency: 'USD',
      }),
    );
    for (const at of [good, flaky, hanging])
      await receiver.waitFor(
        at,
        (hooks) => hooks.some(({ envelope }) => envelope.data.id === sale.id),
        20_000,
      );
    expect(receiver.hooks(good)).toHaveLength(present(sentBefore.get(good)) + 1);
    expect(receiver.hooks(flaky)).toHaveLength(present(sentBefore.get(flaky)) + 7);
    expect(receiver.hooks(hanging)).toHaveLength(present(sentBefore.get(hanging)) + 7);
    expect(receiver.hooks(gone)).toHaveLength(present(sentBefore.get(gone)));
    expect(
      expectStatus(
        200,
        await api.post('/v1/conversions', {
          affiliate_id: affiliate.id,
          sale_amount: 4_950,
          sale_currency: 'USD',
          external_transaction_id: 'sale-3',
        }),
      ),
    ).toEqual(sales[3]);
  };

  it('moves a directory with its waiting deliveries', async () => {
    // Given endpoints with waiting deliveries, and an event that cannot be read, which an operator
    // decided to skip.
    const filled = await fillSource();
    await source.kill();
    await recordSkippedEvent(path);
    const looked = await lookAtSource();

    // When the copy is refused for a valid reason, then nothing is marked.
    const target = await newTarget();
    await refusesWrongKeys(target);

    // When it is killed in the middle, then the service does not start, and nothing can be decided
    // in the directory.
    await kill(target, 10);
    await isLocked();

    // When it is run again, then both sides are the same,
    await copies(target, looked);

    // and the services continue with the copy.
    const sentBefore = new Map(
      [good, flaky, hanging, gone].map((at) => [at, receiver.hooks(at).length]),
    );
    moved = true;
    const services = await startServices({
      ...settings,
      EVENT_LOG_URL: target.log,
      READ_STORE_URL: target.store,
      SECRETS_KEY: secretsKey,
    });
    try {
      const there = { api: await ApiClient.connect(services, account.api.key) };
      await eventually(async () => expect(await lists(there)).toEqual(filled.before.lists), {
        timeoutMs: 30_000,
      });
      await eventually(async () =>
        expect(
          (await there.api.get<object>(`/v1/affiliates/${filled.affiliate.id}/stats`)).body,
        ).toEqual({
          ...filled.before.stats,
          position: expect.any(String) as string,
        }),
      );

      // Waiting deliveries are sent with the same bytes and their next attempt's number.
      await sendsWaiting(target, looked, sentBefore);

      // A new event is sent once, to the endpoints that subscribe to it. Deliveries sent before are
      // not sent again.
      await sendsNew(there.api, filled, sentBefore);
    } finally {
      await services.stop();
    }
  });
});

const lists = async ({ api }: Pick<TestAccount, 'api'>): Promise<readonly unknown[]> => {
  const bodies: unknown[] = [];
  for (const records of ['conversions', 'affiliates', 'webhooks'])
    bodies.push(
      expectStatus(200, await api.get<object>(`/v1/${records}`, { query: { limit: 100 } })),
    );
  // a series of failed attempts ends with the first success
  return JSON.parse(JSON.stringify(bodies), (name, value: unknown) =>
    name === 'failing_since' ? null : value,
  ) as readonly unknown[];
};
