import { join } from 'node:path';
import { openDatabase, SqliteError, type Database } from '@refledger/sqlite';
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

const applicationIds = {
  'events.db': 0x524c_4532,
  'read-models.db': 0x524c_5232,
  'deliveries.db': 0x524c_4435,
};

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

  const lock = (name: keyof typeof applicationIds): void => {
    const db = openUnchanged(join(service.dataDir, name), applicationIds[name]);
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

/** Opens a file in the version that it has. */
const openUnchanged = (file: string, applicationId: number): Database => {
  for (const migrations: string[] = []; ; migrations.push('')) {
    try {
      return openDatabase(file, {
        format: { name: 'file', applicationId, migrations },
        synchronous: 'full',
      });
    } catch (error) {
      if (!(error instanceof SqliteError && error.fault === 'newer')) throw error;
    }
  }
};
