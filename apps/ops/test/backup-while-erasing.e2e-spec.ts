import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandHandler, newContext } from '@refledger/application';
import { streams, type AffiliateId } from '@refledger/contracts';
import { affiliateDecider } from '@refledger/domain';
import { dataDirectory, embeddedUrls } from '@refledger/engines';
import { openEventLog } from '@refledger/event-log';
import { startStandalone, TestAccount, type Affiliate, type Balance } from '@refledger/testing';
import { backUpDirectory } from '../src/engines/back-up-directory.js';
import { ops, withoutProgress } from './ops-process.js';

const entryPoint = fileURLToPath(new URL('../../../bundle/ops.js', import.meta.url));

/** An affiliate is erased while its data directory is copied. */
describe('a backup during an erasure', () => {
  let parent: string;
  let original: string;
  let account: TestAccount;
  let erased: Affiliate;
  let other: Affiliate;
  let books: unknown;
  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), 'refledger-backups-'));
    original = join(parent, 'original');
    const service = await startStandalone({ dataDir: original });
    account = await TestAccount.open(service);
    [erased, other] = [await newPaid(account), await newPaid(account)];
    await service.caughtUp();
    books = await booksOf(account);
    await service.stop();
  });
  afterAll(() => rmSync(parent, { recursive: true }));

  /** A copy of the original, which an erasure may change. */
  const copyOf = (name: string): string => {
    const source = join(parent, `source ${name}`);
    cpSync(original, source, { recursive: true });
    return source;
  };
  /** Erases the affiliate in a process of its own, while this one waits. */
  const erase = (dataDir: string): void => {
    const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir };
    const args = [entryPoint, 'erase', erased.id];
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  };
  /** Backs up a directory, in which the affiliate is erased before the nth step. */
  const backUp = async (source: string, eraseBefore?: number): Promise<string> => {
    const target = `${source}, backup`;
    let step = 0;
    const signal = { throwIfAborted: () => void (step++ === eraseBefore && erase(source)) };
    await backUpDirectory(dataDirectory(source), target, signal);
    expect(step).toBe(4);
    return target;
  };
  /** Starts a service on a copy, and expects the books of before. */
  const expectRestored = async (dataDir: string, isErased: boolean): Promise<void> => {
    const service = await startStandalone({ dataDir });
    try {
      await service.caughtUp();
      const there = await account.atGateway(service);
      const listed = await there.all<Affiliate>('/v1/affiliates', { sort: 'created_at' });
      expect(listed).toEqual(isErased ? [other] : [erased, other]);
      const { status, body } = await there.api.get(`/v1/affiliates/${erased.id}/erasure`);
      expect([status, body]).toMatchObject(isErased ? [200, { status: 'finished' }] : [404, {}]);
      expect(await booksOf(there)).toEqual(books);
      const verified = withoutProgress(await ops(dataDir, 'verify', '--personal-data'));
      expect(verified).toMatchObject({ code: 0, err: '' });
      expect(verified.out).toContain(` ${isErased ? 1 : 0} erased: matching`);
    } finally {
      await service.stop();
    }
  };

  it.each([
    ['before the log is copied', 1],
    ['after the log and before the keys', 2],
  ])('that comes %s: the erasure is finished', async (name, step) => {
    await expectRestored(await backUp(copyOf(name), step), true);
  });

  it('that comes after the keys is as if it had been taken before', async () => {
    await expectRestored(await backUp(copyOf('after the keys'), 3), false);
  });

  it('that has been recorded, and whose key is not destroyed yet: the erasure is finished', async () => {
    const source = copyOf('recorded');
    await recordErasure(source, account, erased);
    await expectRestored(await backUp(source), true);
  });

  it('whose key is destroyed, and whose documents are still there: the erasure is finished', async () => {
    const source = copyOf('with read models');
    erase(source);
    await expectRestored(source, true);
  });

  it('whose key store is restored from before, beside the newer log: the erasure is finished', async () => {
    const source = copyOf('with older keys');
    erase(source);
    for (const file of keyFilesIn(source)) rmSync(join(source, file));
    for (const file of keyFilesIn(original)) cpSync(join(original, file), join(source, file));
    await expectRestored(source, true);
  });
});

const keyFilesIn = (dataDir: string): readonly string[] =>
  readdirSync(dataDir).filter((name) => name.startsWith('personal-keys.db'));

/** Creates an affiliate that has been paid, and is owed more. */
const newPaid = async (account: TestAccount): Promise<Affiliate> => {
  const affiliate = await account.affiliate();
  await account.adjustment(affiliate.id, { amount: 5_000 });
  const approved = await account.update(affiliate, { status: 'approved' });
  await account.update(await account.payout(affiliate.id), { status: 'completed' });
  await account.adjustment(affiliate.id, { amount: 700 });
  await account.conversion(affiliate.id);
  return approved;
};

/** Records the erasure of an affiliate, as a gateway does that then crashes. */
const recordErasure = async (
  dataDir: string,
  account: TestAccount,
  { id }: Affiliate,
): Promise<void> => {
  const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir, mode: 'write' });
  const affiliate_id = id as AffiliateId;
  await new CommandHandler(log).run({
    stream: streams.affiliate(affiliate_id),
    decider: affiliateDecider,
    context: newContext({
      accountId: account.id,
      actor: 'test',
      requestId: 'r',
    }),
    command: { type: 'erase', affiliate_id },
  });
  await log.close();
};

/** What an account owes and has paid, as its responses show it. */
const booksOf = async (account: TestAccount): Promise<unknown> => {
  const balances = await account.all<Balance>('/v1/balances');
  return {
    // whether a balance is paid depends on its affiliate, and `position` is the end of the log
    balances: balances.map(({ eligible: _, not_eligible: __, position: ___, ...sums }) => sums),
    entries: await account.all('/v1/entries', { sort: 'position' }),
    payouts: await account.all('/v1/payouts'),
    conversions: await account.all('/v1/conversions'),
  };
};
