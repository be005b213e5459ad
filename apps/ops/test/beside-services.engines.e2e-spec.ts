import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readableBuild } from '@refledger/read-store';
import { openReadStore } from '@refledger/read-store';
import {
  startDistributedOverLogBus,
  TestAccount,
  type Conversion,
  type DistributedService,
} from '@refledger/testing';
import { describeWithServers } from '@refledger/testing/servers';
import { conversionsProjection } from '@refledger/projections';
import { clockAheadSuite } from './clock-ahead.suite.js';
import { changedProgram, expectProgramHistory } from './program-history.js';
import { jsonLines, OpsProcess, withoutProgress } from './ops-process.js';
import { rebuiltCommissionsSuite } from './rebuilt-commissions.suite.js';

describeWithServers(['MongoDB'], 'ops beside services on EventStoreDB and MongoDB', (servers) => {
  const SECRETS_KEY = randomBytes(32).toString('base64');
  let services: DistributedService;
  let scratch: string;
  let account: TestAccount;
  let sales: readonly Conversion[];
  beforeAll(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'refledger-ops-'));
    services = await startDistributedOverLogBus(servers, { env: { SECRETS_KEY } });
    account = await TestAccount.open(services);
    const { id } = await account.affiliate();
    sales = await Promise.all(Array.from({ length: 30 }, () => account.conversion(id)));
  });
  afterAll(async () => {
    await services.stop();
    rmSync(scratch, { recursive: true, force: true });
  });

  const urls = () => {
    const [eventLog, store] = services.engines.map(({ url }) => url);
    return { eventLog: eventLog ?? '', store: store ?? '' };
  };
  const ops = (...args: readonly string[]) =>
    new OpsProcess(scratch, args, {
      EVENT_LOG_URL: urls().eventLog,
      READ_STORE_URL: urls().store,
      EVENT_BUS_URL: 'log:',
      SECRETS_KEY,
    }).end();

  it('shows the last events in order, and everything from a position on', async () => {
    const all = jsonLines(await ops('tail', '--json', '--account', account.id, '--last', '1000'));
    expect(
      all
        .filter(({ type }) => type === 'conversion.created')
        .map(({ data }) => data['conversion_id'])
        .sort(),
    ).toEqual(sales.map(({ id }) => id).sort());
    expect(all.map(({ position }) => BigInt(position))).toEqual(
      [...all].map(({ position }) => BigInt(position)).sort((a, b) => (a < b ? -1 : 1)),
    );

    expect(jsonLines(await ops('tail', '--json', '--account', account.id, '--last', '3'))).toEqual(
      all.slice(-3),
    );
    expect(
      jsonLines(
        await ops('tail', '--json', '--account', account.id, '--from', all.at(-4)?.position ?? ''),
      ),
    ).toEqual(all.slice(-4));
    // From a position at which there is no event.
    expect(
      jsonLines(
        await ops(
          'tail',
          '--json',
          '--account',
          account.id,
          '--from',
          String(BigInt(all.at(-4)?.position ?? 0) + 1n),
        ),
      ),
    ).toEqual(all.slice(-3));
  });

  it('shows every change to a program, including its terms', async () => {
    await expectProgramHistory(await changedProgram(account), account, ops);
  });

  it('verifies intact read models during writes, and finds a wrong document', async () => {
    const { id } = await account.affiliate();
    let isOver = false;
    const selling = Array.from({ length: 2 }, async () => {
      while (!isOver)
        await account.update(await account.conversion(id), { metadata: { touched: 'once' } });
    });
    try {
      for (let n = 0; n < 2; n++)
        expect(withoutProgress(await ops('verify'))).toMatchObject({ code: 0, err: '' });
      await tamper(sales[0]?.id ?? '');
      const found = await ops('verify');
      expect(found.out).toContain(
        `  conversions ${sales[0]?.id ?? ''}: record.status stored rejected, folded pending\n`,
      );
      expect(found.out).toMatch(/^conversions .*, 1 with differences from the log$/m);
      expect(found.code).toBe(1);
    } finally {
      isOver = true;
      await Promise.all(selling);
    }
  });

  // repairs what was changed above
  rebuiltCommissionsSuite(() => ({ service: services, ops }));
  clockAheadSuite(() => ({ service: services, ops }));

  /** Changes a stored document without an event. */
  const tamper = async (id: string): Promise<void> => {
    const store = await openReadStore(urls().store, { dataDir: '.data', mode: 'write' });
    try {
      const [{ logId } = { logId: '' }] = await store.builds(conversionsProjection.name);
      const build = readableBuild(
        await store.builds(conversionsProjection.name),
        conversionsProjection,
        logId,
      );
      if (build?.checkpoint === undefined) throw new Error('there are no conversions');
      const [stored] = await store.load(build, 'conversions', [id]);
      const { checkpoint } = build;
      await store.save([
        {
          build,
          checkpoint,
          documents: new Map([
            [
              'conversions',
              [
                {
                  id,
                  readPosition: stored?.position,
                  position: checkpoint.position,
                  document: {
                    ...stored?.document,
                    record: { ...stored?.document?.record, status: 'rejected' },
                  },
                },
              ],
            ],
          ]),
        },
      ]);
    } finally {
      await store.close();
    }
  };
});
