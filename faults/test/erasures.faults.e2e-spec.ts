import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { filesOf, Words, wordsIn } from '@refledger/acceptance';
import { embeddedUrls } from '@refledger/engines';
import { openEventLog, type LoggedEvent } from '@refledger/event-log';
import {
  count,
  eventually,
  expectStatus,
  Random,
  startStandalone,
  TestAccount,
  testSeed,
  waitFor,
  type Affiliate,
  type Erasure,
  type StandaloneService,
} from '@refledger/testing';
import { openEvents } from '../src/open-events.js';
import { embeddedKeys } from '../src/subject.js';
import { allVerifiable, verify } from '../src/verify.js';
import { ErasingWriters } from './erasing-writers.js';

const kills = count(5, 50);
const writers = 8;

describe(`a service that is killed ${kills} times while affiliates are created and erased (TEST_SEED=${testSeed})`, () => {
  const random = new Random(testSeed);
  const words = new Words();
  let directory: string;
  let dataDir: string;
  let service: StandaloneService;
  let account: TestAccount;
  let written: ErasingWriters;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'refledger-erasures-'));
    dataDir = join(directory, 'data');
    const temporary = join(directory, 'tmp');
    await mkdir(temporary);
    const env = { RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'warn', TMPDIR: temporary };
    service = await startStandalone({ dataDir, env });
    account = await TestAccount.open(service);
    written = new ErasingWriters(account, words.next);
  });
  afterAll(async () => {
    await service.kill();
    await rm(directory, { recursive: true, force: true });
  });

  const killWhileErasing = async (round: Random): Promise<void> => {
    const before = written.erased.size;
    const writing = Promise.all(
      Array.from({ length: writers }, (_, n) =>
        written.writeUntilKilled(round.fork(`writer ${n}`)),
      ),
    );
    // it may fail before it is awaited
    writing.catch(() => undefined);
    await waitFor(() => written.erased.size > before);
    await sleep(round.intBelow(250));
    await service.kill();
    await writing;
  };

  const expectErasuresFinished = async (): Promise<void> => {
    for (const id of written.erased)
      await eventually(async () => {
        const response = await account.api.get<Erasure>(`/v1/affiliates/${id}/erasure`);
        expect(expectStatus(200, response)).toMatchObject({ affiliate_id: id, status: 'finished' });
      });
  };

  const expectOthersUnchanged = async (): Promise<void> => {
    await service.caughtUp();
    const listed = await account.all<Affiliate>('/v1/affiliates');
    expect(new Map(listed.map((affiliate) => [affiliate.id, affiliate]))).toEqual(written.existing);
  };

  /** Expects this of the files that a killed service left. An erasure may still run in them. */
  const expectFiles = async (erased: ReadonlySet<string>): Promise<void> => {
    const found = [...filesOf([directory], undefined)].flatMap(([file, bytes]) =>
      wordsIn(bytes, words.all).map((word) => `${word} is in ${file}`),
    );
    expect(found).toEqual([]);
    const emails = await openableEmails(dataDir);
    expect([...erased].filter((id) => emails.has(id))).toEqual([]);
    expect(emails.size).toBeGreaterThan(0);
  };

  const expectVerified = async (subjects: readonly (typeof allVerifiable)[number][]) => {
    for (const what of subjects) {
      const { code, printed } = await verify(what, { DATA_DIR: dataDir });
      expect(code === 0 ? '' : printed).toBe('');
    }
  };

  it('finishes every acknowledged erasure, and nothing else changes', async () => {
    for (let round = 0; round < kills; round++) {
      const finished = new Set(written.erased);
      await killWhileErasing(random.fork(`round ${round}`));
      await expectFiles(finished);
      await expectVerified(['ledger', 'webhooks']);
      await service.start();
      await written.settle();
      await expectErasuresFinished();
      await expectOthersUnchanged();
      await expectVerified(['read models']);
    }
    await service.kill();
    await expectFiles(written.erased);
    await expectVerified(allVerifiable);
  });
});

/** The affiliates of which any event opens with the stored keys. */
const openableEmails = async (dataDir: string): Promise<ReadonlySet<string>> => {
  const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir, mode: 'read' });
  const events: LoggedEvent[] = [];
  for await (const batch of log.readAll()) events.push(...batch.events);
  await log.close();
  const opened = await openEvents(events, await embeddedKeys(dataDir));
  return new Set(
    opened.flatMap(({ type, data }) => {
      // decoding boundary: libs/contracts/src/affiliates/affiliate.events.ts has the schemas
      const { affiliate_id, after } = data as { affiliate_id: string; after?: { email?: string } };
      return type.startsWith('affiliate.') && after?.email !== undefined ? affiliate_id : [];
    }),
  );
};
