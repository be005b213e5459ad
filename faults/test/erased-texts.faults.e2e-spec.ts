import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { filesOf, Words, wordsIn } from '@refledger/acceptance';
import { dataDirectory } from '@refledger/engines';
import {
  expectStatus,
  startHookReceiver,
  startStandalone,
  TestAccount,
  waitFor,
  type Affiliate,
  type Delivery,
  type HookReceiver,
  type StandaloneService,
} from '@refledger/testing';
import { openedTexts } from '../src/opened-texts.js';

/** Whoever has SECRETS_KEY and every file opens nothing of a person who was erased. */
describe('the files of a service after an erasure', () => {
  const [ofErased, ofOther] = [new Words(), new Words()];
  let dataDir: string;
  let receiver: HookReceiver;
  let service: StandaloneService;
  let account: TestAccount;
  let erased: Affiliate;
  let other: Affiliate;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'refledger-texts-'));
    receiver = await startHookReceiver();
    const env = { RATE_LIMIT_PER_MINUTE: '0', WEBHOOK_RETRY_SCHEDULE: '100ms,1h' };
    service = await startStandalone({ dataDir, env });
    account = await TestAccount.open(service);
    for (const [path, status] of [
      ['/accepting', 200],
      ['/failing', 500],
    ] as const) {
      // a receiver may echo anything, here a whole person
      receiver.script(path, ({ bytes }) => ({ status, body: bytes }));
      await account.subscribe(receiver.url(path), ['*']);
    }
    [erased, other] = [await live(account, ofErased.next), await live(account, ofOther.next)];
    await service.caughtUp();
    await everythingIsSent(account);
  });
  afterAll(async () => {
    await service.kill();
    await receiver.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** The words of a person that open, with the files in which they do. */
  const openedWords = async (words: Words): Promise<ReadonlyMap<string, readonly string[]>> => {
    const secretsKey = Buffer.from(
      await readFile(dataDirectory(dataDir).secretsKey, 'utf8'),
      'base64',
    );
    const owners = [account.id, erased.id, other.id];
    const opened = openedTexts(filesOf([dataDir], service.pid), secretsKey, owners);
    const byWord = new Map<string, Set<string>>();
    for (const { file, text } of opened)
      for (const word of wordsIn(Buffer.from(text), words.all))
        byWord.set(word, (byWord.get(word) ?? new Set()).add(basename(file).replace(/-wal$/, '')));
    return new Map([...byWord].map(([word, files]) => [word, [...files].toSorted()]));
  };
  /** The latest values of each are in the log, the read models and the deliveries. */
  const everywhere = ['deliveries.db', 'events.db', 'read-models.db'];
  const expectOpen = async (words: Words, { name }: Affiliate): Promise<void> => {
    const opened = await openedWords(words);
    expect([...opened.keys()].toSorted()).toEqual([...words.all].toSorted());
    expect(opened.get(name)).toEqual(everywhere);
  };

  it('have nothing of the person that opens, and everything of others', async () => {
    await expectOpen(ofErased, erased);
    await expectOpen(ofOther, other);
    expectStatus(200, await account.api.post(`/v1/affiliates/${erased.id}/erase`, undefined));
    expect(await openedWords(ofErased)).toEqual(new Map());
    await service.caughtUp();
    await everythingIsSent(account);
    await service.kill();
    expect(await openedWords(ofErased)).toEqual(new Map());
    await expectOpen(ofOther, other);
  });
});

/** Creates an affiliate with all values, and changes each of them. */
const live = async (account: TestAccount, word: () => string): Promise<Affiliate> => {
  const person = () => ({
    email: `${word()}@example.com`,
    name: word(),
    external_id: word(),
    metadata: { note: word() },
  });
  const created = await account.affiliate(person());
  await account.update(created, { status: 'approved', reason: word() });
  const payout_email = `${word()}@example.com`;
  await account.update(created, { payout_email, payout_hold: true, payout_hold_reason: word() });
  await account.conversion(created.id);
  return account.update(created, person());
};

/** Resolves once every delivery was attempted, and its outcome recorded. */
const everythingIsSent = (account: TestAccount): Promise<unknown> =>
  waitFor(async () => {
    const deliveries = await account.all<Delivery>('/v1/deliveries');
    return deliveries.every((one) => one.attempt_count > 0 && one.status !== 'sending');
  });
