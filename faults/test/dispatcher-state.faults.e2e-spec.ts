import { cpSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedUrls } from '@refledger/engines';
import {
  affiliateBody,
  conversionBody,
  eventually,
  expectStatus,
  startStandalone,
  ApiClient,
  type Affiliate,
  type Conversion,
  type Hook,
  Random,
} from '@refledger/testing';
import { openDeliveryStore } from '@refledger/delivery-store';
import { present } from '@refledger/testing/present';
import { removeDatabase, replaceDatabase } from '../src/copies.js';
import { readDeliveries, type StoredDelivery } from '../src/facts.js';
import { historyOf } from '../src/history.js';
import { openCopy, publicIds, readinessOf, type OpenResult } from '../src/opened.js';
import { makeOriginal, type Original } from '../src/original.js';
import { resumeDispatcher } from './resume-dispatcher.js';

/**
 * A real service with a log and stores that do not belong together: it rebuilds the read models,
 * and the webhook dispatcher sends nothing until an operator decides.
 */
describe('stores beside a log that they do not match', () => {
  let directory: string;
  let original: Original;
  let opened: OpenResult | undefined;
  let copies = 0;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'refledger-stores-'));
    original = await makeOriginal(directory, new Random(1), 2);
    await makeOther();
  });
  afterEach(async () => {
    if (opened?.kind === 'serves') await opened.service.kill();
    await original.receiver.settled();
  });
  afterAll(async () => {
    await original.receiver.close();
    await rm(directory, { recursive: true, force: true });
  });

  const other = () => join(directory, 'other');
  const earlier = () => present(original.still[0]).directory;
  /** Makes a directory with another service's log and stores. */
  const makeOther = async (): Promise<void> => {
    const stranger = await startStandalone({ dataDir: other() });
    const api = await ApiClient.connect(stranger, stranger.adminKey);
    expectStatus(
      201,
      await api.post('/v1/affiliates', {
        email: 'stranger@example.com',
        name: 'Stranger',
        program_id: 'prog_other',
      }),
    );
    await eventually(async () =>
      expect((await api.get<{ data: unknown[] }>('/v1/affiliates')).body.data).toHaveLength(1),
    );
    await stranger.kill();
  };
  const open = async (
    damage: (directory: string) => void | Promise<void>,
  ): Promise<OpenResult & { kind: 'serves' }> => {
    const target = join(directory, `damaged-${++copies}`);
    cpSync(present(original.still[1]).directory, target, { recursive: true });
    await damage(target);
    opened = await openCopy(target, original);
    if (opened.kind === 'refused') throw new Error(opened.reason);
    return opened;
  };
  const hooks = (): readonly Hook[] => original.receiver.hooks('/steady');
  const ofDirectory = (): string => join(directory, `damaged-${copies}`);

  /** The deliveries to `/steady` in the second copy before any damage. */
  const deliveries = async (): Promise<readonly StoredDelivery[]> => {
    const copy = join(directory, `looked-into-${++copies}`);
    cpSync(present(original.still[1]).directory, copy, { recursive: true });
    const store = await openDeliveryStore(embeddedUrls.DELIVERY_STORE_URL, { dataDir: copy });
    const steady = [...historyOf(original.events).endpoints].flatMap(([id, url]) =>
      url.endsWith('/steady') ? id : [],
    );
    const found = await readDeliveries(store, steady).finally(() => store.close());
    return [...found.values()];
  };

  it.each([
    {
      damage: 'an old backup of the log beside newer stores',
      cause: (copy: string) => replaceDatabase(copy, 'events', earlier()),
      keepsDeliveries: true,
    },
    {
      damage: 'no deliveries at all',
      cause: (copy: string) => removeDatabase(copy, 'deliveries'),
      keepsDeliveries: false,
    },
  ])(
    '$damage: all reads agree; nothing is sent until `ops resume`, and afterward no event of this log is sent again',
    async ({ cause, keepsDeliveries }) => {
      const due = (keepsDeliveries ? await deliveries() : [])
        .filter(({ status }) => status !== 'succeeded')
        .map(({ eventId }) => eventId);
      const before = hooks().length;
      const { service, log, differences, dispatcher } = await open(cause);
      expect(differences).toEqual([]);
      expect(dispatcher).toEqual(
        expect.objectContaining({
          ready: false,
          detail: expect.stringContaining('ops resume webhook-dispatcher') as string,
        }),
      );
      await eventually(() =>
        expect(service.logs()).toContain('the webhook-dispatcher has stopped'),
      );

      const api = await ApiClient.connect(service, service.adminKey);
      const affiliate = expectStatus(
        201,
        await api.post<Affiliate>('/v1/affiliates', affiliateBody()),
      );
      const sell = async (): Promise<Conversion> =>
        expectStatus(
          201,
          await api.post<Conversion>('/v1/conversions', conversionBody(affiliate.id)),
        );
      // the sale that is recorded meanwhile is not sent
      await sell();
      await eventually(async () =>
        expect((await fetch(`${service.opsUrl}/metrics`)).text()).resolves.toMatch(
          /^refledger_processor_stopped\{processor="webhook-dispatcher"\} 1$/m,
        ),
      );
      expect(hooks().length).toBe(before);

      await resumeDispatcher(ofDirectory());
      await eventually(async () =>
        expect(await readinessOf(service)).toMatchObject({ ready: true }),
      );
      // a second decision about the same stop would only take effect at a later one
      await expect(resumeDispatcher(ofDirectory())).rejects.toMatchObject({
        code: 2,
        stderr: expect.stringContaining('does not wait for a decision') as string,
      });
      const sent = await sell();
      await original.receiver.waitFor('/steady', (all) =>
        all.some(({ envelope }) => envelope.data.id === sent.id),
      );
      // The decision canceled what was planned for lost events. Deliveries that were still due for
      // events of this log may arrive.
      const held = publicIds(log);
      const since = hooks()
        .slice(before)
        .filter(({ envelope: { id } }) => !(held.has(id) && due.includes(id)));
      expect(since.map(({ envelope }) => envelope.data.id)).toEqual([sent.id]);
    },
  );

  it('read models from another log are rebuilt, and never shown', async () => {
    const { differences, dispatcher } = await open((copy) =>
      replaceDatabase(copy, 'read-models', other()),
    );
    expect(differences).toEqual([]);
    expect(dispatcher.ready).toBe(true);
  });

  it('with deliveries from another log nothing is sent, which is reported', async () => {
    const before = hooks().length;
    const { dispatcher, differences } = await open((copy) =>
      replaceDatabase(copy, 'deliveries', other()),
    );
    expect(differences).toEqual([]);
    expect(dispatcher.ready).toBe(false);
    expect(hooks().length).toBe(before);
  });

  it('a crashed directory that is opened again does not send acknowledged deliveries again', async () => {
    const taken = new Set(
      (await deliveries())
        .filter(({ status }) => status === 'succeeded')
        .map(({ eventId }) => eventId),
    );
    expect(taken.size).toBeGreaterThan(0);

    const before = hooks().length;
    const { service, dispatcher } = await open(() => undefined);
    expect(dispatcher.ready).toBe(true);
    await eventually(async () =>
      expect(await (await fetch(`${service.opsUrl}/metrics`)).text()).toMatch(
        /^refledger_webhook_deliveries\{status="waiting"\} 0$/m,
      ),
    );
    expect(
      hooks()
        .slice(before)
        .filter(({ envelope }) => taken.has(envelope.id)),
    ).toEqual([]);
  });
});
