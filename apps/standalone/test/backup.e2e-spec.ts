import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  ApiClient,
  conversionBody,
  eventually,
  startHookReceiver,
  startStandalone,
  TestAccount,
  uniqueText,
  type Conversion,
  type Hook,
  type Page,
  type StandaloneService,
} from '@refledger/testing';

const ops = (...args: string[]) =>
  promisify(execFile)(process.execPath, [join(__dirname, '../../../bundle/ops.js'), ...args]);

const names = ['first', 'second'];

it('a backup taken under load has everything acknowledged before it, passes ops verify, and continues its webhooks', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'refledger-backup-'));
  const receiver = await startHookReceiver();
  const service = await startStandalone({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
  let restored: StandaloneService | undefined;
  try {
    const account = await TestAccount.open(service);
    const { id: affiliate } = await account.affiliate();
    const { id: endpoint } = await account.subscribe(receiver.url('/hooks'), [
      'conversion.created',
    ]);
    // Given several backups, each made while writes continue.
    const { acknowledged, before } = await backUpUnderLoad(service, account, affiliate, scratch);
    const sales = new Set<string>();

    for (const [index, name] of names.entries()) {
      // When a service is started on a backup,
      restored = await startStandalone({
        dataDir: join(scratch, name),
        env: { BOOTSTRAP_API_KEY: service.adminKey },
      });
      await isReady(restored);

      // then it has what was acknowledged.
      const api = await ApiClient.connect(restored, account.api.key);
      expectAcknowledged(await listed(api), before[index] ?? [], acknowledged);

      // Its read models are sound, and it sends nothing, whatever is asked of it,
      await ops('--data-dir', join(scratch, name), 'verify');
      const { body: sale } = await api.post<Conversion>(
        '/v1/conversions',
        conversionBody(affiliate),
      );
      await sendsNothing(restored, api, { endpoint, sale: sale.id });
      const others = receiver
        .hooks('/hooks')
        .map(({ envelope }) => envelope.data.id)
        .filter((id) => !acknowledged.has(id));
      // the replay may have sent a sale again
      expect(new Set(others)).toEqual(sales);
      sales.add(sale.id);

      // until it has taken the original's place. Then it sends webhooks: for new events, and again
      // for deliveries whose success the backup does not record.
      await takesPlace(join(scratch, name), { hasMarker: index === 0 });
      const hooks = await receiver.waitFor('/hooks', (all) =>
        all.some(({ envelope }) => envelope.data.id === sale.id),
      );
      expectSameBodies(hooks);
      await restored.stop();
      restored = undefined;
    }
  } finally {
    await restored?.stop();
    await service.stop();
    await receiver.close();
    rmSync(scratch, { recursive: true, force: true });
  }
});

/** Makes a backup of each name. Returns which sales were acknowledged before each, and in all. */
const backUpUnderLoad = async (
  service: StandaloneService,
  account: TestAccount,
  affiliate: string,
  scratch: string,
) => {
  const acknowledged = new Set<string>();
  let writing = true;
  const writers = Array.from({ length: 4 }, async () => {
    while (writing)
      acknowledged.add(
        (
          await account.api.post<Conversion>(
            '/v1/conversions',
            conversionBody(affiliate, { external_transaction_id: uniqueText('sale') }),
          )
        ).body.id,
      );
  });
  await eventually(() => expect(acknowledged.size).toBeGreaterThan(100));

  const before: string[][] = [];
  for (const name of names) {
    before.push([...acknowledged]);
    await ops('--data-dir', service.dataDir, 'backup', join(scratch, name));
  }
  writing = false;
  await Promise.all(writers);
  return { acknowledged, before };
};

const isReady = ({ opsUrl }: StandaloneService): Promise<void> =>
  eventually(async () => expect((await fetch(`${opsUrl}/health/ready`)).status).toBe(200));

/** Expects everything acknowledged before a backup began, and nothing that never was. */
const expectAcknowledged = (
  stored: ReadonlySet<string>,
  before: readonly string[],
  acknowledged: ReadonlySet<string>,
): void => {
  expect(before.filter((id) => !stored.has(id))).toEqual([]);
  expect([...stored].filter((id) => !acknowledged.has(id))).toEqual([]);
};

/** Each event has the same body in every request. */
const expectSameBodies = (hooks: readonly Hook[]): void => {
  const bodies = new Map<string, Set<string>>();
  for (const { envelope, bytes } of hooks)
    bodies.set(envelope.id, (bodies.get(envelope.id) ?? new Set()).add(bytes.toString()));
  expect([...bodies.values()].filter(({ size }) => size !== 1)).toEqual([]);
};

/**
 * Lets a served backup take the original's place: with its marker, or as after a failure that came
 * after the marker was removed, and before the service began to send.
 */
const takesPlace = async (
  dataDir: string,
  { hasMarker }: { readonly hasMarker: boolean },
): Promise<void> => {
  if (!hasMarker) rmSync(join(dataDir, 'backup.json'));
  const restored = ops('--data-dir', dataDir, 'restored');
  if (hasMarker) expect((await restored).stdout).toContain('The service sends from now on');
  else await expect(restored).rejects.toMatchObject({ code: 2 });
};

/** Asks a service on a backup for everything that sends something. */
const sendsNothing = async (
  service: StandaloneService,
  api: ApiClient,
  { endpoint, sale }: { readonly endpoint: string; readonly sale: string },
): Promise<void> => {
  const ready = await (await fetch(`${service.opsUrl}/health/ready`)).json();
  const why = /^sends nothing: this data directory is a backup made at .*run ops restored$/;
  expect(ready).toMatchObject({
    ready: true,
    parts: expect.arrayContaining([
      { part: 'webhook-dispatcher', ready: true, detail: expect.stringMatching(why) as string },
    ]) as unknown,
  });
  const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
  expect(metrics).toContain('refledger_processor_sends_nothing{processor="webhook-dispatcher"} 1');
  expect(service.logs()).toContain(
    'Refledger sends nothing: this data directory is a backup made at ',
  );

  const test = await api.post(`/v1/webhooks/${endpoint}/test`, {});
  expect([test.status, test.body]).toEqual([503, expect.objectContaining({ code: 'unavailable' })]);
  const replay = await api.post(`/v1/webhooks/${endpoint}/replays`, { since: '0', only: 'all' });
  expect(replay.status).toBe(202);
  await eventually(async () => {
    const { body } = await api.get<Page<{ status: string; type: string }>>(
      `/v1/webhooks/${endpoint}/deliveries`,
      { query: { object_id: sale } },
    );
    expect(body.data).toMatchObject([{ status: 'waiting', attempt_count: 0 }]);
  });
  const { body } = await api.get<Page<{ status: string; planned: number }>>(
    `/v1/webhooks/${endpoint}/replays`,
  );
  expect(body.data[0]).toMatchObject({ status: 'running', planned: 0 });
};

const listed = async (api: ApiClient): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>();
  for (let cursor: string | null = ''; cursor !== null;) {
    const { body }: { body: Page<Conversion> } = await api.get<Page<Conversion>>(
      '/v1/conversions',
      { query: { limit: 100, ...(cursor !== '' && { cursor }) } },
    );
    for (const { id } of body.data) ids.add(id);
    cursor = body.next_cursor;
  }
  return ids;
};
