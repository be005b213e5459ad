import {
  affiliateBody,
  conversionBody,
  eventually,
  startHookReceiver,
  startStandalone,
  TestAccount,
  type HookReceiver,
  type StandaloneService,
} from '@refledger/testing';
import { openUnchanged, type DatabaseFile } from './open-unchanged.js';

/** Another process, which is this one, holds the lock of one file of a running service. */
describe('a service with a locked file', () => {
  let service: StandaloneService;
  let receiver: HookReceiver;
  let account: TestAccount;
  let affiliate: string;
  let release: (() => void) | undefined;
  beforeAll(async () => {
    [service, receiver] = [await startStandalone(), await startHookReceiver()];
    account = await TestAccount.open(service);
    await account.subscribe(receiver.url('/hooks'), ['conversion.created']);
    affiliate = (await account.affiliate()).id;
    await ready();
  });
  afterEach(() => release?.());
  afterAll(async () => {
    await service?.stop();
    await receiver?.close();
  });

  const lock = (name: DatabaseFile): void => {
    const db = openUnchanged(service.dataDir, name);
    db.exec('BEGIN IMMEDIATE');
    release = () => {
      db.exec('ROLLBACK');
      db.close();
      release = undefined;
    };
  };
  const record = () =>
    account.api.post<{ id: string }>('/v1/conversions', conversionBody(affiliate));
  /** The parts that are not ready, with their details. */
  const unready = async (): Promise<readonly string[]> => {
    const response = await fetch(`${service.opsUrl}/health/ready`);
    const { parts } = (await response.json()) as {
      parts: { part: string; ready: boolean; detail: string }[];
    };
    const found = parts.flatMap(({ part, ready, detail }) => (ready ? [] : [`${part} ${detail}`]));
    expect(response.status).toBe(found.length === 0 ? 200 : 503);
    return found;
  };
  const ready = () => eventually(async () => expect(await unready()).toEqual([]));

  it('events.db: is not ready once a write was rejected, and is again without another one', async () => {
    lock('events.db');
    expect((await account.api.post('/v1/affiliates', affiliateBody())).status).toBe(503);
    expect(await unready()).toContainEqual(
      expect.stringMatching(/^gateway the event log is unavailable: \S+events\.db: .*locked/),
    );
    release?.();
    await ready();
  });

  it('read-models.db: webhooks are sent as before', async () => {
    lock('read-models.db');
    const { body } = await record();
    await receiver.waitFor('/hooks', (all) =>
      all.some(({ envelope }) => envelope.data.id === body.id),
    );
    release?.();
    await ready();
  });

  it('personal-keys.db: no affiliate is created until it is released, while all else works', async () => {
    const { id } = await account.affiliate();
    lock('personal-keys.db');
    const body = affiliateBody();
    const refused = await account.api.post('/v1/affiliates', body);
    expect([refused.status, refused.body]).toMatchObject([503, { code: 'unavailable' }]);
    expect((await account.api.get(`/v1/affiliates/${id}`)).status).toBe(200);
    expect((await record()).status).toBe(201);
    release?.();
    expect((await account.api.post('/v1/affiliates', body)).status).toBe(201);
    await ready();
  });

  it('deliveries.db: the webhook-dispatcher is not ready, and is again by itself', async () => {
    lock('deliveries.db');
    await eventually(async () =>
      expect(await unready()).toEqual([
        expect.stringMatching(/^webhook-dispatcher retrying: .*deliveries\.db/),
      ]),
    );
    release?.();
    await ready();
  });
});
